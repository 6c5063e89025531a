#include "sinew/activity.h"

#include "rt/component_runtime.h"
#include "rt/futex.h"
#include "rt/histogram.h"
#include "rt/journal/journal.h"

_Thread_local sn_activity *sn__activity_current;

/* Calls that a component answers per cycle; the rest waits for the next cycle. */
enum { JOBS_PER_CYCLE = 64 };

/* One writer: no read-modify-write needed. */
static void increase(_Atomic uint64_t *number, uint64_t by) {
  atomic_store_explicit(number, atomic_load_explicit(number, memory_order_relaxed) + by,
                        memory_order_relaxed);
}

static void count(uint64_t *number, uint64_t by) {
  __atomic_store_n(number, __atomic_load_n(number, __ATOMIC_RELAXED) + by, __ATOMIC_RELAXED);
}

static void hold_component(sn__component_runtime *runtime, sn_step_fault fault, sn_status status,
                           int64_t now_ns) {
  atomic_store(&runtime->fault, (int)fault);
  atomic_store(&runtime->fault_status, (int)status);
  atomic_store(&runtime->fault_ns, now_ns);
  increase(&runtime->fault_count, 1);
  int expected = SN_STATE_RUNNING; /* unless it is being stopped */
  (void)atomic_compare_exchange_strong(&runtime->state, &expected, SN_STATE_ERROR);
  const sn_log_arg args[] = {
      {.kind = SN_LOG_TEXT, .value.text = sn_step_fault_text(fault)},
      {.kind = SN_LOG_TEXT, .value.text = sn_status_text(status)},
  };
  sn_component_log(runtime->component, now_ns, SN_LOG_ERROR, "{} ({}): held until it is recovered",
                   2, args);
}

/* Did the component allocate from its sealed arena? */
static bool hold_if_allocated(sn__component_runtime *runtime, int64_t now_ns) {
  if (__atomic_load_n(&runtime->refused, __ATOMIC_RELAXED) == 0) {
    return false;
  }
  __atomic_store_n(&runtime->refused, 0, __ATOMIC_RELAXED);
  hold_component(runtime, SN_STEP_FAULT_ALLOCATED, SN_ENOMEM, now_ns);
  return true;
}

/* Is the component to be stepped? One with event ports waits for an event. */
static bool is_due(sn__component_runtime *runtime) {
  if (sn__runtime_state(runtime) != SN_STATE_RUNNING || runtime->component->type->step == NULL) {
    return false;
  }
  return !runtime->has_events ||
         (atomic_load_explicit(&runtime->triggered, memory_order_relaxed) &&
          atomic_exchange_explicit(&runtime->triggered, false, memory_order_acquire));
}

/* Step one component. The clock is read once for each: the end of one is the start of the next.
   @return the time at the end */
static int64_t step(sn__component_runtime *runtime, int64_t now_ns, int64_t begun_ns) {
  runtime->wrote_not_finite = false;
  const sn_status status = runtime->component->type->step(runtime->component, now_ns);
  const int64_t done_ns = sn_clock_now_ns(runtime->system->config.clock);
  const int64_t taken_ns = done_ns - begun_ns;
  increase(&runtime->steps, 1);
  sn__histogram_add(&runtime->duration, taken_ns);
  if (hold_if_allocated(runtime, now_ns)) {
    return done_ns;
  }
  if (status < 0) {
    hold_component(runtime, SN_STEP_FAULT_STATUS, status, now_ns);
  } else if (runtime->wrote_not_finite) {
    hold_component(runtime, SN_STEP_FAULT_NOT_FINITE, SN_EINVAL, now_ns);
  } else if (runtime->deadline_ns > 0 && taken_ns > runtime->deadline_ns) {
    hold_component(runtime, SN_STEP_FAULT_OVERRUN, SN_ETIMEDOUT, now_ns);
  }
  return done_ns;
}

/* Once a cycle, so that all components see the same state in it. */
void sn__activity_look_at_stop(sn_activity *activity) {
  const sn_system *system = activity->system;
  if (!system->is_stop_replayed && sn__estop_snapshot_update(&activity->stop, &system->estop)) {
    sn__journal_stop(activity);
  }
}

