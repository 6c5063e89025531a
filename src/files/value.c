#include "sinew/value.h"

#include <string.h>

#include "base/number.h"
#include "base/report_internal.h"
#include "files/file.h"
#include "files/value_cpf.h"
#include "files/value_json.h"
#include "files/value_read.h"
#include "sinew/fault.h"

const sn_value *sn_value_find(const sn_value *value, const char *name) {
  if (value->kind == SN_VALUE_BAG) {
    for (size_t i = 0; i < value->item_count; i++) {
      if (strcmp(value->items[i]->name, name) == 0) {
        return value->items[i];
      }
    }
  }
  return NULL;
}

bool sn_value_number(const sn_value *value, double *out) {
  return value->kind == SN_VALUE_TEXT &&
         sn__number_parse(value->text, strlen(value->text), out) == SN__NUMBER_OK;
}

static bool is_empty_text(const sn_value *value) {
  return value->kind == SN_VALUE_TEXT && (*value->text == '\0' || strcmp(value->text, "~") == 0);
}

static void report_kind(sn_report *report, const sn_value *value, const char *expected) {
  static const char *const kinds[] = {[SN_VALUE_TEXT] = "a text",
                                      [SN_VALUE_LIST] = "a list",
                                      [SN_VALUE_BAG] = "a bag of properties"};
  const char *found = is_empty_text(value) ? "empty" : kinds[value->kind];
  if (*value->name == '\0') {
    sn__report_add(report, SN_SEVERITY_ERROR, value->place, NULL,
                   "an item of the list is %s, expected %s", found, expected);
  } else {
    sn__report_add(report, SN_SEVERITY_ERROR, value->place, NULL, "'%.80s' is %s, expected %s",
                   value->name, found, expected);
  }
}

bool sn__value_expect(sn_report *report, const sn_value *value, sn_value_kind kind) {
  static const char *const expected[] = {[SN_VALUE_TEXT] = "a text",
                                         [SN_VALUE_LIST] = "a list",
                                         [SN_VALUE_BAG] = "a bag of properties"};
  if (value->kind == kind || is_empty_text(value)) {
    return true;
  }
  report_kind(report, value, expected[kind]);
  return false;
}

const char *sn__value_expect_text(sn_report *report, const sn_value *value) {
  if (value->kind != SN_VALUE_TEXT || *value->text == '\0') {
    report_kind(report, value, "a text");
    return NULL;
  }
  return value->text;
}

bool sn__value_vec3(const sn_value *value, sn_vec3 *out) {
  static const char *const names[3][2] = {{"x", "X"}, {"y", "Y"}, {"z", "Z"}};
  double v[3];
  bool good = value->kind != SN_VALUE_TEXT && value->item_count == 3;
  for (size_t i = 0; good && i < 3; i++) {
    const sn_value *item = value->items[i];
    if (value->kind == SN_VALUE_BAG) {
      item = sn_value_find(value, names[i][0]);
      item = item == NULL ? sn_value_find(value, names[i][1]) : item;
    }
    good = item != NULL && sn_value_number(item, &v[i]);
  }
  if (good) {
    *out = sn_vec3_make(v[0], v[1], v[2]);
  }
  return good;
}

static sn_status load(sn_arena *arena, const char *path, const sn_place *asked, sn_report *report,
                      const sn_value **out) {
  SN_ASSERT(report != NULL);
  sn__file file;
  sn_error err;
  const sn_status status =
      sn__file_read(path, SN_VALUE_SIZE_MAX, asked == NULL ? report : NULL, &file, &err);
  if (status != SN_OK) {
    if (asked != NULL) {
      sn__report_add(report, SN_SEVERITY_ERROR, *asked, NULL, "%s", err.message);
    }
    return status;
  }
  const bool is_cpf = sn__file_has_ending(path, ".cpf") || sn__file_has_ending(path, ".xml");
  const sn_status parsed =
      is_cpf ? sn__value_parse_cpf(arena, file.text, file.size, path, report, out)
             : sn_value_parse_yaml(arena, file.text, file.size, path, report, out);
  sn__file_free(&file);
  return parsed;
}

sn_status sn_value_load(sn_arena *arena, const char *path, sn_report *report,
                        const sn_value **out) {
  return load(arena, path, NULL, report, out);
}

sn_status sn__value_load_for(sn_arena *arena, const char *path, sn_place asked, sn_report *report,
                             const sn_value **out) {
  return load(arena, path, &asked, report, out);
}

#if !SINEW_YAML
static sn_status refuse_yaml(const char *file, sn_report *report) {
  sn__report_add(report, SN_SEVERITY_ERROR, (sn_place){.file = file}, "use a .cpf file",
                 "this build does not read YAML");
  return SN_EUNSUPPORTED;
}

sn_status sn_value_parse_yaml(sn_arena *arena, const char *text, size_t size, const char *file,
                              sn_report *report, const sn_value **out) {
  (void)arena, (void)text, (void)size, (void)out;
  return refuse_yaml(file, report);
}

/* Initial values of properties are YAML; plain scalars work in every build. */
sn_status sn_value_parse_text(sn_arena *arena, const char *text, size_t size, const char *file,
                              sn_report *report, const sn_value **out) {
  if (size > 0 && strchr("[]{}\"'&*!|>%@`#", *text) != NULL) {
    return refuse_yaml(file, report);
  }
  sn_value *value = SN_NEW(arena, sn_value, 1);
  const char *copy = sn_arena_text(arena, text, size);
  const char *file_copy = sn_arena_text(arena, file, strlen(file));
  if (value == NULL || copy == NULL || file_copy == NULL) {
    return SN_ENOMEM;
  }
  *value = (sn_value){.name = "", .text = copy, .place = {file_copy, 1, 1}};
  *out = value;
  return SN_OK;
}
#endif

#if !SINEW_JSON
sn_status sn__value_from_json(sn_arena *arena, struct json_t *json, const char *file,
                              sn_report *report, const sn_value **out) {
  (void)arena, (void)json, (void)out;
  sn__report_add(report, SN_SEVERITY_ERROR, (sn_place){.file = file}, NULL,
                 "this build reads no JSON");
  return SN_EUNSUPPORTED;
}
#endif
