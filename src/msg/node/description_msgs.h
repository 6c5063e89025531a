/** @file
 *  Internal: descriptions of types, `type_description_interfaces`. */
#ifndef SN_MSG_NODE_DESCRIPTION_MSGS_H
#define SN_MSG_NODE_DESCRIPTION_MSGS_H

#include <stdbool.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/msg.h"

SN_BEGIN_DECLS

/** type_description_interfaces/FieldType. */
typedef struct sn__field_type {
  uint8_t type_id;
  uint64_t capacity, string_capacity;
  sn_msg_text nested_type_name;
} sn__field_type;

/** type_description_interfaces/Field. */
typedef struct sn__type_field {
  sn_msg_text name;
  sn__field_type type;
  sn_msg_text default_value;
} sn__type_field;

SN_SEQ_DEFINE(sn__seq_type_field, sn__type_field);

/** type_description_interfaces/IndividualTypeDescription. */
typedef struct sn__one_description {
  sn_msg_text type_name;
  sn__seq_type_field fields;
} sn__one_description;

SN_SEQ_DEFINE(sn__seq_one_description, sn__one_description);

/** type_description_interfaces/TypeDescription: a type and all that it refers to. */
typedef struct sn__type_description {
  sn__one_description type_description;
  sn__seq_one_description referenced_type_descriptions;
} sn__type_description;

/** type_description_interfaces/TypeSource: the text of a definition. */
typedef struct sn__type_source {
  sn_msg_text type_name, encoding, raw_file_contents;
} sn__type_source;

/** type_description_interfaces/KeyValue. */
typedef struct sn__type_remark {
  sn_msg_text key, value;
} sn__type_remark;

SN_SEQ_DEFINE(sn__seq_type_source, sn__type_source);
SN_SEQ_DEFINE(sn__seq_type_remark, sn__type_remark);

/** type_description_interfaces/GetTypeDescription. */
typedef struct sn__description_request {
  sn_msg_text type_name, type_hash;
  bool include_type_sources;
} sn__description_request;
typedef struct sn__description_response {
  bool successful;
  sn_msg_text failure_reason;
  sn__type_description type_description;
  sn__seq_type_source type_sources;
  sn__seq_type_remark extra_information;
} sn__description_response;

SN_API extern const sn_msg_type sn__description_request_type, sn__description_response_type;

SN_END_DECLS

#endif
