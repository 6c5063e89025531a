#include <stdio.h>

#include "commands.h"
#include "common/fields.h"
#include "live/control_client.h"
#include "live/control_print.h"

typedef struct call_arguments {
  control_options control;
  const char *name;
  text_list fields;
} call_arguments;

static int run_call(void *arguments) {
  const call_arguments *a = arguments;
  json_t *fields = fields_parse(&command_call, &a->fields);
  if (fields == NULL) {
    return EXIT_USAGE;
  }
  json_t *request = json_pack("{s:s, s:s}", "verb", "call", "name", a->name);
  if (json_object_size(fields) > 0) {
    json_object_set(request, "arguments", fields);
  }
  if (a->control.timeout_s > 0.0) {
    json_object_set_new(request, "timeout", json_real(a->control.timeout_s));
  }
  json_t *result = NULL;
  const int code = control_ask_once(&a->control, request, &result);
  if (result != NULL && !json_is_null(result)) {
    control_print_lines(stdout, result, 0);
  }
  json_decref(result);
  json_decref(fields);
  return code;
}

static const command_argument call_argument_table[] = {
    {"COMPONENT.OPERATION", ARGUMENT_ONE, offsetof(call_arguments, name),
     "The operation; every component has configure, start, stop, cleanup and recover",
     WORD_OPERATION, NULL},
    {"FIELD=VALUE", ARGUMENT_ANY, offsetof(call_arguments, fields),
     "Fields of the request; or the request as one word of JSON", WORD_TEXT, NULL},
    {0}};
static const call_arguments initial = {.control = {.command = "call"}};

const command command_call = {.name = "call",
                              .purpose = "Call an operation of a running system.",
                              .arguments = call_argument_table,
                              .options = {control_option_table},
                              .size = sizeof initial,
                              .initial = &initial,
                              .run = run_call};
