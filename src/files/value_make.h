/** @file
 *  Internal: builds property trees from others. New nodes share what is below them. All functions
 * return NULL without memory or if an argument tree is NULL. */
#ifndef SN_FILES_VALUE_MAKE_H
#define SN_FILES_VALUE_MAKE_H

#include "sinew/value.h"

/** A bag with room for @p count items, which the caller fills in. */
sn_value *sn__value_make_room(sn_arena *arena, const char *name, size_t count, sn_place place,
                              const sn_value ***items);

/** A scalar. The texts are not copied. */
const sn_value *sn__value_make_text(sn_arena *arena, const char *name, const char *text,
                                    sn_place place);

/** A bag of one item. */
const sn_value *sn__value_make_bag(sn_arena *arena, const char *name, const sn_value *item,
                                   sn_place place);

/** An empty bag. */
const sn_value *sn__value_make_empty(sn_arena *arena, const char *name, sn_place place);

/** The same under another name, found at @p name_place. */
const sn_value *sn__value_rename(sn_arena *arena, const sn_value *value, const char *name,
                                 sn_place name_place);

/** The two lists joined. */
const sn_value *sn__value_append(sn_arena *arena, const sn_value *first, const sn_value *second);

/** A list of these items, without names. */
const sn_value *sn__value_make_list(sn_arena *arena, const char *name, const sn_value *const *items,
                                    size_t count, sn_place place);

/** The same list or bag with another item at @p index. */
const sn_value *sn__value_replace(sn_arena *arena, const sn_value *value, size_t index,
                                  const sn_value *item);

/** The same list or bag with one more item. */
const sn_value *sn__value_add(sn_arena *arena, const sn_value *value, const sn_value *item);

#endif
