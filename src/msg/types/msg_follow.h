/** @file
 *  The action control_msgs/FollowJointTrajectory: goal, result and feedback, and what they are made
 *  of. The goal as ROS 1 has it is sn_trajectory_goal. */
#ifndef SN_MSG_TYPES_MSG_FOLLOW_H
#define SN_MSG_TYPES_MSG_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "msg/types/action_types.h"
#include "msg/types/msg_graph.h"
#include "sinew/api.h"
#include "sinew/msg.h"
#include "sinew/msg_calls.h"
#include "sinew/msg_locomotion.h"
#include "sinew/msg_types.h"

SN_BEGIN_DECLS

SN_SEQ_DEFINE(sn_seq_msg_transform, sn_msg_transform);

/** trajectory_msgs/MultiDOFJointTrajectoryPoint. */
typedef struct sn_multi_dof_point {
  sn_seq_msg_transform transforms;
  sn_seq_spatial velocities;
  sn_seq_spatial accelerations;
  int64_t time_from_start_ns;
} sn_multi_dof_point;

SN_SEQ_DEFINE(sn_seq_multi_dof_point, sn_multi_dof_point);

/** trajectory_msgs/MultiDOFJointTrajectory: of joints that are planar or float. */
typedef struct sn_multi_dof_trajectory {
  sn_header header;
  sn_msg_names joint_names;
  sn_seq_multi_dof_point points;
} sn_multi_dof_trajectory;

/** control_msgs/JointComponentTolerance: of one direction of such a joint. */
typedef struct sn_component_tolerance {
  sn_msg_text joint_name;
  uint16_t component;
  double position;     /**< rad or m */
  double velocity;     /**< rad/s or m/s */
  double acceleration; /**< rad/s² or m/s² */
} sn_component_tolerance;

SN_SEQ_DEFINE(sn_seq_component_tolerance, sn_component_tolerance);

/** The goal. */
typedef struct sn_follow_goal {
  sn_joint_trajectory trajectory;
  sn_multi_dof_trajectory multi_dof_trajectory;
  sn_seq_joint_tolerance path_tolerance;
  sn_seq_component_tolerance component_path_tolerance;
  sn_seq_joint_tolerance goal_tolerance;
  sn_seq_component_tolerance component_goal_tolerance;
  int64_t goal_time_tolerance_ns;
} sn_follow_goal;

/** Progress of a goal in ROS 1. */
typedef struct sn_follow_feedback_ros1 {
  sn_header header;
  sn_msg_names joint_names;
  sn_joint_trajectory_point desired;
  sn_joint_trajectory_point actual;
  sn_joint_trajectory_point error; /**< desired less actual */
} sn_follow_feedback_ros1;

/** Progress of a goal in ROS 2. */
typedef struct sn_follow_feedback {
  sn_follow_feedback_ros1 common;
  sn_msg_names multi_dof_joint_names;
  sn_multi_dof_point multi_dof_desired;
  sn_multi_dof_point multi_dof_actual;
  sn_multi_dof_point multi_dof_error;
} sn_follow_feedback;

extern const sn_msg_type sn_multi_dof_point_type;
extern const sn_msg_type sn_multi_dof_trajectory_type;
extern const sn_msg_type sn_component_tolerance_type;
extern const sn_msg_type sn_follow_goal_type;
extern const sn_msg_type
    sn_follow_result_type; /**< sn_action_result; its code is an sn_trajectory_error */
extern const sn_msg_type sn_follow_result_ros1_type; /**< under its name there */
extern const sn_msg_type sn_follow_feedback_type;
extern const sn_msg_type sn_follow_feedback_ros1_type;

SN_API extern const sn__action_types sn__follow_action;
SN__ACTION_DECLARE(sn__follow);

SN_END_DECLS

#endif
