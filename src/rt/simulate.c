/* All activities in one thread with a simulated clock, which only advances here: equal inputs
   give equal outputs, bit for bit. */
#include "base/fail.h"
#include "rt/component_runtime.h"

/* The next activity to run: one that was woken, else the one that is due first; if several, the
   first added. NULL if none is due before the end. */
static sn_activity *choose(const sn_system *system, int64_t end_ns) {
  sn_activity *next = NULL;
  for (size_t i = 0; i < system->activity_count; i++) {
    sn_activity *activity = system->activities[i];
    if (activity->config.period_ns == 0) {
      if (atomic_load(&activity->wake) != activity->wake_seen) {
        return activity;
      }
    } else if (activity->due_ns < end_ns && (next == NULL || activity->due_ns < next->due_ns)) {
      next = activity;
    }
  }
  return next;
}

static void run_one(sn_activity *activity, sn_clock *clock) {
  const int64_t now_ns = sn_clock_now_ns(clock);
  if (activity->config.period_ns == 0) {
    activity->wake_seen = atomic_load(&activity->wake);
    activity->due_ns = now_ns;
    sn__activity_cycle(activity, now_ns);
    return;
  }
  if (activity->due_ns > now_ns) {
    sn_clock_advance(clock, activity->due_ns - now_ns);
  }
  sn__activity_cycle(activity, sn_clock_now_ns(clock));
  sn__activity_advance(activity, sn_clock_now_ns(clock));
}

sn_status sn_system_cycle(sn_system *system, sn_activity *activity, int64_t now_ns, sn_error *err) {
  sn_clock *clock = system->config.clock;
  if (clock->kind != SN_CLOCK_SIMULATED || now_ns < sn_clock_now_ns(clock)) {
    return sn__fail(err, SN_EINVAL,
                    "a cycle at %.9f s: only a simulated clock can be moved, and "
                    "only forwards",
                    1e-9 * (double)now_ns);
  }
  sn_clock_advance(clock, now_ns - sn_clock_now_ns(clock));
  activity->due_ns = now_ns;
  activity->wake_seen = atomic_load(&activity->wake);
  atomic_store(&activity->is_live, true);
  sn__activity_cycle(activity, now_ns);
  atomic_store(&activity->is_live, false);
  return SN_OK;
}

static sn_status begin(sn_system *system, sn_error *err) {
  if (system->config.clock->kind != SN_CLOCK_SIMULATED) {
    return sn__fail(err, SN_EINVAL, "only a simulated clock can be moved: launch instead");
  }
  if (sn__activity_current != NULL) {
    return sn__fail(err, SN_EBUSY, "a component cannot run its own system");
  }
  for (size_t i = 0; i < system->activity_count; i++) {
    const sn_status status = sn__activity_sort(system->activities[i], err);
    if (status != SN_OK) {
      return status;
    }
  }
  for (size_t i = 0; i < system->activity_count; i++) {
    atomic_store(&system->activities[i]->is_live, true);
  }
  return SN_OK;
}

static void end(sn_system *system) {
  for (size_t i = 0; i < system->activity_count; i++) {
    atomic_store(&system->activities[i]->is_live, false);
    sn__activity_drain(system->activities[i]);
  }
}

sn_status sn_system_run(sn_system *system, int64_t duration_ns, sn_system_after *after,
                        void *context, sn_error *err) {
  sn_clock *clock = system->config.clock;
  const int64_t start_ns = sn_clock_now_ns(clock);
  if (duration_ns < 0 || duration_ns > INT64_MAX - start_ns) {
    return sn__fail(err, SN_EINVAL, "a duration of %g s", 1e-9 * (double)duration_ns);
  }
  const int64_t end_ns = start_ns + duration_ns;
  sn_system_hold(system);
  const sn_status status = begin(system, err);
  sn__system_reclaim(system);
  sn_system_release(system);
  if (status != SN_OK) {
    return status;
  }
  bool goes_on = true;
  for (sn_activity *next = choose(system, end_ns); next != NULL && goes_on;
       next = goes_on ? choose(system, end_ns) : NULL) {
    run_one(next, clock);
    goes_on = after == NULL || after(context, sn_clock_now_ns(clock));
  }
  if (goes_on && sn_clock_now_ns(clock) < end_ns) {
    sn_clock_advance(clock, end_ns - sn_clock_now_ns(clock));
  }
  sn_system_hold(system);
  end(system);
  sn_system_release(system);
  return SN_OK;
}
