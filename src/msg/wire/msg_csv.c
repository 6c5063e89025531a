#include "msg/wire/msg_csv.h"

#include "base/number.h"
#include "base/sink.h"
#include "base/text.h"
#include "msg/scalar.h"
#include "msg/walk.h"
#include "sinew/msg_types.h"

#define PATH_MAX_SIZE 256

/* One pass over the fields prints a row, or without a message the names of the columns. */
typedef struct row_writer {
  sn__sink sink;
  bool has_cell; /* a comma precedes the next one */
  bool is_names;
  bool is_joints;
  bool in_sequence; /* within an element, whose sequences have no rows */
  size_t row;
  char path[PATH_MAX_SIZE]; /* of the field, for the names */
} row_writer;

/* ---- cells ---- */

static bool is_plain(const char *text) {
  return strpbrk(text, ",\"") == NULL && text[0] != ' ' && !sn__text_has_control(text);
}

static void put_text(sn__sink *sink, const char *text) {
  static const char hex[] = "0123456789abcdef";
  if (is_plain(text)) {
    sn__sink_text(sink, text);
    return;
  }
  sn__sink_text(sink, "\"");
  for (const char *at = text; *at != '\0';) {
    const size_t length = sn__text_utf8_length(at);
    const unsigned char byte = (unsigned char)*at;
    const bool is_control =
        length == 0 || byte < 0x20 || byte == 0x7f || (byte == 0xc2 && (unsigned char)at[1] < 0xa0);
    const size_t used = is_control ? 1 : length;
    if (is_control) {
      const char escaped[4] = {'\\', 'x', hex[byte >> 4], hex[byte & 15]};
      sn__sink_put(sink, escaped, 4);
    } else {
      sn__sink_put(sink, at, used);
      sn__sink_text(sink, byte == '"' ? "\"" : "");
    }
    at += used;
  }
  sn__sink_text(sink, "\"");
}

static void put_scalar(sn__sink *sink, sn_msg_kind kind, const void *at) {
  int64_t time_ns = 0;
  double value = 0.0;
  float single = 0.0f;
  char text[SN__NUMBER_SIZE];
  switch (kind) {
    case SN_MSG_TIME:
    case SN_MSG_DURATION:
      memcpy(&time_ns, at, sizeof time_ns);
      sn__sink_seconds(sink, time_ns);
      break;
    case SN_MSG_FLOAT64:
      memcpy(&value, at, sizeof value);
      sn__sink_number(sink, value);
      break;
    case SN_MSG_FLOAT32:
      memcpy(&single, at, sizeof single);
      sn__sink_put(sink, text, sn__number_format_single(single, text));
      break;
    case SN_MSG_UINT64:
      sn__sink_unsigned(sink, sn__scalar_load(kind, at));
      break;
    default:
      sn__sink_signed(sink, (int64_t)sn__scalar_load(kind, at));
      break;
  }
}

static void begin_cell(row_writer *w) {
  sn__sink_text(&w->sink, w->has_cell ? "," : "");
  w->has_cell = true;
  if (w->is_names) {
    sn__sink_text(&w->sink, w->path);
  }
}

/* ---- fields ---- */

static void put_struct(row_writer *w, const sn_msg_type *type, const char *msg, size_t depth);

/* @param at  the element; NULL: an empty cell, or a name */
static void put_element(row_writer *w, const sn_msg_field *field, const char *at, size_t depth) {
  if (field->kind == SN_MSG_NESTED) {
    put_struct(w, field->nested, at, depth + 1);
    return;
  }
  begin_cell(w);
  if (at == NULL || w->is_names) {
    return;
  }
  if (field->kind == SN_MSG_TEXT) {
    put_text(&w->sink, sn__seq_load(at).data);
  } else {
    put_scalar(&w->sink, field->kind, at);
  }
}

/* The element of the row, if the sequence is long enough. */
static void put_sequence(row_writer *w, const sn_msg_field *field, const char *at, size_t depth) {
  if (field->kind == SN_MSG_TEXT) {
    begin_cell(w);
    if (at != NULL && w->row < sn__names_in(at)->count) {
      put_text(&w->sink, sn_msg_names_at(sn__names_in(at), w->row));
    }
    return;
  }
  const char *element = NULL;
  if (at != NULL && w->row < sn__seq_load(at).count) {
    element = (const char *)sn__seq_load(at).data + w->row * field->size;
  }
  w->in_sequence = true;
  put_element(w, field, element, depth);
  w->in_sequence = false;
}

