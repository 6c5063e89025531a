#include "msg/arm/msg_move_tool.h"

#include "msg/table.h"
#include "sinew/msg_calls.h"

#define NAMES(part) SN__ACTION_PART_NAMES("sinew_msgs", "MoveTool", part)

static const sn_msg_constant result_constants[] = {
    {"SUCCESSFUL", SN_MSG_INT32, SN_TRAJECTORY_SUCCESSFUL},
    {"INVALID_GOAL", SN_MSG_INT32, SN_TRAJECTORY_INVALID_GOAL},
    {"OFF_PATH", SN_MSG_INT32, SN_TRAJECTORY_OFF_PATH},
    {"OFF_GOAL", SN_MSG_INT32, SN_TRAJECTORY_OFF_GOAL},
};
static const sn_msg_field result_fields[] = {
    SN_MSG_FIELD(sn_action_result, "error_code", error_code, ""),
    SN_MSG_FIELD(sn_action_result, "error_string", error_string, ""),
};
const sn_msg_type sn__move_tool_result_type = {
    NAMES("Result"), .brief = "Result of a motion of a tool.", .size = sizeof(sn_action_result),
    SN__FIELDS(result_fields), SN__CONSTANTS(result_constants)};

static const sn_msg_field feedback_fields[] = {
    SN_MSG_FIELD_TIME(sn_move_tool_feedback, "time_from_start", time_from_start_ns,
                      SN_MSG_DURATION),
    SN_MSG_FIELD_TIME(sn_move_tool_feedback, "duration", duration_ns, SN_MSG_DURATION),
};
const sn_msg_type sn__move_tool_feedback_type = {
    NAMES("Feedback"), .brief = "Progress of a motion of a tool.",
    .size = sizeof(sn_move_tool_feedback), .is_flat = true, SN__FIELDS(feedback_fields)};

SN__ACTION_ROS2_TYPES(sn__move_tool, "sinew_msgs", "MoveTool", sn_tool_goal, &sn_tool_goal_type,
                      sn_action_result, &sn__move_tool_result_type, sn_move_tool_feedback,
                      &sn__move_tool_feedback_type);
SN__ACTION_ROS1_TYPES(sn__move_tool, "sinew_msgs", "MoveTool", sn_tool_goal, &sn_tool_goal_type,
                      sn_action_result, &sn__move_tool_result_type, sn_move_tool_feedback,
                      &sn__move_tool_feedback_type);
const sn__action_types sn__move_tool_action =
    SN__ACTION_TABLE(sn__move_tool, "sinew_msgs", "MoveTool");
