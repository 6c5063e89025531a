#include "deploy/merge.h"

#include <string.h>

#include "model/props_tree.h"
#include "sinew/fault.h"
#include "sinew/names.h"

/* Names of a bag, to look them up: both bags may be large. */
static const sn_names *index_names(sn_arena *scratch, const sn_prop *bag) {
  const char **texts = SN_NEW(scratch, const char *, bag->item_count);
  const sn_names *names = NULL;
  for (size_t i = 0; texts != NULL && i < bag->item_count; i++) {
    texts[i] = bag->items[i]->name;
  }
  const bool good =
      texts != NULL && sn_names_create(scratch, texts, bag->item_count, &names, NULL) == SN_OK;
  return good ? names : NULL;
}

/* One pair of bags under way. */
typedef struct level {
  const sn_prop *under, *over;
  sn_prop *result;
  const sn_prop **items;
  const sn_names *names; /* of over */
  size_t next;           /* item of under */
} level;

static bool open_level(sn_arena *arena, sn_arena *scratch, const sn_prop *under,
                       const sn_prop *over, level *out) {
  *out = (level){.under = under, .over = over, .names = index_names(scratch, over)};
  const size_t room = under->item_count + over->item_count;
  out->result = sn__prop_make_room(arena, over->name, room, over->place, &out->items);
  if (out->result == NULL || out->names == NULL) {
    return false;
  }
  out->result->item_count = 0;
  return true;
}

/* What stands in over only comes last. */
static bool close_level(sn_arena *scratch, level *l) {
  const sn_names *known = index_names(scratch, l->under);
  for (size_t i = 0; known != NULL && i < l->over->item_count; i++) {
    if (sn_names_index(known, l->over->items[i]->name) < 0) {
      l->items[l->result->item_count++] = l->over->items[i];
    }
  }
  return known != NULL;
}

static const sn_prop *merge_bags(sn_arena *arena, sn_arena *scratch, const sn_prop *under,
                                 const sn_prop *over) {
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
    const sn_prop *old = l->under->items[l->next++];
    const int index = sn_names_index(l->names, old->name);
    const sn_prop *new = index < 0 ? old : l->over->items[index];
    if (new != old && old->kind == SN_PROP_BAG &&new->kind == SN_PROP_BAG) {
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

const sn_prop *sn__prop_merge(sn_arena *arena, const sn_prop *under, const sn_prop *over) {
  if (under == NULL || over == NULL) {
    return NULL;
  }
  if (under->kind != SN_PROP_BAG || over->kind != SN_PROP_BAG) {
    return over;
  }
  sn_arena scratch;
  sn_arena_init_growing(&scratch, "merge", 0);
  const sn_prop *merged = merge_bags(arena, &scratch, under, over);
  sn_arena_release(&scratch);
  return merged;
}
