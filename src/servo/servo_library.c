#include "servo/servo_library.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/number.h"
#include "base/report_internal.h"
#include "files/value_make.h"
#include "servo/servo_store.h"

/* Generated from the files in servos/ (cmake/library.cmake). */
extern const sn__servo_file sn__servo_file_table[];
extern const size_t sn__servo_file_table_size;

const sn__servo_file *sn__servo_files(size_t *count) {
  *count = sn__servo_file_table_size;
  return sn__servo_file_table;
}

/* As sn_value_find(), also of nothing. */
static const sn_value *find(const sn_value *bag, const char *name) {
  return bag == NULL ? NULL : sn_value_find(bag, name);
}

typedef struct naming {
  sn_arena *arena;
  sn_report *report;
  sn__servo_opener *open;
  void *context;
} naming;

static bool is_path(const char *text) {
  const char *dot = strrchr(text, '.');
  return strchr(text, '/') != NULL || (dot != NULL && strcmp(dot, ".yaml") == 0);
}

static const sn_value *find_in_library(const naming *n, const char *name) {
  const sn_value *root = NULL;
  for (size_t i = 0; i < sn__servo_file_table_size; i++) {
    const sn__servo_file *file = &sn__servo_file_table[i];
    if (strcmp(file->name, name) == 0) {
      (void)sn_value_parse_yaml(n->arena, file->text, file->size, file->name, n->report, &root);
    }
  }
  return root;
}

static void report_unknown(const naming *n, const sn_value *servo) {
  char known[200] = "known are";
  for (size_t i = 0; i < sn__servo_file_table_size; i++) {
    const size_t length = strlen(known);
    (void)snprintf(known + length, sizeof known - length, " %s%s", sn__servo_file_table[i].name,
                   i + 1 < sn__servo_file_table_size ? "," : "");
  }
  const size_t length = strlen(known);
  (void)snprintf(known + length, sizeof known - length, "%s",
                 n->open == NULL ? "" : "; a path ends in .yaml");
  sn__report_add(n->report, SN_SEVERITY_ERROR, servo->place, known, "unknown servo '%.60s'",
                 servo->text);
}

/* The only model of a file of the library, and what it says about the servo.
   @return NULL: reported */
static const sn_value *find_model(const naming *n, const sn_value *servo, const sn_value **about) {
  if (servo->kind != SN_VALUE_TEXT) {
    sn__report_add(n->report, SN_SEVERITY_ERROR, servo->place, "servo: xl330",
                   "servo must be the name of a servo");
    return NULL;
  }
  const size_t before = sn_report_error_count(n->report);
  const bool is_file = is_path(servo->text) && n->open != NULL;
  const sn_value *root = is_file ? n->open(n->context, servo) : find_in_library(n, servo->text);
  const sn_value *models = find(root, "servo_models");
  *about = find(root, "servo");
  const bool is_good = models != NULL && models->kind == SN_VALUE_LIST && models->item_count == 1 &&
                       models->items[0]->kind == SN_VALUE_BAG;
  if (!is_good && root != NULL) {
    sn__report_add(n->report, SN_SEVERITY_ERROR, servo->place, NULL,
                   "'%.80s' must hold one model in the list servo_models", servo->text);
  } else if (root == NULL && sn_report_error_count(n->report) == before) {
    report_unknown(n, servo);
  }
  return is_good ? models->items[0] : NULL;
}

/* kp of another gain, as a text. @return NULL: reported, or no memory */
static const sn_value *scale_kp(const naming *n, const sn_value *gain, const sn_value *kp,
                                const sn_value *about) {
  double wanted, known, value;
  const sn_value *stated = find(about, "gain");
  if (!sn_value_number(gain, &wanted) || !(wanted > 0.0) || stated == NULL || kp == NULL ||
      !sn_value_number(stated, &known) || !(known > 0.0) || !sn_value_number(kp, &value)) {
    sn__report_add(n->report, SN_SEVERITY_ERROR, gain->place, NULL,
                   "gain must be a number above 0, and the file of the servo must state for which "
                   "gain its kp holds");
    return kp;
  }
  char text[SN__NUMBER_SIZE];
  sn__number_format(value * wanted / known, text);
  const char *kept = sn_arena_text(n->arena, text, strlen(text));
  return kept == NULL ? NULL : sn__value_make_text(n->arena, "kp", kept, gain->place);
}

static bool is_naming(const sn_value *item) {
  return strcmp(item->name, "servo") == 0 || strcmp(item->name, "gain") == 0;
}

