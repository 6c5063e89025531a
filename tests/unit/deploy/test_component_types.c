/* The tables of all component types of the program: docs/components.md and the JSON Schema are
   generated from them, so nothing in them may lack its documentation. */
#include <string.h>

#include "run/bridges.h"
#include "sinew/components.h"
#include "sinew/deployment.h"
#include "sn_test.h"

typedef struct types {
  sn_arena arena;
  sn_component_registry *registry;
} types;

static int setup(void **state) {
  static types t;
  sn_arena_init_growing(&t.arena, "types", 0);
  t.registry = sn_component_registry_create(&t.arena);
  sn_error err;
  assert_int_equal(sn_components_add(t.registry, &err), SN_OK);
  assert_int_equal(sn_bridges_add(t.registry, &err), SN_OK);
  *state = &t;
  return 0;
}

static int teardown(void **state) {
  sn_arena_release(&((types *)*state)->arena);
  return 0;
}

/* One or more sentences, on one line. */
static void check_doc(const sn_component_type *type, const char *what, const char *doc) {
  if (doc == NULL || strlen(doc) < 3 || strpbrk(doc, "\n\t") != NULL) {
    fail_msg("%s: '%s' has no documentation on one line", type->name, what);
  }
}

static bool is_number(const sn_property *p) {
  return p->kind == SN_PROPERTY_INT || p->kind == SN_PROPERTY_REAL || p->kind == SN_PROPERTY_REALS;
}

static void check_properties(const sn_component_type *type, const sn_property *table) {
  for (const sn_property *p = table; p != NULL && p->name != NULL; p++) {
    check_doc(type, p->name, p->doc);
    if (is_number(p) != (p->unit != NULL)) {
      fail_msg("%s: '%s' %s", type->name, p->name,
               is_number(p) ? "has no unit; empty: dimensionless" : "has a unit, but no number");
    }
    check_properties(type, p->items);
  }
}

SN_TEST(everything_has_documentation_and_every_number_a_unit) {
  const sn_component_registry *registry = ((types *)*state)->registry;
  for (size_t i = 0; i < sn_component_registry_count(registry); i++) {
    const sn_component_type *type = sn_component_registry_at(registry, i);
    check_doc(type, "the type", type->doc);
    check_properties(type, type->properties);
    for (const sn_port *p = type->ports; p != NULL && p->name != NULL; p++) {
      check_doc(type, p->name, p->doc);
    }
    for (const sn_operation *o = type->operations; o != NULL && o->name != NULL; o++) {
      check_doc(type, o->name, o->doc);
    }
    for (const sn_service *s = type->services; s != NULL && s->name != NULL; s++) {
      check_doc(type, s->name, s->doc);
    }
    for (const sn_need *n = type->needs; n != NULL && n->name != NULL; n++) {
      check_doc(type, n->name, n->doc);
    }
  }
}

SN_TEST(every_type_has_an_example_of_its_own) {
  const sn_component_registry *registry = ((types *)*state)->registry;
  for (size_t i = 0; i < sn_component_registry_count(registry); i++) {
    const sn_component_type *type = sn_component_registry_at(registry, i);
    if (type->example == NULL || type->example[strlen(type->example) - 1] != '\n') {
      fail_msg("%s has no example that ends with a newline", type->name);
    }
  }
}

SN_TEST(a_schema_that_does_not_fit_is_truncated_and_measured) {
  const sn_component_registry *registry = ((types *)*state)->registry;
  const size_t size = sn_deployment_schema(registry, NULL, 0);
  char *whole = sn_arena_alloc(&((types *)*state)->arena, size + 1, 1);
  assert_int_equal(sn_deployment_schema(registry, whole, size + 1), size);
  assert_int_equal(strlen(whole), size);
  char part[100];
  assert_int_equal(sn_deployment_schema(registry, part, sizeof part), size);
  assert_int_equal(strlen(part), sizeof part - 1);
  assert_memory_equal(part, whole, sizeof part - 1);
}

SN_TEST_GROUP(setup, teardown)
