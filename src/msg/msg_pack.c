/* Messages as bytes: the pieces of the copier one behind the other, each sequence after its count.
   Nothing is aligned: everything is copied. */
#include <stdalign.h>
#include <string.h>

#include "msg/copy.h"
#include "msg/msg_copier_internal.h"
#include "msg/walk.h"

/* ---- pack ---- */

/* Without `to` the bytes are only counted. */
typedef struct packer {
  char *to;
  size_t used;
} packer;

static void put(packer *p, const void *from, size_t size) {
  if (p->to != NULL && size > 0) {
    memcpy(p->to + p->used, from, size);
  }
  p->used += size;
}

static size_t element_size(const sn_msg_field *field) {
  return field->kind == SN_MSG_TEXT ? 1 : field->size;
}

static void put_seq(packer *p, const char *at, size_t each) {
  const sn__seq seq = sn__seq_load(at);
  put(p, &seq.count, sizeof seq.count);
  put(p, seq.data, seq.count * each);
}

static void put_names(packer *p, const sn_msg_names *list) {
  put(p, &list->table, sizeof list->table);
  put(p, &list->count, sizeof list->count);
  if (list->table == NULL) {
    put(p, &list->text_count, sizeof list->text_count);
    put(p, list->starts, list->count * sizeof *list->starts);
    put(p, list->text, list->text_count);
  }
}

static void put_deep(packer *p, const sn_msg_field *field, const char *msg);

static void put_struct(packer *p, const sn_msg_type *type, const char *msg) {
  for (size_t i = 0; i < type->field_count; i++) {
    const sn_msg_field *field = &type->fields[i];
    const char *at = msg + field->offset;
    switch (sn__field_layout(field)) {
      case SN__LAYOUT_BYTES:
        put(p, at, sn__field_count(field) * field->size);
        break;
      case SN__LAYOUT_TEXT:
      case SN__LAYOUT_FLAT_SEQ:
        put_seq(p, at, element_size(field));
        break;
      case SN__LAYOUT_NAMES:
        put_names(p, sn__names_in(at));
        break;
      case SN__LAYOUT_DEEP:
      case SN__LAYOUT_DEEP_SEQ:
        put_deep(p, field, msg);
        break;
      case SN__LAYOUT_NOTHING:
        break;
    }
  }
}

static void put_deep(packer *p, const sn_msg_field *field, const char *msg) {
  const sn__seq seq = sn__field_elements(field, msg);
  if (field->shape == SN_MSG_SEQUENCE) {
    put(p, &seq.count, sizeof seq.count);
  }
  for (size_t i = 0; i < seq.count; i++) {
    put_struct(p, field->nested, (const char *)seq.data + i * field->size);
  }
}

size_t sn__msg_pack(const sn_msg_copier *c, const void *msg, void *bytes) {
  const char *from = msg;
  packer p = {bytes, 0};
  for (size_t i = 0; i < c->bytes_count; i++) {
    put(&p, from + c->bytes[i].offset, c->bytes[i].size);
  }
  for (size_t i = 0; i < c->seq_count; i++) {
    put_seq(&p, from + c->seqs[i].offset, c->seqs[i].size);
  }
  for (size_t i = 0; i < c->names_count; i++) {
    put_names(&p, sn__names_in(from + c->names[i]));
  }
  for (size_t i = 0; i < c->deep_count; i++) {
    put_deep(&p, c->deep[i].field, from + c->deep[i].offset);
  }
  return p.used;
}

/* ---- unpack ---- */

/* Bytes on their way back. */
typedef struct unpacker {
  sn_arena *arena;
  const char *from;
  bool is_good; /* there was memory for everything so far */
} unpacker;

static void take(unpacker *u, void *to, size_t size) {
  if (size > 0) {
    memcpy(to, u->from, size);
  }
  u->from += size;
}

/* Zeroed memory, aligned for any element. */
static void *allocate(unpacker *u, size_t size) {
  void *memory = u->is_good ? sn_arena_alloc(u->arena, size, alignof(max_align_t)) : NULL;
  u->is_good = memory != NULL;
  return memory;
}

static void set_seq(char *at, void *data, size_t count) {
  memcpy(at + offsetof(sn__seq, data), &data, sizeof data);
  memcpy(at + offsetof(sn__seq, capacity), &count, sizeof count);
  sn__seq_set_count(at, count);
}

/* A text has one byte more, the NUL. */
static void take_seq(unpacker *u, char *at, size_t each) {
  size_t count = 0;
  take(u, &count, sizeof count);
  char *data = allocate(u, count * each + 1);
  if (data != NULL) {
    take(u, data, count * each);
    set_seq(at, data, count);
  }
}

static void take_names(unpacker *u, sn_msg_names *list) {
  take(u, &list->table, sizeof list->table);
  take(u, &list->count, sizeof list->count);
  if (list->table != NULL) {
    return;
  }
  take(u, &list->text_count, sizeof list->text_count);
  list->starts = allocate(u, list->count * sizeof *list->starts);
  list->text = allocate(u, list->text_count);
  if (u->is_good) {
    take(u, list->starts, list->count * sizeof *list->starts);
    take(u, list->text, list->text_count);
    list->capacity = list->count;
    list->text_capacity = list->text_count;
  }
}

static void take_deep(unpacker *u, const sn_msg_field *field, char *msg);

static void take_struct(unpacker *u, const sn_msg_type *type, char *msg) {
  for (size_t i = 0; i < type->field_count && u->is_good; i++) {
    const sn_msg_field *field = &type->fields[i];
    char *at = msg + field->offset;
    switch (sn__field_layout(field)) {
      case SN__LAYOUT_BYTES:
        take(u, at, sn__field_count(field) * field->size);
        break;
      case SN__LAYOUT_TEXT:
      case SN__LAYOUT_FLAT_SEQ:
        take_seq(u, at, element_size(field));
        break;
      case SN__LAYOUT_NAMES:
        take_names(u, sn__names_at(at));
        break;
      case SN__LAYOUT_DEEP:
      case SN__LAYOUT_DEEP_SEQ:
        take_deep(u, field, msg);
        break;
      case SN__LAYOUT_NOTHING:
        break;
    }
  }
}

static void take_deep(unpacker *u, const sn_msg_field *field, char *msg) {
  if (field->shape == SN_MSG_SEQUENCE) {
    size_t count = 0;
    take(u, &count, sizeof count);
    set_seq(msg + field->offset, allocate(u, count * field->size), count);
  }
  const sn__seq seq = sn__field_elements(field, msg);
  for (size_t i = 0; i < seq.count && u->is_good; i++) {
    take_struct(u, field->nested, (char *)seq.data + i * field->size);
  }
}

void *sn__msg_unpack(const sn_msg_copier *c, const void *bytes, sn_arena *arena) {
  unpacker u = {arena, bytes, true};
  char *to = allocate(&u, c->type_size);
  for (size_t i = 0; i < c->bytes_count && u.is_good; i++) {
    take(&u, to + c->bytes[i].offset, c->bytes[i].size);
  }
  for (size_t i = 0; i < c->seq_count && u.is_good; i++) {
    take_seq(&u, to + c->seqs[i].offset, c->seqs[i].size);
  }
  for (size_t i = 0; i < c->names_count && u.is_good; i++) {
    take_names(&u, sn__names_at(to + c->names[i]));
  }
  for (size_t i = 0; i < c->deep_count && u.is_good; i++) {
    take_deep(&u, c->deep[i].field, to + c->deep[i].offset);
  }
  return u.is_good ? to : NULL;
}