static void answer_calls(sn_activity *activity, sn__component_runtime *runtime) {
  atomic_store_explicit(&activity->is_calling, true, memory_order_relaxed);
  increase(&runtime->calls, sn__jobs_run(&runtime->jobs, JOBS_PER_CYCLE));
  atomic_store_explicit(&activity->is_calling, false, memory_order_relaxed);
}

/* Few threads write, and each only forwards, so an attempt rarely fails. */
int64_t sn__system_time(sn_system *system, int64_t at_ns) {
  int64_t seen_ns = atomic_load(&system->time_ns);
  while (seen_ns < at_ns && !atomic_compare_exchange_weak(&system->time_ns, &seen_ns, at_ns)) {
  }
  return seen_ns < at_ns ? at_ns : seen_ns;
}

void sn__activity_cycle(sn_activity *activity, int64_t tick_ns) {
  sn_activity *outer = sn__activity_current;
  sn__activity_current = activity;
  atomic_fetch_add(&activity->cycle, 1);
  const int64_t now_ns = sn__system_time(activity->system, tick_ns);
  sn__journal_cycle(activity, now_ns);
  sn__activity_look_at_stop(activity);
  const sn__order *order = atomic_load(&activity->order);
  const int64_t begun_ns = sn_clock_now_ns(activity->system->config.clock);
  int64_t at_ns = begun_ns;
  for (size_t i = 0; order != NULL && i < order->count; i++) {
    sn__component_runtime *runtime = order->runtimes[i];
    atomic_store_explicit(&activity->stepping, runtime, memory_order_relaxed);
    if (sn__jobs_pending(&runtime->jobs)) {
      answer_calls(activity, runtime);
      at_ns = sn_clock_now_ns(
          activity->system->config.clock); /* the duration of a step excludes calls */
      if (sn__jobs_pending(&runtime->jobs)) {
        atomic_fetch_add(&activity->wake, 1); /* more are waiting: do not go to sleep */
      }
      (void)hold_if_allocated(runtime, now_ns);
    }
    if (is_due(runtime)) {
      at_ns = step(runtime, now_ns, at_ns);
    }
  }
  count(&activity->timing.cycles, 1);
  sn__histogram_add(&activity->timing.lateness, begun_ns - activity->due_ns);
  sn__histogram_add(&activity->timing.duration, at_ns - begun_ns);
  atomic_store_explicit(&activity->stepping, NULL, memory_order_relaxed);
  atomic_fetch_add(&activity->cycle, 1);
  sn__activity_current = outer;
}

void sn__activity_drain(sn_activity *activity) {
  const sn__order *order = atomic_load(&activity->order);
  for (size_t i = 0; order != NULL && i < order->count; i++) {
    increase(&order->runtimes[i]->calls, sn__jobs_run(&order->runtimes[i]->jobs, JOBS_PER_CYCLE));
  }
}

/* After an overrun the latest missed tick runs at once and the earlier ones are skipped: a short
   overrun does not cost a whole cycle, and cycles are not caught up in a burst. */
void sn__activity_advance(sn_activity *activity, int64_t now_ns) {
  const int64_t period_ns = activity->config.period_ns;
  int64_t due_ns = activity->due_ns + period_ns;
  if (now_ns > due_ns) {
    const int64_t skipped = (now_ns - due_ns) / period_ns;
    count(&activity->timing.overruns, 1);
    count(&activity->timing.skipped, (uint64_t)skipped);
    due_ns += skipped * period_ns;
  }
  __atomic_store_n(&activity->due_ns, due_ns, __ATOMIC_RELAXED);
  sn__overruns_look(activity, now_ns);
}

void sn__activity_notify(sn_activity *activity) {
  if (activity->config.period_ns > 0) {
    return; /* it runs periodically anyway */
  }
  atomic_fetch_add(&activity->wake, 1);
  if (atomic_load(&activity->is_asleep)) {
    sn__futex_wake(&activity->wake);
  }
}

const sn_activity_config *sn_activity_config_of(const sn_activity *activity) {
  return &activity->config;
}

const sn_activity_timing *sn_activity_timing_of(const sn_activity *activity) {
  return &activity->timing;
}
