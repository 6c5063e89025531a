#include <math.h>
#include <string.h>

#include "bus/driver/driver.h"

static const int64_t STALE_NS = 500000000, LOOK_NS = 500000000;

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

/* Load of the bus since the last report. */
static void learn_load(sn__driver_bus *bus, const sn__servo_report *report) {
  const int64_t passed_ns = report->stamp_ns - bus->stamp_last;
  if (passed_ns < LOOK_NS) {
    return;
  }
  if (bus->stamp_last != 0) {
    const sn_bus_stats *now = &report->stats, *then = &bus->stats_last;
    const double passed_s = 1e-9 * (double)passed_ns;
    bus->load = (double)(now->busy_ns - then->busy_ns) / (double)passed_ns;
    bus->rate_Hz = (double)(report->cycles - bus->cycles_last) / passed_s;
    bus->bytes_per_s =
        (double)(now->sent_bytes + now->received_bytes - then->sent_bytes - then->received_bytes) /
        passed_s;
  }
  bus->stats_last = report->stats;
  bus->cycles_last = report->cycles;
  bus->stamp_last = report->stamp_ns;
}

/* Read the latest report of each bus. @return whether every port is open */
static bool take_reports(sn__driver *self) {
  bool is_open = true;
  for (size_t b = 0; b < self->bus_count; b++) {
    sn__driver_bus *bus = &self->buses[b];
    const sn__servo_report *report = sn__bus_thread_report(bus->thread);
    is_open = is_open && report != NULL && report->is_open;
    if (report == NULL) {
      continue;
    }
    for (size_t i = 0; i < bus->count; i++) {
      self->states[bus->servo_of[i]] = report->servos[i];
    }
    learn_load(bus, report);
  }
  return is_open;
}

bool sn__driver_is_known(const sn__servo_state *servo, int64_t now_ns) {
  return servo->has_position && now_ns - servo->read_ns < STALE_NS;
}

static sn_status write_measured(sn__driver *self, int64_t now_ns) {
  sn_joint_state *out = self->joints_measured.msg;
  size_t present = 0;
  bool has_effort = true;
  for (size_t i = 0; i < self->count; i++) {
    const sn__servo_state *s = &self->states[i];
    if (sn__driver_is_known(s, now_ns)) {
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
      if (sn__driver_is_known(&self->states[i], now_ns) &&
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

static void write_servos(const sn__driver *self, sn_servo_health *out, int64_t now_ns) {
  const size_t n = self->count;
  for (size_t i = 0; i < n; i++) {
    const sn__servo_state *s = &self->states[i];
    out->state.data[i] = (uint8_t)state_of(s->link);
    out->voltage.data[i] = s->voltage;
    out->temperature.data[i] = s->temperature;
    out->load.data[i] = s->load;
    out->faults.data[i] = (uint8_t)s->faults;
    out->age.data[i] = s->read_ns == 0 ? 0.0 : 1e-9 * (double)(now_ns - s->read_ns);
    out->missed.data[i] = s->missed;
    out->retried.data[i] = s->retried;
    out->damaged.data[i] = s->damaged;
    out->doubted.data[i] = s->doubted;
  }
  out->state.count = out->voltage.count = out->temperature.count = out->load.count = n;
  out->faults.count = out->age.count = out->missed.count = out->doubted.count = n;
  out->retried.count = out->damaged.count = n;
  sn_msg_names_share(&out->name, self->names);
}

static void write_buses(const sn__driver *self, sn_servo_health *out) {
  const size_t n = self->bus_count;
  out->in_turn = 0;
  for (size_t b = 0; b < n; b++) {
    const sn__driver_bus *bus = &self->buses[b];
    static const sn__servo_report nothing;
    const sn__servo_report *latest = sn__bus_thread_report(bus->thread);
    const sn__servo_report *report = latest == NULL ? &nothing : latest;
    out->bus_rate.data[b] = bus->rate_Hz;
    out->bus_load.data[b] = bus->load;
    out->bus_bytes.data[b] = bus->bytes_per_s;
    out->jitter.data[b] = 1e-9 * (double)report->late_p99_ns;
    out->jitter_max.data[b] = 1e-9 * (double)report->late_max_ns;
    out->bus_retried.data[b] = report->stats.retries;
    out->bus_missed.data[b] = report->stats.missing;
    out->bus_damaged.data[b] = report->stats.damaged;
    out->in_turn += report->cycles_in_turn;
  }
  out->bus_rate.count = out->bus_load.count = out->bus_bytes.count = n;
  out->jitter.count = out->jitter_max.count = n;
  out->bus_retried.count = out->bus_missed.count = out->bus_damaged.count = n;
  sn_msg_names_share(&out->bus, self->bus_names);
}

static sn_status write_health(sn__driver *self, bool is_open, int64_t now_ns) {
  sn_servo_health *out = self->health.msg;
  out->header.stamp_ns = now_ns;
  out->connected = is_open;
  write_servos(self, out, now_ns);
  write_buses(self, out);
  return sn_output_write(&self->health);
}

sn_status sn__driver_write(sn__driver *self, int64_t now_ns) {
  const bool is_open = take_reports(self);
  sn__driver_calibration_step(self, now_ns);
  sn_status status = write_measured(self, now_ns);
  const sn_status battery = write_battery(self, now_ns);
  status = status == SN_OK ? battery : status;
  const sn_status health = write_health(self, is_open, now_ns);
  return status == SN_OK ? health : status;
}
