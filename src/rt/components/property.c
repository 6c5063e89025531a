#include "sinew/property.h"

#include <stdio.h>
#include <string.h>

#include "base/report_internal.h"
#include "rt/components/property.h"
#include "rt/components/property_access.h"
#include "sinew/fault.h"

static bool is_name(const char *known, const char *name, size_t length) {
  return known != NULL && strlen(known) == length && memcmp(known, name, length) == 0;
}

static const sn_property *find_part(const sn_property *table, const char *name, size_t length) {
  const sn_property *by_alias = NULL;
  for (const sn_property *p = table; p != NULL && p->name != NULL; p++) {
    if (is_name(p->name, name, length)) {
      return p;
    }
    by_alias = is_name(p->alias, name, length) ? p : by_alias;
  }
  return by_alias;
}

const sn_property *sn_property_find(const sn_property *table, const char *name) {
  return find_part(table, name, strlen(name));
}

const sn_property *sn_property_at(const sn_property *table, const char *path, size_t *offset) {
  size_t base = 0;
  for (;;) {
    const char *dot = strchr(path, '.');
    const size_t length = dot == NULL ? strlen(path) : (size_t)(dot - path);
    const sn_property *property = find_part(table, path, length);
    if (property == NULL || (dot != NULL && property->kind != SN_PROPERTY_BAG)) {
      return NULL;
    }
    if (dot == NULL) {
      *offset = base;
      return property;
    }
    base += property->offset;
    table = property->items;
    path = dot + 1;
  }
}

const char *sn_property_kind_text(sn_property_kind kind) {
  static const char *const texts[] = {[SN_PROPERTY_BOOL] = "true or false",
                                      [SN_PROPERTY_INT] = "integer",
                                      [SN_PROPERTY_REAL] = "real number",
                                      [SN_PROPERTY_TEXT] = "text",
                                      [SN_PROPERTY_REALS] = "list of real numbers",
                                      [SN_PROPERTY_TEXTS] = "list of texts",
                                      [SN_PROPERTY_TREE] = "tree",
                                      [SN_PROPERTY_BAG] = "bag of properties",
                                      [SN_PROPERTY_BAGS] = "list of bags"};
  return (unsigned)kind < sizeof texts / sizeof *texts ? texts[kind] : "unknown";
}

/* The outermost object may have no name: a whole file. */
static bool is_first(const sn__property_path *part) {
  const sn__property_path *parent = part->parent;
  return parent == NULL || (parent->name != NULL && *parent->name == '\0');
}

void sn__property_path_text(const sn__property_path *path, char text[SN__PROPERTY_PATH_SIZE]) {
  char tail[SN__PROPERTY_PATH_SIZE] = "";
  for (const sn__property_path *part = path; part != NULL; part = part->parent) {
    if (part->name == NULL) {
      snprintf(text, SN__PROPERTY_PATH_SIZE, "[%zu]%.160s", part->item, tail);
    } else {
      const char *dot = is_first(part) ? "" : ".";
      snprintf(text, SN__PROPERTY_PATH_SIZE, "%s%.80s%.110s", dot, part->name, tail);
    }
    memcpy(tail, text, sizeof tail);
  }
}

size_t sn__property_size(const sn_property *property) {
  static const size_t sizes[] = {
      [SN_PROPERTY_BOOL] = sizeof(bool),       [SN_PROPERTY_INT] = sizeof(int64_t),
      [SN_PROPERTY_REAL] = sizeof(double),     [SN_PROPERTY_TEXT] = sizeof(const char *),
      [SN_PROPERTY_REALS] = sizeof(sn_reals),  [SN_PROPERTY_TEXTS] = sizeof(sn_texts),
      [SN_PROPERTY_TREE] = sizeof(sn_value *), [SN_PROPERTY_BAGS] = sizeof(sn_bags)};
  return property->kind == SN_PROPERTY_BAG ? property->item_size : sizes[property->kind];
}

