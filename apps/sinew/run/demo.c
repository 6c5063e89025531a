/* `sinew demo`: a robot that stands and breathes, or one without legs that sways, with everything
 * else to take it over. */
#include <stdio.h>

#include "commands.h"
#include "common/app_system.h"
#include "common/share.h"
#include "run/run.h"

/* The quadruped does, if no other robot is given. */
static bool can_stand(const run_arguments *a) {
  char beside[SHARE_PATH_SIZE];
  text_list files = a->robot_options.properties;
  if (files.count == 0 && a->path != NULL && !a->robot_options.without_properties &&
      robot_find_properties(a->path, beside, sizeof beside)) {
    files.items[files.count++] = beside;
  }
  const app_system_options options = {.properties = files.items,
                                      .property_count = files.count,
                                      .package_path = robot_package_path(&a->robot_options),
                                      .xacro_arguments = robot_xacro_arguments(&a->robot_options),
                                      .srdf_file = a->robot_options.srdf,
                                      .is_headless = true};
  sn_error reason;
  return !a->is_hanging && (a->path == NULL || robot_can_stand(a->path, &options, &reason));
}

static int run_demo(void *arguments) {
  run_arguments *a = arguments;
  char path[SHARE_PATH_SIZE];
  if (!run_arguments_complete(a, &command_demo)) {
    return EXIT_USAGE;
  }
  if (a->path != NULL && !file_is_robot(a->path)) {
    return command_misused(&command_demo,
                           "%s is not a robot, expected a .urdf or a file that names one", a->path);
  }
  const char *file = can_stand(a) ? "deployments/demo.yaml" : "deployments/demo_sway.yaml";
  if (!share_find(a->command, file, path)) {
    return EXIT_NO;
  }
  a->robot = a->path;
  a->path = path;
  return run_with(a, &a->path, 1);
}

static const command_argument demo_argument_table[] = {
    {"ROBOT", ARGUMENT_OPTIONAL, offsetof(run_arguments, path),
     "A .urdf, or a file that names one; the quadruped unless given", WORD_FILE, NULL},
    {0}};
static const run_arguments initial = {.command = "demo", .is_quiet = true, RUN_ARGUMENTS_INITIAL};

const command command_demo = {
    .name = "demo",
    .purpose = "Run a robot that stands, or an arm that sways, until you take over.",
    .arguments = demo_argument_table,
    .options = {robot_option_table, run_option_table},
    .size = sizeof initial,
    .initial = &initial,
    .run = run_demo};
