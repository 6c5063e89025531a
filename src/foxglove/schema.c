#include "foxglove/schema.h"

/* ---- messages of ROS that no port has ---- */

static const sn_msg_field log_fields[] = {
    SN_MSG_FIELD_TIME(sn__fox_log_msg, "stamp", stamp_ns, SN_MSG_TIME),
    SN_MSG_FIELD(sn__fox_log_msg, "level", level, ""),
    SN_MSG_FIELD(sn__fox_log_msg, "name", name, ""),
    SN_MSG_FIELD(sn__fox_log_msg, "msg", msg, ""),
    SN_MSG_FIELD(sn__fox_log_msg, "file", file, ""),
    SN_MSG_FIELD(sn__fox_log_msg, "function", function, ""),
    SN_MSG_FIELD(sn__fox_log_msg, "line", line, ""),
};
static const sn_msg_constant log_constants[] = {{"DEBUG", SN_MSG_UINT8, 10},
                                                {"INFO", SN_MSG_UINT8, 20},
                                                {"WARN", SN_MSG_UINT8, 30},
                                                {"ERROR", SN_MSG_UINT8, 40},
                                                {"FATAL", SN_MSG_UINT8, 50}};
const sn_msg_type sn__fox_log_type = {
    SN_MSG_TYPE_NAMES("rcl_interfaces", "Log"),
    .brief = "A line of the log.",
    .size = sizeof(sn__fox_log_msg),
    .fields = log_fields,
    .field_count = sizeof log_fields / sizeof *log_fields,
    .constants = log_constants,
    .constant_count = sizeof log_constants / sizeof *log_constants};

static const sn_msg_field string_fields[] = {SN_MSG_FIELD(sn__fox_string_msg, "data", data, "")};
const sn_msg_type sn__fox_string_type = {SN_MSG_TYPE_NAMES("std_msgs", "String"),
                                         .brief = "A text.", .size = sizeof(sn__fox_string_msg),
                                         .fields = string_fields, .field_count = 1};

/* ---- JSON Schema ---- */

static void write_object(sn__buffer *reply, const char *name, const sn_msg_type *type);

static void write_type(sn__buffer *reply, const char *name, const char *type) {
  sn__json_open(reply, name, '{');
  sn__json_text(reply, "type", type);
  sn__json_close(reply, '}');
}

static void write_time(sn__buffer *reply, const char *name) {
  sn__json_open(reply, name, '{');
  sn__json_text(reply, "type", "object");
  sn__json_open(reply, "properties", '{');
  write_type(reply, "sec", "integer");
  write_type(reply, "nanosec", "integer");
  sn__json_close(reply, '}');
  sn__json_close(reply, '}');
}

/* One element; nested as deep as types are. */
static void write_element(sn__buffer *reply, const char *name, const sn_msg_field *field) {
  switch (field->kind) {
    case SN_MSG_BOOL:
      write_type(reply, name, "boolean");
      break;
    case SN_MSG_FLOAT32:
    case SN_MSG_FLOAT64:
      write_type(reply, name, "number");
      break;
    case SN_MSG_TEXT:
      write_type(reply, name, "string");
      break;
    case SN_MSG_TIME:
    case SN_MSG_DURATION:
      write_time(reply, name);
      break;
    case SN_MSG_NESTED:
      write_object(reply, name, field->nested);
      break;
    default:
      write_type(reply, name, "integer");
  }
}

static void write_field(sn__buffer *reply, const sn_msg_field *field) {
  if (field->shape == SN_MSG_SINGLE) {
    write_element(reply, field->name, field);
    return;
  }
  sn__json_open(reply, field->name, '{');
  sn__json_text(reply, "type", "array");
  write_element(reply, "items", field);
  sn__json_close(reply, '}');
}

static void write_object(sn__buffer *reply, const char *name, const sn_msg_type *type) {
  sn__json_open(reply, name, '{');
  sn__json_text(reply, "type", "object");
  sn__json_open(reply, "properties", '{');
  for (size_t i = 0; type != NULL && i < type->field_count; i++) {
    if ((type->fields[i].flags & SN_MSG_ROS1_ONLY) == 0) {
      write_field(reply, &type->fields[i]);
    }
  }
  sn__json_close(reply, '}');
  sn__json_close(reply, '}');
}

void sn__fox_write_schema(sn__buffer *reply, const sn_msg_type *type) {
  write_object(reply, NULL, type);
}

#define LIST_OF_OBJECTS "{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
#define TEXT "{\"type\":\"string\"}"
#define WHOLE "{\"type\":\"integer\"}"
#define TRUTH "{\"type\":\"boolean\"}"
#define OBJECT "{\"type\":\"object\"}"

const char sn__fox_components_schema[] =
    "{\"type\":\"object\",\"properties\":{\"components\":" LIST_OF_OBJECTS "\"name\":" TEXT
    ",\"type\":" TEXT ",\"state\":" TEXT ",\"trouble\":" TEXT ",\"activity\":" TEXT ",\"doc\":" TEXT
    ",\"properties\":{\"type\":\"array\",\"items\":" OBJECT
    "},\"ports\":{\"type\":\"array\",\"items\":" OBJECT
    "},\"operations\":{\"type\":\"array\",\"items\":" OBJECT "}}}}}}";

const char sn__fox_timing_schema[] =
    "{\"type\":\"object\",\"properties\":{\"now_ns\":" WHOLE ",\"activities\":" LIST_OF_OBJECTS
    "\"name\":" TEXT ",\"period_ns\":" WHOLE ",\"cycles\":" WHOLE ",\"overruns\":" WHOLE
    ",\"skipped\":" WHOLE ",\"overran\":" WHOLE ",\"lost\":" WHOLE ",\"late\":" TRUTH
    ",\"lateness\":" OBJECT ",\"duration\":" OBJECT "}}},\"components\":" LIST_OF_OBJECTS
    "\"name\":" TEXT ",\"type\":" TEXT ",\"state\":" TEXT ",\"steps\":" WHOLE ",\"troubles\":" WHOLE
    ",\"duration\":" OBJECT "}}},\"server\":" OBJECT "}}";
