/* For affinity, priorities and memory locks. */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/fail.h"
#include "rt/altstack.h"
#include "rt/component_runtime.h"
#include "rt/futex.h"

static void warn(const sn_activity *activity, const char *format, int64_t number) {
  const sn_log_arg args[] = {{.kind = SN_LOG_INT, .value.integer = number}};
  sn__system_log(activity->system, SN_LOG_WARNING, activity->config.name, format, 1, args);
}

/* The real time at which the clock, which may be accelerated, shows `due_ns`. */
static int64_t real_time_of(const sn_clock *clock, int64_t due_ns) {
  if (clock->kind == SN_CLOCK_MONOTONIC) {
    return due_ns;
  }
  const double wait_ns = (double)(due_ns - sn_clock_now_ns(clock)) / clock->factor;
  return sn__real_now_ns() + (wait_ns > 0.0 ? (int64_t)wait_ns + 1 : 0);
}

static bool must_end(const sn_activity *activity) {
  return atomic_load(&activity->must_end);
}

static void wait_for_tick(sn_activity *activity) {
  const sn_clock *clock = activity->system->config.clock;
  while (!must_end(activity) && sn_clock_now_ns(clock) < activity->due_ns) {
    const uint32_t seen = atomic_load(&activity->wake);
    if (!must_end(activity)) {
      sn__futex_wait(&activity->wake, seen, real_time_of(clock, activity->due_ns));
    }
  }
}

/* A cycle of each; the first waits for all of them, as their ticks are the same. The time of a
   cycle is its tick, not when the thread woke up: a filter advances by one period per cycle, so a
   position divided by the time between two wake-ups would be a wrong velocity. */
static void run_periodic(sn_activity *const *members, size_t count) {
  sn_activity *first = members[0];
  const sn_clock *clock = first->system->config.clock;
  const int64_t start_ns = sn_clock_now_ns(clock);
  for (size_t i = 0; i < count; i++) {
    __atomic_store_n(&members[i]->due_ns, start_ns, __ATOMIC_RELAXED);
    sn__overruns_begin(members[i], start_ns);
  }
  for (wait_for_tick(first); !must_end(first); wait_for_tick(first)) {
    for (size_t i = 0; i < count; i++) {
      sn__activity_cycle(members[i], members[i]->due_ns);
    }
    const int64_t end_ns = sn_clock_now_ns(clock);
    for (size_t i = 0; i < count; i++) {
      sn__activity_advance(members[i], end_ns);
    }
  }
}

/* A wake-up after the count was read is seen either here, or by the kernel, which compares the
   count again. */
static void run_by_events(sn_activity *activity) {
  const sn_clock *clock = activity->system->config.clock;
  while (!must_end(activity)) {
    const uint32_t seen = atomic_load(&activity->wake);
    __atomic_store_n(&activity->due_ns, sn_clock_now_ns(clock), __ATOMIC_RELAXED);
    sn__activity_cycle(activity, activity->due_ns);
    atomic_store(&activity->is_asleep, true);
    if (atomic_load(&activity->wake) == seen && !must_end(activity)) {
      sn__futex_wait(&activity->wake, seen, INT64_MAX);
    }
    atomic_store(&activity->is_asleep, false);
  }
}

static void *run_thread(void *argument) {
  sn_activity *activity = argument;
  sn__altstack stack;
  sn__altstack_enter(&stack);
  pthread_setname_np(pthread_self(), activity->config.name); /* longer than 15 bytes: unnamed */
  sn_activity *const *members = activity->round == NULL ? &activity : activity->round->members;
  const size_t count = activity->round == NULL ? 1 : activity->round->count;
  if (activity->config.period_ns > 0) {
    run_periodic(members, count);
  } else {
    run_by_events(activity);
  }
  for (size_t i = 0; i < count; i++) {
    atomic_store(&members[i]->is_live, false);
    sn__activity_drain(members[i]);
  }
  sn__altstack_leave(&stack);
  return NULL;
}

