#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "common/app_system.h"
#include "common/print.h"
#include "common/robot.h"
#include "robot_tools/check_overlaps.h"
#include "robot_tools/check_semantics.h"
#include "sinew/ik.h"

static const char *contact_kind(const sn_contact *contact) {
  static const char *const kinds[] = {
      [SN_CONTACT_POINT] = "point", [SN_CONTACT_AXIS] = "axis", [SN_CONTACT_FULL] = "full"};
  return kinds[contact->kind];
}

/* Text of a file as JSON; bytes that are not UTF-8 become '?'. */
static json_t *text_json(const char *text) {
  json_t *json = json_string(text);
  if (json == NULL) {
    char clean[512];
    size_t i = 0;
    for (; text[i] != '\0' && i + 1 < sizeof clean; i++) {
      clean[i] = (unsigned char)text[i] < 0x80 ? text[i] : '?';
    }
    clean[i] = '\0';
    json = json_string(clean);
  }
  return json;
}

/* The closed form of inverse kinematics of a chain, or "numeric". */
static void find_decomposition(const sn_model *model, size_t chain, char *text, size_t size) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "decomposition", 16 * 1024);
  const sn_ik_config config = {.solver = "analytic",
                               .group = sn_names_at(sn_model_chain_names(model), chain)};
  sn_ik *ik = NULL;
  const bool has_form = sn_ik_create(&arena, model, &config, &ik, NULL) == SN_OK;
  snprintf(text, size, "%s", has_form ? sn_ik_solver_description(ik) : "numeric");
  sn_arena_release(&arena);
}

static json_t *chains_json(const sn_model *model) {
  json_t *list = json_array();
  const sn_names *names = sn_model_chain_names(model);
  for (size_t i = 0; i < sn_names_count(names); i++) {
    size_t joint_count = 0;
    const int *members = sn_model_chain_joints(model, i, &joint_count);
    json_t *joints = json_array();
    for (size_t j = 0; j < joint_count; j++) {
      json_array_append_new(joints, json_string(sn_model_joint(model, (size_t)members[j])->name));
    }
    char decomposition[160];
    find_decomposition(model, i, decomposition, sizeof decomposition);
    json_array_append_new(
        list, json_pack("{s:s, s:s, s:s, s:o, s:s}", "name", sn_names_at(names, i), "first_link",
                        sn_model_chain_property(model, i, "first_link"), "last_link",
                        sn_model_chain_property(model, i, "last_link"), "joints", joints, "ik",
                        decomposition));
  }
  return list;
}

static json_t *contacts_json(const sn_model *model) {
  json_t *list = json_array();
  for (size_t i = 0; i < sn_names_count(sn_model_contact_names(model)); i++) {
    const sn_contact *contact = sn_model_contact(model, i);
    json_t *points = json_array();
    for (size_t k = 0; k < contact->point_count; k++) {
      const sn_vec3 p = contact->points[k];
      json_array_append_new(points, json_pack("[f, f, f]", p.x, p.y, p.z));
    }
    json_array_append_new(list, json_pack("{s:s, s:s, s:o}", "name", contact->name, "kind",
                                          contact_kind(contact), "points", points));
  }
  return list;
}

static json_t *problems_json(const sn_report *report) {
  json_t *list = json_array();
  for (size_t i = 0; i < sn_report_count(report); i++) {
    const sn_problem *problem = sn_report_at(report, i);
    json_t *item = json_pack("{s:s, s:o, s:i, s:i, s:s}", "severity",
                             problem->severity == SN_SEVERITY_ERROR ? "error" : "warning", "file",
                             text_json(problem->place.file), "line", (int)problem->place.line,
                             "column", (int)problem->place.column, "message", problem->message);
    if (problem->hint != NULL) {
      json_object_set_new(item, "hint", json_string(problem->hint));
    }
    json_array_append_new(list, item);
  }
  return list;
}

/* The result of checking a file. */
typedef struct finding {
  bool is_good;
  const sn_model *model;           /* NULL: invalid, or not in this file */
  const sn_deployment *deployment; /* NULL: a robot, or an invalid deployment */
  const sn_report *report;
  const overlaps *overlaps; /* NULL: not looked for */
} finding;

