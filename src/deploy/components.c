#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "deploy/deployment.h"
#include "deploy/merge.h"
#include "files/value_read.h"
#include "rt/components/property.h"
#include "rt/components/property_access.h"

typedef struct component_keys {
  const char *type;
  const char *activity;
  double deadline;
  const sn_value *properties;
  const char *property_file;
  const sn_value *services;
  const sn_value *needs;
} component_keys;

const sn_property sn__component_table[] = {
    SN_PROPERTY(component_keys, "type", type, .flags = SN_PROPERTY_REQUIRED,
                .doc = "Name of a component type."),
    SN_PROPERTY(component_keys, "activity", activity,
                .doc = "The activity that steps it; default: the first."),
    SN_PROPERTY(component_keys, "deadline", deadline, .min = 0.0, .max = 3600.0, .unit = "s",
                .doc = "Longest duration of a step; 0: no limit."),
    SN_PROPERTY(component_keys, "properties", properties, .doc = "Values of its properties."),
    SN_PROPERTY(component_keys, "property_file", property_file,
                .doc = "A file with further properties."),
    SN_PROPERTY(component_keys, "services", services, .doc = "Components inside it, by name."),
    SN_PROPERTY(component_keys, "needs", needs,
                .doc = "Providers of its needs: `requester: component`."),
    {0}};

/* A service inside a component has neither an activity nor services. */
const sn_property sn__service_table[] = {
    SN_PROPERTY(component_keys, "type", type, .flags = SN_PROPERTY_REQUIRED,
                .doc = "Name of a component type."),
    SN_PROPERTY(component_keys, "properties", properties, .doc = "Values of its properties."),
    SN_PROPERTY(component_keys, "property_file", property_file,
                .doc = "A file with further properties."),
    SN_PROPERTY(component_keys, "needs", needs,
                .doc = "Providers of its needs: `requester: component`."),
    {0}};

sn__part *sn__find_part(const sn_deployment *deployment, const char *name) {
  for (size_t i = 0; i < deployment->part_count; i++) {
    if (strcmp(deployment->parts[i].name, name) == 0) {
      return &deployment->parts[i];
    }
  }
  return NULL;
}

const char *sn__part_hint(const sn_deployment *deployment, const char *name, char *text,
                          size_t size) {
  sn__nearest nearest;
  sn__nearest_init(&nearest, name);
  for (size_t i = 0; i < deployment->part_count; i++) {
    sn__nearest_offer(&nearest, deployment->parts[i].name);
  }
  return sn__nearest_hint(&nearest, text, size, NULL);
}

static const sn_component_type *find_type(sn__reading *reading, const char *name, sn_place place) {
  const sn_component_type *type = sn_component_registry_find(reading->registry, name);
  const bool is_incomplete =
      reading->config->without_plugins != NULL && reading->deployment->plugin_count > 0;
  if (type == NULL && !is_incomplete) {
    sn__nearest nearest;
    sn__nearest_init(&nearest, name);
    for (size_t i = 0; i < sn_component_registry_count(reading->registry); i++) {
      sn__nearest_offer(&nearest, sn_component_registry_at(reading->registry, i)->name);
    }
    char hint[100];
    sn__report_error(reading, place,
                     sn__nearest_hint(&nearest, hint, sizeof hint,
                                      "it may be in a plugin: plugins: [libmy_components.so]"),
                     "unknown component type '%.80s'", name);
  }
  return type;
}

static const sn__task *find_task(sn__reading *reading, const char *name, sn_place place) {
  const sn_deployment *deployment = reading->deployment;
  sn__nearest nearest;
  sn__nearest_init(&nearest, name);
  for (size_t i = 0; i < deployment->task_count; i++) {
    if (strcmp(deployment->tasks[i].config.name, name) == 0) {
      return &deployment->tasks[i];
    }
    sn__nearest_offer(&nearest, deployment->tasks[i].config.name);
  }
  if (deployment->task_count > 0) { /* else already reported */
    char hint[100];
    sn__report_error(reading, place, sn__nearest_hint(&nearest, hint, sizeof hint, NULL),
                     "unknown activity '%.80s'", name);
  }
  return NULL;
}

/* A component without step and own-thread operations needs no activity. */
static bool needs_task(const sn_component_type *type) {
  bool has_own_thread = type->step != NULL;
  for (const sn_operation *o = type->operations; o != NULL && o->name != NULL; o++) {
    has_own_thread = has_own_thread || (o->flags & SN_OWN_THREAD) != 0;
  }
  return has_own_thread;
}

