/** @file
 *  Internal: from measurements to equations of least squares.
 *
 *  A sample is the law averaged over a few cycles (servo_ident_window.h), with friction as of its
 *  velocity. Acceleration is a difference of velocities, so it is noisy, and noise in a regressor
 *  biases the estimate. Hence neighbouring samples are averaged to a block, which leaves the law
 *  exact whatever friction does, and of the acceleration only the difference between the velocities
 *  at the ends remains. */
#ifndef SN_IDENT_ONLINE_SERVO_IDENT_BLOCK_H
#define SN_IDENT_ONLINE_SERVO_IDENT_BLOCK_H

#include "ident/online/servo_ident_window.h"

/** Take the newest measurement of a servo. RT: yes. */
void sn__ident_take_sample(const sn_servo_ident *ident, sn__ident_servo *servo) SN_RT;

/** One step of least squares.
 *  @param row  up to 5 regressors
 *  @param y  V
 *  @param drive  kp V
 *  @return false if a number is not finite
 *  RT: yes. */
bool sn__ident_learn(const sn_servo_ident *ident, sn__ident_servo *servo, const double *row,
                     double y, double drive) SN_RT;

#endif
