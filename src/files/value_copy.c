#include <string.h>

#include "files/value_tree.h"
#include "sinew/fault.h"

/* Nearly all places of a tree are in one file, so its name is copied once. */
typedef struct copier {
  sn_arena *arena;
  const char *file;
  const char *file_copy;
} copier;

static bool copy_file(copier *c, const char *file) {
  if (file != NULL && file != c->file) {
    c->file = file;
    c->file_copy = sn_arena_text(c->arena, file, strlen(file));
  }
  return file == NULL || c->file_copy != NULL;
}

/* The array of items is allocated but empty. */
static sn_value *copy_one(copier *c, const sn_value *from, const sn_value ***items) {
  sn_value *to = SN_NEW(c->arena, sn_value, 1);
  const char *name = sn_arena_text(c->arena, from->name, strlen(from->name));
  const char *text =
      from->text == NULL ? "" : sn_arena_text(c->arena, from->text, strlen(from->text));
  const char *type =
      from->type == NULL ? "" : sn_arena_text(c->arena, from->type, strlen(from->type));
  *items = SN_NEW(c->arena, const sn_value *, from->item_count);
  if (to == NULL || name == NULL || text == NULL || type == NULL || *items == NULL ||
      !copy_file(c, from->place.file)) {
    return NULL;
  }
  *to = *from;
  to->name = name;
  to->text = from->text == NULL ? NULL : text;
  to->type = from->type == NULL ? NULL : type;
  to->items = *items;
  to->place.file = from->place.file == NULL ? NULL : c->file_copy;
  to->name_place.file = to->place.file;
  return to;
}

const sn_value *sn__value_copy(sn_arena *arena, const sn_value *value) {
  struct level {
    const sn_value *from;
    const sn_value **items;
    size_t next;
  } open[SN__PROP_DEPTH_MAX];
  copier c = {.arena = arena};
  size_t depth = 1;
  open[0] = (struct level){.from = value};
  const sn_value *root = copy_one(&c, value, &open[0].items);
  while (root != NULL && depth > 0) {
    struct level *level = &open[depth - 1];
    if (level->next == level->from->item_count) {
      depth--;
      continue;
    }
    SN_ASSERT(depth < SN__PROP_DEPTH_MAX);
    const size_t i = level->next++;
    open[depth] = (struct level){.from = level->from->items[i]};
    level->items[i] = copy_one(&c, level->from->items[i], &open[depth].items);
    if (level->items[i] == NULL) {
      return NULL;
    }
    depth++;
  }
  return root;
}
