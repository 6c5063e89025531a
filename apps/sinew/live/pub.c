#define _POSIX_C_SOURCE 200809L /* clock_nanosleep(), getline() */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "commands.h"
#include "common/fields.h"
#include "live/control_client.h"
#include "live/control_print.h"

/* The input closes with the connection: keep it open until the last message has been read. */
#define LINGER_S 0.2
/* The largest request of the control socket. */
enum { LINE_MAX_BYTES = 1 << 20 };

typedef struct pub_arguments {
  control_options control;
  const char *port;
  text_list fields;
  int64_t count;  /* messages; 0: one, or unlimited with a rate */
  double rate_Hz; /* 0: as fast as possible */
  bool is_stream; /* messages come from standard input */
} pub_arguments;

static void add_seconds(struct timespec *time, double seconds) {
  time->tv_sec += (time_t)seconds;
  time->tv_nsec += (long)(1e9 * (seconds - (double)(time_t)seconds));
  if (time->tv_nsec >= 1000000000) {
    time->tv_nsec -= 1000000000;
    time->tv_sec++;
  }
}

static int send_message(const pub_arguments *p, json_t *message, control_client *client) {
  json_t *request =
      json_pack("{s:s, s:s, s:O}", "verb", "publish", "name", p->port, "message", message);
  json_t *result = NULL;
  const int code = control_client_ask(client, request, &result);
  json_decref(result);
  return code;
}

static void linger(void) {
  struct timespec end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  add_seconds(&end, LINGER_S);
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL);
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
    const int code = send_message(p, message, client);
    if (code != EXIT_GOOD) {
      return code;
    }
  }
  linger();
  return EXIT_GOOD;
}

/* ---- messages of standard input ---- */

static int send_line(const pub_arguments *p, const char *line, size_t size, int64_t number,
                     control_client *client) {
  json_error_t why;
  json_t *message = json_loadb(line, size, 0, &why);
  if (!json_is_object(message)) {
    fprintf(stderr, "sinew pub: line %lld: expected a message as JSON: %s\n", (long long)number,
            message == NULL ? why.text : "this is not an object");
    json_decref(message);
    return EXIT_NO;
  }
  const int code = send_message(p, message, client);
  json_decref(message);
  return code;
}

static int publish_stream(const pub_arguments *p, control_client *client) {
  char *line = NULL;
  size_t room = 0;
  int64_t number = 0;
  int code = EXIT_GOOD;
  for (ssize_t size; code == EXIT_GOOD && (size = getline(&line, &room, stdin)) >= 0;) {
    number++;
    code = size > LINE_MAX_BYTES ? EXIT_NO : code;
    if (code != EXIT_GOOD) {
      fprintf(stderr, "sinew pub: line %lld has more than %d bytes\n", (long long)number,
              LINE_MAX_BYTES);
    } else if (size > 1) { /* an empty line separates messages */
      code = send_line(p, line, (size_t)size, number, client);
    }
  }
  free(line);
  linger();
  return code;
}

static int run_stream(const pub_arguments *p) {
  control_client client;
  if (p->fields.count > 0) {
    return command_misused(&command_pub, "--stdin and FIELD=VALUE exclude each other");
  }
  const int code = control_client_open(&client, &p->control);
  const int result = code == EXIT_GOOD ? publish_stream(p, &client) : code;
  control_client_close(&client);
  return result;
}

static int run_pub(void *arguments) {
  const pub_arguments *p = arguments;
  if (p->is_stream) {
    return run_stream(p);
  }
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
    {"--stdin", NULL, OPTION_FLAG, AT(is_stream),
     .help = "Write the messages of standard input, a line of JSON each, as 'echo --json' prints "
             "them",
     .excludes = "--rate"},
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
