#include "msg/types/msg_follow.h"

#include "msg/table.h"

#define ACTION_NAMES(part) SN__PART_NAMES("control_msgs", "action", "FollowJointTrajectory_" part)

/* ---- joints with several degrees of freedom ---- */

static const sn_msg_field multi_dof_point_fields[] = {
    SN_MSG_FIELD_NESTED_SEQ(sn_multi_dof_point, "transforms", transforms, &sn_transform_type, ""),
    SN_MSG_FIELD_NESTED_SEQ(sn_multi_dof_point, "velocities", velocities, &sn_twist_type,
                            "m/s and rad/s"),
    SN_MSG_FIELD_NESTED_SEQ(sn_multi_dof_point, "accelerations", accelerations, &sn_twist_type,
                            "m/s² and rad/s²"),
    SN_MSG_FIELD_TIME(sn_multi_dof_point, "time_from_start", time_from_start_ns, SN_MSG_DURATION),
};
const sn_msg_type sn_multi_dof_point_type = {
    SN_MSG_TYPE_NAMES("trajectory_msgs", "MultiDOFJointTrajectoryPoint"),
    .brief = "A point of a trajectory of joints with several degrees of freedom.",
    .size = sizeof(sn_multi_dof_point), SN__FIELDS(multi_dof_point_fields)};

static const sn_msg_field multi_dof_fields[] = {
    SN_MSG_FIELD_NESTED(sn_multi_dof_trajectory, "header", header, &sn_header_type, ""),
    SN_MSG_FIELD(sn_multi_dof_trajectory, "joint_names", joint_names, ""),
    SN_MSG_FIELD_NESTED_SEQ(sn_multi_dof_trajectory, "points", points, &sn_multi_dof_point_type,
                            ""),
};
const sn_msg_type sn_multi_dof_trajectory_type = {
    SN_MSG_TYPE_NAMES("trajectory_msgs", "MultiDOFJointTrajectory"),
    .brief = "A trajectory of joints with several degrees of freedom.",
    .size = sizeof(sn_multi_dof_trajectory), SN__FIELDS(multi_dof_fields)};

static const sn_msg_field component_fields[] = {
    SN_MSG_FIELD(sn_component_tolerance, "joint_name", joint_name, ""),
    SN_MSG_FIELD(sn_component_tolerance, "component", component, ""),
    SN_MSG_FIELD(sn_component_tolerance, "position", position, "rad or m"),
    SN_MSG_FIELD(sn_component_tolerance, "velocity", velocity, "rad/s or m/s"),
    SN_MSG_FIELD(sn_component_tolerance, "acceleration", acceleration, "rad/s² or m/s²"),
};
const sn_msg_type sn_component_tolerance_type = {
    SN_MSG_TYPE_NAMES("control_msgs", "JointComponentTolerance"),
    .brief = "Tolerance of a joint with several degrees of freedom in one direction.",
    .size = sizeof(sn_component_tolerance), SN__FIELDS(component_fields)};

/* ---- goal, result, feedback ---- */

static const sn_msg_field goal_fields[] = {
    SN_MSG_FIELD_NESTED(sn_follow_goal, "trajectory", trajectory, &sn_joint_trajectory_type, ""),
    SN_MSG_FIELD_NESTED(sn_follow_goal, "multi_dof_trajectory", multi_dof_trajectory,
                        &sn_multi_dof_trajectory_type, ""),
    SN_MSG_FIELD_NESTED_SEQ(sn_follow_goal, "path_tolerance", path_tolerance,
                            &sn_joint_tolerance_type, ""),
    SN_MSG_FIELD_NESTED_SEQ(sn_follow_goal, "component_path_tolerance", component_path_tolerance,
                            &sn_component_tolerance_type, ""),
    SN_MSG_FIELD_NESTED_SEQ(sn_follow_goal, "goal_tolerance", goal_tolerance,
                            &sn_joint_tolerance_type, ""),
    SN_MSG_FIELD_NESTED_SEQ(sn_follow_goal, "component_goal_tolerance", component_goal_tolerance,
                            &sn_component_tolerance_type, ""),
    SN_MSG_FIELD_TIME(sn_follow_goal, "goal_time_tolerance", goal_time_tolerance_ns,
                      SN_MSG_DURATION),
};
const sn_msg_type sn_follow_goal_type = {ACTION_NAMES("Goal"),
                                         .brief = "A trajectory to execute, with its tolerances.",
                                         .size = sizeof(sn_follow_goal), SN__FIELDS(goal_fields)};

