/** @file
 *  Internal: the plant as a component. Two types share everything but the physics. */
#ifndef SN_PLANT_PLANT_COMPONENT_H
#define SN_PLANT_PLANT_COMPONENT_H

#include "plant/plant.h"
#include "plant/plant_state.h"
#include "rt/estop/estop.h"
#include "servo/servo_setup.h"
#include "sinew/component.h"

/** A servo in a file; zeros and empty lists: defaults. */
typedef struct sn__plant_servo_entry {
  const char *name;
  double kp, kgear;
  sn_reals alpha;
  double qs, delta, inertia;
  double torque_max, speed_max;
  sn__servo_item_extension ext;
} sn__plant_servo_entry;

/** A box in a file. */
typedef struct sn__plant_box_entry {
  sn_reals position, rpy, size;
} sn__plant_box_entry;

typedef struct sn__plant_component {
  sn_component component;
  /* properties */
  const char *dynamics;
  sn_bags servo_models;
  sn__plant_servo_entry default_servo; /**< of all joints that servo_models does not name */
  const sn_value *initial_pose;
  const char *start_pose;
  int64_t seed;
  double integration_step;
  bool joint_limits;
  sn_reals gravity;
  int64_t bus_delay;
  double goal_timeout;
  bool smooth_goals;
  double encoder_step, position_noise, velocity_noise, effort_noise;
  bool measure_velocity, measure_effort;
  double dropout_rate, message_loss_rate, goal_loss_rate;
  sn_texts frozen, silent, hot, stuck, noisy, delayed; /**< joints with these faults */
  double battery_voltage, battery_resistance, current_per_torque;
  const char *base;
  sn_reals initial_base;
  double friction, slope_x, slope_y;
  sn_bags boxes;
  sn_reals gyro_bias, accel_bias;
  double gyro_noise, accel_noise;
  int64_t imu_delay;
  bool imu_orientation;
  double contact_threshold;

  sn_input goals, push, push_links;
  sn_output joints_measured, battery_state, base_truth, imu, contacts, contact_forces, placed;
  sn_requester robot_model;

  const sn_model *model; /**< held from configure to cleanup */
  sn_plant *plant;
  double *placed_q; /**< pose_size, for the operation place */
  double *stance;   /**< pose_size, for the operation putOnFeet; NULL: it has no feet */
  bool was_placed;  /**< since the last cycle */
  int64_t last_ns;  /**< of the last step */
  bool has_last;
  bool was_deserted;
  int party; /**< in the emergency stop of the system; -1: not configured */
  sn__estop_guard guard;
  int64_t goal_ns;    /**< time of the last goals; INT64_MIN: never */
  bool names_changed; /**< of joints with faults: check for unknown names */
  sn_log_limit unknown_names, deserted[2];
  sn_log_limit goals_refused[SN_PLANT_VERDICT_COUNT], push_refused[SN_PLANT_VERDICT_COUNT],
      push_links_refused[SN_PLANT_VERDICT_COUNT];
} sn__plant_component;

extern const sn_property sn__plant_properties[];
extern const sn_port sn__plant_ports[];
extern const sn_need sn__plant_needs[];
extern const sn_operation sn__plant_operations[];

/** The hook configure, with the physics of @p maker; NULL: Sinew's. */
sn_status sn__plant_configure(sn__plant_component *self, sn__physics_maker *maker, sn_error *err);
/** A pose in which the robot stands. @param pose  out: pose_size. @return as sn__legs_find() */
sn_status sn__plant_find_stance(sn__plant_component *self, double *pose, sn_error *err);
sn_status sn__plant_start(sn_component *component, int64_t now_ns, sn_error *err);
sn_status sn__plant_cycle(sn_component *component, int64_t now_ns);
void sn__plant_cleanup(sn_component *component);
/** Warn that the robot was lifted out of the ground, if it was. */
void sn__plant_log_lift(const sn__plant_component *self, double lift_m, int64_t now_ns);
void sn__plant_changed(sn_component *component, const sn_property *property);

/* ---- plant_stop.c ---- */

/** Take part in the emergency stop of the system. @return SN_OK, SN_ELIMIT */
sn_status sn__plant_join_stop(sn__plant_component *self, sn_error *err);
void sn__plant_leave_stop(sn__plant_component *self);
/** Apply it in this cycle. @return whether to accept goals.  RT: yes */
bool sn__plant_obey_stop(sn__plant_component *self, int64_t now_ns) SN_RT;

/* ---- plant_outputs.c ---- */

/** Fill the constant parts of the messages. @return SN_OK or SN_ENOSPC */
sn_status sn__plant_prepare_outputs(sn__plant_component *self, sn_error *err);
/** @return the first status that is not SN_OK.  RT: yes */
sn_status sn__plant_write_outputs(sn__plant_component *self, int64_t now_ns) SN_RT;
/** Drop references to the model. */
void sn__plant_clear_outputs(sn__plant_component *self);

/* ---- plant_read.c ---- */

/** Does the base float, by the properties? @param pose  the start pose */
bool sn__plant_reads_floating(sn__plant_component *self, const double *pose);
/** The ground from the properties. @param boxes  room for them all */
sn_plant_ground sn__plant_read_ground(const sn__plant_component *self, sn_plant_box *boxes);
/** Where the base starts, from the properties.
 *  @param given  out: false: not given */
sn_status sn__plant_read_base(const sn__plant_component *self, sn_pose *pose, bool *given,
                              sn_error *err);
/** Servos from the properties; out: pose_size. */
sn_status sn__plant_read_servos(const sn__plant_component *self, sn_arena *arena,
                                sn_plant_servo *servos, sn_error *err);

/** A type of plant, with the hook `configure` of its file. */
#define SN__PLANT_TYPE(name_, doc_, example_)                                                     \
  {                                                                                               \
    .abi = SN_COMPONENT_ABI, .name = (name_), .doc = (doc_), .size = sizeof(sn__plant_component), \
    .properties = sn__plant_properties, .ports = sn__plant_ports, .needs = sn__plant_needs,       \
    .operations = sn__plant_operations, .configure = configure, .start = sn__plant_start,         \
    .step = sn__plant_cycle, .cleanup = sn__plant_cleanup, .changed = sn__plant_changed,          \
    .translate = sn__servo_translate, .example = (example_)                                       \
  }

#endif
