/** @file
 *  Internal: property trees put together from others. Nodes are new, what is below them is shared.
 */
#ifndef SN_DEPLOY_MERGE_H
#define SN_DEPLOY_MERGE_H

#include "sinew/props.h"

/** All NULL if there is no memory; so is what is made of NULL. */

/** A scalar. The texts are not copied. */
const sn_prop *sn__prop_make_text(sn_arena *arena, const char *name, const char *text,
                                  sn_place place);

/** A bag of one item. */
const sn_prop *sn__prop_make_bag(sn_arena *arena, const char *name, const sn_prop *item,
                                 sn_place place);

/** An empty bag. */
const sn_prop *sn__prop_make_empty(sn_arena *arena, const char *name, sn_place place);

/** The same under another name, which stands at @p name_place. */
const sn_prop *sn__prop_rename(sn_arena *arena, const sn_prop *prop, const char *name,
                               sn_place name_place);

/** A list of both lists' items. */
const sn_prop *sn__prop_append(sn_arena *arena, const sn_prop *first, const sn_prop *second);

/** @p over laid over @p under: bags merge, item by item; of all else @p over stays. Names of @p
 * under come first. */
const sn_prop *sn__prop_merge(sn_arena *arena, const sn_prop *under, const sn_prop *over);

#endif
