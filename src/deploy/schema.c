/* The JSON Schema of deployment files, from the tables that files are read by. */
#include <math.h>
#include <string.h>

#include "base/sink.h"
#include "deploy/deployment.h"

static const char name_pattern[] = "^[A-Za-z_][A-Za-z0-9_]{0,62}$";

/* JSON on one line; a comma precedes every item but the first of an object or list. */
typedef struct writer {
  sn__sink sink;
  bool has_item;
} writer;

static void put_key(writer *w, const char *key) {
  sn__sink_text(&w->sink, w->has_item ? "," : "");
  if (key != NULL) {
    sn__sink_quoted(&w->sink, key);
    sn__sink_text(&w->sink, ":");
  }
  w->has_item = true;
}

static void open(writer *w, const char *key, const char *bracket) {
  put_key(w, key);
  sn__sink_text(&w->sink, bracket);
  w->has_item = false;
}

static void close(writer *w, const char *bracket) {
  sn__sink_text(&w->sink, bracket);
  w->has_item = true;
}

static void put_raw(writer *w, const char *key, const char *json) {
  put_key(w, key);
  sn__sink_text(&w->sink, json);
}

static void put_text(writer *w, const char *key, const char *text) {
  put_key(w, key);
  sn__sink_quoted(&w->sink, text);
}

static void put_number(writer *w, const char *key, double value) {
  put_key(w, key);
  sn__sink_number(&w->sink, value);
}

static void put_reference(writer *w, const char *key, const char *prefix, const char *name) {
  open(w, key, "{");
  put_key(w, "$ref");
  sn__sink_text(&w->sink, "\"#/$defs/");
  sn__sink_text(&w->sink, prefix);
  sn__sink_text(&w->sink, name);
  sn__sink_text(&w->sink, "\"");
  close(w, "}");
}

/* ---- properties ---- */

static void put_range(writer *w, const sn_property *p) {
  if (p->min == 0.0 && p->max == 0.0) {
    return;
  }
  if (p->min > -HUGE_VAL) {
    put_number(w, "minimum", p->min);
  }
  if (p->max < HUGE_VAL) {
    put_number(w, "maximum", p->max);
  }
}

/* Any YAML scalar is a text. */
static void put_scalar(writer *w, const sn_property *p) {
  if (p->choices == NULL) {
    put_raw(w, "type", "[\"string\",\"number\",\"boolean\",\"null\"]");
    return;
  }
  open(w, "enum", "[");
  for (const char *word = p->choices; *word != '\0';) {
    const size_t length = strcspn(word, "|");
    put_key(w, NULL);
    sn__sink_text(&w->sink, "\"");
    sn__sink_put(&w->sink, word, length);
    sn__sink_text(&w->sink, "\"");
    word += length + (word[length] == '|');
  }
  close(w, "]");
}

/* An empty list may be written as an empty value. */
static void put_list(writer *w, const sn_property *p) {
  put_raw(w, "type", p->count_min == 0 ? "[\"array\",\"null\"]" : "\"array\"");
  if (p->count_min != 0) {
    put_number(w, "minItems", (double)p->count_min);
  }
  if (p->count_max != 0) {
    put_number(w, "maxItems", (double)p->count_max);
  }
}

static void put_table(writer *w, const sn_property *table, bool with_required);

static void put_kind(writer *w, const sn_property *p) {
  switch (p->kind) {
    case SN_PROPERTY_BOOL:
      put_raw(w, "enum", "[true,false,1,0]");
      break;
    case SN_PROPERTY_INT:
    case SN_PROPERTY_REAL:
      put_text(w, "type", p->kind == SN_PROPERTY_INT ? "integer" : "number");
      put_range(w, p);
      break;
    case SN_PROPERTY_TEXT:
      put_scalar(w, p);
      break;
    case SN_PROPERTY_REALS:
    case SN_PROPERTY_TEXTS:
      put_list(w, p);
      open(w, "items", "{");
      if (p->kind == SN_PROPERTY_TEXTS) {
        put_scalar(w, p);
      } else {
        put_text(w, "type", "number");
        put_range(w, p);
      }
      close(w, "}");
      break;
    case SN_PROPERTY_TREE:
      break;
    case SN_PROPERTY_BAG:
      put_table(w, p->items, false);
      break;
    case SN_PROPERTY_BAGS:
      put_list(w, p);
      open(w, "items", "{");
      put_table(w, p->items, true);
      close(w, "}");
      break;
  }
}

