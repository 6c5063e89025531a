/* Loads and checks the robot of a deployment, and passes it to the robot model's component as
   properties. */
#include <string.h>

#include "deploy/deployment.h"
#include "deploy/merge.h"
#include "files/file.h"
#include "model/robot_file.h"
#include "model/srdf/semantics.h"
#include "model/urdf/xacro_load.h"

/* Keys of a robot's property file that a deployment may have as well; the arguments, last, are of
   no use once the robot is loaded. */
static const char *const robot_keys[] = {
    "kinematics_chains", "chains", "contacts", "groups", "joint_limits", SN__XACRO_ARGUMENTS_KEY};
enum { KEY_COUNT = sizeof robot_keys / sizeof *robot_keys, COMPONENT_KEY_COUNT = KEY_COUNT - 1 };

static void forbid_own_keys(sn__reading *reading, const char *file) {
  for (size_t i = 0; i < KEY_COUNT; i++) {
    const sn_value *own = sn_value_find(reading->root, robot_keys[i]);
    if (own != NULL) {
      sn__report_error(reading, own->name_place, NULL,
                       "'%s' belongs in '%.100s', the property file of the robot", own->name, file);
    }
  }
}

/* Only the keys of a bag that belong to the robot; `chains` under its full name. */
static const sn_value *pick_properties(sn__reading *reading, const sn_value *from,
                                       size_t key_count) {
  sn_arena *arena = reading->arena;
  const sn_value *bag = sn__value_make_empty(arena, "", from->place);
  for (size_t i = 0; i < key_count; i++) {
    const sn_value *value = sn_value_find(from, robot_keys[i]);
    if (value != NULL) {
      const char *name = strcmp(value->name, "chains") == 0 ? "kinematics_chains" : value->name;
      value = sn__value_rename(arena, value, name, value->name_place);
      bag = sn__value_merge(arena, bag, sn__value_make_bag(arena, "", value, from->place));
    }
  }
  return bag == NULL ? sn__reading_out_of_memory(reading) : bag;
}

/* For the component: the description is one of its properties.
   @param property_file  NULL: the robot is a URDF */
static void keep_properties(sn__reading *reading, const char *description, const char *urdf,
                            const char *property_file, const sn_value *from, sn_place place) {
  sn_arena *arena = reading->arena;
  const sn_value *text = sn__value_make_text(arena, "robot_description", description, place);
  const sn_value *file = sn__value_make_text(arena, "robot_file", urdf, place);
  const sn_value *bag = sn__value_merge(arena, sn__value_make_bag(arena, "", text, place),
                                        sn__value_make_bag(arena, "", file, place));
  const char *srdf = reading->deployment->model == NULL
                         ? NULL
                         : sn__model_semantics(reading->deployment->model)->text;
  if (srdf != NULL) {
    const sn_value *semantic =
        sn__value_make_text(arena, "robot_description_semantic", srdf, place);
    bag = sn__value_merge(arena, bag, sn__value_make_bag(arena, "", semantic, place));
  }
  if (property_file != NULL) {
    const sn_value *path = sn__value_make_text(arena, "robot_property_file", property_file, place);
    bag = sn__value_merge(arena, bag, sn__value_make_bag(arena, "", path, place));
  }
  if (reading->config->package_path != NULL) {
    const sn_value *path =
        sn__value_make_text(arena, "package_path", reading->config->package_path, place);
    bag = sn__value_merge(arena, bag, sn__value_make_bag(arena, "", path, place));
  }
  reading->deployment->robot_properties =
      sn__value_merge(arena, bag, pick_properties(reading, from, COMPONENT_KEY_COUNT));
  if (reading->deployment->robot_properties == NULL) {
    sn__reading_out_of_memory(reading);
  }
}

void sn__set_robot(sn__reading *reading) {
  const char *path = reading->config->robot;
  if (path == NULL) {
    return;
  }
  sn_arena *arena = reading->arena;
  /* Problems of the robot are reported with the place in its own file. */
  const char *slash = strrchr(path, '/');
  const char *name = slash == NULL ? path : slash + 1;
  const sn_place place = {.file = sn_arena_text(arena, path, strlen(path))};
  const sn_value *robot =
      sn__value_make_text(arena, "robot", sn_arena_text(arena, name, strlen(name)), place);
  const sn_value *root =
      sn__value_merge(arena, reading->root, sn__value_make_bag(arena, "", robot, place));
  if (robot == NULL || robot->text == NULL || place.file == NULL || root == NULL) {
    sn__reading_out_of_memory(reading);
  } else {
    reading->root = root;
  }
}

