#include "run/run_names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* The name of a file without folder and ending, in letters that names of systems may have. */
static void name_of_file(const char *path, char out[RUN_NAME_SIZE]) {
  const char *slash = strrchr(path, '/');
  const char *base = slash == NULL ? path : slash + 1;
  size_t used = 0;
  for (; base[used] != '\0' && base[used] != '.' && used + 1 < RUN_NAME_SIZE - 8; used++) {
    const bool is_good = isalnum((unsigned char)base[used]) || base[used] == '-';
    out[used] = (char)(is_good ? base[used] : '_');
  }
  out[used] = '\0';
}

/* @return whether another robot has this name before numbers are added */
static bool is_shared(const run_arguments *a, const char *const *paths, size_t path_count,
                      size_t index) {
  char own[RUN_NAME_SIZE], other[RUN_NAME_SIZE];
  if (a->copies > 1 || a->name != NULL) {
    return true;
  }
  name_of_file(paths[index], own);
  for (size_t i = 0; i < path_count; i++) {
    name_of_file(paths[i], other);
    if (i != index && strcmp(own, other) == 0) {
      return true;
    }
  }
  return false;
}

/* How many robots before this one begin with the same name. */
static size_t count_before(const run_robot *robots, size_t index) {
  size_t count = 0;
  for (size_t i = 0; i < index; i++) {
    count += strcmp(robots[i].base_name, robots[index].base_name) == 0 ? 1 : 0;
  }
  return count;
}

/* `day.mcap` becomes `day-NAME.mcap`. */
static void name_recording(const run_arguments *a, run_robot *r) {
  const char *slash = strrchr(a->record, '/');
  const char *dot = strrchr(slash == NULL ? a->record : slash, '.');
  const char *ending = dot == NULL ? "" : dot;
  snprintf(r->record, sizeof r->record, "%.*s-%s%s", (int)(strlen(a->record) - strlen(ending)),
           a->record, r->name, ending);
}

/* Copies cannot share a port, so they take free ones unless the first is given. */
static void choose_port(const run_arguments *a, size_t index, run_robot *r) {
  if (a->port >= 0 || (a->copies > 1 && !a->is_headless)) {
    const int64_t port = a->port <= 0 ? 0 : a->port + (int64_t)index;
    snprintf(r->port_setting, sizeof r->port_setting, "cockpit.port=%d", (int)port);
  }
}

void run_robots_name(const run_arguments *a, const char *const *paths, size_t path_count,
                     run_robot *robots) {
  const size_t count = path_count * (size_t)a->copies;
  for (size_t i = 0; i < count; i++) {
    run_robot *r = &robots[i];
    const size_t file = i / (size_t)a->copies;
    r->arguments = a;
    r->path = paths[file];
    r->is_one_of_many = count > 1;
    r->is_copy = i % (size_t)a->copies > 0;
    choose_port(a, i, r);
    if (count == 1) {
      r->name = a->name;
      snprintf(r->record, sizeof r->record, "%s", a->record == NULL ? "" : a->record);
      continue;
    }
    if (a->name != NULL) {
      snprintf(r->base_name, sizeof r->base_name, "%.*s", RUN_NAME_SIZE - 8, a->name);
    } else {
      name_of_file(r->path, r->base_name);
    }
    if (is_shared(a, paths, path_count, file)) {
      snprintf(r->full_name, sizeof r->full_name, "%s-%zu", r->base_name,
               count_before(robots, i) + 1);
    } else {
      snprintf(r->full_name, sizeof r->full_name, "%s", r->base_name);
    }
    r->name = r->full_name;
    if (a->record != NULL) {
      name_recording(a, r);
    }
  }
}
