/* Sustained overruns: once a second each activity counts its lost and late cycles, warns, and
   beyond max_lost stops the robot. */
#include "rt/overruns.h"

#include "rt/component_runtime.h"

enum { WINDOW_NS = 1000000000, STOP_WINDOWS = 2, LOST_SHARE = 20, LATE_SHARE = 2 };

static const double max_lost_default = 0.9;
static const int64_t memory_ns = INT64_C(3000000000);

static double max_lost_of(const sn_activity *activity) {
  return activity->config.max_lost > 0.0 ? activity->config.max_lost : max_lost_default;
}

static void put(uint64_t *number, uint64_t value) {
  __atomic_store_n(number, value, __ATOMIC_RELAXED);
}

void sn__overruns_begin(sn_activity *activity, int64_t now_ns) {
  const sn_activity_timing *timing = &activity->timing;
  sn__overruns *o = &activity->overruns;
  o->begun_ns = now_ns;
  o->cycles = timing->cycles;
  o->overran = timing->overruns;
  o->lost = timing->skipped;
}

static void warn(const sn_activity *activity, uint64_t lost, uint64_t ticks, uint64_t overran,
                 int64_t window_ns) {
  const int64_t tenths = (window_ns + 50000000) / 100000000;
  const sn_log_arg args[] = {
      {.kind = SN_LOG_INT, .value.integer = (int64_t)lost},
      {.kind = SN_LOG_INT, .value.integer = (int64_t)ticks},
      {.kind = SN_LOG_INT, .value.integer = (int64_t)overran},
      {.kind = SN_LOG_REAL, .value.real = 0.1 * (double)tenths},
  };
  sn__system_log(activity->system, SN_LOG_WARNING, activity->config.name,
                 "{} of {} cycles lost and {} ended late in {} s: a step takes too long, or the "
                 "machine is too busy",
                 4, args);
}

/* The servos get outdated goals: stop while stopping still works. */
static void stop(sn_activity *activity, uint64_t lost, uint64_t ticks) {
  if (sn__estop_is_latched(&activity->system->estop)) {
    return;
  }
  (void)sn__estop_request(&activity->system->estop, activity->config.name,
                          "the activity loses more cycles than its max_lost allows");
  const sn_log_arg args[] = {
      {.kind = SN_LOG_INT, .value.integer = (int64_t)lost},
      {.kind = SN_LOG_INT, .value.integer = (int64_t)ticks},
      {.kind = SN_LOG_REAL, .value.real = max_lost_of(activity)},
  };
  sn__system_log(activity->system, SN_LOG_ERROR, activity->config.name,
                 "emergency stop: {} of {} cycles lost in the second consecutive second, more than "
                 "max_lost ({}) of the activity allows",
                 3, args);
}

static void judge(sn_activity *activity, uint64_t lost, uint64_t ticks) {
  sn__overruns *o = &activity->overruns;
  const bool is_bad = (double)lost > max_lost_of(activity) * (double)ticks;
  o->bad_windows = is_bad ? o->bad_windows + 1 : 0;
  if (o->bad_windows >= STOP_WINDOWS) {
    o->bad_windows = 0; /* after a resume counting starts anew */
    stop(activity, lost, ticks);
  }
}

bool sn__activity_is_late(const sn_activity *activity, int64_t now_ns) {
  const int64_t late_ns = __atomic_load_n(&activity->timing.late_ns, __ATOMIC_RELAXED);
  const int64_t due_ns = __atomic_load_n(&activity->due_ns, __ATOMIC_RELAXED);
  const bool hangs = atomic_load(&activity->is_live) && now_ns - due_ns > WINDOW_NS;
  return activity->config.period_ns > 0 &&
         ((late_ns != 0 && now_ns - late_ns <= memory_ns) || hangs);
}

void sn__overruns_look(sn_activity *activity, int64_t now_ns) {
  sn_activity_timing *timing = &activity->timing;
  const sn__overruns *o = &activity->overruns;
  const int64_t window_ns = now_ns - o->begun_ns;
  if (window_ns < WINDOW_NS) {
    return;
  }
  const uint64_t overran = timing->overruns - o->overran;
  const uint64_t lost = timing->skipped - o->lost;
  const uint64_t ticks = timing->cycles - o->cycles + lost;
  put(&timing->overran_last, overran);
  put(&timing->lost_last, lost);
  if (lost * LOST_SHARE > ticks || overran * LATE_SHARE > ticks) {
    __atomic_store_n(&timing->late_ns, now_ns, __ATOMIC_RELAXED);
    warn(activity, lost, ticks, overran, window_ns);
  }
  judge(activity, lost, ticks);
  sn__overruns_begin(activity, now_ns);
}
