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

/** An equation of least squares: regressors, and how they change with the acceleration, whose
 *  noise is also that of the torque. */
typedef struct sn__ident_equation {
  double row[SN_RLS_MAX], gain[SN_RLS_MAX];
  double y; /**< V */
} sn__ident_equation;

/** @param mean  SN__IDENT_TERMS  @param qdd  rad/s²
 *  RT: yes. */
sn__ident_equation sn__ident_equation_of(const sn__ident_servo *servo, const double *mean,
                                         double qdd, double weight) SN_RT;

/** Is the law linear in what is identified, for this torque and velocity? RT: yes. */
bool sn__ident_is_linear(const sn__ident_servo *servo, double tau, double qd) SN_RT;

/** One step of least squares.
 *  @param row  SN_RLS_MAX regressors at most
 *  @param y  V
 *  @param drive  kp V
 *  @return false if a number is not finite
 *  RT: yes. */
bool sn__ident_learn(const sn_servo_ident *ident, sn__ident_servo *servo, const double *row,
                     double y, double drive) SN_RT;

#endif
