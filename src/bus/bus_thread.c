/* For names and priorities of threads. */
#define _GNU_SOURCE

#include "bus/bus_thread.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/fail.h"
#include "bus/bus_events.h"
#include "bus/bus_pass.h"
#include "bus/bus_stop.h"
#include "bus/families/servo_link.h"
#include "rt/altstack.h"
#include "rt/histogram.h"
#include "rt/ports/triple.h"
#include "sinew/activity.h"

static const int64_t OPEN_AGAIN_NS = 200000000;
static const int64_t LOOK_NS = 5000000; /* interval of checks for a stop between two cycles */
static const int64_t LET_GO_NS = 500000000;
static const int LET_GO_CYCLES = 10; /* at least, even if the machine stalls */

struct sn__bus_thread {
  sn__bus_thread_config config;
  pthread_t thread;
  int wake_fd;
  atomic_bool must_end;
  sn__triple goals_turn, reports_turn;
  sn__bus_goals goals[SN__TRIPLE_SLOTS];
  sn__servo_report reports[SN__TRIPLE_SLOTS];
  sn__bus_goals next; /* the component's */
  bool has_report;    /* likewise */

  /* the thread's own */
  sn_serial_port port;
  sn_status open_status; /* of the last attempt, to log a failure once */
  char open_message[240];
  uint32_t rearms;
  int64_t sent_ns; /* of the last goals */
  sn__bus_stop stop;
  uint64_t cycles_late;
  sn_histogram late; /* how long after its time a cycle began */
};

static int64_t now_of(const sn__bus_thread *t) {
  return sn_clock_now_ns(t->config.clock);
}

/* Sleep until `until_ns`, or until the thread must end. */
static void sleep_until(const sn__bus_thread *t, int64_t until_ns) {
  const sn_serial_port nothing = {.fd = -1};
  int64_t now_ns = now_of(t);
  while (now_ns < until_ns && !atomic_load(&t->must_end)) {
    (void)sn__serial_wait(&nothing, t->wake_fd, until_ns - now_ns);
    now_ns = now_of(t);
  }
}

/* Wait until the next cycle is due or a stop is pending: a stop must be confirmed within 100 ms,
   whatever the period. @return when the cycle was due */
static int64_t wait_for_cycle(const sn__bus_thread *t, int64_t due_ns) {
  int64_t now_ns = now_of(t);
  do {
    sleep_until(t, now_ns + LOOK_NS < due_ns ? now_ns + LOOK_NS : due_ns);
    now_ns = now_of(t);
  } while (now_ns < due_ns && !atomic_load(&t->must_end) && !sn__bus_stop_is_awaited(&t->stop));
  return now_ns < due_ns ? now_ns : due_ns;
}

/* ---- the port ---- */

static void close_port(sn__bus_thread *t) {
  sn__bus_stop_port(&t->stop, -1);
  sn__serial_close(&t->port);
}

static void lose_port(sn__bus_thread *t) {
  close_port(t);
  sn__servo_bus_lost(t->config.bus, now_of(t));
  sn__bus_log(t->config.component, now_of(t), SN_LOG_WARNING, "the port '{}' is gone",
              t->config.path);
}

static bool open_port(sn__bus_thread *t) {
  sn_error err = {.code = SN_OK};
  const sn_status status =
      sn__serial_open(t->config.path, t->config.bus->config.baud, &t->port, &err);
  if (status == SN_OK) {
    sn__bus_stop_port(&t->stop, t->port.fd);
    sn__bus_log(t->config.component, now_of(t), SN_LOG_INFO, "the port '{}' is open",
                t->config.path);
    if (t->port.latency_ms > 1) {
      sn__bus_log(t->config.component, now_of(t), SN_LOG_WARNING,
                  "the adapter at '{}' collects bytes for several milliseconds: see 'latency' in "
                  "docs/hardware.md",
                  t->config.path);
    }
  } else if (status != t->open_status || strcmp(err.message, t->open_message) != 0) {
    sn__bus_log(t->config.component, now_of(t), SN_LOG_ERROR, "{}", err.message);
  }
  t->open_status = status;
  memcpy(t->open_message, err.message, sizeof t->open_message);
  return status == SN_OK;
}

/* ---- a cycle ---- */

