#include <stdio.h>

#include "commands.h"
#include "live/control_client.h"
#include "live/control_print.h"

typedef struct get_arguments {
  control_options control;
  const char *name;
} get_arguments;

static int run_get(void *arguments) {
  const get_arguments *a = arguments;
  json_t *result = NULL;
  const int code = control_ask_once(
      &a->control, json_pack("{s:s, s:s}", "verb", "get", "name", a->name), &result);
  if (result != NULL) {
    control_print_lines(stdout, result, 0);
  }
  json_decref(result);
  return code;
}

static const command_argument get_argument_table[] = {
    {"COMPONENT[.PROPERTY]", ARGUMENT_ONE, offsetof(get_arguments, name),
     "One property, or all properties of a component", WORD_COMPONENT_OR_PROPERTY, NULL},
    {0}};
static const get_arguments initial = {.control = {.command = "get"}};

const command command_get = {.name = "get",
                             .purpose = "Print properties of a running system.",
                             .arguments = get_argument_table,
                             .options = {control_option_table},
                             .size = sizeof initial,
                             .initial = &initial,
                             .run = run_get};
