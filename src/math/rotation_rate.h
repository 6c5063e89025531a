/** @file
 *  Internal: how a rotation vector changes while a rotation turns. R = exp(phi) turns with the
 *  angular velocity omega, in the axes of the outer frame: omega = J(phi) phi', where J is the left
 *  Jacobian of SO(3) (Chirikjian, "Stochastic Models, Information Theory, and Lie Groups", volume
 * 2, section 10.7.3). Accurate for tiny angles; valid for angles below 2 pi. */
#ifndef SN_MATH_ROTATION_RATE_H
#define SN_MATH_ROTATION_RATE_H

#include "sinew/api.h"
#include "sinew/vec3.h"

/** J(phi) @p rate: the angular velocity. RT: yes. */
sn_vec3 sn__rotation_velocity(sn_vec3 phi, sn_vec3 rate) SN_RT;

/** The inverse: the rate of @p phi for an angular velocity. RT: yes. */
sn_vec3 sn__rotation_rate(sn_vec3 phi, sn_vec3 omega) SN_RT;

/** The angular acceleration: J(phi) accel + (dJ/dt) rate. RT: yes. */
sn_vec3 sn__rotation_acceleration(sn_vec3 phi, sn_vec3 rate, sn_vec3 accel) SN_RT;

/** The inverse: the second derivative of @p phi for an angular acceleration. RT: yes. */
sn_vec3 sn__rotation_rate_dot(sn_vec3 phi, sn_vec3 rate, sn_vec3 alpha) SN_RT;

#endif
