#include "rig.h"

#include <string.h>

#include "rt/system_internal.h"
#include "sn_test.h"

static void open_with_clock(rig *r, int64_t period_ns) {
  sn_arena_init_growing(&r->arena, "rig", 0);
  assert_int_equal(sn_log_create(&r->arena, 1024, &r->log, NULL), SN_OK);
  const sn_system_config config = {.clock = &r->clock, .log = r->log};
  r->system = sn_system_create(&config);
  assert_non_null(r->system);
  r->activity = rig_activity(r, "main", period_ns);
}

void rig_open(rig *r, int64_t period_ns) {
  sn_clock_init_simulated(&r->clock, 0);
  open_with_clock(r, period_ns);
}

void rig_open_real(rig *r, int64_t period_ns) {
  sn_clock_init_monotonic(&r->clock);
  open_with_clock(r, period_ns);
}

void rig_close(rig *r) {
  sn_system_destroy(r->system);
  sn_arena_release(&r->arena);
}

static void expect_good(const rig *r, sn_status status) {
  if (status != SN_OK) {
    fail_msg("%s", r->err.message);
  }
}

void *rig_add_to(rig *r, const sn_component_type *type, const char *name, sn_activity *activity,
                 int64_t deadline_ns) {
  sn_component *component = NULL;
  expect_good(r, sn_system_add(r->system, type, name, &component, &r->err));
  if (activity != NULL) {
    expect_good(r, sn_system_assign(r->system, component, activity, deadline_ns, &r->err));
  }
  return component;
}

void *rig_add(rig *r, const sn_component_type *type, const char *name) {
  return rig_add_to(r, type, name, r->activity, 0);
}

sn_activity *rig_activity(rig *r, const char *name, int64_t period_ns) {
  sn_activity *activity = NULL;
  const sn_activity_config config = {.name = name, .period_ns = period_ns};
  expect_good(r, sn_system_add_activity(r->system, &config, &activity, &r->err));
  return activity;
}

void rig_connect(rig *r, const char *from, const char *to) {
  expect_good(r, sn_system_connect(r->system, from, to, NULL, &r->err));
}

void rig_require(rig *r, const char *need, const char *peer) {
  expect_good(r, sn__system_require(r->system, need, peer, &r->err));
}

sn_status rig_try_set(rig *r, void *component, const char *path, const char *value) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "set", 0);
  sn_report *report = NULL;
  assert_int_equal(sn_report_create(&arena, &report, NULL), SN_OK);
  const sn_value *prop = NULL;
  assert_int_equal(sn_value_parse_text(&arena, value, strlen(value), "test", report, &prop), SN_OK);
  const sn_status status = sn_system_set(r->system, component, path, prop, report, &r->err);
  if (sn_report_count(report) > 0) {
    snprintf(r->err.message, sizeof r->err.message, "%.239s", sn_report_at(report, 0)->message);
  }
  sn_arena_release(&arena);
  return status;
}

void rig_set(rig *r, void *component, const char *path, const char *value) {
  expect_good(r, rig_try_set(r, component, path, value));
}

const char *rig_get(rig *r, void *component, const char *path) {
  static char text[16384];
  expect_good(r, sn_system_get(r->system, component, path, text, sizeof text, &r->err));
  return text;
}

void rig_begin(rig *r) {
  expect_good(r, sn_system_begin(r->system, &r->err));
}

void rig_run(rig *r, int64_t duration_ns) {
  expect_good(r, sn_system_run(r->system, duration_ns, NULL, NULL, &r->err));
}

size_t rig_drain_log(rig *r, sn_log_level level, char *last, size_t size) {
  sn_log_record record;
  size_t count = 0;
  while (sn_log_read(r->log, &record)) {
    if (record.level >= level) {
      count++;
      if (last != NULL) {
        sn_log_format(&record, last, size);
      }
    }
  }
  return count;
}
