/** @file
 *  Internal: `servo_ident`, on-line identification (servo_ident.h) as a component. */
#ifndef SN_IDENT_IDENT_COMPONENT_H
#define SN_IDENT_IDENT_COMPONENT_H

#include <stdatomic.h>

#include "ident/online/servo_ident.h"
#include "msg/name_map.h"
#include "servo/battery.h"
#include "servo/servo_setup.h"
#include "sinew/component.h"
#include "sinew/model.h"

typedef struct sn__ident_component {
  sn_component component;
  int64_t control_delay, smoothing;
  double relaxation_factor, error_averaging_time, threshold, min_velocity, sign_dead_zone;
  double position_noise, velocity_noise, cycle_time;
  bool identify_inertia, identify_load_friction;
  sn__battery battery;
  sn__servo_setup setup;
  sn_input joints_sorted, joints_measured, goals, battery_state;
  sn_output servo_model, torque_error;
  sn_requester robot_model;

  const sn_model *model;  /**< held from configure to cleanup */
  const sn_names *joints; /**< of the model */
  size_t count;           /**< of them */
  sn_servo_ident *core;
  bool *has_model; /**< [count] */
  double *goal;    /**< [count] as sent last; 0 of a servo that was never sent one */
  bool *limp;      /**< [count] */
  bool has_goals;  /**< every servo was sent one */
  sn__name_map goal_names, measured_names;
  int *servo;                   /**< [count] which servos a message is about */
  int64_t *stamps_ns;           /**< [count] when each was measured last */
  bool *accepted;               /**< [count] */
  sn_servo_ident_status *ended; /**< [count] room for how each stood at the end ... */
  sn_servo_params *fresh;       /**< [count] ... and for the models of then */
  sn_servo_params *before;      /**< [count] models that undo brings back ... */
  bool *can_undo;               /**< [count] ... to these */
  sn_servo_extension *ext;      /**< [count] of each servo, as configured: it is not identified */

  int64_t period_ns;
  bool has_cycle;           /**< the first command has come ... */
  int64_t origin_ns, cycle; /**< ... then; cycles since */
  int64_t now_ns;           /**< of the last step */
  int64_t progress_ns;      /**< when it was logged last */
  sn_log_limit pose_refused, measured_skipped;
  atomic_bool is_keeping; /**< the file is being written */
} sn__ident_component;

/* ---- ident_cycle.c ---- */

/** The step hook. RT: yes */
sn_status sn__ident_step(sn_component *component, int64_t now_ns);

/* ---- ident_operations.c: in the thread of the component ---- */

/** Publish the models of the servos that are marked. RT: yes */
void sn__ident_publish(sn__ident_component *self, const bool *marked) SN_RT;

sn_operation_function sn__ident_start, sn__ident_abort, sn__ident_status, sn__ident_apply;

/* ---- ident_keep.c: in the thread of the caller ---- */

/** Set the property `servo_models`. Only while the component is stopped, or from a thread outside
 *  of all activities. */
sn_status sn__ident_set_property(sn_component *component, const sn_servo_model *models,
                                 size_t count, sn_error *err);

sn_operation_function sn__ident_end, sn__ident_undo, sn__ident_do;

#endif
