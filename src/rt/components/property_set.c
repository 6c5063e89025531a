#include <string.h>

#include "base/report_internal.h"
#include "files/value_tree.h"
#include "rt/components/property.h"
#include "rt/components/property_access.h"
#include "sinew/fault.h"

/* A value that is stored once all others are known to be valid. */
typedef struct change {
  struct change *next;
  void *at;
  size_t size;
  union {
    bool boolean;
    int64_t integer;
    double real;
    const char *text;
    sn_reals reals;
    sn_texts texts;
    const sn_value *tree;
    sn_bags bags;
  } value;
} change;

/* Everything is read twice: the first pass only checks, so that nothing is allocated for an invalid
   value; the second pass creates the values. */
typedef struct setter {
  sn_arena *arena;
  sn_arena *scratch; /* of the changes */
  sn_report *report;
  bool make;
  change *changes;
  sn_status status; /* the first failure except SN_EINVAL, which is in the report */
} setter;

typedef sn__property_path path;

static bool is_null(const sn_value *value) {
  return sn__value_is_empty(value) ||
         (value->kind == SN_VALUE_TEXT && strcmp(value->text, "null") == 0);
}

static void put_change(setter *s, change made, void *at, size_t size) {
  change *kept = s->make ? SN_NEW(s->scratch, change, 1) : NULL;
  if (kept != NULL) {
    *kept = made;
    kept->at = at;
    kept->size = size;
    kept->next = s->changes;
    s->changes = kept;
  } else if (s->make) {
    s->status = SN_ENOMEM;
  }
}

/* ---- texts and lists ---- */

/* @return a copy in the second pass, a non-NULL text in the first; NULL if the value is invalid */
static const char *read_text(setter *s, const path *at, const sn_property *property,
                             const sn_value *value) {
  if (!sn__property_check_text(s->report, at, property, value)) {
    return NULL;
  }
  if (!s->make) {
    return "";
  }
  const char *copy = sn_arena_text(s->arena, value->text, strlen(value->text));
  s->status = copy == NULL ? SN_ENOMEM : s->status;
  return copy;
}

/* Memory for the items, in the second pass. @return NULL in the first */
static void *make_items(setter *s, size_t count, size_t size) {
  void *items = s->make ? sn_arena_alloc_array(s->arena, count, size, alignof(max_align_t)) : NULL;
  s->status = s->make && items == NULL ? SN_ENOMEM : s->status;
  return items;
}

static void set_reals(setter *s, const path *at, const sn_property *property, void *object,
                      const sn_value *value) {
  if (!sn__property_check_list(s->report, at, property, value)) {
    return;
  }
  double *numbers = make_items(s, value->item_count, sizeof *numbers);
  for (size_t i = 0; i < value->item_count; i++) {
    double number = 0.0;
    if (sn__property_read_real(s->report, &(path){at, NULL, i}, property, value->items[i],
                               &number) &&
        numbers != NULL) {
      numbers[i] = number;
    }
  }
  put_change(s, (change){.value.reals = {numbers, value->item_count}}, object, sizeof(sn_reals));
}

static void set_texts(setter *s, const path *at, const sn_property *property, void *object,
                      const sn_value *value) {
  if (!sn__property_check_list(s->report, at, property, value)) {
    return;
  }
  const char **texts = make_items(s, value->item_count, sizeof *texts);
  for (size_t i = 0; i < value->item_count; i++) {
    const char *text = read_text(s, &(path){at, NULL, i}, property, value->items[i]);
    if (texts != NULL) {
      texts[i] = text;
    }
  }
  put_change(s, (change){.value.texts = {texts, value->item_count}}, object, sizeof(sn_texts));
}

/* ---- bags ---- */

static void set_bag(setter *s, const path *at, const sn_property *table, void *object,
                    const sn_value *bag);

static void set_bags(setter *s, const path *at, const sn_property *property, void *object,
                     const sn_value *value) {
  if (!sn__property_check_list(s->report, at, property, value)) {
    return;
  }
  char *structs = make_items(s, value->item_count, property->item_size);
  for (size_t i = 0; i < value->item_count && s->status == SN_OK; i++) {
    const path item = {at, NULL, i};
    void *to = structs == NULL ? NULL : structs + i * property->item_size;
    if (to != NULL) {
      s->status = sn__property_init_values(property->items, to, s->arena);
    } else {
      char name[SN__PROPERTY_PATH_SIZE];
      sn__property_path_text(&item, name);
      sn__property_check_required(property->items, value->items[i], name, value->items[i]->place,
                                  s->report);
    }
    if (s->status == SN_OK) {
      set_bag(s, &item, property->items, to, value->items[i]);
    }
  }
  put_change(s, (change){.value.bags = {structs, value->item_count}}, object, sizeof(sn_bags));
}

static void set_tree(setter *s, void *object, const sn_value *value) {
  const sn_value *copy = NULL;
  if (s->make && !is_null(value)) {
    copy = sn__value_copy(s->arena, value);
    s->status = copy == NULL ? SN_ENOMEM : s->status;
  }
  put_change(s, (change){.value.tree = copy}, object, sizeof copy);
}

