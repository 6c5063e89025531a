/* Property files of the configuration: those of the command line. A file states what it is about
   by its keys: chains, contacts and groups belong to the robot, every other key to components
   that have a property of that name. Files of the original system have their own forms, which
   components translate. */
#include <string.h>

#include "base/report_internal.h"
#include "deploy/deployment.h"
#include "deploy/merge.h"
#include "files/value_read.h"
#include "model/urdf/xacro_load.h"
#include "rt/components/property_access.h"

/* `servos` with `groups` of registers describe a bus: those groups are not groups of joints. Limits
   by joint are the robot's; other kinds of `joint_limits` are properties of components. */
static bool is_robot_key(const sn_value *file, const sn_value *item) {
  static const char *const keys[] = {"kinematics_chains", "chains", "contacts",
                                     SN__XACRO_ARGUMENTS_KEY, "groups"};
  if (strcmp(item->name, "joint_limits") == 0) {
    return item->kind == SN_VALUE_BAG;
  }
  const size_t count = sizeof keys / sizeof *keys - (sn_value_find(file, "servos") != NULL);
  for (size_t i = 0; i < count; i++) {
    if (strcmp(item->name, keys[i]) == 0) {
      return true;
    }
  }
  return false;
}

/* The items of a file that belong to the robot, or the others. The robot itself is known. */
static const sn_value *pick(sn__reading *reading, const sn_value *file, bool of_robot) {
  const sn_value *bag = sn__value_make_empty(reading->arena, "", file->place);
  for (size_t i = 0; bag != NULL && i < file->item_count; i++) {
    if (is_robot_key(file, file->items[i]) == of_robot &&
        strcmp(file->items[i]->name, "robot") != 0) {
      bag = sn__value_add(reading->arena, bag, file->items[i]);
    }
  }
  return bag == NULL ? sn__reading_out_of_memory(reading) : bag;
}

static void add_to_root(sn__reading *reading, const sn_value *bag) {
  const sn_value *root = sn__value_merge(reading->arena, reading->root, bag);
  reading->root = root == NULL ? reading->root : root;
  if (root == NULL) {
    sn__reading_out_of_memory(reading);
  }
}

static void read_one(sn__reading *reading, const char *path, sn__property_file *out) {
  const char *kept = sn_arena_text(reading->arena, path, strlen(path));
  const sn_value *file = NULL;
  const sn_status status =
      kept == NULL ? SN_ENOMEM : sn_value_load(reading->arena, kept, reading->report, &file);
  if (status == SN_ENOMEM) {
    sn__reading_out_of_memory(reading);
  }
  if (status != SN_OK) {
    return;
  }
  if (file->kind != SN_VALUE_BAG || sn_deployment_is_meant(file)) {
    sn__report_error(reading, file->place, "run it as the deployment",
                     "'%.100s' is not a file of properties", path);
    return;
  }
  const sn_value *robot = pick(reading, file, true);
  if (robot != NULL && robot->item_count > 0) {
    add_to_root(reading, robot);
  }
  out->bag = pick(reading, file, false);
  out->is_used = SN_NEW(reading->scratch, bool, file->item_count);
  if (out->is_used == NULL) {
    sn__reading_out_of_memory(reading);
  }
}

/* Poses are stated with the robot, but are of no use to its model. */
void sn__take_poses(sn__reading *reading, const sn_value *from) {
  const sn_value *poses = sn_value_find(from, "poses");
  if (poses != NULL) {
    reading->poses =
        (sn__property_file){.bag = sn__value_make_bag(reading->arena, "", poses, from->place),
                            .is_used = SN_NEW(reading->scratch, bool, 1)};
    if (reading->poses.bag == NULL || reading->poses.is_used == NULL) {
      sn__reading_out_of_memory(reading);
      reading->poses.bag = NULL;
    }
  }
}

void sn__read_property_files(sn__reading *reading) {
  const sn_deployment_config *config = reading->config;
  const size_t count = config->property_file_count;
  reading->property_files = SN_NEW(reading->scratch, sn__property_file, count);
  if (reading->property_files == NULL) {
    sn__reading_out_of_memory(reading);
    return;
  }
  for (size_t i = 0; i < count && reading->status == SN_OK; i++) {
    read_one(reading, config->property_files[i], &reading->property_files[i]);
  }
}

