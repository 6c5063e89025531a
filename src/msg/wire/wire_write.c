#include "msg/scalar.h"
#include "msg/walk.h"
#include "msg/wire/wire.h"

typedef struct writer {
  sn__wire wire;
  uint8_t *out;
  size_t size;
  size_t used; /* bytes written, including those beyond the end */
  sn_status status;
} writer;

static void put_bytes(writer *w, const void *bytes, size_t count) {
  if (count > 0 && w->used <= w->size && count <= w->size - w->used) {
    memcpy(w->out + w->used, bytes, count);
  }
  w->used += count;
}

/* In CDR numbers are aligned to their size. */
static void put_padding(writer *w, size_t size) {
  static const uint8_t zeros[8] = {0};
  if (w->wire == SN__WIRE_CDR) {
    put_bytes(w, zeros, -w->used & (size - 1));
  }
}

/* A number of size bytes. */
static void put(writer *w, uint64_t bits, size_t size) {
  put_padding(w, size);
  uint8_t bytes[8];
  for (size_t i = 0; i < sizeof bytes; i++) {
    bytes[i] = (uint8_t)(bits >> (8 * i));
  }
  put_bytes(w, bytes, size);
}

static void put_text(writer *w, const char *text, size_t length) {
  const size_t nul = w->wire == SN__WIRE_CDR ? 1 : 0;
  put(w, length + nul, 4);
  put_bytes(w, text, length);
  put_bytes(w, "", nul);
}

static void put_time(writer *w, sn_msg_kind kind, const char *at) {
  int64_t time_ns = 0;
  memcpy(&time_ns, at, sizeof time_ns);
  const sn__wire_time time = sn__wire_time_split(time_ns);
  const bool is_unsigned = w->wire == SN__WIRE_ROS1 && kind == SN_MSG_TIME;
  const int64_t min = is_unsigned ? 0 : INT32_MIN;
  const int64_t max = is_unsigned ? UINT32_MAX : INT32_MAX;
  if (time.sec < min || time.sec > max) {
    w->status = SN_ELIMIT;
  }
  put(w, (uint64_t)time.sec, 4);
  put(w, time.nanosec, 4);
}

static void put_struct(writer *w, const sn_msg_type *type, const char *msg);

static void put_element(writer *w, const sn_msg_field *field, const char *at) {
  switch (field->kind) {
    case SN_MSG_TIME:
    case SN_MSG_DURATION:
      put_time(w, field->kind, at);
      break;
    case SN_MSG_TEXT:
      put_text(w, sn__seq_load(at).data, sn__seq_load(at).count);
      break;
    case SN_MSG_NESTED:
      put_struct(w, field->nested, at);
      break;
    default:
      put(w, sn__scalar_load(field->kind, at), sn__kind_size(field->kind));
  }
}

static void put_names(writer *w, const sn_msg_names *list) {
  put(w, list->count, 4);
  for (size_t i = 0; i < list->count; i++) {
    const char *name = sn_msg_names_at(list, i);
    put_text(w, name, strlen(name));
  }
}

static void put_field(writer *w, const sn_msg_field *field, const char *msg) {
  if (!sn__field_is_stored(field)) {
    if (w->wire == SN__WIRE_ROS1) {
      put(w, 0, sn__kind_size(field->kind));
    }
    return;
  }
  if (field->kind == SN_MSG_TEXT && field->shape == SN_MSG_SEQUENCE) {
    put_names(w, sn__names_in(msg + field->offset));
    return;
  }
  if (field->shape == SN_MSG_SINGLE) {
    put_element(w, field, msg + field->offset);
    return;
  }
  const sn__seq seq = sn__field_elements(field, msg);
  if (field->shape == SN_MSG_SEQUENCE) {
    put(w, seq.count, 4);
  }
  if (sn__kind_is_wire_bytes(field->kind) && seq.count > 0) {
    put_padding(w, field->size);
    put_bytes(w, seq.data, seq.count * field->size);
    return;
  }
  for (size_t i = 0; i < seq.count; i++) {
    put_element(w, field, (const char *)seq.data + i * field->size);
  }
}

static void put_struct(writer *w, const sn_msg_type *type, const char *msg) {
  for (size_t i = 0; i < type->field_count; i++) {
    put_field(w, &type->fields[i], msg);
  }
  if (type->field_count == 0 && w->wire == SN__WIRE_CDR) {
    put(w, 0, 1); /* ROS 2 has a dummy byte in an empty struct, which IDL does not allow */
  }
}

sn_status sn__wire_write(sn__wire wire, const sn_msg_type *type, const void *msg, uint8_t *out,
                         size_t size, size_t *written) {
  writer w = {.wire = wire, .out = out, .size = size, .status = SN_OK};
  put_struct(&w, type, msg);
  *written = w.used;
  if (w.status == SN_OK && w.used > size) {
    w.status = SN_ENOSPC;
  }
  return w.status;
}
