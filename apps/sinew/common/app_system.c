#define _POSIX_C_SOURCE 200809L /* S_ISREG() */

#include "common/app_system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "deploy/deployment.h"
#include "legs/legs.h"
#include "run/bridges.h"
#include "sinew/components.h"
#include "storm/storm_rogue.h"

enum { LOG_RECORDS = 4096, LOG_RECORDS_SMALL = 256 };

static bool is_yaml(const char *path) {
  const char *dot = strrchr(path, '.');
  return dot != NULL && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

/* Apply a predicate to the root of a file. */
static bool ask_root(const char *path, bool (*question)(const sn_value *root)) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "look", 64 * 1024);
  sn_report *report = NULL; /* dropped: loading it reports the same problems */
  const sn_value *root = NULL;
  const bool answer = sn_report_create(&arena, &report, NULL) == SN_OK &&
                      sn_value_load(&arena, path, report, &root) == SN_OK && question(root);
  sn_arena_release(&arena);
  return answer;
}

bool file_is_deployment(const char *path) {
  return is_yaml(path) && ask_root(path, sn_deployment_is_meant);
}

static bool has_robot(const sn_value *root) {
  return sn_value_find(root, "robot") != NULL;
}

static bool names_robot(const char *path) {
  return ask_root(path, has_robot);
}

