#define _POSIX_C_SOURCE 200809L /* clock_nanosleep() */

#include <stdio.h>
#include <time.h>

#include "command.h"
#include "commands.h"
#include "common/fields.h"
#include "live/control_client.h"
#include "live/control_print.h"

/* The input is closed with the connection: it is kept until the last message has been read. */
#define LINGER_S 0.2

typedef struct pub {
  control_options options;
  const char *port;
  json_t *message;
  double count;   /* messages; 0: one, or with a rate no end */
  double rate_Hz; /* 0: as fast as they are taken */
} pub;

/* @return EXIT_GOOD or EXIT_USAGE, and then it was said why */
static int read_arguments(pub *p, int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    if (control_options_take(&p->options, argc, argv, &i) ||
        control_number_take("--count", 1.0, 1e15, &p->count, argc, argv, &i) ||
        control_number_take("--rate", 1e-3, 1000.0, &p->rate_Hz, argc, argv, &i)) {
      continue;
    }
    if (p->port == NULL && !control_is_option(argv[i])) {
      p->port = argv[i];
    } else if (control_is_option(argv[i]) || !fields_add(argv[0], &p->message, argv[i])) {
      return command_misused(argv[0], argv[i]);
    }
  }
  return p->port == NULL ? command_misused(argv[0], NULL) : EXIT_GOOD;
}

static void add_seconds(struct timespec *time, double seconds) {
  time->tv_sec += (time_t)seconds;
  time->tv_nsec += (long)(1e9 * (seconds - (double)(time_t)seconds));
  if (time->tv_nsec >= 1000000000) {
    time->tv_nsec -= 1000000000;
    time->tv_sec++;
  }
}

/* Send the message until the count is reached, or something is wrong. A signal ends the program. */
static int publish(const pub *p, control_client *client) {
  const double count = p->count > 0.0 ? p->count : p->rate_Hz > 0.0 ? 0.0 : 1.0;
  struct timespec next;
  clock_gettime(CLOCK_MONOTONIC, &next);
  for (double sent = 0.0; count == 0.0 || sent < count; sent += 1.0) {
    if (p->rate_Hz > 0.0 && sent > 0.0) {
      add_seconds(&next, 1.0 / p->rate_Hz);
      clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
    }
    json_t *request =
        json_pack("{s:s, s:s, s:O}", "verb", "publish", "name", p->port, "message", p->message);
    json_t *result = NULL;
    const int code = control_client_ask(client, request, &result);
    json_decref(result);
    if (code != EXIT_GOOD) {
      return code;
    }
  }
  clock_gettime(CLOCK_MONOTONIC, &next);
  add_seconds(&next, LINGER_S);
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
  return EXIT_GOOD;
}

int command_pub(int argc, char **argv) {
  pub p = {.options = {.command = argv[0]}, .message = json_object()};
  int code = read_arguments(&p, argc, argv);
  control_client client;
  if (code == EXIT_GOOD) {
    code = control_client_open(&client, &p.options);
    if (code == EXIT_GOOD) {
      code = publish(&p, &client);
    }
    control_client_close(&client);
  }
  json_decref(p.message);
  return code;
}
