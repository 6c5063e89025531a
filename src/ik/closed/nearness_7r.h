/** @file
 *  Internal: a proof that no solution of an arm with seven joints is nearer to what is preferred
 *  than the one that was found. */
#ifndef SN_IK_CLOSED_NEARNESS_7R_H
#define SN_IK_CLOSED_NEARNESS_7R_H

#include <stdbool.h>

#include "ik/closed/slide.h"

/** Is no solution inside the limits nearer to `prefer` than the solution @p q, a local minimum of
 *  the distance? False means that this is not known.
 *
 *  With c = prefer and the pose (p, R) of the tip, take the Lagrangian of the distance,
 *
 *    L(x) = |x - c|^2 / 2 - y . (p(x) - p(q)) - <[w] R(q), R(x) - R(q)> / 2,
 *
 *  which is half of the squared distance at every solution. y and w make its gradient at q vanish,
 *  or point outward at joints that are at a limit. So for a solution x = q + e, half of the squared
 *  distances differ by at least (|e|^2 - e . H e) / 2, where H is the second derivative of what is
 *  subtracted, averaged along the straight line from q to x with the weight 2 (1 - t). A nearer x
 *  lies within r = |q - c| of c. The average of the points of the line is then within r/3 of
 *  m = q + (c - q)/3, and that of their squared distance from m is at most 0.4146 r^2. Therefore q
 *  is the nearest if 1 - H(m) - (r/3) k3 - 0.2073 r^2 k4 is positive definite.
 *
 *  k3 and k4 bound the third and the fourth derivative. A link that i joints move turns by at most
 *  the sum of |e_j| over them, which is at most the root of i times |e|: the n-th derivative of the
 *  place of its end is at most i^(n/2) times its length, that of a rotation 7^(n/2). */
bool sn__nearness_7r_is_proven(const sn__slide *slide, const double *q);

/** The second derivative of y . p + <[w] R(q), R> / 2 at @p x, lower triangle.
 *  @param l       y, then w
 *  @param target  R(q) */
void sn__nearness_7r_second(const sn__frames *frames, const double *x, const double l[6],
                            sn_mat3 target, double h[7][7]);

#endif
