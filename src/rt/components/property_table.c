#include <string.h>

#include "base/fail.h"
#include "rt/components/property.h"

enum { DEPTH_MAX = 16 }; /* a table that contains itself is deeper */

bool sn__name_is_good(const char *name) {
  if (name == NULL || *name == '\0' || (*name >= '0' && *name <= '9') ||
      strlen(name) >= SN__NAME_SIZE) {
    return false;
  }
  for (; *name != '\0'; name++) {
    const bool is_letter = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z');
    if (!is_letter && !(*name >= '0' && *name <= '9') && *name != '_') {
      return false;
    }
  }
  return true;
}

static const char *find_flaw(const sn_property *table, const sn_property *p, size_t size) {
  if (!sn__name_is_good(p->name)) {
    return SN__NAME_FLAW;
  }
  if (sn_property_find(table, p->name) != p) {
    return "appears twice";
  }
  if (p->alias != NULL && sn_property_find(table, p->alias) != p) {
    return "has the name of another property as its alias";
  }
  if ((unsigned)p->kind > SN_PROPERTY_BAGS) {
    return "has no known kind";
  }
  if (p->offset > size || sn__property_size(p) > size - p->offset) {
    return "is outside the struct";
  }
  if (!(p->min <= p->max) || p->count_min > (p->count_max == 0 ? SIZE_MAX : p->count_max)) {
    return "has an empty range";
  }
  const bool has_items = p->kind == SN_PROPERTY_BAG || p->kind == SN_PROPERTY_BAGS;
  if (has_items != (p->items != NULL) || has_items != (p->item_size > 0)) {
    return "has a table of items that does not match its kind";
  }
  if ((p->flags & SN_PROPERTY_REQUIRED) != 0 && p->initial != NULL) {
    return "is required, and has an initial value";
  }
  return NULL;
}

static sn_status check(const sn_property *table, size_t size, const char *type, int depth,
                       sn_error *err) {
  if (depth == DEPTH_MAX) {
    return sn__fail(err, SN_EINVAL, "component type '%s': its properties are nested too deep",
                    type);
  }
  sn_status status = SN_OK;
  for (const sn_property *p = table; p != NULL && p->name != NULL && status == SN_OK; p++) {
    const char *flaw = find_flaw(table, p, size);
    if (flaw != NULL) {
      return sn__fail(err, SN_EINVAL, "component type '%s': property '%s' %s", type, p->name, flaw);
    }
    if (p->items != NULL) {
      status = check(p->items, p->item_size, type, depth + 1, err);
    }
  }
  return status;
}

/* Bags of a list get their initial values when the list is set: check these values now. */
static sn_status try_initial(const sn_property *table, size_t size, const char *type,
                             sn_arena *arena, sn_report *report) {
  void *object = sn_arena_alloc(arena, size, alignof(max_align_t));
  sn_status status =
      object == NULL ? SN_ENOMEM : sn__property_init(table, object, type, arena, report);
  for (const sn_property *p = table; p != NULL && p->name != NULL && status == SN_OK; p++) {
    if (p->items != NULL) {
      status = try_initial(p->items, p->item_size, type, arena, report);
    }
  }
  return status;
}

sn_status sn__property_check_table(const sn_property *table, size_t size, const char *type,
                                   sn_error *err) {
  sn_status status = check(table, size, type, 0, err);
  if (status != SN_OK) {
    return status;
  }
  sn_arena arena;
  sn_arena problems;
  sn_arena_init_growing(&arena, "initial values", 0);
  sn_arena_init_growing(&problems, "problems of initial values", 0);
  sn_report *report = NULL;
  status = sn_report_create(&problems, &report, NULL);
  status = status == SN_OK ? try_initial(table, size, type, &arena, report) : status;
  if (status == SN_EUNSUPPORTED) {
    status = SN_OK; /* cannot be checked without YAML in the build */
  } else if (status != SN_OK) {
    const char *reason = status == SN_EINVAL && sn_report_count(report) > 0
                             ? sn_report_at(report, 0)->message
                             : sn_status_text(status);
    (void)sn__fail(err, status, "component type '%s': initial value: %s", type, reason);
  }
  sn_arena_release(&arena);
  sn_arena_release(&problems);
  return status;
}
