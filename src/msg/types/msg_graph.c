#include "msg/types/msg_graph.h"

#include "msg/table.h"

static const sn_msg_field string_fields[] = {SN_MSG_FIELD(sn_std_string, "data", data, "")};
const sn_msg_type sn__std_string_type = {SN_MSG_TYPE_NAMES("std_msgs", "String"),
                                         .brief = "One text.", .size = sizeof(sn_std_string),
                                         SN__FIELDS(string_fields)};

static const sn_msg_field transform_fields[] = {
    SN_MSG_FIELD_NESTED(sn_msg_transform, "translation", translation, &sn_vector3_type, "m"),
    SN_MSG_FIELD_NESTED(sn_msg_transform, "rotation", rotation, &sn_quaternion_type, ""),
};
const sn_msg_type sn_transform_type = {SN_MSG_TYPE_NAMES("geometry_msgs", "Transform"),
                                       .brief = "A transform.", .size = sizeof(sn_msg_transform),
                                       .is_flat = true, SN__FIELDS(transform_fields)};

static const sn_msg_field transform_stamped_fields[] = {
    SN_MSG_FIELD_NESTED(sn_transform_stamped, "header", header, &sn_header_type, ""),
    SN_MSG_FIELD(sn_transform_stamped, "child_frame_id", child_frame_id, ""),
    SN_MSG_FIELD_NESTED(sn_transform_stamped, "transform", transform, &sn_transform_type, ""),
};
const sn_msg_type sn_transform_stamped_type = {
    SN_MSG_TYPE_NAMES("geometry_msgs", "TransformStamped"),
    .brief = "The transform from one frame to another, with its time.",
    .size = sizeof(sn_transform_stamped), SN__FIELDS(transform_stamped_fields)};

static const sn_msg_field tf_message_fields[] = {SN_MSG_FIELD_NESTED_SEQ(
    sn_tf_message, "transforms", transforms, &sn_transform_stamped_type, "")};
const sn_msg_type sn__tf_message_type = {SN_MSG_TYPE_NAMES("tf2_msgs", "TFMessage"),
                                         .brief = "Transforms.", .size = sizeof(sn_tf_message),
                                         SN__FIELDS(tf_message_fields)};
