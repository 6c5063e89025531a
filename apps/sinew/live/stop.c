/* `sinew stop`: the emergency stop of a running system. Prints "stopped" when everything that moves
 * joints has confirmed it. */
#define _POSIX_C_SOURCE 200809L

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "common/print.h"
#include "live/control_client.h"

static const char *user_name(void) {
  const char *name = getenv("USER");
  return name == NULL || *name == '\0' ? "sinew" : name;
}

/* Quote a word for a shell. */
static void print_word(const char *word) {
  static const char plain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+=,-";
  if (*word != '\0' && word[strspn(word, plain)] == '\0') {
    fputs(word, stdout);
    return;
  }
  putchar('\'');
  for (; *word != '\0'; word++) {
    if (*word == '\'') {
      fputs("'\\''", stdout);
    } else {
      putchar(*word);
    }
  }
  putchar('\'');
}

static void print_option(const char *option, const char *value) {
  if (value != NULL) {
    printf(" %s ", option);
    print_word(value);
  }
}

/* The command that resumes, ready to copy. */
static void print_resume(const control_options *options, const char *gate) {
  char name[160];
  printf("; to go on: sinew call %s.resume ", gate);
  snprintf(name, sizeof name, "name=%s", user_name());
  print_word(name);
  print_option("--name", options->name);
  print_option("--socket", options->socket);
  putchar('\n');
}

static bool is_gate(const json_t *party) {
  const char *role = json_string_value(json_object_get(party, "role"));
  return role != NULL && strcmp(role, "gate") == 0;
}

/* @return number of gates */
static size_t print_gates(const control_options *options, const json_t *parties,
                          const char *outcome) {
  size_t i, count = 0;
  json_t *party;
  json_array_foreach(parties, i, party) {
    char name[80];
    const char *raw = json_string_value(json_object_get(party, "name"));
    if (raw != NULL && is_gate(party)) {
      text_clean(raw, name, sizeof name);
      printf("%s: %s", name, outcome);
      print_resume(options, name);
      count++;
    }
  }
  return count;
}

static void print_stopped(const control_options *options, const json_t *parties) {
  size_t i;
  json_t *party;
  if (print_gates(options, parties, "stopped") > 0) {
    return;
  }
  json_array_foreach(parties, i, party) {
    char name[80];
    const char *raw = json_string_value(json_object_get(party, "name"));
    text_clean(raw == NULL ? "" : raw, name, sizeof name);
    printf("%s: stopped\n", name);
  }
}

/* Not everything stopped, or the system has nothing to stop; its answer was printed before. The
 * stop stays in force. */
static int report_failure(const control_client *client, int code) {
  json_t *answer =
      client->line == NULL ? NULL : json_loadb(client->line, client->line_length, 0, NULL);
  const bool is_answer = json_is_false(json_object_get(answer, "ok"));
  fputs("sinew stop: THE ROBOT MAY STILL MOVE: switch off its power\n", stderr);
  if (is_answer && !client->options->json) {
    (void)print_gates(client->options, json_object_get(answer, "parties"),
                      "the stop stays in force");
  }
  json_decref(answer);
  return is_answer ? EXIT_NO : code;
}

/* Texts that are not UTF-8 are left out: they must not prevent the stop. */
static json_t *make_request(const char *why) {
  json_t *request = json_pack("{s:s}", "verb", "stop");
  (void)json_object_set_new(request, "who", json_string(user_name()));
  (void)json_object_set_new(request, "why", json_string(why));
  return request;
}

static int stop_all(control_client *client, const char *why) {
  json_t *result = NULL;
  int code = control_client_ask(client, make_request(why), &result);
  if (code != EXIT_GOOD) {
    code = report_failure(client, code);
  } else if (client->options->json) {
    control_client_print_result(client, result);
  } else {
    print_stopped(client->options, json_object_get(result, "parties"));
  }
  json_decref(result);
  return code;
}

typedef struct stop_arguments {
  control_options control;
  const char *why;
} stop_arguments;

static int run_stop(void *arguments) {
  const stop_arguments *a = arguments;
  control_client client;
  int code = control_client_open(&client, &a->control);
  if (code == EXIT_GOOD) {
    code = stop_all(&client, a->why);
  }
  control_client_close(&client);
  return code;
}

static const command_argument stop_argument_table[] = {
    {"WHY", ARGUMENT_OPTIONAL, offsetof(stop_arguments, why), "The reason, for the log", WORD_TEXT,
     NULL},
    {0}};
/* The system answers within 100 ms; the user must soon know if it does not. */
static const stop_arguments initial = {.control = {.command = "stop", .default_timeout_s = 1.0},
                                       .why = "sinew stop"};

const command command_stop = {
    .name = "stop",
    .purpose = "Emergency stop of a running system; prints how to resume.",
    .arguments = stop_argument_table,
    .options = {control_option_table},
    .size = sizeof initial,
    .initial = &initial,
    .run = run_stop};
