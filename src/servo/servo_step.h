/** @file
 *  Internal: one joint on its servo over one step of time. A joint that sticks stays where it is,
 *  and one that stops within the step begins the rest of it anew, so errors fall with the square of
 *  the step in spite of friction. All else is that of the middle of the step, or of its end where
 * the servo is so stiff that the middle would oscillate, so no gain is too high. The same model as
 *  sn_servo_accel(). RT: yes.  Threads: any. */
#ifndef SN_SERVO_SERVO_STEP_H
#define SN_SERVO_SERVO_STEP_H

#include "sinew/servo_model.h"

/** What acts on the joint during the step. */
typedef struct sn__servo_input {
  double goal;        /**< in force during the step: the caller applies the delay */
  double voltage;     /**< V; > 0 */
  bool is_limp;       /**< no current: friction without back-EMF remains */
  sn_servo_load load; /**< torque in the middle of the step */
} sn__servo_input;

/** @param params  with alpha3 > 0
 *  @param q,qd    in: at the beginning; out: at the end
 *  @param h_s     > 0 */
SN_API void sn__servo_step(const sn_servo_params *params, const sn__servo_input *input, double h_s,
                           double *q, double *qd) SN_RT;

#endif
