#include <string.h>

#include "base/report_internal.h"
#include "files/value_make.h"
#include "robot/kinematics_inv.h"

/* `leg1_q_min` names the chain `leg1` and one of these. */
static const char *const suffixes[] = {"_q_min", "_q_max", "_tolerance"};
enum { Q_MIN, Q_MAX, TOLERANCE, SUFFIX_COUNT };

typedef struct original {
  sn_arena *arena;
  sn_report *report;
  const sn_value *limits, *free; /* lists */
  bool is_starved;
} original;

static int find_suffix(const sn_value *item, size_t *length) {
  for (int i = 0; i < SUFFIX_COUNT; i++) {
    const size_t all = strlen(item->name);
    const size_t end = strlen(suffixes[i]);
    if (item->kind == SN_VALUE_LIST && all > end &&
        strcmp(item->name + all - end, suffixes[i]) == 0) {
      *length = all - end;
      return i;
    }
  }
  return -1;
}

static const sn_value *keep(original *o, const sn_value *prop) {
  o->is_starved = o->is_starved || prop == NULL;
  return prop;
}

/* The entry of a chain, or where a new one would be. */
static size_t find_entry(const sn_value *list, const char *chain) {
  size_t i = 0;
  while (i < list->item_count && strcmp(sn_value_find(list->items[i], "chain")->text, chain) != 0) {
    i++;
  }
  return i;
}

/* Put a value under a key into the chain's entry of a list. */
static const sn_value *put(original *o, const sn_value *list, const char *chain, const char *key,
                           const sn_value *value) {
  const size_t index = find_entry(list, chain);
  const sn_value *named = keep(o, sn__value_rename(o->arena, value, key, value->name_place));
  if (o->is_starved) {
    return list;
  }
  if (index < list->item_count) {
    const sn_value *entry = keep(o, sn__value_add(o->arena, list->items[index], named));
    return o->is_starved ? list : keep(o, sn__value_replace(o->arena, list, index, entry));
  }
  const sn_value *name = sn__value_make_text(o->arena, "chain", chain, value->place);
  const sn_value *entry = keep(o, sn__value_make_bag(o->arena, "", name, value->place));
  entry = o->is_starved ? NULL : keep(o, sn__value_add(o->arena, entry, named));
  return o->is_starved ? list : keep(o, sn__value_add(o->arena, list, entry));
}

static void take_tolerance(original *o, const char *chain, const sn_value *item) {
  static const char *const axes[] = {"x", "y", "z", "rx", "ry", "rz"};
  const sn_value *list = keep(o, sn__value_make_list(o->arena, "axes", NULL, 0, item->place));
  for (size_t i = 0; !o->is_starved && i < item->item_count && i < 6; i++) {
    double tolerance = 0.0;
    if (sn_value_number(item->items[i], &tolerance) && tolerance != 0.0) {
      list = keep(o, sn__value_add(o->arena, list,
                                   sn__value_make_text(o->arena, "", axes[i], item->place)));
    }
  }
  if (!o->is_starved) {
    sn__report_add(o->report, SN_SEVERITY_WARNING, item->place, NULL,
                   "'%.60s': axes with a tolerance that is not 0 are free, whatever its size",
                   item->name);
    o->free = put(o, o->free, chain, "axes", list);
  }
}

/* @return whether it was in the form of the original system */
static bool take(original *o, const sn_value *item) {
  size_t length = 0;
  const int suffix = find_suffix(item, &length);
  if (suffix < 0) {
    return false;
  }
  const char *chain = sn_arena_text(o->arena, item->name, length);
  if (chain == NULL) {
    o->is_starved = true;
  } else if (suffix == TOLERANCE) {
    take_tolerance(o, chain, item);
  } else {
    o->limits = put(o, o->limits, chain, suffixes[suffix] + 1, item);
  }
  return true;
}

const sn_value *sn__kinematics_inv_translate(sn_arena *arena, const sn_value *bag,
                                             sn_report *report) {
  original o = {.arena = arena,
                .report = report,
                .limits = sn__value_make_list(arena, "limits", NULL, 0, bag->place),
                .free = sn__value_make_list(arena, "free", NULL, 0, bag->place)};
  const sn_value *rest = sn__value_make_empty(arena, bag->name, bag->place);
  o.is_starved = o.limits == NULL || o.free == NULL || rest == NULL;
  for (size_t i = 0; !o.is_starved && i < bag->item_count; i++) {
    if (!take(&o, bag->items[i])) {
      rest = keep(&o, sn__value_add(arena, rest, bag->items[i]));
    }
  }
  const sn_value *const lists[] = {o.limits, o.free};
  for (size_t i = 0; !o.is_starved && i < 2; i++) {
    if (lists[i]->item_count > 0) {
      rest = keep(&o, sn__value_add(arena, rest, lists[i]));
    }
  }
  return o.is_starved ? NULL : rest;
}