static const sn_msg_constant result_constants[] = {
    {"SUCCESSFUL", SN_MSG_INT32, SN_TRAJECTORY_SUCCESSFUL},
    {"INVALID_GOAL", SN_MSG_INT32, SN_TRAJECTORY_INVALID_GOAL},
    {"INVALID_JOINTS", SN_MSG_INT32, SN_TRAJECTORY_INVALID_JOINTS},
    {"OLD_HEADER_TIMESTAMP", SN_MSG_INT32, SN_TRAJECTORY_OLD_STAMP},
    {"PATH_TOLERANCE_VIOLATED", SN_MSG_INT32, SN_TRAJECTORY_OFF_PATH},
    {"GOAL_TOLERANCE_VIOLATED", SN_MSG_INT32, SN_TRAJECTORY_OFF_GOAL},
};
static const sn_msg_field result_fields[] = {
    SN_MSG_FIELD(sn_action_result, "error_code", error_code, ""),
    SN_MSG_FIELD(sn_action_result, "error_string", error_string, ""),
};
#define RESULT                                                                                     \
  .brief = "Result of a trajectory.", .size = sizeof(sn_action_result), SN__FIELDS(result_fields), \
  .constants = result_constants,                                                                   \
  .constant_count = sizeof result_constants / sizeof *result_constants
const sn_msg_type sn_follow_result_type = {ACTION_NAMES("Result"), RESULT};
const sn_msg_type sn_follow_result_ros1_type = {
    SN_MSG_TYPE_NAMES("control_msgs", "FollowJointTrajectoryResult"), RESULT};

#define COMMON_FEEDBACK(type, member)                                                            \
  SN_MSG_FIELD_NESTED(type, "header", member header, &sn_header_type, ""),                       \
      SN_MSG_FIELD(type, "joint_names", member joint_names, ""),                                 \
      SN_MSG_FIELD_NESTED(type, "desired", member desired, &sn_joint_trajectory_point_type, ""), \
      SN_MSG_FIELD_NESTED(type, "actual", member actual, &sn_joint_trajectory_point_type, ""),   \
      SN_MSG_FIELD_NESTED(type, "error", member error, &sn_joint_trajectory_point_type, "")
static const sn_msg_field feedback_fields[] = {
    COMMON_FEEDBACK(sn_follow_feedback, common.),
    SN_MSG_FIELD(sn_follow_feedback, "multi_dof_joint_names", multi_dof_joint_names, ""),
    SN_MSG_FIELD_NESTED(sn_follow_feedback, "multi_dof_desired", multi_dof_desired,
                        &sn_multi_dof_point_type, ""),
    SN_MSG_FIELD_NESTED(sn_follow_feedback, "multi_dof_actual", multi_dof_actual,
                        &sn_multi_dof_point_type, ""),
    SN_MSG_FIELD_NESTED(sn_follow_feedback, "multi_dof_error", multi_dof_error,
                        &sn_multi_dof_point_type, ""),
};
const sn_msg_type sn_follow_feedback_type = {
    ACTION_NAMES("Feedback"), .brief = "Progress of a trajectory.",
    .size = sizeof(sn_follow_feedback), SN__FIELDS(feedback_fields)};

static const sn_msg_field feedback_ros1_fields[] = {COMMON_FEEDBACK(sn_follow_feedback_ros1, )};
const sn_msg_type sn_follow_feedback_ros1_type = {
    SN_MSG_TYPE_NAMES("control_msgs", "FollowJointTrajectoryFeedback"),
    .brief = "Progress of a trajectory.", .size = sizeof(sn_follow_feedback_ros1),
    SN__FIELDS(feedback_ros1_fields)};
