#include "bus/servo_link.h"

#include <math.h>

enum { MISSES_MAX = 20, SILENT_MAX = 2, RUN_MAX = 3 };
static const int64_t PROBE_FIRST_NS = 10000000, PROBE_MAX_NS = 500000000;
static const double VOLTAGE_STEP = 1.0; /* more than this between two readings is doubted once */

const char *sn__servo_link_text(sn__servo_link link) {
  static const char *const texts[] = {"absent", "strange", "found", "found",
                                      "limp",   "arming",  "holds", "releasing"};
  return texts[link];
}

void sn__servo_tell(sn__servo_bus *bus, size_t servo, sn__servo_news_kind kind, int32_t value) {
  const size_t room = sizeof bus->news / sizeof *bus->news;
  if (bus->news_count < room) {
    bus->news[(bus->news_head + bus->news_count++) % room] = (sn__servo_news){kind, servo, value};
  }
}

static bool wants_torque(const sn__servo_bus *bus, const sn__servo *s) {
  return bus->is_armed && s->has_goal && !s->wants_limp && s->state.faults == 0;
}

static double angle_of(const sn__servo_bus *bus, const sn__servo *s, double counts) {
  return s->mount.direction * (counts - s->mount.zero) / bus->config.family->counts_per_rad;
}

int32_t sn__servo_counts(const sn__servo_bus *bus, const sn__servo *s, double angle) {
  const sn_servo_family *family = bus->config.family;
  const double limited = fmax(s->mount.goal_min, fmin(s->mount.goal_max, angle));
  const double counts = s->mount.zero + s->mount.direction * limited * family->counts_per_rad;
  return (int32_t)lround(fmax(0.0, fmin(counts, family->counts_max)));
}

static void set_link(sn__servo *s, sn__servo_link link) {
  s->state.link = link;
  s->step = 0;
}

/* Has the family no such register, the step is done before it is begun. */
static void skip_steps(const sn__servo_bus *bus, sn__servo *s) {
  const sn_servo_family *family = bus->config.family;
  if (s->state.link == SN__LINK_MODEL && s->mount.model == 0) {
    set_link(s, SN__LINK_LIMIT);
  }
  if (s->state.link == SN__LINK_LIMIT && family->torque_limit.size == 0) {
    set_link(s, SN__LINK_LIMP);
  }
  if (s->state.link == SN__LINK_ARM && s->step == 0 && family->goal.size == 0) {
    s->step = 1; /* HerkuleX holds where it is */
  }
}

void sn__servo_begin(sn__servo_bus *bus, size_t index) {
  sn__servo *s = &bus->servos[index];
  const bool wants = wants_torque(bus, s);
  if (s->state.link == SN__LINK_LIMP && wants && s->state.has_position) {
    set_link(s, SN__LINK_ARM);
    skip_steps(bus, s);
  } else if ((s->state.link == SN__LINK_HOLD || s->state.link == SN__LINK_ARM) && !wants) {
    set_link(s, SN__LINK_RELEASE);
  }
  /* Who may not hear it gets no further goals: he would jump when he does. */
  if (s->state.link == SN__LINK_HOLD && s->misses < SILENT_MAX && !bus->is_deaf) {
    const double step = s->mount.velocity_max * 1e-9 * (double)bus->config.period_ns;
    s->sent += fmax(-step, fmin(step, s->goal - s->sent));
  }
}

/* ---- tasks ---- */

