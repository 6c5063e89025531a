#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "bus/bus_schedule.h"
#include "bus/driver/calibration_file.h"
#include "bus/driver/driver.h"
#include "rt/components/robot_model_client.h"

static const double VELOCITY_DEFAULT = 6.0;

static const sn__driver_servo *item_at(const sn__driver *self, size_t index) {
  return &self->items[index];
}

static sn_status check_item(const sn__driver *self, size_t index, sn_error *err) {
  const sn__driver_servo *item = item_at(self, index);
  if (sn_model_joint_index(self->model, item->joint) < 0) {
    return sn__fail(err, SN_ENOENT, "servos[%zu]: the robot has no movable joint '%.80s'", index,
                    item->joint);
  }
  if ((size_t)item->port >= self->ports.count) {
    return sn__fail(err, SN_EINVAL, "servo '%.80s': port %d, but there are %zu ports", item->joint,
                    (int)item->port, self->ports.count);
  }
  if (item->id > self->family->protocol->id_max) {
    return sn__fail(err, SN_EINVAL, "servo '%.80s': id %d, must be 0 .. %d", item->joint,
                    (int)item->id, self->family->protocol->id_max);
  }
  if (item->direction == 0) {
    return sn__fail(err, SN_EINVAL, "servo '%.80s': direction must be 1 or -1", item->joint);
  }
  if (item->min > item->max) {
    return sn__fail(err, SN_EINVAL, "servo '%.80s': min %g rad is above max %g rad", item->joint,
                    item->min, item->max);
  }
  for (size_t i = 0; i < index; i++) {
    const sn__driver_servo *other = item_at(self, i);
    if (other->port == item->port && other->id == item->id) {
      return sn__fail(err, SN_EINVAL, "servos '%.60s' and '%.60s' have the same id %d",
                      other->joint, item->joint, (int)item->id);
    }
  }
  return SN_OK;
}

/* Values not given come from the robot. Goals are in servo units: joint times gear. */
static sn__servo_mount mount_of(const sn__driver *self, const sn__driver_servo *item) {
  const int index = sn_model_joint_index(self->model, item->joint);
  const sn_joint *joint = sn_model_joint(self->model, (size_t)index);
  const bool is_said = item->min != 0.0 || item->max != 0.0;
  const double turn = 1e3; /* a joint without limits: the servo's range applies */
  const double lower = is_said ? item->min : fmax(joint->lower, -turn);
  const double upper = is_said ? item->max : fmin(joint->upper, turn);
  const double velocity = item->velocity_max > 0.0        ? item->velocity_max
                          : isfinite(joint->velocity_max) ? joint->velocity_max
                                                          : VELOCITY_DEFAULT;
  return (sn__servo_mount){.id = (uint8_t)item->id,
                           .model = (uint16_t)item->model,
                           .direction = (int)item->direction,
                           .zero = item->zero < 0.0 ? self->family->counts_centre : item->zero,
                           .gear = item->gear,
                           .goal_min = lower * item->gear,
                           .goal_max = fmax(upper, lower + 1e-6) * item->gear,
                           .velocity_max = fmax(velocity, 1e-3) * item->gear,
                           .torque_limit = item->torque_limit};
}

static bool create_arrays(sn__driver *self, sn_arena *arena) {
  const size_t n = self->count;
  self->calibration.joints = SN_NEW(arena, sn__calibration, n);
  self->bus_of = SN_NEW(arena, size_t, n);
  self->place_of = SN_NEW(arena, size_t, n);
  self->torque_max = SN_NEW(arena, double, n);
  self->states = SN_NEW(arena, sn__servo_state, n);
  return self->bus_of != NULL && self->place_of != NULL && self->torque_max != NULL &&
         self->states != NULL && self->calibration.joints != NULL;
}

/* The property itself stays as the deployment has it. */
static bool copy_items(sn__driver *self, sn_arena *arena) {
  self->items = SN_NEW(arena, sn__driver_servo, self->count);
  if (self->items != NULL) {
    memcpy(self->items, self->servos.data, self->count * sizeof *self->items);
  }
  return self->items != NULL;
}

static sn_status create_names(sn__driver *self, sn_arena *arena, sn_error *err) {
  const char **texts = SN_NEW(arena, const char *, self->count);
  if (texts == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu servos", self->count);
  }
  for (size_t i = 0; i < self->count; i++) {
    texts[i] = item_at(self, i)->joint;
  }
  const sn_status status = sn_names_create(arena, texts, self->count, &self->names, err);
  if (status != SN_OK) {
    return status;
  }
  return sn__name_map_init(&self->goal_names, arena, self->names)
             ? SN_OK
             : sn__fail(err, SN_ENOMEM, "no memory for %zu servos", self->count);
}

/* What was calibrated wins over `servos`. */
static sn_status take_calibration(sn__driver *self, sn_error *err) {
  sn__servo_range ranges[SN__DRIVER_SERVOS_MAX];
  for (size_t i = 0; i < self->count; i++) {
    const sn__driver_servo *item = item_at(self, i);
    ranges[i] = (sn__servo_range){item->zero, item->direction, item->min, item->max};
  }
  if (*self->calibration_file == '\0') {
    return SN_OK;
  }
  const sn_status status = sn__calibration_load(self->calibration_file, self->names, ranges, err);
  for (size_t i = 0; status == SN_OK && i < self->count; i++) {
    sn__driver_servo *item = &self->items[i];
    item->zero = ranges[i].zero;
    item->direction = ranges[i].direction;
    item->min = ranges[i].min;
    item->max = ranges[i].max;
  }
  return status;
}

