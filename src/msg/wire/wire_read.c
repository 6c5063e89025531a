#include "base/fail.h"
#include "msg/scalar.h"
#include "msg/walk.h"
#include "msg/wire/wire.h"

/* Everything is read twice: the first pass checks, the second stores, so that a message is never
   partly read. All counts are untrusted: each is compared with the capacity of the message and with
   the bytes that are left before it is used. A message that is created while it is read gets the
   capacity that it needs; in the first pass it does not exist and its addresses are NULL. */
typedef struct reader {
  sn__wire wire;
  sn_arena *arena; /* of a message that is created; NULL: it exists */
  const uint8_t *bytes;
  size_t size;
  size_t used;
  bool store;
  const sn_msg_type *type; /* the field that is being read, for messages */
  const sn_msg_field *field;
  sn_status status; /* of the first failure; nothing is read after it */
  sn_error *err;
} reader;

static void fail_end(reader *r) {
  r->status = sn__fail(r->err, SN_ESYNTAX, "%s: the %zu bytes end within '%s'", r->type->name,
                       r->size, r->field == NULL ? "" : r->field->name);
}

static void fail_room(reader *r, const char *what, uint64_t count, size_t room) {
  r->status = sn__fail(r->err, SN_ENOSPC, "%s: '%s' has %llu %s, there is room for %zu",
                       r->type->name, r->field->name, (unsigned long long)count, what, room);
}

/* An address in a message, if it exists. */
static char *place(char *base, size_t offset) {
  return base == NULL ? NULL : base + offset;
}

/* Memory for count elements in a message that is created; the first pass has reserved it. */
static void *make_room(reader *r, size_t count, size_t size) {
  void *room = sn_arena_alloc_array(r->arena, count, size, _Alignof(max_align_t));
  if (room == NULL) {
    r->status =
        sn__fail(r->err, SN_ENOMEM, "%s: no memory for '%s'", r->type->name, r->field->name);
  }
  return room;
}

/* The capacity that a sequence or a text has, or gets; without data in the first pass. @param
   spare elements beyond the capacity: the NUL */
static sn__seq room_of(reader *r, char *at, size_t count, size_t spare, size_t size) {
  if (r->arena == NULL) {
    return sn__seq_load(at);
  }
  sn__seq seq = {.data = NULL, .count = 0, .capacity = count};
  if (r->store) {
    seq.data = make_room(r, count + spare, size);
    memcpy(at, &seq, sizeof seq);
  }
  return seq;
}

/* The next count bytes; NULL if there are fewer. */
static const uint8_t *take(reader *r, size_t count) {
  if (r->status != SN_OK || count > r->size - r->used) {
    if (r->status == SN_OK) {
      fail_end(r);
    }
    return NULL;
  }
  const uint8_t *bytes = r->bytes + r->used;
  r->used += count;
  return bytes;
}

/* In CDR numbers are aligned to their size. */
static void skip_padding(reader *r, size_t size) {
  if (r->wire == SN__WIRE_CDR) {
    take(r, -r->used & (size - 1));
  }
}

/* A number of size bytes; 0 after a failure. */
static uint64_t get(reader *r, size_t size) {
  skip_padding(r, size);
  const uint8_t *bytes = take(r, size);
  uint64_t bits = 0;
  for (size_t i = 0; bytes != NULL && i < size; i++) {
    bits |= (uint64_t)bytes[i] << (8 * i);
  }
  return bits;
}

/* A text without its NUL; NULL after a failure. */
static const char *get_text(reader *r, size_t *length) {
  size_t size = (size_t)get(r, 4);
  const uint8_t *bytes = take(r, size);
  if (bytes == NULL) {
    return NULL;
  }
  if (r->wire == SN__WIRE_CDR && size > 0) {
    if (bytes[size - 1] != '\0') {
      r->status = sn__fail(r->err, SN_ESYNTAX, "%s: '%s' is a text without its NUL", r->type->name,
                           r->field->name);
      return NULL;
    }
    size--; /* a text of size 0 has no NUL: some peers write empty texts like that */
  }
  if (size > 0 && memchr(bytes, '\0', size) != NULL) {
    r->status = sn__fail(r->err, SN_ESYNTAX, "%s: '%s' is a text with a NUL in it", r->type->name,
                         r->field->name);
    return NULL;
  }
  *length = size;
  return (const char *)bytes;
}