static bool build(app_system *p) {
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

/* XML is a robot, or something that the reader of URDF reports. */
static bool is_xml(const char *path) {
  struct stat facts;
  char head[64] = "";
  FILE *file = stat(path, &facts) == 0 && S_ISREG(facts.st_mode) ? fopen(path, "rb") : NULL;
  if (file == NULL) {
    return false;
  }
  head[fread(head, 1, sizeof head - 1, file)] = '\0';
  fclose(file);
  static const char mark[] = "\xef\xbb\xbf"; /* the byte order mark of UTF-8 */
  const char *text = head + (strncmp(head, mark, 3) == 0 ? 3 : 0);
  return text[strspn(text, " \t\r\n")] == '<';
}

static bool is_urdf(const char *path) {
  const char *dot = strrchr(path, '.');
  return dot != NULL && strcmp(dot, ".cpf") != 0 &&
         (strcmp(dot, ".urdf") == 0 || strcmp(dot, ".xacro") == 0 || strcmp(dot, ".sdf") == 0 ||
          (!is_yaml(path) && is_xml(path)));
}

bool file_is_robot(const char *path) {
  const char *dot = strrchr(path, '.');
  return is_urdf(path) || (dot != NULL && strcmp(dot, ".cpf") == 0) ||
         (is_yaml(path) && !file_is_deployment(path) && names_robot(path));
}

/* A property file beside a robot must not be a deployment or belong to another robot. */
static bool belongs_to(const sn_value *root, const char *urdf) {
  static const char *const keys[] = {"kinematics_chains", "chains", "contacts", "groups",
                                     "joint_limits",      "poses"};
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

/* Bytes of a path without its ending; `.urdf.xacro` is one. */
static size_t name_length(const char *path) {
  static const char *const endings[] = {".urdf.xacro", ".xacro"};
  const size_t length = strlen(path);
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    const size_t ending = strlen(endings[i]);
    if (length > ending && strcmp(path + length - ending, endings[i]) == 0) {
      return length - ending;
    }
  }
  const char *dot = strrchr(path, '.');
  return dot == NULL ? length : (size_t)(dot - path);
}

bool robot_find_properties(const char *urdf, char *out, size_t size) {
  struct stat facts;
  const int length = snprintf(out, size, "%.*s.yaml", (int)name_length(urdf), urdf);
  if (!is_urdf(urdf) || stat(urdf, &facts) != 0 || length < 0 || (size_t)length >= size) {
    out[0] = '\0';
    return false;
  }
  if (stat(out, &facts) != 0) {
    return false;
  }
  sn_arena arena;
  sn_arena_init_growing(&arena, "look", 64 * 1024);
  sn_report *report = NULL;
  const sn_value *root = NULL;
  /* One that cannot be read is used, so that its problems are reported. */
  const bool is_read = sn_report_create(&arena, &report, NULL) == SN_OK &&
                       sn_value_load(&arena, out, report, &root) == SN_OK;
  const bool is_ours = S_ISREG(facts.st_mode) && (!is_read || belongs_to(root, urdf));
  sn_arena_release(&arena);
  if (!is_ours) {
    out[0] = '\0';
  }
  return is_ours;
}

static bool prepare(app_system *p, bool has_small_log) {
  const sn_clock clock = p->clock;
  *p = (app_system){.clock = clock};
  sn_arena_init_growing(&p->arena, "deployment", 256 * 1024);
  sn_arena_init_growing(&p->report_arena, "problems", 64 * 1024);
  p->registry = sn_component_registry_create(&p->arena);
  return sn_report_create(&p->report_arena, &p->report, NULL) == SN_OK && p->registry != NULL &&
         sn_components_add(p->registry, NULL) == SN_OK &&
         sn_bridges_add(p->registry, NULL) == SN_OK &&
         sn_component_registry_add(p->registry, &storm_rogue_component, NULL) == SN_OK &&
         sn_log_create(&p->arena, has_small_log ? LOG_RECORDS_SMALL : LOG_RECORDS, &p->log, NULL) ==
             SN_OK;
}

bool app_system_has_cockpit(const app_system *p) {
  return sn_component_registry_find(p->registry, "cockpit") != NULL;
}

/* Component types to leave out. */
static size_t list_unwanted(app_system *p, const app_system_options *options,
                            const char *const **out) {
  const size_t count = sn_component_registry_count(p->registry);
  const char **names = SN_NEW(&p->arena, const char *, count + 1 + options->without_count);
  size_t used = 0;
  for (size_t i = 0; names != NULL && i < options->without_count; i++) {
    names[used++] = options->without_types[i];
  }
  for (size_t i = 0; names != NULL && i < count; i++) {
    const sn_component_type *type = sn_component_registry_at(p->registry, i);
    if (options->is_alone && type->on_system_started != NULL) {
      names[used++] = type->name;
    }
  }
  if (names != NULL && (options->is_headless || !app_system_has_cockpit(p))) {
    names[used++] = "cockpit";
  }
  *out = names;
  return used;
}

/* Deployments that can be included without their file. */
enum { STANDARD, WALKING, BUILT_IN_COUNT };

static sn_deployment_config configure(app_system *p, const app_system_options *options,
                                      sn_deployment_file built_in[BUILT_IN_COUNT]) {
  const char *const *without = NULL;
  const size_t without_count = list_unwanted(p, options, &without);
  built_in[STANDARD].name = "standard.yaml";
  built_in[STANDARD].text = sn_standard_deployment(&built_in[STANDARD].size);
  built_in[WALKING].name = "walking.yaml";
  built_in[WALKING].text = sn__walking_deployment(&built_in[WALKING].size);
  return (sn_deployment_config){
      .registry = p->registry,
      .settings = options->settings,
      .setting_count = options->setting_count,
      .robot = options->robot,
      .property_files = options->properties,
      .property_file_count = options->property_count,
      .package_path = options->package_path,
      .xacro_arguments = options->xacro_arguments,
      .srdf_file = options->srdf_file,
      .files = built_in,
      .file_count = BUILT_IN_COUNT,
      .without = without,
      .without_plugins = options->has_plugins ? NULL : "the option --plugins loads it",
      .without_count = without_count};
}

/* Legs, but no stance: the reason is worth a message. */
static bool has_feet(const sn_model *model) {
  size_t count = 0;
  for (size_t i = 0; i < sn_names_count(sn_model_chain_names(model)); i++) {
    count += sn_model_chain_default_contact(model, i) >= 0 ? 1 : 0;
  }
  return count >= 2;
}

bool robot_can_stand(const char *path, const app_system_options *options, sn_error *reason) {
  app_system probe;
  sn_deployment_file built_in[BUILT_IN_COUNT];
  sn__legs legs;
  bool can_stand = false;
  reason->message[0] = '\0';
  sn_clock_init_simulated(&probe.clock, 0);
  if (prepare(&probe, true)) {
    sn_deployment_config config = configure(&probe, options, built_in);
    config.robot = path;
    config.setting_count = 0;
    config.may_read = true;
    const sn_status status =
        sn_deployment_parse(&probe.arena, built_in[WALKING].text, built_in[WALKING].size,
                            built_in[WALKING].name, &config, probe.report, &probe.deployment);
    const sn_model *model = status == SN_OK ? sn_deployment_model(probe.deployment) : NULL;
    can_stand = model != NULL && sn__legs_find(&probe.arena, model, NULL, &legs, reason) == SN_OK;
    if (can_stand || model == NULL || !has_feet(model)) {
      reason->message[0] = '\0';
    }
  }
  app_system_free(&probe);
  return can_stand;
}

/* A name in single quotes; quotes in it are doubled. */
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

/* Where clients save the properties of the robot. @return NULL: out of memory */
static const char *property_file_setting(app_system *p, const char *path) {
  static const char begin[] = "robot_model.robot_property_file=";
  char *text = sn_arena_alloc(&p->arena, sizeof begin + 2 * strlen(path) + 2, 1);
  if (text != NULL) {
    memcpy(text, begin, sizeof begin);
    *put_quoted(text + sizeof begin - 1, path) = '\0';
  }
  return text;
}

/* A robot without a deployment starts on its feet, or in a pose that it can move from. Settings of
 * the user come later and win. @return false: out of memory */
static bool add_settings(app_system *p, const app_system_options *options, bool can_stand,
                         sn_deployment_config *config) {
  const char **settings = SN_NEW(&p->arena, const char *, options->setting_count + 2);
  if (settings == NULL) {
    return false;
  }
  size_t count = 0;
  settings[count++] = can_stand ? "plant.start_pose=stand" : "plant.start_pose=movable";
  if (options->property_file != NULL) {
    settings[count++] = property_file_setting(p, options->property_file);
  }
  const bool is_complete = settings[count - 1] != NULL;
  for (size_t i = 0; i < options->setting_count; i++) {
    settings[count++] = options->settings[i];
  }
  config->settings = settings;
  config->setting_count = count;
  return is_complete;
}

/* A deployment that includes another one and adds what the options ask for. @return NULL: out of
 * memory */
static const char *include_file(app_system *p, const char *included,
                                const app_system_options *options) {
  static const char begin[] = "include: [";
  const char *const more[] = {options->components, options->has_ros1 ? "ros1: {type: ros1}" : NULL,
                              options->has_ros2 ? "ros2: {type: ros2}" : NULL};
  const size_t room = options->components == NULL ? 0 : strlen(options->components);
  const size_t size = sizeof begin + 2 * strlen(included) + room + 100;
  char *text = sn_arena_alloc(&p->arena, size, 1);
  if (text == NULL) {
    return NULL;
  }
  memcpy(text, begin, sizeof begin - 1);
  char *at = put_quoted(text + sizeof begin - 1, included);
  at += snprintf(at, size - (size_t)(at - text), "]\ncomponents: {");
  bool is_first = true;
  for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
    if (more[i] != NULL) {
      at += snprintf(at, size - (size_t)(at - text), "%s%s", is_first ? "" : ", ", more[i]);
      is_first = false;
    }
  }
  snprintf(at, size - (size_t)(at - text), "}\n");
  return text;
}

