#include "msg/types/msg_collision.h"

#include "msg/table.h"

static const sn_msg_field state_fields[] = {
    SN_MSG_FIELD_NESTED(sn_collision_state, "header", header, &sn_header_type, ""),
    SN_MSG_FIELD(sn_collision_state, "enabled", enabled, ""),
    SN_MSG_FIELD(sn_collision_state, "reason", reason, ""),
    SN_MSG_FIELD(sn_collision_state, "pair_count", pair_count, ""),
    SN_MSG_FIELD(sn_collision_state, "off_count", off_count, ""),
    SN_MSG_FIELD(sn_collision_state, "object_count", object_count, ""),
    SN_MSG_FIELD(sn_collision_state, "margin", margin, "m"),
    SN_MSG_FIELD(sn_collision_state, "near", near, ""),
    SN_MSG_FIELD(sn_collision_state, "link_a", link_a, ""),
    SN_MSG_FIELD(sn_collision_state, "link_b", link_b, ""),
    SN_MSG_FIELD(sn_collision_state, "distance", distance, "m"),
    SN_MSG_FIELD_NESTED(sn_collision_state, "point_a", point_a, &sn_point_type, "m"),
    SN_MSG_FIELD_NESTED(sn_collision_state, "point_b", point_b, &sn_point_type, "m"),
    SN_MSG_FIELD(sn_collision_state, "blocked", blocked, ""),
    SN_MSG_FIELD(sn_collision_state, "owners", owners, ""),
    SN_MSG_FIELD(sn_collision_state, "blocked_count", blocked_count, ""),
};
const sn_msg_type sn_collision_state_type = {
    SN_MSG_TYPE_NAMES("sinew_msgs", "CollisionState"),
    .brief = "The nearest pair of links, and whether the gate blocks it.",
    .size = sizeof(sn_collision_state), SN__FIELDS(state_fields)};

static const sn_msg_field object_fields[] = {
    SN_MSG_FIELD(sn_world_object, "name", name, ""),
    SN_MSG_FIELD(sn_world_object, "shape", shape, ""),
    SN_MSG_FIELD(sn_world_object, "size", size, "m"),
    SN_MSG_FIELD_NESTED_SEQ(sn_world_object, "points", points, &sn_point_type, "m"),
    SN_MSG_FIELD_NESTED(sn_world_object, "pose", pose, &sn_pose_type, "m"),
};
const sn_msg_type sn_world_object_type = {SN_MSG_TYPE_NAMES("sinew_msgs", "WorldObject"),
                                          .brief = "An object that the robot must not touch.",
                                          .size = sizeof(sn_world_object),
                                          SN__FIELDS(object_fields)};

static const sn_msg_field list_fields[] = {
    SN_MSG_FIELD_NESTED(sn_world_object_list, "header", header, &sn_header_type, ""),
    SN_MSG_FIELD_NESTED_SEQ(sn_world_object_list, "objects", objects, &sn_world_object_type, ""),
    SN_MSG_FIELD(sn_world_object_list, "complete", complete, ""),
};
const sn_msg_type sn_world_object_list_type = {SN_MSG_TYPE_NAMES("sinew_msgs", "WorldObjectList"),
                                               .brief = "Objects that the robot must not touch.",
                                               .size = sizeof(sn_world_object_list),
                                               SN__FIELDS(list_fields)};

static const sn_msg_field change_fields[] = {
    SN_MSG_FIELD_NESTED(sn_world_change, "header", header, &sn_header_type, ""),
    SN_MSG_FIELD(sn_world_change, "operation", operation, ""),
    SN_MSG_FIELD_NESTED(sn_world_change, "object", object, &sn_world_object_type, ""),
};
const sn_msg_type sn_world_change_type = {
    SN_MSG_TYPE_NAMES("sinew_msgs", "WorldChange"), .brief = "An object is added or removed.",
    .size = sizeof(sn_world_change), SN__FIELDS(change_fields)};

static const sn_msg_field pair_fields[] = {
    SN_MSG_FIELD(sn_collision_pair, "link_a", link_a, ""),
    SN_MSG_FIELD(sn_collision_pair, "link_b", link_b, ""),
    SN_MSG_FIELD(sn_collision_pair, "guarded", guarded, ""),
};
const sn_msg_type sn_collision_pair_type = {SN_MSG_TYPE_NAMES("sinew_msgs", "CollisionPair"),
                                            .brief = "Two links that are kept apart, or not.",
                                            .size = sizeof(sn_collision_pair),
                                            SN__FIELDS(pair_fields)};

static const sn_msg_field way_fields[] = {
    SN_MSG_FIELD(sn_checked_way, "checked", checked, ""),
    SN_MSG_FIELD(sn_checked_way, "blocked", blocked, ""),
    SN_MSG_FIELD(sn_checked_way, "link_a", link_a, ""),
    SN_MSG_FIELD(sn_checked_way, "link_b", link_b, ""),
    SN_MSG_FIELD(sn_checked_way, "distance", distance, "m"),
};
const sn_msg_type sn_checked_way_type = {SN_MSG_TYPE_NAMES("sinew_msgs", "CheckedWay"),
                                         .brief = "How far a way through poses is free.",
                                         .size = sizeof(sn_checked_way), SN__FIELDS(way_fields)};