static void read_text(reader *r, char *at) {
  size_t length = 0;
  const char *bytes = get_text(r, &length);
  if (bytes == NULL) {
    return;
  }
  if (r->field->count > 0 && length > r->field->count) {
    fail_room(r, "bytes", length, r->field->count);
    return;
  }
  const sn__seq text = room_of(r, at, length, 1, 1);
  if (length > text.capacity) {
    fail_room(r, "bytes", length, text.capacity);
    return;
  }
  if (r->store && text.data != NULL) {
    memcpy(text.data, bytes, length);
    ((char *)text.data)[length] = '\0';
    sn__seq_set_count(at, length);
  }
}

/* Memory for the names, in a message that is created. */
static void make_names(reader *r, uint64_t count, sn_msg_names *list) {
  const size_t used = r->used;
  size_t text_count = 0;
  for (uint64_t i = 0; i < count; i++) { /* the first pass has checked them */
    size_t length = 0;
    (void)get_text(r, &length);
    text_count += length + 1;
  }
  r->used = used;
  *list = (sn_msg_names){.capacity = (size_t)count,
                         .starts = make_room(r, (size_t)count, sizeof *list->starts),
                         .text = make_room(r, text_count, 1),
                         .text_capacity = text_count};
}

static void read_names(reader *r, sn_msg_names *list) {
  const uint64_t count = get(r, 4);
  if (r->status == SN_OK && r->arena == NULL && count > list->capacity) {
    fail_room(r, "names", count, list->capacity);
  }
  if (r->store && r->arena != NULL) {
    make_names(r, count, list);
  } else if (r->store) {
    sn_msg_names_clear(list);
  }
  size_t text_count = 0;
  for (uint64_t i = 0; i < count && r->status == SN_OK; i++) {
    size_t length = 0;
    const char *name = get_text(r, &length);
    if (name == NULL) {
      return;
    }
    text_count += length + 1;
    if (r->arena == NULL && text_count > list->text_capacity) {
      fail_room(r, "bytes or more in its names", text_count, list->text_capacity);
    } else if (r->store) {
      r->status = sn_msg_names_add(list, name, length);
    }
  }
}

/* Nanoseconds of 10^9 and more carry over into the seconds. */
static void read_time(reader *r, char *at) {
  const uint64_t sec = get(r, 4);
  const uint64_t nanosec = get(r, 4);
  const bool is_unsigned = r->wire == SN__WIRE_ROS1 && r->field->kind == SN_MSG_TIME;
  const bool is_nanosec_signed = r->wire == SN__WIRE_ROS1 && r->field->kind == SN_MSG_DURATION;
  if (r->store) {
    const int64_t whole = is_unsigned ? (int64_t)sec : (int64_t)(int32_t)(uint32_t)sec;
    const int64_t rest = is_nanosec_signed ? (int64_t)(int32_t)(uint32_t)nanosec : (int64_t)nanosec;
    const int64_t time_ns = sn__wire_time_join(whole, rest);
    memcpy(at, &time_ns, sizeof time_ns);
  }
}

static void read_struct(reader *r, const sn_msg_type *type, char *msg);

static void read_element(reader *r, char *at) {
  const sn_msg_kind kind = r->field->kind;
  if (kind == SN_MSG_TIME || kind == SN_MSG_DURATION) {
    read_time(r, at);
  } else if (kind == SN_MSG_TEXT) {
    read_text(r, at);
  } else if (kind == SN_MSG_NESTED) {
    read_struct(r, r->field->nested, at);
  } else {
    const uint64_t bits = get(r, sn__kind_size(kind));
    if (r->store) {
      sn__scalar_store(kind, at, bits);
    }
  }
}

