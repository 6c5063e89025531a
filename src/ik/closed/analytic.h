/** @file
 *  Internal: an instance of the solver `analytic`, and the parts that work on it. */
#ifndef SN_IK_CLOSED_ANALYTIC_H
#define SN_IK_CLOSED_ANALYTIC_H

#include "ik/closed/closed_3r.h"
#include "ik/closed/closed_6r.h"
#include "ik/closed/closed_7r.h"
#include "ik/closed/closed_run.h"
#include "ik/closed/search/closed_6r_search.h"
#include "sinew/ik_solver.h"

/** Tolerance for exact forms: the rounding of a URDF. */
#define SN__TOLERANCE_EXACT ((sn__tolerance){.angle_rad = 1e-5, .length_m = 1e-5})
/** Tolerance for calibrated arms: the closed form starts a few Newton steps. */
#define SN__TOLERANCE_NEAR ((sn__tolerance){.angle_rad = 0.01, .length_m = 0.005})

/** Wide enough for wrists with a small offset, for which redundancy compensates. */
#define SN__TOLERANCE_WIDE ((sn__tolerance){.angle_rad = 0.01, .length_m = 0.012})

/** A closed form for six joints, and whether the arm has it exactly. */
typedef struct sn__closed_6r_plan {
  sn__closed_6r closed_6r;
  sn__frames frames;
  bool is_near; /**< its branches must be polished, and one may be missed */
  bool is_search;
  sn__closed_6r_search search; /**< for arms without a closed form; is_near is set, too */
} sn__closed_6r_plan;

typedef struct sn__analytic {
  const sn_ik_tip *tip;
  int joint_count; /**< of the chain */
  size_t group_count;
  double *q; /**< scratch: the group's vector */
  sn__windows windows;
  double step;
  bool is_stopped; /**< an offer ended the last query */
  char text[120];

  sn__closed_3r closed_3r; /**< 3 joints */
  bool closed_3r_is_near;
  sn__frames closed_3r_frames;
  sn__closed_6r_plan closed_6r; /**< 6 joints */
  sn__closed_7r closed_7r;      /**< 7 joints */
  bool has_5r[3];
  sn__closed_6r_plan closed_5r[3]; /**< 5 joints and one about axis x, y, z of the tip */
} sn__analytic;

/** Find the form of six joints, exact or near, or a search instead.
 *  @return false if there is none */
bool sn__closed_6r_plan_init(sn__closed_6r_plan *plan, const sn__arm *arm,
                             const sn__frames *frames);

/** Write a description, as snprintf(). */
int sn__closed_6r_plan_describe(const sn__closed_6r_plan *plan, char *text, size_t size);

/** Answer a query with six joints. */
void sn__closed_6r_plan_run(const sn__closed_6r_plan *plan, double step, sn__closed_run *run);

#endif
