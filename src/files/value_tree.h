/** @file
 *  Internal: builds a property tree from open, text and close events, without recursion. Both file
 *  formats use it. */
#ifndef SN_FILES_VALUE_TREE_H
#define SN_FILES_VALUE_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/value.h"

/** An item waiting in the list of the property that is open around it. */
typedef struct sn__value_item {
  sn_value *value;
  struct sn__value_item *previous;
} sn__value_item;

/** One open list or bag. */
typedef struct sn__value_level {
  sn_value *value;
  sn__value_item *last;
} sn__value_level;

typedef struct sn__value_builder {
  sn_arena *arena;   /**< of the tree */
  sn_arena *scratch; /**< of the lists while they grow */
  sn_report *report;
  sn__value_level levels[SN_VALUE_DEPTH_MAX + 1];
  size_t depth;
  sn_value *root; /**< set when the outermost property is complete */
  bool is_out_of_memory;
} sn__value_builder;

void sn__value_builder_init(sn__value_builder *builder, sn_arena *arena, sn_arena *scratch,
                            sn_report *report);

/** Begin a list or bag inside the present one.
 *  @return false if it is nested too deep (reported) or memory runs out */
bool sn__value_open(sn__value_builder *builder, const char *name, sn_value_kind kind,
                    sn_place place);

/** Add a scalar; outside of all lists and bags it is the root. @return NULL if memory runs out
 */
sn_value *sn__value_text(sn__value_builder *builder, const char *name, const char *text,
                         sn_place place);

/** End the present list or bag; names that appear twice in a bag are reported.
 *  @return false if memory runs out */
bool sn__value_close(sn__value_builder *builder);

/** The deepest tree that sn__value_copy() copies: a file's, inside a few more bags. */
#define SN__PROP_DEPTH_MAX (SN_VALUE_DEPTH_MAX + 16)

/** Copy a tree into another arena, with the file names that its places point to.
 *  @return NULL if memory runs out */
const sn_value *sn__value_copy(sn_arena *arena, const sn_value *value);

#endif
