#define _POSIX_C_SOURCE 200809L /* clock_nanosleep() */

#include <stdio.h>
#include <time.h>

#include "commands.h"
#include "common/fields.h"
#include "live/control_client.h"
#include "live/control_print.h"

/* The input closes with the connection: keep it open until the last message has been read. */
#define LINGER_S 0.2

typedef struct pub_arguments {
  control_options control;
  const char *port;
  text_list fields;
  int64_t count;  /* messages; 0: one, or unlimited with a rate */
  double rate_Hz; /* 0: as fast as possible */
} pub_arguments;

static void add_seconds(struct timespec *time, double seconds) {
  time->tv_sec += (time_t)seconds;
  time->tv_nsec += (long)(1e9 * (seconds - (double)(time_t)seconds));
  if (time->tv_nsec >= 1000000000) {
    time->tv_nsec -= 1000000000;
    time->tv_sec++;
  }
}

/* Send the message until the count is reached or an error occurs. A signal ends the program. */
static int publish(const pub_arguments *p, json_t *message, control_client *client) {
  const int64_t count = p->count > 0 ? p->count : p->rate_Hz > 0.0 ? 0 : 1;
  struct timespec next;
  clock_gettime(CLOCK_MONOTONIC, &next);
  for (int64_t sent = 0; count == 0 || sent < count; sent++) {
    if (p->rate_Hz > 0.0 && sent > 0) {
      add_seconds(&next, 1.0 / p->rate_Hz);
      clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
    }
    json_t *request =
        json_pack("{s:s, s:s, s:O}", "verb", "publish", "name", p->port, "message", message);
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

static int run_pub(void *arguments) {
  const pub_arguments *p = arguments;
  json_t *message = fields_parse(&command_pub, &p->fields);
  if (message == NULL) {
    return EXIT_USAGE;
  }
  control_client client;
  int code = control_client_open(&client, &p->control);
  if (code == EXIT_GOOD) {
    code = publish(p, message, &client);
  }
  control_client_close(&client);
  json_decref(message);
  return code;
}

#define AT(member) offsetof(pub_arguments, member)
static const command_argument pub_argument_table[] = {
    {"COMPONENT.PORT", ARGUMENT_ONE, AT(port), "The input", WORD_INPUT, NULL},
    {"FIELD=VALUE", ARGUMENT_ANY, AT(fields),
     "Fields of the message; or the message as one word of JSON", WORD_TEXT, NULL},
    {0}};
static const command_option options[] = {
    {"--rate", "HZ", OPTION_NUMBER, AT(rate_Hz),
     .help = "Messages per second, without end unless --count", .min = 1e-3, .max = 1000.0},
    {"--count", "N", OPTION_INTEGER, AT(count), .help = "Number of messages", .min = 1,
     .max = 1e15},
    {0}};
static const pub_arguments initial = {.control = {.command = "pub"}};

const command command_pub = {.name = "pub",
                             .purpose = "Write messages to an input of a running system.",
                             .arguments = pub_argument_table,
                             .options = {options, control_option_table},
                             .size = sizeof initial,
                             .initial = &initial,
                             .run = run_pub};
