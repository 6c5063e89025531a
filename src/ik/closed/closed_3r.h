/** @file
 *  Internal: closed form for three revolute joints that place a point. */
#ifndef SN_IK_CLOSED_CLOSED_3R_H
#define SN_IK_CLOSED_CLOSED_3R_H

#include "ik/closed/branches.h"
#include "ik/closed/geometry/arm.h"
#include "ik/closed/geometry/subproblems.h"

typedef struct sn__closed_3r {
  sn__sp5_in in; /**< p1 is set by the target */
  sn_vec3 origin;
} sn__closed_3r;

/** Every arm of three joints that are not all parallel, nor meet in one point, has one. Pairs that
 *  are nearly parallel or nearly meet are taken to be so.
 *  @return false if the joints cannot place a point in space */
bool sn__closed_3r_init(sn__closed_3r *closed, const sn__arm *arm, sn__tolerance tol);

/** All branches that bring the tip to @p point. */
void sn__closed_3r_solve(const sn__closed_3r *closed, sn_vec3 point, double slack,
                         const sn__turn any_turn[3], sn__branches *out);

#endif
