#include "servo/servo_original.h"

#include <string.h>

#include "base/report_internal.h"
#include "files/value_make.h"

static bool ends_with(const char *text, const char *end) {
  if (text == NULL) {
    return false;
  }
  const size_t length = strlen(text);
  return length >= strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

static bool is_original(const sn_value *model) {
  const sn_value *alpha = sn_value_find(model, "alpha");
  return alpha != NULL && alpha->kind == SN_VALUE_LIST && alpha->item_count == 4 &&
         (ends_with(model->type, "sweetie_bot_servo_model_msg/ServoModel") ||
          (alpha->type != NULL && !ends_with(alpha->type, "[]")));
}

/* @return @p model itself if it needs no translation; NULL: no memory */
static const sn_value *translate_model(sn_arena *arena, const sn_value *model) {
  if (!is_original(model)) {
    return model;
  }
  size_t index = 0;
  while (strcmp(model->items[index]->name, "alpha") != 0) {
    index++;
  }
  const sn_value *alpha = model->items[index];
  const sn_value *const items[] = {alpha->items[1], alpha->items[2],
                                   sn__value_make_text(arena, "", "0", alpha->place),
                                   alpha->items[3]};
  const sn_value *ours = sn__value_make_list(arena, "alpha", items, 4, alpha->place);
  const sn_value *inertia = sn__value_rename(arena, alpha->items[0], "inertia", alpha->place);
  const sn_value *changed = ours == NULL ? NULL : sn__value_replace(arena, model, index, ours);
  return changed == NULL ? NULL : sn__value_add(arena, changed, inertia);
}

static void remark(sn_report *report, const sn_value *property) {
  sn__report_add(report, SN_SEVERITY_WARNING, property->place, NULL,
                 "'%.60s' is in the form of sweetie_bot_servo_model_msg/ServoModel: its alpha are "
                 "read as inertia, viscous friction, Coulomb friction and volts per torque",
                 property->name);
}

static const sn_value *translate_property(sn_arena *arena, const sn_value *property,
                                          sn_report *report) {
  const sn_value *result = property;
  if (property->kind == SN_VALUE_BAG) {
    result = translate_model(arena, property);
  }
  for (size_t i = 0; property->kind == SN_VALUE_LIST && result != NULL && i < property->item_count;
       i++) {
    const sn_value *model = translate_model(arena, property->items[i]);
    if (model != property->items[i]) {
      result = sn__value_replace(arena, result, i, model);
    }
  }
  if (result != property) {
    remark(report, property);
  }
  return result;
}

const sn_value *sn__servo_translate(sn_arena *arena, const sn_value *bag, sn_report *report) {
  const sn_value *result = bag;
  for (size_t i = 0; result != NULL && bag->kind == SN_VALUE_BAG && i < bag->item_count; i++) {
    const sn_value *item = bag->items[i];
    if (strcmp(item->name, "servo_models") != 0 && strcmp(item->name, "default_servo_model") != 0) {
      continue;
    }
    const sn_value *ours = translate_property(arena, item, report);
    if (ours != item) {
      result = sn__value_replace(arena, result, i, ours);
    }
  }
  return result;
}
