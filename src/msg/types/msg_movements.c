#include "msg/types/msg_movements.h"

#include "msg/table.h"

static const sn_msg_field list_fields[] = {
    SN_MSG_FIELD(sn_movement_list, "name", name, ""),
    SN_MSG_FIELD(sn_movement_list, "kind", kind, ""),
    SN_MSG_FIELD(sn_movement_list, "duration", duration, "s"),
};
const sn_msg_type sn_movement_list_type = {
    SN_MSG_TYPE_NAMES("sinew_msgs", "MovementList"), .brief = "The movements of a folder.",
    .size = sizeof(sn_movement_list), SN__FIELDS(list_fields)};

static const sn_msg_field text_fields[] = {
    SN_MSG_FIELD(sn_movement_text, "name", name, ""),
    SN_MSG_FIELD(sn_movement_text, "text", text, ""),
    SN_MSG_FIELD(sn_movement_text, "speed", speed, ""),
    SN_MSG_FIELD(sn_movement_text, "fastest", fastest, ""),
};
const sn_msg_type sn_movement_text_type = {
    SN_MSG_TYPE_NAMES("sinew_msgs", "MovementText"), .brief = "A movement as the text of its file.",
    .size = sizeof(sn_movement_text), SN__FIELDS(text_fields)};

static const sn_msg_field play_fields[] = {
    SN_MSG_FIELD(sn_movement_play, "name", name, ""),
    SN_MSG_FIELD(sn_movement_play, "speed", speed, ""),
    SN_MSG_FIELD(sn_movement_play, "fastest", fastest, ""),
};
const sn_msg_type sn_movement_play_type = {
    SN_MSG_TYPE_NAMES("sinew_msgs", "MovementPlay"), .brief = "A movement to play, and how fast.",
    .size = sizeof(sn_movement_play), SN__FIELDS(play_fields)};

static const sn_msg_field take_fields[] = {
    SN_MSG_FIELD(sn_movement_take, "name", name, ""),
    SN_MSG_FIELD(sn_movement_take, "resources", resources, ""),
    SN_MSG_FIELD(sn_movement_take, "by", by, ""),
};
const sn_msg_type sn_movement_take_type = {
    SN_MSG_TYPE_NAMES("sinew_msgs", "MovementTake"), .brief = "A movement to record by hand.",
    .size = sizeof(sn_movement_take), SN__FIELDS(take_fields)};

static const sn_msg_field state_fields[] = {
    SN_MSG_FIELD(sn_movement_state, "state", state, ""),
    SN_MSG_FIELD(sn_movement_state, "name", name, ""),
    SN_MSG_FIELD(sn_movement_state, "kind", kind, ""),
    SN_MSG_FIELD(sn_movement_state, "elapsed", elapsed, "s"),
    SN_MSG_FIELD(sn_movement_state, "duration", duration, "s"),
    SN_MSG_FIELD(sn_movement_state, "success", success, ""),
    SN_MSG_FIELD(sn_movement_state, "error_code", error_code, ""),
    SN_MSG_FIELD(sn_movement_state, "message", message, ""),
};
const sn_msg_type sn_movement_state_type = {
    SN_MSG_TYPE_NAMES("sinew_msgs", "MovementState"), .brief = "What is played or recorded.",
    .size = sizeof(sn_movement_state), SN__FIELDS(state_fields)};
