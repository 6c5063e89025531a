#include "msg/table.h"
#include "sinew/msg_calls.h"

static const sn_msg_field point_fields[] = {
    SN_MSG_FIELD(sn_joint_trajectory_point, "positions", positions, "rad or m"),
    SN_MSG_FIELD(sn_joint_trajectory_point, "velocities", velocities, "rad/s or m/s"),
    SN_MSG_FIELD(sn_joint_trajectory_point, "accelerations", accelerations, "rad/s² or m/s²"),
    SN_MSG_FIELD(sn_joint_trajectory_point, "effort", effort, "N·m or N"),
    SN_MSG_FIELD_TIME(sn_joint_trajectory_point, "time_from_start", time_from_start_ns,
                      SN_MSG_DURATION),
};
const sn_msg_type sn_joint_trajectory_point_type = {
    SN_MSG_TYPE_NAMES("trajectory_msgs", "JointTrajectoryPoint"),
    .brief = "A point of a trajectory.", .size = sizeof(sn_joint_trajectory_point),
    SN__FIELDS(point_fields)};

static const sn_msg_field trajectory_fields[] = {
    SN_MSG_FIELD_NESTED(sn_joint_trajectory, "header", header, &sn_header_type, ""),
    SN_MSG_FIELD(sn_joint_trajectory, "joint_names", joint_names, ""),
    SN_MSG_FIELD_NESTED_SEQ(sn_joint_trajectory, "points", points, &sn_joint_trajectory_point_type,
                            ""),
};
const sn_msg_type sn_joint_trajectory_type = {
    SN_MSG_TYPE_NAMES("trajectory_msgs", "JointTrajectory"), .brief = "A trajectory of joints.",
    .size = sizeof(sn_joint_trajectory), SN__FIELDS(trajectory_fields)};

static const sn_msg_field tolerance_fields[] = {
    SN_MSG_FIELD(sn_joint_tolerance, "name", name, ""),
    SN_MSG_FIELD(sn_joint_tolerance, "position", position, "rad or m"),
    SN_MSG_FIELD(sn_joint_tolerance, "velocity", velocity, "rad/s or m/s"),
    SN_MSG_FIELD(sn_joint_tolerance, "acceleration", acceleration, "rad/s² or m/s²"),
};
const sn_msg_type sn_joint_tolerance_type = {
    SN_MSG_TYPE_NAMES("control_msgs", "JointTolerance"),
    .brief = "Tolerance of a joint; 0: the default, negative: unlimited.",
    .size = sizeof(sn_joint_tolerance), SN__FIELDS(tolerance_fields)};

static const sn_msg_field goal_fields[] = {
    SN_MSG_FIELD_NESTED(sn_trajectory_goal, "trajectory", trajectory, &sn_joint_trajectory_type,
                        ""),
    SN_MSG_FIELD_NESTED_SEQ(sn_trajectory_goal, "path_tolerance", path_tolerance,
                            &sn_joint_tolerance_type, ""),
    SN_MSG_FIELD_NESTED_SEQ(sn_trajectory_goal, "goal_tolerance", goal_tolerance,
                            &sn_joint_tolerance_type, ""),
    SN_MSG_FIELD_TIME(sn_trajectory_goal, "goal_time_tolerance", goal_time_tolerance_ns,
                      SN_MSG_DURATION),
};
const sn_msg_type sn_trajectory_goal_type = {
    SN_MSG_TYPE_NAMES("control_msgs", "FollowJointTrajectoryGoal"),
    .brief = "A trajectory to execute, with its tolerances.", .size = sizeof(sn_trajectory_goal),
    SN__FIELDS(goal_fields)};

static const sn_msg_field target_fields[] = {
    SN_MSG_FIELD(sn_tool_target, "kind", kind, ""),
    SN_MSG_FIELD(sn_tool_target, "joints", joints, "rad or m"),
    SN_MSG_FIELD_NESTED(sn_tool_target, "pose", pose, &sn_pose_type, "m"),
    SN_MSG_FIELD_NESTED(sn_tool_target, "via", via, &sn_point_type, "m"),
    SN_MSG_FIELD(sn_tool_target, "blend", blend, "m"),
};
const sn_msg_type sn_tool_target_type = {SN_MSG_TYPE_NAMES("sinew_msgs", "ToolTarget"),
                                         .brief = "Where a tool goes: ptp, lin, circ or spline.",
                                         .size = sizeof(sn_tool_target), SN__FIELDS(target_fields)};

