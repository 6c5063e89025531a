#include "sinew/component.h"

#include <string.h>

#include "base/log_internal.h"
#include "rt/component_runtime.h"

sn_arena *sn_component_arena(sn_component *component) {
  return &component->runtime->config_arena;
}

sn_component_state sn_component_state_now(const sn_component *component) {
  return sn__runtime_state(component->runtime);
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

const char *sn_step_fault_text(sn_step_fault fault) {
  static const char *const texts[] = {
      [SN_STEP_FAULT_NONE] = "none",
      [SN_STEP_FAULT_STATUS] = "step failed",
      [SN_STEP_FAULT_OVERRUN] = "step overran its deadline",
      [SN_STEP_FAULT_NOT_FINITE] = "a number that is not finite was written",
      [SN_STEP_FAULT_ALLOCATED] = "memory was allocated in a cycle",
  };
  return texts[fault];
}

int64_t sn_component_period_ns(const sn_component *component) {
  const sn_activity *activity = component->runtime->activity;
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
  (void)sn__log_write(log, &record); /* a full ring counts dropped lines */
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
  const sn__component_runtime *runtime = component->runtime;
  return (sn_component_info){
      .state = sn__runtime_state(runtime),
      .fault = (sn_step_fault)atomic_load(&runtime->fault),
      .fault_status = (sn_status)atomic_load(&runtime->fault_status),
      .fault_ns = atomic_load(&runtime->fault_ns),
      .steps = atomic_load_explicit(&runtime->steps, memory_order_relaxed),
      .fault_count = atomic_load_explicit(&runtime->fault_count, memory_order_relaxed),
      .calls = atomic_load_explicit(&runtime->calls, memory_order_relaxed),
      .deadline_ns = runtime->deadline_ns,
      .activity = runtime->activity,
      .duration = &runtime->duration,
      .memory_size = sn_arena_used(&runtime->arena) + sn_arena_used(&runtime->config_arena),
  };
}
