#include "files/value_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/report_internal.h"
#include "base/text.h"

void sn__value_builder_init(sn__value_builder *builder, sn_arena *arena, sn_arena *scratch,
                            sn_report *report) {
  builder->arena = arena;
  builder->scratch = scratch;
  builder->report = report;
  builder->depth = 0;
  builder->root = NULL;
  builder->is_out_of_memory = false;
}

/* A property inside the present list or bag. Items of a list have no names. */
static sn_value *add(sn__value_builder *builder, const char *name, sn_value_kind kind,
                     sn_place place) {
  if (sn__text_has_control(name)) {
    sn__report_add(builder->report, SN_SEVERITY_ERROR, place, NULL,
                   "'%.80s': a name must not hold a control character", name);
  }
  sn__value_level *level = builder->depth == 0 ? NULL : &builder->levels[builder->depth - 1];
  const char *shown = level != NULL && level->value->kind == SN_VALUE_LIST ? "" : name;
  sn_value *value = SN_NEW(builder->arena, sn_value, 1);
  const char *name_copy = sn_arena_text(builder->arena, shown, strlen(shown));
  sn__value_item *item = SN_NEW(builder->scratch, sn__value_item, 1);
  if (value == NULL || name_copy == NULL || item == NULL) {
    builder->is_out_of_memory = true;
    return NULL;
  }
  *value = (sn_value){.name = name_copy, .kind = kind, .place = place, .name_place = place};
  if (level != NULL) {
    *item = (sn__value_item){.value = value, .previous = level->last};
    level->last = item;
    level->value->item_count++;
  }
  return value;
}

bool sn__value_open(sn__value_builder *builder, const char *name, sn_value_kind kind,
                    sn_place place) {
  if (builder->depth > SN_VALUE_DEPTH_MAX) {
    sn__report_add(builder->report, SN_SEVERITY_ERROR, place, NULL,
                   "nested too deep, at most %d levels are allowed", SN_VALUE_DEPTH_MAX);
    return false;
  }
  sn_value *value = add(builder, name, kind, place);
  if (value == NULL) {
    return false;
  }
  builder->levels[builder->depth++] = (sn__value_level){.value = value};
  return true;
}

sn_value *sn__value_text(sn__value_builder *builder, const char *name, const char *text,
                         sn_place place) {
  sn_value *value = add(builder, name, SN_VALUE_TEXT, place);
  if (sn__text_has_control_in_lines(text)) {
    sn__report_add(builder->report, SN_SEVERITY_ERROR, place, NULL,
                   "'%.80s': a text must not hold a control character", name);
  }
  if (value != NULL) {
    value->text = sn_arena_text(builder->arena, text, strlen(text));
    builder->is_out_of_memory = builder->is_out_of_memory || value->text == NULL;
    if (builder->depth == 0) {
      builder->root = value;
    }
  }
  return value;
}

static int compare_names(const void *a, const void *b) {
  const sn_value *const *x = a;
  const sn_value *const *y = b;
  const int order = strcmp((*x)->name, (*y)->name);
  if (order != 0) {
    return order;
  }
  const sn_place p = (*x)->place;
  const sn_place q = (*y)->place;
  return p.line != q.line ? (p.line > q.line ? 1 : -1)
                          : (p.column > q.column) - (p.column < q.column);
}

/* Report names that appear twice, by sorting a copy: a bag may be large. */
static bool check_names(sn__value_builder *builder, const sn_value *bag) {
  const sn_value **sorted = SN_NEW(builder->scratch, const sn_value *, bag->item_count);
  if (sorted == NULL) {
    return false;
  }
  if (bag->item_count > 0) {
    memcpy(sorted, bag->items, bag->item_count * sizeof *sorted);
    qsort(sorted, bag->item_count, sizeof *sorted, compare_names);
  }
  for (size_t i = 1; i < bag->item_count; i++) {
    if (strcmp(sorted[i - 1]->name, sorted[i]->name) == 0) {
      sn__report_add(builder->report, SN_SEVERITY_ERROR, sorted[i]->place, NULL,
                     "'%.80s' appears twice, first in line %u", sorted[i]->name,
                     sorted[i - 1]->place.line);
    }
  }
  return true;
}

bool sn__value_close(sn__value_builder *builder) {
  const sn__value_level *level = &builder->levels[--builder->depth];
  sn_value *value = level->value;
  const sn_value **items = SN_NEW(builder->arena, const sn_value *, value->item_count);
  if (items == NULL) {
    builder->is_out_of_memory = true;
    return false;
  }
  size_t i = value->item_count;
  for (const sn__value_item *item = level->last; item != NULL; item = item->previous) {
    items[--i] = item->value;
  }
  value->items = items;
  if (builder->depth == 0) {
    builder->root = value;
  }
  if (value->kind == SN_VALUE_BAG && !check_names(builder, value)) {
    builder->is_out_of_memory = true;
    return false;
  }
  return true;
}
