/** @file
 *  Internal: closed form for three turning joints that place a point. */
#ifndef SN_IK_CLOSED_LEG_H
#define SN_IK_CLOSED_LEG_H

#include "ik/branches.h"
#include "ik/closed/geometry.h"
#include "ik/closed/subproblems.h"

typedef struct sn__leg {
  sn__sp5_in in; /**< p1 is set by the target */
  sn_vec3 origin;
} sn__leg;

/** Every arm of three joints that are not all parallel, nor meet in one point, has one. Pairs that
 *  are nearly parallel or nearly meet are taken to be so.
 *  @return false if the joints cannot place a point in space */
bool sn__leg_init(sn__leg *leg, const sn__arm *arm, sn__tolerance tol);

/** All branches that bring the tip to @p point. */
void sn__leg_solve(const sn__leg *leg, sn_vec3 point, double slack, const sn__turn any_turn[3],
                   sn__branches *out);

#endif
