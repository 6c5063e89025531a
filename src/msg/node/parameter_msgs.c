#include "msg/node/parameter_msgs.h"

#include "msg/table.h"

#define PACKAGE "rcl_interfaces"

static const sn_msg_field value_fields[] = {
    SN_MSG_FIELD(sn__parameter_value, "type", type, ""),
    SN_MSG_FIELD(sn__parameter_value, "bool_value", bool_value, ""),
    SN_MSG_FIELD(sn__parameter_value, "integer_value", integer_value, ""),
    SN_MSG_FIELD(sn__parameter_value, "double_value", double_value, ""),
    SN_MSG_FIELD(sn__parameter_value, "string_value", string_value, ""),
    {.name = "byte_array_value",
     .kind = SN_MSG_UINT8,
     .shape = SN_MSG_SEQUENCE,
     .flags = SN_MSG_BYTE,
     .offset = offsetof(sn__parameter_value, byte_array_value),
     .size = 1,
     .unit = ""},
    SN_MSG_FIELD(sn__parameter_value, "bool_array_value", bool_array_value, ""),
    SN_MSG_FIELD(sn__parameter_value, "integer_array_value", integer_array_value, ""),
    SN_MSG_FIELD(sn__parameter_value, "double_array_value", double_array_value, ""),
    SN_MSG_FIELD(sn__parameter_value, "string_array_value", string_array_value, ""),
};
static const sn_msg_type value_type = {
    SN_MSG_TYPE_NAMES(PACKAGE, "ParameterValue"), .brief = "The value of a parameter.",
    .size = sizeof(sn__parameter_value), SN__FIELDS(value_fields)};

static const sn_msg_field parameter_fields[] = {
    SN_MSG_FIELD(sn__parameter, "name", name, ""),
    SN_MSG_FIELD_NESTED(sn__parameter, "value", value, &value_type, ""),
};
static const sn_msg_type parameter_type = {
    SN_MSG_TYPE_NAMES(PACKAGE, "Parameter"), .brief = "A parameter and its value.",
    .size = sizeof(sn__parameter), SN__FIELDS(parameter_fields)};

static const sn_msg_field event_fields[] = {
    SN_MSG_FIELD_TIME(sn__parameter_event, "stamp", stamp_ns, SN_MSG_TIME),
    SN_MSG_FIELD(sn__parameter_event, "node", node, ""),
    SN_MSG_FIELD_NESTED_SEQ(sn__parameter_event, "new_parameters", new_parameters, &parameter_type,
                            ""),
    SN_MSG_FIELD_NESTED_SEQ(sn__parameter_event, "changed_parameters", changed_parameters,
                            &parameter_type, ""),
    SN_MSG_FIELD_NESTED_SEQ(sn__parameter_event, "deleted_parameters", deleted_parameters,
                            &parameter_type, ""),
};
const sn_msg_type sn__parameter_event_type = {SN_MSG_TYPE_NAMES(PACKAGE, "ParameterEvent"),
                                              .brief = "Parameters of a node that have changed.",
                                              .size = sizeof(sn__parameter_event),
                                              SN__FIELDS(event_fields)};

/* ---- descriptors ---- */

static const sn_msg_field double_range_fields[] = {
    SN_MSG_FIELD(sn__double_range, "from_value", from_value, ""),
    SN_MSG_FIELD(sn__double_range, "to_value", to_value, ""),
    SN_MSG_FIELD(sn__double_range, "step", step, ""),
};
static const sn_msg_type double_range_type = {
    SN_MSG_TYPE_NAMES(PACKAGE, "FloatingPointRange"), .brief = "Range of a real parameter.",
    .size = sizeof(sn__double_range), .is_flat = true, SN__FIELDS(double_range_fields)};

static const sn_msg_field integer_range_fields[] = {
    SN_MSG_FIELD(sn__integer_range, "from_value", from_value, ""),
    SN_MSG_FIELD(sn__integer_range, "to_value", to_value, ""),
    SN_MSG_FIELD(sn__integer_range, "step", step, ""),
};
static const sn_msg_type integer_range_type = {
    SN_MSG_TYPE_NAMES(PACKAGE, "IntegerRange"), .brief = "Range of an integer parameter.",
    .size = sizeof(sn__integer_range), .is_flat = true, SN__FIELDS(integer_range_fields)};

#define RANGE_FIELD(member, type_)                                                               \
  {                                                                                              \
    .name = #member, .kind = SN_MSG_NESTED, .shape = SN_MSG_SEQUENCE, .count = 1,                \
    .offset = offsetof(sn__parameter_descriptor, member),                                        \
    .size = sizeof *((sn__parameter_descriptor *)0)->member.data, .nested = &(type_), .unit = "" \
  }

static const sn_msg_field descriptor_fields[] = {
    SN_MSG_FIELD(sn__parameter_descriptor, "name", name, ""),
    SN_MSG_FIELD(sn__parameter_descriptor, "type", type, ""),
    SN_MSG_FIELD(sn__parameter_descriptor, "description", description, ""),
    SN_MSG_FIELD(sn__parameter_descriptor, "additional_constraints", additional_constraints, ""),
    SN_MSG_FIELD(sn__parameter_descriptor, "read_only", read_only, ""),
    SN_MSG_FIELD(sn__parameter_descriptor, "dynamic_typing", dynamic_typing, ""),
    RANGE_FIELD(floating_point_range, double_range_type),
    RANGE_FIELD(integer_range, integer_range_type),
};
static const sn_msg_type descriptor_type = {
    SN_MSG_TYPE_NAMES(PACKAGE, "ParameterDescriptor"), .brief = "What a parameter is.",
    .size = sizeof(sn__parameter_descriptor), SN__FIELDS(descriptor_fields)};

