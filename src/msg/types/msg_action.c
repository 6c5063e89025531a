#include "msg/types/msg_action.h"

#include "msg/table.h"
#include "sinew/msg_calls.h"

static const sn_msg_field uuid_fields[] = {SN_MSG_FIELD_ARRAY(sn_uuid, "uuid", uuid, "")};
const sn_msg_type sn_uuid_type = {SN_MSG_TYPE_NAMES("unique_identifier_msgs", "UUID"),
                                  .brief = "A unique identifier.", .size = sizeof(sn_uuid),
                                  .is_flat = true, SN__FIELDS(uuid_fields)};

static const sn_msg_field info_fields[] = {
    SN_MSG_FIELD_NESTED(sn_goal_info, "goal_id", goal_id, &sn_uuid_type, ""),
    SN_MSG_FIELD_TIME(sn_goal_info, "stamp", stamp_ns, SN_MSG_TIME),
};
const sn_msg_type sn_goal_info_type = {
    SN_MSG_TYPE_NAMES("action_msgs", "GoalInfo"), .brief = "A goal, and when it was accepted.",
    .size = sizeof(sn_goal_info), .is_flat = true, SN__FIELDS(info_fields)};

static const sn_msg_constant status_constants[] = {
    {"STATUS_UNKNOWN", SN_MSG_INT8, SN_TRAJECTORY_UNKNOWN},
    {"STATUS_ACCEPTED", SN_MSG_INT8, SN_TRAJECTORY_ACCEPTED},
    {"STATUS_EXECUTING", SN_MSG_INT8, SN_TRAJECTORY_EXECUTING},
    {"STATUS_CANCELING", SN_MSG_INT8, SN_TRAJECTORY_CANCELING},
    {"STATUS_SUCCEEDED", SN_MSG_INT8, SN_TRAJECTORY_SUCCEEDED},
    {"STATUS_CANCELED", SN_MSG_INT8, SN_TRAJECTORY_CANCELED},
    {"STATUS_ABORTED", SN_MSG_INT8, SN_TRAJECTORY_ABORTED},
};
static const sn_msg_field status_fields[] = {
    SN_MSG_FIELD_NESTED(sn_goal_status, "goal_info", goal_info, &sn_goal_info_type, ""),
    SN_MSG_FIELD(sn_goal_status, "status", status, ""),
};
const sn_msg_type sn_goal_status_type = {
    SN_MSG_TYPE_NAMES("action_msgs", "GoalStatus"),
    .brief = "State of a goal.",
    .size = sizeof(sn_goal_status),
    SN__FIELDS(status_fields),
    .constants = status_constants,
    .constant_count = sizeof status_constants / sizeof *status_constants};

static const sn_msg_field status_array_fields[] = {SN_MSG_FIELD_NESTED_SEQ(
    sn_goal_status_array, "status_list", status_list, &sn_goal_status_type, "")};
const sn_msg_type sn__goal_status_array_type = {
    SN_MSG_TYPE_NAMES("action_msgs", "GoalStatusArray"), .brief = "States of goals.",
    .size = sizeof(sn_goal_status_array), SN__FIELDS(status_array_fields)};

static const sn_msg_field cancel_request_fields[] = {
    SN_MSG_FIELD_NESTED(sn_cancel_goal_request, "goal_info", goal_info, &sn_goal_info_type, "")};
const sn_msg_type sn__cancel_goal_request_type = {
    SN__PART_NAMES("action_msgs", "srv", "CancelGoal_Request"),
    .brief = "A request to cancel goals.", .size = sizeof(sn_cancel_goal_request), .is_flat = true,
    SN__FIELDS(cancel_request_fields)};

static const sn_msg_constant cancel_constants[] = {
    {"ERROR_NONE", SN_MSG_INT8, SN_CANCEL_NONE},
    {"ERROR_REJECTED", SN_MSG_INT8, SN_CANCEL_REJECTED},
    {"ERROR_UNKNOWN_GOAL_ID", SN_MSG_INT8, SN_CANCEL_UNKNOWN_GOAL},
    {"ERROR_GOAL_TERMINATED", SN_MSG_INT8, SN_CANCEL_TERMINATED},
};
static const sn_msg_field cancel_response_fields[] = {
    SN_MSG_FIELD(sn_cancel_goal_response, "return_code", return_code, ""),
    SN_MSG_FIELD_NESTED_SEQ(sn_cancel_goal_response, "goals_canceling", goals_canceling,
                            &sn_goal_info_type, ""),
};
const sn_msg_type sn__cancel_goal_response_type = {
    SN__PART_NAMES("action_msgs", "srv", "CancelGoal_Response"),
    .brief = "The goals that will be cancelled.",
    .size = sizeof(sn_cancel_goal_response),
    SN__FIELDS(cancel_response_fields),
    .constants = cancel_constants,
    .constant_count = sizeof cancel_constants / sizeof *cancel_constants};

const sn_msg_field sn__action_send_response_fields[2] = {
    SN_MSG_FIELD(sn_action_send_response, "accepted", accepted, ""),
    SN_MSG_FIELD_TIME(sn_action_send_response, "stamp", stamp_ns, SN_MSG_TIME),
};
const sn_msg_field sn__action_result_request_fields[1] = {
    SN_MSG_FIELD_NESTED(sn_action_result_request, "goal_id", goal_id, &sn_uuid_type, "")};
