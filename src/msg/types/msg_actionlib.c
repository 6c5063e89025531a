#include "msg/types/msg_actionlib.h"

#include "msg/table.h"

static const sn_msg_field id_fields[] = {
    SN_MSG_FIELD_TIME(sn_actionlib_id, "stamp", stamp_ns, SN_MSG_TIME),
    SN_MSG_FIELD(sn_actionlib_id, "id", id, ""),
};
const sn_msg_type sn__actionlib_id_type = {SN_MSG_TYPE_NAMES("actionlib_msgs", "GoalID"),
                                           .brief = "A goal, and when it was sent.",
                                           .size = sizeof(sn_actionlib_id), SN__FIELDS(id_fields)};

static const sn_msg_constant status_constants[] = {
    {"PENDING", SN_MSG_UINT8, SN_ACTIONLIB_PENDING},
    {"ACTIVE", SN_MSG_UINT8, SN_ACTIONLIB_ACTIVE},
    {"PREEMPTED", SN_MSG_UINT8, SN_ACTIONLIB_PREEMPTED},
    {"SUCCEEDED", SN_MSG_UINT8, SN_ACTIONLIB_SUCCEEDED},
    {"ABORTED", SN_MSG_UINT8, SN_ACTIONLIB_ABORTED},
    {"REJECTED", SN_MSG_UINT8, SN_ACTIONLIB_REJECTED},
    {"PREEMPTING", SN_MSG_UINT8, SN_ACTIONLIB_PREEMPTING},
    {"RECALLING", SN_MSG_UINT8, SN_ACTIONLIB_RECALLING},
    {"RECALLED", SN_MSG_UINT8, SN_ACTIONLIB_RECALLED},
    {"LOST", SN_MSG_UINT8, SN_ACTIONLIB_LOST},
};
static const sn_msg_field status_fields[] = {
    SN_MSG_FIELD_NESTED(sn_actionlib_status, "goal_id", goal_id, &sn__actionlib_id_type, ""),
    SN_MSG_FIELD(sn_actionlib_status, "status", status, ""),
    SN_MSG_FIELD(sn_actionlib_status, "text", text, ""),
};
const sn_msg_type sn_actionlib_status_type = {
    SN_MSG_TYPE_NAMES("actionlib_msgs", "GoalStatus"),
    .brief = "State of a goal.",
    .size = sizeof(sn_actionlib_status),
    SN__FIELDS(status_fields),
    .constants = status_constants,
    .constant_count = sizeof status_constants / sizeof *status_constants};

static const sn_msg_field status_array_fields[] = {
    SN_MSG_FIELD_NESTED(sn_actionlib_status_array, "header", header, &sn_header_type, ""),
    SN_MSG_FIELD_NESTED_SEQ(sn_actionlib_status_array, "status_list", status_list,
                            &sn_actionlib_status_type, ""),
};
const sn_msg_type sn__actionlib_status_array_type = {
    SN_MSG_TYPE_NAMES("actionlib_msgs", "GoalStatusArray"), .brief = "States of goals.",
    .size = sizeof(sn_actionlib_status_array), SN__FIELDS(status_array_fields)};