static void put_array(row_writer *w, const sn_msg_field *field, const char *at, size_t depth) {
  const size_t length = strlen(w->path);
  for (size_t i = 0; i < field->count; i++) {
    sn__sink name = {w->path, sizeof w->path, length};
    sn__sink_text(&name, "[");
    sn__sink_unsigned(&name, i);
    sn__sink_text(&name, "]");
    sn__sink_end(&name);
    put_element(w, field, at == NULL ? NULL : at + i * field->size, depth);
  }
  w->path[length] = '\0';
}

/* The time has its own column, the first. Joint states have no column for the frame. */
static bool is_left_out(const row_writer *w, const sn_msg_type *type, const sn_msg_field *field,
                        size_t depth) {
  const bool is_stamp = field->kind == SN_MSG_TIME && field == sn__first_field(type) &&
                        (depth == 0 || (depth == 1 && type == &sn_header_type));
  return !sn__field_is_stored(field) || is_stamp ||
         (w->is_joints && field->nested == &sn_header_type) ||
         (w->in_sequence && field->shape == SN_MSG_SEQUENCE);
}

static void put_field(row_writer *w, const sn_msg_field *field, const char *msg, size_t depth) {
  const char *at = msg == NULL ? NULL : msg + field->offset;
  const size_t length = strlen(w->path);
  const bool is_header = depth == 0 && field->nested == &sn_header_type;
  if (!is_header) {
    const bool is_joint = w->is_joints && strcmp(field->name, "name") == 0;
    sn__sink name = {w->path, sizeof w->path, length};
    sn__sink_text(&name, length > 0 ? "." : "");
    sn__sink_text(&name, is_joint ? "joint" : field->name);
    sn__sink_end(&name);
  }
  if (field->shape == SN_MSG_SEQUENCE) {
    put_sequence(w, field, at, depth);
  } else if (field->shape == SN_MSG_ARRAY) {
    put_array(w, field, at, depth);
  } else {
    put_element(w, field, at, depth);
  }
  w->path[length] = '\0';
}

static void put_struct(row_writer *w, const sn_msg_type *type, const char *msg, size_t depth) {
  for (size_t i = 0; i < type->field_count; i++) {
    if (!is_left_out(w, type, &type->fields[i], depth)) {
      put_field(w, &type->fields[i], msg, depth);
    }
  }
}

static bool is_joint_state(const sn_msg_type *type) {
  return type == &sn_joint_state_type || type == &sn_joint_state_accel_type;
}

size_t sn__msg_csv_names(const sn_msg_type *type, char *out, size_t size) {
  row_writer w = {.sink = {out, size, 0}, .is_names = true, .is_joints = is_joint_state(type)};
  put_struct(&w, type, NULL, 0);
  return sn__sink_end(&w.sink);
}

size_t sn__msg_csv_row(const sn_msg_type *type, const void *msg, size_t row, char *out,
                       size_t size) {
  row_writer w = {.sink = {out, size, 0}, .row = row, .is_joints = is_joint_state(type)};
  put_struct(&w, type, msg, 0);
  return sn__sink_end(&w.sink);
}

static size_t longest(const sn_msg_type *type, const char *msg, size_t count) {
  for (size_t i = 0; i < type->field_count; i++) {
    const sn_msg_field *field = &type->fields[i];
    if (!sn__field_is_stored(field)) {
      continue;
    }
    const char *at = msg + field->offset;
    if (field->shape == SN_MSG_SEQUENCE) {
      const size_t here =
          field->kind == SN_MSG_TEXT ? sn__names_in(at)->count : sn__seq_load(at).count;
      count = here > count ? here : count;
    } else if (field->kind == SN_MSG_NESTED && !field->nested->is_flat) {
      for (size_t k = 0; k < sn__field_count(field); k++) {
        count = longest(field->nested, at + k * field->size, count);
      }
    }
  }
  return count;
}

size_t sn__msg_csv_row_count(const sn_msg_type *type, const void *msg) {
  return longest(type, msg, 1);
}

size_t sn__msg_csv_text(const char *text, char *out, size_t size) {
  sn__sink sink = {out, size, 0};
  put_text(&sink, text);
  return sn__sink_end(&sink);
}

size_t sn__msg_csv_time(int64_t time_ns, char *out, size_t size) {
  sn__sink sink = {out, size, 0};
  sn__sink_seconds(&sink, time_ns);
  return sn__sink_end(&sink);
}
