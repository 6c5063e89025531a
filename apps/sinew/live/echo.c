#include <stdio.h>

#include "commands.h"
#include "live/control_client.h"
#include "live/control_print.h"

typedef struct echo_arguments {
  control_options control;
  const char *port;
  int64_t count;  /* messages; 0: unlimited */
  double rate_Hz; /* at most; 0: the server's default */
} echo_arguments;

/* One message: a line of JSON, or lines for people and an empty one. Flushed for readers of a
   pipe. */
static bool print_event(const echo_arguments *e, const json_t *line) {
  const json_t *message = json_object_get(line, "event");
  if (message == NULL) {
    return true;
  }
  if (e->control.json) {
    control_print_value(stdout, message);
    putchar('\n');
  } else {
    control_print_lines(stdout, message, 0);
    putchar('\n');
  }
  return fflush(stdout) == 0;
}

static int follow(const echo_arguments *e, control_client *client) {
  for (;;) {
    json_t *line = NULL;
    const double timeout_s = e->control.timeout_s > 0.0 ? e->control.timeout_s : -1.0;
    const int code = control_client_receive(client, timeout_s, &line);
    if (code != EXIT_GOOD) {
      json_decref(line);
      return code;
    }
    if (line == NULL) {
      fprintf(stderr, "sinew echo: %s: no message for %g s\n", e->port, timeout_s);
      return EXIT_NO;
    }
    const bool goes_on = print_event(e, line) && json_object_get(line, "end") == NULL;
    json_decref(line);
    if (!goes_on) {
      return EXIT_GOOD; /* main() reports output that failed */
    }
  }
}

static int run_echo(void *arguments) {
  const echo_arguments *e = arguments;
  control_client client;
  int code = control_client_open(&client, &e->control);
  if (code == EXIT_GOOD) {
    json_t *request = json_pack("{s:s, s:s}", "verb", "echo", "name", e->port);
    if (e->count > 0) {
      json_object_set_new(request, "count", json_integer(e->count));
    }
    if (e->rate_Hz > 0.0) {
      json_object_set_new(request, "rate", json_real(e->rate_Hz));
    }
    json_t *result = NULL;
    code = control_client_ask(&client, request, &result);
    json_decref(result);
  }
  if (code == EXIT_GOOD) {
    code = follow(e, &client);
  }
  control_client_close(&client);
  return code;
}

#define AT(member) offsetof(echo_arguments, member)
static const command_argument echo_argument_table[] = {
    {"COMPONENT.PORT", ARGUMENT_ONE, AT(port), "The output", WORD_OUTPUT, NULL}, {0}};
static const command_option options[] = {
    {"--count", "N", OPTION_INTEGER, AT(count), .help = "End after this many messages", .min = 1,
     .max = 1e15},
    {"--rate", "HZ", OPTION_NUMBER, AT(rate_Hz),
     .help = "Print at most this many per second, the latest", .min = 1e-3, .max = 200.0},
    {0}};
static const echo_arguments initial = {.control = {.command = "echo"}};

const command command_echo = {.name = "echo",
                              .purpose = "Print the messages of an output of a running system.",
                              .arguments = echo_argument_table,
                              .options = {options, control_option_table},
                              .size = sizeof initial,
                              .initial = &initial,
                              .run = run_echo};
