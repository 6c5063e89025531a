#include "deploy/deployment.h"

#include <stdarg.h>
#include <string.h>

#include "base/report_internal.h"
#include "base/text.h"
#include "model/urdf/xacro_load.h"
#include "rt/components/property_access.h"
#include "sinew/fault.h"

typedef struct capacity_keys {
  int64_t items;
  int64_t text;
} capacity_keys;

typedef struct root_keys {
  sn_texts include;
  const char *robot;
  sn_texts plugins;
  capacity_keys capacity;
  const sn_value *tree; /* read elsewhere */
} root_keys;

static const sn_property capacity_table[] = {
    SN_PROPERTY(capacity_keys, "items", items, .unit = "elements", .initial = "64", .min = 1.0,
                .max = SN_MSG_ITEMS_MAX, .doc = "Capacity of each sequence."),
    SN_PROPERTY(capacity_keys, "text", text, .initial = "64", .min = 1.0, .max = SN_MSG_TEXT_MAX,
                .unit = "bytes", .doc = "Capacity of each text, with its NUL."),
    {0}};

const sn_property sn__root_table[] = {
    SN_PROPERTY(root_keys, "components", tree, .doc = "By name."),
    SN_PROPERTY(root_keys, "connections", tree, .doc = "Between ports."),
    SN_PROPERTY(root_keys, "activities", tree, .doc = "By name."),
    SN_PROPERTY(root_keys, "include", include, .doc = "Files that this one overrides and extends."),
    SN_PROPERTY(root_keys, "robot", robot, .doc = "A URDF, or a property file that names one."),
    SN_PROPERTY(root_keys, SN__XACRO_ARGUMENTS_KEY, tree,
                .doc = "Values for the arguments of a robot in xacro, by name."),
    SN_PROPERTY(root_keys, "plugins", plugins, .doc = "Shared libraries with component types."),
    SN_PROPERTY_BAG_OF(root_keys, "capacity", capacity, capacity_table,
                       .doc = "Capacity of messages."),
    SN_PROPERTY(root_keys, "kinematics_chains", tree,
                .doc = "As in a property file, if the robot is a URDF."),
    SN_PROPERTY(root_keys, "chains", tree, .doc = "The same."),
    SN_PROPERTY(root_keys, "contacts", tree,
                .doc = "As in a property file, if the robot is a URDF."),
    SN_PROPERTY(root_keys, "groups", tree, .doc = "As in a property file, if the robot is a URDF."),
    SN_PROPERTY(root_keys, "joint_limits", tree,
                .doc = "As in a property file, if the robot is a URDF."),
    SN_PROPERTY(root_keys, "poses", tree,
                .doc = "Poses with names; they replace those of the robot's property file."),
    {0}};

void *sn__reading_out_of_memory(sn__reading *reading) {
  reading->status = SN_ENOMEM;
  return NULL;
}

void sn__report_error(sn__reading *reading, sn_place place, const char *hint, const char *format,
                      ...) {
  char message[400];
  va_list args;
  va_start(args, format);
  sn__text_format(message, sizeof message, format, args);
  va_end(args);
  sn__report_add(reading->report, SN_SEVERITY_ERROR, place, hint, "%s", message);
}

void sn__read_bag(sn__reading *reading, const sn_property *table, void *object, const sn_value *bag,
                  const char *path) {
  sn_status status = SN_OK;
  if (bag->kind != SN_VALUE_BAG) {
    status = sn__property_set_all(table, object, bag, path, reading->arena, reading->report);
  }
  for (size_t i = 0; bag->kind == SN_VALUE_BAG && i < bag->item_count && status != SN_ENOMEM; i++) {
    sn_value one = *bag;
    one.items = &bag->items[i];
    one.item_count = 1;
    status = sn__property_set_all(table, object, &one, path, reading->arena, reading->report);
  }
  if (status == SN_ENOMEM) {
    sn__reading_out_of_memory(reading);
  }
}

bool sn_deployment_is_meant(const sn_value *root) {
  static const char *const keys[] = {"components", "connections", "activities", "plugins",
                                     "include"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    if (sn_value_find(root, keys[i]) != NULL) {
      return true;
    }
  }
  return false;
}

static void load_plugins(sn__reading *reading, const sn_value *plugins) {
  const bool is_list = plugins != NULL && plugins->kind == SN_VALUE_LIST;
  sn_deployment *deployment = reading->deployment;
  const char **paths = SN_NEW(reading->arena, const char *, is_list ? plugins->item_count : 0);
  deployment->plugins = paths;
  for (size_t i = 0; paths != NULL && is_list && i < plugins->item_count; i++) {
    const sn_value *item = plugins->items[i];
    const char *path = item->kind == SN_VALUE_TEXT ? sn__named_file(reading, item) : NULL;
    sn_error err;
    if (path == NULL) {
      continue;
    }
    paths[deployment->plugin_count++] = path;
    if (reading->config->without_plugins != NULL) {
      sn__report_error(reading, item->place, reading->config->without_plugins,
                       "the plugin '%.150s' was not loaded, since loading it runs its code", path);
    } else if (sn_component_registry_load(reading->registry, path, &err) != SN_OK) {
      sn__report_error(reading, item->place, NULL, "%s", err.message);
    }
  }
}