static json_t *finding_json(const finding *f) {
  const sn_model *model = f->model;
  json_t *pose = json_array();
  for (size_t i = 0; model != NULL && i < sn_model_pose_size(model); i++) {
    json_array_append_new(pose, json_string(sn_model_joint(model, i)->name));
  }
  json_t *json = json_pack("{s:b, s:s, s:i, s:i, s:i, s:s, s:o, s:o, s:o, s:o}", "ok", f->is_good,
                           "robot", model == NULL ? "" : sn_model_name(model), "links",
                           model == NULL ? 0 : (int)sn_model_link_count(model), "joints",
                           model == NULL ? 0 : (int)sn_model_joint_count(model), "dof",
                           model == NULL ? 0 : (int)sn_model_dof(model), "root",
                           model == NULL ? "" : sn_model_link(model, 0)->name, "pose", pose,
                           "chains", model == NULL ? json_array() : chains_json(model), "contacts",
                           model == NULL ? json_array() : contacts_json(model), "problems",
                           problems_json(f->report));
  if (model != NULL) {
    semantics_add_json(model, json);
  }
  return json;
}

/* Deployments have more members. */
static json_t *deployment_json(const finding *f) {
  json_t *json = finding_json(f);
  const sn_deployment *d = f->deployment;
  json_object_set_new(json, "components",
                      json_integer(d == NULL ? 0 : (int)sn_deployment_component_count(d)));
  json_object_set_new(json, "connections",
                      json_integer(d == NULL ? 0 : (int)sn_deployment_connection_count(d)));
  json_object_set_new(json, "activities",
                      json_integer(d == NULL ? 0 : (int)sn_deployment_activity_count(d)));
  return json;
}

static void print_chain(const sn_model *model, size_t index) {
  const sn_chain *chain = sn_model_chain(model, index, true);
  printf("  chain   %-12s %s -> %s:", sn_names_at(sn_model_chain_names(model), index),
         sn_model_chain_property(model, index, "first_link"),
         sn_model_link(model, (size_t)chain->last_link)->name);
  size_t joint_count = 0;
  const int *joints = sn_model_chain_joints(model, index, &joint_count);
  for (size_t j = 0; j < joint_count; j++) {
    printf(" %s", sn_model_joint(model, (size_t)joints[j])->name);
  }
  char decomposition[160];
  find_decomposition(model, index, decomposition, sizeof decomposition);
  printf("\n          %-12s inverse kinematics: %s\n", "", decomposition);
}

static void print_robot(const sn_model *model) {
  printf("  robot   %s: %zu links, %zu joints, %zu degrees of freedom, root %s\n",
         *sn_model_name(model) == '\0' ? "(no name)" : sn_model_name(model),
         sn_model_link_count(model), sn_model_joint_count(model), sn_model_dof(model),
         sn_model_link(model, 0)->name);
  for (size_t i = 0; i < sn_names_count(sn_model_chain_names(model)); i++) {
    print_chain(model, i);
  }
  for (size_t i = 0; i < sn_names_count(sn_model_contact_names(model)); i++) {
    const sn_contact *contact = sn_model_contact(model, i);
    printf("  contact %-12s %s, %zu point%s\n", contact->name, contact_kind(contact),
           contact->point_count, contact->point_count == 1 ? "" : "s");
  }
}

static const char *plural(size_t count) {
  return count == 1 ? "" : "s";
}

static void print_summary(const finding *f, const char *path) {
  const size_t errors = sn_report_error_count(f->report);
  const size_t warnings = sn_report_warning_count(f->report);
  if (!f->is_good) {
    printf("%s: not valid: %zu error%s, %zu warning%s\n", path, errors, plural(errors), warnings,
           plural(warnings));
    return;
  }
  printf("%s: good", path);
  if (warnings > 0) {
    printf(", with %zu warning%s", warnings, plural(warnings));
  }
  putchar('\n');
  if (f->model != NULL) {
    print_robot(f->model);
    semantics_print(f->model);
  }
  if (f->overlaps != NULL) {
    overlaps_print(f->overlaps);
  }
  if (f->deployment != NULL) {
    const size_t components = sn_deployment_component_count(f->deployment);
    const size_t connections = sn_deployment_connection_count(f->deployment);
    const size_t activities = sn_deployment_activity_count(f->deployment);
    printf("  system  %zu component%s, %zu connection%s, %zu activit%s\n", components,
           plural(components), connections, plural(connections), activities,
           activities == 1 ? "y" : "ies");
  }
}

static json_t *robot_json(const finding *f) {
  json_t *json = finding_json(f);
  if (f->overlaps != NULL && overlaps_count(f->overlaps) > 0) {
    json_object_set_new(json, "overlaps", overlaps_json(f->overlaps));
  }
  return json;
}

