/** @file
 *  Internal: the components that drive real servos; one implementation, three types. */
#ifndef SN_BUS_DRIVER_DRIVER_H
#define SN_BUS_DRIVER_DRIVER_H

#include "bus/bus_thread.h"
#include "bus/driver/driver_calibration.h"
#include "model/robot_model.h"
#include "msg/name_map.h"
#include "sinew/component.h"
#include "sinew/msg_types.h"
#include "sinew/names.h"

#define SN__DRIVER_BUSES_MAX 8
#define SN__DRIVER_SERVOS_MAX (SN__DRIVER_BUSES_MAX * SN__BUS_SERVOS_MAX)

/** An item of the property `servos`. */
typedef struct sn__driver_servo {
  const char *joint;
  int64_t port, id, model, direction;
  double zero, gear, min, max, velocity_max, torque_limit, torque_max;
} sn__driver_servo;

/** A bus of the driver. */
typedef struct sn__driver_bus {
  sn__servo_bus *bus;
  sn__bus_thread *thread; /**< NULL while the component is stopped */
  int actuator;           /**< its place at the emergency stop */
  size_t count;
  size_t *servo_of;   /**< [count] index in the driver */
  const char **names; /**< [count] */
  sn_bus_stats stats_last;
  uint64_t cycles_last;
  int64_t stamp_last;
  double load, rate_Hz, bytes_per_s; /**< recent values */
} sn__driver_bus;

typedef struct sn__driver {
  sn_component component;
  sn_texts ports;
  int64_t baud;
  double period, answer_time;
  int64_t priority;
  const char *series;
  sn_bags servos; /**< of sn__driver_servo */
  double temperature_max, voltage_min, voltage_max;
  const char *stop, *safe_state;
  double goal_timeout, guard_timeout;
  const char *calibration_file;

  sn_input goals, push;
  sn_output joints_measured, battery_state, health;
  sn_requester robot_model;

  const sn_servo_family *family;
  const sn_model *model;
  const sn_names *names; /**< joints, in the order of `servos` */
  const sn_names *bus_names;
  size_t count;
  sn__driver_servo *items;   /**< [count] `servos`, with what was calibrated */
  size_t *bus_of, *place_of; /**< [count] where each servo is */
  double *torque_max;        /**< [count] N·m at full drive; 0: not known */
  sn__servo_state *states;   /**< [count] */
  sn__driver_bus buses[SN__DRIVER_BUSES_MAX];
  size_t bus_count;
  sn__name_map goal_names;
  int64_t step_ns; /**< time of the last step */
  sn__driver_calibration calibration;
  sn_log_limit warnings[SN__READ_DUPLICATE + 1]; /**< by verdict */
} sn__driver;

extern const sn_property sn__driver_properties[];
extern const sn_property sn__driver_feetech_properties[];
extern const sn_property sn__driver_herkulex_properties[];
extern const sn_port sn__driver_ports[];
extern const sn_need sn__driver_needs[];

/** Create the buses from the properties and the robot; driver_configure.c. */
sn_status sn__driver_configure(sn__driver *self, const sn_servo_family *family, sn_error *err);

/** Is the position of a servo recent? RT: yes. */
bool sn__driver_is_known(const sn__servo_state *servo, int64_t now_ns);

/** Publish the reports of the buses; driver_report.c. RT: yes. */
sn_status sn__driver_write(sn__driver *self, int64_t now_ns);

#endif
