#include "robot.h"

#include <stdio.h>

#include "command.h"
#include "excerpt.h"
#include "sinew/robot_file.h"

bool robot_load(robot *r, const char *path, const char *properties) {
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
                         : sn_props_load(&r->report_arena, properties, r->report, &file.properties);
  if (found != SN_OK) {
    return found != SN_ENOMEM;
  }
  r->urdf = file.urdf;
  const sn_model_config config = {.properties = file.properties};
  const sn_status status = sn_model_load(&r->arena, r->urdf, &config, r->report, &r->model, NULL);
  return status != SN_ENOMEM;
}

void robot_free(robot *r) {
  sn_arena_release(&r->arena);
  sn_arena_release(&r->report_arena);
}

void robot_print_problems(const robot *r) {
  excerpt lines = {0};
  for (size_t i = 0; i < sn_report_count(r->report); i++) {
    const sn_problem *problem = sn_report_at(r->report, i);
    const bool is_error = problem->severity == SN_SEVERITY_ERROR;
    char file[512];
    excerpt_clean(problem->place.file, file, sizeof file);
    fprintf(stderr, "%s:%u:%u: %s: %s\n", file, problem->place.line, problem->place.column,
            is_error ? "error" : "warning", problem->message);
    excerpt_print(&lines, stderr, problem->place);
    if (problem->hint != NULL) {
      fprintf(stderr, "      = hint: %s\n", problem->hint);
    }
  }
  const size_t found = sn_report_error_count(r->report) + sn_report_warning_count(r->report);
  if (found > sn_report_count(r->report)) {
    fprintf(stderr, "and %zu more\n", found - sn_report_count(r->report));
  }
  excerpt_free(&lines);
}

int robot_require(robot *r, const char *path) {
  if (!robot_load(r, path, NULL)) {
    fputs("sinew: out of memory\n", stderr);
    return EXIT_FAULT;
  }
  if (r->model == NULL) {
    robot_print_problems(r);
    return EXIT_NO;
  }
  return EXIT_GOOD;
}
