/** @file
 *  Internal: an instance of the solver `analytic`, and the parts that work on it. */
#ifndef SN_IK_CLOSED_ANALYTIC_H
#define SN_IK_CLOSED_ANALYTIC_H

#include "ik/candidates.h"
#include "ik/closed/closed_6r.h"
#include "ik/closed/closed_7r.h"
#include "ik/closed/leg.h"
#include "ik/numeric/search.h"
#include "sinew/ik_solver.h"

/** Lines that agree this well are as good as exact: what is left is the rounding of a URDF. */
#define SN__TOLERANCE_EXACT ((sn__tolerance){.angle_rad = 1e-5, .length_m = 1e-5})
/** As calibrated arms are: the closed form is the start of a few Newton steps. */
#define SN__TOLERANCE_NEAR ((sn__tolerance){.angle_rad = 0.01, .length_m = 0.005})

/** Wide enough for wrists with a small offset, where a freedom more makes up for what is lost. */
#define SN__TOLERANCE_WIDE ((sn__tolerance){.angle_rad = 0.01, .length_m = 0.012})

/** A closed form for six joints, and how exactly it is that of the arm. */
typedef struct sn__six_plan {
  sn__six six;
  sn__frames frames;
  bool is_near; /**< its branches must be polished, and one may be missed */
  bool is_search;
  sn__search search; /**< where there is no closed form; then is_near, too */
} sn__six_plan;

typedef struct sn__analytic {
  const sn_ik_tip *tip;
  int joint_count; /**< of the chain */
  size_t group_count;
  double *q; /**< scratch: the group's vector */
  sn__windows windows;
  double step;
  char text[120];

  sn__leg leg; /**< 3 joints */
  bool leg_is_near;
  sn__frames leg_frames;
  sn__six_plan six;    /**< 6 joints */
  sn__closed_7r seven; /**< 7 joints */
  bool has_five[3];
  sn__six_plan five[3]; /**< 5 joints and one about axis x, y, z of the tip */
} sn__analytic;

/** Find the form of six joints, exact or near, or a search that does without.
 *  @return false if there is none */
bool sn__six_plan_init(sn__six_plan *plan, const sn__arm *arm, const sn__frames *frames);

/** For people, as snprintf(). */
int sn__six_plan_describe(const sn__six_plan *plan, char *text, size_t size);

/** Answer a query with six joints. */
void sn__six_plan_run(const sn__six_plan *plan, double step, sn__run *run);

#endif
