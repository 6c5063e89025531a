/** @file
 *  Internal: forward kinematics of the real arm, from cosines and sines; it confirms every branch
 * of a closed form. */
#ifndef SN_IK_CLOSED_GEOMETRY_FRAMES_H
#define SN_IK_CLOSED_GEOMETRY_FRAMES_H

#include <stdbool.h>

#include "ik/closed/geometry/arm.h"
#include "ik/closed/geometry/turn.h"
#include "sinew/model.h"
#include "sinew/pose.h"

/** Joints turn about z. Any rotation is Rz(a) Rx(b) Rz(c), Euler's z-x-z: the outer two turns join
 *  those of the joints before and behind, and what remains between two joints is a shift and a turn
 *  about x. */
typedef struct sn__frames {
  int count;
  bool position_only;
  sn_pose first;                       /**< before the first joint */
  sn__turn twist[SN__ARM_JOINTS_MAX];  /**< by which each joint turns more than its angle */
  sn_vec3 shift[SN__ARM_JOINTS_MAX];   /**< from the joint before; not used for the first */
  sn__turn across[SN__ARM_JOINTS_MAX]; /**< then the turn about x; likewise */
  sn_pose tip;                         /**< behind the last joint */
} sn__frames;

/** @param free_axis  0, 1, 2: a joint more, at the tip, that takes up the freedom about the tip's
 * x, y or z axis; -1: none */
void sn__frames_init(sn__frames *frames, const sn_chain *chain, bool position_only, int free_axis);

/** The chain without joint @p index, which stays at @p t. It has at least two. */
void sn__frames_lock(const sn__frames *frames, int index, sn__turn t, sn__frames *out);

/** Pose of the tip. */
sn_pose sn__frames_tip(const sn__frames *frames, const sn__turn *turn);

/** Pose of the tip at angles @p q, and the axis and the place of each joint. */
sn_pose sn__frames_trace(const sn__frames *frames, const double *q, sn_vec3 *axis, sn_vec3 *place);

/** How far the tip is from where it should be. */
typedef struct sn__miss {
  double position_m;
  double rotation_rad; /**< of small ones the angle or somewhat more; 0 if position_only */
} sn__miss;

sn__miss sn__frames_miss(const sn__frames *frames, sn_pose tip, sn_pose target);

/** A target as sn__frames_misses() takes it: seen from `first`, and for the frame of the last
 * joint, of which two axes say everything. */
typedef struct sn__goal {
  sn_vec3 pos, x, y;
} sn__goal;

sn__goal sn__frames_goal(const sn__frames *frames, const sn_pose *target);

/** The misses of two branches, computed together. */
void sn__frames_misses(const sn__frames *frames, const sn__turn *first, const sn__turn *second,
                       const sn__goal *goal, sn__miss miss[2]);

static inline double sn__miss_norm(sn__miss miss) {
  return sqrt(miss.position_m * miss.position_m + miss.rotation_rad * miss.rotation_rad);
}

#endif
