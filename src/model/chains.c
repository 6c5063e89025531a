#include <string.h>

#include "base/report_internal.h"
#include "files/value_read.h"
#include "model/model_data.h"

static const char *copy_text(sn_arena *arena, const char *text) {
  return sn_arena_text(arena, text, strlen(text));
}

/* Keep every scalar of the chain as text. A derived chain has the two that define it, and its foot.
 */
static bool copy_properties(sn__build *build, const sn__chain_plan *plan, sn__chain_data *chain) {
  const size_t count = plan->value == NULL ? 3 : plan->value->item_count;
  sn__chain_property *copies = SN_NEW(build->arena, sn__chain_property, count);
  if (copies == NULL) {
    return false;
  }
  chain->properties = copies;
  if (plan->value == NULL) {
    const int foot = chain->default_contact;
    chain->property_count = foot < 0 ? 2 : 3;
    copies[0] = (sn__chain_property){"first_link", build->model->links[plan->first_link].name};
    copies[1] = (sn__chain_property){"last_link", build->model->links[plan->last_link].name};
    copies[2] = (sn__chain_property){"default_contact",
                                     foot < 0 ? NULL : build->model->contacts[foot].name};
    return true;
  }
  for (size_t i = 0; i < count; i++) {
    const sn_value *item = plan->value->items[i];
    if (item->kind == SN_VALUE_TEXT) {
      sn__chain_property *copy = &copies[chain->property_count++];
      copy->key = copy_text(build->arena, item->name);
      copy->value = copy_text(build->arena, item->text);
      if (copy->key == NULL || copy->value == NULL) {
        return false;
      }
    }
  }
  return true;
}

static int find_default_contact(sn__build *build, const sn__layout *layout, size_t index) {
  const sn__chain_plan *plan = &layout->chains[index];
  if (layout->feet != NULL) {
    return layout->feet[index];
  }
  const sn_value *value =
      plan->value == NULL ? NULL : sn_value_find(plan->value, "default_contact");
  const char *name = value == NULL ? NULL : sn__value_expect_text(build->report, value);
  if (name == NULL) {
    return -1;
  }
  const int contact = sn_names_index(build->model->contact_names, name);
  if (contact < 0) {
    sn__report_add(build->report, SN_SEVERITY_ERROR, value->place, NULL,
                   "chain '%.80s': default_contact '%.80s' is not a contact", plan->name, name);
  }
  return contact;
}

/* All joints of a limb: those of its chain, then the others it owns. */
static bool list_joints(sn__build *build, int index, sn__chain_data *chain) {
  const sn_model *model = build->model;
  const sn_chain *full = &chain->full;
  size_t own_count = 0;
  for (size_t j = 0; j < model->pose_size; j++) {
    own_count += model->joints[j].chain == index ? 1 : 0;
  }
  int *joints = SN_NEW(build->arena, int, full->joint_count + own_count);
  if (joints == NULL) {
    return false;
  }
  memcpy(joints, full->joints, full->joint_count * sizeof *joints);
  chain->joint_count = full->joint_count;
  for (size_t j = 0; j < model->pose_size; j++) {
    bool is_new = model->joints[j].chain == index;
    for (size_t i = 0; i < full->joint_count && is_new; i++) {
      is_new = full->joints[i] != (int)j;
    }
    if (is_new) {
      joints[chain->joint_count++] = (int)j;
    }
  }
  chain->joints = joints;
  return true;
}

bool sn__compile_chains(sn__build *build, const sn__layout *layout) {
  sn_model *model = build->model;
  sn__chain_data *chains = SN_NEW(build->arena, sn__chain_data, layout->chain_count);
  const char **names = SN_NEW(build->scratch, const char *, layout->chain_count);
  if (chains == NULL || names == NULL) {
    return false;
  }
  for (size_t i = 0; i < layout->chain_count; i++) {
    const sn__chain_plan *plan = &layout->chains[i];
    sn__chain_data *chain = &chains[i];
    names[i] = plan->name;
    chain->default_contact = find_default_contact(build, layout, i);
    if (!copy_properties(build, plan, chain) ||
        !sn__chain_compile(build->arena, build->scratch, model, plan->first_link, plan->last_link,
                           &chain->physical)) {
      return false;
    }
    chain->full = chain->physical;
    if (plan->last_link_virtual >= 0 &&
        !sn__chain_compile(build->arena, build->scratch, model, plan->first_link,
                           plan->last_link_virtual, &chain->full)) {
      return false;
    }
    if (!list_joints(build, (int)i, chain)) {
      return false;
    }
  }
  model->chains = chains;
  return sn_names_create(build->arena, names, layout->chain_count, &model->chain_names, NULL) ==
         SN_OK;
}