static const sn_msg_field tool_fields[] = {
    SN_MSG_FIELD_NESTED_SEQ(sn_tool_goal, "targets", targets, &sn_tool_target_type, ""),
    SN_MSG_FIELD(sn_tool_goal, "speed", speed, "0 … 1"),
    SN_MSG_FIELD(sn_tool_goal, "other_branch", other_branch, ""),
};
const sn_msg_type sn_tool_goal_type = {SN__ACTION_PART_NAMES("sinew_msgs", "MoveTool", "Goal"),
                                       .brief = "A motion of a tool through targets.",
                                       .size = sizeof(sn_tool_goal), SN__FIELDS(tool_fields)};

static const sn_msg_field id_fields[] = {SN_MSG_FIELD(sn_trajectory_id, "goal_id", goal_id, "")};
const sn_msg_type sn_trajectory_id_type = {
    SN_MSG_TYPE_NAMES("sinew_msgs", "TrajectoryId"), .brief = "The number of a goal.",
    .size = sizeof(sn_trajectory_id), .is_flat = true, SN__FIELDS(id_fields)};

static const sn_msg_field answer_fields[] = {
    SN_MSG_FIELD(sn_trajectory_answer, "accepted", accepted, ""),
    SN_MSG_FIELD(sn_trajectory_answer, "goal_id", goal_id, ""),
    SN_MSG_FIELD(sn_trajectory_answer, "error_code", error_code, ""),
    SN_MSG_FIELD(sn_trajectory_answer, "message", message, ""),
};
const sn_msg_type sn_trajectory_answer_type = {
    SN_MSG_TYPE_NAMES("sinew_msgs", "TrajectoryAnswer"), .brief = "Whether a goal was accepted.",
    .size = sizeof(sn_trajectory_answer), SN__FIELDS(answer_fields)};

static const sn_msg_constant state_constants[] = {
    {"UNKNOWN", SN_MSG_UINT8, SN_TRAJECTORY_UNKNOWN},
    {"ACCEPTED", SN_MSG_UINT8, SN_TRAJECTORY_ACCEPTED},
    {"EXECUTING", SN_MSG_UINT8, SN_TRAJECTORY_EXECUTING},
    {"CANCELING", SN_MSG_UINT8, SN_TRAJECTORY_CANCELING},
    {"SUCCEEDED", SN_MSG_UINT8, SN_TRAJECTORY_SUCCEEDED},
    {"CANCELED", SN_MSG_UINT8, SN_TRAJECTORY_CANCELED},
    {"ABORTED", SN_MSG_UINT8, SN_TRAJECTORY_ABORTED},
};
static const sn_msg_field state_fields[] = {
    SN_MSG_FIELD_NESTED(sn_trajectory_state, "header", header, &sn_header_type, ""),
    SN_MSG_FIELD(sn_trajectory_state, "goal_id", goal_id, ""),
    SN_MSG_FIELD(sn_trajectory_state, "state", state, ""),
    SN_MSG_FIELD(sn_trajectory_state, "error_code", error_code, ""),
    SN_MSG_FIELD(sn_trajectory_state, "message", message, ""),
    SN_MSG_FIELD_TIME(sn_trajectory_state, "time_from_start", time_from_start_ns, SN_MSG_DURATION),
    SN_MSG_FIELD_TIME(sn_trajectory_state, "duration", duration_ns, SN_MSG_DURATION),
    SN_MSG_FIELD(sn_trajectory_state, "name", name, ""),
    SN_MSG_FIELD(sn_trajectory_state, "desired", desired, "rad or m"),
    SN_MSG_FIELD(sn_trajectory_state, "actual", actual, "rad or m"),
};
const sn_msg_type sn_trajectory_state_type = {
    SN_MSG_TYPE_NAMES("sinew_msgs", "TrajectoryState"),
    .brief = "State of the execution of a trajectory.",
    .size = sizeof(sn_trajectory_state),
    SN__FIELDS(state_fields),
    .constants = state_constants,
    .constant_count = sizeof state_constants / sizeof *state_constants};
