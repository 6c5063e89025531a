/* The component types of this program: `sinew types [NAME]` prints their reference, which is also
   docs/components.md, and `sinew schema` the JSON Schema of deployments. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "commands.h"
#include "run/bridges.h"
#include "sinew/arena.h"
#include "sinew/component.h"
#include "sinew/components.h"
#include "sinew/deployment.h"

/* ---- one row of a table ---- */

/* A vertical bar would end the cell. */
static void put_cell(const char *text) {
  for (; *text != '\0'; text++) {
    fputs(*text == '|' ? "\\|" : (char[]){*text, '\0'}, stdout);
  }
}

static void put_code(const char *text) {
  if (text != NULL && *text != '\0') {
    putchar('`');
    put_cell(text);
    putchar('`');
  }
}

static void put_doc(const char *doc, bool is_required) {
  fputs(is_required ? "Required. " : "", stdout);
  put_cell(doc == NULL ? "" : doc);
  puts(" |");
}

/* ---- properties ---- */

static void put_bound(double value) {
  if (isinf(value)) {
    fputs(value > 0 ? "∞" : "−∞", stdout);
  } else {
    printf("%.10g", value);
  }
}

static void put_range(const sn_property *p) {
  if (p->choices != NULL) {
    for (const char *word = p->choices; *word != '\0';) {
      const size_t length = strcspn(word, "|");
      printf("%s`%.*s`", word == p->choices ? "" : ", ", (int)length, word);
      word += length + (word[length] == '|');
    }
  } else if (p->min != 0.0 || p->max != 0.0) {
    put_bound(p->min);
    fputs(" … ", stdout);
    put_bound(p->max);
  }
  if (p->count_min != 0 || p->count_max != 0) {
    printf("%s%zu", p->choices == NULL && p->min == 0.0 && p->max == 0.0 ? "" : "; ", p->count_min);
    if (p->count_max != p->count_min) {
      printf(p->count_max == 0 ? " or more" : " … %zu", p->count_max);
    }
    fputs(" items", stdout);
  }
}

static const char *default_of(const sn_property *p) {
  static const char *const zeros[] = {
      [SN_PROPERTY_BOOL] = "false", [SN_PROPERTY_INT] = "0",    [SN_PROPERTY_REAL] = "0",
      [SN_PROPERTY_TEXT] = "",      [SN_PROPERTY_REALS] = "[]", [SN_PROPERTY_TEXTS] = "[]",
      [SN_PROPERTY_TREE] = "",      [SN_PROPERTY_BAG] = "",     [SN_PROPERTY_BAGS] = "[]"};
  const bool is_required = (p->flags & SN_PROPERTY_REQUIRED) != 0;
  return is_required ? "" : p->initial != NULL ? p->initial : zeros[p->kind];
}

/* Rows of a table and of the bags in it, as `limits[].max`; as deep as the tables are. */
static void put_properties(const sn_property *table, const char *prefix) {
  for (const sn_property *p = table; p != NULL && p->name != NULL; p++) {
    char path[200];
    snprintf(path, sizeof path, "%s%s%s", prefix, p->name, p->kind == SN_PROPERTY_BAGS ? "[]" : "");
    printf("| `%s`%s | %s | ", path, (p->flags & SN_PROPERTY_LIVE) != 0 ? " (live)" : "",
           sn_property_kind_text(p->kind));
    put_cell(p->unit == NULL ? "" : *p->unit == '\0' ? "–" : p->unit);
    fputs(" | ", stdout);
    put_range(p);
    fputs(" | ", stdout);
    put_code(default_of(p));
    fputs(" | ", stdout);
    put_doc(p->doc, (p->flags & SN_PROPERTY_REQUIRED) != 0);
    strncat(path, ".", sizeof path - strlen(path) - 1);
    put_properties(p->items, path);
  }
}

/* ---- ports, operations, services, needs ---- */

static void put_ports(const sn_port *ports) {
  static const char *const kinds[] = {
      [SN_PORT_IN] = "input", [SN_PORT_MANY] = "inputs", [SN_PORT_OUT] = "output"};
  puts("\n| port | direction | message | purpose |\n| --- | --- | --- | --- |");
  for (const sn_port *p = ports; p->name != NULL; p++) {
    printf("| `%s` | %s%s%s%s | `%s` | ", p->name, kinds[p->kind],
           (p->flags & SN_PORT_EVENT) != 0 ? ", triggers a step" : "",
           (p->flags & SN_PORT_FEEDBACK) != 0 ? ", of the last cycle" : "",
           (p->flags & SN_PORT_DERIVED) != 0 ? ", derived" : "", p->type->ros2_name);
    put_doc(p->doc, (p->flags & SN_PORT_REQUIRED) != 0);
  }
}

static void put_operations(const sn_operation *operations) {
  puts("\n| operation | thread | request | response | purpose |\n| --- | --- | --- | --- | --- |");
  for (const sn_operation *o = operations; o->name != NULL; o++) {
    printf("| `%s`%s | %s | ", o->name, (o->flags & SN_READ_ONLY) != 0 ? " (read-only)" : "",
           (o->flags & SN_OWN_THREAD) != 0 ? "own" : "client");
    put_code(o->request == NULL ? NULL : o->request->ros2_name);
    fputs(" | ", stdout);
    put_code(o->response == NULL ? NULL : o->response->ros2_name);
    fputs(" | ", stdout);
    put_doc(o->doc, false);
  }
}