static void take_goals(sn__bus_thread *t) {
  if (!sn__triple_take(&t->goals_turn)) {
    return;
  }
  const sn__bus_goals *goals = &t->goals[t->goals_turn.front];
  if (goals->sent_ns != t->sent_ns) {
    t->sent_ns = goals->sent_ns;
    sn__bus_stop_goals(&t->stop, goals->sent_ns);
  }
  for (size_t i = 0; i < t->config.bus->count; i++) {
    if (goals->has_goal[i]) {
      sn__servo_bus_goal(t->config.bus, i, goals->goal[i], goals->limp[i]);
    }
  }
  if (goals->rearms != t->rearms) {
    t->rearms = goals->rearms;
    sn__servo_bus_rearm(t->config.bus);
  }
}

static void publish(sn__bus_thread *t) {
  const sn__servo_bus *bus = t->config.bus;
  sn__servo_report *report = &t->reports[t->reports_turn.back];
  for (size_t i = 0; i < bus->count; i++) {
    report->servos[i] = sn__servo_bus_state(bus, i);
  }
  report->is_open = t->port.fd >= 0;
  report->stats = bus->engine.stats;
  report->cycles = bus->cycles;
  report->cycles_in_turn = bus->cycles_in_turn;
  report->cycles_late = t->cycles_late;
  report->late_p99_ns = sn__histogram_quantile_ns(&t->late, 0.99);
  report->late_max_ns = sn__histogram_max_ns(&t->late);
  report->stamp_ns = now_of(t);
  sn__triple_publish(&t->reports_turn);
}

static void log_events(sn__bus_thread *t) {
  sn__servo_event event;
  while (sn__servo_bus_next_event(t->config.bus, &event)) {
    sn__bus_log_event(t->config.component, now_of(t), t->config.bus, t->config.names, &event);
  }
}

/* @return false if the port is gone */
static bool run_cycle(sn__bus_thread *t, int64_t due_ns) {
  sn__servo_bus *bus = t->config.bus;
  const int64_t start_ns = now_of(t);
  const int64_t late_ns = start_ns - due_ns;
  sn__histogram_add(&t->late, late_ns);
  t->cycles_late += late_ns > bus->config.period_ns;
  take_goals(t);
  if (!sn__bus_stop_before(&t->stop, start_ns)) {
    return true; /* the guard has the line */
  }
  sn__servo_bus_cycle(bus, start_ns);
  sn__servo_bus_step(bus, start_ns);
  bool is_there = true;
  int64_t heard_ns = start_ns;
  while (is_there && !sn__servo_bus_is_over(bus)) {
    is_there = sn__bus_pass(&bus->engine, &t->port, t->config.clock, OPEN_AGAIN_NS, &heard_ns);
    if (sn__bus_stop_must_yield(&t->stop)) {
      sn__servo_bus_cut(bus);
    }
    sn__servo_bus_step(bus, heard_ns);
  }
  sn__bus_stop_after(&t->stop, now_of(t));
  return is_there;
}

/* Run cycles until `is_done`, half a second at most. */
static void end_with(sn__bus_thread *t, bool (*is_done)(const sn__servo_bus *bus)) {
  const int64_t until_ns = now_of(t) + LET_GO_NS;
  for (int n = 0;
       t->port.fd >= 0 && !is_done(t->config.bus) && (n < LET_GO_CYCLES || now_of(t) < until_ns);
       n++) {
    if (!run_cycle(t, now_of(t))) {
      lose_port(t);
    }
  }
  log_events(t);
}

static void *run_thread(void *argument) {
  sn__bus_thread *t = argument;
  sn__altstack stack;
  sn__altstack_enter(&stack);
  pthread_setname_np(pthread_self(), "bus");
  sn__servo_bus_arm(t->config.bus, true);
  int64_t due_ns = now_of(t);
  while (!atomic_load(&t->must_end)) {
    if (t->port.fd < 0 && !open_port(t)) {
      publish(t);
      sleep_until(t, now_of(t) + OPEN_AGAIN_NS);
      due_ns = now_of(t);
      continue;
    }
    if (!run_cycle(t, due_ns)) {
      lose_port(t);
    }
    log_events(t);
    publish(t);
    due_ns += t->config.bus->config.period_ns;
    if (now_of(t) - due_ns > t->config.bus->config.period_ns) {
      due_ns = now_of(t); /* skip missed cycles */
    }
    due_ns = wait_for_cycle(t, due_ns);
  }
  if (t->config.stops_limp) {
    sn__servo_bus_arm(t->config.bus, false);
    end_with(t, sn__servo_bus_is_limp);
  } else {
    sn__servo_bus_unwatch(t->config.bus);
    end_with(t, sn__servo_bus_is_unwatched);
  }
  close_port(t);
  sn__altstack_leave(&stack);
  return NULL;
}