bool app_system_load(app_system *p, const char *path, const app_system_options *options) {
  if (!prepare(p, options->has_small_log)) {
    return false;
  }
  sn_deployment_file built_in[BUILT_IN_COUNT];
  sn_deployment_config config = configure(p, options, built_in);
  const bool is_robot = file_is_robot(path);
  const bool can_stand = is_robot && !options->is_hanging && !options->is_walking &&
                         robot_can_stand(path, options, &p->no_stance);
  const sn_deployment_file *own = &built_in[can_stand || options->is_walking ? WALKING : STANDARD];
  if (is_robot) {
    config.robot = path;
    if (!add_settings(p, options, can_stand, &config)) {
      return false;
    }
  }
  sn_status status = SN_OK;
  if (options->has_ros1 || options->has_ros2 || options->components != NULL) {
    const char *text = include_file(p, is_robot ? own->name : path, options);
    const char *name = options->has_ros2 ? "--ros2" : options->has_ros1 ? "--ros1" : "options";
    config.may_read = true;
    status = text == NULL ? SN_ENOMEM
                          : sn_deployment_parse(&p->arena, text, strlen(text), name, &config,
                                                p->report, &p->deployment);
  } else if (is_robot) {
    config.may_read = true;
    status = sn_deployment_parse(&p->arena, own->text, own->size, own->name, &config, p->report,
                                 &p->deployment);
  } else {
    status = sn_deployment_load(&p->arena, path, &config, p->report, &p->deployment);
  }
  return status == SN_OK ? build(p) : status != SN_ENOMEM;
}

bool app_system_parse(app_system *p, const char *text, size_t size, const char *name,
                      const app_system_options *options) {
  if (!prepare(p, options->has_small_log)) {
    return false;
  }
  sn_deployment_file built_in[BUILT_IN_COUNT];
  sn_deployment_config config = configure(p, options, built_in);
  config.may_read = true; /* plugins are files */
  const sn_status status =
      sn_deployment_parse(&p->arena, text, size, name, &config, p->report, &p->deployment);
  return status == SN_OK ? build(p) : status != SN_ENOMEM;
}

char *app_system_text(const app_system *p, bool is_whole) {
  const size_t size = sn_deployment_print(p->deployment, is_whole, NULL, 0) + 1;
  char *text = malloc(size);
  if (text != NULL) {
    sn_deployment_print(p->deployment, is_whole, text, size);
  }
  return text;
}

void app_system_free(app_system *p) {
  sn_system_destroy(p->system);
  sn_arena_release(&p->arena);
  sn_arena_release(&p->report_arena);
}
