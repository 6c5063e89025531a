/** @file
 *  Internal: a proof that no solution is nearer to the seed than the one that descent has found. */
#ifndef SN_IK_NUMERIC_NEARNESS_H
#define SN_IK_NUMERIC_NEARNESS_H

#include "ik/serial.h"

/** Is every other solution for the same pose of the tip farther from @p prefer (Euclidean, rad)
 * than the solution @p y? False means that this is not known. Six turning joints only; false for
 * others.
 *
 *  Let r be the distance of y from `prefer`, and y + d another solution at most as far away. The
 *  midpoint m = y + d/2 lies within r/2 of m0 = (y + prefer)/2. A function along the straight line
 *  from y to y + d differs from its tangent at m by at most |d|^3/24 of its third derivative, and
 *  the pose is the same at both ends. With J(m) the Jacobian, therefore |J(m) d| <= c |d|^3, and
 * |d| <= 2 r.
 *
 *  All twists are seen from the link between joints 3 and 4, at a point of it, where the column of
 * a joint depends on the joints between only: its derivative by one of them is the bracket of the
 * two columns. So J(m) = J(m0) + sum of (m - m0)_i [J_i, J_j] + e |m - m0|^2. If the matrix
 *  J(m0)^-1 J(m) differs from 1 by less than what c leaves, then d = 0. c and e are bounds for all
 *  poses of the arm, from the lengths of its links.
 *
 *  @param data  scratch */
bool sn__serial_is_nearest(const sn__serial *serial, sn__serial_data *data, const double *y,
                           const double *prefer);

#endif
