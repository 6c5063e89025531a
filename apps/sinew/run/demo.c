/* `sinew demo`: a robot that sways gently, with the whole standard deployment. */
#include <stdio.h>

#include "commands.h"
#include "common/app_system.h"
#include "common/share.h"
#include "run/run.h"

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
  if (!share_find(a->command, "deployments/demo.yaml", path)) {
    return EXIT_NO;
  }
  a->robot = a->path;
  a->path = path;
  return run_with(a);
}

static const command_argument demo_argument_table[] = {
    {"ROBOT", ARGUMENT_OPTIONAL, offsetof(run_arguments, path),
     "A .urdf, or a file that names one; the quadruped unless given", WORD_FILE, NULL},
    {0}};
static const run_arguments initial = {.command = "demo", .is_quiet = true, RUN_ARGUMENTS_INITIAL};

const command command_demo = {.name = "demo",
                              .purpose = "Run a robot that sways gently until you take over.",
                              .arguments = demo_argument_table,
                              .options = {robot_option_table, run_option_table},
                              .size = sizeof initial,
                              .initial = &initial,
                              .run = run_demo};
