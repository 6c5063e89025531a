/** @file
 *  Internal: three joints whose axes meet in a point (a wrist, a shoulder) as one ball joint. */
#ifndef SN_IK_NUMERIC_SPHERICAL_JOINT_H
#define SN_IK_NUMERIC_SPHERICAL_JOINT_H

#include "ik/closed/subproblems.h"

typedef struct sn__spherical_joint {
  sn_vec3 h[3];
  sn_vec3 side;  /**< unit vector across h[2] */
  sn_vec3 third; /**< h[2] x side */
  sn__cone cone;
} sn__spherical_joint;

void sn__spherical_joint_init(sn__spherical_joint *ball, const sn_vec3 h[3]);

/** Angles of R(h0, t0) R(h1, t1) R(h2, t2) = R.
 *  @param along  R h[2]
 *  @param side   R ball->side
 *  @param any    bit 0 is set if t0 did not matter: the ball is singular, and t0 is @p any_first
 *  @return number of solutions, 0 .. 2 */
int sn__spherical_joint_solve(const sn__spherical_joint *ball, sn_vec3 along, sn_vec3 side,
                              double slack, sn__turn any_first, unsigned *any, sn__turn t[2][3]);

#endif
