#include <math.h>

#include "bus/bus_schedule.h"
#include "bus/families/servo_link.h"

enum { RUN_MAX = 3 };
static const double VOLTAGE_STEP = 1.0; /* a larger step between two readings must be confirmed */

/* A damaged byte can have any value: require two equal readings. */
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
    sn__servo_add_event(bus, index, SN__SERVO_EVENT_FAULT, (int32_t)fresh);
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
    sn__servo_add_event(bus, index, SN__SERVO_EVENT_HOT, (int32_t)lround(temperature));
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
  s->reported_voltage = s->reported_voltage && is_out;
  if (s->voltage_run >= RUN_MAX && !s->reported_voltage) {
    s->reported_voltage = true;
    sn__servo_add_event(bus, index, SN__SERVO_EVENT_VOLTAGE, (int32_t)lround(1000.0 * voltage));
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
  if (2 * s->misses * bus->config.period_ns > bus->config.watchdog_ns) {
    sn__servo_renew_watchdog(bus, s); /* the servo may have been without packets for too long */
  }
  s->misses = 0;
  watch_faults(bus, index, status->faults);
  if (status->size != family->state.size) {
    return;
  }
  sn_servo_reading reading;
  family->read_state(status->data, &reading);
  const int32_t check = reading.check ^ (int32_t)status->error << 16;
  const sn__reading_verdict verdict =
      sn__plausibility_take(&s->filter, reading.counts, check, sn__bus_reads_twice(bus), now_ns);
  s->state.doubted += verdict == SN__READING_DOUBTED;
  if (verdict != SN__READING_ACCEPTED) {
    return;
  }
  const double per_joint = s->mount.direction / (family->counts_per_rad * s->mount.gear);
  s->state.counts = reading.counts;
  s->state.q = sn__servo_angle(bus, s, reading.counts) / s->mount.gear;
  s->state.qd = fabs(reading.velocity) <= 2.0 * s->filter.speed_max
                    ? reading.velocity * per_joint
                    : s->filter.velocity * per_joint;
  s->state.load = s->mount.direction * fmax(-1.0, fmin(1.0, reading.load));
  s->state.read_ns = now_ns;
  s->state.has_position = true;
  sn__servo_take_supply(bus, index, &reading);
}

/* The torque is off although it was not released: the servo lost power for a moment. Two readings
   are required, since one may be damaged; until the second the servo is asked first. */
void sn__servo_take_torque(sn__servo_bus *bus, size_t index, const sn_bus_status *status) {
  sn__servo *s = &bus->servos[index];
  const bool is_gone = s->state.link == SN__LINK_HOLD && status->size == 1 &&
                       status->data[0] != bus->config.family->torque_on;
  const bool was_gone = s->is_torque_doubted;
  s->is_torque_doubted = is_gone && !was_gone;
  if (is_gone && was_gone) {
    sn__servo_add_event(bus, index, SN__SERVO_EVENT_POWER, 0);
    sn__servo_set_link(s, SN__LINK_LIMIT);
    sn__plausibility_reset(&s->filter);
    s->state.has_position = false;
    sn__servo_skip_steps(bus, s);
  }
}
