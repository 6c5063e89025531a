#include "servo/servo_store.h"

#include <math.h>
#include <string.h>

#include "base/report_internal.h"
#include "files/value_read.h"
#include "servo/servo_library.h"
#include "servo/servo_original.h"

/* Store a number of a servo. */
static void read_number(sn_report *report, const sn_value *servo, const char *key, bool is_needed,
                        double *out) {
  const sn_value *prop = sn_value_find(servo, key);
  if (prop == NULL) {
    if (is_needed) {
      sn__report_add(report, SN_SEVERITY_ERROR, servo->place, NULL, "the servo has no %s", key);
    }
  } else if (!sn_value_number(prop, out)) {
    sn__report_add(report, SN_SEVERITY_ERROR, prop->place, NULL,
                   "%s is '%.80s', expected a finite number", key,
                   prop->kind == SN_VALUE_TEXT ? prop->text : "a list or bag");
  }
}

static void read_alpha(sn_report *report, const sn_value *servo, sn_servo_entry *entry) {
  const sn_value *prop = sn_value_find(servo, "alpha");
  if (prop == NULL) {
    return;
  }
  bool good = prop->kind == SN_VALUE_LIST && prop->item_count == 4;
  for (size_t i = 0; good && i < 4; i++) {
    good = sn_value_number(prop->items[i], &entry->params.alpha[i]);
  }
  if (!good) {
    sn__report_add(report, SN_SEVERITY_ERROR, prop->place, "alpha: [40, 8, 5, 200]",
                   "alpha must be a list of four finite numbers");
  }
  entry->has_alpha = good;
}

/* Two coefficients; an empty list is none. @return whether they are there */
static bool read_pair(sn_report *report, const sn_value *servo, const char *key, double out[2]) {
  const sn_value *prop = sn_value_find(servo, key);
  if (prop == NULL || (prop->kind == SN_VALUE_LIST && prop->item_count == 0)) {
    return false;
  }
  bool good = prop->kind == SN_VALUE_LIST && prop->item_count == 2;
  for (size_t i = 0; good && i < 2; i++) {
    good = sn_value_number(prop->items[i], &out[i]);
  }
  if (!good) {
    sn__report_add(report, SN_SEVERITY_ERROR, prop->place, "load_friction: [1.2, 13]",
                   "%s must be a list of two finite numbers", key);
  }
  return good;
}

static void read_extension(sn_report *report, const sn_value *servo, sn_servo_extension *ext) {
  read_number(report, servo, "back_emf", false, &ext->back_emf);
  read_number(report, servo, "offset", false, &ext->offset);
  read_number(report, servo, "drive_max", false, &ext->drive_max);
  read_number(report, servo, "delay", false, &ext->delay_s);
  read_number(report, servo, "backlash", false, &ext->backlash);
  (void)read_pair(report, servo, "load_friction", ext->load);
  ext->is_directional = read_pair(report, servo, "back_load_friction", ext->back_load);
}

static void check_keys(sn_report *report, const sn_value *servo) {
  static const char *const keys[] = {"name",   "kp",        "kgear",         "alpha",
                                     "qs",     "delta",     "inertia",       "torque_max",
                                     "offset", "back_emf",  "load_friction", "back_load_friction",
                                     "delay",  "drive_max", "backlash"};
  for (size_t i = 0; i < servo->item_count; i++) {
    bool is_known = false;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
      is_known = is_known || strcmp(servo->items[i]->name, keys[k]) == 0;
    }
    if (!is_known) {
      sn__report_add(report, SN_SEVERITY_ERROR, servo->items[i]->place,
                     "known are name, kp, kgear, alpha, qs, delta, inertia, torque_max, back_emf, "
                     "load_friction, back_load_friction, offset, drive_max, delay and backlash",
                     "unknown property '%.80s' of a servo", servo->items[i]->name);
    }
  }
}

