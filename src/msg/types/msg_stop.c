#include "msg/table.h"
#include "sinew/msg_calls.h"

static const sn_msg_field stop_fields[] = {
    SN_MSG_FIELD(sn_call_stop, "who", who, ""),
    SN_MSG_FIELD(sn_call_stop, "why", why, ""),
};
const sn_msg_type sn_call_stop_type = {SN_MSG_TYPE_NAMES("sinew_msgs", "Stop"),
                                       .brief = "A request to stop, with its origin and reason.",
                                       .size = sizeof(sn_call_stop), SN__FIELDS(stop_fields)};

static const sn_msg_field state_fields[] = {
    SN_MSG_FIELD_NESTED(sn_stop_state, "header", header, &sn_header_type, ""),
    SN_MSG_FIELD(sn_stop_state, "stopped", stopped, ""),
    SN_MSG_FIELD(sn_stop_state, "at_rest", at_rest, ""),
    SN_MSG_FIELD(sn_stop_state, "who", who, ""),
    SN_MSG_FIELD(sn_stop_state, "why", why, ""),
    SN_MSG_FIELD_TIME(sn_stop_state, "since", since_ns, SN_MSG_TIME),
    SN_MSG_FIELD(sn_stop_state, "resumed_by", resumed_by, ""),
    SN_MSG_FIELD_TIME(sn_stop_state, "resumed", resumed_ns, SN_MSG_TIME),
    SN_MSG_FIELD(sn_stop_state, "count", count, ""),
};
const sn_msg_type sn_stop_state_type = {SN_MSG_TYPE_NAMES("sinew_msgs", "StopState"),
                                        .brief = "State of the emergency stop.",
                                        .size = sizeof(sn_stop_state), SN__FIELDS(state_fields)};