static void put_description(writer *w, const sn_property *p) {
  if (p->doc == NULL) {
    return;
  }
  put_text(w, "description", p->doc);
  if (p->unit != NULL && *p->unit != '\0') {
    w->sink.used--; /* the quote */
    sn__sink_text(&w->sink, " Unit: ");
    sn__sink_text(&w->sink, p->unit);
    sn__sink_text(&w->sink, ".\"");
  }
}

static void put_property(writer *w, const char *name, const sn_property *p) {
  open(w, name, "{");
  put_description(w, p);
  put_kind(w, p);
  close(w, "}");
}

/* What a value must have. Includes and property files may set more, so only the items of a list,
   which is replaced as a whole, have to be complete. */
static void put_required(writer *w, const sn_property *table) {
  open(w, "required", "[");
  for (const sn_property *p = table; p->name != NULL; p++) {
    if ((p->flags & SN_PROPERTY_REQUIRED) != 0 && p->alias == NULL) {
      put_text(w, NULL, p->name);
    }
  }
  close(w, "]");
}

/* The fields of an object's schema. Recursion is bounded by the depth of the table. */
static void put_table(writer *w, const sn_property *table, bool with_required) {
  put_raw(w, "type", "[\"object\",\"null\"]");
  open(w, "properties", "{");
  for (const sn_property *p = table; p != NULL && p->name != NULL; p++) {
    put_property(w, p->name, p);
    if (p->alias != NULL) {
      put_property(w, p->alias, p);
    }
  }
  close(w, "}");
  put_raw(w, "additionalProperties", "false");
  if (with_required && table != NULL) {
    put_required(w, table);
  }
}

/* ---- what a file consists of ---- */

/* The properties of a component follow from its type. */
static void put_types(writer *w, const sn_component_registry *registry) {
  open(w, "allOf", "[");
  for (size_t i = 0; i < sn_component_registry_count(registry); i++) {
    const char *name = sn_component_registry_at(registry, i)->name;
    open(w, NULL, "{");
    open(w, "if", "{");
    open(w, "properties", "{");
    open(w, "type", "{");
    put_text(w, "const", name);
    close(w, "}");
    close(w, "}");
    put_raw(w, "required", "[\"type\"]");
    close(w, "}");
    open(w, "then", "{");
    open(w, "properties", "{");
    put_reference(w, "properties", "type.", name);
    close(w, "}");
    close(w, "}");
    close(w, "}");
  }
  close(w, "]");
}

/* An object whose keys are names. */
static void put_named(writer *w, const char *key, const char *of) {
  open(w, key, "{");
  put_raw(w, "type", "[\"object\",\"null\"]");
  open(w, "patternProperties", "{");
  put_reference(w, name_pattern, "", of);
  close(w, "}");
  put_raw(w, "additionalProperties", "false");
  close(w, "}");
}

static void put_needs(writer *w, const char *key) {
  open(w, key, "{");
  put_raw(w, "type", "[\"object\",\"null\"]");
  put_raw(w, "additionalProperties", "{\"type\":[\"string\",\"null\"]}");
  close(w, "}");
}

/* A component or a service: the table of its keys, and what they contain. */
static void put_component(writer *w, const char *key, const sn_property *table,
                          const sn_component_registry *registry) {
  open(w, key, "{");
  put_raw(w, "type", "[\"object\",\"null\"]");
  open(w, "properties", "{");
  for (const sn_property *p = table; p->name != NULL; p++) {
    if (strcmp(p->name, "services") == 0) {
      put_named(w, p->name, "service");
    } else if (strcmp(p->name, "needs") == 0) {
      put_needs(w, p->name);
    } else {
      put_property(w, p->name, p);
    }
  }
  close(w, "}");
  put_raw(w, "additionalProperties", "false");
  put_types(w, registry);
  close(w, "}");
}

