/* Checking the values of a file against their properties; every problem is reported with its
   place. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/number.h"
#include "base/report_internal.h"
#include "base/sink.h"
#include "base/text.h"
#include "rt/components/property.h"

typedef sn__property_path path;

static void report_error(sn_report *report, const path *at, const sn_value *value, const char *hint,
                         const char *format, ...) SN_PRINTF(5, 6);

static void report_error(sn_report *report, const path *at, const sn_value *value, const char *hint,
                         const char *format, ...) {
  char name[SN__PROPERTY_PATH_SIZE];
  char message[256];
  sn__property_path_text(at, name);
  va_list args;
  va_start(args, format);
  sn__text_format(message, sizeof message, format, args);
  va_end(args);
  sn__report_add(report, SN_SEVERITY_ERROR, value->place, hint, "'%s' %s", name, message);
}

bool sn__value_is_empty(const sn_value *value) {
  return value->kind == SN_VALUE_TEXT && (*value->text == '\0' || strcmp(value->text, "~") == 0);
}

static void report_kind(sn_report *report, const path *at, const sn_value *value,
                        const char *expected) {
  static const char *const kinds[] = {[SN_VALUE_TEXT] = "empty",
                                      [SN_VALUE_LIST] = "a list",
                                      [SN_VALUE_BAG] = "a bag of properties"};
  if (value->kind == SN_VALUE_TEXT && *value->text != '\0') {
    report_error(report, at, value, NULL, "is '%.60s', expected %s", value->text, expected);
  } else {
    report_error(report, at, value, NULL, "is %s, expected %s", kinds[value->kind], expected);
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

static void report_range(sn_report *report, const path *at, const sn_property *property,
                         const sn_value *value) {
  char range[100];
  sn__sink sink = {.out = range, .size = sizeof range};
  put_range(&sink, property);
  sn__sink_end(&sink);
  report_error(report, at, value, NULL, "is %.60s, expected %s", value->text, range);
}

bool sn__property_read_real(sn_report *report, const path *at, const sn_property *property,
                            const sn_value *value, double *out) {
  if (value->kind != SN_VALUE_TEXT) {
    report_kind(report, at, value, "a real number");
    return false;
  }
  switch (sn__number_parse(value->text, strlen(value->text), out)) {
    case SN__NUMBER_NOT_A_NUMBER:
      report_kind(report, at, value, "a real number");
      return false;
    case SN__NUMBER_OUT_OF_RANGE:
      report_error(report, at, value, NULL, "is %.60s, expected a finite number", value->text);
      return false;
    default:
      break;
  }
  if (!is_in_range(property, *out)) {
    report_range(report, at, property, value);
    return false;
  }
  return true;
}

/* @return false if the text is not a whole number, or does not fit into 64 bits (*is_large) */
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

bool sn__property_read_integer(sn_report *report, const path *at, const sn_property *property,
                               const sn_value *value, int64_t *out) {
  bool is_large = false;
  if (value->kind != SN_VALUE_TEXT || !parse_integer(value->text, out, &is_large)) {
    report_kind(report, at, value, is_large ? "an integer of 64 bits" : "an integer");
    return false;
  }
  if (!is_in_range(property, (double)*out)) {
    report_range(report, at, property, value);
    return false;
  }
  return true;
}

bool sn__property_read_boolean(sn_report *report, const path *at, const sn_value *value,
                               bool *out) {
  static const char *const words[2][4] = {{"false", "False", "FALSE", "0"},
                                          {"true", "True", "TRUE", "1"}};
  for (size_t i = 0; value->kind == SN_VALUE_TEXT && i < 8; i++) {
    if (strcmp(value->text, words[i / 4][i % 4]) == 0) {
      *out = i >= 4;
      return true;
    }
  }
  report_kind(report, at, value, "true or false");
  return false;
}

/* ---- texts ---- */

/* The next word of `a|b|c`, not terminated by a NUL. @return NULL at the end */
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

static void report_choice(sn_report *report, const path *at, const sn_property *property,
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
      memcpy(near, name, sizeof near); /* `name` is overwritten in the next turn */
      nearest.name = near;
    }
  }
  sn__sink_end(&sink);
  char hint[100];
  report_error(report, at, value, sn__nearest_hint(&nearest, hint, sizeof hint, NULL),
               "is '%.60s', expected %s", value->text, known);
}

bool sn__property_check_text(sn_report *report, const path *at, const sn_property *property,
                             const sn_value *value) {
  if (value->kind != SN_VALUE_TEXT) {
    report_kind(report, at, value, "a text");
    return false;
  }
  if (property->choices != NULL && !is_choice(property->choices, value->text)) {
    report_choice(report, at, property, value);
    return false;
  }
  return true;
}

/* ---- lists and bags ---- */

static bool check_count(sn_report *report, const path *at, const sn_property *property,
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
  report_error(report, at, value, NULL, "has %zu item%s, expected %s", count, count == 1 ? "" : "s",
               expected);
  return false;
}

bool sn__property_check_list(sn_report *report, const path *at, const sn_property *property,
                             const sn_value *value) {
  if (value->kind != SN_VALUE_LIST && !sn__value_is_empty(value)) {
    char expected[60];
    snprintf(expected, sizeof expected, "a %s", sn_property_kind_text(property->kind));
    report_kind(report, at, value, expected);
    return false;
  }
  return check_count(report, at, property, value, value->item_count);
}

bool sn__property_check_bag(sn_report *report, const path *at, const sn_value *value) {
  if (value->kind != SN_VALUE_BAG && !sn__value_is_empty(value)) {
    report_kind(report, at, value, "a bag of properties");
  }
  return value->kind == SN_VALUE_BAG;
}

void sn__property_report_unknown(sn_report *report, const path *at, const sn_property *table,
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
    sn__report_add(report, SN_SEVERITY_ERROR, item->name_place, hint, "unknown property '%.60s'",
                   item->name);
  } else {
    sn__report_add(report, SN_SEVERITY_ERROR, item->name_place, hint,
                   "'%s' has no property '%.60s'", name, item->name);
  }
}