void sn__read_robot(sn__reading *reading, const sn_value *robot) {
  const char *path = sn__named_file(reading, robot);
  if (path == NULL) {
    return;
  }
  reading->deployment->robot = path;
  sn__file probe; /* a missing file is reported at the place that names it */
  sn_error err;
  if (sn__file_read(path, SN_URDF_SIZE_MAX, NULL, &probe, &err) != SN_OK) {
    sn__report_error(reading, robot->place, NULL, "%s", err.message);
    return;
  }
  sn__file_free(&probe);
  sn_robot_file file = {0};
  const sn_status status = sn__robot_file_find(reading->arena, path, reading->report, &file);
  if (status != SN_OK) {
    reading->status = status == SN_ENOMEM ? SN_ENOMEM : reading->status;
    return;
  }
  const bool has_file = file.properties != NULL;
  if (has_file) {
    forbid_own_keys(reading, path);
  } else {
    file.properties = pick_properties(reading, reading->root, KEY_COUNT);
  }
  if (file.properties == NULL) {
    return;
  }
  const bool has_poses = sn_value_find(reading->root, "poses") != NULL;
  sn__take_poses(reading, has_poses ? reading->root : file.properties);
  const sn_model_config config = {.properties = file.properties,
                                  .package_path = reading->config->package_path,
                                  .xacro_arguments = reading->config->xacro_arguments,
                                  .srdf_file = reading->config->srdf_file};
  if (sn_model_load(reading->arena, file.urdf, &config, reading->report,
                    &reading->deployment->model, NULL) == SN_ENOMEM) {
    sn__reading_out_of_memory(reading);
  }
  /* Without a model, which is reported, the rest of the deployment is still checked. */
  const sn_model *model = reading->deployment->model;
  size_t size = 0;
  const char *description = model == NULL ? "" : sn_model_description(model, &size); /* expanded */
  if (strlen(description) != size) { /* a property is a text */
    sn__report_error(reading, robot->place, "save it as UTF-8", "'%.100s' contains a NUL byte",
                     file.urdf);
    return;
  }
  keep_properties(reading, description, file.urdf, has_file ? path : NULL, file.properties,
                  robot->place);
}

bool sn__type_provides(const sn_component_type *type, const char *interface) {
  for (const sn_service *s = type->services; s != NULL && s->name != NULL; s++) {
    if (strcmp(s->name, interface) == 0) {
      return true;
    }
  }
  return false;
}

static bool provides_model(const sn__reading *reading, const sn_value *component) {
  const sn_value *name = sn_value_find(component, "type");
  const sn_component_type *type = name == NULL || name->kind != SN_VALUE_TEXT
                                      ? NULL
                                      : sn_component_registry_find(reading->registry, name->text);
  return type != NULL && sn__type_provides(type, SN__ROBOT_MODEL);
}

void sn__add_robot_model(sn__reading *reading) {
  const sn_value *robot = sn_value_find(reading->root, "robot");
  const sn_value *components = sn_value_find(reading->root, "components");
  if (reading->deployment->robot_properties == NULL ||
      sn_component_registry_find(reading->registry, SN__ROBOT_MODEL) == NULL ||
      (components != NULL && components->kind == SN_VALUE_LIST)) {
    return;
  }
  const bool is_bag = components != NULL && components->kind == SN_VALUE_BAG;
  for (size_t i = 0; is_bag && i < components->item_count; i++) {
    if (provides_model(reading, components->items[i])) {
      return;
    }
  }
  if (is_bag && sn_value_find(components, "robot_model") != NULL) {
    sn__report_error(reading, sn_value_find(components, "robot_model")->name_place, NULL,
                     "'robot_model' is reserved for the component of the robot model");
    return;
  }
  sn_arena *arena = reading->arena;
  const sn_place place = robot->place;
  const sn_value *type = sn__value_make_text(arena, "type", SN__ROBOT_MODEL, place);
  const sn_value *component = sn__value_make_bag(arena, "robot_model", type, place);
  const sn_value *bag = sn__value_make_bag(arena, "components", component,
                                           components == NULL ? place : components->place);
  bag = sn__value_make_bag(arena, "", bag, reading->root->place);
  bag = sn__value_merge(arena, reading->root, bag);
  reading->root = bag == NULL ? reading->root : bag;
  if (bag == NULL) {
    sn__reading_out_of_memory(reading);
  }
}
