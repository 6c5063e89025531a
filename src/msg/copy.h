/** @file
 *  Internal: the two halves of copying, so that nothing is written if something does not fit. */
#ifndef SN_MSG_COPY_H
#define SN_MSG_COPY_H

#include <stdbool.h>
#include <string.h>

#include "sinew/msg.h"

/** Is there room for the names of @p from? */
static inline bool sn__msg_names_fits(const sn_msg_names *list, const sn_msg_names *from) {
  return from->table != NULL ||
         (from->count <= list->capacity && from->text_count <= list->text_capacity);
}

/** Copy the names of @p from, for which there is room. */
static inline void sn__msg_names_take(sn_msg_names *list, const sn_msg_names *from) {
  if (from->table == NULL && from->count > 0) {
    memcpy(list->starts, from->starts, from->count * sizeof *list->starts);
    memcpy(list->text, from->text, from->text_count);
  }
  list->table = from->table;
  list->count = from->count;
  list->text_count = from->text_count;
}

/** Is there room for all that is in the nested structs of one field? */
bool sn__elements_fit(const sn_msg_field *field, const char *to, const char *from) SN_RT;

/** Copy the nested structs of one field, for which there is room. */
void sn__elements_copy(const sn_msg_field *field, char *to, const char *from) SN_RT;

#endif
