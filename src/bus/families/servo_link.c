#include "bus/families/servo_link.h"

#include <math.h>

enum { MISSES_MAX = 20, SILENT_MAX = 2, PINGS_MISSING = 5 };
static const int64_t PROBE_FIRST_NS = 10000000, PROBE_MAX_NS = 500000000;

void sn__servo_add_event(sn__servo_bus *bus, size_t servo, sn__servo_event_kind kind,
                         int32_t value) {
  const size_t room = sizeof bus->events / sizeof *bus->events;
  if (bus->event_count < room) {
    bus->events[(bus->event_head + bus->event_count++) % room] =
        (sn__servo_event){kind, servo, value};
  }
}

/* A frozen servo keeps its torque and does not gain any. */
static bool may_have_torque(const sn__servo_bus *bus, const sn__servo *s) {
  const bool has = s->state.link == SN__LINK_HOLD || s->state.link == SN__LINK_ARM;
  return !sn__servo_bus_is_frozen(bus) || (bus->action != SN__BUS_LIMP && has);
}

static bool wants_torque(const sn__servo_bus *bus, const sn__servo *s) {
  return bus->is_armed && may_have_torque(bus, s) && s->has_goal && !s->wants_limp &&
         s->state.faults == 0;
}

/* A servo that was absent keeps its torque. Torque is switched off only on request: a servo that
   was just found may be holding up a robot. */
static bool must_let_go(const sn__servo_bus *bus, const sn__servo *s) {
  const bool has = s->state.link == SN__LINK_HOLD || s->state.link == SN__LINK_ARM;
  const bool is_limp_asked = !bus->is_armed || bus->action == SN__BUS_LIMP || s->wants_limp;
  return (has && !wants_torque(bus, s)) ||
         (s->state.link == SN__LINK_LIMP && s->is_torque_unknown && is_limp_asked);
}

double sn__servo_angle(const sn__servo_bus *bus, const sn__servo *s, double counts) {
  return s->mount.direction * (counts - s->mount.zero) / bus->config.family->counts_per_rad;
}

int32_t sn__servo_counts(const sn__servo_bus *bus, const sn__servo *s, double angle) {
  const sn_servo_family *family = bus->config.family;
  const double limited = fmax(s->mount.goal_min, fmin(s->mount.goal_max, angle));
  const double counts = s->mount.zero + s->mount.direction * limited * family->counts_per_rad;
  return (int32_t)lround(fmax(0.0, fmin(counts, family->counts_max)));
}

void sn__servo_set_link(sn__servo *s, sn__servo_link link) {
  s->state.link = link;
  s->step = 0;
  s->clears_watchdog = s->clears_watchdog || link == SN__LINK_LIMIT;
  s->sets_watchdog = link == SN__LINK_HOLD;
}

void sn__servo_skip_steps(const sn__servo_bus *bus, sn__servo *s) {
  const sn_servo_family *family = bus->config.family;
  if (s->state.link == SN__LINK_MODEL && s->mount.model == 0) {
    sn__servo_set_link(s, SN__LINK_LIMIT);
  }
  if (s->state.link == SN__LINK_LIMIT && family->torque_limit.size == 0) {
    sn__servo_set_link(s, SN__LINK_LIMP);
  }
  if (s->state.link == SN__LINK_ARM && s->step == 0 && family->goal.size == 0) {
    s->step = 1; /* HerkuleX holds its position */
  }
}

void sn__servo_begin(sn__servo_bus *bus, size_t index) {
  sn__servo *s = &bus->servos[index];
  if (s->state.link == SN__LINK_LIMP && wants_torque(bus, s) && s->state.has_position) {
    sn__servo_set_link(s, SN__LINK_ARM);
    sn__servo_skip_steps(bus, s);
  } else if (must_let_go(bus, s)) {
    sn__servo_set_link(s, SN__LINK_RELEASE);
  }
  /* A servo that may have missed goals gets no more: it would jump at the next one.
   */
  if (!sn__servo_bus_is_frozen(bus) && s->state.link == SN__LINK_HOLD &&
      s->unsent < bus->goal_turns && s->misses < SILENT_MAX && !bus->is_silent) {
    s->unsent++;
    const double step = s->mount.velocity_max * 1e-9 * (double)bus->step_ns;
    s->sent += fmax(-step, fmin(step, s->goal - s->sent));
  }
}

/* ---- tasks ---- */

