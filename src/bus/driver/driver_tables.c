#include "bus/driver/driver.h"
#include "sinew/components.h"

static const sn_property servo_table[] = {
    SN_PROPERTY(sn__driver_servo, "joint", joint, .flags = SN_PROPERTY_REQUIRED,
                .doc = "The joint that it moves."),
    SN_PROPERTY(sn__driver_servo, "id", id, .min = 0, .max = 253, .flags = SN_PROPERTY_REQUIRED,
                .doc = "On its bus."),
    SN_PROPERTY(sn__driver_servo, "port", port, .min = 0, .max = SN__DRIVER_BUSES_MAX - 1,
                .doc = "Which of the ports it is at, from 0."),
    SN_PROPERTY(sn__driver_servo, "model", model, .min = 0, .max = 65535,
                .doc = "Its model number; 0: any. Another one gets no torque."),
    SN_PROPERTY(sn__driver_servo, "zero", zero, .initial = "-1", .unit = "counts", .min = -1,
                .max = 1e6, .doc = "What it says at position 0 of the joint; -1: its middle."),
    SN_PROPERTY(sn__driver_servo, "direction", direction, .initial = "1", .min = -1, .max = 1,
                .doc = "1: it counts up as the joint's position grows; -1: down."),
    SN_PROPERTY(sn__driver_servo, "gear", gear, .initial = "1", .min = 1e-3, .max = 1e3,
                .doc = "Turns of the servo for one of the joint; kgear of its model is the same."),
    SN_PROPERTY(sn__driver_servo, "min", min, .unit = "rad",
                .doc = "Range of the joint; min and max 0: the robot's."),
    SN_PROPERTY(sn__driver_servo, "max", max, .unit = "rad", .doc = "See min."),
    SN_PROPERTY(sn__driver_servo, "velocity_max", velocity_max, .unit = "rad/s", .min = 0,
                .max = 1000, .doc = "Of the joint; 0: the robot's, or 6 if it has none."),
    SN_PROPERTY(sn__driver_servo, "torque_limit", torque_limit, .initial = "1", .min = 0, .max = 1,
                .doc = "Share of its torque that it may use; the SCS series cannot."),
    SN_PROPERTY(sn__driver_servo, "torque_max", torque_max, .unit = "N·m", .min = 0, .max = 1000,
                .doc = "At full drive, for measured efforts; 0: none are measured."),
    {0}};

/* Every driver has these. */
#define COMMON(baud_initial)                                                                       \
  SN_PROPERTY(sn__driver, "ports", ports, .count_min = 1, .count_max = SN__DRIVER_BUSES_MAX,       \
              .flags = SN_PROPERTY_REQUIRED | SN_PROPERTY_PATH,                                    \
              .doc = "Serial ports, one for each bus: /dev/serial/by-id/… stays the same."),       \
      SN_PROPERTY(sn__driver, "baud", baud, .initial = (baud_initial), .min = 1200,                \
                  .max = 12000000, .unit = "bit/s", .doc = "As set in the servos."),               \
      SN_PROPERTY_BAGS_OF(sn__driver, "servos", servos, sn__driver_servo, servo_table,             \
                          .count_min = 1, .count_max = SN__DRIVER_SERVOS_MAX,                      \
                          .flags = SN_PROPERTY_REQUIRED, .doc = "Who is on the buses."),           \
      SN_PROPERTY(sn__driver, "period", period, .initial = "0.01", .unit = "s", .min = 0.001,      \
                  .max = 0.1,                                                                      \
                  .doc = "Goals go out once in it, and positions come in, if all of them fit."),   \
      SN_PROPERTY(sn__driver, "answer_time", answer_time, .initial = "0.002", .unit = "s",         \
                  .min = 1e-5, .max = 0.5,                                                         \
                  .doc = "Silence after which an answer is missing: delay of servo and adapter."), \
      SN_PROPERTY(sn__driver, "priority", priority, .initial = "50", .min = 0, .max = 99,          \
                  .doc =                                                                           \
                      "Of the buses' threads, of SCHED_FIFO where permitted; 0: the usual "        \
                      "scheduler."),                                                               \
      SN_PROPERTY(sn__driver, "temperature_max", temperature_max, .initial = "70", .unit = "°C",   \
                  .min = 0, .max = 200, .doc = "A hotter servo is let go; 0: not watched."),       \
      SN_PROPERTY(sn__driver, "voltage_min", voltage_min, .unit = "V", .min = 0, .max = 100,       \
                  .doc = "Less is told; 0: not watched."),                                         \
      SN_PROPERTY(sn__driver, "voltage_max", voltage_max, .unit = "V", .min = 0, .max = 100,       \
                  .doc = "More is told; 0: not watched."),                                         \
      SN_PROPERTY(sn__driver, "stop", stop, .initial = "hold", .choices = "hold|limp",             \
                  .doc = "What servos do when the component stops."),                              \
      SN_PROPERTY(sn__driver, "safe_state", safe_state, .initial = "hold", .choices = "hold|limp", \
                  .doc =                                                                           \
                      "What servos do when goals stay away, when the program dies or hangs, and "  \
                      "after an emergency stop that no gate brakes: hold where measured, or lose " \
                      "their torque."),                                                            \
      SN_PROPERTY(sn__driver, "goal_timeout", goal_timeout, .initial = "0.1", .unit = "s",         \
                  .min = 0.01, .max = 3600,                                                        \
                  .doc =                                                                           \
                      "Without new goals for longer the servos go into their safe state, and "     \
                      "the emergency stop is latched."),                                           \
      SN_PROPERTY(sn__driver, "guard_timeout", guard_timeout, .initial = "0.1", .unit = "s",       \
                  .min = 0.02, .max = 10,                                                          \
                  .doc =                                                                           \
                      "A bus whose thread gives no sign of life for longer is stopped by the "     \
                      "guard process; at least three periods.")

const sn_property sn__driver_properties[] = {COMMON("1000000"), {0}};

const sn_property sn__driver_herkulex_properties[] = {COMMON("115200"), {0}};

const sn_property sn__driver_feetech_properties[] = {
    COMMON("1000000"),
    SN_PROPERTY(sn__driver, "series", series, .initial = "sts", .choices = "sts|scs",
                .doc = "sts: magnetic encoders (STS, SMS); scs: potentiometers (SCS)."),
    {0}};

const sn_port sn__driver_ports[] = {
    SN_INPUT(sn__driver, "goals", goals, &sn_servo_goal_type,
             .doc = "What is sent to the servos: any of them in any order."),
    SN_INPUT(sn__driver, "push", push, &sn_joint_state_type,
             .doc = "Not used: real robots are pushed by hand."),
    SN_OUTPUT(sn__driver, "joints_measured", joints_measured, &sn_joint_state_type,
              .doc = "Position, velocity and effort of the servos that answer."),
    SN_OUTPUT(sn__driver, "battery_state", battery_state, &sn_battery_state_type,
              .doc = "The voltage that the servos see."),
    SN_OUTPUT(sn__driver, "health", health, &sn_servo_health_type,
              .doc = "How each servo and the buses are."),
    {0}};

const sn_need sn__driver_needs[] = {SN_ROBOT_MODEL_NEED(sn__driver), {0}};
