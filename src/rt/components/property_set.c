#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/number.h"
#include "base/sink.h"
#include "base/text.h"
#include "files/value_tree.h"
#include "rt/components/property.h"
#include "sinew/fault.h"

/* A value that waits until all others are known to be good. */
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

/* Everything is read twice: first only looked at, so that nothing is allocated for a bad value,
   then made. */
typedef struct setter {
  sn_arena *arena;
  sn_arena *scratch; /* of the changes */
  sn_report *report;
  bool make;
  change *changes;
  sn_status status; /* the first failure but SN_EINVAL, which the report knows */
} setter;

typedef sn__property_path path;

static void complain(setter *s, const path *at, const sn_value *value, const char *hint,
                     const char *format, ...) SN_PRINTF(5, 6);

static void complain(setter *s, const path *at, const sn_value *value, const char *hint,
                     const char *format, ...) {
  char name[SN__PROPERTY_PATH_SIZE];
  char message[256];
  sn__property_path_text(at, name);
  va_list args;
  va_start(args, format);
  sn__text_format(message, sizeof message, format, args);
  va_end(args);
  sn_report_add(s->report, SN_SEVERITY_ERROR, value->place, hint, "'%s' %s", name, message);
}

/* An empty scalar (`key:` in YAML) is what an empty list or bag looks like. */
static bool is_empty(const sn_value *value) {
  return value->kind == SN_VALUE_TEXT && (*value->text == '\0' || strcmp(value->text, "~") == 0);
}

static bool is_null(const sn_value *value) {
  return is_empty(value) || (value->kind == SN_VALUE_TEXT && strcmp(value->text, "null") == 0);
}

