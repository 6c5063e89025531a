#include "msg/types/servo_ident_msg.h"

#include "msg/table.h"

static const sn_msg_field state_fields[] = {
    SN_MSG_FIELD(sn_ident_servo_state, "name", name, ""),
    SN_MSG_FIELD(sn_ident_servo_state, "has_model", has_model, ""),
    SN_MSG_FIELD(sn_ident_servo_state, "running", running, ""),
    SN_MSG_FIELD(sn_ident_servo_state, "samples", samples, ""),
    {.name = "error",
     .kind = SN_MSG_FLOAT64,
     .flags = SN_MSG_MAY_BE_NAN,
     .offset = offsetof(sn_ident_servo_state, error),
     .size = sizeof(double),
     .unit = "rad"},
    SN_MSG_FIELD_ARRAY(sn_ident_servo_state, "alpha", alpha, "V·s/rad, V, V, V/(N·m)"),
    SN_MSG_FIELD(sn_ident_servo_state, "inertia", inertia, "V·s²/rad"),
    SN_MSG_FIELD_ARRAY(sn_ident_servo_state, "load_friction", load_friction, "V/(N·m), V/(N·m)²"),
    {.name = "std",
     .kind = SN_MSG_FLOAT64,
     .shape = SN_MSG_ARRAY,
     .flags = SN_MSG_MAY_BE_NAN,
     .offset = offsetof(sn_ident_servo_state, std),
     .size = sizeof(double),
     .count = 7,
     .unit = "of alpha, inertia and load_friction"},
    SN_MSG_FIELD(sn_ident_servo_state, "excitation", excitation, ""),
    SN_MSG_FIELD(sn_ident_servo_state, "excited", excited, ""),
};
const sn_msg_type sn_ident_servo_state_type = {SN_MSG_TYPE_NAMES("sinew_msgs", "IdentServoState"),
                                               .brief = "State of the identification of a servo.",
                                               .size = sizeof(sn_ident_servo_state),
                                               SN__FIELDS(state_fields)};

static const sn_msg_field states_fields[] = {
    SN_MSG_FIELD_NESTED_SEQ(sn_ident_state, "servos", servos, &sn_ident_servo_state_type, "")};
const sn_msg_type sn_ident_state_type = {SN_MSG_TYPE_NAMES("sinew_msgs", "IdentState"),
                                         .brief = "State of the identification of all servos.",
                                         .size = sizeof(sn_ident_state), SN__FIELDS(states_fields)};

static const sn_msg_field ended_fields[] = {
    SN_MSG_FIELD(sn_ident_ended, "names", names, ""),
    SN_MSG_FIELD(sn_ident_ended, "saved", saved, ""),
    SN_MSG_FIELD(sn_ident_ended, "message", message, ""),
};
const sn_msg_type sn_ident_ended_type = {
    SN_MSG_TYPE_NAMES("sinew_msgs", "IdentEnded"),
    .brief = "Which servos have another model now, and whether it was saved.",
    .size = sizeof(sn_ident_ended), SN__FIELDS(ended_fields)};

static const sn_msg_field applied_fields[] = {
    SN_MSG_FIELD(sn_ident_applied, "names", names, ""),
    SN_MSG_FIELD_NESTED_SEQ(sn_ident_applied, "models", models, &sn_servo_model_type, ""),
};
const sn_msg_type sn_ident_applied_type = {
    SN_MSG_TYPE_NAMES("sinew_msgs", "IdentApplied"),
    .brief = "Which servos have another model now, and all models.",
    .size = sizeof(sn_ident_applied), SN__FIELDS(applied_fields)};

static const sn_msg_field request_fields[] = {
    SN_MSG_FIELD(sn_ident_request, "verb", verb, ""),
    SN_MSG_FIELD(sn_ident_request, "servos", servos, ""),
};
const sn_msg_type sn_ident_request_type = {
    SN_MSG_TYPE_NAMES("sinew_msgs", "IdentRequest"),
    .brief = "What identification should do: start, status, abort, end or undo.",
    .size = sizeof(sn_ident_request), SN__FIELDS(request_fields)};

static const sn_msg_field answer_fields[] = {
    SN_MSG_FIELD(sn_ident_answer, "success", success, ""),
    SN_MSG_FIELD(sn_ident_answer, "message", message, ""),
    SN_MSG_FIELD(sn_ident_answer, "names", names, ""),
    SN_MSG_FIELD_NESTED_SEQ(sn_ident_answer, "servos", servos, &sn_ident_servo_state_type, ""),
};
const sn_msg_type sn_ident_answer_type = {SN_MSG_TYPE_NAMES("sinew_msgs", "IdentAnswer"),
                                          .brief = "The result and the state of identification.",
                                          .size = sizeof(sn_ident_answer),
                                          SN__FIELDS(answer_fields)};
