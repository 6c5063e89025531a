#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "common/print.h"
#include "live/control_client.h"
#include "live/control_print.h"

static int64_t number(const json_t *object, const char *name) {
  return json_integer_value(json_object_get(object, name));
}

static bool flag(const json_t *object, const char *name) {
  return json_is_true(json_object_get(object, name));
}

/* End a line with the documentation of its subject. */
static void end_with_doc(const json_t *thing) {
  const char *doc = control_text(thing, "doc", "");
  printf("%s%s\n", *doc == '\0' ? "" : "  ", doc);
}

/* `error (overrun)` */
static void format_state(const json_t *component, char *out, size_t size) {
  const char *state = control_text(component, "state", "?");
  const char *trouble = control_text(component, "trouble", "");
  if (strcmp(state, "error") == 0 && *trouble != '\0') {
    snprintf(out, size, "%s (%s)", state, trouble);
  } else {
    snprintf(out, size, "%s", state);
  }
}

static void print_components(const json_t *result) {
  control_table table = {.columns = 6, .right = 1u << 4 | 1u << 5};
  control_table_add(
      &table, (const char *const[]){"COMPONENT", "TYPE", "STATE", "ACTIVITY", "STEPS", "P99"});
  size_t i;
  json_t *component;
  json_array_foreach(json_object_get(result, "components"), i, component) {
    char state[CONTROL_CELL_SIZE];
    char steps[24];
    char p99[24];
    format_state(component, state, sizeof state);
    snprintf(steps, sizeof steps, "%" PRId64, number(component, "steps"));
    const json_t *duration = json_object_get(component, "duration");
    snprintf(p99, sizeof p99, "-");
    if (number(duration, "count") > 0) {
      control_format_ns(number(duration, "p99_ns"), p99, sizeof p99);
    }
    control_table_add(&table,
                      (const char *const[]){control_text(component, "name", "?"),
                                            control_text(component, "type", "?"), state,
                                            control_text(component, "activity", "-"), steps, p99});
  }
  control_table_print(&table, stdout, 0);
}

static void print_facts(const json_t *property, int indent) {
  const char *unit = control_text(property, "unit", "");
  printf("%s%s  (%s%s)", *unit == '\0' ? "" : " ", unit, control_text(property, "kind", "?"),
         flag(property, "live") ? ", live" : "");
  end_with_doc(property);
  size_t i;
  json_t *item;
  json_array_foreach(json_object_get(property, "items"), i, item) {
    printf("%*s.%s", indent + 4, "", control_text(item, "name", "?"));
    print_facts(item, indent + 4);
  }
}

/* A value on one line; truncated, since a whole robot can be a property. */
static void print_short_value(const json_t *value) {
  enum { SHOWN = 100 };
  char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
  const size_t length = text == NULL ? 0 : strlen(text);
  if (length <= SHOWN) {
    control_print_value(stdout, value);
  } else {
    json_t *start = json_stringn_nocheck(text, SHOWN);
    control_print_value(stdout, start);
    printf(" ... (%zu bytes, sinew get shows all)", length);
    json_decref(start);
  }
  free(text);
}

static void print_properties(const json_t *list) {
  size_t i;
  json_t *property;
  if (json_array_size(list) > 0) {
    puts("properties");
  }
  json_array_foreach(list, i, property) {
    printf("  %s = ", control_text(property, "name", "?"));
    print_short_value(json_object_get(property, "value"));
    print_facts(property, 2);
  }
}

static void print_connection(const json_t *connection, bool is_output) {
  printf("      %s %s: %" PRId64 " written, %" PRId64 " lost", is_output ? "->" : "<-",
         control_text(connection, "peer", "?"), number(connection, "written"),
         number(connection, "lost"));
  const int64_t buffer = number(connection, "buffer");
  if (buffer > 0) {
    printf(", %" PRId64 " of %" PRId64 " wait, overflow %s", number(connection, "waiting"), buffer,
           control_text(connection, "overflow", "?"));
  }
  puts(flag(connection, "delayed") ? ", delayed" : "");
}

static void print_port(const json_t *port) {
  const char *kind = control_text(port, "kind", "?");
  printf("  %-4s %s : %s%s%s%s", kind, control_text(port, "name", "?"),
         control_text(port, "type", "?"), flag(port, "event") ? ", event" : "",
         flag(port, "feedback") ? ", feedback" : "", flag(port, "required") ? ", required" : "");
  end_with_doc(port);
  size_t i;
  json_t *connection;
  json_array_foreach(json_object_get(port, "connections"), i, connection) {
    print_connection(connection, strcmp(kind, "out") == 0);
  }
}