static void complain_kind(setter *s, const path *at, const sn_value *value, const char *expected) {
  static const char *const kinds[] = {[SN_VALUE_TEXT] = "empty",
                                      [SN_VALUE_LIST] = "a list",
                                      [SN_VALUE_BAG] = "a bag of properties"};
  if (value->kind == SN_VALUE_TEXT && *value->text != '\0') {
    complain(s, at, value, NULL, "is '%.60s', expected %s", value->text, expected);
  } else {
    complain(s, at, value, NULL, "is %s, expected %s", kinds[value->kind], expected);
  }
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

/* ---- numbers ---- */

static void put_range(sn__sink *sink, const sn_property *property) {
  const bool has_min = property->min > -HUGE_VAL;
  const bool has_max = property->max < HUGE_VAL;
  if (!has_min || !has_max) {
    sn__sink_text(sink, has_min ? "at least " : "at most ");
    sn__sink_number(sink, has_min ? property->min : property->max);
  } else {
    sn__sink_number(sink, property->min);
    sn__sink_text(sink, " .. ");
    sn__sink_number(sink, property->max);
  }
  if (property->unit != NULL && *property->unit != '\0') {
    sn__sink_text(sink, " ");
    sn__sink_text(sink, property->unit);
  }
}

static bool is_in_range(const sn_property *property, double value) {
  return (property->min == 0.0 && property->max == 0.0) ||
         (value >= property->min && value <= property->max);
}

static void complain_range(setter *s, const path *at, const sn_property *property,
                           const sn_value *value) {
  char range[100];
  sn__sink sink = {.out = range, .size = sizeof range};
  put_range(&sink, property);
  sn__sink_end(&sink);
  complain(s, at, value, NULL, "is %.60s, expected %s", value->text, range);
}

static bool read_real(setter *s, const path *at, const sn_property *property, const sn_value *value,
                      double *out) {
  if (value->kind != SN_VALUE_TEXT) {
    complain_kind(s, at, value, "a real number");
    return false;
  }
  switch (sn__number_parse(value->text, strlen(value->text), out)) {
    case SN__NUMBER_NOT_A_NUMBER:
      complain_kind(s, at, value, "a real number");
      return false;
    case SN__NUMBER_OUT_OF_RANGE:
      complain(s, at, value, NULL, "is %.60s, expected a finite number", value->text);
      return false;
    default:
      break;
  }
  if (!is_in_range(property, *out)) {
    complain_range(s, at, property, value);
    return false;
  }
  return true;
}

/* @return false if the text is no whole number, or one beyond 64 bits (then *is_large is set) */
static bool parse_integer(const char *text, int64_t *out, bool *is_large) {
  const bool is_negative = *text == '-';
  const char *digit = text + (*text == '-' || *text == '+');
  const uint64_t most = (uint64_t)INT64_MAX + is_negative;
  uint64_t size = 0;
  *is_large = false;
  if (*digit == '\0') {
    return false;
  }
  for (; *digit >= '0' && *digit <= '9'; digit++) {
    const uint64_t next = (uint64_t)(*digit - '0');
    *is_large = *is_large || size > (most - next) / 10;
    size = *is_large ? 0 : size * 10 + next;
  }
  if (*digit != '\0') {
    *is_large = false;
  }
  *out = is_negative ? (int64_t)(0 - size) : (int64_t)size;
  return *digit == '\0' && !*is_large;
}

static void set_integer(setter *s, const path *at, const sn_property *property, void *object,
                        const sn_value *value) {
  int64_t number = 0;
  bool is_large = false;
  if (value->kind != SN_VALUE_TEXT || !parse_integer(value->text, &number, &is_large)) {
    complain_kind(s, at, value, is_large ? "an integer of 64 bits" : "an integer");
  } else if (!is_in_range(property, (double)number)) {
    complain_range(s, at, property, value);
  } else {
    put_change(s, (change){.value.integer = number}, object, sizeof number);
  }
}

static void set_boolean(setter *s, const path *at, void *object, const sn_value *value) {
  static const char *const words[2][4] = {{"false", "False", "FALSE", "0"},
                                          {"true", "True", "TRUE", "1"}};
  for (size_t i = 0; value->kind == SN_VALUE_TEXT && i < 8; i++) {
    if (strcmp(value->text, words[i / 4][i % 4]) == 0) {
      put_change(s, (change){.value.boolean = i >= 4}, object, sizeof(bool));
      return;
    }
  }
  complain_kind(s, at, value, "true or false");
}

/* ---- texts ---- */

/* The next of `a|b|c`, which is not ended by a NUL. @return NULL at the end */
static const char *next_choice(const char **rest, size_t *length) {
  const char *word = *rest;
  if (word != NULL) {
    *length = strcspn(word, "|");
    *rest = word[*length] == '\0' ? NULL : word + *length + 1;
  }
  return word;
}

static bool is_choice(const char *choices, const char *text) {
  size_t length = 0;
  for (const char *word = NULL; (word = next_choice(&choices, &length)) != NULL;) {
    if (strlen(text) == length && memcmp(word, text, length) == 0) {
      return true;
    }
  }
  return false;
}

static void complain_choice(setter *s, const path *at, const sn_property *property,
                            const sn_value *value) {
  char known[200];
  sn__sink sink = {.out = known, .size = sizeof known};
  char near[SN__NEAREST_MAX + 1] = "";
  sn__nearest nearest;
  sn__nearest_init(&nearest, value->text);
  const char *rest = property->choices;
  size_t length = 0;
  for (const char *word = NULL; (word = next_choice(&rest, &length)) != NULL;) {
    sn__sink_text(&sink, word == property->choices ? "" : rest == NULL ? " or " : ", ");
    sn__sink_put(&sink, word, length);
    char name[SN__NEAREST_MAX + 1];
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    sn__nearest_offer(&nearest, name);
    if (nearest.name == name) {
      memcpy(near, name, sizeof near); /* the other is overwritten in the next turn */
      nearest.name = near;
    }
  }
  sn__sink_end(&sink);
  char hint[100];
  complain(s, at, value, sn__nearest_hint(&nearest, hint, sizeof hint, NULL),
           "is '%.60s', expected %s", value->text, known);
}

/* @return a copy if values are made, else a text that only says that it is good; NULL if it is not
 */
static const char *read_text(setter *s, const path *at, const sn_property *property,
                             const sn_value *value) {
  if (value->kind != SN_VALUE_TEXT) {
    complain_kind(s, at, value, "a text");
    return NULL;
  }
  if (property->choices != NULL && !is_choice(property->choices, value->text)) {
    complain_choice(s, at, property, value);
    return NULL;
  }
  if (!s->make) {
    return "";
  }
  const char *copy = sn_arena_text(s->arena, value->text, strlen(value->text));
  s->status = copy == NULL ? SN_ENOMEM : s->status;
  return copy;
}

/* ---- lists ---- */

static bool check_count(setter *s, const path *at, const sn_property *property,
                        const sn_value *value, size_t count) {
  const size_t min = property->count_min;
  const size_t max = property->count_max;
  if ((min == 0 && max == 0) || (count >= min && (count <= max || max == 0))) {
    return true;
  }
  char expected[60];
  if (min == max) {
    snprintf(expected, sizeof expected, "%zu", min);
  } else if (max == 0) {
    snprintf(expected, sizeof expected, "at least %zu", min);
  } else {
    snprintf(expected, sizeof expected, "%zu .. %zu", min, max);
  }
  complain(s, at, value, NULL, "has %zu item%s, expected %s", count, count == 1 ? "" : "s",
           expected);
  return false;
}

/* Is it a list of the right length? An empty scalar is an empty one. */
static bool check_list(setter *s, const path *at, const sn_property *property,
                       const sn_value *value) {
  if (value->kind != SN_VALUE_LIST && !is_empty(value)) {
    char expected[60];
    snprintf(expected, sizeof expected, "a %s", sn_property_kind_text(property->kind));
    complain_kind(s, at, value, expected);
    return false;
  }
  return check_count(s, at, property, value, value->item_count);
}

/* Room for the items, once they are made. @return NULL if there is nothing to make */
static void *make_items(setter *s, size_t count, size_t size) {
  void *items = s->make ? sn_arena_alloc_array(s->arena, count, size, alignof(max_align_t)) : NULL;
  s->status = s->make && items == NULL ? SN_ENOMEM : s->status;
  return items;
}

static void set_reals(setter *s, const path *at, const sn_property *property, void *object,
                      const sn_value *value) {
  if (!check_list(s, at, property, value)) {
    return;
  }
  double *numbers = make_items(s, value->item_count, sizeof *numbers);
  for (size_t i = 0; i < value->item_count; i++) {
    double number = 0.0;
    if (read_real(s, &(path){at, NULL, i}, property, value->items[i], &number) && numbers != NULL) {
      numbers[i] = number;
    }
  }
  put_change(s, (change){.value.reals = {numbers, value->item_count}}, object, sizeof(sn_reals));
}

static void set_texts(setter *s, const path *at, const sn_property *property, void *object,
                      const sn_value *value) {
  if (!check_list(s, at, property, value)) {
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
  if (!check_list(s, at, property, value)) {
    return;
  }
  char *structs = make_items(s, value->item_count, property->item_size);
  for (size_t i = 0; i < value->item_count && s->status == SN_OK; i++) {
    const path item = {at, NULL, i};
    void *to = structs == NULL ? NULL : structs + i * property->item_size;
    if (to != NULL) {
      s->status = sn_property_init(property->items, to, s->arena);
    } else {
      char name[SN__PROPERTY_PATH_SIZE];
      sn__property_path_text(&item, name);
      sn_property_check_required(property->items, value->items[i], name, value->items[i]->place,
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
  double real = 0.0;
  switch (property->kind) {
    case SN_PROPERTY_BOOL:
      set_boolean(s, at, member, value);
      break;
    case SN_PROPERTY_INT:
      set_integer(s, at, property, member, value);
      break;
    case SN_PROPERTY_REAL:
      if (read_real(s, at, property, value, &real)) {
        put_change(s, (change){.value.real = real}, member, sizeof real);
      }
      break;
    case SN_PROPERTY_TEXT: {
      const char *text = read_text(s, at, property, value);
      put_change(s, (change){.value.text = text}, member, sizeof text);
      break;
    }
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

static void complain_unknown(setter *s, const path *at, const sn_property *table,
                             const sn_value *item) {
  sn__nearest nearest;
  sn__nearest_init(&nearest, item->name);
  char known[200];
  sn__sink sink = {.out = known, .size = sizeof known};
  const char *separator = "known are ";
  for (const sn_property *p = table; p != NULL && p->name != NULL; p++) {
    sn__nearest_offer(&nearest, p->name);
    sn__sink_text(&sink, separator);
    sn__sink_text(&sink, p->name);
    separator = ", ";
  }
  if (sn__sink_end(&sink) == 0) {
    sn__sink_text(&sink, "it has no properties");
    sn__sink_end(&sink);
  }
  char hint_text[100];
  const char *hint = sn__nearest_hint(&nearest, hint_text, sizeof hint_text, known);
  char name[SN__PROPERTY_PATH_SIZE];
  sn__property_path_text(at, name);
  if (*name == '\0') {
    sn_report_add(s->report, SN_SEVERITY_ERROR, item->name_place, hint,
                  "there is no property '%.60s'", item->name);
  } else {
    sn_report_add(s->report, SN_SEVERITY_ERROR, item->name_place, hint,
                  "'%s' has no property '%.60s'", name, item->name);
  }
}

static void set_bag(setter *s, const path *at, const sn_property *table, void *object,
                    const sn_value *bag) {
  if (bag->kind != SN_VALUE_BAG) {
    if (!is_empty(bag)) {
      complain_kind(s, at, bag, "a bag of properties");
    }
    return;
  }
  for (size_t i = 0; i < bag->item_count && s->status == SN_OK; i++) {
    const sn_value *item = bag->items[i];
    const sn_property *property = sn_property_find(table, item->name);
    if (property == NULL) {
      complain_unknown(s, at, table, item);
    } else if (strcmp(item->name, property->name) != 0 &&
               sn_value_find(bag, property->name) != NULL) {
      sn_report_add(s->report, SN_SEVERITY_ERROR, item->name_place, "remove one of them",
                    "'%.60s' and '%.60s' are the same property, given twice", item->name,
                    property->name);
    } else {
      set_one(s, &(path){at, property->name, 0}, property, object, item);
    }
  }
}

/* Look at it or make it: one property, or all of a bag. */
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

sn_status sn_property_set(const sn_property *property, void *object, const sn_value *value,
                          const char *path_text, sn_arena *arena, sn_report *report) {
  return set(property, NULL, object, value, path_text, arena, report);
}

sn_status sn_property_set_all(const sn_property *table, void *object, const sn_value *bag,
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
