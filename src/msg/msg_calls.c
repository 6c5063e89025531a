#include "sinew/msg_calls.h"

#include "msg/table.h"

static const sn_msg_field switch_fields[] = {SN_MSG_FIELD(sn_call_switch, "data", data, "")};
const sn_msg_type sn_call_switch_type = {SN_MSG_TYPE_NAMES("std_srvs", "SetBool_Request"),
                                         .brief = "On or off.", .size = sizeof(sn_call_switch),
                                         .is_flat = true, SN__FIELDS(switch_fields)};

static const sn_msg_field outcome_fields[] = {
    SN_MSG_FIELD(sn_call_outcome, "success", success, ""),
    SN_MSG_FIELD(sn_call_outcome, "message", message, ""),
};
const sn_msg_type sn_call_outcome_type = {SN_MSG_TYPE_NAMES("std_srvs", "SetBool_Response"),
                                          .brief = "Whether it was done, and if not why.",
                                          .size = sizeof(sn_call_outcome),
                                          SN__FIELDS(outcome_fields)};

static const sn_msg_field flag_fields[] = {SN_MSG_FIELD(sn_call_flag, "value", value, "")};
const sn_msg_type sn_call_flag_type = {SN_MSG_TYPE_NAMES("sinew_msgs", "Flag"),
                                       .brief = "Yes or no.", .size = sizeof(sn_call_flag),
                                       .is_flat = true, SN__FIELDS(flag_fields)};

static const sn_msg_field index_fields[] = {SN_MSG_FIELD(sn_call_index, "index", index, "")};
const sn_msg_type sn_call_index_type = {
    SN_MSG_TYPE_NAMES("sinew_msgs", "Index"), .brief = "A position in a list; -1: it is not there.",
    .size = sizeof(sn_call_index), .is_flat = true, SN__FIELDS(index_fields)};

static const sn_msg_field name_fields[] = {SN_MSG_FIELD(sn_call_name, "name", name, "")};
const sn_msg_type sn_call_name_type = {SN_MSG_TYPE_NAMES("sinew_msgs", "Name"),
                                       .brief = "One name.", .size = sizeof(sn_call_name),
                                       SN__FIELDS(name_fields)};

static const sn_msg_field text_fields[] = {SN_MSG_FIELD(sn_call_text, "text", text, "")};
const sn_msg_type sn_call_text_type = {SN_MSG_TYPE_NAMES("sinew_msgs", "Text"),
                                       .brief = "One text.", .size = sizeof(sn_call_text),
                                       SN__FIELDS(text_fields)};

static const sn_msg_field names_fields[] = {SN_MSG_FIELD(sn_call_names, "names", names, "")};
const sn_msg_type sn_call_names_type = {SN_MSG_TYPE_NAMES("sinew_msgs", "Names"),
                                        .brief = "A list of names.", .size = sizeof(sn_call_names),
                                        SN__FIELDS(names_fields)};

static const sn_msg_field key_fields[] = {
    SN_MSG_FIELD(sn_call_key, "name", name, ""),
    SN_MSG_FIELD(sn_call_key, "key", key, ""),
};
const sn_msg_type sn_call_key_type = {SN_MSG_TYPE_NAMES("sinew_msgs", "Key"),
                                      .brief = "A key of something that has a name.",
                                      .size = sizeof(sn_call_key), SN__FIELDS(key_fields)};

static const sn_msg_field points_fields[] = {
    SN_MSG_FIELD_NESTED_SEQ(sn_call_points, "points", points, &sn_point_type, "m")};
const sn_msg_type sn_call_points_type = {SN_MSG_TYPE_NAMES("sinew_msgs", "Points"),
                                         .brief = "Points in space.",
                                         .size = sizeof(sn_call_points), SN__FIELDS(points_fields)};

static const sn_msg_field set_operational_fields[] = {
    SN_MSG_FIELD(sn_set_operational, "operational", operational, ""),
    SN_MSG_FIELD(sn_set_operational, "resources", resources, ""),
};
const sn_msg_type sn_set_operational_type = {
    SN_MSG_TYPE_NAMES("sinew_msgs", "SetOperational"),
    .brief = "Whether a controller is active, and with which limbs.",
    .size = sizeof(sn_set_operational), SN__FIELDS(set_operational_fields)};
