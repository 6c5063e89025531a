#include "msg/msg_copier.h"

#include "msg/copy.h"
#include "msg/msg_copier_internal.h"
#include "msg/walk.h"
#include "sinew/fault.h"

/* Counts pieces; stores them if the arrays exist. */
static void collect(sn_msg_copier *c, const sn_msg_type *type, size_t base);

static void add_bytes(sn_msg_copier *c, size_t offset, size_t size) {
  c->bytes_size += size;
  if (c->bytes_count > 0 && c->bytes_end == offset) {
    if (c->bytes != NULL) {
      c->bytes[c->bytes_count - 1].size += size;
    }
  } else {
    if (c->bytes != NULL) {
      c->bytes[c->bytes_count] = (sn__piece){offset, size};
    }
    c->bytes_count++;
  }
  c->bytes_end = offset + size;
}

static void collect_field(sn_msg_copier *c, const sn_msg_field *field, size_t base) {
  const size_t offset = base + field->offset;
  switch (sn__field_layout(field)) {
    case SN__LAYOUT_BYTES:
      add_bytes(c, offset, sn__field_count(field) * field->size);
      break;
    case SN__LAYOUT_TEXT:
      if (c->seqs != NULL) {
        c->seqs[c->text_count] = (sn__piece){offset, 1};
      }
      c->text_count++;
      break;
    case SN__LAYOUT_FLAT_SEQ:
      if (c->seqs != NULL) {
        c->seqs[c->seq_count] = (sn__piece){offset, field->size};
      }
      c->seq_count++;
      break;
    case SN__LAYOUT_NAMES:
      if (c->names != NULL) {
        c->names[c->names_count] = offset;
      }
      c->names_count++;
      break;
    case SN__LAYOUT_DEEP:
    case SN__LAYOUT_DEEP_SEQ:
      if (field->shape == SN_MSG_SINGLE) {
        collect(c, field->nested, offset);
        break;
      }
      if (c->deep != NULL) {
        c->deep[c->deep_count] = (sn__deep_piece){field, base};
      }
      c->deep_count++;
      break;
    case SN__LAYOUT_NOTHING:
      break;
  }
}

static void collect(sn_msg_copier *c, const sn_msg_type *type, size_t base) {
  for (size_t i = 0; i < type->field_count; i++) {
    collect_field(c, &type->fields[i], base);
  }
}

const sn_msg_copier *sn__msg_copier_create(sn_arena *arena, const sn_msg_type *type) {
  sn_msg_copier counted = {0};
  collect(&counted, type, 0);
  const sn_arena_mark mark = sn_arena_save(arena);
  sn_msg_copier *c = SN_NEW(arena, sn_msg_copier, 1);
  sn__piece *bytes = SN_NEW(arena, sn__piece, counted.bytes_count);
  sn__piece *seqs = SN_NEW(arena, sn__piece, counted.text_count + counted.seq_count);
  size_t *names = SN_NEW(arena, size_t, counted.names_count);
  sn__deep_piece *deep = SN_NEW(arena, sn__deep_piece, counted.deep_count);
  if (c == NULL || bytes == NULL || seqs == NULL || names == NULL || deep == NULL) {
    sn_arena_restore(arena, mark); /* all or nothing */
    return NULL;
  }
  *c = (sn_msg_copier){.type_size = type->size,
                       .seq_count = counted.text_count, /* sequences follow the texts */
                       .bytes = bytes,
                       .seqs = seqs,
                       .names = names,
                       .deep = deep};
  collect(c, type, 0);
  return c;
}

static bool fits(const sn_msg_copier *c, const char *to, const char *from) {
  bool good = true;
  for (size_t i = 0; i < c->seq_count; i++) {
    const size_t offset = c->seqs[i].offset;
    good &= sn__seq_load(from + offset).count <= sn__seq_load(to + offset).capacity;
  }
  for (size_t i = 0; i < c->names_count; i++) {
    good &= sn__msg_names_fits(sn__names_in(to + c->names[i]), sn__names_in(from + c->names[i]));
  }
  for (size_t i = 0; i < c->deep_count; i++) {
    const sn__deep_piece *deep = &c->deep[i];
    good &= sn__elements_fit(deep->field, to + deep->offset, from + deep->offset);
  }
  return good;
}

static void copy_bytes(const sn_msg_copier *c, char *to, const char *from) {
  for (size_t i = 0; i < c->bytes_count; i++) {
    const sn__piece *p = &c->bytes[i];
    if (p->size == sizeof(uint64_t)) { /* most are, which saves a call */
      memcpy(to + p->offset, from + p->offset, sizeof(uint64_t));
    } else {
      memcpy(to + p->offset, from + p->offset, p->size);
    }
  }
}

static void copy_seqs(const sn_msg_copier *c, char *to, const char *from) {
  for (size_t i = 0; i < c->seq_count; i++) {
    const sn__piece *p = &c->seqs[i];
    const sn__seq in = sn__seq_load(from + p->offset);
    char *data = sn__seq_load(to + p->offset).data;
    if (in.count > 0) {
      memcpy(data, in.data, in.count * p->size);
    }
    if (i < c->text_count) {
      data[in.count] = '\0';
    }
    sn__seq_set_count(to + p->offset, in.count);
  }
}

sn_status sn__msg_copier_copy(const sn_msg_copier *copier, void *to, const void *from) {
  SN_ASSERT(to != from);
  if (!fits(copier, to, from)) {
    return SN_ENOSPC;
  }
  copy_bytes(copier, to, from);
  copy_seqs(copier, to, from);
  for (size_t i = 0; i < copier->names_count; i++) {
    const size_t offset = copier->names[i];
    sn__msg_names_take(sn__names_at((char *)to + offset),
                       sn__names_in((const char *)from + offset));
  }
  for (size_t i = 0; i < copier->deep_count; i++) {
    const sn__deep_piece *deep = &copier->deep[i];
    sn__elements_copy(deep->field, (char *)to + deep->offset, (const char *)from + deep->offset);
  }
  return SN_OK;
}
