#include "msg/arm/msg_gripper.h"

#include "msg/table.h"

static const sn_msg_field command_fields[] = {
    SN_MSG_FIELD(sn_gripper_command, "position", position, "rad or m"),
    SN_MSG_FIELD(sn_gripper_command, "max_effort", max_effort, "N·m or N"),
};
const sn_msg_type sn__gripper_command_type = {
    SN_MSG_TYPE_NAMES("control_msgs", "GripperCommand"), .brief = "Where a gripper goes.",
    .size = sizeof(sn_gripper_command), .is_flat = true, SN__FIELDS(command_fields)};

static const sn_msg_field goal_fields[] = {
    SN_MSG_FIELD_NESTED(sn_gripper_goal, "command", command, &sn__gripper_command_type, "")};
const sn_msg_type sn__gripper_goal_type = {
    SN__ACTION_PART_NAMES("control_msgs", "GripperCommand", "Goal"),
    .brief = "A goal of a gripper.", .size = sizeof(sn_gripper_goal), .is_flat = true,
    SN__FIELDS(goal_fields)};

/* ---- the action ---- */

static const sn_msg_field result_fields[] = {
    SN_MSG_FIELD(sn_gripper_result, "position", position, "rad or m"),
    SN_MSG_FIELD(sn_gripper_result, "effort", effort, "N·m or N"),
    SN_MSG_FIELD(sn_gripper_result, "stalled", stalled, ""),
    SN_MSG_FIELD(sn_gripper_result, "reached_goal", reached_goal, ""),
};
const sn_msg_type sn__gripper_result_type = {
    SN__ACTION_PART_NAMES("control_msgs", "GripperCommand", "Result"),
    .brief = "Result of a goal of a gripper.", .size = sizeof(sn_gripper_result), .is_flat = true,
    SN__FIELDS(result_fields)};
const sn_msg_type sn__gripper_feedback_type = {
    SN__ACTION_PART_NAMES("control_msgs", "GripperCommand", "Feedback"),
    .brief = "Progress of a goal of a gripper.", .size = sizeof(sn_gripper_result), .is_flat = true,
    SN__FIELDS(result_fields)};

SN__ACTION_ROS2_TYPES(sn__gripper, "control_msgs", "GripperCommand", sn_gripper_goal,
                      &sn__gripper_goal_type, sn_gripper_result, &sn__gripper_result_type,
                      sn_gripper_result, &sn__gripper_feedback_type);
SN__ACTION_ROS1_TYPES(sn__gripper, "control_msgs", "GripperCommand", sn_gripper_goal,
                      &sn__gripper_goal_type, sn_gripper_result, &sn__gripper_result_type,
                      sn_gripper_result, &sn__gripper_feedback_type);
const sn__action_types sn__gripper_action =
    SN__ACTION_TABLE(sn__gripper, "control_msgs", "GripperCommand");

/* ---- the state ---- */

static const sn_msg_field state_fields[] = {
    SN_MSG_FIELD_NESTED(sn_gripper_state, "header", header, &sn_header_type, ""),
    SN_MSG_FIELD(sn_gripper_state, "goal_id", goal_id, ""),
    SN_MSG_FIELD(sn_gripper_state, "joint", joint, ""),
    SN_MSG_FIELD(sn_gripper_state, "position", position, "rad or m"),
    SN_MSG_FIELD(sn_gripper_state, "effort", effort, "N·m or N"),
    SN_MSG_FIELD(sn_gripper_state, "stalled", stalled, ""),
    SN_MSG_FIELD(sn_gripper_state, "reached_goal", reached_goal, ""),
};
const sn_msg_type sn__gripper_state_type = {
    SN_MSG_TYPE_NAMES("sinew_msgs", "GripperState"), .brief = "State of a gripper.",
    .size = sizeof(sn_gripper_state), SN__FIELDS(state_fields)};
