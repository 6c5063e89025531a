#include "bus/driver/driver.h"
#include "sinew/components.h"

static const sn_property servo_table[] = {
    SN_PROPERTY(sn__driver_servo, "joint", joint, .flags = SN_PROPERTY_REQUIRED,
                .doc = "The joint that the servo moves."),
    SN_PROPERTY(sn__driver_servo, "id", id, .unit = "", .min = 0, .max = 253,
                .flags = SN_PROPERTY_REQUIRED, .doc = "Id of the servo on its bus."),
    SN_PROPERTY(sn__driver_servo, "port", port, .unit = "", .min = 0,
                .max = SN__DRIVER_BUSES_MAX - 1, .doc = "Index of its port in `ports`, from 0."),
    SN_PROPERTY(
        sn__driver_servo, "model", model, .unit = "", .min = 0, .max = 65535,
        .doc = "Model number of the servo; 0: any. A servo of another model gets no torque."),
    SN_PROPERTY(sn__driver_servo, "zero", zero, .initial = "-1", .unit = "counts", .min = -1,
                .max = 1e6,
                .doc = "Encoder count at position 0 of the joint; -1: the middle of its range."),
    SN_PROPERTY(sn__driver_servo, "direction", direction, .unit = "", .initial = "1", .min = -1,
                .max = 1,
                .doc = "1: the count increases with the joint's position; -1: it decreases. 0 is "
                       "not allowed."),
    SN_PROPERTY(sn__driver_servo, "gear", gear, .unit = "", .initial = "1", .min = 1e-3, .max = 1e3,
                .doc = "Turns of the servo per turn of the joint; the same as kgear of its model."),
    SN_PROPERTY(sn__driver_servo, "min", min, .unit = "rad",
                .doc = "Lower limit of the joint; min and max both 0: the robot's limits."),
    SN_PROPERTY(sn__driver_servo, "max", max, .unit = "rad",
                .doc = "Upper limit of the joint; min and max both 0: the robot's limits."),
    SN_PROPERTY(sn__driver_servo, "velocity_max", velocity_max, .unit = "rad/s", .min = 0,
                .max = 1000,
                .doc = "Velocity limit of the joint; 0: the robot's, or 6 if it has none."),
    SN_PROPERTY(
        sn__driver_servo, "torque_limit", torque_limit, .unit = "", .initial = "1", .min = 0,
        .max = 1,
        .doc = "Share of the servo's torque that it may use; not available for the SCS series."),
    SN_PROPERTY(
        sn__driver_servo, "torque_max", torque_max, .unit = "N·m", .min = 0, .max = 1000,
        .doc =
            "Torque at full drive, from which efforts are computed; 0: no efforts are measured."),
    {0}};