/* Reports a tree that is not a bag. @return false also for NULL */
static bool is_bag(sn__reading *reading, const sn_value *tree, const char *path, const char *key) {
  if (tree != NULL && tree->kind != SN_VALUE_BAG) {
    sn__report_error(reading, tree->place, NULL, "'%s.%s' is not a bag of properties", path, key);
    return false;
  }
  return tree != NULL;
}

/* @param under, over  NULL: nothing */
static const sn_value * override(sn__reading *reading, const sn_value *under,
                                 const sn_value *over) {
  if (under == NULL || over == NULL) {
    return under == NULL ? over : under;
  }
  const sn_value *merged = sn__value_merge(reading->arena, under, over);
  return merged == NULL ? sn__reading_out_of_memory(reading) : merged;
}

/* Does a file that overrides this one set the same property, perhaps under its alias? */
static bool is_overridden(const sn_property *property, const sn_value *bag, size_t index) {
  const sn_value *item = bag->items[index];
  for (size_t i = index + 1; i < bag->item_count; i++) {
    const sn_value *later = bag->items[i];
    const bool is_same = strcmp(later->name, property->name) == 0 ||
                         (property->alias != NULL && strcmp(later->name, property->alias) == 0);
    if (is_same && strcmp(later->name_place.file, item->name_place.file) != 0) {
      return true;
    }
  }
  return false;
}

/* Replace aliases by names, unless the same file has both, which is reported when they are set.
 */
static const sn_value *rename_aliases(sn_arena *arena, const sn_property *table,
                                      const sn_value *bag) {
  const sn_value *result = sn__value_make_empty(arena, bag->name, bag->place);
  for (size_t i = 0; result != NULL && i < bag->item_count; i++) {
    const sn_value *item = bag->items[i];
    const sn_property *property = sn_property_find(table, item->name);
    if (property != NULL && is_overridden(property, bag, i)) {
      continue;
    }
    const sn_value *named = property == NULL ? NULL : sn_value_find(bag, property->name);
    const bool has_both =
        named != NULL && strcmp(named->name_place.file, item->name_place.file) == 0;
    if (property != NULL && !has_both) {
      item = sn__value_rename(arena, item, property->name, item->name_place);
    }
    result = item == NULL ? NULL : sn__value_add(arena, result, item);
  }
  return result;
}

/* In the form and under the names of the component's table, so that overrides match. */
static const sn_value *normalise(sn__reading *reading, const sn_component_type *type,
                                 const sn_value *bag) {
  if (type == NULL || bag == NULL || bag->kind != SN_VALUE_BAG) {
    return bag;
  }
  bag = sn__name_servos(reading, bag);
  if (bag != NULL && type->translate != NULL) {
    bag = type->translate(reading->arena, bag, reading->report);
  }
  if (bag != NULL) {
    bag = rename_aliases(reading->arena, type->properties, bag);
  }
  return bag == NULL ? sn__reading_out_of_memory(reading) : bag;
}

/* Later ones override earlier ones: the robot's, those of the property file, those of the
   configuration's files, those in the deployment. */
static const sn_value *collect_properties(sn__reading *reading, const component_keys *keys,
                                          const sn_value *bag, const sn_component_type *type,
                                          const char *path) {
  const sn_value *all = NULL;
  if (type != NULL && strcmp(type->name, SN__ROBOT_MODEL) == 0) {
    all = reading->deployment->robot_properties;
  }
  const sn_value *name = sn_value_find(bag, "property_file");
  const char *file = *keys->property_file == '\0' ? NULL : sn__named_file(reading, name);
  const sn_value *more = NULL;
  if (file != NULL) {
    const sn_status status =
        sn__value_load_for(reading->arena, file, name->place, reading->report, &more);
    reading->status = status == SN_ENOMEM ? SN_ENOMEM : reading->status;
    more = status == SN_OK ? normalise(reading, type, more) : NULL;
  }
  all = override(reading, all, more);
  const sn_value *given =
      type == NULL ? NULL : sn__properties_from_files(reading, type); /* translated already */
  if (given != NULL) {
    given = rename_aliases(reading->arena, type->properties, given);
    all = given == NULL ? sn__reading_out_of_memory(reading) : override(reading, all, given);
  }
  return is_bag(reading, keys->properties, path, "properties")
             ? override(reading, all, normalise(reading, type, keys->properties))
             : all;
}

/* Set the properties of a temporary component, so that all problems are known before a system
   exists. */