/* ---- from outside ---- */

static int create_with(sn__bus_thread *t, int priority) {
  pthread_attr_t attributes;
  const struct sched_param param = {.sched_priority = priority};
  pthread_attr_init(&attributes);
  pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
  pthread_attr_setschedpolicy(&attributes, priority > 0 ? SCHED_FIFO : SCHED_OTHER);
  pthread_attr_setschedparam(&attributes, &param);
  const int code = pthread_create(&t->thread, &attributes, run_thread, t);
  pthread_attr_destroy(&attributes);
  return code;
}

static int create_thread(sn__bus_thread *t) {
  const int code = create_with(t, t->config.priority);
  if (code != EPERM || t->config.priority == 0) {
    return code;
  }
  sn__bus_log(t->config.component, now_of(t), SN_LOG_WARNING,
              "the thread of '{}' runs without real-time priority, which this user is not "
              "permitted: 'sinew doctor' says how",
              t->config.path);
  return create_with(t, 0);
}

static sn_status init_stop(sn__bus_thread *t, sn_error *err) {
  const sn__bus_thread_config *c = &t->config;
  const int64_t three_ns = 3 * c->bus->config.period_ns; /* one late cycle is not a hang */
  const sn__bus_stop_config config = {
      .path = c->path,
      .bus = c->bus,
      .component = c->component,
      .estop = c->estop,
      .actuator = c->actuator,
      .goal_timeout_ns = c->goal_timeout_ns,
      .guard_timeout_ns = c->guard_timeout_ns > three_ns ? c->guard_timeout_ns : three_ns,
      .limp = c->safe_limp,
      .priority = c->priority};
  return sn__bus_stop_init(&t->stop, &config, err);
}

sn_status sn__bus_thread_start(const sn__bus_thread_config *config, sn__bus_thread **out,
                               sn_error *err) {
  sn__bus_thread *t = calloc(1, sizeof *t);
  if (t == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for the thread of a bus");
  }
  t->config = *config;
  t->port.fd = -1;
  sn__triple_init(&t->goals_turn);
  sn__triple_init(&t->reports_turn);
  const sn_status status = init_stop(t, err);
  if (status != SN_OK) {
    free(t);
    return status;
  }
  t->wake_fd = eventfd(0, EFD_CLOEXEC);
  if (t->wake_fd < 0 || create_thread(t) != 0) {
    if (t->wake_fd >= 0) {
      close(t->wake_fd);
    }
    sn__bus_stop_leave(&t->stop);
    free(t);
    return sn__fail(err, SN_EIO, "cannot start a thread for the bus");
  }
  *out = t;
  return SN_OK;
}

void sn__bus_thread_end(sn__bus_thread *t) {
  atomic_store(&t->must_end, true);
  const uint64_t one = 1;
  const ssize_t written = write(t->wake_fd, &one, sizeof one);
  (void)written; /* on failure the thread still checks the flag within a period */
}

void sn__bus_thread_stop(sn__bus_thread *t) {
  sn__bus_thread_end(t);
  pthread_join(t->thread, NULL);
  sn__bus_stop_leave(&t->stop);
  close(t->wake_fd);
  free(t);
}

sn__bus_goals *sn__bus_thread_goals(sn__bus_thread *t) {
  return &t->next;
}

void sn__bus_thread_send(sn__bus_thread *t) {
  t->goals[t->goals_turn.back] = t->next;
  sn__triple_publish(&t->goals_turn);
}

const sn__servo_report *sn__bus_thread_report(sn__bus_thread *t) {
  t->has_report = sn__triple_take(&t->reports_turn) || t->has_report;
  return t->has_report ? &t->reports[t->reports_turn.front] : NULL;
}
