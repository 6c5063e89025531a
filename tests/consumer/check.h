/* Shared by the programs of this folder: checks that print what failed, and the robot to load. */
#ifndef CONSUMER_CHECK_H
#define CONSUMER_CHECK_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "sinew/sinew.h"

static int check_failures;

/* Prints the condition that does not hold; main() returns check_result(). */
#define CHECK(condition) check_that((condition), __FILE__, __LINE__, #condition)
#define CHECK_NEAR(a, b, tolerance) check_near((a), (b), (tolerance), __FILE__, __LINE__, #a)

static inline bool check_that(bool holds, const char *file, int line, const char *text) {
  if (!holds) {
    check_failures++;
    fprintf(stderr, "%s:%d: failed: %s\n", file, line, text);
  }
  return holds;
}

static inline void check_near(double a, double b, double tolerance, const char *file, int line,
                              const char *text) {
  if (!(fabs(a - b) <= tolerance)) {
    check_failures++;
    fprintf(stderr, "%s:%d: %s is %.12g, expected %.12g\n", file, line, text, a, b);
  }
}

static inline int check_result(void) {
  return check_failures == 0 ? 0 : 1;
}

/* The file FOLDER/ROBOT.EXTENSION. */
static inline const char *check_path(char *path, size_t size, const char *folder,
                                     const char *file) {
  snprintf(path, size, "%s/%s", folder, file);
  return path;
}

/* The quadruped with the chains of its .cpf file, which every build can read. NULL, and a failed
   check, if it cannot be loaded. */
static inline const sn_model *check_load(sn_arena *arena, const char *folder) {
  char path[1024];
  sn_model_config config = {0};
  const sn_model *model = NULL;
  sn_error err = {SN_OK, ""};
  sn_arena problems;
  sn_arena_init_growing(&problems, "problems", 0);
  sn_report *report = NULL;
  sn_report_create(&problems, &report, NULL);
  check_path(path, sizeof path, folder, "quadruped.cpf");
  if (sn_value_load(arena, path, report, &config.properties) == SN_OK) {
    check_path(path, sizeof path, folder, "quadruped.urdf");
    sn_model_load(arena, path, &config, report, &model, &err);
  }
  if (!CHECK(model != NULL)) {
    fprintf(stderr, "%s: %s\n", path, err.message);
  }
  sn_arena_release(&problems);
  return model;
}

#endif
