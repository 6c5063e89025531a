#define _POSIX_C_SOURCE 200809L /* S_ISREG() */

#include "robot_tools/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "run/bridges.h"
#include "sinew/components.h"

enum { LOG_RECORDS = 4096 };

static bool is_yaml(const char *path) {
  const char *dot = strrchr(path, '.');
  return dot != NULL && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

/* Does a question about the root of a file have the answer yes? */
static bool ask_root(const char *path, bool (*question)(const sn_value *root)) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "look", 64 * 1024);
  sn_report *report = sn_report_create(&arena); /* who loads it will be told the same */
  const sn_value *root = NULL;
  const bool answer =
      report != NULL && sn_value_load(&arena, path, report, &root) == SN_OK && question(root);
  sn_arena_release(&arena);
  return answer;
}

bool plan_is_meant(const char *path) {
  return is_yaml(path) && ask_root(path, sn_deployment_is_meant);
}

static bool has_robot(const sn_value *root) {
  return sn_value_find(root, "robot") != NULL;
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

/* Does it look like XML? Then it is a robot, or something that is said to be none. */
static bool is_xml(const char *path) {
  struct stat facts;
  char head[64] = "";
  FILE *file = stat(path, &facts) == 0 && S_ISREG(facts.st_mode) ? fopen(path, "rb") : NULL;
  if (file == NULL) {
    return false;
  }
  head[fread(head, 1, sizeof head - 1, file)] = '\0';
  fclose(file);
  static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8 */
  const char *text = head + (strncmp(head, mark, 3) == 0 ? 3 : 0);
  return text[strspn(text, " \t\r\n")] == '<';
}

static bool is_urdf(const char *path) {
  const char *dot = strrchr(path, '.');
  return dot != NULL && strcmp(dot, ".cpf") != 0 &&
         (strcmp(dot, ".urdf") == 0 || strcmp(dot, ".xacro") == 0 || strcmp(dot, ".sdf") == 0 ||
          (!is_yaml(path) && is_xml(path)));
}

bool plan_is_robot(const char *path) {
  const char *dot = strrchr(path, '.');
  return is_urdf(path) || (dot != NULL && strcmp(dot, ".cpf") == 0) ||
         (is_yaml(path) && !plan_is_meant(path) && names_robot(path));
}

/* What a property file beside a robot must not be: a deployment, or that of another robot. */
static bool belongs_to(const sn_value *root, const char *urdf) {
  static const char *const keys[] = {"kinematics_chains", "chains", "contacts", "groups"};
  const sn_value *robot = sn_value_find(root, "robot");
  const char *slash = strrchr(urdf, '/');
  const char *name = slash == NULL ? urdf : slash + 1;
  if (sn_deployment_is_meant(root) ||
      (robot != NULL && (robot->kind != SN_VALUE_TEXT || strcmp(robot->text, name) != 0))) {
    return false;
  }
  bool has_any = robot != NULL;
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    has_any = has_any || sn_value_find(root, keys[i]) != NULL;
  }
  return has_any;
}

bool plan_find_properties(const char *urdf, char *out, size_t size) {
  const char *dot = strrchr(urdf, '.');
  struct stat facts;
  const int length = dot == NULL ? -1 : snprintf(out, size, "%.*s.yaml", (int)(dot - urdf), urdf);
  if (!is_urdf(urdf) || length < 0 || (size_t)length >= size || stat(out, &facts) != 0 ||
      !S_ISREG(facts.st_mode)) {
    return false;
  }
  sn_arena arena;
  sn_arena_init_growing(&arena, "look", 64 * 1024);
  sn_report *report = sn_report_create(&arena);
  const sn_value *root = NULL;
  /* One that cannot be read is used, so that its problems are reported. */
  const bool is_read = report != NULL && sn_value_load(&arena, out, report, &root) == SN_OK;
  const bool is_ours = !is_read || belongs_to(root, urdf);
  sn_arena_release(&arena);
  return is_ours;
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
      .package_path = wishes->package_path,
      .files = standard,
      .file_count = 1,
      .without = without,
      .without_plugins = wishes->has_plugins ? NULL : "the option --plugins loads it",
      .without_count = without_count};
}

/* A name in single quotes, those in it doubled. */
static char *put_quoted(char *at, const char *name) {
  *at++ = '\'';
  for (; *name != '\0'; name++) {
    *at++ = *name;
    if (*name == '\'') {
      *at++ = '\'';
    }
  }
  *at++ = '\'';
  return at;
}

/* A deployment that includes another, and what the command line wants besides.
   @param properties  of the robot; NULL: none
   @return NULL: no memory */
static const char *include_files(plan *p, const char *included, const char *properties,
                                 const plan_wishes *wishes) {
  static const char begin[] = "include: [";
  char end[80];
  snprintf(end, sizeof end, "]\ncomponents: {%s%s%s}\n",
           wishes->has_ros1 ? "ros1: {type: ros1}" : "",
           wishes->has_ros1 && wishes->has_ros2 ? ", " : "",
           wishes->has_ros2 ? "ros2: {type: ros2}" : "");
  const size_t names = 2 * strlen(included) + (properties == NULL ? 0 : 2 * strlen(properties));
  char *text = sn_arena_alloc(&p->arena, sizeof begin + names + 8 + sizeof end, 1);
  if (text == NULL) {
    return NULL;
  }
  memcpy(text, begin, sizeof begin - 1);
  char *at = put_quoted(text + sizeof begin - 1, included);
  if (properties != NULL) {
    *at++ = ',';
    *at++ = ' ';
    at = put_quoted(at, properties);
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
  if (wishes->has_ros1 || wishes->has_ros2 || wishes->properties != NULL) {
    const char *text =
        include_files(p, is_robot ? standard.name : path, wishes->properties, wishes);
    const char *name = wishes->has_ros2 ? "--ros2" : wishes->has_ros1 ? "--ros1" : "--properties";
    config.may_read = true;
    status = text == NULL ? SN_ENOMEM
                          : sn_deployment_parse(&p->arena, text, strlen(text), name, &config,
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
