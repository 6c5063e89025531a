#include "bus/families/servo_bus.h"

#include <math.h>

#include "base/fail.h"
#include "bus/bus_schedule.h"
#include "bus/families/servo_link.h"
#include "sinew/fault.h"

static const double BYTE_ERROR_FIRST = 0.01; /* a new line counts as noisy */
static const double NOISE_RAD = 0.005,
                    NOISE_COUNTS_MIN = 2.0; /* of a reading; the larger applies */
static const double SPEED_MARGIN = 1.5;     /* a servo pushed from outside is faster */

/* ---- creation ---- */

static sn_status check(const sn__servo_bus_config *config, sn_error *err) {
  if (config->count == 0 || config->count > SN__BUS_SERVOS_MAX) {
    return sn__fail(err, SN_EINVAL, "%zu servos on one bus, must be 1 .. %d", config->count,
                    SN__BUS_SERVOS_MAX);
  }
  for (size_t i = 0; i < config->count; i++) {
    const sn__servo_mount *s = &config->servos[i];
    if (s->id > config->family->protocol->id_max) {
      return sn__fail(err, SN_EINVAL, "servo id %d, must be 0 .. %d", s->id,
                      config->family->protocol->id_max);
    }
    for (size_t k = 0; k < i; k++) {
      if (config->servos[k].id == s->id) {
        return sn__fail(err, SN_EINVAL, "two servos have the id %d", s->id);
      }
    }
    if (!(s->gear > 0.0) || !(s->velocity_max > 0.0) || !(s->goal_min < s->goal_max) ||
        !(s->torque_limit >= 0.0 && s->torque_limit <= 1.0)) {
      return sn__fail(err, SN_EINVAL,
                      "servo %d: gear and velocity must be above 0, the range not empty, the "
                      "torque limit 0 .. 1",
                      s->id);
    }
  }
  return SN_OK;
}

sn_status sn__servo_bus_create(sn_arena *arena, const sn__servo_bus_config *config,
                               sn__servo_bus **out, sn_error *err) {
  const sn_status status = check(config, err);
  if (status != SN_OK) {
    return status;
  }
  const sn_arena_mark mark = sn_arena_save(arena);
  sn__servo_bus *bus = SN_NEW(arena, sn__servo_bus, 1);
  sn__servo *servos = SN_NEW(arena, sn__servo, config->count);
  if (bus == NULL || servos == NULL) {
    sn_arena_restore(arena, mark);
    return sn__fail(err, SN_ENOMEM, "no memory for the servos of a bus");
  }
  bus->config = *config;
  bus->config.servos = NULL; /* copied below */
  bus->servos = servos;
  bus->count = config->count;
  bus->group = 1;
  bus->repeats = 1;
  bus->goal_turns = 1;
  bus->play_time = sn__bus_play_time(config->period_ns);
  bus->byte_error = BYTE_ERROR_FIRST;
  bus->phase = SN__PHASES;
  sn__bus_engine_init(&bus->engine, &(sn_bus_engine_config){.protocol = config->family->protocol,
                                                            .baud = config->baud,
                                                            .answer_ns = config->answer_ns});
  for (size_t i = 0; i < bus->count; i++) {
    servos[i].mount = config->servos[i];
    const double scale = config->family->counts_per_rad;
    sn__plausibility_init(&servos[i].filter, SPEED_MARGIN * servos[i].mount.velocity_max * scale,
                          fmax(NOISE_RAD * scale, NOISE_COUNTS_MIN));
  }
  *out = bus;
  return SN_OK;
}

/* ---- from outside ---- */

void sn__servo_bus_goal(sn__servo_bus *bus, size_t servo, double goal, bool limp) {
  SN_ASSERT(servo < bus->count);
  sn__servo *s = &bus->servos[servo];
  if (isfinite(goal) && !sn__servo_bus_is_frozen(bus)) {
    s->goal = goal;
    s->has_goal = true;
  }
  s->wants_limp = limp;
}

void sn__servo_bus_arm(sn__servo_bus *bus, bool is_armed) {
  bus->is_armed = is_armed;
}

void sn__servo_bus_rearm(sn__servo_bus *bus) {
  const sn_servo_family *family = bus->config.family;
  const bool is_latched = family->fault.size > 0 || family->clear.size > 0;
  for (size_t i = 0; i < bus->count; i++) {
    bus->servos[i].needs_clear =
        is_latched && bus->servos[i].state.faults != 0 && sn__servo_is_read(&bus->servos[i]);
    bus->servos[i].state.faults = 0;
    bus->servos[i].faults_last = 0;
    bus->servos[i].hot_run = 0;
  }
}

void sn__servo_bus_lost(sn__servo_bus *bus, int64_t now_ns) {
  (void)now_ns;
  sn__bus_engine_reset(&bus->engine);
  for (size_t i = 0; i < bus->count; i++) {
    sn__servo_lose(bus, i);
  }
  bus->phase = SN__PHASES;
  bus->fast_misses = 0;
}

void sn__servo_bus_reset(sn__servo_bus *bus) {
  sn__servo_bus_lost(bus, 0);
  sn__servo_bus_rearm(bus);
  bus->is_armed = bus->is_unwatched = false;
  bus->action = SN__BUS_FOLLOW;
  bus->event_count = 0;
  bus->reported_in_turn = bus->reported_noise = bus->reported_stray = false;
  for (size_t i = 0; i < bus->count; i++) {
    bus->servos[i].was_there = false;
    bus->servos[i].unanswered = 0;
    bus->servos[i].reported_model = 0;
    bus->servos[i].has_goal = bus->servos[i].wants_limp = false;
  }
}

sn__servo_state sn__servo_bus_state(const sn__servo_bus *bus, size_t servo) {
  SN_ASSERT(servo < bus->count);
  return bus->servos[servo].state;
}

bool sn__servo_bus_is_limp(const sn__servo_bus *bus) {
  for (size_t i = 0; i < bus->count; i++) {
    if (sn__servo_may_hold(&bus->servos[i])) {
      return false;
    }
  }
  return true;
}

bool sn__servo_bus_next_event(sn__servo_bus *bus, sn__servo_event *out) {
  if (bus->event_count == 0) {
    return false;
  }
  *out = bus->events[bus->event_head];
  bus->event_head = (bus->event_head + 1) % (sizeof bus->events / sizeof *bus->events);
  bus->event_count--;
  return true;
}

void sn__servo_bus_cut(sn__servo_bus *bus) {
  bus->phase = SN__PHASES;
  bus->asks_again = false;
}

bool sn__servo_bus_is_over(const sn__servo_bus *bus) {
  return bus->phase == SN__PHASES && sn__bus_engine_is_idle(&bus->engine);
}
