#include "bus/bus_stop.h"

#include <inttypes.h>
#include <stdio.h>

#include "bus/bus_events.h"
#include "rt/component_runtime.h"

/* A system that shuts down stops its cycles shortly before its drivers. In this time the servos
   follow `stop`; if the drivers do not stop in time, the goals are stale. */
static const int64_t END_NS = INT64_C(5000000000);

sn_status sn__bus_stop_init(sn__bus_stop *stop, const sn__bus_stop_config *config, sn_error *err) {
  *stop = (sn__bus_stop){.config = *config, .place = -1};
  if (config->estop == NULL) {
    stop->config.estop = &stop->own;
    stop->config.actuator = -1;
  }
  sn__bus_safety_init(&stop->safety, config->goal_timeout_ns, config->limp);
  const sn__guard_config guard = {.path = config->path,
                                  .timeout_ns = config->guard_timeout_ns,
                                  .limp = config->limp,
                                  .priority = config->priority};
  sn_error failure = {.code = SN_OK};
  stop->place = sn__guard_enter(&guard, &failure);
  if (stop->place < 0 && err != NULL) {
    *err = failure;
  }
  return stop->place < 0 ? failure.code : SN_OK;
}

void sn__bus_stop_leave(sn__bus_stop *stop) {
  sn__guard_leave(stop->place);
}

void sn__bus_stop_goals(sn__bus_stop *stop, int64_t sent_ns) {
  sn__bus_safety_goals(&stop->safety, sent_ns);
}

static void write_frames(sn__bus_stop *stop) {
  (stop->config.limp ? sn__safe_frames_limp : sn__safe_frames_hold)(stop->config.bus, &stop->safe);
  sn__guard_frames(stop->place, &stop->safe);
}

void sn__bus_stop_port(sn__bus_stop *stop, int fd) {
  if (fd >= 0) {
    write_frames(stop);
  }
  sn__guard_port(stop->place, fd);
}

/* ---- before a cycle ---- */

static void log_text(const sn__bus_stop *stop, int64_t now_ns, sn_log_level level,
                     const char *text) {
  sn__bus_log(stop->config.component, now_ns, level, "{}", text);
}

static const char *trouble_text(sn__guard_trouble trouble) {
  switch (trouble) {
    case SN__GUARD_STOPPED:
      return "the process was stopped by a signal or a debugger";
    case SN__GUARD_HUNG:
      return "the thread of a bus hung";
    default:
      return "the process was about to end";
  }
}

/* The reason goes to the log and is stored with the latch, for later queries. */
static void stop_now(sn__bus_stop *stop, int64_t now_ns) {
  const sn__bus_safety *safety = &stop->safety;
  sn__servo_bus_freeze(stop->config.bus, safety->action);
  if (safety->cause == SN__BUS_ESTOP) {
    return; /* logged by the component that stopped */
  }
  const char *who = stop->config.component == NULL ? "bus" : stop->config.component->name;
  char why[160];
  if (safety->cause == SN__BUS_STALE) {
    snprintf(why, sizeof why, "no goals for %" PRId64 " ms at '%.60s'", safety->stale_ns / 1000000,
             stop->config.path);
  } else {
    who = "guard";
    snprintf(why, sizeof why, "%s ('%.60s')", trouble_text(sn__guard_tripped(stop->place)),
             stop->config.path);
  }
  char line[240];
  snprintf(line, sizeof line, "%s: emergency stop, servos %s", why,
           safety->action == SN__BUS_LIMP ? "go limp" : "hold where they are");
  log_text(stop, now_ns, SN_LOG_ERROR, line);
  if (stop->view.number == 0) {
    (void)sn__estop_request(stop->config.estop, who, why);
  }
}

static int64_t goal_timeout_ns(const sn__bus_stop *stop) {
  const sn_component *component = stop->config.component;
  const sn_activity *activity = component == NULL ? NULL : component->runtime->activity;
  const bool is_ending = activity != NULL && !atomic_load(&activity->is_live);
  const int64_t usual_ns = stop->config.goal_timeout_ns;
  return is_ending && usual_ns < END_NS ? END_NS : usual_ns;
}

/* Check the guard process and log changes. */
static void check_guard(sn__bus_stop *stop, int64_t now_ns) {
  sn_error err = {.code = SN_OK};
  const sn_status status = sn__guard_check(now_ns, &err);
  if (status == SN_ESTOPPED) {
    log_text(stop, now_ns, SN_LOG_WARNING,
             "the guard process had ended; another one has been started");
  } else if (status != SN_OK && stop->guard_was == SN_OK) {
    log_text(stop, now_ns, SN_LOG_ERROR, err.message);
  }
  stop->guard_was = status == SN_ESTOPPED ? SN_OK : status;
}

bool sn__bus_stop_before(sn__bus_stop *stop, int64_t now_ns) {
  if (sn__guard_is_dying()) {
    return false;
  }
  check_guard(stop, now_ns);
  sn__guard_beat(stop->place, now_ns);
  stop->view = sn__estop_look(stop->config.estop);
  const sn__bus_action was = stop->safety.action;
  stop->safety.goal_timeout_ns = goal_timeout_ns(stop);
  const bool is_tripped = sn__guard_tripped(stop->place) != SN__GUARD_FINE;
  stop->order = sn__bus_safety_judge(&stop->safety, &stop->view, is_tripped, now_ns);
  if (was == SN__BUS_FOLLOW && stop->safety.action != SN__BUS_FOLLOW) {
    stop_now(stop, now_ns);
  } else if (was != SN__BUS_FOLLOW && stop->safety.action == SN__BUS_FOLLOW) {
    sn__servo_bus_thaw(stop->config.bus);
    sn__guard_clear(stop->place);
  }
  return true;
}

bool sn__bus_stop_must_yield(const sn__bus_stop *stop) {
  return sn__guard_is_dying() || (stop->safety.action == SN__BUS_FOLLOW &&
                                  sn__guard_tripped(stop->place) != SN__GUARD_FINE);
}

bool sn__bus_stop_is_awaited(const sn__bus_stop *stop) {
  return sn__estop_latched(stop->config.estop) > stop->confirmed;
}

void sn__bus_stop_after(sn__bus_stop *stop, int64_t now_ns) {
  const bool follows = stop->safety.action == SN__BUS_FOLLOW;
  const sn__estop_order done = follows                               ? SN__ORDER_FOLLOW
                               : stop->safety.action == SN__BUS_KEEP ? SN__ORDER_HOLD
                                                                     : SN__ORDER_FREEZE;
  const bool is_obeyed =
      follows ? stop->order == SN__ORDER_FOLLOW : sn__servo_bus_is_stopped(stop->config.bus);
  if (stop->view.number != 0 && is_obeyed) {
    sn__estop_confirm(stop->config.estop, stop->config.actuator, stop->view.number, done);
    stop->confirmed = stop->view.number;
  }
  write_frames(stop);
  sn__guard_beat(stop->place, now_ns);
}
