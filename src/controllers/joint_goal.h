/** @file
 *  Internal: a joint trajectory as a goal, read from its message. */
#ifndef SN_CONTROLLERS_JOINT_GOAL_H
#define SN_CONTROLLERS_JOINT_GOAL_H

#include "controllers/execute.h"
#include "controllers/goal_supports.h"
#include "controllers/goals.h"
#include "traj/otg_limits.h"

/** Content of a goal. */
typedef struct sn__joint_goal {
  sn_execute_goal execute;
  sn__goal_supports supports;
} sn__joint_goal;

/** Context of the reader. What a goal does not set; 0: any. */
typedef struct sn__joint_goal_defaults {
  double start_tolerance; /**< rad or m */
  double path_tolerance;  /**< rad or m */
  double goal_tolerance;  /**< rad or m */
  double goal_time_s;
  bool clamp_positions; /**< points beyond the limits of a joint are moved to the limit */
  const sn_controller *controller;
  sn__goals *goals;
  const _Atomic(double) *pose_now; /**< [joints] as of the last cycle */
  sn__otg_defaults limits;         /**< of points without times, where the robot states none */
} sn__joint_goal_defaults;

/** A reader of goals: @p msg is an sn_trajectory_goal, the codes are sn_trajectory_error. */
sn_status sn__joint_goal_read(void *context, const void *msg, sn__goal *goal, int32_t *error,
                              sn_error *err);

/** Make the content of a goal from a motion of some joints, with the default tolerances: it takes
 *  their limbs and begins at once.
 *  @param joints  [motion->joint_count] in the sorted pose; lives as long as the goal
 *  @return SN_OK; SN_ENOENT: a joint belongs to no limb; SN_ENOMEM */
sn_status sn__joint_goal_of_motion(const sn__joint_goal_defaults *defaults,
                                   const sn_trajectory_motion *motion, const int *joints,
                                   sn__goal *goal, sn_error *err);

#endif
