#include "plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinew/bridges.h"
#include "sinew/components.h"

enum { LOG_RECORDS = 4096 };

static bool is_yaml(const char *path) {
  const char *dot = strrchr(path, '.');
  return dot != NULL && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

/* Does a question about the root of a file have the answer yes? */
static bool ask_root(const char *path, bool (*question)(const sn_prop *root)) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "look", 64 * 1024);
  sn_report *report = sn_report_create(&arena); /* who loads it will be told the same */
  const sn_prop *root = NULL;
  const bool answer =
      report != NULL && sn_props_load(&arena, path, report, &root) == SN_OK && question(root);
  sn_arena_release(&arena);
  return answer;
}

bool plan_is_meant(const char *path) {
  return is_yaml(path) && ask_root(path, sn_deployment_is_meant);
}

static bool has_robot(const sn_prop *root) {
  return sn_prop_find(root, "robot") != NULL;
}

static bool names_robot(const char *path) {
  return ask_root(path, has_robot);
}

static bool build(plan *p) {
  const sn_system_config config = {
      .clock = &p->clock, .log = p->log, .capacity = sn_deployment_capacity(p->deployment)};
  p->system = sn_system_create(&config);
  if (p->system == NULL) {
    return false;
  }
  const sn_status status = sn_deployment_build(p->deployment, p->system, p->report);
  if (status != SN_OK) {
    sn_system_destroy(p->system);
    p->system = NULL;
  }
  return status != SN_ENOMEM;
}

bool plan_is_robot(const char *path) {
  const char *dot = strrchr(path, '.');
  return dot != NULL && (strcmp(dot, ".urdf") == 0 || strcmp(dot, ".cpf") == 0 ||
                         (is_yaml(path) && !plan_is_meant(path) && names_robot(path)));
}

static bool prepare(plan *p) {
  const sn_clock clock = p->clock;
  *p = (plan){.clock = clock};
  sn_arena_init_growing(&p->arena, "deployment", 256 * 1024);
  sn_arena_init_growing(&p->report_arena, "problems", 64 * 1024);
  p->report = sn_report_create(&p->report_arena);
  p->registry = sn_component_registry_create(&p->arena);
  return p->report != NULL && p->registry != NULL &&
         sn_components_add(p->registry, NULL) == SN_OK &&
         sn_bridges_add(p->registry, NULL) == SN_OK &&
         sn_log_create(&p->arena, LOG_RECORDS, &p->log, NULL) == SN_OK;
}

bool plan_has_cockpit(const plan *p) {
  return sn_component_registry_find(p->registry, "cockpit") != NULL;
}

/* Types of components that are not wanted this time. */
static size_t list_unwanted(plan *p, const plan_wishes *wishes, const char *const **out) {
  const size_t count = sn_component_registry_count(p->registry);
  const char **names = SN_NEW(&p->arena, const char *, count + 1);
  size_t used = 0;
  for (size_t i = 0; names != NULL && i < count; i++) {
    const sn_component_type *type = sn_component_registry_at(p->registry, i);
    if (wishes->is_alone && type->attend != NULL) {
      names[used++] = type->name;
    }
  }
  if (names != NULL && (wishes->is_headless || !plan_has_cockpit(p))) {
    names[used++] = "cockpit";
  }
  *out = names;
  return used;
}

/* A robot by itself starts where it can move; a setting of the user's comes later and wins.
   @return NULL: no memory */
static const char *const *add_settings(plan *p, const plan_wishes *wishes) {
  const char **settings = SN_NEW(&p->arena, const char *, wishes->setting_count + 1);
  if (settings != NULL) {
    settings[0] = "plant.start_pose=movable";
    for (size_t i = 0; i < wishes->setting_count; i++) {
      settings[i + 1] = wishes->settings[i];
    }
  }
  return settings;
}