static void set_priority(pthread_attr_t *attributes, int priority) {
  const struct sched_param param = {.sched_priority = priority};
  pthread_attr_setinheritsched(attributes, PTHREAD_EXPLICIT_SCHED);
  pthread_attr_setschedpolicy(attributes, priority > 0 ? SCHED_FIFO : SCHED_OTHER);
  pthread_attr_setschedparam(attributes, &param);
}

static int create_thread(sn_activity *activity) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 1 << 20);
  set_priority(&attributes, activity->config.priority);
  int code = pthread_create(&activity->thread, &attributes, run_thread, activity);
  if (code == EPERM && activity->config.priority > 0) {
    warn(activity,
         "priority {} of SCHED_FIFO is not permitted: running without; allow it by rtprio in "
         "/etc/security/limits.d, or LimitRTPRIO= of the unit",
         activity->config.priority);
    set_priority(&attributes, 0);
    code = pthread_create(&activity->thread, &attributes, run_thread, activity);
  }
  pthread_attr_destroy(&attributes);
  return code;
}

static void pin_thread(const sn_activity *activity) {
  const int cpu = activity->config.cpu - 1;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (cpu < CPU_SETSIZE) {
    CPU_SET((size_t)cpu, &set);
  }
  if (pthread_setaffinity_np(activity->thread, sizeof set, &set) != 0) {
    warn(activity, "processor {} does not exist: running on any", activity->config.cpu);
  }
}

/* With a limit in force MCL_FUTURE would make later allocations fail. Warn instead of locking.
 */
static void lock_memory(const sn_activity *activity) {
  struct rlimit limit = {0};
  getrlimit(RLIMIT_MEMLOCK, &limit);
  if ((geteuid() != 0 && limit.rlim_cur != RLIM_INFINITY) ||
      mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
    warn(activity,
         "memory cannot be locked, the limit is {} kB: running without; allow it by memlock in "
         "/etc/security/limits.d, or LimitMEMLOCK=infinity of the unit",
         limit.rlim_cur == RLIM_INFINITY ? 0 : (int64_t)(limit.rlim_cur / 1024));
  }
}

/* Leaving a deep sleep state takes a processor up to 200 us. As long as this file is open with a
   zero written to it, the processor avoids deep sleep states. */
static void keep_awake(sn_system *system) {
  if (system->latency_file < 0) {
    const int32_t latency_us = 0;
    system->latency_file = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);
    if (system->latency_file >= 0 &&
        write(system->latency_file, &latency_us, sizeof latency_us) != sizeof latency_us) {
      close(system->latency_file);
      system->latency_file = -1;
    }
  }
}

static void set_live(sn_activity *activity, bool is_live) {
  const sn__round *round = activity->round;
  for (size_t i = 0; i < (round == NULL ? 1 : round->count); i++) {
    sn_activity *member = round == NULL ? activity : round->members[i];
    atomic_store(&member->must_end, false);
    atomic_store(&member->is_live, is_live);
    member->has_thread = is_live;
  }
}

sn_status sn__activity_launch(sn_activity *activity, sn_error *err) {
  if (activity->config.lock_memory) {
    lock_memory(activity);
  }
  if (activity->config.priority > 0) {
    keep_awake(activity->system);
  }
  set_live(activity, true);
  const int code = create_thread(activity);
  if (code != 0) {
    set_live(activity, false);
    return sn__fail(err, SN_EIO, "no thread for activity '%s': %s", activity->config.name,
                    strerror(code));
  }
  if (activity->config.cpu > 0) {
    pin_thread(activity);
  }
  return SN_OK;
}

void sn__activity_join(sn_activity *activity) {
  if (!activity->has_thread) {
    return;
  }
  sn__round *round = activity->round;
  sn_activity *first = round == NULL ? activity : round->members[0];
  atomic_store(&first->must_end, true);
  atomic_fetch_add(&first->wake, 1);
  sn__futex_wake(&first->wake);
  pthread_join(first->thread, NULL);
  first->has_thread = false;
  for (size_t i = 0; round != NULL && i < round->count; i++) {
    round->members[i]->has_thread = false;
    round->members[i]->round = NULL;
  }
  free(round);
}
