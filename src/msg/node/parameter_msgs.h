/** @file
 *  Internal: parameters of nodes, `rcl_interfaces`. */
#ifndef SN_MSG_NODE_PARAMETER_MSGS_H
#define SN_MSG_NODE_PARAMETER_MSGS_H

#include <stdbool.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/msg.h"

SN_BEGIN_DECLS

/** Values of `type` (rcl_interfaces/ParameterType). */
typedef enum sn__parameter_kind {
  SN__PARAMETER_NOT_SET,
  SN__PARAMETER_BOOL,
  SN__PARAMETER_INTEGER,
  SN__PARAMETER_DOUBLE,
  SN__PARAMETER_STRING,
  SN__PARAMETER_BYTE_ARRAY,
  SN__PARAMETER_BOOL_ARRAY,
  SN__PARAMETER_INTEGER_ARRAY,
  SN__PARAMETER_DOUBLE_ARRAY,
  SN__PARAMETER_STRING_ARRAY,
  SN__PARAMETER_KINDS
} sn__parameter_kind;

/** rcl_interfaces/ParameterValue: one of the members is valid, by `type`. */
typedef struct sn__parameter_value {
  uint8_t type; /**< sn__parameter_kind */
  bool bool_value;
  int64_t integer_value;
  double double_value;
  sn_msg_text string_value;
  sn_seq_u8 byte_array_value;
  sn_seq_bool bool_array_value;
  sn_seq_i64 integer_array_value;
  sn_seq_f64 double_array_value;
  sn_msg_names string_array_value;
} sn__parameter_value;

/** rcl_interfaces/Parameter. */
typedef struct sn__parameter {
  sn_msg_text name;
  sn__parameter_value value;
} sn__parameter;

/** rcl_interfaces/FloatingPointRange and IntegerRange; a step of 0 means any. */
typedef struct sn__double_range {
  double from_value, to_value, step;
} sn__double_range;
typedef struct sn__integer_range {
  int64_t from_value, to_value;
  uint64_t step;
} sn__integer_range;

SN_SEQ_DEFINE(sn__seq_parameter_value, sn__parameter_value);
SN_SEQ_DEFINE(sn__seq_parameter, sn__parameter);
SN_SEQ_DEFINE(sn__seq_double_range, sn__double_range);
SN_SEQ_DEFINE(sn__seq_integer_range, sn__integer_range);

/** rcl_interfaces/ParameterDescriptor. */
typedef struct sn__parameter_descriptor {
  sn_msg_text name;
  uint8_t type;
  sn_msg_text description, additional_constraints;
  bool read_only, dynamic_typing;
  sn__seq_double_range floating_point_range; /**< at most one */
  sn__seq_integer_range integer_range;       /**< at most one */
} sn__parameter_descriptor;

/** rcl_interfaces/SetParametersResult. */
typedef struct sn__set_result {
  bool successful;
  sn_msg_text reason;
} sn__set_result;

SN_SEQ_DEFINE(sn__seq_parameter_descriptor, sn__parameter_descriptor);
SN_SEQ_DEFINE(sn__seq_set_result, sn__set_result);

/** rcl_interfaces/ParameterEvent. */
typedef struct sn__parameter_event {
  int64_t stamp_ns;
  sn_msg_text node;
  sn__seq_parameter new_parameters, changed_parameters, deleted_parameters;
} sn__parameter_event;

/** rcl_interfaces/ListParameters. */
typedef struct sn__list_request {
  sn_msg_names prefixes;
  uint64_t depth; /**< 0: all */
} sn__list_request;
typedef struct sn__list_result {
  sn_msg_names names, prefixes;
} sn__list_result;
typedef struct sn__list_response {
  sn__list_result result;
} sn__list_response;

/** The request of GetParameters, GetParameterTypes and DescribeParameters. */
typedef struct sn__names_request {
  sn_msg_names names;
} sn__names_request;
typedef struct sn__get_response {
  sn__seq_parameter_value values;
} sn__get_response;
typedef struct sn__types_response {
  sn_seq_u8 types;
} sn__types_response;
typedef struct sn__describe_response {
  sn__seq_parameter_descriptor descriptors;
} sn__describe_response;

/** The request of SetParameters and SetParametersAtomically. */
typedef struct sn__set_request {
  sn__seq_parameter parameters;
} sn__set_request;
typedef struct sn__set_response {
  sn__seq_set_result results;
} sn__set_response;
typedef struct sn__set_atomically_response {
  sn__set_result result;
} sn__set_atomically_response;

SN_API extern const sn_msg_type sn__parameter_event_type;
SN_API extern const sn_msg_type sn__list_request_type, sn__list_response_type;
SN_API extern const sn_msg_type sn__get_request_type, sn__get_response_type;
SN_API extern const sn_msg_type sn__types_request_type, sn__types_response_type;
SN_API extern const sn_msg_type sn__describe_request_type, sn__describe_response_type;
SN_API extern const sn_msg_type sn__set_request_type, sn__set_response_type;
SN_API extern const sn_msg_type sn__set_atomically_request_type, sn__set_atomically_response_type;

SN_END_DECLS

#endif
