/* Messages as text: JSON, and lines for terminals. Both print values in the same way, except
   times, numbers that are not finite, and blanks. */
#include "msg/msg_text.h"

#include <math.h>

#include "base/fail.h"
#include "base/json.h"
#include "base/number.h"
#include "base/sink.h"
#include "msg/scalar.h"
#include "msg/walk.h"
#include "msg/wire/msg_json_internal.h"
#include "sinew/msg.h"
#include "sinew/msg_wire.h"

typedef struct writer {
  sn__sink sink;
  bool for_people;
  bool is_ros1; /* JSON with the names that genpy gives to times, and `seq` of headers */
} writer;

static void put_number(writer *w, sn_msg_kind kind, const void *at) {
  float single = 0.0f;
  double value = 0.0;
  if (kind == SN_MSG_FLOAT32) {
    memcpy(&single, at, sizeof single);
    value = (double)single;
  } else {
    memcpy(&value, at, sizeof value);
  }
  if (!isfinite(value) && !w->for_people) {
    sn__sink_text(&w->sink, "null");
  } else if (kind == SN_MSG_FLOAT32 && value != 0.0) {
    char text[SN__NUMBER_SIZE];
    sn__sink_put(&w->sink, text, sn__number_format_single(single, text));
  } else {
    sn__sink_number(&w->sink, value);
  }
}

static void put_time(writer *w, const void *at) {
  int64_t time_ns = 0;
  memcpy(&time_ns, at, sizeof time_ns);
  const sn__wire_time time = sn__wire_time_split(time_ns);
  if (!w->for_people) {
    sn__sink_text(&w->sink, w->is_ros1 ? "{\"secs\":" : "{\"sec\":");
    sn__sink_signed(&w->sink, time.sec);
    sn__sink_text(&w->sink, w->is_ros1 ? ",\"nsecs\":" : ",\"nanosec\":");
    sn__sink_unsigned(&w->sink, time.nanosec);
    sn__sink_text(&w->sink, "}");
    return;
  }
  sn__sink_seconds(&w->sink, time_ns);
}

static void put_integer(writer *w, sn_msg_kind kind, const void *at) {
  const uint64_t bits = sn__scalar_load(kind, at);
  if (kind == SN_MSG_UINT64) {
    sn__sink_unsigned(&w->sink, bits);
  } else {
    sn__sink_signed(&w->sink, (int64_t)bits);
  }
}

static void put_struct(writer *w, const sn_msg_type *type, const char *msg);

static void put_element(writer *w, const sn_msg_field *field, const char *at) {
  switch (field->kind) {
    case SN_MSG_BOOL:
      sn__sink_text(&w->sink, sn__scalar_load(field->kind, at) != 0 ? "true" : "false");
      break;
    case SN_MSG_FLOAT32:
    case SN_MSG_FLOAT64:
      put_number(w, field->kind, at);
      break;
    case SN_MSG_TIME:
    case SN_MSG_DURATION:
      put_time(w, at);
      break;
    case SN_MSG_TEXT:
      sn__sink_quoted(&w->sink, sn__seq_load(at).data);
      break;
    case SN_MSG_NESTED:
      put_struct(w, field->nested, at);
      break;
    default:
      put_integer(w, field->kind, at);
  }
}

static void put_field(writer *w, const sn_msg_field *field, const char *msg) {
  const char *comma = w->for_people ? ", " : ",";
  if (field->shape == SN_MSG_SINGLE) {
    put_element(w, field, msg + field->offset);
    return;
  }
  sn__sink_text(&w->sink, "[");
  if (field->kind == SN_MSG_TEXT) {
    const sn_msg_names *list = sn__names_in(msg + field->offset);
    for (size_t i = 0; i < list->count; i++) {
      sn__sink_text(&w->sink, i == 0 ? "" : comma);
      sn__sink_quoted(&w->sink, sn_msg_names_at(list, i));
    }
  } else {
    const sn__seq seq = sn__field_elements(field, msg);
    for (size_t i = 0; i < seq.count; i++) {
      sn__sink_text(&w->sink, i == 0 ? "" : comma);
      put_element(w, field, (const char *)seq.data + i * field->size);
    }
  }
  sn__sink_text(&w->sink, "]");
}

static void put_struct(writer *w, const sn_msg_type *type, const char *msg) {
  const char *separator = "";
  sn__sink_text(&w->sink, "{");
  for (size_t i = 0; i < type->field_count; i++) {
    const sn_msg_field *field = &type->fields[i];
    if (!sn__field_is_stored(field) && !w->is_ros1) {
      continue;
    }
    sn__sink_text(&w->sink, separator);
    sn__sink_text(&w->sink, w->for_people ? "" : "\"");
    sn__sink_text(&w->sink, field->name);
    sn__sink_text(&w->sink, w->for_people ? ": " : "\":");
    if (sn__field_is_stored(field)) {
      put_field(w, field, msg);
    } else {
      sn__sink_text(&w->sink, "0");
    }
    separator = w->for_people ? ", " : ",";
  }
  sn__sink_text(&w->sink, "}");
}

size_t sn_msg_to_json(const sn_msg_type *type, const void *msg, char *out, size_t size) {
  writer w = {.sink = {.out = out, .size = size}};
  put_struct(&w, type, msg);
  return sn__sink_end(&w.sink);
}

size_t sn__msg_to_json_ros1(const sn_msg_type *type, const void *msg, char *out, size_t size) {
  writer w = {.sink = {.out = out, .size = size}, .is_ros1 = true};
  put_struct(&w, type, msg);
  return sn__sink_end(&w.sink);
}

size_t sn__msg_print(const sn_msg_type *type, const void *msg, char *out, size_t size) {
  writer w = {.sink = {.out = out, .size = size}, .for_people = true};
  for (size_t i = 0; i < type->field_count; i++) {
    const sn_msg_field *field = &type->fields[i];
    if (sn__field_is_stored(field)) {
      sn__sink_text(&w.sink, field->name);
      sn__sink_text(&w.sink, ": ");
      put_field(&w, field, msg);
      sn__sink_text(&w.sink, "\n");
    }
  }
  return sn__sink_end(&w.sink);
}

void sn__msg_append_json(sn__buffer *out, const char *member, const sn_msg_type *type,
                         const void *msg) {
  sn__json_raw(out, member, "", 0);
  size_t room_size = 512; /* most messages fit */
  char *room = sn__buffer_reserve(out, room_size);
  while (room != NULL) {
    const size_t length = sn_msg_to_json(type, msg, room, room_size);
    if (length < room_size) {
      out->used += length;
      return;
    }
    room_size = length + 1; /* with the NUL */
    room = sn__buffer_reserve(out, room_size);
  }
}

#if !SINEW_JSON
sn_status sn_msg_from_json(const sn_msg_type *type, const char *text, size_t size, void *msg,
                           sn_error *err) {
  (void)type, (void)text, (void)size, (void)msg;
  return sn__fail(err, SN_EUNSUPPORTED, "built without JSON");
}

sn_status sn__msg_from_json_tree(const sn_msg_type *type, struct json_t *root, void *msg,
                                 sn_error *err) {
  (void)type, (void)root, (void)msg;
  return sn__fail(err, SN_EUNSUPPORTED, "built without JSON");
}

sn_status sn__msg_make_from_json_tree(const sn_msg_type *type, struct json_t *root,
                                      const char *file, sn_arena *arena, sn_report *warnings,
                                      void **out, sn_error *err) {
  (void)type, (void)root, (void)arena, (void)warnings, (void)out;
  return sn__fail(err, SN_EUNSUPPORTED, "%s: built without JSON", file);
}
#endif
