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
  double length_m; /**< size of the arm: positions count in units of it */
} sn__slide;

/** @param lower, upper, prefer  kept by pointer */
void sn__slide_init(sn__slide *slide, const sn__frames *frames, sn_pose target, const double *lower,
                    const double *upper, const double *prefer);

/** What the tangent of the curve says at a solution. */
typedef struct sn__tangent {
  double toward[SN__ARM_JOINTS_MAX]; /**< along it, to its point nearest to what is preferred */
  double fix[SN__ARM_JOINTS_MAX];    /**< the shortest step that removes the error of the pose */
} sn__tangent;

/** @return false where the arm is singular */
bool sn__slide_tangent(const sn__slide *slide, const double *q, sn__tangent *out);

/** Move @p q to the next local minimum of the distance along the curve, or to the limit before it.
 *  @param q    in: a solution inside the limits; out: one that is nearer, if there is one
 *  @return whether it moved */
bool sn__slide_run(const sn__slide *slide, double *q);

#endif
