#include "sinew/component.h"

#include <string.h>

#include "rt/cell.h"

sn_arena *sn_component_arena(sn_component *component) {
  return &component->cell->config_arena;
}

sn_component_state sn_component_state_now(const sn_component *component) {
  return sn__cell_state(component->cell);
}

const char *sn_component_state_text(sn_component_state state) {
  static const char *const texts[] = {
      [SN_STATE_UNCONFIGURED] = "unconfigured",
      [SN_STATE_STOPPED] = "stopped",
      [SN_STATE_RUNNING] = "running",
      [SN_STATE_ERROR] = "error",
  };
  return texts[state];
}

const char *sn_trouble_text(sn_trouble trouble) {
  static const char *const texts[] = {
      [SN_TROUBLE_NONE] = "none",
      [SN_TROUBLE_STATUS] = "step failed",
      [SN_TROUBLE_OVERRUN] = "step overran its deadline",
      [SN_TROUBLE_NOT_FINITE] = "a number that is not finite was written",
      [SN_TROUBLE_ALLOCATED] = "memory was allocated in a cycle",
  };
  return texts[trouble];
}

int64_t sn_component_period_ns(const sn_component *component) {
  const sn_activity *activity = component->cell->activity;
  return activity == NULL ? 0 : activity->config.period_ns;
}

static void write_log(const sn_component *component, int64_t now_ns, sn_log_level level,
                      uint64_t suppressed, const char *format, size_t arg_count,
                      const sn_log_arg *args) {
  sn_log *log = component->system->config.log;
  if (log == NULL) {
    return;
  }
  sn_log_record record = {.now_ns = now_ns,
                          .level = level,
                          .source = component->name,
                          .format = format,
                          .suppressed = suppressed,
                          .arg_count = arg_count < SN_LOG_ARGS_MAX ? arg_count : SN_LOG_ARGS_MAX};
  for (size_t i = 0; i < record.arg_count; i++) {
    record.args[i] = args[i];
  }
  (void)sn_log_write(log, &record); /* a full ring counts what it drops */
}

void sn_component_log(const sn_component *component, int64_t now_ns, sn_log_level level,
                      const char *format, size_t arg_count, const sn_log_arg *args) {
  write_log(component, now_ns, level, 0, format, arg_count, args);
}

void sn_component_log_limited(const sn_component *component, sn_log_limit *limit, int64_t now_ns,
                              sn_log_level level, const char *format, size_t arg_count,
                              const sn_log_arg *args) {
  uint64_t suppressed;
  if (sn_log_limit_pass(limit, now_ns, &suppressed)) {
    write_log(component, now_ns, level, suppressed, format, arg_count, args);
  }
}

sn_component_info sn_component_info_of(const sn_component *component) {
  const sn__cell *cell = component->cell;
  return (sn_component_info){
      .state = sn__cell_state(cell),
      .trouble = (sn_trouble)atomic_load(&cell->trouble),
      .trouble_status = (sn_status)atomic_load(&cell->trouble_status),
      .trouble_ns = atomic_load(&cell->trouble_ns),
      .steps = atomic_load_explicit(&cell->steps, memory_order_relaxed),
      .troubles = atomic_load_explicit(&cell->troubles, memory_order_relaxed),
      .calls = atomic_load_explicit(&cell->calls, memory_order_relaxed),
      .deadline_ns = cell->deadline_ns,
      .activity = cell->activity,
      .duration = &cell->duration,
      .memory_size = sn_arena_used(&cell->arena) + sn_arena_used(&cell->config_arena),
  };
}