static void put_activity(writer *w) {
  open(w, "activity", "{");
  put_table(w, sn__activity_table, false);
  open(w, "allOf", "[");
  put_raw(w, NULL, "{\"properties\":{\"period\":{\"anyOf\":[{\"const\":0},{\"minimum\":");
  sn__sink_number(&w->sink, sn__period_min_s);
  sn__sink_text(&w->sink, "}]}}}");
  close(w, "]");
  close(w, "}");
}

static void put_connection(writer *w) {
  open(w, "connection", "{");
  open(w, "oneOf", "[");
  put_raw(w, NULL,
          "{\"type\":\"string\",\"pattern\":\"^\\\\s*[\\\\w.]+\\\\.\\\\w+\\\\s*->"
          "\\\\s*[\\\\w.]+\\\\.\\\\w+\\\\s*$\"}");
  open(w, NULL, "{");
  put_table(w, sn__connection_table, true);
  close(w, "}");
  close(w, "]");
  close(w, "}");
}

/* The types that `type` may name, unless a plugin of this or of an included file adds others; and
   it must name one unless an included file does. */
static void put_type_rules(writer *w, const sn_component_registry *registry) {
  open(w, "allOf", "[");
  put_raw(w, NULL,
          "{\"if\":{\"not\":{\"required\":[\"plugins\"]},\"properties\":{\"include\":{\"items\":"
          "{\"const\":\"standard.yaml\"}}}},\"then\":{\"properties\":{\"components\":"
          "{\"additionalProperties\":{\"properties\":{\"type\":{\"enum\":[");
  w->has_item = false;
  for (size_t i = 0; i < sn_component_registry_count(registry); i++) {
    put_text(w, NULL, sn_component_registry_at(registry, i)->name);
  }
  sn__sink_text(&w->sink, "]}}}}}}}");
  put_raw(w, NULL,
          "{\"if\":{\"not\":{\"required\":[\"include\"]}},\"then\":{\"properties\":"
          "{\"components\":{\"additionalProperties\":{\"required\":[\"type\"]}}}}}");
  close(w, "]");
}

static void put_root(writer *w) {
  open(w, "properties", "{");
  for (const sn_property *p = sn__root_table; p->name != NULL; p++) {
    if (strcmp(p->name, "components") == 0) {
      put_named(w, p->name, "component");
    } else if (strcmp(p->name, "activities") == 0) {
      put_named(w, p->name, "activity");
    } else if (strcmp(p->name, "connections") == 0) {
      put_raw(w, p->name,
              "{\"type\":[\"array\",\"null\"],\"items\":{\"$ref\":\"#/$defs/connection\"}}");
    } else {
      put_property(w, p->name, p);
    }
  }
  close(w, "}");
  put_raw(w, "additionalProperties", "false");
}

size_t sn_deployment_schema(const sn_component_registry *registry, char *out, size_t size) {
  writer w = {.sink = {.out = out, .size = size}};
  open(&w, NULL, "{");
  put_text(&w, "$schema", "https://json-schema.org/draft/2020-12/schema");
  put_text(&w, "title", "Sinew deployment");
  put_text(&w, "type", "object");
  put_root(&w);
  put_type_rules(&w, registry);
  open(&w, "$defs", "{");
  put_activity(&w);
  put_connection(&w);
  put_component(&w, "component", sn__component_table, registry);
  put_component(&w, "service", sn__service_table, registry);
  for (size_t i = 0; i < sn_component_registry_count(registry); i++) {
    const sn_component_type *type = sn_component_registry_at(registry, i);
    char key[80] = "type.";
    strncat(key, type->name, sizeof key - sizeof "type.");
    open(&w, key, "{");
    if (type->doc != NULL) {
      put_text(&w, "description", type->doc);
    }
    put_table(&w, type->properties, false);
    close(&w, "}");
  }
  close(&w, "}");
  close(&w, "}");
  sn__sink_text(&w.sink, "\n");
  return sn__sink_end(&w.sink);
}
