#include "common/robot.h"

#include <stdio.h>

#include "command.h"
#include "common/problems.h"
#include "sinew/robot_file.h"

bool robot_load(robot *r, const char *path, const robot_wishes *wishes) {
  const char *properties = wishes->properties;
  *r = (robot){0};
  sn_arena_init_growing(&r->arena, "robot", 256 * 1024);
  sn_arena_init_growing(&r->report_arena, "problems", 64 * 1024);
  r->report = sn_report_create(&r->report_arena);
  if (r->report == NULL) {
    return false;
  }
  sn_robot_file file = {.urdf = path};
  const sn_status found =
      properties == NULL ? sn_robot_file_find(&r->report_arena, path, r->report, &file)
                         : sn_value_load(&r->report_arena, properties, r->report, &file.properties);
  if (found != SN_OK) {
    return found != SN_ENOMEM;
  }
  r->urdf = file.urdf;
  const sn_model_config config = {.properties = file.properties,
                                  .package_path = wishes->package_path};
  const sn_status status = sn_model_load(&r->arena, r->urdf, &config, r->report, &r->model, NULL);
  return status != SN_ENOMEM;
}

void robot_free(robot *r) {
  sn_arena_release(&r->arena);
  sn_arena_release(&r->report_arena);
}

int robot_require(robot *r, const char *path) {
  if (!robot_load(r, path, &(robot_wishes){0})) {
    fputs("sinew: out of memory\n", stderr);
    return EXIT_FAULT;
  }
  if (r->model == NULL) {
    problems_print(r->report);
    return EXIT_NO;
  }
  return EXIT_GOOD;
}
