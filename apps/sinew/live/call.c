#include <stdio.h>

#include "command.h"
#include "commands.h"
#include "common/fields.h"
#include "live/control_client.h"
#include "live/control_print.h"

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
    } else if (control_is_option(argv[i]) || !fields_add(argv[0], &arguments, argv[i])) {
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
