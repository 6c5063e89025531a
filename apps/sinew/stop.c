/* `sinew stop`: the emergency stop of every aggregator of a running system. */
#define _POSIX_C_SOURCE 200809L

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "commands.h"
#include "control_client.h"

/* All components that can be stopped in an emergency: their names. */
static json_t *find_gates(const json_t *names) {
  json_t *gates = json_array();
  size_t i;
  json_t *component;
  json_array_foreach(names, i, component) {
    size_t k;
    json_t *operation;
    json_array_foreach(json_object_get(component, "operations"), k, operation) {
      const char *name = json_string_value(operation);
      if (name != NULL && strcmp(name, "emergencyStop") == 0) {
        json_array_append(gates, json_object_get(component, "component"));
      }
    }
  }
  return gates;
}

static const char *user_name(void) {
  const char *name = getenv("USER");
  return name == NULL || *name == '\0' ? "sinew" : name;
}

static int stop_one(control_client *client, const char *gate, const char *why) {
  char operation[256];
  json_t *result = NULL;
  snprintf(operation, sizeof operation, "%s.emergencyStop", gate);
  const int code =
      control_client_ask(client,
                         json_pack("{s:s, s:s, s:{s:s, s:s}}", "verb", "call", "name", operation,
                                   "arguments", "who", user_name(), "why", why),
                         &result);
  json_decref(result);
  if (code == EXIT_GOOD && !client->options->json) {
    printf("%s: stopped; to go on: sinew call %s.resume name=%s\n", gate, gate, user_name());
  }
  return code;
}

static int stop_all(control_client *client, const char *why) {
  json_t *names = NULL;
  int code = control_client_ask(client, json_pack("{s:s}", "verb", "names"), &names);
  if (code != EXIT_GOOD) {
    return code;
  }
  json_t *gates = find_gates(names);
  size_t i;
  json_t *gate;
  if (json_array_size(gates) == 0) {
    fputs("sinew stop: this system has no component with an emergency stop\n", stderr);
    code = EXIT_NO;
  }
  json_array_foreach(gates, i, gate) { /* all of them, whatever one of them says */
    const int one = stop_one(client, json_string_value(gate), why);
    code = one != EXIT_GOOD ? one : code;
  }
  if (client->options->json && code == EXIT_GOOD) {
    char *text = json_dumps(gates, JSON_COMPACT);
    printf("{\"stopped\":%s}\n", text == NULL ? "[]" : text);
    free(text);
  }
  json_decref(gates);
  json_decref(names);
  return code;
}

int command_stop(int argc, char **argv) {
  control_options options = {.command = argv[0]};
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
    control_client_close(&client);
  }
  return code;
}
