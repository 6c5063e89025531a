/** @file
 *  Internal: along the curve of solutions of an arm with seven joints to where it is nearest to a
 *  preferred pose. */
#ifndef SN_IK_CLOSED_SLIDE_H
#define SN_IK_CLOSED_SLIDE_H

#include <stdbool.h>

#include "ik/closed/geometry/frames.h"

/** A target and the pose to be near to. */
typedef struct sn__slide {
  const sn__frames *frames; /**< of seven joints */
  sn_pose target;
  const double *lower, *upper; /**< of the joints */
  const double *prefer;
  double length_m;  /**< size of the arm: positions count in units of it */
  double curvature; /**< k of sn__slide_isolation() */
} sn__slide;

/** @param lower, upper, prefer  kept by pointer */
void sn__slide_init(sn__slide *slide, const sn__frames *frames, sn_pose target, const double *lower,
                    const double *upper, const double *prefer);

/** What the tangent of the curve says at a solution. */
typedef struct sn__tangent {
  double toward[SN__ARM_JOINTS_MAX]; /**< along it, to its point nearest to what is preferred */
  double fix[SN__ARM_JOINTS_MAX];    /**< the shortest step that removes the error of the pose */
  double inverse;                    /**< at least 1 / the smallest singular value of J */
} sn__tangent;

/** @return false where the arm is singular */
bool sn__slide_tangent(const sn__slide *slide, const double *q, sn__tangent *out);

/** Move @p q to the next local minimum of the distance along the curve, or to the limit before it.
 *  @param q    in: a solution inside the limits; out: one that is nearer, if there is one
 *  @return whether it moved */
bool sn__slide_run(const sn__slide *slide, double *q);

/** If the distance of @p q from what is preferred is below this, no solution is nearer. Valid for a
 *  local minimum that no limit stops; 0 where the arm is singular.
 *
 *  Let w = prefer - q, which is orthogonal to the curve, and q + d another solution. Follow the
 *  straight line from q to q + d. The angular velocity of the tip changes at most by the sum over
 *  i < j of |d_i d_j|, so the tip ends within half of that from where its first value would turn
 * it; it ends where it began. For the velocity of the tip likewise, with p_j the distance of the
 * tip from axis j at most, half the sum over all i, j of |d_i d_j| p_max(i, j). Together |J d| <= k
 * |d|^2. The part of d across the curve is at most |J d| / s, with s the smallest singular value of
 * J, and only that part has a product with w. So |w - d|^2 = |w|^2 - 2 w . d + |d|^2 >= |w|^2 +
 * |d|^2 (1 - 2 |w| k / s): not nearer if |w| <= s / (2 k). */
double sn__slide_isolation(const sn__slide *slide, const double *q);

#endif
