/** @file
 *  The names in a message: those of a shared table, or texts of the message's own.
 *
 *  Inside a process names come from a table made at configuration, and a list is one pointer:
 *  equal pointers mean the same names in the same order. Names that came over a wire are copied
 *  into room that the list was given when its message was created. Readers need not care which. */
#ifndef SINEW_MSG_NAMES_H
#define SINEW_MSG_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/names.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/** Read `table` and `count`; the rest is private. All zero is an empty list without room. */
typedef struct sn_msg_names {
  const sn_names *table; /**< all of its names, in its order; NULL: own texts */
  size_t count;          /**< names in the list */
  size_t capacity;       /**< own names at most */
  uint32_t *starts;      /**< [capacity] where each own text begins in text */
  char *text;            /**< own texts, each with its NUL, one behind the other */
  size_t text_count;     /**< bytes used of text; 0 with a table */
  size_t text_capacity;  /**< bytes of text */
} sn_msg_names;

/** @return the name at @p index, which must be less than list->count. Own texts live until the list
 *  changes. RT: yes.  Threads: those of the message. */
SN_API const char *sn_msg_names_at(const sn_msg_names *list, size_t index) SN_RT;

/** Forget all names. RT: yes.  Threads: owner of the message. */
SN_API void sn_msg_names_clear(sn_msg_names *list) SN_RT;

/** The names of @p table from now on, which must outlive every message that they are copied to.
 *  NULL clears the list. RT: yes, O(1).  Threads: owner. */
SN_API void sn_msg_names_share(sn_msg_names *list, const sn_names *table) SN_RT;

/** Append a copy of @p length bytes of @p text, which hold no NUL. A list with a table is cleared
 *  first.
 *  @return SN_OK, or SN_ENOSPC and an unchanged list
 *  RT: yes, O(length).  Threads: owner. */
SN_API sn_status sn_msg_names_add(sn_msg_names *list, const char *text, size_t length) SN_RT;

/** Become what @p from is: the same table, or copies of its texts.
 *  @return SN_OK, or SN_ENOSPC and an unchanged list
 *  RT: yes, O(1) with a table.  Threads: owner of both. */
SN_API sn_status sn_msg_names_copy(sn_msg_names *list, const sn_msg_names *from) SN_RT;

SN_END_DECLS

#endif