bool sn__servo_task(const sn__servo_bus *bus, const sn__servo *s, sn_bus_kind *kind,
                    sn_bus_item *item, uint8_t *data) {
  const sn_servo_family *family = bus->config.family;
  const sn_bus_item torque = {s->mount.id, family->torque_address, 1};
  *kind = SN_BUS_WRITE;
  if (s->needs_clear && family->clear.size == 0) { /* restart it */
    *kind = SN_BUS_REBOOT;
    *item = (sn_bus_item){s->mount.id, 0, 0};
    return true;
  }
  if (s->needs_clear) {
    *item = (sn_bus_item){s->mount.id, family->clear.address, family->clear.size};
    sn__servo_put(family, 0, data, family->clear.size);
    return true;
  }
  if (s->needs_reason) {
    *kind = SN_BUS_READ;
    *item = (sn_bus_item){s->mount.id, family->fault.address, family->fault.size};
    return true;
  }
  if (sn__servo_watchdog_task(bus, s, item, data)) {
    return true;
  }
  switch (s->state.link) {
    case SN__LINK_MODEL:
      *kind = SN_BUS_READ;
      *item = (sn_bus_item){s->mount.id, family->model.address, family->model.size};
      return true;
    case SN__LINK_LIMIT:
      *item = (sn_bus_item){s->mount.id, family->torque_limit.address, family->torque_limit.size};
      sn__servo_put(family, (uint32_t)lround(s->mount.torque_limit * family->torque_limit_full),
                    data, family->torque_limit.size);
      return true;
    case SN__LINK_ARM:
      if (s->step == 0) { /* the goal is the present position */
        *item = (sn_bus_item){s->mount.id, family->goal.address, family->goal.size};
        (void)family->write_goal(s->filter.counts, data);
        return true;
      }
      *kind = s->step == 1 ? SN_BUS_WRITE : SN_BUS_READ;
      *item = torque;
      data[0] = family->torque_on;
      return true;
    case SN__LINK_RELEASE:
      *kind = s->step == 0 ? SN_BUS_WRITE : SN_BUS_READ;
      *item = torque;
      data[0] = 0;
      return true;
    default:
      return false;
  }
}

static void take_reason(sn__servo_bus *bus, size_t index, const sn_bus_status *status) {
  sn__servo *s = &bus->servos[index];
  s->needs_reason = false;
  if (status->size == 1) {
    const unsigned faults = sn__servo_hardware_faults(status->data[0]);
    s->state.faults |= faults == 0 ? SN_SERVO_FAULT_ALERT : faults;
    sn__servo_add_event(bus, index, SN__SERVO_EVENT_FAULT, (int32_t)s->state.faults);
  }
}

static void take_model(sn__servo_bus *bus, size_t index, const sn_bus_status *status) {
  sn__servo *s = &bus->servos[index];
  const uint32_t model = sn__servo_get(bus->config.family, status->data, 2);
  if (model == s->mount.model) {
    sn__servo_set_link(s, SN__LINK_LIMIT);
  } else {
    sn__servo_set_link(s, SN__LINK_STRANGE);
    if (model != s->reported_model) { /* the model is read repeatedly */
      sn__servo_add_event(bus, index, SN__SERVO_EVENT_MODEL, (int32_t)model);
    }
    s->reported_model = model;
  }
}

/* Finish the step if the torque register has the desired value, otherwise repeat it. */
static void take_check(sn__servo_bus *bus, size_t index, const sn_bus_status *status) {
  sn__servo *s = &bus->servos[index];
  const bool arms = s->state.link == SN__LINK_ARM;
  const uint8_t wanted = arms ? bus->config.family->torque_on : 0;
  if (status->data[0] != wanted) {
    s->step = 0;
    return;
  }
  sn__servo_set_link(s, arms ? SN__LINK_HOLD : SN__LINK_LIMP);
  s->is_torque_unknown = false;
  s->unsent = 0;
  s->frozen = s->filter.counts;
  s->sent = sn__servo_angle(bus, s, s->frozen);
  sn__servo_add_event(bus, index, arms ? SN__SERVO_EVENT_HOLDS : SN__SERVO_EVENT_RELEASED, 0);
}

