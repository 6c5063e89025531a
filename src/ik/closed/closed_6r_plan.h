/** @file
 *  Internal: how an arm of six joints is solved: a closed form, exact or near, or a search. */
#ifndef SN_IK_CLOSED_CLOSED_6R_PLAN_H
#define SN_IK_CLOSED_CLOSED_6R_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "ik/closed/closed_6r.h"
#include "ik/closed/closed_run.h"
#include "ik/closed/search/closed_6r_search.h"

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

/** Find the form of six joints, exact or near, or a search instead.
 *  @return false if there is none */
bool sn__closed_6r_plan_init(sn__closed_6r_plan *plan, const sn__arm *arm,
                             const sn__frames *frames);

/** Write a description, as snprintf(). */
int sn__closed_6r_plan_describe(const sn__closed_6r_plan *plan, char *text, size_t size);

/** Answer a query with six joints. */
void sn__closed_6r_plan_run(const sn__closed_6r_plan *plan, double step, sn__closed_run *run);

#endif