static const sn_msg_field set_result_fields[] = {
    SN_MSG_FIELD(sn__set_result, "successful", successful, ""),
    SN_MSG_FIELD(sn__set_result, "reason", reason, ""),
};
static const sn_msg_type set_result_type = {
    SN_MSG_TYPE_NAMES(PACKAGE, "SetParametersResult"), .brief = "Whether a parameter was set.",
    .size = sizeof(sn__set_result), SN__FIELDS(set_result_fields)};

/* ---- services ---- */

static const sn_msg_field list_request_fields[] = {
    SN_MSG_FIELD(sn__list_request, "prefixes", prefixes, ""),
    SN_MSG_FIELD(sn__list_request, "depth", depth, ""),
};
const sn_msg_type sn__list_request_type = {SN__PART_NAMES(PACKAGE, "srv", "ListParameters_Request"),
                                           .brief = "", .size = sizeof(sn__list_request),
                                           SN__FIELDS(list_request_fields)};

static const sn_msg_field list_result_fields[] = {
    SN_MSG_FIELD(sn__list_result, "names", names, ""),
    SN_MSG_FIELD(sn__list_result, "prefixes", prefixes, ""),
};
static const sn_msg_type list_result_type = {
    SN_MSG_TYPE_NAMES(PACKAGE, "ListParametersResult"), .brief = "Names of parameters.",
    .size = sizeof(sn__list_result), SN__FIELDS(list_result_fields)};
static const sn_msg_field list_response_fields[] = {
    SN_MSG_FIELD_NESTED(sn__list_response, "result", result, &list_result_type, ""),
};
const sn_msg_type sn__list_response_type = {
    SN__PART_NAMES(PACKAGE, "srv", "ListParameters_Response"), .brief = "",
    .size = sizeof(sn__list_response), SN__FIELDS(list_response_fields)};

static const sn_msg_field names_fields[] = {SN_MSG_FIELD(sn__names_request, "names", names, "")};
#define NAMES_REQUEST(name)                                                               \
  {                                                                                       \
    SN__PART_NAMES(PACKAGE, "srv", name), .brief = "", .size = sizeof(sn__names_request), \
                                          SN__FIELDS(names_fields)                        \
  }
const sn_msg_type sn__get_request_type = NAMES_REQUEST("GetParameters_Request");
const sn_msg_type sn__types_request_type = NAMES_REQUEST("GetParameterTypes_Request");
const sn_msg_type sn__describe_request_type = NAMES_REQUEST("DescribeParameters_Request");

static const sn_msg_field get_fields[] = {
    SN_MSG_FIELD_NESTED_SEQ(sn__get_response, "values", values, &value_type, ""),
};
const sn_msg_type sn__get_response_type = {SN__PART_NAMES(PACKAGE, "srv", "GetParameters_Response"),
                                           .brief = "", .size = sizeof(sn__get_response),
                                           SN__FIELDS(get_fields)};

static const sn_msg_field types_fields[] = {SN_MSG_FIELD(sn__types_response, "types", types, "")};
const sn_msg_type sn__types_response_type = {
    SN__PART_NAMES(PACKAGE, "srv", "GetParameterTypes_Response"), .brief = "",
    .size = sizeof(sn__types_response), SN__FIELDS(types_fields)};

static const sn_msg_field describe_fields[] = {
    SN_MSG_FIELD_NESTED_SEQ(sn__describe_response, "descriptors", descriptors, &descriptor_type,
                            ""),
};
const sn_msg_type sn__describe_response_type = {
    SN__PART_NAMES(PACKAGE, "srv", "DescribeParameters_Response"), .brief = "",
    .size = sizeof(sn__describe_response), SN__FIELDS(describe_fields)};

static const sn_msg_field set_request_fields[] = {
    SN_MSG_FIELD_NESTED_SEQ(sn__set_request, "parameters", parameters, &parameter_type, ""),
};
const sn_msg_type sn__set_request_type = {SN__PART_NAMES(PACKAGE, "srv", "SetParameters_Request"),
                                          .brief = "", .size = sizeof(sn__set_request),
                                          SN__FIELDS(set_request_fields)};
const sn_msg_type sn__set_atomically_request_type = {
    SN__PART_NAMES(PACKAGE, "srv", "SetParametersAtomically_Request"), .brief = "",
    .size = sizeof(sn__set_request), SN__FIELDS(set_request_fields)};

static const sn_msg_field set_response_fields[] = {
    SN_MSG_FIELD_NESTED_SEQ(sn__set_response, "results", results, &set_result_type, ""),
};
const sn_msg_type sn__set_response_type = {SN__PART_NAMES(PACKAGE, "srv", "SetParameters_Response"),
                                           .brief = "", .size = sizeof(sn__set_response),
                                           SN__FIELDS(set_response_fields)};

static const sn_msg_field set_atomically_fields[] = {
    SN_MSG_FIELD_NESTED(sn__set_atomically_response, "result", result, &set_result_type, ""),
};
const sn_msg_type sn__set_atomically_response_type = {
    SN__PART_NAMES(PACKAGE, "srv", "SetParametersAtomically_Response"), .brief = "",
    .size = sizeof(sn__set_atomically_response), SN__FIELDS(set_atomically_fields)};
