/** @file
 *  Internal: one property tree laid over another. Nodes are new, what is below them is shared. */
#ifndef SN_DEPLOY_MERGE_H
#define SN_DEPLOY_MERGE_H

#include "files/value_make.h"
#include "sinew/value.h"

/** All return NULL if memory is exhausted or an argument is NULL. */

/** Merge @p over into @p under: bags are merged item by item, everything else is replaced by @p
 *  over. Names of @p under come first. */
const sn_value *sn__value_merge(sn_arena *arena, const sn_value *under, const sn_value *over);

#endif
