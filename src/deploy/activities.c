#include <math.h>
#include <string.h>

#include "deploy/deployment.h"
#include "deploy/merge.h"
#include "rt/components/property.h"
#include "rt/components/property_access.h"

/* As in the file; sn_activity_config has other units. */
typedef struct activity_keys {
  double period;
  int64_t priority;
  int64_t cpu;
  bool lock_memory;
  double max_lost;
} activity_keys;

const sn_property sn__activity_table[] = {
    SN_PROPERTY(activity_keys, "period", period, .initial = "0.001", .min = 0.0, .max = 3600.0,
                .unit = "s", .doc = "Time between two cycles; 0: runs on events only."),
    SN_PROPERTY(activity_keys, "priority", priority, .unit = "", .min = 0.0, .max = 99.0,
                .doc = "Priority of SCHED_FIFO; 0: the default scheduler."),
    SN_PROPERTY(activity_keys, "cpu", cpu, .unit = "", .min = 0.0, .max = 4096.0,
                .doc = "The core it is pinned to, counted from 1; 0: any."),
    SN_PROPERTY(activity_keys, "lock_memory", lock_memory,
                .doc = "Lock all pages of the process in memory."),
    SN_PROPERTY(activity_keys, "max_lost", max_lost, .unit = "", .initial = "0.9", .min = 0.01,
                .max = 1.0,
                .doc = "Share of the cycles that may be lost in a second: more in two seconds in a "
                       "row is an emergency stop; 1: never."),
    {0}};

/* No machine keeps a shorter period. */
const double sn__period_min_s = 1e-5;

void sn__add_activity(sn__reading *reading) {
  const sn_value *activities = sn_value_find(reading->root, "activities");
  const bool is_missing = activities == NULL ||
                          (activities->kind == SN_VALUE_TEXT && *activities->text == '\0') ||
                          (activities->kind == SN_VALUE_BAG && activities->item_count == 0);
  if (!is_missing) {
    return;
  }
  sn_arena *arena = reading->arena;
  const sn_place place = reading->root->place;
  const sn_value *bag =
      sn__value_make_bag(arena, "activities", sn__value_make_empty(arena, "main", place), place);
  bag = sn__value_make_bag(arena, "", bag, place);
  bag = sn__value_merge(arena, reading->root, bag);
  reading->root = bag == NULL ? reading->root : bag;
  if (bag == NULL) {
    sn__reading_out_of_memory(reading);
  }
}

static void read_activity(sn__reading *reading, const sn_value *bag, sn__task *task) {
  char path[120] = "activities.";
  strncat(path, bag->name, 80);
  activity_keys keys = {0};
  if (!sn__name_is_good(bag->name)) {
    sn__report_error(reading, bag->name_place, NULL, "activity '%.80s' %s", bag->name,
                     SN__NAME_FLAW);
  }
  if (sn__property_init_values(sn__activity_table, &keys, reading->scratch) != SN_OK) {
    sn__reading_out_of_memory(reading);
    return;
  }
  sn__read_bag(reading, sn__activity_table, &keys, bag, path);
  if (keys.period > 0.0 && keys.period < sn__period_min_s) {
    const sn_value *period = sn_value_find(bag, "period");
    sn__report_error(reading, period->place, NULL,
                     "'%s.period' is %.60s, expected 0 or at least %g s", path, period->text,
                     sn__period_min_s);
  }
  *task = (sn__task){.config = {.name = bag->name,
                                .period_ns = (int64_t)llround(keys.period * 1e9),
                                .priority = (int)keys.priority,
                                .cpu = (int)keys.cpu,
                                .lock_memory = keys.lock_memory,
                                .max_lost = keys.max_lost},
                     .place = bag->name_place};
}

void sn__read_activities(sn__reading *reading, const sn_value *activities) {
  if (activities == NULL || activities->kind != SN_VALUE_BAG) {
    if (activities != NULL) {
      sn__report_error(reading, activities->place, NULL,
                       "'activities' is not a bag of activities by name");
    }
    return;
  }
  sn_deployment *deployment = reading->deployment;
  deployment->tasks = SN_NEW(reading->arena, sn__task, activities->item_count);
  if (deployment->tasks == NULL) {
    sn__reading_out_of_memory(reading);
    return;
  }
  for (size_t i = 0; i < activities->item_count && reading->status == SN_OK; i++) {
    read_activity(reading, activities->items[i], &deployment->tasks[deployment->task_count++]);
  }
}