static void print_type(const json_t *type) {
  size_t i;
  json_t *field;
  json_array_foreach(json_object_get(type, "fields"), i, field) {
    printf("%s%s %s", i == 0 ? "" : ", ", control_text(field, "type", "?"),
           control_text(field, "name", "?"));
  }
}

static void print_operations(const json_t *list) {
  size_t i;
  json_t *operation;
  puts("operations");
  json_array_foreach(list, i, operation) {
    printf("  %s(", control_text(operation, "name", "?"));
    print_type(json_object_get(operation, "request"));
    putchar(')');
    const json_t *response = json_object_get(operation, "response");
    if (json_is_object(response)) {
      fputs(" -> (", stdout);
      print_type(response);
      putchar(')');
    }
    end_with_doc(operation);
  }
}

static void print_needs(const json_t *list) {
  size_t i;
  json_t *need;
  if (json_array_size(list) > 0) {
    puts("needs");
  }
  json_array_foreach(list, i, need) {
    const char *interface = control_text(need, "interface", NULL);
    printf("  %s : %s %s, %s%s", control_text(need, "name", "?"),
           interface == NULL ? "operation" : "service",
           interface == NULL ? control_text(need, "operation", "?") : interface,
           flag(need, "ready") ? "ready" : "not there", flag(need, "optional") ? ", optional" : "");
    end_with_doc(need);
  }
}

static void print_duration(const json_t *duration) {
  char p50[24];
  char p99[24];
  char max[24];
  control_format_ns(number(duration, "p50_ns"), p50, sizeof p50);
  control_format_ns(number(duration, "p99_ns"), p99, sizeof p99);
  control_format_ns(number(duration, "max_ns"), max, sizeof max);
  printf("a step takes %s, 99 %% of them up to %s, at most %s\n", p50, p99, max);
}

static void print_component(const json_t *c) {
  char state[CONTROL_CELL_SIZE];
  format_state(c, state, sizeof state);
  printf("%s : %s", control_text(c, "name", "?"), control_text(c, "type", "?"));
  end_with_doc(c);
  printf("%s, activity %s, %" PRId64 " steps, %" PRId64 " faults, %" PRId64 " calls, %" PRId64
         " bytes\n",
         state, control_text(c, "activity", "none"), number(c, "steps"), number(c, "troubles"),
         number(c, "calls"), number(c, "memory_size"));
  const json_t *duration = json_object_get(c, "duration");
  if (number(duration, "count") > 0) {
    print_duration(duration);
  }
  print_properties(json_object_get(c, "properties"));
  const json_t *ports = json_object_get(c, "ports");
  if (json_array_size(ports) > 0) {
    puts("ports");
  }
  size_t i;
  json_t *port;
  json_array_foreach(ports, i, port) {
    print_port(port);
  }
  print_operations(json_object_get(c, "operations"));
  print_needs(json_object_get(c, "needs"));
}

typedef struct ls_arguments {
  control_options control;
  const char *name;
} ls_arguments;

static int run_ls(void *arguments) {
  const ls_arguments *a = arguments;
  json_t *request = a->name == NULL ? json_pack("{s:s}", "verb", "ls")
                                    : json_pack("{s:s, s:s}", "verb", "describe", "name", a->name);
  json_t *result = NULL;
  const int code = control_ask_once(&a->control, request, &result);
  if (result != NULL && a->name == NULL) {
    print_components(result);
  } else if (json_object_get(result, "connections") != NULL) {
    print_port(result);
  } else if (result != NULL) {
    print_component(result);
  }
  json_decref(result);
  return code;
}

static const command_argument ls_argument_table[] = {
    {"COMPONENT[.PORT]", ARGUMENT_OPTIONAL, offsetof(ls_arguments, name),
     "Describe this component or port", WORD_COMPONENT_OR_PORT, NULL},
    {0}};
static const ls_arguments initial = {.control = {.command = "ls"}};

const command command_ls = {
    .name = "ls",
    .purpose = "List the components of a running system, or describe one of them.",
    .arguments = ls_argument_table,
    .options = {control_option_table},
    .size = sizeof initial,
    .initial = &initial,
    .run = run_ls};