void sn__servo_task_done(sn__servo_bus *bus, size_t index, const sn_bus_status *status) {
  sn__servo *s = &bus->servos[index];
  if (status != NULL && (status->faults & SN_SERVO_FAULT_REFUSED) != 0) {
    if (status->error != s->refusal_last) {
      sn__servo_add_event(bus, index, SN__SERVO_EVENT_REFUSED, status->error);
    }
    s->refusal_last = status->error;
    if (!s->needs_clear && !s->needs_reason) {
      (void)sn__servo_watchdog_done(bus, s); /* it has none */
    }
    s->needs_reason = false;
    return;
  }
  s->misses = 0;
  if (s->needs_clear) {
    s->needs_clear = false;
    if (bus->config.family->clear.size == 0) {
      sn__servo_lose(bus, index);
    }
    return;
  }
  if (s->needs_reason && status != NULL) {
    take_reason(bus, index, status);
  } else if (sn__servo_watchdog_done(bus, s)) {
    return;
  } else if (s->state.link == SN__LINK_MODEL && status != NULL) {
    take_model(bus, index, status);
  } else if (s->state.link == SN__LINK_LIMIT) {
    sn__servo_set_link(s, SN__LINK_LIMP);
  } else if (s->state.link == SN__LINK_ARM || s->state.link == SN__LINK_RELEASE) {
    const int last = s->state.link == SN__LINK_ARM ? 2 : 1;
    if (s->step < last) {
      s->step++;
    } else if (status != NULL && status->size == 1) {
      take_check(bus, index, status);
    }
  }
  sn__servo_skip_steps(bus, s);
}

/* ---- presence ---- */

void sn__servo_ping_done(sn__servo_bus *bus, size_t index, bool is_garbled, int64_t now_ns) {
  sn__servo *s = &bus->servos[index];
  const size_t answers = s->ping_answers;
  s->ping_answers = 0;
  s->doubles = answers > 1 ? s->doubles + 1 : 0;
  s->unanswered = answers == 0 ? s->unanswered + 1 : 0;
  if (s->unanswered == PINGS_MISSING && !s->was_there) {
    sn__servo_add_event(bus, index, SN__SERVO_EVENT_MISSING, 0);
  }
  s->was_there = s->was_there || answers > 0;
  if (s->doubles == 1 && s->state.link != SN__LINK_STRANGE) {
    s->probe_ns = now_ns; /* one answer may be a late one to the last ping */
    return;
  }
  if (answers == 1 && !is_garbled) {
    if (s->state.link == SN__LINK_ABSENT) {
      sn__servo_add_event(bus, index, SN__SERVO_EVENT_FOUND, 0);
    }
    sn__servo_set_link(s, SN__LINK_MODEL);
    s->is_torque_unknown = true;
    s->misses = 0;
    s->refusal_last = 0;
    s->probe_wait_ns = PROBE_FIRST_NS;
    s->probe_ns = now_ns + PROBE_MAX_NS; /* if it is of the wrong model */
    sn__servo_skip_steps(bus, s);
    return;
  }
  if (answers > 1) {
    if (s->state.link != SN__LINK_STRANGE) {
      sn__servo_add_event(bus, index, SN__SERVO_EVENT_DUPLICATE, (int32_t)answers);
    }
    sn__servo_set_link(s, SN__LINK_STRANGE);
  } else if (answers == 0) {
    s->state.link = SN__LINK_ABSENT;
  }
  s->probe_wait_ns = s->probe_wait_ns == 0 ? PROBE_FIRST_NS : 2 * s->probe_wait_ns;
  s->probe_wait_ns = s->probe_wait_ns > PROBE_MAX_NS ? PROBE_MAX_NS : s->probe_wait_ns;
  s->probe_ns = now_ns + s->probe_wait_ns;
}

void sn__servo_missed(sn__servo_bus *bus, size_t index) {
  sn__servo *s = &bus->servos[index];
  s->state.missed++;
  if (++s->misses >= MISSES_MAX) {
    sn__servo_lose(bus, index);
  }
}

void sn__servo_lose(sn__servo_bus *bus, size_t index) {
  sn__servo *s = &bus->servos[index];
  if (s->state.link != SN__LINK_ABSENT) {
    sn__servo_add_event(bus, index, SN__SERVO_EVENT_LOST, 0);
  }
  sn__servo_set_link(s, SN__LINK_ABSENT);
  s->state.has_position = false;
  s->needs_reason = s->needs_clear = s->is_torque_doubted = false;
  s->misses = 0;
  s->probe_wait_ns = 0;
  s->probe_ns = 0;
  s->ping_answers = 0;
  sn__plausibility_reset(&s->filter);
}
