#include "msg/types/action_types.h"

#include "msg/types/msg_follow.h"
#include "sinew/msg_calls.h"
#include "sinew/msg_locomotion.h"

/* ---- control_msgs/FollowJointTrajectory: goal and feedback of ROS 2 have more fields ---- */

SN__ACTION_ROS2_TYPES(sn__follow, "control_msgs", "FollowJointTrajectory", sn_follow_goal,
                      &sn_follow_goal_type, sn_action_result, &sn_follow_result_type,
                      sn_follow_feedback, &sn_follow_feedback_type);
SN__ACTION_ROS1_TYPES(sn__follow, "control_msgs", "FollowJointTrajectory", sn_trajectory_goal,
                      &sn_trajectory_goal_type, sn_action_result, &sn_follow_result_ros1_type,
                      sn_follow_feedback_ros1, &sn_follow_feedback_ros1_type);
const sn__action_types sn__follow_action =
    SN__ACTION_TABLE(sn__follow, "control_msgs", "FollowJointTrajectory");

/* ---- sweetie_bot_control_msgs/FollowStepSequence ---- */

SN__ACTION_ROS2_TYPES(sn__step, "sweetie_bot_control_msgs", "FollowStepSequence", sn_step_goal,
                      &sn_step_goal_type, sn_action_result, &sn_step_result_type, sn_step_feedback,
                      &sn_step_feedback_type);
SN__ACTION_ROS1_TYPES(sn__step, "sweetie_bot_control_msgs", "FollowStepSequence", sn_step_goal,
                      &sn_step_goal_type, sn_action_result, &sn_step_result_type, sn_step_feedback,
                      &sn_step_feedback_type);
const sn__action_types sn__step_action =
    SN__ACTION_TABLE(sn__step, "sweetie_bot_control_msgs", "FollowStepSequence");

/* ---- sweetie_bot_gait_generator/MoveBase ---- */

SN__ACTION_ROS2_TYPES(sn__move_base, "sweetie_bot_gait_generator", "MoveBase", sn_move_base_goal,
                      &sn_move_base_goal_type, sn_action_result, &sn_move_base_result_type,
                      sn_move_base_feedback, &sn_move_base_feedback_type);
SN__ACTION_ROS1_TYPES(sn__move_base, "sweetie_bot_gait_generator", "MoveBase", sn_move_base_goal,
                      &sn_move_base_goal_type, sn_action_result, &sn_move_base_result_type,
                      sn_move_base_feedback, &sn_move_base_feedback_type);
const sn__action_types sn__move_base_action =
    SN__ACTION_TABLE(sn__move_base, "sweetie_bot_gait_generator", "MoveBase");

/* ---- sweetie_bot_resource_control_msgs/SetOperational ---- */

SN__ACTION_ROS2_TYPES(sn__set_operational, "sweetie_bot_resource_control_msgs", "SetOperational",
                      sn_set_operational, &sn_set_operational_goal_type, sn_action_result,
                      &sn_set_operational_result_type, sn_set_operational_feedback,
                      &sn_set_operational_feedback_type);
SN__ACTION_ROS1_TYPES(sn__set_operational, "sweetie_bot_resource_control_msgs", "SetOperational",
                      sn_set_operational, &sn_set_operational_goal_type, sn_action_result,
                      &sn_set_operational_result_type, sn_set_operational_feedback,
                      &sn_set_operational_feedback_type);
const sn__action_types sn__set_operational_action =
    SN__ACTION_TABLE(sn__set_operational, "sweetie_bot_resource_control_msgs", "SetOperational");
