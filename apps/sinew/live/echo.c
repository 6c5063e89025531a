#include <stdio.h>

#include "command.h"
#include "commands.h"
#include "live/control_client.h"
#include "live/control_print.h"

typedef struct echo {
  control_options options;
  const char *port;
  double count;   /* messages; 0: no end */
  double rate_Hz; /* at most; 0: as the server likes */
} echo;

/* @return EXIT_GOOD or EXIT_USAGE, and then it was said why */
static int read_arguments(echo *e, int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    if (control_options_take(&e->options, argc, argv, &i) ||
        control_number_take("--count", 1.0, 1e15, &e->count, argc, argv, &i) ||
        control_number_take("--rate", 1e-3, 200.0, &e->rate_Hz, argc, argv, &i)) {
      continue;
    }
    if (control_is_option(argv[i]) || e->port != NULL) {
      return command_misused(argv[0], argv[i]);
    }
    e->port = argv[i];
  }
  return e->port == NULL ? command_misused(argv[0], NULL) : EXIT_GOOD;
}

/* One message: a line of JSON, or lines for people with an empty one behind them. Whoever reads
   along should see it at once. */
static bool print_event(const echo *e, const json_t *line) {
  const json_t *message = json_object_get(line, "event");
  if (message == NULL) {
    return true;
  }
  if (e->options.json) {
    control_print_value(stdout, message);
    putchar('\n');
  } else {
    control_print_lines(stdout, message, 0);
    putchar('\n');
  }
  return fflush(stdout) == 0;
}

static int follow(const echo *e, control_client *client) {
  for (;;) {
    json_t *line = NULL;
    const double timeout_s = e->options.timeout_s > 0.0 ? e->options.timeout_s : -1.0;
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
      return EXIT_GOOD; /* output that failed is main's to notice */
    }
  }
}

int command_echo(int argc, char **argv) {
  echo e = {.options = {.command = argv[0]}};
  int code = read_arguments(&e, argc, argv);
  if (code != EXIT_GOOD) {
    return code;
  }
  control_client client;
  code = control_client_open(&client, &e.options);
  if (code == EXIT_GOOD) {
    json_t *request = json_pack("{s:s, s:s}", "verb", "echo", "name", e.port);
    if (e.count > 0.0) {
      json_object_set_new(request, "count", json_integer((json_int_t)e.count));
    }
    if (e.rate_Hz > 0.0) {
      json_object_set_new(request, "rate", json_real(e.rate_Hz));
    }
    json_t *result = NULL;
    code = control_client_ask(&client, request, &result);
    json_decref(result);
  }
  if (code == EXIT_GOOD) {
    code = follow(&e, &client);
  }
  control_client_close(&client);
  return code;
}