static int report_finding(const finding *f, const char *path, bool as_json, bool is_deployment) {
  const int code = f->is_good ? EXIT_GOOD : EXIT_NO;
  if (as_json) {
    const int printed = json_line_print(is_deployment ? deployment_json(f) : robot_json(f));
    return printed == EXIT_FAULT ? EXIT_FAULT : code;
  }
  problems_print(f->report);
  print_summary(f, path);
  return code;
}

enum { PATH_SIZE = 4096 };

typedef struct check_arguments {
  robot_options robot;
  const char *path;
  bool has_plugins, as_json;
  text_list settings;
} check_arguments;

static int check_robot(const check_arguments *a) {
  robot r;
  overlaps o = {0};
  int code = EXIT_FAULT;
  if (!robot_load(&r, a->path, &a->robot) ||
      (r.model != NULL && !overlaps_find(&r, &a->robot, &o))) {
    code = out_of_memory();
  } else {
    const finding f = {.is_good = r.model != NULL,
                       .model = r.model,
                       .report = r.report,
                       .overlaps = r.model == NULL ? NULL : &o};
    code = report_finding(&f, a->path, a->as_json, false);
  }
  robot_free(&r);
  return code;
}

/* Built and configured as by 'run', but never started. */
static int check_deployment(const check_arguments *a) {
  app_system p;
  sn_clock_init_simulated(&p.clock, 0);
  int code = EXIT_FAULT;
  const app_system_options options = {.settings = a->settings.items,
                                      .setting_count = a->settings.count,
                                      .properties = a->robot.properties.items,
                                      .property_count = a->robot.properties.count,
                                      .has_plugins = a->has_plugins,
                                      .package_path = robot_package_path(&a->robot),
                                      .xacro_arguments = robot_xacro_arguments(&a->robot),
                                      .srdf_file = a->robot.srdf};
  bool has_memory = app_system_load(&p, a->path, &options);
  if (has_memory && p.system != NULL) {
    has_memory = sn_deployment_check(p.deployment, p.system, p.report) != SN_ENOMEM;
  }
  if (!has_memory) {
    code = out_of_memory();
  } else {
    const finding f = {.is_good = p.system != NULL && sn_report_error_count(p.report) == 0,
                       .model = p.deployment == NULL ? NULL : sn_deployment_model(p.deployment),
                       .deployment = p.deployment,
                       .report = p.report};
    code = report_finding(&f, a->path, a->as_json, true);
  }
  app_system_free(&p);
  return code;
}

static int run_check(void *arguments) {
  check_arguments *a = arguments;
  /* Several files belong to a robot and to components: all are checked together. */
  if (a->robot.properties.count > 1 ||
      (a->robot.properties.count == 0 && file_is_deployment(a->path))) {
    return check_deployment(a);
  }
  if (a->settings.count > 0) {
    return command_misused(&command_check, "option '--set' needs a deployment, %s is a robot",
                           a->path);
  }
  char beside[PATH_SIZE];
  if (a->robot.properties.count == 0 && !a->robot.without_properties &&
      robot_find_properties(a->path, beside, sizeof beside)) {
    fprintf(stderr,
            "sinew check: with the robot's properties in %s (--no-properties leaves them "
            "out)\n",
            beside);
    a->robot.properties = (text_list){.items = {beside}, .count = 1};
  }
  return check_robot(a);
}

#define AT(member) offsetof(check_arguments, member)
static const command_argument check_argument_table[] = {
    {"FILE", ARGUMENT_ONE, AT(path),
     "A robot (.urdf, .xacro, MJCF .xml), a file that names one, or a deployment (.yaml)",
     WORD_FILE, NULL},
    {0}};
static const command_option options[] = {
    {"--set", "COMPONENT.PROPERTY=VALUE", OPTION_LIST, AT(settings),
     .help = "Set a property of the deployment; may be repeated"},
    {"--plugins", NULL, OPTION_FLAG, AT(has_plugins),
     .help = "Load the plugins that the deployment names, which runs their code"},
    {"--json", NULL, OPTION_FLAG, AT(as_json), .help = "Print JSON"},
    {0}};

const command command_check = {
    .name = "check",
    .purpose = "Check a robot or a deployment; report all problems in one run.",
    .arguments = check_argument_table,
    .options = {robot_option_table, options},
    .size = sizeof(check_arguments),
    .run = run_check};
