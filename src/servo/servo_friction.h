/** @file
 *  Internal: the terms of the servo model. */
#ifndef SN_SERVO_SERVO_FRICTION_H
#define SN_SERVO_SERVO_FRICTION_H

#include "sinew/servo_model.h"

/** The sign of a velocity: 0 if its magnitude is at most @p dead_zone. */
double sn__servo_sign(double qd, double dead_zone) SN_RT;

/** exp(-|qd / qs|^delta): 1 at standstill, 0 far above qs. */
double sn__servo_stribeck(const sn_servo_params *params, double qd) SN_RT;

/** Volts of friction and back-EMF at this velocity. */
double sn__servo_friction(const sn_servo_params *params, double qd, double dead_zone) SN_RT;

/** The right side of the model: volts for this motion and torque. */
double sn__servo_volts(const sn_servo_params *params, const sn_servo_motion *motion,
                       double dead_zone) SN_RT;

#endif