static bool has_property(const sn_component_type *type, const sn_value *item) {
  return sn_property_find(type->properties, item->name) != NULL;
}

static bool has_any(const sn_component_type *type, const sn_value *bag) {
  for (size_t i = 0; i < bag->item_count; i++) {
    if (has_property(type, bag->items[i])) {
      return true;
    }
  }
  return false;
}

static bool is_reported(const sn_report *report, const sn_problem *problem) {
  for (size_t i = 0; i < sn_report_count(report); i++) {
    const sn_problem *p = sn_report_at(report, i);
    if (p->place.line == problem->place.line && p->place.column == problem->place.column &&
        strcmp(p->message, problem->message) == 0) {
      return true;
    }
  }
  return false;
}

/* A file in the form of the component. Remarks on the translation count if it is used, and once. */
static const sn_value *translate(sn__reading *reading, const sn_component_type *type,
                                 const sn_value *file) {
  sn_report *remarks = NULL;
  file = sn__name_servos(reading, file);
  if (file == NULL || type->translate == NULL) {
    return file;
  }
  if (sn_report_create(reading->scratch, &remarks, NULL) != SN_OK) {
    return sn__reading_out_of_memory(reading);
  }
  const sn_value *bag = type->translate(reading->arena, file, remarks);
  for (size_t i = 0; bag != NULL && has_any(type, bag) && i < sn_report_count(remarks); i++) {
    const sn_problem *p = sn_report_at(remarks, i);
    if (!is_reported(reading->report, p)) {
      sn__report_add(reading->report, p->severity, p->place, p->hint, "%s", p->message);
    }
  }
  return bag == NULL ? sn__reading_out_of_memory(reading) : bag;
}

/* The robot model gets its properties with the robot. */
static bool is_robot_model(const sn_component_type *type) {
  return strcmp(type->name, SN__ROBOT_MODEL) == 0;
}

/* What a translation has removed was used, too. */
static void mark_used(sn__property_file *file, const sn_component_type *type,
                      const sn_value *translated) {
  for (size_t i = 0; i < file->bag->item_count; i++) {
    const sn_value *item = file->bag->items[i];
    file->is_used[i] = file->is_used[i] || has_property(type, item) ||
                       sn_value_find(translated, item->name) == NULL;
  }
}

static const sn_value *take(sn__reading *reading, sn__property_file *file,
                            const sn_component_type *type, const sn_value *all) {
  const sn_value *bag = file->bag == NULL ? NULL : translate(reading, type, file->bag);
  if (bag == NULL || !has_any(type, bag)) {
    return all;
  }
  mark_used(file, type, bag);
  for (size_t k = 0; k < bag->item_count; k++) {
    const sn_value *item = bag->items[k];
    if (has_property(type, item)) {
      const sn_value *one = sn__value_make_bag(reading->arena, "", item, item->place);
      all = all == NULL ? one : sn__value_merge(reading->arena, all, one);
    }
  }
  return all;
}

const sn_value *sn__properties_from_files(sn__reading *reading, const sn_component_type *type) {
  const sn_value *all = NULL;
  const bool is_open = type != NULL && !is_robot_model(type);
  if (is_open) {
    all = take(reading, &reading->poses, type, all);
  }
  for (size_t i = 0; is_open && i < reading->config->property_file_count; i++) {
    all = take(reading, &reading->property_files[i], type, all);
  }
  return all;
}

static void report_unused(sn__reading *reading, const sn__property_file *file) {
  for (size_t i = 0; file->bag != NULL && i < file->bag->item_count; i++) {
    const sn_value *item = file->bag->items[i];
    if (!file->is_used[i]) {
      sn__report_add(reading->report, SN_SEVERITY_WARNING, item->name_place,
                     strcmp(item->name, "servos") != 0
                         ? NULL
                         : "servos of a bus need its driver in place of the plant, such as type: "
                           "driver_herkulex",
                     "'%.60s' is not used: no component has a property of that name", item->name);
    }
  }
}

void sn__report_unused_properties(sn__reading *reading) {
  for (size_t i = 0; reading->status == SN_OK && i < reading->config->property_file_count; i++) {
    report_unused(reading, &reading->property_files[i]);
  }
}