/* The number of elements of a sequence, and their memory. */
static sn__seq begin_sequence(reader *r, char *at) {
  const uint64_t announced = get(r, 4);
  if (r->status == SN_OK && r->arena != NULL && announced > r->size - r->used) {
    fail_end(r); /* an element has at least one byte */
  }
  if (r->status == SN_OK && r->field->count > 0 && announced > r->field->count) {
    fail_room(r, "items", announced, r->field->count);
  }
  sn__seq seq = r->status == SN_OK ? room_of(r, at, (size_t)announced, 0, r->field->size)
                                   : (sn__seq){.data = NULL};
  if (r->status == SN_OK && announced > seq.capacity) {
    fail_room(r, "items", announced, seq.capacity);
  }
  seq.count = r->status == SN_OK ? (size_t)announced : 0;
  if (r->store) {
    sn__seq_set_count(at, seq.count);
  }
  return seq;
}

static void read_elements(reader *r, char *msg) {
  const sn_msg_field *field = r->field;
  char *at = place(msg, field->offset);
  const sn__seq seq = field->shape == SN_MSG_SEQUENCE
                          ? begin_sequence(r, at)
                          : (sn__seq){.data = at, .count = field->count};
  const size_t count = seq.count;
  if (sn__kind_is_wire_bytes(field->kind) && count > 0) {
    skip_padding(r, field->size);
    const uint8_t *bytes = take(r, count * field->size);
    if (bytes != NULL && r->store) {
      memcpy(seq.data, bytes, count * field->size);
    }
    return;
  }
  for (size_t i = 0; i < count && r->status == SN_OK; i++) {
    read_element(r, place(seq.data, i * field->size));
  }
}

static void read_field(reader *r, char *msg) {
  const sn_msg_field *field = r->field;
  if (!sn__field_is_stored(field)) {
    if (r->wire == SN__WIRE_ROS1) {
      get(r, sn__kind_size(field->kind));
    }
  } else if (field->kind == SN_MSG_TEXT && field->shape == SN_MSG_SEQUENCE) {
    read_names(r, sn__names_at(place(msg, field->offset)));
  } else if (field->shape == SN_MSG_SINGLE) {
    read_element(r, place(msg, field->offset));
  } else {
    read_elements(r, msg);
  }
}

static void read_struct(reader *r, const sn_msg_type *type, char *msg) {
  const sn_msg_type *outer_type = r->type;
  const sn_msg_field *outer_field = r->field;
  r->type = type;
  for (size_t i = 0; i < type->field_count && r->status == SN_OK; i++) {
    r->field = &type->fields[i];
    read_field(r, msg);
  }
  if (type->field_count == 0 && r->wire == SN__WIRE_CDR) {
    get(r, 1);
  }
  r->type = outer_type;
  r->field = outer_field;
}

/* @return whether all of these bytes are one message of this type */
static bool look(reader *r, char *msg) {
  read_struct(r, r->type, msg);
  /* DDS pads the size to a multiple of 4. */
  const size_t spare = r->wire == SN__WIRE_CDR ? 3 : 0;
  if (r->status == SN_OK && r->size - r->used > spare) {
    r->status = sn__fail(r->err, SN_ESYNTAX, "%s: ends after %zu of %zu bytes", r->type->name,
                         r->used, r->size);
  }
  r->used = 0;
  r->store = true;
  return r->status == SN_OK;
}

sn_status sn__wire_read(sn__wire wire, const sn_msg_type *type, const uint8_t *bytes, size_t size,
                        void *msg, sn_error *err) {
  reader r = {.wire = wire, .bytes = bytes, .size = size, .type = type, .err = err};
  if (look(&r, msg)) {
    read_struct(&r, type, msg);
  }
  return r.status;
}

sn_status sn__wire_make(sn__wire wire, const sn_msg_type *type, const uint8_t *bytes, size_t size,
                        sn_arena *arena, void **out, sn_error *err) {
  reader r = {.wire = wire, .arena = arena, .bytes = bytes, .size = size, .type = type, .err = err};
  if (!look(&r, NULL)) {
    return r.status;
  }
  const sn_arena_mark mark = sn_arena_save(arena);
  char *msg = sn_arena_alloc(arena, type->size, _Alignof(max_align_t));
  if (msg == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for %s", type->name);
  }
  read_struct(&r, type, msg);
  if (r.status != SN_OK) {
    sn_arena_restore(arena, mark);
    return r.status;
  }
  *out = msg;
  return SN_OK;
}