bool sn__servo_task(const sn__servo_bus *bus, const sn__servo *s, sn_bus_kind *kind,
                    sn_bus_item *item, uint8_t *data) {
  const sn_servo_family *family = bus->config.family;
  const sn_bus_item torque = {s->mount.id, family->torque_address, 1};
  *kind = SN_BUS_WRITE;
  if (s->needs_clear && family->clear.size == 0) { /* it must begin anew */
    *kind = SN_BUS_REBOOT;
    *item = (sn_bus_item){s->mount.id, 0, 0};
    return true;
  }
  if (s->needs_clear) {
    *item = (sn_bus_item){s->mount.id, family->clear.address, family->clear.size};
    sn_servo_put(family, 0, data, family->clear.size);
    return true;
  }
  if (s->needs_reason) {
    *kind = SN_BUS_READ;
    *item = (sn_bus_item){s->mount.id, family->fault.address, family->fault.size};
    return true;
  }
  switch (s->state.link) {
    case SN__LINK_MODEL:
      *kind = SN_BUS_READ;
      *item = (sn_bus_item){s->mount.id, family->model.address, family->model.size};
      return true;
    case SN__LINK_LIMIT:
      *item = (sn_bus_item){s->mount.id, family->torque_limit.address, family->torque_limit.size};
      sn_servo_put(family, (uint32_t)lround(s->mount.torque_limit * family->torque_limit_full),
                   data, family->torque_limit.size);
      return true;
    case SN__LINK_ARM:
      if (s->step == 0) { /* stay where you are */
        *item = (sn_bus_item){s->mount.id, family->goal.address, family->goal.size};
        (void)family->write_goal(s->trust.counts, data);
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
    const unsigned faults = sn_servo_hardware_faults(status->data[0]);
    s->state.faults |= faults == 0 ? SN_SERVO_FAULT_ALERT : faults;
    sn__servo_tell(bus, index, SN__NEWS_FAULT, (int32_t)s->state.faults);
  }
}

static void take_model(sn__servo_bus *bus, size_t index, const sn_bus_status *status) {
  sn__servo *s = &bus->servos[index];
  const uint32_t model = sn_servo_get(bus->config.family, status->data, 2);
  if (model == s->mount.model) {
    set_link(s, SN__LINK_LIMIT);
  } else {
    set_link(s, SN__LINK_STRANGE);
    sn__servo_tell(bus, index, SN__NEWS_MODEL, (int32_t)model);
  }
}

/* The torque register as it should be? Then the step is over, otherwise it begins again. */
static void take_check(sn__servo_bus *bus, size_t index, const sn_bus_status *status) {
  sn__servo *s = &bus->servos[index];
  const bool arms = s->state.link == SN__LINK_ARM;
  const uint8_t wanted = arms ? bus->config.family->torque_on : 0;
  if (status->data[0] != wanted) {
    s->step = 0;
    return;
  }
  set_link(s, arms ? SN__LINK_HOLD : SN__LINK_LIMP);
  s->sent = angle_of(bus, s, s->trust.counts);
  sn__servo_tell(bus, index, arms ? SN__NEWS_HOLDS : SN__NEWS_RELEASED, 0);
}

void sn__servo_task_done(sn__servo_bus *bus, size_t index, const sn_bus_status *status) {
  sn__servo *s = &bus->servos[index];
  if (status != NULL && (status->faults & SN_SERVO_FAULT_REFUSED) != 0) {
    if (status->error != s->refusal_last) {
      sn__servo_tell(bus, index, SN__NEWS_REFUSED, status->error);
    }
    s->refusal_last = status->error;
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
  } else if (s->state.link == SN__LINK_MODEL && status != NULL) {
    take_model(bus, index, status);
  } else if (s->state.link == SN__LINK_LIMIT) {
    set_link(s, SN__LINK_LIMP);
  } else if (s->state.link == SN__LINK_ARM || s->state.link == SN__LINK_RELEASE) {
    const int last = s->state.link == SN__LINK_ARM ? 2 : 1;
    if (s->step < last) {
      s->step++;
    } else if (status != NULL && status->size == 1) {
      take_check(bus, index, status);
    }
  }
  skip_steps(bus, s);
}

/* ---- what it says ---- */

/* One damaged byte may say anything: what counts is said twice. */
static void watch_faults(sn__servo_bus *bus, size_t index, unsigned faults) {
  sn__servo *s = &bus->servos[index];
  const unsigned both = faults & s->faults_last & ~(unsigned)SN_SERVO_FAULT_REFUSED;
  s->faults_last = faults;
  if ((both & SN_SERVO_FAULT_ALERT) != 0 && s->state.faults == 0) {
    s->needs_reason = true;
  }
  const unsigned fresh = both & ~s->state.faults & ~(unsigned)SN_SERVO_FAULT_ALERT;
  if (fresh != 0) {
    s->state.faults |= fresh;
    sn__servo_tell(bus, index, SN__NEWS_FAULT, (int32_t)fresh);
  }
}

static void watch_temperature(sn__servo_bus *bus, size_t index, double temperature) {
  sn__servo *s = &bus->servos[index];
  const bool is_hot =
      bus->config.temperature_max > 0.0 && temperature > bus->config.temperature_max;
  s->hot_run = is_hot ? s->hot_run + 1 : 0;
  s->state.temperature = temperature;
  if (s->hot_run >= RUN_MAX && (s->state.faults & SN_SERVO_FAULT_TEMPERATURE) == 0) {
    s->state.faults |= SN_SERVO_FAULT_TEMPERATURE;
    sn__servo_tell(bus, index, SN__NEWS_HOT, (int32_t)lround(temperature));
  }
}

static void watch_voltage(sn__servo_bus *bus, size_t index, double voltage) {
  sn__servo *s = &bus->servos[index];
  if (s->state.voltage != 0.0 && fabs(voltage - s->state.voltage) > VOLTAGE_STEP &&
      fabs(voltage - s->voltage_doubted) > VOLTAGE_STEP) {
    s->voltage_doubted = voltage;
    return;
  }
  s->state.voltage = s->voltage_doubted = voltage;
  const sn__servo_bus_config *c = &bus->config;
  const bool is_out = (c->voltage_min > 0.0 && voltage < c->voltage_min) ||
                      (c->voltage_max > 0.0 && voltage > c->voltage_max);
  s->voltage_run = is_out ? s->voltage_run + 1 : 0;
  s->said_voltage = s->said_voltage && is_out;
  if (s->voltage_run >= RUN_MAX && !s->said_voltage) {
    s->said_voltage = true;
    sn__servo_tell(bus, index, SN__NEWS_VOLTAGE, (int32_t)lround(1000.0 * voltage));
  }
}

void sn__servo_take_supply(sn__servo_bus *bus, size_t index, const sn_servo_reading *reading) {
  if (reading->has_supply) {
    watch_voltage(bus, index, reading->voltage);
  }
  if (reading->has_temperature) {
    watch_temperature(bus, index, reading->temperature);
  }
}

void sn__servo_take_state(sn__servo_bus *bus, size_t index, const sn_bus_status *status,
                          int64_t now_ns) {
  sn__servo *s = &bus->servos[index];
  const sn_servo_family *family = bus->config.family;
  s->misses = 0;
  watch_faults(bus, index, status->faults);
  if (status->size != family->state.size) {
    return;
  }
  sn_servo_reading reading;
  family->read_state(status->data, &reading);
  if (!sn__servo_trust_take(&s->trust, reading.counts, reading.check, now_ns)) {
    s->state.doubted++;
    return;
  }
  const double per_joint = s->mount.direction / (family->counts_per_rad * s->mount.gear);
  s->state.q = angle_of(bus, s, reading.counts) / s->mount.gear;
  s->state.qd = fabs(reading.velocity) <= 2.0 * s->trust.speed_max ? reading.velocity * per_joint
                                                                   : s->trust.velocity * per_joint;
  s->state.load = s->mount.direction * fmax(-1.0, fmin(1.0, reading.load));
  s->state.read_ns = now_ns;
  s->state.has_position = true;
  sn__servo_take_supply(bus, index, &reading);
}

/* Its torque is gone and nobody took it: it was without power for a moment. */
void sn__servo_take_torque(sn__servo_bus *bus, size_t index, const sn_bus_status *status) {
  sn__servo *s = &bus->servos[index];
  if (s->state.link == SN__LINK_HOLD && status->size == 1 &&
      status->data[0] != bus->config.family->torque_on) {
    sn__servo_tell(bus, index, SN__NEWS_POWER, 0);
    set_link(s, SN__LINK_LIMIT);
    sn__servo_trust_reset(&s->trust);
    s->state.has_position = false;
    skip_steps(bus, s);
  }
}

void sn__servo_ping_done(sn__servo_bus *bus, size_t index, bool is_garbled, int64_t now_ns) {
  sn__servo *s = &bus->servos[index];
  const size_t answers = s->ping_answers;
  s->ping_answers = 0;
  s->doubles = answers > 1 ? s->doubles + 1 : 0;
  if (s->doubles == 1 && s->state.link != SN__LINK_STRANGE) {
    s->probe_ns = now_ns; /* one of them may have been late, for the last ping */
    return;
  }
  if (answers == 1 && !is_garbled) {
    if (s->state.link == SN__LINK_ABSENT) {
      sn__servo_tell(bus, index, SN__NEWS_FOUND, 0);
    }
    set_link(s, SN__LINK_MODEL);
    s->misses = 0;
    s->refusal_last = 0;
    s->probe_wait_ns = PROBE_FIRST_NS;
    s->probe_ns = now_ns + PROBE_MAX_NS; /* if it is of the wrong model */
    skip_steps(bus, s);
    return;
  }
  if (answers > 1) {
    if (s->state.link != SN__LINK_STRANGE) {
      sn__servo_tell(bus, index, SN__NEWS_DUPLICATE, (int32_t)answers);
    }
    set_link(s, SN__LINK_STRANGE);
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
    sn__servo_tell(bus, index, SN__NEWS_LOST, 0);
  }
  set_link(s, SN__LINK_ABSENT);
  s->state.has_position = false;
  s->needs_reason = s->needs_clear = false;
  s->misses = 0;
  s->probe_wait_ns = 0;
  s->probe_ns = 0;
  s->ping_answers = 0;
  sn__servo_trust_reset(&s->trust);
}
