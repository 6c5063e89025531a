#include "msg/node/description_msgs.h"

#include "msg/table.h"

#define PACKAGE "type_description_interfaces"
#define NAME_MAX_SIZE 255

/* The name of a type, which DDS limits. */
#define TYPE_NAME_FIELD(struct_, member)                                       \
  {                                                                            \
    .name = #member, .kind = SN_MSG_TEXT, .offset = offsetof(struct_, member), \
    .size = sizeof(sn_msg_text), .count = NAME_MAX_SIZE, .unit = ""            \
  }

static const sn_msg_field field_type_fields[] = {
    SN_MSG_FIELD(sn__field_type, "type_id", type_id, ""),
    SN_MSG_FIELD(sn__field_type, "capacity", capacity, ""),
    SN_MSG_FIELD(sn__field_type, "string_capacity", string_capacity, ""),
    TYPE_NAME_FIELD(sn__field_type, nested_type_name),
};
static const sn_msg_type field_type_type = {
    SN_MSG_TYPE_NAMES(PACKAGE, "FieldType"), .brief = "The type of a field.",
    .size = sizeof(sn__field_type), SN__FIELDS(field_type_fields)};

static const sn_msg_field field_fields[] = {
    SN_MSG_FIELD(sn__type_field, "name", name, ""),
    SN_MSG_FIELD_NESTED(sn__type_field, "type", type, &field_type_type, ""),
    SN_MSG_FIELD(sn__type_field, "default_value", default_value, ""),
};
static const sn_msg_type field_type = {SN_MSG_TYPE_NAMES(PACKAGE, "Field"),
                                       .brief = "A field of a type.",
                                       .size = sizeof(sn__type_field), SN__FIELDS(field_fields)};

static const sn_msg_field one_fields[] = {
    TYPE_NAME_FIELD(sn__one_description, type_name),
    SN_MSG_FIELD_NESTED_SEQ(sn__one_description, "fields", fields, &field_type, ""),
};
static const sn_msg_type one_type = {SN_MSG_TYPE_NAMES(PACKAGE, "IndividualTypeDescription"),
                                     .brief = "One type.", .size = sizeof(sn__one_description),
                                     SN__FIELDS(one_fields)};

static const sn_msg_field description_fields[] = {
    SN_MSG_FIELD_NESTED(sn__type_description, "type_description", type_description, &one_type, ""),
    SN_MSG_FIELD_NESTED_SEQ(sn__type_description, "referenced_type_descriptions",
                            referenced_type_descriptions, &one_type, ""),
};
static const sn_msg_type description_type = {
    SN_MSG_TYPE_NAMES(PACKAGE, "TypeDescription"), .brief = "A type and those that it refers to.",
    .size = sizeof(sn__type_description), SN__FIELDS(description_fields)};

static const sn_msg_field source_fields[] = {
    SN_MSG_FIELD(sn__type_source, "type_name", type_name, ""),
    SN_MSG_FIELD(sn__type_source, "encoding", encoding, ""),
    SN_MSG_FIELD(sn__type_source, "raw_file_contents", raw_file_contents, ""),
};
static const sn_msg_type source_type = {SN_MSG_TYPE_NAMES(PACKAGE, "TypeSource"),
                                        .brief = "The text of a definition.",
                                        .size = sizeof(sn__type_source), SN__FIELDS(source_fields)};

static const sn_msg_field remark_fields[] = {
    SN_MSG_FIELD(sn__type_remark, "key", key, ""),
    SN_MSG_FIELD(sn__type_remark, "value", value, ""),
};
static const sn_msg_type remark_type = {SN_MSG_TYPE_NAMES(PACKAGE, "KeyValue"),
                                        .brief = "A named value.", .size = sizeof(sn__type_remark),
                                        SN__FIELDS(remark_fields)};

static const sn_msg_field request_fields[] = {
    SN_MSG_FIELD(sn__description_request, "type_name", type_name, ""),
    SN_MSG_FIELD(sn__description_request, "type_hash", type_hash, ""),
    SN_MSG_FIELD(sn__description_request, "include_type_sources", include_type_sources, ""),
};
const sn_msg_type sn__description_request_type = {
    SN__PART_NAMES(PACKAGE, "srv", "GetTypeDescription_Request"), .brief = "",
    .size = sizeof(sn__description_request), SN__FIELDS(request_fields)};

static const sn_msg_field response_fields[] = {
    SN_MSG_FIELD(sn__description_response, "successful", successful, ""),
    SN_MSG_FIELD(sn__description_response, "failure_reason", failure_reason, ""),
    SN_MSG_FIELD_NESTED(sn__description_response, "type_description", type_description,
                        &description_type, ""),
    SN_MSG_FIELD_NESTED_SEQ(sn__description_response, "type_sources", type_sources, &source_type,
                            ""),
    SN_MSG_FIELD_NESTED_SEQ(sn__description_response, "extra_information", extra_information,
                            &remark_type, ""),
};
const sn_msg_type sn__description_response_type = {
    SN__PART_NAMES(PACKAGE, "srv", "GetTypeDescription_Response"), .brief = "",
    .size = sizeof(sn__description_response), SN__FIELDS(response_fields)};
