/** @file
 *  Internal: one property tree laid over another. Nodes are new, what is below them is shared. */
#ifndef SN_DEPLOY_MERGE_H
#define SN_DEPLOY_MERGE_H

#include "files/value_make.h"
#include "sinew/value.h"

/** All NULL if there is no memory; so is what is made of NULL. */

/** @p over laid over @p under: bags merge, item by item; of all else @p over stays. Names of @p
 * under come first. */
const sn_value *sn__value_merge(sn_arena *arena, const sn_value *under, const sn_value *over);

#endif