static void try_properties(sn__reading *reading, const sn__part *part) {
  sn_arena scratch;
  sn_arena_init_growing(&scratch, "trial", 0);
  const sn_property *table = part->type->properties;
  void *object = sn_arena_alloc(&scratch, part->type->size, alignof(max_align_t));
  sn_status status = object == NULL ? SN_ENOMEM : sn__property_init_values(table, object, &scratch);
  if (status == SN_OK && part->properties != NULL) {
    status = sn__property_set_all(table, object, part->properties, part->name, &scratch,
                                  reading->report);
  }
  if (status == SN_ENOMEM) {
    sn__reading_out_of_memory(reading);
  } else {
    sn__property_check_required(table, part->properties, part->name, part->place, reading->report);
  }
  sn_arena_release(&scratch);
}

/* @return the services inside it, or NULL */
static const sn_value *read_part(sn__reading *reading, const sn_value *bag, sn__part *host,
                                 const char *path) {
  sn_deployment *deployment = reading->deployment;
  const sn_property *table = host == NULL ? sn__component_table : sn__service_table;
  component_keys keys = {.type = "", .activity = "", .property_file = ""};
  if (!sn__name_is_good(bag->name)) {
    sn__report_error(reading, bag->name_place, NULL, "component '%.80s' %s", bag->name,
                     SN__NAME_FLAW);
  }
  sn__read_bag(reading, table, &keys, bag, path);
  sn__property_check_required(table, bag, path, bag->name_place, reading->report);
  if (reading->status != SN_OK) {
    return NULL;
  }
  char name[200];
  snprintf(name, sizeof name, "%.80s%s%.80s", host == NULL ? "" : host->name,
           host == NULL ? "" : ".", bag->name);
  sn__part *part = &deployment->parts[deployment->part_count++];
  *part = (sn__part){.name = sn_arena_text(reading->arena, name, strlen(name)),
                     .host = host,
                     .deadline_ns = (int64_t)llround(keys.deadline * 1e9),
                     .needs = is_bag(reading, keys.needs, path, "needs") ? keys.needs : NULL,
                     .place = bag->name_place};
  const sn_value *type = sn_value_find(bag, "type");
  if (type != NULL && type->kind == SN_VALUE_TEXT) { /* else already reported */
    part->type = find_type(reading, keys.type, type->place);
  }
  if (*keys.activity != '\0') {
    part->task = find_task(reading, keys.activity, sn_value_find(bag, "activity")->place);
  } else if (host == NULL && part->type != NULL && needs_task(part->type)) {
    part->task = deployment->task_count == 0 ? NULL : &deployment->tasks[0];
  }
  part->properties = collect_properties(reading, &keys, bag, part->type, path);
  if (part->name == NULL) {
    sn__reading_out_of_memory(reading);
  }
  if (part->type != NULL && reading->status == SN_OK) {
    try_properties(reading, part);
  }
  return is_bag(reading, keys.services, path, "services") ? keys.services : NULL;
}

static void read_component(sn__reading *reading, const sn_value *bag) {
  char path[200] = "components.";
  strncat(path, bag->name, 80);
  sn_deployment *deployment = reading->deployment;
  const size_t mine = deployment->part_count;
  const sn_value *services = read_part(reading, bag, NULL, path);
  const size_t length = strlen(path);
  for (size_t i = 0; services != NULL && i < services->item_count && reading->status == SN_OK;
       i++) {
    snprintf(path + length, sizeof path - length, ".services.%.80s", services->items[i]->name);
    read_part(reading, services->items[i], &deployment->parts[mine], path);
  }
}

static size_t count_parts(const sn_value *components) {
  size_t count = components->item_count;
  for (size_t i = 0; i < components->item_count; i++) {
    const sn_value *services = sn_value_find(components->items[i], "services");
    count += services == NULL ? 0 : services->item_count;
  }
  return count;
}

void sn__read_components(sn__reading *reading, const sn_value *components) {
  sn_deployment *deployment = reading->deployment;
  if (components == NULL || components->kind != SN_VALUE_BAG) {
    if (components != NULL && !(components->kind == SN_VALUE_TEXT && *components->text == '\0')) {
      sn__report_error(reading, components->place, NULL,
                       "'components' is not a bag of components by name");
    }
    return;
  }
  const size_t count = count_parts(components);
  if (count > SN_DEPLOYMENT_COMPONENTS_MAX) {
    sn__report_error(reading, components->place, NULL,
                     "there are %zu components, at most %d are allowed", count,
                     SN_DEPLOYMENT_COMPONENTS_MAX);
    return;
  }
  deployment->parts = SN_NEW(reading->arena, sn__part, count);
  if (deployment->parts == NULL) {
    sn__reading_out_of_memory(reading);
    return;
  }
  for (size_t i = 0; i < components->item_count && reading->status == SN_OK; i++) {
    read_component(reading, components->items[i]);
  }
}
