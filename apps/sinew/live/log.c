#include <stdio.h>
#include <string.h>

#include "command.h"
#include "commands.h"
#include "common/excerpt.h"
#include "live/control_client.h"
#include "live/control_print.h"

#define LOOK_AGAIN_S 0.2

typedef struct log_arguments {
  control_options options;
  bool follow;
  double lines;
} log_arguments;

static int read_arguments(log_arguments *a, int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--follow") == 0) {
      a->follow = true;
    } else if (!control_options_take(&a->options, argc, argv, &i) &&
               !control_number_take("--lines", 1.0, 512.0, &a->lines, argc, argv, &i)) {
      return command_misused(argv[0], argv[i]);
    }
  }
  return EXIT_GOOD;
}

static bool print_lines(const log_arguments *a, const json_t *lines) {
  size_t i;
  json_t *line;
  json_array_foreach(lines, i, line) {
    if (a->options.json) {
      control_print_value(stdout, line);
      putchar('\n');
      continue;
    }
    char text[512];
    excerpt_clean(control_text(line, "text", ""), text, sizeof text);
    printf("%14.6f %-7s %s\n", 1e-9 * (double)json_integer_value(json_object_get(line, "time_ns")),
           control_text(line, "level", "?"), text);
  }
  return fflush(stdout) == 0;
}

/* One look; `since` is moved on. */
static int look(const log_arguments *a, control_client *client, json_int_t *since) {
  json_t *request = json_pack("{s:s}", "verb", "log");
  if (*since > 0) {
    json_object_set_new(request, "since", json_integer(*since));
  } else {
    json_object_set_new(request, "limit", json_real(a->lines));
  }
  json_t *result = NULL;
  int code = control_client_ask(client, request, &result);
  if (code == EXIT_GOOD) {
    *since = json_integer_value(json_object_get(result, "next"));
    code = print_lines(a, json_object_get(result, "lines")) ? EXIT_GOOD : EXIT_FAULT;
  }
  json_decref(result);
  return code;
}

int command_log(int argc, char **argv) {
  log_arguments a = {.options = {.command = argv[0]}, .lines = 100.0};
  int code = read_arguments(&a, argc, argv);
  if (code != EXIT_GOOD) {
    return code;
  }
  control_client client;
  code = control_client_open(&client, &a.options);
  json_int_t since = 0;
  while (code == EXIT_GOOD) {
    code = look(&a, &client, &since);
    if (!a.follow) {
      break;
    }
    json_t *nothing = NULL; /* waits, and notices when the system is gone */
    if (code == EXIT_GOOD) {
      code = control_client_receive(&client, LOOK_AGAIN_S, &nothing);
    }
    json_decref(nothing);
  }
  control_client_close(&client);
  return code;
}
