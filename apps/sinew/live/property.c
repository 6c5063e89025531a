/* `sinew get` and `sinew set`. */
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
static const get_arguments get_initial = {.control = {.command = "get"}};

const command command_get = {.name = "get",
                             .purpose = "Print properties of a running system.",
                             .arguments = get_argument_table,
                             .options = {control_option_table},
                             .size = sizeof get_initial,
                             .initial = &get_initial,
                             .run = run_get};

typedef struct set_arguments {
  control_options control;
  const char *name, *value;
} set_arguments;

static int run_set(void *arguments) {
  const set_arguments *a = arguments;
  json_t *result = NULL;
  const int code = control_ask_once(
      &a->control, json_pack("{s:s, s:s, s:s}", "verb", "set", "name", a->name, "text", a->value),
      &result);
  if (result != NULL) { /* the new value */
    control_print_lines(stdout, result, 0);
  }
  json_decref(result);
  return code;
}

static const command_argument set_argument_table[] = {
    {"COMPONENT.PROPERTY", ARGUMENT_ONE, offsetof(set_arguments, name), "The property",
     WORD_PROPERTY, NULL},
    {"VALUE", ARGUMENT_ONE, offsetof(set_arguments, value), "As in a deployment, or JSON",
     WORD_TEXT, NULL},
    {0}};
static const set_arguments set_initial = {.control = {.command = "set"}};

const command command_set = {.name = "set",
                             .purpose = "Change a property of a running system.",
                             .arguments = set_argument_table,
                             .options = {control_option_table},
                             .size = sizeof set_initial,
                             .initial = &set_initial,
                             .run = run_set};