/* Every driver has these. */
#define COMMON(baud_initial)                                                                       \
  SN_PROPERTY(                                                                                     \
      sn__driver, "ports", ports, .count_min = 1, .count_max = SN__DRIVER_BUSES_MAX,               \
      .flags = SN_PROPERTY_REQUIRED | SN_PROPERTY_PATH,                                            \
      .doc = "Serial ports, one for each bus; names under /dev/serial/by-id do not change."),      \
      SN_PROPERTY(sn__driver, "baud", baud, .initial = (baud_initial), .min = 1200,                \
                  .max = 12000000, .unit = "bit/s", .doc = "Baud rate, as set in the servos."),    \
      SN_PROPERTY_BAGS_OF(sn__driver, "servos", servos, sn__driver_servo, servo_table,             \
                          .count_min = 1, .count_max = SN__DRIVER_SERVOS_MAX,                      \
                          .flags = SN_PROPERTY_REQUIRED, .doc = "The servos on the buses."),       \
      SN_PROPERTY(sn__driver, "period", period, .initial = "0.01", .unit = "s", .min = 0.001,      \
                  .max = 0.1,                                                                      \
                  .doc =                                                                           \
                      "Period of the bus: goals are written once per period, and positions read "  \
                      "as far as time permits."),                                                  \
      SN_PROPERTY(                                                                                 \
          sn__driver, "answer_time", answer_time, .initial = "0.002", .unit = "s", .min = 1e-5,    \
          .max = 0.5,                                                                              \
          .doc = "Silence after which an answer counts as missing: delay of servo and adapter."),  \
      SN_PROPERTY(sn__driver, "priority", priority, .unit = "", .initial = "50", .min = 0,         \
                  .max = 99,                                                                       \
                  .doc =                                                                           \
                      "Priority of the bus threads in SCHED_FIFO, if permitted; 0: the default "   \
                      "scheduler."),                                                               \
      SN_PROPERTY(                                                                                 \
          sn__driver, "temperature_max", temperature_max, .initial = "70", .unit = "°C", .min = 0, \
          .max = 200,                                                                              \
          .doc = "Temperature above which a servo's torque is switched off; 0: not monitored."),   \
      SN_PROPERTY(sn__driver, "voltage_min", voltage_min, .unit = "V", .min = 0, .max = 100,       \
                  .doc = "Voltage below which a warning is logged; 0: not monitored."),            \
      SN_PROPERTY(sn__driver, "voltage_max", voltage_max, .unit = "V", .min = 0, .max = 100,       \
                  .doc = "Voltage above which a warning is logged; 0: not monitored."),            \
      SN_PROPERTY(sn__driver, "stop", stop, .initial = "hold", .choices = "hold|limp",             \
                  .doc = "What the servos do when the component stops."),                          \
      SN_PROPERTY(sn__driver, "safe_state", safe_state, .initial = "hold", .choices = "hold|limp", \
                  .doc =                                                                           \
                      "What the servos do when goals stop arriving, when the program dies or "     \
                      "hangs, and after an emergency stop that no gate brakes. hold: stay where "  \
                      "measured; limp: switch the torque off."),                                   \
      SN_PROPERTY(sn__driver, "goal_timeout", goal_timeout, .initial = "0.1", .unit = "s",         \
                  .min = 0.01, .max = 3600,                                                        \
                  .doc =                                                                           \
                      "Time without new goals after which the servos enter their safe state and "  \
                      "the emergency stop is latched."),                                           \
      SN_PROPERTY(sn__driver, "guard_timeout", guard_timeout, .initial = "0.1", .unit = "s",       \
                  .min = 0.02, .max = 10,                                                          \
                  .doc =                                                                           \
                      "Time after which the guard process stops a bus whose thread does not "      \
                      "respond; at least three periods."),                                         \
      SN_PROPERTY(sn__driver, "calibration_file", calibration_file,                                \
                  .flags = SN_PROPERTY_PATH | SN_PROPERTY_INPUT,                                   \
                  .doc =                                                                           \
                      "YAML file with zero, direction, min and max of joints, which win over "     \
                      "those of `servos`; finishCalibration writes it. It need not be there yet.")

const sn_property sn__driver_properties[] = {COMMON("1000000"), {0}};

const sn_property sn__driver_herkulex_properties[] = {COMMON("115200"), {0}};

const sn_property sn__driver_feetech_properties[] = {
    COMMON("1000000"),
    SN_PROPERTY(sn__driver, "series", series, .initial = "sts", .choices = "sts|scs",
                .doc = "sts: magnetic encoders (STS, SMS); scs: potentiometers (SCS)."),
    {0}};

const sn_port sn__driver_ports[] = {
    SN_INPUT(sn__driver, "goals", goals, &sn_servo_goal_type,
             .doc = "Goals of any servos, in any order."),
    SN_INPUT(sn__driver, "push", push, &sn_joint_state_type,
             .doc = "Not used; it exists because the plant has it."),
    SN_OUTPUT(sn__driver, "joints_measured", joints_measured, &sn_joint_state_type,
              .doc = "Position, velocity and effort of the servos that answer."),
    SN_OUTPUT(sn__driver, "battery_state", battery_state, &sn_battery_state_type,
              .doc = "Supply voltage, as measured by the servos."),
    SN_OUTPUT(sn__driver, "health", health, &sn_servo_health_type,
              .doc = "Health of the servos and the buses."),
    {0}};

const sn_need sn__driver_needs[] = {SN_ROBOT_MODEL_NEED(sn__driver), {0}};
