/* The JSON Schema of deployment files, from the tables that files are read by. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "deploy/deployment.h"

static const char name_pattern[] = "^[A-Za-z_][A-Za-z0-9_]{0,62}$";

static void put_raw(sn__buffer *out, const char *key, const char *json) {
  sn__json_raw(out, key, json, strlen(json));
}

static void put_reference(sn__buffer *out, const char *key, const char *prefix, const char *name) {
  char path[100];
  snprintf(path, sizeof path, "#/$defs/%s%s", prefix, name);
  sn__json_open(out, key, '{');
  sn__json_text(out, "$ref", path);
  sn__json_close(out, '}');
}

/* ---- properties ---- */

static void put_range(sn__buffer *out, const sn_property *p) {
  if (p->min == 0.0 && p->max == 0.0) {
    return;
  }
  if (p->min > -HUGE_VAL) {
    sn__json_real(out, "minimum", p->min);
  }
  if (p->max < HUGE_VAL) {
    sn__json_real(out, "maximum", p->max);
  }
}

/* Any YAML scalar is a text. */
static void put_scalar(sn__buffer *out, const sn_property *p) {
  if (p->choices == NULL) {
    put_raw(out, "type", "[\"string\",\"number\",\"boolean\",\"null\"]");
    return;
  }
  sn__json_open(out, "enum", '[');
  for (const char *word = p->choices; *word != '\0';) {
    const size_t length = strcspn(word, "|");
    char text[100];
    snprintf(text, sizeof text, "%.*s", (int)length, word);
    sn__json_text(out, NULL, text);
    word += length + (word[length] == '|');
  }
  sn__json_close(out, ']');
}

/* An empty list may be written as an empty value. */
static void put_list(sn__buffer *out, const sn_property *p) {
  put_raw(out, "type", p->count_min == 0 ? "[\"array\",\"null\"]" : "\"array\"");
  if (p->count_min != 0) {
    sn__json_real(out, "minItems", (double)p->count_min);
  }
  if (p->count_max != 0) {
    sn__json_real(out, "maxItems", (double)p->count_max);
  }
}

static void put_table(sn__buffer *out, const sn_property *table, bool with_required);

static void put_kind(sn__buffer *out, const sn_property *p) {
  switch (p->kind) {
    case SN_PROPERTY_BOOL:
      put_raw(out, "enum", "[true,false,1,0]");
      break;
    case SN_PROPERTY_INT:
    case SN_PROPERTY_REAL:
      sn__json_text(out, "type", p->kind == SN_PROPERTY_INT ? "integer" : "number");
      put_range(out, p);
      break;
    case SN_PROPERTY_TEXT:
      put_scalar(out, p);
      break;
    case SN_PROPERTY_REALS:
    case SN_PROPERTY_TEXTS:
      put_list(out, p);
      sn__json_open(out, "items", '{');
      if (p->kind == SN_PROPERTY_TEXTS) {
        put_scalar(out, p);
      } else {
        sn__json_text(out, "type", "number");
        put_range(out, p);
      }
      sn__json_close(out, '}');
      break;
    case SN_PROPERTY_TREE:
      break;
    case SN_PROPERTY_BAG:
      put_table(out, p->items, false);
      break;
    case SN_PROPERTY_BAGS:
      put_list(out, p);
      sn__json_open(out, "items", '{');
      put_table(out, p->items, true);
      sn__json_close(out, '}');
      break;
  }
}

static void put_description(sn__buffer *out, const sn_property *p) {
  char text[600];
  const bool has_unit = p->unit != NULL && *p->unit != '\0';
  if (p->doc != NULL) {
    snprintf(text, sizeof text, "%s%s%s%s", p->doc, has_unit ? " Unit: " : "",
             has_unit ? p->unit : "", has_unit ? "." : "");
    sn__json_text(out, "description", text);
  }
}

static void put_property(sn__buffer *out, const char *name, const sn_property *p) {
  sn__json_open(out, name, '{');
  put_description(out, p);
  put_kind(out, p);
  sn__json_close(out, '}');
}

/* What a value must have. Includes and property files may set more, so only the items of a list,
   which is replaced as a whole, have to be complete. */
