#include <math.h>
#include <string.h>

#include "bus/driver.h"

static const int64_t STALE_NS = 500000000;

static sn_servo_health_state state_of(sn__servo_link link) {
  switch (link) {
    case SN__LINK_ABSENT:
      return SN_SERVO_ABSENT;
    case SN__LINK_STRANGE:
      return SN_SERVO_STRANGE;
    case SN__LINK_HOLD:
    case SN__LINK_RELEASE:
      return SN_SERVO_HOLDS;
    case SN__LINK_LIMP:
    case SN__LINK_ARM:
      return SN_SERVO_LIMP;
    default:
      return SN_SERVO_FOUND;
  }
}

/* The share of time in which bytes were on the wire, since the last look. */
static void learn_load(sn__driver_bus *bus, const sn__bus_report *report) {
  const int64_t passed_ns = report->stamp_ns - bus->stamp_last;
  if (passed_ns < 100000000) {
    return;
  }
  bus->load = bus->stamp_last == 0
                  ? 0.0
                  : (double)(report->stats.busy_ns - bus->stats_last.busy_ns) / (double)passed_ns;
  bus->stats_last = report->stats;
  bus->stamp_last = report->stamp_ns;
}

/* The latest of each bus. @return whether every port is there */
static bool take_reports(sn__driver *self, uint64_t *in_turn, double *load) {
  bool is_open = true;
  for (size_t b = 0; b < self->bus_count; b++) {
    sn__driver_bus *bus = &self->buses[b];
    const sn__bus_report *report = sn__bus_thread_report(bus->thread);
    is_open = is_open && report != NULL && report->is_open;
    if (report == NULL) {
      continue;
    }
    for (size_t i = 0; i < bus->count; i++) {
      self->states[bus->servo_of[i]] = report->servos[i];
    }
    learn_load(bus, report);
    *in_turn += report->cycles_in_turn;
    *load = fmax(*load, bus->load);
  }
  return is_open;
}

static bool is_known(const sn__servo_state *s, int64_t now_ns) {
  return s->has_position && now_ns - s->read_ns < STALE_NS;
}

static sn_status write_measured(sn__driver *self, int64_t now_ns) {
  sn_joint_state *out = self->joints_measured.msg;
  size_t present = 0;
  bool has_effort = true;
  for (size_t i = 0; i < self->count; i++) {
    const sn__servo_state *s = &self->states[i];
    if (is_known(s, now_ns)) {
      out->position.data[present] = s->q;
      out->velocity.data[present] = s->qd;
      out->effort.data[present++] = s->load * self->torque_max[i];
      has_effort = has_effort && self->torque_max[i] > 0.0;
    }
  }
  if (present == 0) {
    return SN_OK;
  }
  if (present == self->count) {
    sn_msg_names_share(&out->name, self->names);
  } else {
    sn_msg_names_clear(&out->name);
    for (size_t i = 0; i < self->count; i++) {
      const char *name = sn_names_at(self->names, i);
      if (is_known(&self->states[i], now_ns) &&
          sn_msg_names_add(&out->name, name, strlen(name)) != SN_OK) {
        return SN_ENOSPC;
      }
    }
  }
  out->header.stamp_ns = now_ns;
  out->position.count = out->velocity.count = present;
  out->effort.count = has_effort ? present : 0;
  return sn_output_write(&self->joints_measured);
}

static sn_status write_battery(sn__driver *self, int64_t now_ns) {
  double sum = 0.0;
  size_t known = 0;
  for (size_t i = 0; i < self->count; i++) {
    if (self->states[i].voltage > 0.0 && self->states[i].link >= SN__LINK_LIMP) {
      sum += self->states[i].voltage;
      known++;
    }
  }
  if (known == 0) {
    return SN_OK;
  }
  sn_battery_state *out = self->battery_state.msg;
  out->header.stamp_ns = now_ns;
  out->voltage = (float)(sum / (double)known);
  out->current = out->temperature = out->charge = out->capacity = out->design_capacity =
      out->percentage = NAN;
  out->power_supply_status = SN_BATTERY_DISCHARGING;
  out->present = true;
  return sn_output_write(&self->battery_state);
}

static sn_status write_health(sn__driver *self, bool is_open, uint64_t in_turn, double load,
                              int64_t now_ns) {
  sn_servo_health *out = self->health.msg;
  for (size_t i = 0; i < self->count; i++) {
    const sn__servo_state *s = &self->states[i];
    out->state.data[i] = (uint8_t)state_of(s->link);
    out->voltage.data[i] = s->voltage;
    out->temperature.data[i] = s->temperature;
    out->load.data[i] = s->load;
    out->faults.data[i] = (uint8_t)s->faults;
    out->age.data[i] = s->read_ns == 0 ? 0.0 : 1e-9 * (double)(now_ns - s->read_ns);
    out->missed.data[i] = s->missed;
    out->doubted.data[i] = s->doubted;
  }
  const size_t n = self->count;
  out->state.count = out->voltage.count = out->temperature.count = out->load.count = n;
  out->faults.count = out->age.count = out->missed.count = out->doubted.count = n;
  sn_msg_names_share(&out->name, self->names);
  out->header.stamp_ns = now_ns;
  out->connected = is_open;
  out->bus_load = load;
  out->in_turn = in_turn;
  return sn_output_write(&self->health);
}

sn_status sn__driver_write(sn__driver *self, int64_t now_ns) {
  uint64_t in_turn = 0;
  double load = 0.0;
  const bool is_open = take_reports(self, &in_turn, &load);
  sn_status status = write_measured(self, now_ns);
  const sn_status battery = write_battery(self, now_ns);
  status = status == SN_OK ? battery : status;
  const sn_status health = write_health(self, is_open, in_turn, load, now_ns);
  return status == SN_OK ? health : status;
}
