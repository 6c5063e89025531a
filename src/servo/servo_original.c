#include "servo/servo_original.h"

#include <string.h>

#include "model/props_make.h"

static bool ends_with(const char *text, const char *end) {
  const size_t length = text == NULL ? 0 : strlen(text);
  return length >= strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

static bool is_original(const sn_prop *model) {
  const sn_prop *alpha = sn_prop_find(model, "alpha");
  return alpha != NULL && alpha->kind == SN_PROP_LIST && alpha->item_count == 4 &&
         (ends_with(model->type, "sweetie_bot_servo_model_msg/ServoModel") ||
          (alpha->type != NULL && !ends_with(alpha->type, "[]")));
}

/* @return the same if it is in our form; NULL: no memory */
static const sn_prop *translate_model(sn_arena *arena, const sn_prop *model) {
  if (!is_original(model)) {
    return model;
  }
  size_t index = 0;
  while (strcmp(model->items[index]->name, "alpha") != 0) {
    index++;
  }
  const sn_prop *alpha = model->items[index];
  const sn_prop *const items[] = {alpha->items[1], alpha->items[2],
                                  sn__prop_make_text(arena, "", "0", alpha->place),
                                  alpha->items[3]};
  const sn_prop *ours = sn__prop_make_list(arena, "alpha", items, 4, alpha->place);
  const sn_prop *inertia = sn__prop_rename(arena, alpha->items[0], "inertia", alpha->place);
  const sn_prop *changed = ours == NULL ? NULL : sn__prop_replace(arena, model, index, ours);
  return changed == NULL ? NULL : sn__prop_add(arena, changed, inertia);
}

static void remark(sn_report *report, const sn_prop *property) {
  sn_report_add(report, SN_SEVERITY_WARNING, property->place, NULL,
                "'%.60s' is in the form of sweetie_bot_servo_model_msg/ServoModel: its alpha are "
                "read as inertia, viscous friction, Coulomb friction and volts per torque",
                property->name);
}

static const sn_prop *translate_property(sn_arena *arena, const sn_prop *property,
                                         sn_report *report) {
  const sn_prop *result = property;
  if (property->kind == SN_PROP_BAG) {
    result = translate_model(arena, property);
  }
  for (size_t i = 0; property->kind == SN_PROP_LIST && result != NULL && i < property->item_count;
       i++) {
    const sn_prop *model = translate_model(arena, property->items[i]);
    if (model != property->items[i]) {
      result = sn__prop_replace(arena, result, i, model);
    }
  }
  if (result != property) {
    remark(report, property);
  }
  return result;
}

const sn_prop *sn__servo_translate(sn_arena *arena, const sn_prop *bag, sn_report *report) {
  const sn_prop *result = bag;
  for (size_t i = 0; result != NULL && bag->kind == SN_PROP_BAG && i < bag->item_count; i++) {
    const sn_prop *item = bag->items[i];
    if (strcmp(item->name, "servo_models") != 0 && strcmp(item->name, "default_servo_model") != 0) {
      continue;
    }
    const sn_prop *ours = translate_property(arena, item, report);
    if (ours != item) {
      result = sn__prop_replace(arena, result, i, ours);
    }
  }
  return result;
}

const sn_prop *sn__plant_translate(sn_arena *arena, const sn_prop *bag, sn_report *report) {
  const sn_prop *others = sn_prop_find(bag, "default_servo_model");
  if (others == NULL) {
    return sn__servo_translate(arena, bag, report);
  }
  sn_report_add(report, SN_SEVERITY_WARNING, others->place, "list all servos in servo_models",
                "'default_servo_model' is not used: servos that are not in servo_models are geared "
                "motors with the limits of their joint");
  const sn_prop *rest = sn__prop_make_empty(arena, bag->name, bag->place);
  for (size_t i = 0; rest != NULL && i < bag->item_count; i++) {
    if (bag->items[i] != others) {
      rest = sn__prop_add(arena, rest, bag->items[i]);
    }
  }
  return rest == NULL ? NULL : sn__servo_translate(arena, rest, report);
}