static void put_required(sn__buffer *out, const sn_property *table) {
  sn__json_open(out, "required", '[');
  for (const sn_property *p = table; p->name != NULL; p++) {
    if ((p->flags & SN_PROPERTY_REQUIRED) != 0 && p->alias == NULL) {
      sn__json_text(out, NULL, p->name);
    }
  }
  sn__json_close(out, ']');
}

/* The fields of an object's schema. Recursion is bounded by the depth of the table. */
static void put_table(sn__buffer *out, const sn_property *table, bool with_required) {
  put_raw(out, "type", "[\"object\",\"null\"]");
  sn__json_open(out, "properties", '{');
  for (const sn_property *p = table; p != NULL && p->name != NULL; p++) {
    put_property(out, p->name, p);
    if (p->alias != NULL) {
      put_property(out, p->alias, p);
    }
  }
  sn__json_close(out, '}');
  put_raw(out, "additionalProperties", "false");
  if (with_required && table != NULL) {
    put_required(out, table);
  }
}

/* ---- what a file consists of ---- */

/* The properties of a component follow from its type. */
static void put_types(sn__buffer *out, const sn_component_registry *registry) {
  sn__json_open(out, "allOf", '[');
  for (size_t i = 0; i < sn_component_registry_count(registry); i++) {
    const char *name = sn_component_registry_at(registry, i)->name;
    sn__json_open(out, NULL, '{');
    sn__json_open(out, "if", '{');
    sn__json_open(out, "properties", '{');
    sn__json_open(out, "type", '{');
    sn__json_text(out, "const", name);
    sn__json_close(out, '}');
    sn__json_close(out, '}');
    put_raw(out, "required", "[\"type\"]");
    sn__json_close(out, '}');
    sn__json_open(out, "then", '{');
    sn__json_open(out, "properties", '{');
    put_reference(out, "properties", "type.", name);
    sn__json_close(out, '}');
    sn__json_close(out, '}');
    sn__json_close(out, '}');
  }
  sn__json_close(out, ']');
}

/* An object whose keys are names. */
static void put_named(sn__buffer *out, const char *key, const char *of) {
  sn__json_open(out, key, '{');
  put_raw(out, "type", "[\"object\",\"null\"]");
  sn__json_open(out, "patternProperties", '{');
  put_reference(out, name_pattern, "", of);
  sn__json_close(out, '}');
  put_raw(out, "additionalProperties", "false");
  sn__json_close(out, '}');
}

static void put_needs(sn__buffer *out, const char *key) {
  sn__json_open(out, key, '{');
  put_raw(out, "type", "[\"object\",\"null\"]");
  put_raw(out, "additionalProperties", "{\"type\":[\"string\",\"null\"]}");
  sn__json_close(out, '}');
}

/* A component or a service: the table of its keys, and what they contain. */
static void put_component(sn__buffer *out, const char *key, const sn_property *table,
                          const sn_component_registry *registry) {
  sn__json_open(out, key, '{');
  put_raw(out, "type", "[\"object\",\"null\"]");
  sn__json_open(out, "properties", '{');
  for (const sn_property *p = table; p->name != NULL; p++) {
    if (strcmp(p->name, "services") == 0) {
      put_named(out, p->name, "service");
    } else if (strcmp(p->name, "needs") == 0) {
      put_needs(out, p->name);
    } else {
      put_property(out, p->name, p);
    }
  }
  sn__json_close(out, '}');
  put_raw(out, "additionalProperties", "false");
  put_types(out, registry);
  sn__json_close(out, '}');
}

static void put_activity(sn__buffer *out) {
  sn__json_open(out, "activity", '{');
  put_table(out, sn__activity_table, false);
  char shortest[120];
  snprintf(shortest, sizeof shortest,
           "[{\"properties\":{\"period\":{\"anyOf\":[{\"const\":0},{\"minimum\":%.9f}]}}}]",
           sn__period_min_s);
  put_raw(out, "allOf", shortest);
  sn__json_close(out, '}');
}

