/** @file
 *  Internal: the terms of the servo model. */
#ifndef SN_SERVO_SERVO_FRICTION_H
#define SN_SERVO_SERVO_FRICTION_H

#include "sinew/servo_model.h"

/** The sign of a velocity: 0 if its magnitude is at most @p dead_zone. */
double sn__servo_sign(double qd, double dead_zone) SN_RT;

/** exp(-|qd / qs|^delta): 1 at standstill, 0 far above qs. */
double sn__servo_stribeck(const sn_servo_params *params, double qd) SN_RT;

/** Volts of friction without load, and of back-EMF, at this velocity. */
double sn__servo_friction(const sn_servo_params *params, double qd, double dead_zone) SN_RT;

/** Does friction depend on the load? */
static inline bool sn__servo_has_load(const sn_servo_params *params) {
  const sn_servo_extension *e = &params->ext;
  return e->load[0] != 0.0 || e->load[1] != 0.0 || e->is_directional;
}

/** Does the model have more than the seven parameters? */
static inline bool sn__servo_is_extended(const sn_servo_params *params) {
  const sn_servo_extension *e = &params->ext;
  return sn__servo_has_load(params) || e->back_emf != 0.0 || e->offset != 0.0 ||
         e->drive_max != 0.0 || e->delay_s != 0.0 || e->backlash != 0.0;
}

/** Volts of friction that the load adds while the servo delivers @p tau and the joint moves in
 *  @p direction (1 or -1); >= 0. If the load drives the joint, its slope is at most
 *  SN__SERVO_BACK_MAX of alpha3: no gearbox here locks. */
double sn__servo_load_friction(const sn_servo_params *params, double tau, double direction) SN_RT;

#define SN__SERVO_BACK_MAX 0.9

/** Volts that the motor must spend per further torque, without what speed takes: alpha3 and the
 *  change of the friction of the load; > 0. */
double sn__servo_torque_slope(const sn_servo_params *params, double tau, double direction) SN_RT;

/** The torque tau with slope tau + direction friction_of_load(tau) = volts: it is unique.
 *  @param slope  at least alpha3, > 0 */
double sn__servo_solve_torque(const sn_servo_params *params, double slope, double volts,
                              double direction) SN_RT;

/** What an error of the regulator exceeds the play by. */
static inline double sn__servo_beyond_play(const sn_servo_params *params, double error) {
  const double half = 0.5 * params->ext.backlash;
  return error > half ? error - half : error < -half ? error + half : 0.0;
}

/** Volts of the motor for this goal and position: limited by drive_max. */
double sn__servo_drive(const sn_servo_params *params, double voltage, double goal, double q) SN_RT;

/** The right side of the model: volts for this motion and torque. */
double sn__servo_volts(const sn_servo_params *params, const sn_servo_motion *motion,
                       double dead_zone) SN_RT;

#endif
