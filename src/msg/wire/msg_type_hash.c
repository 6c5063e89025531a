/* The description of a type in ROS 2 (type_description_interfaces) and its hash: every key in a
   fixed order, one blank after `,` and `:`, no default values, types by name. */
#include <stdlib.h>
#include <string.h>

#include "msg/walk.h"
#include "msg/wire/digest.h"
#include "msg/wire/msg_schema.h"
#include "msg/wire/schema.h"
#include "sinew/fault.h"

/* Numbers of type_description_interfaces/msg/FieldType. */
enum {
  NESTED_ID = 1,
  UINT8_ID = 3,
  BYTE_ID = 16,
  TEXT_ID = 17,
  BOUNDED_TEXT_ID = 21,
  ARRAY_ID = 48,
  BOUNDED_SEQUENCE_ID = 96,
  SEQUENCE_ID = 144
};

static unsigned id_of(sn_msg_kind kind) {
  static const uint8_t ids[] = {[SN_MSG_BOOL] = 15,
                                [SN_MSG_INT8] = 2,
                                [SN_MSG_UINT8] = UINT8_ID,
                                [SN_MSG_INT16] = 4,
                                [SN_MSG_UINT16] = 5,
                                [SN_MSG_INT32] = 6,
                                [SN_MSG_UINT32] = 7,
                                [SN_MSG_INT64] = 8,
                                [SN_MSG_UINT64] = 9,
                                [SN_MSG_FLOAT32] = 10,
                                [SN_MSG_FLOAT64] = 11,
                                [SN_MSG_TIME] = NESTED_ID,
                                [SN_MSG_DURATION] = NESTED_ID,
                                [SN_MSG_TEXT] = TEXT_ID,
                                [SN_MSG_NESTED] = NESTED_ID};
  return ids[kind];
}

static unsigned shape_of(const sn_msg_field *field) {
  switch (field->shape) {
    case SN_MSG_SINGLE:
      break;
    case SN_MSG_ARRAY:
      return ARRAY_ID;
    case SN_MSG_SEQUENCE:
      return field->count > 0 ? BOUNDED_SEQUENCE_ID : SEQUENCE_ID;
  }
  return 0;
}

sn__field_description sn__describe_field(const sn_msg_field *field) {
  if (field == NULL) {
    return (sn__field_description){.type_id = UINT8_ID, .nested = ""};
  }
  const bool is_nested = sn__kind_word(field->kind, false) == NULL;
  const bool is_bounded_text =
      field->kind == SN_MSG_TEXT && field->shape == SN_MSG_SINGLE && field->count > 0;
  const unsigned id = (field->flags & SN_MSG_BYTE) != 0 ? BYTE_ID
                      : is_bounded_text                 ? BOUNDED_TEXT_ID
                                                        : id_of(field->kind);
  return (sn__field_description){.type_id = (uint8_t)(id + shape_of(field)),
                                 .capacity = field->shape == SN_MSG_SINGLE ? 0 : field->count,
                                 .string_capacity = is_bounded_text ? field->count : 0,
                                 .nested = is_nested ? sn__nested_type(field)->ros2_name : ""};
}

static void put_field(sn__sink *sink, const char *name, const sn__field_description *d) {
  sn__sink_text(sink, "{\"name\": \"");
  sn__sink_text(sink, name);
  sn__sink_text(sink, "\", \"type\": {\"type_id\": ");
  sn__sink_unsigned(sink, d->type_id);
  sn__sink_text(sink, ", \"capacity\": ");
  sn__sink_unsigned(sink, d->capacity);
  sn__sink_text(sink, ", \"string_capacity\": ");
  sn__sink_unsigned(sink, d->string_capacity);
  sn__sink_text(sink, ", \"nested_type_name\": \"");
  sn__sink_text(sink, d->nested);
  sn__sink_text(sink, "\"}}");
}

static void put_type(sn__sink *sink, const sn_msg_type *type, const char *name) {
  sn__sink_text(sink, "{\"type_name\": \"");
  sn__sink_text(sink, name);
  sn__sink_text(sink, "\", \"fields\": [");
  const char *separator = "";
  for (size_t i = 0; type != NULL && i < type->field_count; i++) {
    const sn_msg_field *field = &type->fields[i];
    if (!sn__field_is_stored(field)) {
      continue;
    }
    const sn__field_description d = sn__describe_field(field);
    sn__sink_text(sink, separator);
    put_field(sink, field->name, &d);
    separator = ", ";
  }
  if (*separator == '\0') {
    const sn__field_description d = sn__describe_field(NULL);
    put_field(sink, SN__DUMMY_FIELD, &d);
  }
  sn__sink_text(sink, "]}");
}

static int compare(const void *a, const void *b) {
  const sn_msg_type *const *first = a;
  const sn_msg_type *const *second = b;
  return strcmp((*first)->ros2_name, (*second)->ros2_name);
}

size_t sn__msg_description_ros2(const sn_msg_type *type, const char *name, char *out, size_t size) {
  sn__sink sink = {.out = out, .size = size};
  sn__needed list = {.count = 0};
  SN_ASSERT(type != NULL || name != NULL);
  if (type != NULL) {
    sn__needed_add(&list, type, false);
  }
  for (size_t i = 0; i < list.count; i++) {
    sn__needed_add(&list, list.types[i], false); /* may extend the list */
  }
  qsort(list.types, list.count, sizeof *list.types, compare);
  sn__sink_text(&sink, "{\"type_description\": ");
  put_type(&sink, type, name != NULL || type == NULL ? name : type->ros2_name);
  sn__sink_text(&sink, ", \"referenced_type_descriptions\": [");
  for (size_t i = 0; i < list.count; i++) {
    sn__sink_text(&sink, i == 0 ? "" : ", ");
    put_type(&sink, list.types[i], list.types[i]->ros2_name);
  }
  sn__sink_text(&sink, "]}");
  return sn__sink_end(&sink);
}

sn_status sn__msg_type_hash_ros2(const sn_msg_type *type, const char *name,
                                 char out[SN_MSG_TYPE_HASH_SIZE]) {
  static const char version[] = "RIHS01_";
  const size_t size = sn__msg_description_ros2(type, name, NULL, 0);
  char *text = malloc(size + 1);
  out[0] = '\0';
  if (text == NULL) {
    return SN_ENOMEM;
  }
  sn__msg_description_ros2(type, name, text, size + 1);
  sn__digest sha;
  sn__digest_init(&sha, &sn__sha256);
  sn__digest_add(&sha, text, size);
  memcpy(out, version, sizeof version);
  sn__digest_end(&sha, out + sizeof version - 1);
  free(text);
  return SN_OK;
}