static void put_interfaces(const sn_component_type *type) {
  puts("\n| interface | | purpose |\n| --- | --- | --- |");
  for (const sn_service *s = type->services; s != NULL && s->name != NULL; s++) {
    printf("| `%s` | provided | ", s->name);
    put_doc(s->doc, false);
  }
  for (const sn_need *n = type->needs; n != NULL && n->name != NULL; n++) {
    printf("| `%s` | need `%s`%s | ", n->interface != NULL ? n->interface : n->operation, n->name,
           n->is_optional ? ", optional" : "");
    put_doc(n->doc, false);
  }
}

static void put_example(const sn_component_type *type) {
  puts("\n```yaml");
  if (type->example == NULL) {
    printf("components:\n  my_%s: {type: %s}\n", type->name, type->name);
  } else {
    fputs(type->example, stdout);
  }
  puts("```");
}

static void put_type(const sn_component_type *type) {
  printf("## %s\n\n%s\n", type->name, type->doc == NULL ? "" : type->doc);
  if (type->properties != NULL && type->properties->name != NULL) {
    puts(
        "\n| property | value | unit | range | default | purpose |\n"
        "| --- | --- | --- | --- | --- | --- |");
    put_properties(type->properties, "");
  }
  if (type->ports != NULL && type->ports->name != NULL) {
    put_ports(type->ports);
  }
  if (type->operations != NULL && type->operations->name != NULL) {
    put_operations(type->operations);
  }
  if (type->services != NULL || type->needs != NULL) {
    put_interfaces(type);
  }
  put_example(type);
}

/* ---- the commands ---- */

static void put_list(const sn_component_registry *registry) {
  for (size_t i = 0; i < sn_component_registry_count(registry); i++) {
    const sn_component_type *type = sn_component_registry_at(registry, i);
    printf("%-26s %s\n", type->name, type->doc == NULL ? "" : type->doc);
  }
}

static void put_document(const sn_component_registry *registry) {
  puts(
      "# Component types\n\n"
      "Generated from the tables of the component types by `sinew types --markdown`; do not "
      "edit.\n\n"
      "Properties marked *live* can be changed while the component runs; the unit – means\n"
      "dimensionless. A *derived* output repeats other outputs or follows from them, so that\n"
      "[recordings](recordings.md#record-less-or-everything) have it 100 times a second by "
      "default. Every "
      "component also has the operations `configure`, `start`, `stop`,\n"
      "`cleanup` and `recover`. The examples extend\n"
      "[`standard.yaml`](deployment.md#the-standard-deployment) with the robot\n"
      "`robots/quadruped.yaml`.");
  for (size_t i = 0; i < sn_component_registry_count(registry); i++) {
    putchar('\n');
    put_type(sn_component_registry_at(registry, i));
  }
}

static int print_types(const sn_component_registry *registry, const char *name) {
  const sn_component_type *type = name == NULL ? NULL : sn_component_registry_find(registry, name);
  if (name == NULL) {
    put_list(registry);
  } else if (strcmp(name, "--markdown") == 0) {
    put_document(registry);
  } else if (type != NULL) {
    put_type(type);
  } else {
    fprintf(stderr, "sinew types: unknown component type '%s'; 'sinew types' lists them\n", name);
    return EXIT_NO;
  }
  return EXIT_GOOD;
}

static int print_schema(const sn_component_registry *registry, const char *unused) {
  (void)unused;
  const size_t size = sn_deployment_schema(registry, NULL, 0) + 1;
  char *text = malloc(size);
  if (text == NULL) {
    fputs("sinew schema: no memory\n", stderr);
    return EXIT_FAULT;
  }
  sn_deployment_schema(registry, text, size);
  puts(text);
  free(text);
  return EXIT_GOOD;
}

/* Call @p print with all types that this program has. */
static int with_registry(int (*print)(const sn_component_registry *registry, const char *name),
                         const char *name) {
  sn_arena arena;
  sn_error err = {.message = "no memory"};
  sn_arena_init_growing(&arena, "component types", 0);
  sn_component_registry *registry = sn_component_registry_create(&arena);
  int code = EXIT_FAULT;
  if (registry != NULL && sn_components_add(registry, &err) == SN_OK &&
      sn_bridges_add(registry, &err) == SN_OK) {
    code = print(registry, name);
  } else {
    fprintf(stderr, "sinew: %s\n", err.message);
  }
  sn_arena_release(&arena);
  return code;
}

/* ---- the commands ---- */

typedef struct types_arguments {
  const char *name;
  bool is_markdown;
} types_arguments;

static int run_types(void *arguments) {
  const types_arguments *a = arguments;
  return with_registry(print_types, a->is_markdown ? "--markdown" : a->name);
}

static const command_argument types_argument_table[] = {
    {"NAME", ARGUMENT_OPTIONAL, offsetof(types_arguments, name), "Component type", WORD_NAME, NULL},
    {0}};

static const command_option types_option_table[] = {
    {.name = "--markdown",
     .kind = OPTION_FLAG,
     .offset = offsetof(types_arguments, is_markdown),
     .help = "Print the reference of all types, as docs/components.md"},
    {0}};

const command command_types = {
    .name = "types",
    .purpose = "List the component types, or print the reference of one.",
    .arguments = types_argument_table,
    .options = {types_option_table},
    .size = sizeof(types_arguments),
    .run = run_types};

static int run_schema(void *arguments) {
  (void)arguments;
  return with_registry(print_schema, NULL);
}

const command command_schema = {.name = "schema",
                                .purpose = "Print the JSON Schema of deployments, for editors.",
                                .run = run_schema};
