/** @file
 *  Internal: roots of a quadratic polynomial on the unit circle. */
#ifndef SN_IK_CLOSED_GEOMETRY_CIRCLE_ROOTS_H
#define SN_IK_CLOSED_GEOMETRY_CIRCLE_ROOTS_H

#include "ik/closed/geometry/turn.h"

/** Points (c, s) of the unit circle with g0 + g1 c + g2 s + g3 c c + g4 c s + g5 s s = 0.
 *  A pair of complex roots counts as one real root, at the extremum between, if the polynomial
 * comes within @p slack times its largest coefficient of zero there; with a slack of 1 or more
 * there is always a point, about where the polynomial is nearest to zero.
 *  @return their number, 0 .. 4; 0 if all coefficients vanish */
int sn__circle_roots(const double g[6], double slack, sn__turn root[4]);

#endif