static sn_deployment_config configure(plan *p, const plan_wishes *wishes,
                                      sn_deployment_file *standard) {
  const char *const *without = NULL;
  const size_t without_count = list_unwanted(p, wishes, &without);
  standard->name = "standard.yaml";
  standard->text = sn_standard_deployment(&standard->size);
  return (sn_deployment_config){
      .registry = p->registry,
      .settings = wishes->settings,
      .setting_count = wishes->setting_count,
      .robot = wishes->robot,
      .files = standard,
      .file_count = 1,
      .without = without,
      .without_plugins = wishes->has_plugins ? NULL : "the option --plugins loads it",
      .without_count = without_count};
}

/* A deployment that includes another and adds what the command line wants besides.
   @return NULL: no memory */
static const char *add_components(plan *p, const char *included, const plan_wishes *wishes) {
  static const char begin[] = "include: ['";
  char end[80];
  snprintf(end, sizeof end, "']\ncomponents: {%s%s%s}\n",
           wishes->has_ros1 ? "ros1: {type: ros1}" : "",
           wishes->has_ros1 && wishes->has_ros2 ? ", " : "",
           wishes->has_ros2 ? "ros2: {type: ros2}" : "");
  char *text = sn_arena_alloc(&p->arena, sizeof begin + 2 * strlen(included) + sizeof end, 1);
  if (text == NULL) {
    return NULL;
  }
  char *at = text + sizeof begin - 1;
  memcpy(text, begin, sizeof begin - 1);
  for (; *included != '\0'; included++) {
    *at++ = *included;
    if (*included == '\'') {
      *at++ = '\''; /* YAML doubles it */
    }
  }
  memcpy(at, end, strlen(end) + 1);
  return text;
}

bool plan_load(plan *p, const char *path, const plan_wishes *wishes) {
  if (!prepare(p)) {
    return false;
  }
  sn_deployment_file standard;
  sn_deployment_config config = configure(p, wishes, &standard);
  const bool is_robot = plan_is_robot(path);
  if (is_robot) {
    config.robot = path;
    config.settings = add_settings(p, wishes);
    config.setting_count++;
    if (config.settings == NULL) {
      return false;
    }
  }
  sn_status status = SN_OK;
  if (wishes->has_ros1 || wishes->has_ros2) {
    const char *text = add_components(p, is_robot ? standard.name : path, wishes);
    config.may_read = true;
    status = text == NULL ? SN_ENOMEM
                          : sn_deployment_parse(&p->arena, text, strlen(text),
                                                wishes->has_ros2 ? "--ros2" : "--ros1", &config,
                                                p->report, &p->deployment);
  } else if (is_robot) {
    config.may_read = true;
    status = sn_deployment_parse(&p->arena, standard.text, standard.size, standard.name, &config,
                                 p->report, &p->deployment);
  } else {
    status = sn_deployment_load(&p->arena, path, &config, p->report, &p->deployment);
  }
  return status == SN_OK ? build(p) : status != SN_ENOMEM;
}

bool plan_parse(plan *p, const char *text, size_t size, const char *name,
                const plan_wishes *wishes) {
  if (!prepare(p)) {
    return false;
  }
  sn_deployment_file standard;
  sn_deployment_config config = configure(p, wishes, &standard);
  config.may_read = true; /* plugins */
  const sn_status status =
      sn_deployment_parse(&p->arena, text, size, name, &config, p->report, &p->deployment);
  return status == SN_OK ? build(p) : status != SN_ENOMEM;
}

char *plan_text(const plan *p, bool is_whole) {
  const size_t size = sn_deployment_print(p->deployment, is_whole, NULL, 0) + 1;
  char *text = malloc(size);
  if (text != NULL) {
    sn_deployment_print(p->deployment, is_whole, text, size);
  }
  return text;
}

void plan_free(plan *p) {
  sn_system_destroy(p->system);
  sn_arena_release(&p->arena);
  sn_arena_release(&p->report_arena);
}
