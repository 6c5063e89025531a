/* Drives real servos in place of the plant: goals in, measurements out. */
#include "bus/driver/driver.h"

#include <string.h>

#include "base/fail.h"
#include "bus/driver/driver_original.h"
#include "rt/components/robot_model_client.h"
#include "sinew/components.h"
#include "sinew/msg_calls.h"
#include "sinew/system.h"

/* ---- life ---- */

static sn_status configure_dynamixel(sn_component *component, sn_error *err) {
  return sn__driver_configure((sn__driver *)component, sn__servo_family_find("dynamixel"), err);
}

static sn_status configure_feetech(sn_component *component, sn_error *err) {
  sn__driver *self = (sn__driver *)component;
  const bool is_scs = strcmp(self->series, "scs") == 0;
  return sn__driver_configure(self, sn__servo_family_find(is_scs ? "feetech_scs" : "feetech_sts"),
                              err);
}

static sn_status configure_herkulex(sn_component *component, sn_error *err) {
  return sn__driver_configure((sn__driver *)component, sn__servo_family_find("herkulex"), err);
}

static void cleanup(sn_component *component) {
  sn__driver *self = (sn__driver *)component;
  for (size_t i = 0; i < self->bus_count; i++) {
    sn__estop_unregister(sn__estop_of(component->system), self->buses[i].actuator);
  }
  sn_msg_names_clear(&((sn_joint_state *)self->joints_measured.msg)->name);
  sn_msg_names_clear(&((sn_servo_health *)self->health.msg)->name);
  sn_msg_names_clear(&((sn_servo_health *)self->health.msg)->bus);
  sn__model_release(&self->robot_model);
}

static void stop(sn_component *component) {
  sn__driver *self = (sn__driver *)component;
  for (size_t i = 0; i < self->bus_count; i++) { /* end all threads in parallel */
    if (self->buses[i].thread != NULL) {
      sn__bus_thread_end(self->buses[i].thread);
    }
  }
  for (size_t i = 0; i < self->bus_count; i++) {
    if (self->buses[i].thread != NULL) {
      sn__bus_thread_stop(self->buses[i].thread);
      self->buses[i].thread = NULL;
    }
  }
}

static sn_status start(sn_component *component, int64_t now_ns, sn_error *err) {
  sn__driver *self = (sn__driver *)component;
  const sn_clock *clock = sn_system_clock(component->system);
  if (clock->kind != SN_CLOCK_MONOTONIC) {
    return sn__fail(err, SN_EINVAL, "real servos move in real time: this system's clock does not");
  }
  (void)now_ns;
  memset(self->states, 0, self->count * sizeof *self->states);
  self->calibration.end = SN__CALIBRATION_NEVER;
  sn_status status = SN_OK;
  for (size_t i = 0; status == SN_OK && i < self->bus_count; i++) {
    sn__driver_bus *bus = &self->buses[i];
    sn__servo_bus_reset(bus->bus);
    bus->stamp_last = 0;
    const sn__bus_thread_config config = {.path = self->ports.data[i],
                                          .bus = bus->bus,
                                          .clock = clock,
                                          .component = component,
                                          .names = bus->names,
                                          .priority = (int)self->priority,
                                          .stops_limp = strcmp(self->stop, "limp") == 0,
                                          .estop = sn__estop_of(component->system),
                                          .actuator = bus->actuator,
                                          .goal_timeout_ns = (int64_t)(1e9 * self->goal_timeout),
                                          .guard_timeout_ns = (int64_t)(1e9 * self->guard_timeout),
                                          .safe_limp = strcmp(self->safe_state, "limp") == 0};
    status = sn__bus_thread_start(&config, &bus->thread, err);
  }
  if (status != SN_OK) {
    stop(component);
  }
  return status;
}

/* ---- a cycle ---- */

static void warn(sn__driver *self, sn__read_verdict verdict, int64_t now_ns) {
  const sn_log_arg arg = {.kind = SN_LOG_TEXT, .value.text = sn__read_verdict_text(verdict)};
  sn_component_log_limited(&self->component, &self->warnings[verdict], now_ns, SN_LOG_WARNING,
                           sn__read_is_good(verdict) ? "goals: {}" : "goals: refused: {}", 1, &arg);
}

/* @return whether the message was valid */
static bool take_goals(sn__driver *self, const sn_servo_goal *msg, int64_t now_ns) {
  const sn__read_verdict verdict = sn__read_servo_goal(&self->goal_names, msg);
  if (verdict != SN__READ_GOOD) {
    warn(self, verdict, now_ns);
  }
  if (!sn__read_is_good(verdict)) {
    return false;
  }
  for (size_t servo = 0; servo < self->count; servo++) {
    const int at = self->goal_names.at[servo];
    if (at < 0) {
      continue;
    }
    const size_t place = self->place_of[servo];
    sn__bus_goals *goals = sn__bus_thread_goals(self->buses[self->bus_of[servo]].thread);
    if (msg->goal.count > 0) {
      goals->goal[place] = msg->goal.data[at];
      goals->has_goal[place] = true;
      goals->sent_ns = now_ns;
    }
    goals->limp[place] = msg->limp.count > 0 && msg->limp.data[at];
  }
  return true;
}

