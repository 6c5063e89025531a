#include "sinew/msg.h"

#include "msg/walk.h"
#include "sinew/fault.h"

/* The memory of texts and sequences is cut from the message's block. Without a block the cuts
   are only counted, so size and layout cannot disagree. */
typedef struct cutter {
  char *block;
  size_t used; /* SIZE_MAX: overflow */
  size_t item_count;
  size_t text_size;
} cutter;

static void *cut(cutter *c, size_t count, size_t size) {
  const size_t align = alignof(max_align_t);
  if (c->used > SIZE_MAX / 2 || (size != 0 && count > SIZE_MAX / 4 / size)) {
    c->used = SIZE_MAX;
    return NULL;
  }
  const size_t start = (c->used + align - 1) / align * align;
  c->used = start + count * size;
  return c->block == NULL ? NULL : c->block + start;
}

static void cut_name_list(cutter *c, char *at) {
  uint32_t *starts = cut(c, c->item_count, sizeof *starts);
  char *text = cut(c, c->item_count, c->text_size);
  if (at != NULL) {
    const sn_msg_names list = {.capacity = c->item_count,
                               .starts = starts,
                               .text = text,
                               .text_capacity = c->item_count * c->text_size};
    memcpy(at, &list, sizeof list);
  }
}

static void cut_seq(cutter *c, char *at, size_t capacity, size_t room, size_t size) {
  const sn__seq seq = {.data = cut(c, room, size), .capacity = capacity};
  if (at != NULL) {
    memcpy(at, &seq, sizeof seq);
  }
}

static void cut_fields(cutter *c, const sn_msg_type *type, char *msg);

static void cut_field(cutter *c, const sn_msg_field *field, char *at) {
  if (field->kind == SN_MSG_TEXT) {
    SN_ASSERT(field->shape != SN_MSG_ARRAY);
    if (field->shape == SN_MSG_SEQUENCE) {
      cut_name_list(c, at);
    } else {
      cut_seq(c, at, c->text_size - 1, c->text_size, 1);
    }
    return;
  }
  size_t count = sn__field_count(field);
  char *elements = at;
  if (field->shape == SN_MSG_SEQUENCE) {
    count = c->item_count;
    cut_seq(c, at, count, count, field->size);
    elements = at == NULL ? NULL : sn__seq_load(at).data;
  }
  if (field->kind == SN_MSG_NESTED) {
    SN_ASSERT(field->size == field->nested->size);
    for (size_t i = 0; i < count && !field->nested->is_flat && c->used != SIZE_MAX; i++) {
      cut_fields(c, field->nested, elements == NULL ? NULL : elements + i * field->size);
    }
  }
}

static void cut_fields(cutter *c, const sn_msg_type *type, char *msg) {
  for (size_t i = 0; i < type->field_count; i++) {
    const sn_msg_field *field = &type->fields[i];
    if (sn__field_is_stored(field)) {
      cut_field(c, field, msg == NULL ? NULL : msg + field->offset);
    }
  }
}

static cutter cutter_make(const sn_msg_type *type, const sn_msg_capacity *capacity, char *block) {
  const sn_msg_capacity none = {0};
  const sn_msg_capacity *wanted = capacity == NULL ? &none : capacity;
  cutter c = {.block = block,
              .used = type->size,
              .item_count = wanted->item_count == 0 ? 64 : wanted->item_count,
              .text_size = wanted->text_size == 0 ? 64 : wanted->text_size};
  SN_ASSERT(c.item_count <= SN_MSG_ITEMS_MAX);
  SN_ASSERT(c.text_size <= SN_MSG_TEXT_MAX);
  return c;
}

size_t sn_msg_size(const sn_msg_type *type, const sn_msg_capacity *capacity) {
  cutter c = cutter_make(type, capacity, NULL);
  cut_fields(&c, type, NULL);
  return c.used;
}

void *sn_msg_create(sn_arena *arena, const sn_msg_type *type, const sn_msg_capacity *capacity) {
  const size_t size = sn_msg_size(type, capacity);
  /* A separate cache line: the buffers of a port belong to different threads. */
  char *block = size == SIZE_MAX ? NULL : sn_arena_alloc(arena, size, 64);
  if (block != NULL) {
    cutter c = cutter_make(type, capacity, block);
    cut_fields(&c, type, block);
  }
  return block;
}

static void reset_elements(const sn_msg_field *field, char *at) {
  for (size_t i = 0; i < sn__field_count(field); i++) {
    sn_msg_reset(field->nested, at + i * field->size);
  }
}

void sn_msg_reset(const sn_msg_type *type, void *msg) {
  for (size_t i = 0; i < type->field_count; i++) {
    const sn_msg_field *field = &type->fields[i];
    char *at = (char *)msg + field->offset;
    switch (sn__field_layout(field)) {
      case SN__LAYOUT_BYTES:
        memset(at, 0, sn__field_count(field) * field->size);
        break;
      case SN__LAYOUT_TEXT:
        sn__seq_set_count(at, 0);
        *(char *)sn__seq_load(at).data = '\0';
        break;
      case SN__LAYOUT_NAMES:
        sn_msg_names_clear(sn__names_at(at));
        break;
      case SN__LAYOUT_FLAT_SEQ:
      case SN__LAYOUT_DEEP_SEQ:
        sn__seq_set_count(at, 0);
        break;
      case SN__LAYOUT_DEEP:
        reset_elements(field, at);
        break;
      case SN__LAYOUT_NOTHING:
        break;
    }
  }
}

sn_status sn_msg_text_set(sn_msg_text *text, const char *value) {
  const size_t length = strlen(value);
  if (length > text->capacity) {
    return SN_ENOSPC;
  }
  memcpy(text->data, value, length + 1);
  text->count = length;
  return SN_OK;
}
