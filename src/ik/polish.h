/** @file
 *  Internal: confirm a branch by forward kinematics of the arm as it really is, and take it the
 * rest of the way where the closed form was only nearly that of the arm. */
#ifndef SN_IK_POLISH_H
#define SN_IK_POLISH_H

#include <stdbool.h>

#include "ik/geometry.h"
#include "ik/turn.h"
#include "sinew/model.h"
#include "sinew/pose.h"

/** The chain by its frames, joint axes along z. */
typedef struct sn__frames {
  int count;
  bool position_only;
  sn_pose step[SN__ARM_JOINTS_MAX]; /**< to the frame of each joint, from the one before */
  sn_pose tip;                      /**< in the frame of the last joint */
} sn__frames;

void sn__frames_init(sn__frames *frames, const sn_chain *chain, bool position_only);

/** A joint more, at the tip, that turns about its axis 0, 1 or 2: it takes up a free axis. */
void sn__frames_append(sn__frames *frames, int axis);

/** How far the tip is from where it should be. */
typedef struct sn__miss {
  double position_m;
  double rotation_rad; /**< 0 if position_only */
} sn__miss;

/** Pose of the tip, by forward kinematics. */
sn_pose sn__frames_tip(const sn__frames *frames, const sn__turn *turn);

/** Compare. The rotation is measured by its chord, which is the angle for small ones. */
sn__miss sn__frames_miss(const sn__frames *frames, sn_pose tip, sn_pose target);

static inline double sn__miss_norm(sn__miss miss) {
  return sqrt(miss.position_m * miss.position_m + miss.rotation_rad * miss.rotation_rad);
}

/** Levenberg-Marquardt on the pose, inside limits: a joint that would leave them is held while the
 *  others take its part. Ends when the miss is below @p goal or stops shrinking.
 *  @param q  start in, best out; inside the limits both times
 *  @return the miss of the result */
sn__miss sn__frames_polish(const sn__frames *frames, sn_pose target, const double *lower,
                           const double *upper, double goal, int iterations_max, double *q);

#endif