static sn_status check_period(const sn__driver *self, const sn__servo_bus *bus, sn_error *err) {
  const double least_s = 1e-9 * (double)sn__bus_period_min_ns(bus);
  return self->period >= least_s
             ? SN_OK
             : sn__fail(err, SN_EINVAL,
                        "period %g s is too short: one goal and one servo that does not answer "
                        "take %.2g s, of which answer_time is %g s",
                        self->period, least_s, self->answer_time);
}

static sn_status create_bus(sn__driver *self, size_t index, sn_arena *arena, sn_error *err) {
  sn__driver_bus *bus = &self->buses[index];
  *bus = (sn__driver_bus){.count = 0};
  sn__servo_mount mounts[SN__BUS_SERVOS_MAX];
  bus->servo_of = SN_NEW(arena, size_t, SN__BUS_SERVOS_MAX);
  bus->names = SN_NEW(arena, const char *, SN__BUS_SERVOS_MAX);
  if (bus->servo_of == NULL || bus->names == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for a bus");
  }
  for (size_t i = 0; i < self->count; i++) {
    const sn__driver_servo *item = item_at(self, i);
    if ((size_t)item->port != index) {
      continue;
    }
    if (bus->count == SN__BUS_SERVOS_MAX) {
      return sn__fail(err, SN_EINVAL, "port '%.80s': more than %d servos", self->ports.data[index],
                      SN__BUS_SERVOS_MAX);
    }
    mounts[bus->count] = mount_of(self, item);
    bus->servo_of[bus->count] = i;
    bus->names[bus->count] = sn_names_at(self->names, i);
    self->bus_of[i] = index;
    self->place_of[i] = bus->count++;
    self->torque_max[i] = item->torque_max;
  }
  if (bus->count == 0) {
    return sn__fail(err, SN_EINVAL, "port '%.80s' has no servo", self->ports.data[index]);
  }
  const sn__servo_bus_config config = {.family = self->family,
                                       .baud = self->baud,
                                       .answer_ns = (int64_t)(1e9 * self->answer_time),
                                       .period_ns = (int64_t)(1e9 * self->period),
                                       .servos = mounts,
                                       .count = bus->count,
                                       .watchdog_ns = (int64_t)(2e9 * self->guard_timeout),
                                       .temperature_max = self->temperature_max,
                                       .voltage_min = self->voltage_min,
                                       .voltage_max = self->voltage_max};
  const sn_status status = sn__servo_bus_create(arena, &config, &bus->bus, err);
  return status == SN_OK ? check_period(self, bus->bus, err) : status;
}

static sn_status create(sn__driver *self, sn_error *err) {
  sn_arena *arena = sn_component_arena(&self->component);
  self->count = self->servos.count;
  self->bus_count = self->ports.count;
  const sn_joint_state *measured = self->joints_measured.msg;
  const sn_servo_health *health = self->health.msg;
  sn_status status = sn__fits(self->count, measured->position.capacity, "servos", err);
  if (status == SN_OK) {
    status = sn__fits(self->count, health->voltage.capacity, "servos", err);
  }
  if (status == SN_OK && !copy_items(self, arena)) {
    status = sn__fail(err, SN_ENOMEM, "no memory for %zu servos", self->count);
  }
  for (size_t i = 0; status == SN_OK && i < self->count; i++) {
    status = check_item(self, i, err);
  }
  if (status == SN_OK) {
    status = create_names(self, arena, err);
  }
  if (status == SN_OK) {
    status = take_calibration(self, err);
  }
  if (status == SN_OK) {
    status = sn_names_create(arena, self->ports.data, self->bus_count, &self->bus_names, err);
  }
  if (status == SN_OK && !create_arrays(self, arena)) {
    status = sn__fail(err, SN_ENOMEM, "no memory for %zu servos", self->count);
  }
  for (size_t i = 0; status == SN_OK && i < self->bus_count; i++) {
    status = create_bus(self, i, arena, err);
  }
  return status;
}

/* From now on a stop must be confirmed by every bus. */
static void register_buses(sn__driver *self) {
  sn__estop *estop = sn__estop_of(self->component.system);
  for (size_t i = 0; i < self->bus_count; i++) {
    char name[200];
    snprintf(name, sizeof name, "%.30s (%.100s)", self->component.name, self->ports.data[i]);
    self->buses[i].actuator = sn__estop_register(estop, SN__ESTOP_ACTUATOR, name);
  }
}

sn_status sn__driver_configure(sn__driver *self, const sn_servo_family *family, sn_error *err) {
  self->family = family;
  self->model = sn__model_hold(&self->robot_model, err);
  if (self->model == NULL) {
    return SN_ENOTCONFIGURED;
  }
  const sn_status status = create(self, err);
  if (status != SN_OK) {
    sn__model_release(&self->robot_model);
    return status;
  }
  register_buses(self);
  return status;
}
