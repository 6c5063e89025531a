/** @file
 *  Internal: an axle whose friction grows with the torque that its gear transmits.
 *
 *  The gear is between the motor with its rotor and the joint: n is what the motor has left for it,
 *  drive - damping v - rotor dv/dt, and the torque at the joint solves
 *
 *      tau + sgn(v) (dry + friction_of_load(tau)) = n
 *
 *  It rises with n and falls with v, so the step stays the minimum of a convex function (axle.h),
 *  and at rest tau is anything between the torques for both directions. Only the pieces of the
 *  law are not straight: their tangents are used, and the guesses of rigid_solve.c are then
 * Newton's method. RT: yes. */
#ifndef SN_PLANT_RIGID_AXLE_LOAD_H
#define SN_PLANT_RIGID_AXLE_LOAD_H

#include "plant/rigid/axle.h"
#include "sinew/api.h"

/** The torque at the joint while it moves in a direction, 1 or -1.
 *  @param left  n */
double sn__axle_gear_torque(const sn__axle *axle, double left, double direction) SN_RT;

/** What the motor must have left for the gear to transmit @p tau in a direction: the inverse. */
double sn__axle_gear_need(const sn__axle *axle, double tau, double direction) SN_RT;

/** d tau / d n at a torque. */
double sn__axle_gear_slope(const sn__axle *axle, double tau, double direction) SN_RT;

/** As sn__axle_solve(), for an axle with a gear. The mode is the tangent at the solution. */
double sn__axle_solve_loaded(const sn__axle *axle, double inertia, double impulse, double q,
                             double h_s, double lower, double upper, sn__axle_mode *mode) SN_RT;

/** As sn__axle_resistance(), for an axle with a gear. */
double sn__axle_resistance_loaded(const sn__axle *axle, double q, double v, double h_s,
                                  double direction) SN_RT;

#endif
