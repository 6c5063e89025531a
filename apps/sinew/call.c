#include <stdio.h>
#include <string.h>

#include "command.h"
#include "commands.h"
#include "control_client.h"
#include "control_print.h"

/* The object in which the last part of `a.b.c` stands, made on the way. */
static json_t *descend(json_t *object, const char *path, const char **last) {
  for (const char *point = strchr(path, '.'); point != NULL; point = strchr(path, '.')) {
    const size_t length = (size_t)(point - path);
    char part[64];
    if (length == 0 || length >= sizeof part) {
      return NULL;
    }
    memcpy(part, path, length);
    part[length] = '\0';
    json_t *inner = json_object_get(object, part);
    if (inner == NULL) {
      inner = json_object();
      json_object_set_new(object, part, inner);
    }
    if (!json_is_object(inner)) {
      return NULL;
    }
    object = inner;
    path = point + 1;
  }
  *last = path;
  return *path == '\0' ? NULL : object;
}

/* `field=value`: the value is JSON, and a text if it is none. */
static bool add_field(json_t *arguments, const char *word) {
  const char *equals = strchr(word, '=');
  char path[256];
  if (equals == NULL || (size_t)(equals - word) >= sizeof path) {
    return false;
  }
  memcpy(path, word, (size_t)(equals - word));
  path[equals - word] = '\0';
  const char *name = NULL;
  json_t *object = descend(arguments, path, &name);
  json_t *value = json_loads(equals + 1, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
  if (value == NULL) {
    value = json_string(equals + 1);
  }
  if (object == NULL) {
    json_decref(value);
    return false;
  }
  return json_object_set_new(object, name, value) == 0;
}

/* Either one word of JSON, or any number of fields. */
static bool add_word(json_t **arguments, const char *word) {
  if (word[0] != '{') {
    return add_field(*arguments, word);
  }
  json_error_t problem;
  json_t *all = json_loads(word, JSON_REJECT_DUPLICATES, &problem);
  if (all == NULL || json_object_size(*arguments) > 0) {
    if (all == NULL) {
      fprintf(stderr, "sinew call: JSON, column %d: %s\n", problem.column, problem.text);
    }
    json_decref(all);
    return false;
  }
  json_decref(*arguments);
  *arguments = all;
  return true;
}

static int ask(const control_options *options, const char *name, json_t *arguments) {
  json_t *request = json_pack("{s:s, s:s}", "verb", "call", "name", name);
  if (json_object_size(arguments) > 0) {
    json_object_set(request, "arguments", arguments);
  }
  if (options->timeout_s > 0.0) {
    json_object_set_new(request, "timeout", json_real(options->timeout_s));
  }
  json_t *result = NULL;
  const int code = control_ask_once(options, request, &result);
  if (result != NULL && !json_is_null(result)) {
    control_print_lines(stdout, result, 0);
  }
  json_decref(result);
  return code;
}

int command_call(int argc, char **argv) {
  control_options options = {.command = argv[0]};
  const char *name = NULL;
  json_t *arguments = json_object();
  int code = EXIT_GOOD;
  for (int i = 1; i < argc && code == EXIT_GOOD; i++) {
    if (control_options_take(&options, argc, argv, &i)) {
      continue;
    }
    if (name == NULL && !control_is_option(argv[i])) {
      name = argv[i];
    } else if (control_is_option(argv[i]) || !add_word(&arguments, argv[i])) {
      code = command_misused(argv[0], argv[i]);
    }
  }
  if (code == EXIT_GOOD && name == NULL) {
    code = command_misused(argv[0], NULL);
  }
  if (code == EXIT_GOOD) {
    code = ask(&options, name, arguments);
  }
  json_decref(arguments);
  return code;
}
