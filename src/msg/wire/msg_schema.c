#include "msg/wire/msg_schema.h"

#include "msg/walk.h"
#include "msg/wire/schema.h"
#include "sinew/fault.h"

/* In ROS 2 times are nested messages; in our structs they are one number. */
static const sn_msg_field time_fields[] = {
    {.name = "sec", .kind = SN_MSG_INT32},
    {.name = "nanosec", .kind = SN_MSG_UINT32},
};
static const sn_msg_type time_type = {SN_MSG_TYPE_NAMES("builtin_interfaces", "Time"),
                                      .fields = time_fields, .field_count = 2};
static const sn_msg_type duration_type = {SN_MSG_TYPE_NAMES("builtin_interfaces", "Duration"),
                                          .fields = time_fields, .field_count = 2};

const char *sn__kind_word(sn_msg_kind kind, bool is_ros1) {
  static const char *const words[] = {
      [SN_MSG_BOOL] = "bool",         [SN_MSG_INT8] = "int8",       [SN_MSG_UINT8] = "uint8",
      [SN_MSG_INT16] = "int16",       [SN_MSG_UINT16] = "uint16",   [SN_MSG_INT32] = "int32",
      [SN_MSG_UINT32] = "uint32",     [SN_MSG_INT64] = "int64",     [SN_MSG_UINT64] = "uint64",
      [SN_MSG_FLOAT32] = "float32",   [SN_MSG_FLOAT64] = "float64", [SN_MSG_TIME] = "time",
      [SN_MSG_DURATION] = "duration", [SN_MSG_TEXT] = "string",     [SN_MSG_NESTED] = NULL};
  const bool is_time = kind == SN_MSG_TIME || kind == SN_MSG_DURATION;
  return is_time && !is_ros1 ? NULL : words[kind];
}

const char *sn__field_word(const sn_msg_field *field, bool is_ros1) {
  return (field->flags & SN_MSG_BYTE) != 0 ? "byte" : sn__kind_word(field->kind, is_ros1);
}

void sn__put_shape(sn__sink *sink, const sn_msg_field *field) {
  if (field->shape != SN_MSG_SINGLE) {
    sn__sink_text(sink, field->shape == SN_MSG_SEQUENCE && field->count > 0 ? "[<=" : "[");
    if (field->count > 0) {
      sn__sink_unsigned(sink, field->count);
    }
    sn__sink_text(sink, "]");
  }
}

const sn_msg_type *sn__nested_type(const sn_msg_field *field) {
  return field->kind == SN_MSG_TIME       ? &time_type
         : field->kind == SN_MSG_DURATION ? &duration_type
                                          : field->nested;
}

static void put_field_type(sn__sink *sink, const sn_msg_field *field, bool is_ros1) {
  const char *word = sn__field_word(field, is_ros1);
  sn__sink_text(sink, word != NULL ? word : sn__nested_type(field)->ros1_name);
  if (field->kind == SN_MSG_TEXT && field->shape == SN_MSG_SINGLE && field->count > 0) {
    sn__sink_text(sink, "<=");
    sn__sink_unsigned(sink, field->count);
  }
}

static void put_fields(sn__sink *sink, const sn_msg_type *type, bool is_ros1) {
  for (size_t i = 0; i < type->constant_count; i++) {
    sn__sink_text(sink, sn__kind_word(type->constants[i].kind, is_ros1));
    sn__sink_text(sink, " ");
    sn__sink_text(sink, type->constants[i].name);
    sn__sink_text(sink, "=");
    sn__sink_signed(sink, type->constants[i].value);
    sn__sink_text(sink, "\n");
  }
  for (size_t i = 0; i < type->field_count; i++) {
    const sn_msg_field *field = &type->fields[i];
    if (!is_ros1 && !sn__field_is_stored(field)) {
      continue;
    }
    put_field_type(sink, field, is_ros1);
    sn__put_shape(sink, field);
    sn__sink_text(sink, " ");
    sn__sink_text(sink, field->name);
    sn__sink_text(sink, "\n");
  }
}

void sn__needed_add(sn__needed *list, const sn_msg_type *type, bool is_ros1) {
  for (size_t i = 0; i < type->field_count; i++) {
    if (sn__kind_word(type->fields[i].kind, is_ros1) != NULL) {
      continue;
    }
    const sn_msg_type *nested = sn__nested_type(&type->fields[i]);
    bool is_known = false;
    for (size_t k = 0; k < list->count; k++) {
      is_known = is_known || list->types[k] == nested;
    }
    if (!is_known) {
      SN_ASSERT(list->count < SN__NEEDED_MAX);
      list->types[list->count++] = nested;
    }
  }
}

static size_t put_schema(const sn_msg_type *type, bool is_ros1, char *out, size_t size) {
  static const char line[] =
      "================================================================================\n";
  sn__sink sink = {.out = out, .size = size};
  sn__needed list = {.count = 0};
  put_fields(&sink, type, is_ros1);
  sn__needed_add(&list, type, is_ros1);
  for (size_t i = 0; i < list.count; i++) {
    sn__sink_text(&sink, line);
    sn__sink_text(&sink, "MSG: ");
    sn__sink_text(&sink, list.types[i]->ros1_name);
    sn__sink_text(&sink, "\n");
    put_fields(&sink, list.types[i], is_ros1);
    sn__needed_add(&list, list.types[i], is_ros1); /* may extend the list */
  }
  return sn__sink_end(&sink);
}

size_t sn__msg_schema_ros2(const sn_msg_type *type, char *out, size_t size) {
  return put_schema(type, false, out, size);
}

size_t sn__msg_schema_ros1(const sn_msg_type *type, char *out, size_t size) {
  return put_schema(type, true, out, size);
}
