#include "model/props_make.h"

const sn_prop *sn__prop_make_text(sn_arena *arena, const char *name, const char *text,
                                  sn_place place) {
  sn_prop *prop = SN_NEW(arena, sn_prop, 1);
  if (prop != NULL) {
    *prop = (sn_prop){.name = name, .text = text, .place = place, .name_place = place};
  }
  return prop;
}

sn_prop *sn__prop_make_room(sn_arena *arena, const char *name, size_t count, sn_place place,
                            const sn_prop ***items) {
  sn_prop *prop = SN_NEW(arena, sn_prop, 1);
  *items = SN_NEW(arena, const sn_prop *, count);
  if (prop == NULL || *items == NULL) {
    return NULL;
  }
  *prop = (sn_prop){.name = name,
                    .kind = SN_PROP_BAG,
                    .item_count = count,
                    .items = *items,
                    .place = place,
                    .name_place = place};
  return prop;
}

const sn_prop *sn__prop_make_bag(sn_arena *arena, const char *name, const sn_prop *item,
                                 sn_place place) {
  const sn_prop **items = NULL;
  sn_prop *bag = item == NULL ? NULL : sn__prop_make_room(arena, name, 1, place, &items);
  if (bag != NULL) {
    items[0] = item;
  }
  return bag;
}

const sn_prop *sn__prop_make_empty(sn_arena *arena, const char *name, sn_place place) {
  const sn_prop **items = NULL;
  return sn__prop_make_room(arena, name, 0, place, &items);
}

const sn_prop *sn__prop_rename(sn_arena *arena, const sn_prop *prop, const char *name,
                               sn_place name_place) {
  sn_prop *copy = prop == NULL ? NULL : SN_NEW(arena, sn_prop, 1);
  if (copy != NULL) {
    *copy = *prop;
    copy->name = name;
    copy->name_place = name_place;
  }
  return copy;
}

const sn_prop *sn__prop_append(sn_arena *arena, const sn_prop *first, const sn_prop *second) {
  const size_t count = first->item_count + second->item_count;
  const sn_prop **items = SN_NEW(arena, const sn_prop *, count);
  sn_prop *list = SN_NEW(arena, sn_prop, 1);
  if (items == NULL || list == NULL) {
    return NULL;
  }
  for (size_t i = 0; i < count; i++) {
    items[i] = i < first->item_count ? first->items[i] : second->items[i - first->item_count];
  }
  *list = *second;
  list->items = items;
  list->item_count = count;
  return list;
}

const sn_prop *sn__prop_make_list(sn_arena *arena, const char *name, const sn_prop *const *items,
                                  size_t count, sn_place place) {
  const sn_prop **copy = NULL;
  sn_prop *list = sn__prop_make_room(arena, name, count, place, &copy);
  for (size_t i = 0; list != NULL && i < count; i++) {
    copy[i] = items[i];
    list = items[i] == NULL ? NULL : list;
  }
  if (list != NULL) {
    list->kind = SN_PROP_LIST;
  }
  return list;
}

const sn_prop *sn__prop_replace(sn_arena *arena, const sn_prop *prop, size_t index,
                                const sn_prop *item) {
  const sn_prop **items = SN_NEW(arena, const sn_prop *, prop->item_count);
  sn_prop *copy = SN_NEW(arena, sn_prop, 1);
  if (item == NULL || items == NULL || copy == NULL) {
    return NULL;
  }
  for (size_t i = 0; i < prop->item_count; i++) {
    items[i] = i == index ? item : prop->items[i];
  }
  *copy = *prop;
  copy->items = items;
  return copy;
}

const sn_prop *sn__prop_add(sn_arena *arena, const sn_prop *prop, const sn_prop *item) {
  const sn_prop **items = SN_NEW(arena, const sn_prop *, prop->item_count + 1);
  sn_prop *copy = SN_NEW(arena, sn_prop, 1);
  if (item == NULL || items == NULL || copy == NULL) {
    return NULL;
  }
  for (size_t i = 0; i < prop->item_count; i++) {
    items[i] = prop->items[i];
  }
  items[prop->item_count] = item;
  *copy = *prop;
  copy->items = items;
  copy->item_count++;
  return copy;
}
