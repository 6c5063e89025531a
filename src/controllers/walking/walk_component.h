/** @file
 *  Internal: the component `Walk`: walks with a commanded velocity. */
#ifndef SN_CONTROLLERS_WALKING_WALK_COMPONENT_H
#define SN_CONTROLLERS_WALKING_WALK_COMPONENT_H

#include "controllers/cartesian/world.h"
#include "controllers/inverse_kinematics.h"
#include "legs/legs.h"
#include "msg/name_map.h"
#include "sinew/controller.h"
#include "sinew/dyn.h"
#include "walk/walk.h"
#include "walk/walk_command.h"

/** Sources of commands. */
typedef enum sn__walk_source { SN__WALK_PORT, SN__WALK_OPERATION } sn__walk_source;

/** Of a joint, rad. */
typedef struct sn__walk_range {
  double low, high;
} sn__walk_range;

typedef struct sn__walk_component {
  sn_controller controller;
  const char *gait;
  const char *ground; /**< the component whose boxes are obstacles */
  sn__walk_settings settings;
  double speed_x_max, speed_y_max, turn_max, timeout_s;
  sn__walk_velocity chosen;         /**< limits that the component chose for itself */
  bool wants_gait;                  /**< another gait: when the robot stands */
  double battery_min_V, follow_max; /**< 0: any */
  sn_input in_cmd_vel, in_base, in_joints_measured, in_contacts, in_battery;
  sn_output out_footholds, out_base_ref, out_limbs_ref;
  sn_requester kinematics_inv;

  sn__walk walk;
  sn__walk_commands commands;
  const double *stance;                  /**< [joints] in which the robot stands */
  sn__limb_ik *limbs;                    /**< [legs] */
  const char *chains[SN__WALK_LEGS_MAX]; /**< names of the legs */
  sn_dyn_data *dyn;
  sn__outline outline;
  const sn__obstacle *boxes; /**< [box_count] */
  size_t box_count;
  sn__world world;
  double *q;         /**< [joints] the wanted pose */
  double *measured;  /**< [joints] */
  double *speed_max; /**< [joints] */
  bool has_measured;
  bool is_walking; /**< it owns all legs and commands them */
  bool must_rest;  /**< it was stopped or lost a leg: a command of rest comes first */
  sn__name_map measured_names;
  bool touches[SN__WALK_LEGS_MAX];
  bool has_contacts;
  int64_t contacts_ns, last_ns;
  bool has_battery;
  double battery_V;
  double off_s; /**< for how long a joint has been far from its command */
  double window_s;
  sn__walk_range *wanted_range, *measured_range; /**< [joints] in this window */
  sn_log_limit refused, clamped, not_finite, other, silent, silent_base, stopped, lags, low, near;
} sn__walk_component;

/** Set up the gait of the property, with its times and limits. RT: yes */
sn_status sn__walk_component_use_gait(sn__walk_component *self, sn_error *err) SN_RT;

/** The hooks. */
sn_status sn__walk_can_take(const sn_component *component, sn_error *err);
void sn__walk_owned_changed(sn_component *component, const bool *had) SN_RT;
sn_status sn__walk_component_step(sn_component *component, int64_t now_ns) SN_RT;

/** Is there enough voltage, and do the joints follow? Log what is wrong. (walk_health.c)  RT: yes
 */
bool sn__walk_has_power(sn__walk_component *self) SN_RT;
bool sn__walk_joints_work(sn__walk_component *self, double dt_s) SN_RT;

/** A command of a source, with warnings. @return its verdict. RT: yes */
sn__walk_verdict sn__walk_component_take(sn__walk_component *self, sn__walk_source source,
                                         const sn_spatial *twist) SN_RT;

#endif
