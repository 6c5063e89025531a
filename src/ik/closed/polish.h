/** @file
 *  Internal: refines a branch if the arm has the closed form only nearly, or if the pose is at the
 * border of the workspace. */
#ifndef SN_IK_CLOSED_POLISH_H
#define SN_IK_CLOSED_POLISH_H

#include "ik/closed/geometry/frames.h"

/** Levenberg-Marquardt on the pose, inside limits: a joint that would leave them is held while the
 *  others take its part. Ends when the miss is below @p goal or stops shrinking.
 *  @param q  start in, best out; inside the limits both times
 *  @return the miss of the result */
sn__miss sn__frames_polish(const sn__frames *frames, sn_pose target, const double *lower,
                           const double *upper, double goal, int iterations_max, double *q);

#endif
