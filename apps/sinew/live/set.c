#include <stdio.h>

#include "command.h"
#include "commands.h"
#include "live/control_client.h"
#include "live/control_print.h"

int command_set(int argc, char **argv) {
  control_options options = {.command = argv[0]};
  const char *words[2] = {NULL, NULL};
  int count = 0;
  for (int i = 1; i < argc; i++) {
    if (control_options_take(&options, argc, argv, &i)) {
      continue;
    }
    if (control_is_option(argv[i]) || count == 2) {
      return command_misused(argv[0], argv[i]);
    }
    words[count++] = argv[i];
  }
  if (count < 2) {
    return command_misused(argv[0], NULL);
  }
  json_t *result = NULL;
  const int code = control_ask_once(
      &options, json_pack("{s:s, s:s, s:s}", "verb", "set", "name", words[0], "text", words[1]),
      &result);
  if (result != NULL) { /* the value as it is now */
    control_print_lines(stdout, result, 0);
  }
  json_decref(result);
  return code;
}
