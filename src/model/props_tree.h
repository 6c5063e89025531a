/** @file
 *  Internal: builds a property tree from open, text and close events, without recursion. Both file
 *  formats use it. */
#ifndef SN_MODEL_PROPS_TREE_H
#define SN_MODEL_PROPS_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/props.h"

/** An item waiting in the list of the property that is open around it. */
typedef struct sn__props_item {
  sn_prop *prop;
  struct sn__props_item *previous;
} sn__props_item;

/** One open list or bag. */
typedef struct sn__props_level {
  sn_prop *prop;
  sn__props_item *last;
} sn__props_level;

typedef struct sn__props_builder {
  sn_arena *arena;   /**< of the tree */
  sn_arena *scratch; /**< of the lists while they grow */
  sn_report *report;
  sn__props_level levels[SN_PROPS_DEPTH_MAX + 1];
  size_t depth;
  sn_prop *root; /**< set when the outermost property is complete */
  bool is_out_of_memory;
} sn__props_builder;

void sn__props_builder_init(sn__props_builder *builder, sn_arena *arena, sn_arena *scratch,
                            sn_report *report);

/** Begin a list or bag inside the present one.
 *  @return false if it is nested too deep (reported) or there is no memory */
bool sn__props_open(sn__props_builder *builder, const char *name, sn_prop_kind kind,
                    sn_place place);

/** Add a scalar; outside of all lists and bags it is the root. @return NULL if there is no memory
 */
sn_prop *sn__props_text(sn__props_builder *builder, const char *name, const char *text,
                        sn_place place);

/** End the present list or bag; names that stand twice in a bag are reported.
 *  @return false if there is no memory */
bool sn__props_close(sn__props_builder *builder);

/** The deepest tree that sn__prop_copy() is given: a file's, within some bags more. */
#define SN__PROP_DEPTH_MAX (SN_PROPS_DEPTH_MAX + 16)

/** A tree in another arena, with the names of files that its places point to.
 *  @return NULL if there is no memory */
const sn_prop *sn__prop_copy(sn_arena *arena, const sn_prop *prop);

#endif
