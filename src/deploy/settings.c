/* Settings of the command line, `component.property=value`: each becomes a small tree that is
   merged into the file's. */
#include <string.h>

#include "base/nearest.h"
#include "deploy/deployment.h"
#include "deploy/merge.h"

enum { PARTS_MAX = 8 };

typedef struct setting {
  const char *parts[PARTS_MAX]; /* of the path, each with a NUL */
  unsigned columns[PARTS_MAX];
  size_t count;
  const sn_value *value;
} setting;

static sn_place place_at(unsigned column) {
  return (sn_place){.file = "--set", .line = 1, .column = column};
}

/* @return false if the path is not of the form a.b (reported), or without memory */
static bool split_path(sn__reading *reading, const char *text, size_t length, setting *out) {
  char *path = sn_arena_text(reading->arena, text, length);
  if (path == NULL) {
    sn__reading_out_of_memory(reading);
    return false;
  }
  out->count = 0;
  bool good = true;
  for (char *at = path; at != NULL && good;) {
    char *dot = strchr(at, '.');
    if (dot != NULL) {
      *dot = '\0';
    }
    good = out->count < PARTS_MAX && *at != '\0';
    if (good) {
      out->columns[out->count] = (unsigned)(at - path) + 1;
      out->parts[out->count++] = at;
    }
    at = dot == NULL ? NULL : dot + 1;
  }
  if (!good || out->count < 2) {
    sn__report_error(reading, place_at(1), NULL,
                     "'%.*s' is not of the form component.property=value",
                     (int)(length > 80 ? 80 : length), text);
    return false;
  }
  return true;
}

/* The path is replaced by blanks, so that columns refer to the whole setting. */
static const sn_value *parse_value(sn__reading *reading, const char *text, size_t start) {
  const size_t size = strlen(text);
  char *padded = sn_arena_text(reading->scratch, text, size);
  if (padded == NULL) {
    return sn__reading_out_of_memory(reading);
  }
  memset(padded, ' ', start);
  const sn_value *value = NULL;
  const sn_status status =
      sn_value_parse_text(reading->arena, padded, size, "--set", reading->report, &value);
  return status == SN_ENOMEM ? sn__reading_out_of_memory(reading) : value;
}

/* The value under the names `parts[first]`, …, the last one innermost. */
static const sn_value *nest(sn_arena *arena, const setting *s, size_t first) {
  const size_t last = s->count - 1;
  const sn_value *tree =
      sn__value_rename(arena, s->value, s->parts[last], place_at(s->columns[last]));
  for (size_t i = s->count - 1; i-- > first;) {
    tree = sn__value_make_bag(arena, s->parts[i], tree, place_at(s->columns[i]));
  }
  return tree;
}

/* A setting may only name existing components and activities; the places of the file are kept.
 */
static const sn_value *wrap(sn_arena *arena, const sn_value *like, const sn_value *item) {
  return sn__value_make_bag(arena, like->name, item, like->place);
}

static const sn_value *make_component_tree(sn__reading *reading, const setting *s,
                                           const sn_value *components, const sn_value *component) {
  sn_arena *arena = reading->arena;
  const sn_value *services = sn_value_find(component, "services");
  const sn_value *service =
      services == NULL || s->count < 3 ? NULL : sn_value_find(services, s->parts[1]);
  const sn_value *properties = sn__value_make_bag(
      arena, "properties", nest(arena, s, service == NULL ? 1 : 2), place_at(s->columns[1]));
  if (service != NULL) {
    properties = wrap(arena, services, wrap(arena, service, properties));
  }
  return wrap(arena, components, wrap(arena, component, properties));
}

static void report_unknown(sn__reading *reading, const setting *s, const sn_value *components,
                           const sn_value *activities) {
  sn__nearest nearest;
  sn__nearest_init(&nearest, s->parts[0]);
  const sn_value *const bags[] = {components, activities};
  for (size_t b = 0; b < 2; b++) {
    for (size_t i = 0; bags[b] != NULL && i < bags[b]->item_count; i++) {
      sn__nearest_offer(&nearest, bags[b]->items[i]->name);
    }
  }
  char hint[100];
  sn__report_error(reading, place_at(1), sn__nearest_hint(&nearest, hint, sizeof hint, NULL),
                   "unknown component or activity '%.80s'", s->parts[0]);
}

static void apply(sn__reading *reading, const char *text) {
  const char *equals = strchr(text, '=');
  const size_t length = equals == NULL ? strlen(text) : (size_t)(equals - text);
  setting s;
  if (equals == NULL) {
    sn__report_error(reading, place_at(1), NULL,
                     "'%.80s' is not of the form component.property=value", text);
    return;
  }
  if (!split_path(reading, text, length, &s)) {
    return;
  }
  s.value = parse_value(reading, text, length + 1);
  const sn_value *components = sn_value_find(reading->root, "components");
  const sn_value *activities = sn_value_find(reading->root, "activities");
  const sn_value *component = components == NULL ? NULL : sn_value_find(components, s.parts[0]);
  const sn_value *activity = activities == NULL ? NULL : sn_value_find(activities, s.parts[0]);
  if (s.value == NULL) {
    return;
  }
  if (component == NULL && activity == NULL) {
    report_unknown(reading, &s, components, activities);
    return;
  }
  const sn_value *tree = component != NULL
                             ? make_component_tree(reading, &s, components, component)
                             : wrap(reading->arena, activities,
                                    wrap(reading->arena, activity, nest(reading->arena, &s, 1)));
  const sn_value *root = sn__value_make_bag(reading->arena, "", tree, reading->root->place);
  root = sn__value_merge(reading->arena, reading->root, root);
  reading->root = root == NULL ? reading->root : root;
  if (root == NULL) {
    sn__reading_out_of_memory(reading);
  }
}

void sn__apply_settings(sn__reading *reading, const char *const *settings, size_t count) {
  for (size_t i = 0; i < count && reading->status == SN_OK; i++) {
    apply(reading, settings[i]);
  }
}
