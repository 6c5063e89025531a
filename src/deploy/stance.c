/* A plant that starts on its feet respects the limits and nominal poses that inverse kinematics
   has: otherwise controllers of feet could not move from there. The joints that this changes become
   part of its initial_pose. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "deploy/deployment.h"
#include "files/value_make.h"
#include "legs/legs.h"

static sn__part *find_type(const sn_deployment *deployment, const char *type, const char *other) {
  for (size_t i = 0; i < deployment->part_count; i++) {
    sn__part *part = &deployment->parts[i];
    if (part->type != NULL &&
        (strcmp(part->type->name, type) == 0 || strcmp(part->type->name, other) == 0)) {
      return part;
    }
  }
  return NULL;
}

static const sn_value *property_of(const sn__part *part, const char *name) {
  return part == NULL || part->properties == NULL ? NULL : sn_value_find(part->properties, name);
}

static bool starts_standing(const sn__part *plant) {
  const sn_value *pose = property_of(plant, "start_pose");
  return pose != NULL && pose->kind == SN_VALUE_TEXT && strcmp(pose->text, "stand") == 0;
}

/* Numbers of a chain into a sorted vector. @return whether there are any */
static bool read_chain(const sn_model *model, const sn_value *entry, const char *key, double *q) {
  const sn_value *name = sn_value_find(entry, "chain"), *list = sn_value_find(entry, key);
  const int index =
      name == NULL || name->kind != SN_VALUE_TEXT ? -1 : sn_model_chain_index(model, name->text);
  if (index < 0 || list == NULL || list->kind != SN_VALUE_LIST) {
    return false;
  }
  const sn_chain *chain = sn_model_chain(model, (size_t)index, true);
  for (size_t i = 0; i < chain->joint_count && i < list->item_count; i++) {
    (void)sn_value_number(list->items[i], &q[chain->joints[i]]);
  }
  return list->item_count > 0;
}

/* All entries of a list of the component. */
static bool read_chains(const sn_model *model, const sn_value *list, const char *key, double *q) {
  bool has_any = false;
  for (size_t i = 0; list != NULL && list->kind == SN_VALUE_LIST && i < list->item_count; i++) {
    has_any = read_chain(model, list->items[i], key, q) || has_any;
  }
  return has_any;
}

/* @return whether there is a stance by a nominal pose, or within limits; false: neither is given */
static bool find_stance(sn__reading *reading, const sn__part *kinematics, sn__legs *legs) {
  const sn_model *model = reading->deployment->model;
  const size_t n = sn_model_pose_size(model);
  double *lower = SN_NEW(reading->scratch, double, 3 * n + 1);
  if (lower == NULL) {
    return sn__reading_out_of_memory(reading) != NULL;
  }
  double *upper = lower + n, *nominal = lower + 2 * n;
  for (size_t i = 0; i < n; i++) {
    lower[i] = -HUGE_VAL;
    upper[i] = HUGE_VAL;
    nominal[i] = 0.0;
  }
  const sn_value *limits = property_of(kinematics, "limits");
  if (read_chains(model, property_of(kinematics, "nominal"), "q", nominal) &&
      sn__legs_find(reading->scratch, model, nominal, legs, NULL) == SN_OK) {
    return true;
  }
  const bool has_lower = read_chains(model, limits, "q_min", lower);
  const bool has_upper = read_chains(model, limits, "q_max", upper);
  return (has_lower || has_upper) &&
         sn__legs_find_within(reading->scratch, model, lower, upper, legs, NULL) == SN_OK;
}

static const sn_value *add_joint(sn__reading *reading, const sn_value *pose, size_t joint,
                                 double q) {
  const sn_joint *j = sn_model_joint(reading->deployment->model, joint);
  char text[SN__NUMBER_SIZE];
  const size_t length = sn__number_format(q, text);
  const char *kept = sn_arena_text(reading->arena, text, length);
  const sn_value *item =
      kept == NULL ? NULL : sn__value_make_text(reading->arena, j->name, kept, pose->place);
  return item == NULL ? NULL : sn__value_add(reading->arena, pose, item);
}

/* The joints that the file does not state. */
static const sn_value *add_stance(sn__reading *reading, const sn_value *pose,
                                  const sn__legs *legs) {
  const sn_model *model = reading->deployment->model;
  for (size_t i = 0; pose != NULL && i < sn_model_pose_size(model); i++) {
    const sn_joint *joint = sn_model_joint(model, i);
    if (joint->mimic < 0 && sn_value_find(pose, joint->name) == NULL) {
      pose = add_joint(reading, pose, i, legs->stance[i]);
    }
  }
  return pose;
}

void sn__fit_stance(sn__reading *reading) {
  sn_deployment *deployment = reading->deployment;
  sn__part *plant = find_type(deployment, "plant", "plant_mujoco");
  const sn__part *kinematics = find_type(deployment, "kinematics_inv", "kinematics_inv");
  sn__legs legs;
  if (deployment->model == NULL || kinematics == NULL || !starts_standing(plant) ||
      !find_stance(reading, kinematics, &legs)) {
    return;
  }
  const sn_value *given = sn_value_find(plant->properties, "initial_pose");
  const sn_value *pose = given == NULL || given->kind != SN_VALUE_BAG
                             ? sn__value_make_empty(reading->arena, "initial_pose", plant->place)
                             : given;
  pose = pose == NULL ? NULL : add_stance(reading, pose, &legs);
  const sn_value *all = NULL;
  for (size_t i = 0; pose != NULL && given != NULL && i < plant->properties->item_count; i++) {
    if (plant->properties->items[i] == given) {
      all = sn__value_replace(reading->arena, plant->properties, i, pose);
    }
  }
  if (pose != NULL && given == NULL) {
    all = sn__value_add(reading->arena, plant->properties, pose);
  }
  if (all == NULL) {
    (void)sn__reading_out_of_memory(reading);
  } else {
    plant->properties = all;
  }
}