static void put_connection(sn__buffer *out) {
  sn__json_open(out, "connection", '{');
  sn__json_open(out, "oneOf", '[');
  put_raw(out, NULL,
          "{\"type\":\"string\",\"pattern\":\"^\\\\s*[\\\\w.]+\\\\.\\\\w+\\\\s*->"
          "\\\\s*[\\\\w.]+\\\\.\\\\w+\\\\s*$\"}");
  sn__json_open(out, NULL, '{');
  put_table(out, sn__connection_table, true);
  sn__json_close(out, '}');
  sn__json_close(out, ']');
  sn__json_close(out, '}');
}

/* The types that `type` may name, unless a plugin of this or of an included file adds others; and
   it must name one unless an included file does. */
static void put_type_rules(sn__buffer *out, const sn_component_registry *registry) {
  static const char *const path[] = {
      "then", "properties", "components", "additionalProperties", "properties", "type"};
  enum { DEPTH = sizeof path / sizeof *path };
  sn__json_open(out, "allOf", '[');
  sn__json_open(out, NULL, '{');
  put_raw(out, "if",
          "{\"not\":{\"required\":[\"plugins\"]},\"properties\":{\"include\":{\"items\":"
          "{\"enum\":[\"standard.yaml\",\"walking.yaml\"]}}}}");
  for (size_t i = 0; i < DEPTH; i++) {
    sn__json_open(out, path[i], '{');
  }
  sn__json_open(out, "enum", '[');
  for (size_t i = 0; i < sn_component_registry_count(registry); i++) {
    sn__json_text(out, NULL, sn_component_registry_at(registry, i)->name);
  }
  sn__json_close(out, ']');
  for (size_t i = 0; i < DEPTH; i++) {
    sn__json_close(out, '}');
  }
  sn__json_close(out, '}');
  put_raw(out, NULL,
          "{\"if\":{\"not\":{\"required\":[\"include\"]}},\"then\":{\"properties\":"
          "{\"components\":{\"additionalProperties\":{\"required\":[\"type\"]}}}}}");
  sn__json_close(out, ']');
}

static void put_root(sn__buffer *out) {
  sn__json_open(out, "properties", '{');
  for (const sn_property *p = sn__root_table; p->name != NULL; p++) {
    if (strcmp(p->name, "components") == 0) {
      put_named(out, p->name, "component");
    } else if (strcmp(p->name, "activities") == 0) {
      put_named(out, p->name, "activity");
    } else if (strcmp(p->name, "connections") == 0) {
      put_raw(out, p->name,
              "{\"type\":[\"array\",\"null\"],\"items\":{\"$ref\":\"#/$defs/connection\"}}");
    } else {
      put_property(out, p->name, p);
    }
  }
  sn__json_close(out, '}');
  put_raw(out, "additionalProperties", "false");
}

static void put_schema(sn__buffer *out, const sn_component_registry *registry) {
  sn__json_open(out, NULL, '{');
  sn__json_text(out, "$schema", "https://json-schema.org/draft/2020-12/schema");
  sn__json_text(out, "title", "Sinew deployment");
  sn__json_text(out, "type", "object");
  put_root(out);
  put_type_rules(out, registry);
  sn__json_open(out, "$defs", '{');
  put_activity(out);
  put_connection(out);
  put_component(out, "component", sn__component_table, registry);
  put_component(out, "service", sn__service_table, registry);
  for (size_t i = 0; i < sn_component_registry_count(registry); i++) {
    const sn_component_type *type = sn_component_registry_at(registry, i);
    char key[80] = "type.";
    strncat(key, type->name, sizeof key - sizeof "type.");
    sn__json_open(out, key, '{');
    if (type->doc != NULL) {
      sn__json_text(out, "description", type->doc);
    }
    put_table(out, type->properties, false);
    sn__json_close(out, '}');
  }
  sn__json_close(out, '}');
  sn__json_close(out, '}');
}

size_t sn_deployment_schema(const sn_component_registry *registry, char *out, size_t size) {
  sn__buffer text = {.max = (size_t)1 << 26};
  put_schema(&text, registry);
  const size_t length = text.failed ? 0 : text.used;
  if (size > 0) {
    const size_t kept = length < size ? length : size - 1;
    if (kept > 0) {
      memcpy(out, text.data, kept);
    }
    out[kept] = '\0';
  }
  sn__buffer_free(&text);
  return length;
}
