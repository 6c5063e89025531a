/** @file
 *  An immutable, ordered list of unique names with O(1) look-up.
 *
 *  Messages and models share one table by pointer: equal pointers mean the same names in the same
 * order, so cycles need no look-up. */
#ifndef SINEW_NAMES_H
#define SINEW_NAMES_H

#include <stddef.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/** Opaque and immutable. Lives in the arena it was created from. */
typedef struct sn_names sn_names;

/** Copy @p count names into a table, in this order.
 *  @param texts  unique and not NULL; may be empty texts
 *  @param out    set on success, untouched on failure
 *  @param err    receives the reason on failure; may be NULL
 *  @return SN_OK, SN_EINVAL (a name appears twice, or more than 2^30 names) or SN_ENOMEM
 *  RT: no, allocates.  Threads: one owner of the arena. */
SN_API sn_status sn_names_create(sn_arena *arena, const char *const *texts, size_t count,
                                 const sn_names **out, sn_error *err);

/** @return how many. RT: yes.  Threads: any. */
SN_API size_t sn_names_count(const sn_names *names) SN_RT;

/** @return the name at @p index, which must be less than the count. RT: yes.  Threads: any. */
SN_API const char *sn_names_at(const sn_names *names, size_t index) SN_RT;

/** @return the position of @p text, or -1 if it is not in the table. O(length of the text).
 *  RT: yes.  Threads: any. */
SN_API int sn_names_index(const sn_names *names, const char *text) SN_RT;

/** A list of names, copied one after the other into @p text, each with its NUL. */
typedef struct sn_name_list {
  char *text;       /**< room of the caller */
  size_t text_size; /**< bytes of it */
  size_t count;     /**< names written */
} sn_name_list;

SN_END_DECLS

#endif
