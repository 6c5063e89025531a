#include "ros/node/parameters.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "remote/remote.h"
#include "rt/system_internal.h"
#include "sinew/system.h"

#define PATH_SIZE 512

bool sn__parameter_find(const sn__bridge *bridge, const char *name, sn__known_parameter *out) {
  sn_component *component = NULL;
  const char *path = NULL;
  sn_error ignored = {SN_OK, ""};
  *out = (sn__known_parameter){.name = name};
  if (strcmp(name, SN__USE_SIM_TIME) == 0) {
    return true;
  }
  if (sn__remote_find(bridge->component.system, name, &component, &path, &ignored) != SN_OK ||
      path == NULL) {
    return false;
  }
  size_t offset = 0;
  out->property = sn_property_at(component->type->properties, path, &offset);
  return out->property != NULL && out->property->kind != SN_PROPERTY_BAG;
}

typedef struct visitor {
  sn__parameter_visit *visit;
  void *context;
  uint64_t change;      /* of the property of the component that is being visited */
  char path[PATH_SIZE]; /* of what it is in, with a dot at its end */
} visitor;

/* Recursive, as deep as tables are nested. */
static void visit_property(visitor *v, const sn_property *p) {
  const size_t length = strlen(v->path);
  const bool is_bag = p->kind == SN_PROPERTY_BAG;
  const int added =
      snprintf(v->path + length, PATH_SIZE - length, "%s%s", p->name, is_bag ? "." : "");
  if (added > 0 && (size_t)added < PATH_SIZE - length) {
    if (!is_bag) {
      const sn__known_parameter parameter = {v->path, p, v->change};
      v->visit(v->context, &parameter);
    }
    for (const sn_property *i = is_bag ? p->items : NULL; i != NULL && i->name != NULL; i++) {
      visit_property(v, i);
    }
  }
  v->path[length] = '\0';
}

void sn__parameter_each(const sn__bridge *bridge, sn__parameter_visit *visit, void *context) {
  const sn_system *system = bridge->component.system;
  for (size_t i = 0; i < sn_system_component_count(system); i++) {
    const sn_component *component = sn_system_component_at(system, i);
    visitor v = {.visit = visit, .context = context};
    snprintf(v.path, sizeof v.path, "%s.", component->name);
    for (const sn_property *p = component->type->properties; p != NULL && p->name != NULL; p++) {
      v.change = sn__property_change(component, p);
      visit_property(&v, p);
    }
  }
  const sn__known_parameter sim_time = {.name = SN__USE_SIM_TIME};
  visit(context, &sim_time);
}

/* ---- types ---- */

/* Trees and lists of bags are texts in JSON. */
sn__parameter_kind sn__parameter_kind_of(const sn__known_parameter *parameter) {
  if (parameter->property == NULL) {
    return SN__PARAMETER_BOOL;
  }
  switch (parameter->property->kind) {
    case SN_PROPERTY_BOOL:
      return SN__PARAMETER_BOOL;
    case SN_PROPERTY_INT:
      return SN__PARAMETER_INTEGER;
    case SN_PROPERTY_REAL:
      return SN__PARAMETER_DOUBLE;
    case SN_PROPERTY_REALS:
      return SN__PARAMETER_DOUBLE_ARRAY;
    case SN_PROPERTY_TEXTS:
      return SN__PARAMETER_STRING_ARRAY;
    case SN_PROPERTY_TEXT:
    case SN_PROPERTY_TREE:
    case SN_PROPERTY_BAG:
    case SN_PROPERTY_BAGS:
      break;
  }
  return SN__PARAMETER_STRING;
}

const char *sn__parameter_kind_text(unsigned kind) {
  static const char *const texts[SN__PARAMETER_KINDS] = {
      [SN__PARAMETER_NOT_SET] = "nothing",
      [SN__PARAMETER_BOOL] = "bool",
      [SN__PARAMETER_INTEGER] = "integer",
      [SN__PARAMETER_DOUBLE] = "double",
      [SN__PARAMETER_STRING] = "string",
      [SN__PARAMETER_BYTE_ARRAY] = "byte array",
      [SN__PARAMETER_BOOL_ARRAY] = "bool array",
      [SN__PARAMETER_INTEGER_ARRAY] = "integer array",
      [SN__PARAMETER_DOUBLE_ARRAY] = "double array",
      [SN__PARAMETER_STRING_ARRAY] = "string array"};
  return kind < SN__PARAMETER_KINDS ? texts[kind] : "an unknown type";
}

bool sn__parameter_is_read_only(const sn__known_parameter *parameter) {
  return parameter->property == NULL || (parameter->property->flags & SN_PROPERTY_LIVE) == 0 ||
         (parameter->property->flags & SN_PROPERTY_PATH) != 0;
}
