#include "msg/node/status_msgs.h"

#include "msg/table.h"

static const sn_msg_field log_fields[] = {
    SN_MSG_FIELD_TIME(sn__ros_log, "stamp", stamp_ns, SN_MSG_TIME),
    SN_MSG_FIELD(sn__ros_log, "level", level, ""),
    SN_MSG_FIELD(sn__ros_log, "name", name, ""),
    SN_MSG_FIELD(sn__ros_log, "msg", msg, ""),
    SN_MSG_FIELD(sn__ros_log, "file", file, ""),
    SN_MSG_FIELD(sn__ros_log, "function", function, ""),
    SN_MSG_FIELD(sn__ros_log, "line", line, ""),
};
const sn_msg_type sn__ros_log_type = {SN_MSG_TYPE_NAMES("rcl_interfaces", "Log"),
                                      .brief = "A line of the log of a node.",
                                      .size = sizeof(sn__ros_log), SN__FIELDS(log_fields)};

static const sn_msg_field clock_fields[] = {
    SN_MSG_FIELD_TIME(sn__ros_clock, "clock", clock_ns, SN_MSG_TIME),
};
const sn_msg_type sn__ros_clock_type = {
    SN_MSG_TYPE_NAMES("rosgraph_msgs", "Clock"), .brief = "The time of a simulation.",
    .size = sizeof(sn__ros_clock), .is_flat = true, SN__FIELDS(clock_fields)};

static const sn_msg_field key_value_fields[] = {
    SN_MSG_FIELD(sn__key_value, "key", key, ""),
    SN_MSG_FIELD(sn__key_value, "value", value, ""),
};
static const sn_msg_type key_value_type = {SN_MSG_TYPE_NAMES("diagnostic_msgs", "KeyValue"),
                                           .brief = "A named value.", .size = sizeof(sn__key_value),
                                           SN__FIELDS(key_value_fields)};

static const sn_msg_field status_fields[] = {
    {.name = "level",
     .kind = SN_MSG_UINT8,
     .flags = SN_MSG_BYTE,
     .offset = offsetof(sn__diagnostic_status, level),
     .size = 1,
     .unit = ""},
    SN_MSG_FIELD(sn__diagnostic_status, "name", name, ""),
    SN_MSG_FIELD(sn__diagnostic_status, "message", message, ""),
    SN_MSG_FIELD(sn__diagnostic_status, "hardware_id", hardware_id, ""),
    SN_MSG_FIELD_NESTED_SEQ(sn__diagnostic_status, "values", values, &key_value_type, ""),
};
static const sn_msg_type status_type = {SN_MSG_TYPE_NAMES("diagnostic_msgs", "DiagnosticStatus"),
                                        .brief = "The state of a part of the robot.",
                                        .size = sizeof(sn__diagnostic_status),
                                        SN__FIELDS(status_fields)};

static const sn_msg_field array_fields[] = {
    SN_MSG_FIELD_NESTED(sn__diagnostic_array, "header", header, &sn_header_type, ""),
    SN_MSG_FIELD_NESTED_SEQ(sn__diagnostic_array, "status", status, &status_type, ""),
};
const sn_msg_type sn__diagnostic_array_type = {
    SN_MSG_TYPE_NAMES("diagnostic_msgs", "DiagnosticArray"),
    .brief = "The state of the parts of the robot.", .size = sizeof(sn__diagnostic_array),
    SN__FIELDS(array_fields)};
