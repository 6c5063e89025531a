#include "deploy/merge.h"

#include <string.h>

#include "files/value_tree.h"
#include "sinew/fault.h"
#include "sinew/names.h"

/* An index of the names of a bag; both bags may be large. */
static const sn_names *index_names(sn_arena *scratch, const sn_value *bag) {
  const char **texts = SN_NEW(scratch, const char *, bag->item_count);
  const sn_names *names = NULL;
  for (size_t i = 0; texts != NULL && i < bag->item_count; i++) {
    texts[i] = bag->items[i]->name;
  }
  const bool good =
      texts != NULL && sn_names_create(scratch, texts, bag->item_count, &names, NULL) == SN_OK;
  return good ? names : NULL;
}

/* One pair of bags that is being merged. */
typedef struct level {
  const sn_value *under, *over;
  sn_value *result;
  const sn_value **items;
  const sn_names *names; /* of over */
  size_t next;           /* item of under */
} level;

static bool open_level(sn_arena *arena, sn_arena *scratch, const sn_value *under,
                       const sn_value *over, level *out) {
  *out = (level){.under = under, .over = over, .names = index_names(scratch, over)};
  const size_t room = under->item_count + over->item_count;
  out->result = sn__value_make_room(arena, over->name, room, over->place, &out->items);
  if (out->result == NULL || out->names == NULL) {
    return false;
  }
  out->result->item_count = 0;
  return true;
}

/* What is only in `over` comes last. */
static bool close_level(sn_arena *scratch, level *l) {
  const sn_names *known = index_names(scratch, l->under);
  for (size_t i = 0; known != NULL && i < l->over->item_count; i++) {
    if (sn_names_index(known, l->over->items[i]->name) < 0) {
      l->items[l->result->item_count++] = l->over->items[i];
    }
  }
  return known != NULL;
}

static const sn_value *merge_bags(sn_arena *arena, sn_arena *scratch, const sn_value *under,
                                  const sn_value *over) {
  level open[SN__PROP_DEPTH_MAX];
  size_t depth = 1;
  if (!open_level(arena, scratch, under, over, &open[0])) {
    return NULL;
  }
  while (depth > 0) {
    level *l = &open[depth - 1];
    if (l->next == l->under->item_count) {
      if (!close_level(scratch, l)) {
        return NULL;
      }
      depth--;
      continue;
    }
    const sn_value *old = l->under->items[l->next++];
    const int index = sn_names_index(l->names, old->name);
    const sn_value *new = index < 0 ? old : l->over->items[index];
    if (new != old && old->kind == SN_VALUE_BAG &&new->kind == SN_VALUE_BAG) {
      SN_ASSERT(depth < SN__PROP_DEPTH_MAX);
      if (!open_level(arena, scratch, old, new, &open[depth])) {
        return NULL;
      }
      new = open[depth].result;
      depth++;
    }
    l->items[l->result->item_count++] = new;
  }
  return open[0].result;
}

const sn_value *sn__value_merge(sn_arena *arena, const sn_value *under, const sn_value *over) {
  if (under == NULL || over == NULL) {
    return NULL;
  }
  if (under->kind != SN_VALUE_BAG || over->kind != SN_VALUE_BAG) {
    return over;
  }
  sn_arena scratch;
  sn_arena_init_growing(&scratch, "merge", 0);
  const sn_value *merged = merge_bags(arena, &scratch, under, over);
  sn_arena_release(&scratch);
  return merged;
}