static void read_servo(sn_arena *arena, const sn_value *servo, sn_report *report,
                       sn_servo_entry *entry) {
  sn_servo_params_init(&entry->params);
  if (servo->kind != SN_VALUE_BAG) {
    sn__report_add(report, SN_SEVERITY_ERROR, servo->place, "{name: knee, kp: 100}",
                   "a servo must be a bag of properties");
    return;
  }
  check_keys(report, servo);
  const sn_value *name = sn_value_find(servo, "name");
  const char *text = name == NULL ? NULL : sn__value_expect_text(report, name);
  if (name == NULL) {
    sn__report_add(report, SN_SEVERITY_ERROR, servo->place, NULL, "the servo has no name");
  }
  entry->name = text == NULL ? NULL : sn_arena_text(arena, text, strlen(text));
  const size_t before = sn_report_error_count(report);
  read_number(report, servo, "kp", true, &entry->params.kp);
  read_number(report, servo, "kgear", false, &entry->params.kgear);
  read_number(report, servo, "qs", false, &entry->params.qs);
  read_number(report, servo, "delta", false, &entry->params.delta);
  read_number(report, servo, "inertia", false, &entry->params.inertia);
  read_number(report, servo, "torque_max", false, &entry->torque_max);
  read_alpha(report, servo, entry);
  read_extension(report, servo, &entry->params.ext);
  sn_error err;
  if (sn_report_error_count(report) == before &&
      sn_servo_params_check(&entry->params, &err) != SN_OK) {
    sn__report_add(report, SN_SEVERITY_ERROR, servo->place, NULL, "servo '%.80s': %s",
                   text == NULL ? "" : text, err.message);
  }
  if (entry->torque_max < 0.0) {
    sn__report_add(report, SN_SEVERITY_ERROR, servo->place, NULL,
                   "servo '%.80s': torque_max is %g, must not be negative",
                   text == NULL ? "" : text, entry->torque_max);
  }
}

static void report_twice(const sn_value *models, sn_report *report, const sn_servo_list *list) {
  for (size_t i = 1; i < list->count; i++) {
    for (size_t k = 0; k < i; k++) {
      if (strcmp(list->entries[i].name, list->entries[k].name) == 0) {
        sn__report_add(report, SN_SEVERITY_ERROR, models->items[i]->place, NULL,
                       "servo '%.80s' appears twice", list->entries[i].name);
        break;
      }
    }
  }
}

/* Build the table of names; report duplicates. */
static sn_status index_names(sn_arena *arena, const sn_value *models, sn_report *report,
                             sn_servo_list *list) {
  const char **names = SN_NEW(arena, const char *, list->count);
  if (names == NULL) {
    return SN_ENOMEM;
  }
  for (size_t i = 0; i < list->count; i++) {
    names[i] = list->entries[i].name;
  }
  const sn_status status = sn_names_create(arena, names, list->count, &list->names, NULL);
  if (status == SN_EINVAL) {
    report_twice(models, report, list);
    return SN_EMODEL;
  }
  return status;
}

sn_status sn__servo_store_read(sn_arena *arena, const sn_value *properties, sn_report *report,
                               sn_servo_list *out) {
  const size_t before = sn_report_error_count(report);
  properties = sn__servo_name_models(arena, properties, report, NULL, NULL);
  properties = properties == NULL ? NULL : sn__servo_translate(arena, properties, report);
  if (properties == NULL) {
    return SN_ENOMEM;
  }
  const sn_value *models = sn_value_find(properties, "servo_models");
  if (models == NULL || models->kind != SN_VALUE_LIST) {
    sn__report_add(report, SN_SEVERITY_ERROR, models == NULL ? properties->place : models->place,
                   "servo_models: [{name: knee, kp: 100}]", "servo_models, a list, is missing");
    return SN_EMODEL;
  }
  sn_servo_list list = {.count = models->item_count,
                        .entries = SN_NEW(arena, sn_servo_entry, models->item_count)};
  if (list.entries == NULL) {
    return SN_ENOMEM;
  }
  for (size_t i = 0; i < list.count; i++) {
    read_servo(arena, models->items[i], report, &list.entries[i]);
  }
  sn_status status = sn_report_error_count(report) == before ? SN_OK : SN_EMODEL;
  if (status == SN_OK) {
    status = index_names(arena, models, report, &list);
  }
  if (status == SN_OK) {
    *out = list;
  }
  return status;
}

sn_status sn__servo_store_load(sn_arena *arena, const char *path, sn_report *report,
                               sn_servo_list *out) {
  const sn_value *root = NULL;
  const sn_status status = sn_value_load(arena, path, report, &root);
  return status == SN_OK ? sn__servo_store_read(arena, root, report, out) : status;
}