static void read_root(sn__reading *reading) {
  root_keys keys = {0};
  if (sn__property_init_values(sn__root_table, &keys, reading->scratch) != SN_OK) {
    sn__reading_out_of_memory(reading);
    return;
  }
  sn_arena *arena = reading->arena;
  reading->arena = reading->scratch; /* the trees are copied for the check only */
  sn__read_bag(reading, sn__root_table, &keys, reading->root, "");
  reading->arena = arena;
  if (sn_value_find(reading->root, "capacity") != NULL) {
    reading->deployment->capacity = (sn_msg_capacity){.item_count = (size_t)keys.capacity.items,
                                                      .text_size = (size_t)keys.capacity.text};
  }
}

/* Messages must hold all joints and chains of the robot, unless the file sets a capacity. */
static void fit_capacity(sn__reading *reading) {
  sn_deployment *deployment = reading->deployment;
  if (deployment->capacity.item_count > 0 || deployment->model == NULL) {
    return;
  }
  const size_t joints = sn_model_pose_size(deployment->model);
  const size_t chains = sn_names_count(sn_model_chain_names(deployment->model));
  const size_t items = joints > chains ? joints : chains;
  if (items > 64) {
    deployment->capacity = (sn_msg_capacity){.item_count = items, .text_size = 64};
  }
}

/* Everything after reading the files. */
static void read_all(sn__reading *reading) {
  const sn_deployment_config *config = reading->config;
  sn__set_robot(reading);
  sn__read_property_files(reading);
  read_root(reading);
  load_plugins(reading, sn_value_find(reading->root, "plugins"));
  const sn_value *robot = sn_value_find(reading->root, "robot");
  if (robot != NULL && robot->kind == SN_VALUE_TEXT && *robot->text != '\0') {
    sn__read_robot(reading, robot);
    sn__add_robot_model(reading);
    fit_capacity(reading);
  }
  sn__add_activity(reading);
  sn__leave_out(reading);
  sn__apply_settings(reading, config->settings, config->setting_count);
  sn__read_activities(reading, sn_value_find(reading->root, "activities"));
  sn__read_components(reading, sn_value_find(reading->root, "components"));
  sn__report_unused_properties(reading);
  if (reading->status == SN_OK) {
    sn__fit_stance(reading);
    sn__read_connections(reading, sn_value_find(reading->root, "connections"));
  }
  const bool is_robot_bad =
      reading->deployment->robot != NULL && reading->deployment->model == NULL;
  if (reading->status == SN_OK &&
      !is_robot_bad) { /* else most needs are open because of an error that is already reported */
    sn__resolve_needs(reading);
    sn__check_flow(reading);
  }
}

typedef struct source {
  const char *path;
  const char *text; /* NULL: load the file */
  size_t size;
} source;

static const sn_value *read_source(sn__reading *reading, const source *from) {
  if (from->text == NULL) {
    const char *path = sn_arena_text(reading->arena, from->path, strlen(from->path));
    return path == NULL ? sn__reading_out_of_memory(reading) : sn__read_files(reading, path);
  }
  const sn_value *root = NULL;
  const sn_status status = sn_value_parse_yaml(reading->arena, from->text, from->size, from->path,
                                               reading->report, &root);
  if (status == SN_ENOMEM) {
    return sn__reading_out_of_memory(reading);
  }
  return status == SN_OK ? sn__merge_includes(reading, root) : NULL;
}

static sn_status read(sn_arena *arena, const source *from, const sn_deployment_config *config,
                      sn_report *report, const sn_deployment **out) {
  SN_ASSERT(config != NULL && config->registry != NULL && report != NULL);
  const size_t errors_before = sn_report_error_count(report);
  sn_arena scratch;
  sn_arena_init_growing(&scratch, "deployment scratch", 0);
  sn__reading reading = {.arena = arena,
                         .scratch = &scratch,
                         .report = report,
                         .config = config,
                         .registry = config->registry,
                         .is_file = from->text == NULL,
                         .may_read = from->text == NULL || config->may_read,
                         .deployment = SN_NEW(arena, sn_deployment, 1)};
  reading.status = reading.deployment == NULL ? SN_ENOMEM : SN_OK;
  if (reading.status == SN_OK) {
    reading.root = read_source(&reading, from);
  }
  if (reading.root != NULL && reading.status == SN_OK) {
    read_all(&reading);
  }
  sn_arena_release(&scratch);
  if (reading.status == SN_OK && sn_report_error_count(report) > errors_before) {
    reading.status = SN_EINVAL;
  }
  if (reading.status == SN_OK) {
    *out = reading.deployment;
  }
  return reading.status;
}

sn_status sn_deployment_load(sn_arena *arena, const char *path, const sn_deployment_config *config,
                             sn_report *report, const sn_deployment **out) {
  return read(arena, &(source){.path = path}, config, report, out);
}

sn_status sn_deployment_parse(sn_arena *arena, const char *text, size_t size, const char *file,
                              const sn_deployment_config *config, sn_report *report,
                              const sn_deployment **out) {
  return read(arena, &(source){.path = file, .text = text, .size = size}, config, report, out);
}

size_t sn_deployment_component_count(const sn_deployment *deployment) {
  return deployment->part_count;
}

size_t sn_deployment_connection_count(const sn_deployment *deployment) {
  return deployment->link_count;
}

size_t sn_deployment_activity_count(const sn_deployment *deployment) {
  return deployment->task_count;
}

sn_msg_capacity sn_deployment_capacity(const sn_deployment *deployment) {
  return deployment->capacity;
}

const sn_model *sn_deployment_model(const sn_deployment *deployment) {
  return deployment->model;
}
