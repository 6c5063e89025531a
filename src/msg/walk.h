/** @file
 *  Internal: access to the fields of a message by its table. */
#ifndef SN_MSG_WALK_H
#define SN_MSG_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "sinew/msg.h"

/** The first members of every sequence and text. Read and written as bytes, since the pointer in
 *  the struct has the type of its elements. */
typedef struct sn__seq {
  void *data;
  size_t count;
  size_t capacity;
} sn__seq;

static inline sn__seq sn__seq_load(const void *at) {
  const char *from = at;
  sn__seq seq; /* member by member: a copy of the whole struct would go through memory */
  memcpy(&seq.data, from + offsetof(sn__seq, data), sizeof seq.data);
  memcpy(&seq.count, from + offsetof(sn__seq, count), sizeof seq.count);
  memcpy(&seq.capacity, from + offsetof(sn__seq, capacity), sizeof seq.capacity);
  return seq;
}

static inline void sn__seq_set_count(void *at, size_t count) {
  memcpy((char *)at + offsetof(sn__seq, count), &count, sizeof count);
}

/** The list of names at a place in a message. */
static inline sn_msg_names *sn__names_at(void *at) {
  return at;
}

/** The same, to read. */
static inline const sn_msg_names *sn__names_in(const void *at) {
  return at;
}

/** Is the field stored in the struct? */
static inline bool sn__field_is_stored(const sn_msg_field *field) {
  return (field->flags & SN_MSG_ROS1_ONLY) == 0;
}

/** The first field that is stored in the struct, or NULL. */
static inline const sn_msg_field *sn__first_field(const sn_msg_type *type) {
  for (size_t i = 0; i < type->field_count; i++) {
    if (sn__field_is_stored(&type->fields[i])) {
      return &type->fields[i];
    }
  }
  return NULL;
}

/** Memory layout of a field, for copying and comparing. */
typedef enum sn__layout {
  SN__LAYOUT_BYTES,    /**< in the struct itself */
  SN__LAYOUT_TEXT,     /**< sn_msg_text */
  SN__LAYOUT_NAMES,    /**< sn_msg_names */
  SN__LAYOUT_FLAT_SEQ, /**< a sequence of bytes */
  SN__LAYOUT_DEEP,     /**< structs with texts or sequences */
  SN__LAYOUT_DEEP_SEQ, /**< a sequence of those */
  SN__LAYOUT_NOTHING
} sn__layout;

static inline sn__layout sn__field_layout(const sn_msg_field *field) {
  if (!sn__field_is_stored(field)) {
    return SN__LAYOUT_NOTHING;
  }
  const bool is_seq = field->shape == SN_MSG_SEQUENCE;
  if (field->kind < SN_MSG_TEXT || (field->kind == SN_MSG_NESTED && field->nested->is_flat)) {
    return is_seq ? SN__LAYOUT_FLAT_SEQ : SN__LAYOUT_BYTES;
  }
  if (field->kind == SN_MSG_TEXT) {
    return is_seq ? SN__LAYOUT_NAMES : SN__LAYOUT_TEXT;
  }
  return is_seq ? SN__LAYOUT_DEEP_SEQ : SN__LAYOUT_DEEP;
}

/** Number of elements that are stored in the struct. */
static inline size_t sn__field_count(const sn_msg_field *field) {
  return field->shape == SN_MSG_ARRAY ? field->count : 1;
}

/** The elements of a field that is not a text: address and number. */
static inline sn__seq sn__field_elements(const sn_msg_field *field, const void *msg) {
  const char *at = (const char *)msg + field->offset;
  if (field->shape == SN_MSG_SEQUENCE) {
    return sn__seq_load(at);
  }
  const size_t count = sn__field_count(field);
  sn__seq seq = {NULL, count, count};
  memcpy(&seq.data, &at, sizeof at);
  return seq;
}

#endif
