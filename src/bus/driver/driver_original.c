#include "bus/driver/driver_original.h"

#include <string.h>

#include "base/report_internal.h"
#include "files/value_make.h"

typedef struct original {
  sn_arena *arena;
  sn_report *report;
  bool is_starved;
} original;

static const sn_value *keep(original *o, const sn_value *prop) {
  o->is_starved = o->is_starved || prop == NULL;
  return prop;
}

static void remark(original *o, const sn_value *item, const char *what, const char *instead) {
  sn__report_add(o->report, SN_SEVERITY_WARNING, item->place, instead, "'%.60s' is not used: %s",
                 item->name, what);
}

static bool is_true(const sn_value *value) {
  return value->kind == SN_VALUE_TEXT &&
         (strcmp(value->text, "1") == 0 || strcmp(value->text, "true") == 0);
}

/* The translated item of a servo; NULL: dropped. Unknown keys are kept and rejected later. */
static const sn_value *translate_key(original *o, const sn_value *item) {
  if (strcmp(item->name, "servo_id") == 0) {
    return keep(o, sn__value_rename(o->arena, item, "id", item->name_place));
  }
  if (strcmp(item->name, "offset") == 0) {
    return keep(o, sn__value_rename(o->arena, item, "zero", item->name_place));
  }
  if (strcmp(item->name, "reverse") == 0) {
    return keep(
        o, sn__value_make_text(o->arena, "direction", is_true(item) ? "-1" : "1", item->place));
  }
  if (strcmp(item->name, "model") == 0) {
    return NULL; /* reported once for all servos */
  }
  if (strcmp(item->name, "registers_init") == 0 || strcmp(item->name, "group") == 0 ||
      strcmp(item->name, "modes") == 0) {
    remark(o, item, "the driver writes no registers of its own accord but torque and limits",
           "set registers once with 'sinew bus write'");
    return NULL;
  }
  return item;
}

static const sn_value *translate_servo(original *o, const sn_value *servo) {
  const sn_value *joint = sn__value_make_text(o->arena, "joint", servo->name, servo->place);
  const sn_value *bag = keep(o, sn__value_make_bag(o->arena, "", joint, servo->place));
  for (size_t i = 0; !o->is_starved && i < servo->item_count; i++) {
    const sn_value *item = translate_key(o, servo->items[i]);
    bag = item == NULL ? bag : keep(o, sn__value_add(o->arena, bag, item));
  }
  return o->is_starved ? NULL : bag;
}

static const sn_value *translate_servos(original *o, const sn_value *servos) {
  const sn_value *list = keep(o, sn__value_make_list(o->arena, "servos", NULL, 0, servos->place));
  const sn_value *model = NULL;
  for (size_t i = 0; !o->is_starved && i < servos->item_count; i++) {
    const sn_value *servo = translate_servo(o, servos->items[i]);
    model = model == NULL ? sn_value_find(servos->items[i], "model") : model;
    list = servo == NULL ? list : keep(o, sn__value_add(o->arena, list, servo));
  }
  if (model != NULL) {
    remark(o, model, "a servo of any model gets torque",
           "set 'model' to the number that it reports");
  }
  return o->is_starved ? NULL : list;
}

static void remark_groups(original *o, const sn_value *groups) {
  for (size_t i = 0; i < groups->item_count; i++) {
    const sn_value *modes = sn_value_find(groups->items[i], "modes");
    const sn_value *registers = sn_value_find(groups->items[i], "registers_init");
    if (modes != NULL) {
      remark(o, modes, "the driver has torque on, limp and hold, and no other modes",
             "set gains once with 'sinew bus write'");
    }
    if (registers != NULL) {
      remark(o, registers, "the driver writes no registers of its own accord but torque and limits",
             "set registers once with 'sinew bus write'");
    }
  }
}

const sn_value *sn__driver_translate(sn_arena *arena, const sn_value *bag, sn_report *report) {
  original o = {.arena = arena, .report = report};
  const sn_value *servos = sn_value_find(bag, "servos");
  if (servos == NULL || servos->kind != SN_VALUE_BAG) {
    return bag;
  }
  const sn_value *result = keep(&o, sn__value_make_empty(arena, bag->name, bag->place));
  for (size_t i = 0; !o.is_starved && i < bag->item_count; i++) {
    const sn_value *item = bag->items[i];
    if (strcmp(item->name, "groups") == 0) {
      remark_groups(&o, item);
      continue;
    }
    item = item == servos ? translate_servos(&o, servos) : item;
    result = item == NULL ? NULL : keep(&o, sn__value_add(arena, result, item));
  }
  return o.is_starved ? NULL : result;
}
