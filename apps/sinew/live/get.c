#include <stdio.h>

#include "command.h"
#include "commands.h"
#include "live/control_client.h"
#include "live/control_print.h"

int command_get(int argc, char **argv) {
  control_options options = {.command = argv[0]};
  const char *name = NULL;
  for (int i = 1; i < argc; i++) {
    if (control_options_take(&options, argc, argv, &i)) {
      continue;
    }
    if (control_is_option(argv[i]) || name != NULL) {
      return command_misused(argv[0], argv[i]);
    }
    name = argv[i];
  }
  if (name == NULL) {
    return command_misused(argv[0], NULL);
  }
  json_t *result = NULL;
  const int code =
      control_ask_once(&options, json_pack("{s:s, s:s}", "verb", "get", "name", name), &result);
  if (result != NULL) {
    control_print_lines(stdout, result, 0);
  }
  json_decref(result);
  return code;
}
