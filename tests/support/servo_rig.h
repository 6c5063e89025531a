/** @file
 *  Logs of servos with known parameters: smooth motion under gravity and inertia, exact goals,
 * measurements with configurable errors. */
#ifndef SN_SERVO_RIG_H
#define SN_SERVO_RIG_H

#include <stdbool.h>
#include <stddef.h>

#include "ident/offline/ident_fit.h"
#include "sinew/random.h"
#include "sinew/servo_model.h"

/** How a log is made. */
typedef struct sn_servo_rig {
  sn_servo_params params;
  double amplitude[5], omega[5], phase[5]; /**< of the motion: rad, rad/s, rad */
  double gravity_Nm, inertia_kgm2;         /**< of the load */
  double period_s;
  size_t delay;        /**< samples between a goal and its execution */
  double encoder_step; /**< rad; 0: exact */
  double position_noise, velocity_noise, effort_noise;
} sn_servo_rig;

/** Random parameters and motion, 100 Hz, no noise. */
void sn_servo_rig_init(sn_servo_rig *rig, sn_random *random);

/** Encoder steps of 0.03 degrees, noise of 0.02 rad/s and 1 mN·m. */
void sn_servo_rig_make_noisy(sn_servo_rig *rig);

/** The true motion at a time. */
sn_servo_motion sn_servo_rig_motion(const sn_servo_rig *rig, double time_s);

/** The battery at a time, V. */
double sn_servo_rig_voltage(double time_s);

/** Write @p count samples. */
void sn_servo_rig_log(const sn_servo_rig *rig, sn_random *random, sn_ident_sample *samples,
                      size_t count);

#endif
