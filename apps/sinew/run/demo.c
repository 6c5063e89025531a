/* `sinew demo`: a robot that sways gently, with everything around it. */
#include <stdio.h>

#include "command.h"
#include "commands.h"
#include "common/share.h"
#include "robot_tools/plan.h"
#include "run/run.h"

int command_demo(int argc, char **argv) {
  run_arguments a;
  char path[SHARE_PATH_SIZE];
  const int code = run_arguments_parse(&a, argc, argv);
  if (code != EXIT_GOOD) {
    return code;
  }
  if (a.path != NULL && !plan_is_robot(a.path)) {
    fprintf(stderr, "sinew demo: %s is no robot: expected a .urdf, or a file that names one\n",
            a.path);
    return EXIT_USAGE;
  }
  if (!share_find(argv[0], "deployments/demo.yaml", path)) {
    return EXIT_NO;
  }
  a.robot = a.path;
  a.path = path;
  return run_with(&a);
}