static void clear(const sn_property *property, void *object) {
  static const char *const empty_text = "";
  char *member = (char *)object + property->offset;
  if (property->kind == SN_PROPERTY_TEXT) {
    memcpy(member, &empty_text, sizeof empty_text);
  } else if (property->kind != SN_PROPERTY_BAG) {
    memset(member, 0, sn__property_size(property));
  }
}

/* @param scratch  of the parsed text, which is copied from there */
static sn_status set_initial(const sn_property *property, void *object, const char *path,
                             sn_arena *arena, sn_arena *scratch, sn_report *report) {
  const sn_value *value = NULL;
  const sn_status status = sn_value_parse_text(
      scratch, property->initial, strlen(property->initial), "initial", report, &value);
  if (status == SN_ESYNTAX || status == SN_ELIMIT) {
    return SN_EINVAL;
  }
  return status == SN_OK ? sn__property_set(property, object, value, path, arena, report) : status;
}

/* Recursion is bounded by the table: a struct cannot contain itself. */
static sn_status init_one(const sn_property *property, void *object, const char *parent,
                          sn_arena *arena, sn_arena *scratch, sn_report *report) {
  char path[SN__PROPERTY_PATH_SIZE];
  snprintf(path, sizeof path, "%.100s.%.80s", parent, property->name);
  clear(property, object);
  if (property->kind == SN_PROPERTY_BAG) {
    void *member = (char *)object + property->offset;
    const sn_status status = sn__property_init(property->items, member, path, arena, report);
    if (status != SN_OK) {
      return status;
    }
  }
  if (property->initial != NULL) {
    return set_initial(property, object, path, arena, scratch, report);
  }
  const bool may_be_zero = (property->flags & SN_PROPERTY_REQUIRED) != 0 ||
                           sn__property_check_zero(property, path, report);
  return may_be_zero ? SN_OK : SN_EINVAL;
}

sn_status sn__property_init(const sn_property *table, void *object, const char *path,
                            sn_arena *arena, sn_report *report) {
  sn_arena scratch;
  sn_arena_init_growing(&scratch, "initial values", 0);
  sn_status status = SN_OK;
  for (const sn_property *p = table; p != NULL && p->name != NULL && status == SN_OK; p++) {
    status = init_one(p, object, path, arena, &scratch, report);
  }
  sn_arena_release(&scratch);
  return status;
}

sn_status sn__property_init_values(const sn_property *table, void *object, sn_arena *arena) {
  sn_arena problems;
  sn_arena_init_growing(&problems, "problems of initial values", 0);
  sn_report *report = NULL;
  sn_status status = sn_report_create(&problems, &report, NULL);
  status = status == SN_OK ? sn__property_init(table, object, "", arena, report) : status;
  sn_arena_release(&problems);
  SN_ASSERT(status != SN_EINVAL); /* the table has an invalid initial value */
  return status;
}

static bool is_required(const sn_property *property) {
  return (property->flags & SN_PROPERTY_REQUIRED) != 0;
}

sn_status sn__property_check_required(const sn_property *table, const sn_value *bag,
                                      const char *path, sn_place place, sn_report *report) {
  sn_status status = SN_OK;
  for (const sn_property *p = table; p != NULL && p->name != NULL; p++) {
    const sn_value *value = bag == NULL ? NULL : sn_value_find(bag, p->name);
    if (value == NULL && bag != NULL && p->alias != NULL) {
      value = sn_value_find(bag, p->alias);
    }
    char name[SN__PROPERTY_PATH_SIZE];
    snprintf(name, sizeof name, "%.100s%s%.80s", path, *path == '\0' ? "" : ".", p->name);
    if (value == NULL && is_required(p)) {
      sn__report_add(report, SN_SEVERITY_ERROR, place, p->doc, "'%s' is not set, expected a %s",
                     name, sn_property_kind_text(p->kind));
      status = SN_EINVAL;
    } else if (p->kind == SN_PROPERTY_BAG &&
               sn__property_check_required(p->items, value, name,
                                           value == NULL ? place : value->place, report) != SN_OK) {
      status = SN_EINVAL;
    }
  }
  return status;
}