/* What a model states itself, then what is left of the servo's. */
static const sn_value *name_model(const naming *n, const sn_value *model) {
  const sn_value *servo = sn_value_find(model, "servo");
  if (servo == NULL) {
    return model;
  }
  const sn_value *gain = sn_value_find(model, "gain");
  const sn_value *about = NULL;
  const sn_value *from = find_model(n, servo, &about);
  const sn_value *result = sn__value_make_empty(n->arena, model->name, model->place);
  for (size_t i = 0; result != NULL && i < model->item_count; i++) {
    result = is_naming(model->items[i]) ? result : sn__value_add(n->arena, result, model->items[i]);
  }
  for (size_t i = 0; from != NULL && result != NULL && i < from->item_count; i++) {
    const sn_value *item = from->items[i];
    if (strcmp(item->name, "name") == 0 || sn_value_find(model, item->name) != NULL) {
      continue;
    }
    if (gain != NULL && strcmp(item->name, "kp") == 0) {
      item = scale_kp(n, gain, item, about);
    }
    result = sn__value_add(n->arena, result, item);
  }
  return result;
}

static const sn_value *name_property(const naming *n, const sn_value *property) {
  const sn_value *result = property;
  if (property->kind == SN_VALUE_BAG) {
    return name_model(n, property);
  }
  for (size_t i = 0; property->kind == SN_VALUE_LIST && result != NULL && i < property->item_count;
       i++) {
    const sn_value *model = name_model(n, property->items[i]);
    if (model != property->items[i]) {
      result = model == NULL ? NULL : sn__value_replace(n->arena, result, i, model);
    }
  }
  return result;
}

const sn_value *sn__servo_name_models(sn_arena *arena, const sn_value *bag, sn_report *report,
                                      sn__servo_opener *open, void *context) {
  const naming n = {.arena = arena, .report = report, .open = open, .context = context};
  const sn_value *result = bag;
  for (size_t i = 0; result != NULL && bag->kind == SN_VALUE_BAG && i < bag->item_count; i++) {
    const sn_value *item = bag->items[i];
    if (strcmp(item->name, "servo_models") != 0 && strcmp(item->name, "default_servo_model") != 0) {
      continue;
    }
    const sn_value *named = name_property(&n, item);
    if (named != item) {
      result = named == NULL ? NULL : sn__value_replace(arena, result, i, named);
    }
  }
  return result;
}

/* ---- single servos ---- */

sn_status sn__servo_of_library(const char *name, sn_servo_params *out, sn_error *err) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "servo library", 0);
  sn_report *report = NULL;
  sn_servo_list list = {0};
  sn_status status = sn_report_create(&arena, &report, err);
  if (status == SN_OK) {
    const naming n = {.arena = &arena, .report = report};
    const sn_value *root = find_in_library(&n, name);
    status = root == NULL ? SN_ENOENT : sn__servo_store_read(&arena, root, report, &list);
  }
  if (status == SN_OK && list.count == 1) {
    *out = list.entries[0].params;
  } else {
    status = sn__fail(err, SN_ENOENT, "the library has no servo '%.60s'", name);
  }
  sn_arena_release(&arena);
  return status;
}

static bool has_number(const sn_value *about, long model) {
  const sn_value *numbers = find(about, "model_numbers");
  bool found = false;
  for (size_t i = 0; numbers != NULL && i < numbers->item_count; i++) {
    double number;
    found = found || (sn_value_number(numbers->items[i], &number) && number == (double)model);
  }
  return found;
}

static bool is_of(const sn_value *about, const char *family) {
  const sn_value *own = find(about, "family");
  return own != NULL && own->kind == SN_VALUE_TEXT && strcmp(own->text, family) == 0;
}

bool sn__servo_recognise(const char *family, long model, char *name, size_t size) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "servo library", 0);
  sn_report *report = NULL;
  bool found = false;
  if (sn_report_create(&arena, &report, NULL) == SN_OK) {
    const naming n = {.arena = &arena, .report = report};
    for (size_t i = 0; !found && i < sn__servo_file_table_size; i++) {
      const sn_value *about = find(find_in_library(&n, sn__servo_file_table[i].name), "servo");
      found = is_of(about, family) && has_number(about, model);
      if (found) {
        (void)snprintf(name, size, "%s", sn__servo_file_table[i].name);
      }
    }
  }
  sn_arena_release(&arena);
  return found;
}