/* Messages may name different joints: all are merged and sent together. */
static void read_goals(sn__driver *self, int64_t now_ns) {
  size_t left = SN_INPUT_BURST_MAX;
  bool is_new = false;
  for (const sn_servo_goal *msg; (msg = sn_input_next(&self->goals, &left)) != NULL;) {
    is_new = take_goals(self, msg, now_ns) || is_new;
  }
  for (size_t i = 0; is_new && i < self->bus_count; i++) {
    sn__bus_thread_send(self->buses[i].thread);
  }
}

static sn_status step(sn_component *component, int64_t now_ns) {
  sn__driver *self = (sn__driver *)component;
  self->step_ns = now_ns;
  read_goals(self, now_ns);
  (void)sn_input_newest(&self->push);
  return sn__driver_write(self, now_ns);
}

/* ---- operations ---- */

static sn_status rearm(sn_component *component, const void *request, void *response,
                       sn_error *err) {
  sn__driver *self = (sn__driver *)component;
  (void)request;
  (void)response;
  (void)err;
  for (size_t i = 0; i < self->bus_count; i++) {
    sn__bus_thread_goals(self->buses[i].thread)->rearms++;
    sn__bus_thread_send(self->buses[i].thread);
  }
  return SN_OK;
}

static const sn_operation operations[] = {
    {.name = "rearm",
     .flags = SN_OWN_THREAD,
     .run = rearm,
     .doc = "Switch the torque of servos on again that lost it because of a fault; they hold where "
            "they are."},
    {"beginCalibration", SN_OWN_THREAD, NULL, &sn_call_outcome_type, sn__driver_begin_calibration,
     "Begin to record the ends of all joints while a person moves them; the present pose is "
     "position 0. Their servos must be limp."},
    {"getCalibration", SN_OWN_THREAD, NULL, &sn__calibration_state_type, sn__driver_get_calibration,
     "What was recorded so far, or why it ended. It ends if this is not called for 15 s."},
    {"finishCalibration", SN_IN_PARTS, &sn_call_names_type, &sn_call_outcome_type,
     sn__driver_finish_calibration,
     "Check what was recorded and save it in calibration_file, with the direction of these joints "
     "reversed; it counts from the next start."},
    {"cancelCalibration", SN_OWN_THREAD, NULL, &sn_call_outcome_type, sn__driver_cancel_calibration,
     "End the calibration without saving it."},
    {0}};

#define DRIVER(type_name, type_doc, table, configure_hook, ...)                                  \
  {                                                                                              \
    .abi = SN_COMPONENT_ABI, .name = (type_name), .doc = (type_doc), .size = sizeof(sn__driver), \
    .properties = (table), .ports = sn__driver_ports, .operations = operations,                  \
    .needs = sn__driver_needs, .configure = (configure_hook), .start = start, .step = step,      \
    .stop = stop, .cleanup = cleanup, __VA_ARGS__                                                \
  }

const sn_component_type sn_driver_dynamixel_component =
    DRIVER("driver_dynamixel", "Dynamixel servos of the X series on serial buses.",
           sn__driver_properties, configure_dynamixel,
           .example =
               "components:\n"
               "  plant:\n"
               "    type: driver_dynamixel\n"
               "    properties:\n"
               "      ports: [/dev/ttyUSB0]\n"
               "      voltage_min: 10.5\n"
               "      servos:\n"
               "        - {joint: head_joint1, id: 1, velocity_max: 3}\n"
               "        - {joint: head_joint2, id: 2, velocity_max: 3}\n");

const sn_component_type sn_driver_feetech_component =
    DRIVER("driver_feetech", "Feetech servos of the STS, SMS and SCS series on serial buses.",
           sn__driver_feetech_properties, configure_feetech,
           .example =
               "components:\n"
               "  plant:\n"
               "    type: driver_feetech\n"
               "    properties:\n"
               "      ports: [/dev/ttyUSB0]\n"
               "      series: sts\n"
               "      servos:\n"
               "        - {joint: head_joint1, id: 1, velocity_max: 3}\n"
               "        - {joint: head_joint2, id: 2, velocity_max: 3}\n");

const sn_component_type sn_driver_herkulex_component =
    DRIVER("driver_herkulex", "HerkuleX servos DRS-0101 and DRS-0201 on serial buses.",
           sn__driver_herkulex_properties, configure_herkulex, .translate = sn__driver_translate,
           .example =
               "components:\n"
               "  plant:\n"
               "    type: driver_herkulex\n"
               "    properties:\n"
               "      ports: [/dev/ttyUSB0]\n"
               "      baud: 666666\n"
               "      stop: limp\n"
               "      servos:\n"
               "        - {joint: head_joint1, id: 1, velocity_max: 3}\n"
               "        - {joint: head_joint2, id: 2, velocity_max: 3}\n");
