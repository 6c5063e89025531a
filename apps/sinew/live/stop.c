/* `sinew stop`: the emergency stop of everything in a running system. "stopped" is printed when all
   who move joints have confirmed it. */
#define _POSIX_C_SOURCE 200809L

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "commands.h"
#include "common/excerpt.h"
#include "live/control_client.h"

static const char *user_name(void) {
  const char *name = getenv("USER");
  return name == NULL || *name == '\0' ? "sinew" : name;
}

/* One word of a command for a shell. */
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

/* How to go on, as a command that works as copied. */
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

/* @return how many gates there were */
static size_t print_gates(const control_options *options, const json_t *parties,
                          const char *outcome) {
  size_t i, count = 0;
  json_t *party;
  json_array_foreach(parties, i, party) {
    char name[80];
    const char *raw = json_string_value(json_object_get(party, "name"));
    if (raw != NULL && is_gate(party)) {
      excerpt_clean(raw, name, sizeof name);
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
    excerpt_clean(raw == NULL ? "" : raw, name, sizeof name);
    printf("%s: stopped\n", name);
  }
}

/* The system answered that not all obeyed, or that there is nobody who could: what it said has been
   printed. The stop stays in force for those that are there. */
static int tell_failure(const control_client *client, int code) {
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

/* Texts that are not UTF-8 are left out: they must not keep anybody from stopping. */
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
    code = tell_failure(client, code);
  } else if (client->options->json) {
    control_client_print_result(client, result);
  } else {
    print_stopped(client->options, json_object_get(result, "parties"));
  }
  json_decref(result);
  return code;
}

int command_stop(int argc, char **argv) {
  /* The system answers within 100 ms; who waits must soon know that it does not. */
  control_options options = {.command = argv[0], .patience_s = 1.0};
  const char *why = NULL;
  for (int i = 1; i < argc; i++) {
    if (control_options_take(&options, argc, argv, &i)) {
      continue;
    }
    if (why != NULL || control_is_option(argv[i])) {
      return command_misused(argv[0], argv[i]);
    }
    why = argv[i];
  }
  control_client client;
  int code = control_client_open(&client, &options);
  if (code == EXIT_GOOD) {
    code = stop_all(&client, why == NULL ? "sinew stop" : why);
  }
  control_client_close(&client);
  return code;
}
