/* Messages of any type with random contents, of which some make sense. */
#include <math.h>
#include <stdio.h>

#include "storm/storm_faults.h"

enum { ITEMS_MAX = 6, DEPTH_MAX = 6 };

static json_t *any_text(storm_run *run, sn_random *random) {
  const sn_names *chains = sn_model_chain_names(run->model);
  switch (sn_random_below(random, 5)) {
    case 0:
      return json_string(storm_any_joint(run, random));
    case 1:
      return json_string(
          sn_model_link(run->model, sn_random_below(random, sn_model_link_count(run->model)))
              ->name);
    case 2:
      return json_string(
          sn_names_count(chains) == 0
              ? ""
              : sn_names_at(chains, sn_random_below(random, sn_names_count(chains))));
    case 3:
      return json_string(storm_any_component(run, random)->name);
    default:
      return json_string(sn_random_below(random, 2) == 0 ? "" : "nobody");
  }
}

static json_t *any_real(sn_random *random) {
  static const double strange[] = {0.0, -0.0, 1e308, -1e308, 5e-324, 1e9};
  if (sn_random_below(random, 8) == 0) {
    return json_real(strange[sn_random_below(random, sizeof strange / sizeof *strange)]);
  }
  return json_real(sn_random_between(random, -2.0, 2.0));
}

static json_t *any_value(storm_run *run, const sn_msg_field *field, sn_random *random, int depth) {
  switch (field->kind) {
    case SN_MSG_NESTED:
      return depth < DEPTH_MAX ? storm_nonsense(run, field->nested, random, depth + 1) : NULL;
    case SN_MSG_TEXT:
      return any_text(run, random);
    case SN_MSG_BOOL:
      return json_boolean((int)sn_random_below(random, 2));
    case SN_MSG_FLOAT32:
    case SN_MSG_FLOAT64:
      return any_real(random);
    case SN_MSG_TIME:
    case SN_MSG_DURATION:
      return json_pack("{s:i, s:i}", "sec", (int)sn_random_below(random, 100), "nanosec",
                       (int)sn_random_below(random, 1000000000));
    default:
      return json_integer((json_int_t)sn_random_below(random, 5));
  }
}

static json_t *any_list(storm_run *run, const sn_msg_field *field, sn_random *random, size_t count,
                        int depth) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) {
    json_array_append_new(list, any_value(run, field, random, depth));
  }
  return list;
}

json_t *storm_nonsense(storm_run *run, const sn_msg_type *type, sn_random *random, int depth) {
  json_t *object = json_object();
  const size_t items = (size_t)sn_random_below(random, ITEMS_MAX);
  for (size_t i = 0; type != NULL && i < type->field_count; i++) {
    const sn_msg_field *field = &type->fields[i];
    const bool is_odd = sn_random_below(random, 12) == 0;
    if (is_odd && sn_random_below(random, 2) == 0) {
      continue; /* left out */
    }
    json_t *value = field->shape == SN_MSG_SINGLE ? any_value(run, field, random, depth)
                    : field->shape == SN_MSG_ARRAY
                        ? any_list(run, field, random, field->count, depth)
                        : any_list(run, field, random, is_odd ? items + 1 : items, depth);
    json_object_set_new(object, field->name, value);
  }
  return object;
}
