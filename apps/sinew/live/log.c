#include <stdio.h>

#include "commands.h"
#include "common/print.h"
#include "live/control_client.h"
#include "live/control_print.h"

#define POLL_PERIOD_S 0.2

typedef struct log_arguments {
  control_options control;
  bool follow;
  int64_t lines;
} log_arguments;

static bool print_lines(const log_arguments *a, const json_t *lines) {
  size_t i;
  json_t *line;
  json_array_foreach(lines, i, line) {
    if (a->control.json) {
      control_print_value(stdout, line);
      putchar('\n');
      continue;
    }
    char text[512];
    text_clean(control_text(line, "text", ""), text, sizeof text);
    printf("%14.6f %-7s %s\n", 1e-9 * (double)json_integer_value(json_object_get(line, "time_ns")),
           control_text(line, "level", "?"), text);
  }
  return fflush(stdout) == 0;
}

/* Lines since the last call. */
static int print_new(const log_arguments *a, control_client *client, json_int_t *since) {
  json_t *request = json_pack("{s:s}", "verb", "log");
  if (*since > 0) {
    json_object_set_new(request, "since", json_integer(*since));
  } else {
    json_object_set_new(request, "limit", json_integer(a->lines));
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

static int run_log(void *arguments) {
  const log_arguments *a = arguments;
  control_client client;
  int code = control_client_open(&client, &a->control);
  json_int_t since = 0;
  while (code == EXIT_GOOD) {
    code = print_new(a, &client, &since);
    if (!a->follow) {
      break;
    }
    json_t *nothing = NULL; /* waits, and notices when the system is gone */
    if (code == EXIT_GOOD) {
      code = control_client_receive(&client, POLL_PERIOD_S, &nothing);
    }
    json_decref(nothing);
  }
  control_client_close(&client);
  return code;
}

#define AT(member) offsetof(log_arguments, member)
static const command_option options[] = {
    {"--follow", NULL, OPTION_FLAG, AT(follow), .help = "Keep printing new lines"},
    {"--lines", "N", OPTION_INTEGER, AT(lines), .help = "Number of lines, 100 unless given",
     .min = 1, .max = 512},
    {0}};
static const log_arguments initial = {.control = {.command = "log"}, .lines = 100};

const command command_log = {.name = "log",
                             .purpose = "Print the last lines of a running system's log.",
                             .options = {options, control_option_table},
                             .size = sizeof initial,
                             .initial = &initial,
                             .run = run_log};
