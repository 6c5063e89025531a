/** @file
 *  Internal: the two phases of copying: check first, so that nothing is written if something does
 *  not fit. */
#ifndef SN_MSG_COPY_H
#define SN_MSG_COPY_H

#include <stdbool.h>
#include <string.h>

#include "sinew/msg.h"

/** Do the names of @p from fit? */
static inline bool sn__msg_names_fits(const sn_msg_names *list, const sn_msg_names *from) {
  return from->table != NULL ||
         (from->count <= list->capacity && from->text_count <= list->text_capacity);
}

/** Copy the names of @p from, which fit. */
static inline void sn__msg_names_take(sn_msg_names *list, const sn_msg_names *from) {
  if (from->table == NULL && from->count > 0) {
    memcpy(list->starts, from->starts, from->count * sizeof *list->starts);
    memcpy(list->text, from->text, from->text_count);
  }
  list->table = from->table;
  list->count = from->count;
  list->text_count = from->text_count;
}

/** Do the nested structs of one field fit? */
bool sn__elements_fit(const sn_msg_field *field, const char *to, const char *from) SN_RT;

/** Copy the nested structs of one field, which fit. */
void sn__elements_copy(const sn_msg_field *field, char *to, const char *from) SN_RT;

#endif
