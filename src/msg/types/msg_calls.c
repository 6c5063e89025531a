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
                                          .brief = "Whether it succeeded, and if not why.",
                                          .size = sizeof(sn_call_outcome),
                                          SN__FIELDS(outcome_fields)};

static const sn_msg_field flag_fields[] = {SN_MSG_FIELD(sn_call_flag, "value", value, "")};
const sn_msg_type sn_call_flag_type = {SN_MSG_TYPE_NAMES("sinew_msgs", "Flag"),
                                       .brief = "Yes or no.", .size = sizeof(sn_call_flag),
                                       .is_flat = true, SN__FIELDS(flag_fields)};

static const sn_msg_field index_fields[] = {SN_MSG_FIELD(sn_call_index, "index", index, "")};
const sn_msg_type sn_call_index_type = {
    SN_MSG_TYPE_NAMES("sinew_msgs", "Index"), .brief = "A position in a list; -1: not found.",
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
                                      .brief = "A name and a key.", .size = sizeof(sn_call_key),
                                      SN__FIELDS(key_fields)};

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

static const sn_msg_field chain_fields[] = {
    SN_MSG_FIELD(sn_call_chain, "name", name, ""),
    SN_MSG_FIELD(sn_call_chain, "with_virtual_joints", with_virtual_joints, ""),
};
const sn_msg_type sn_call_chain_type = {SN_MSG_TYPE_NAMES("sinew_msgs", "ChainQuery"),
                                        .brief = "A chain, with or without its virtual joints.",
                                        .size = sizeof(sn_call_chain), SN__FIELDS(chain_fields)};

static const sn_msg_field tree_fields[] = {
    SN_MSG_FIELD(sn_call_tree, "links", links, ""),
    SN_MSG_FIELD(sn_call_tree, "parents", parents, ""),
    SN_MSG_FIELD(sn_call_tree, "joints", joints, ""),
    SN_MSG_FIELD(sn_call_tree, "types", types, ""),
    SN_MSG_FIELD_NESTED_SEQ(sn_call_tree, "origins", origins, &sn_pose_type, ""),
    SN_MSG_FIELD_NESTED_SEQ(sn_call_tree, "axes", axes, &sn_vector3_type, ""),
};
const sn_msg_type sn_call_tree_type = {SN_MSG_TYPE_NAMES("sinew_msgs", "LinkTree"),
                                       .brief = "Links and the joints above them.",
                                       .size = sizeof(sn_call_tree), SN__FIELDS(tree_fields)};

static const sn_msg_field contact_buffer_fields[] = {
    SN_MSG_FIELD(sn_call_contact_buffer, "name", name, ""),
    SN_MSG_FIELD_NESTED_SEQ(sn_call_contact_buffer, "points", points, &sn_point_type, "m"),
};
const sn_msg_type sn_call_contact_buffer_type = {
    SN_MSG_TYPE_NAMES("sinew_msgs", "ContactBuffer"),
    .brief = "A buffer that the points of a contact are appended to.",
    .size = sizeof(sn_call_contact_buffer), SN__FIELDS(contact_buffer_fields)};

static const sn_msg_field contact_points_fields[] = {
    SN_MSG_FIELD(sn_call_contact_points, "appended", appended, ""),
    SN_MSG_FIELD_NESTED_SEQ(sn_call_contact_points, "points", points, &sn_point_type, "m"),
};
const sn_msg_type sn_call_contact_points_type = {
    SN_MSG_TYPE_NAMES("sinew_msgs", "ContactPoints"),
    .brief = "A buffer with the points of a contact appended.",
    .size = sizeof(sn_call_contact_points), SN__FIELDS(contact_points_fields)};
