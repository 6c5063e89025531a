#include "files/value_make.h"

const sn_value *sn__value_make_text(sn_arena *arena, const char *name, const char *text,
                                    sn_place place) {
  sn_value *value = SN_NEW(arena, sn_value, 1);
  if (value != NULL) {
    *value = (sn_value){.name = name, .text = text, .place = place, .name_place = place};
  }
  return value;
}

sn_value *sn__value_make_room(sn_arena *arena, const char *name, size_t count, sn_place place,
                              const sn_value ***items) {
  sn_value *value = SN_NEW(arena, sn_value, 1);
  *items = SN_NEW(arena, const sn_value *, count);
  if (value == NULL || *items == NULL) {
    return NULL;
  }
  *value = (sn_value){.name = name,
                      .kind = SN_VALUE_BAG,
                      .item_count = count,
                      .items = *items,
                      .place = place,
                      .name_place = place};
  return value;
}

const sn_value *sn__value_make_bag(sn_arena *arena, const char *name, const sn_value *item,
                                   sn_place place) {
  const sn_value **items = NULL;
  sn_value *bag = item == NULL ? NULL : sn__value_make_room(arena, name, 1, place, &items);
  if (bag != NULL) {
    items[0] = item;
  }
  return bag;
}

const sn_value *sn__value_make_empty(sn_arena *arena, const char *name, sn_place place) {
  const sn_value **items = NULL;
  return sn__value_make_room(arena, name, 0, place, &items);
}

const sn_value *sn__value_rename(sn_arena *arena, const sn_value *value, const char *name,
                                 sn_place name_place) {
  sn_value *copy = value == NULL ? NULL : SN_NEW(arena, sn_value, 1);
  if (copy != NULL) {
    *copy = *value;
    copy->name = name;
    copy->name_place = name_place;
  }
  return copy;
}

const sn_value *sn__value_append(sn_arena *arena, const sn_value *first, const sn_value *second) {
  const size_t count = first->item_count + second->item_count;
  const sn_value **items = SN_NEW(arena, const sn_value *, count);
  sn_value *list = SN_NEW(arena, sn_value, 1);
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

const sn_value *sn__value_make_list(sn_arena *arena, const char *name, const sn_value *const *items,
                                    size_t count, sn_place place) {
  const sn_value **copy = NULL;
  sn_value *list = sn__value_make_room(arena, name, count, place, &copy);
  for (size_t i = 0; list != NULL && i < count; i++) {
    copy[i] = items[i];
    list = items[i] == NULL ? NULL : list;
  }
  if (list != NULL) {
    list->kind = SN_VALUE_LIST;
  }
  return list;
}

const sn_value *sn__value_replace(sn_arena *arena, const sn_value *value, size_t index,
                                  const sn_value *item) {
  const sn_value **items = SN_NEW(arena, const sn_value *, value->item_count);
  sn_value *copy = SN_NEW(arena, sn_value, 1);
  if (item == NULL || items == NULL || copy == NULL) {
    return NULL;
  }
  for (size_t i = 0; i < value->item_count; i++) {
    items[i] = i == index ? item : value->items[i];
  }
  *copy = *value;
  copy->items = items;
  return copy;
}

const sn_value *sn__value_add(sn_arena *arena, const sn_value *value, const sn_value *item) {
  const sn_value **items = SN_NEW(arena, const sn_value *, value->item_count + 1);
  sn_value *copy = SN_NEW(arena, sn_value, 1);
  if (item == NULL || items == NULL || copy == NULL) {
    return NULL;
  }
  for (size_t i = 0; i < value->item_count; i++) {
    items[i] = value->items[i];
  }
  items[value->item_count] = item;
  *copy = *value;
  copy->items = items;
  copy->item_count++;
  return copy;
}
