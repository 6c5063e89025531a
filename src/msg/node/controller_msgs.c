#include "msg/node/controller_msgs.h"

#include "msg/table.h"

#define PACKAGE "controller_manager_msgs"

static const sn_msg_field connection_fields[] = {
    SN_MSG_FIELD(sn__chain_connection, "name", name, ""),
    SN_MSG_FIELD(sn__chain_connection, "reference_interfaces", reference_interfaces, ""),
};
static const sn_msg_type connection_type = {
    SN_MSG_TYPE_NAMES(PACKAGE, "ChainConnection"), .brief = "A controller below another one.",
    .size = sizeof(sn__chain_connection), SN__FIELDS(connection_fields)};

static const sn_msg_field state_fields[] = {
    SN_MSG_FIELD(sn__controller_state, "name", name, ""),
    SN_MSG_FIELD(sn__controller_state, "state", state, ""),
    SN_MSG_FIELD(sn__controller_state, "type", type, ""),
    SN_MSG_FIELD(sn__controller_state, "is_async", is_async, ""),
    SN_MSG_FIELD(sn__controller_state, "update_rate", update_rate, "Hz"),
    SN_MSG_FIELD(sn__controller_state, "claimed_interfaces", claimed_interfaces, ""),
    SN_MSG_FIELD(sn__controller_state, "required_command_interfaces", required_command_interfaces,
                 ""),
    SN_MSG_FIELD(sn__controller_state, "required_state_interfaces", required_state_interfaces, ""),
    SN_MSG_FIELD(sn__controller_state, "is_chainable", is_chainable, ""),
    SN_MSG_FIELD(sn__controller_state, "is_chained", is_chained, ""),
    SN_MSG_FIELD(sn__controller_state, "exported_state_interfaces", exported_state_interfaces, ""),
    SN_MSG_FIELD(sn__controller_state, "reference_interfaces", reference_interfaces, ""),
    SN_MSG_FIELD_NESTED_SEQ(sn__controller_state, "chain_connections", chain_connections,
                            &connection_type, ""),
};
static const sn_msg_type state_type = {
    SN_MSG_TYPE_NAMES(PACKAGE, "ControllerState"), .brief = "A controller and what it commands.",
    .size = sizeof(sn__controller_state), SN__FIELDS(state_fields)};

static const sn_msg_field list_fields[] = {
    SN_MSG_FIELD_NESTED_SEQ(sn__list_controllers_response, "controller", controller, &state_type,
                            ""),
};
const sn_msg_type sn__list_controllers_response_type = {
    SN__PART_NAMES(PACKAGE, "srv", "ListControllers_Response"), .brief = "",
    .size = sizeof(sn__list_controllers_response), SN__FIELDS(list_fields)};

static const sn_msg_field switch_fields[] = {
    SN_MSG_FIELD(sn__switch_request, "activate_controllers", activate_controllers, ""),
    SN_MSG_FIELD(sn__switch_request, "deactivate_controllers", deactivate_controllers, ""),
    SN_MSG_FIELD(sn__switch_request, "strictness", strictness, ""),
    SN_MSG_FIELD(sn__switch_request, "activate_asap", activate_asap, ""),
    SN_MSG_FIELD_TIME(sn__switch_request, "timeout", timeout_ns, SN_MSG_DURATION),
};
const sn_msg_type sn__switch_request_type = {
    SN__PART_NAMES(PACKAGE, "srv", "SwitchController_Request"), .brief = "",
    .size = sizeof(sn__switch_request), SN__FIELDS(switch_fields)};

static const sn_msg_field outcome_fields[] = {
    SN_MSG_FIELD(sn__switch_response, "ok", ok, ""),
    SN_MSG_FIELD(sn__switch_response, "message", message, ""),
};
const sn_msg_type sn__switch_response_type = {
    SN__PART_NAMES(PACKAGE, "srv", "SwitchController_Response"), .brief = "",
    .size = sizeof(sn__switch_response), SN__FIELDS(outcome_fields)};