/* Recursion is bounded by the table, or by the depth of a file if the table contains itself. */
static void set_one(setter *s, const path *at, const sn_property *property, void *object,
                    const sn_value *value) {
  void *member = object == NULL ? NULL : (char *)object + property->offset;
  change made = {0};
  switch (property->kind) {
    case SN_PROPERTY_BOOL:
      if (sn__property_read_boolean(s->report, at, value, &made.value.boolean)) {
        put_change(s, made, member, sizeof(bool));
      }
      break;
    case SN_PROPERTY_INT:
      if (sn__property_read_integer(s->report, at, property, value, &made.value.integer)) {
        put_change(s, made, member, sizeof(int64_t));
      }
      break;
    case SN_PROPERTY_REAL:
      if (sn__property_read_real(s->report, at, property, value, &made.value.real)) {
        put_change(s, made, member, sizeof(double));
      }
      break;
    case SN_PROPERTY_TEXT:
      made.value.text = read_text(s, at, property, value);
      put_change(s, made, member, sizeof(const char *));
      break;
    case SN_PROPERTY_REALS:
      set_reals(s, at, property, member, value);
      break;
    case SN_PROPERTY_TEXTS:
      set_texts(s, at, property, member, value);
      break;
    case SN_PROPERTY_TREE:
      set_tree(s, member, value);
      break;
    case SN_PROPERTY_BAG:
      set_bag(s, at, property->items, member, value);
      break;
    case SN_PROPERTY_BAGS:
      set_bags(s, at, property, member, value);
      break;
  }
}

static void set_bag(setter *s, const path *at, const sn_property *table, void *object,
                    const sn_value *bag) {
  if (!sn__property_check_bag(s->report, at, bag)) {
    return;
  }
  for (size_t i = 0; i < bag->item_count && s->status == SN_OK; i++) {
    const sn_value *item = bag->items[i];
    const sn_property *property = sn_property_find(table, item->name);
    if (property == NULL) {
      sn__property_report_unknown(s->report, at, table, item);
    } else if (strcmp(item->name, property->name) != 0 &&
               sn_value_find(bag, property->name) != NULL) {
      sn__report_add(s->report, SN_SEVERITY_ERROR, item->name_place, "remove one of them",
                     "'%.60s' and '%.60s' are the same property, given twice", item->name,
                     property->name);
    } else {
      set_one(s, &(path){at, property->name, 0}, property, object, item);
    }
  }
}

/* One pass over a property, or over all properties of a bag. */
static void walk(setter *s, const path *at, const sn_property *property, const sn_property *table,
                 void *object, const sn_value *value) {
  if (property != NULL) {
    set_one(s, at, property, object, value);
  } else {
    set_bag(s, at, table, object, value);
  }
}

static sn_status set(const sn_property *property, const sn_property *table, void *object,
                     const sn_value *value, const char *name, sn_arena *arena, sn_report *report) {
  const size_t errors_before = sn_report_error_count(report);
  const path at = {.name = name};
  setter s = {.arena = arena, .report = report};
  walk(&s, &at, property, table, NULL, value);
  if (sn_report_error_count(report) > errors_before) {
    return SN_EINVAL;
  }
  sn_arena scratch;
  sn_arena_init_growing(&scratch, "changes of properties", 0);
  const sn_arena_mark mark = sn_arena_save(arena);
  s.scratch = &scratch;
  s.make = true;
  walk(&s, &at, property, table, object, value);
  if (s.status != SN_OK) {
    sn_arena_restore(arena, mark);
  } else {
    for (const change *c = s.changes; c != NULL; c = c->next) {
      memcpy(c->at, &c->value, c->size);
    }
  }
  sn_arena_release(&scratch);
  return s.status;
}

sn_status sn__property_set(const sn_property *property, void *object, const sn_value *value,
                           const char *path_text, sn_arena *arena, sn_report *report) {
  return set(property, NULL, object, value, path_text, arena, report);
}

sn_status sn__property_set_all(const sn_property *table, void *object, const sn_value *bag,
                               const char *path_text, sn_arena *arena, sn_report *report) {
  return set(NULL, table, object, bag, path_text, arena, report);
}

bool sn__property_check_zero(const sn_property *property, const char *name, sn_report *report) {
  const size_t errors_before = sn_report_error_count(report);
  const sn_value zero = {.name = "", .text = "0", .place = {.file = "initial"}};
  const sn_value empty = {.name = "", .text = "", .place = {.file = "initial"}};
  setter s = {.report = report};
  const path at = {.name = name};
  switch (property->kind) {
    case SN_PROPERTY_INT:
    case SN_PROPERTY_REAL:
      set_one(&s, &at, property, NULL, &zero);
      break;
    case SN_PROPERTY_TEXT:
    case SN_PROPERTY_REALS:
    case SN_PROPERTY_TEXTS:
    case SN_PROPERTY_BAGS:
      set_one(&s, &at, property, NULL, &empty);
      break;
    case SN_PROPERTY_BOOL:
    case SN_PROPERTY_TREE:
    case SN_PROPERTY_BAG:
      break;
  }
  return sn_report_error_count(report) == errors_before;
}
