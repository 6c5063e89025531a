#include "run/run_arguments.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "commands.h"
#include "common/numbers.h"

static bool parse_number(const char *text, double *out) {
  const char *end = number_at(text, out);
  return end != NULL && *end == '\0';
}

static bool parse_clock(const char *text, run_arguments *a) {
  if (strcmp(text, "real") == 0) {
    a->clock = SN_CLOCK_MONOTONIC;
    return true;
  }
  if (strcmp(text, "sim") == 0) {
    a->clock = SN_CLOCK_SIMULATED;
    return true;
  }
  a->clock = SN_CLOCK_ACCELERATED;
  return parse_number(text + (*text == 'x'), &a->factor) && a->factor >= 1e-3 && a->factor <= 1e6;
}

static bool add_setting(run_arguments *a, const char *setting) {
  if (a->setting_count == RUN_SETTINGS_MAX) {
    return false;
  }
  a->settings[a->setting_count++] = setting;
  return true;
}

static bool parse_port(const char *text, run_arguments *a) {
  double port = 0.0;
  if (!parse_number(text, &port) || port < 0.0 || port > 65535.0 || port != floor(port)) {
    return false;
  }
  const bool is_first = *a->port == '\0';
  snprintf(a->port, sizeof a->port, "cockpit.port=%d", (int)port);
  return !is_first || add_setting(a, a->port);
}

/* Options without a value that are off unless given. */
static bool set_flag(const char *name, run_arguments *a) {
  const struct {
    const char *name;
    bool *value;
  } flags[] = {
      {"--headless", &a->is_headless},
      {"--ros1", &a->has_ros1},
      {"--ros2", &a->has_ros2},
      {"--hash", &a->wants_hash},
      {"--print-deployment", &a->wants_text},
      {"--no-properties", &a->without_properties},
  };
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
    if (strcmp(name, flags[i].name) == 0) {
      *flags[i].value = true;
      return true;
    }
  }
  return false;
}

/* @return false if the argument at *i is not understood */
static bool parse_argument(int argc, char **argv, int *i, run_arguments *a) {
  const char *name = argv[*i];
  const char *value = *i + 1 < argc ? argv[*i + 1] : NULL;
  if (set_flag(name, a)) {
    return true;
  }
  if (strcmp(name, "--verbose") == 0 || strcmp(name, "--quiet") == 0) {
    a->is_quiet = strcmp(name, "--quiet") == 0;
    return true;
  }
  if (name[0] != '-') {
    const bool is_first = a->path == NULL;
    a->path = name;
    return is_first;
  }
  (*i)++;
  if (value == NULL) {
    (*i)--;
    return false;
  }
  if (strcmp(name, "--clock") == 0) {
    return parse_clock(value, a);
  }
  if (strcmp(name, "--duration") == 0) { /* nine digits of nanoseconds fit behind 1e9 s */
    return parse_number(value, &a->duration_s) && a->duration_s >= 0.0 && a->duration_s <= 1e9;
  }
  if (strcmp(name, "--set") == 0) {
    return add_setting(a, value);
  }
  if (strcmp(name, "--port") == 0) {
    return parse_port(value, a);
  }
  if (strcmp(name, "--record") == 0) {
    a->record = value;
    return true;
  }
  if (strcmp(name, "--properties") == 0) {
    a->properties = value;
    return true;
  }
  if (strcmp(name, "--package-path") == 0) {
    return package_path_add(a->package_path, value);
  }
  if (strcmp(name, "--socket") == 0 || strcmp(name, "--name") == 0) {
    *(strcmp(name, "--name") == 0 ? &a->name : &a->socket) = value;
    return true;
  }
  (*i)--;
  return false;
}

static int refuse(const run_arguments *a, const char *message) {
  fprintf(stderr, "sinew %s: %s\n", a->command, message);
  return EXIT_USAGE;
}

int run_arguments_parse(run_arguments *a, int argc, char **argv) {
  *a = (run_arguments){.command = argv[0],
                       .clock = SN_CLOCK_MONOTONIC,
                       .duration_s = -1.0,
                       .is_quiet = strcmp(argv[0], "demo") == 0};
  for (int i = 1; i < argc; i++) {
    if (!parse_argument(argc, argv, &i, a)) {
      return command_misused(argv[0], argv[i]);
    }
  }
  if (a->is_headless && *a->port != '\0') {
    return refuse(a, "--port is the cockpit's, and --headless leaves it out");
  }
  if (a->properties != NULL && a->without_properties) {
    return refuse(a, "--properties and --no-properties contradict each other");
  }
  if (a->clock == SN_CLOCK_SIMULATED && a->duration_s < 0.0 && !a->wants_text) {
    return refuse(a, "a simulated clock needs --duration: nothing would end it");
  }
  return EXIT_GOOD;
}
