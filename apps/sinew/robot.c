#include "robot.h"

#include <stdio.h>
#include <string.h>

#include "command.h"
#include "excerpt.h"

/* `name` relative to the folder of `path`. */
static const char *beside(sn_arena *arena, const char *path, const char *name) {
  const char *slash = strrchr(path, '/');
  const size_t folder = slash == NULL || *name == '/' ? 0 : (size_t)(slash - path) + 1;
  char *joined = sn_arena_text(arena, path, folder + strlen(name));
  if (joined != NULL) {
    memcpy(joined, path, folder);
    memcpy(joined + folder, name, strlen(name) + 1);
  }
  return joined;
}

static bool is_yaml(const char *path) {
  const char *dot = strrchr(path, '.');
  return dot != NULL && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

/* The URDF that a property file names. @return NULL with the reason reported */
static const char *find_urdf(robot *r, const char *path, const sn_prop *properties) {
  const sn_prop *prop = sn_prop_find(properties, "robot");
  if (prop == NULL || prop->kind != SN_PROP_TEXT) {
    const sn_place place = prop == NULL ? (sn_place){path, 1, 1} : prop->place;
    sn_report_add(r->report, SN_SEVERITY_ERROR, place, "robot: my_robot.urdf",
                  "the file names no robot");
    return NULL;
  }
  return beside(&r->report_arena, path, prop->text);
}

bool robot_load(robot *r, const char *path, const char *properties) {
  *r = (robot){0};
  sn_arena_init_growing(&r->arena, "robot", 256 * 1024);
  sn_arena_init_growing(&r->report_arena, "problems", 64 * 1024);
  r->report = sn_report_create(&r->report_arena);
  if (r->report == NULL) {
    return false;
  }
  sn_model_config config = {0};
  r->urdf = path;
  if (properties == NULL && is_yaml(path)) {
    properties = path;
    r->urdf = NULL;
  }
  sn_status status = SN_OK;
  if (properties != NULL) {
    status = sn_props_load(&r->report_arena, properties, r->report, &config.properties);
  }
  if (status == SN_OK && r->urdf == NULL) {
    r->urdf = find_urdf(r, path, config.properties);
  }
  if (status == SN_OK && r->urdf != NULL) {
    status = sn_model_load(&r->arena, r->urdf, &config, r->report, &r->model, NULL);
  }
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
