/** @file
 *  A position-controlled servo with a proportional regulator on a battery, by seven parameters:
 *
 *      kp V (g / kgear - q) = alpha0 qd + alpha1 sgn(qd) + alpha2 sgn(qd) exp(-|qd / qs|^delta)
 *                             + alpha3 tau + inertia qdd
 *
 *  g is the goal sent to the servo, q and qd the joint's position and velocity, V the battery
 *  voltage and tau the torque delivered to the joint. Both sides are volts.
 *
 *  Gearboxes of real servos do more, and `ext` describes it; all zero, the equation is the one
 *  above. With it
 *
 *      V clip(kp play(g / kgear + offset - q), drive_max) = (the same right side)
 *                                                           + sgn(qd) (load0 |tau| + load1 tau^2)
 *
 *  where g is the goal of `delay_s` ago and play(x) what x exceeds half the backlash by, 0 within.
 *  All functions here are pure. Positions are rad (or m, then
 * torques are N). RT: yes, all but the check.  Threads: any.
 */
#ifndef SINEW_SERVO_MODEL_H
#define SINEW_SERVO_MODEL_H

#include <stdbool.h>

#include "sinew/api.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/** What the seven parameters leave out. All zero: nothing. */
typedef struct sn_servo_extension {
  double back_emf; /**< the part of alpha0 that is back-EMF, V·s/rad: a limp servo coasts without
                        it; 0 .. alpha0 */
  double load[2];  /**< friction that grows with the load: V/(N·m), V/(N·m)²; >= 0 */
  double back_load[2]; /**< the same while the load drives the servo; only if is_directional */
  bool is_directional; /**< false: `load` holds in both directions */
  double offset;       /**< of the regulator, rad: the servo aims at g / kgear + offset */
  double drive_max;    /**< limit of kp times error, the duty of the motor; 0: none */
  double delay_s;      /**< from a goal to its effect; >= 0 */
  double backlash;     /**< play of the drive, rad: up to half of it from its aim the servo does not
                            push; >= 0 */
} sn_servo_extension;

/** Parameters of a servo. */
typedef struct sn_servo_params {
  double kp;       /**< gain of the regulator, 1/rad; > 0 */
  double kgear;    /**< goal of the servo over position of the joint; not 0 */
  double alpha[4]; /**< back-EMF and viscous friction V·s/rad, Coulomb friction V, Stribeck friction
                        V, volts per torque V/(N·m) */
  double qs;       /**< Stribeck velocity, rad/s; > 0 */
  double delta;    /**< Stribeck exponent; > 0 */
  double inertia;  /**< of the rotor, V·s²/rad; 0: neglected */
  sn_servo_extension ext;
} sn_servo_params;

/** Where a joint is, how it moves, and the torque that the servo delivers to it. */
typedef struct sn_servo_motion {
  double q;   /**< rad */
  double qd;  /**< rad/s */
  double qdd; /**< rad/s²; 0 if unknown */
  double tau; /**< N·m */
} sn_servo_motion;

/** Default speed, rad/s, below which a joint counts as at rest. */
#define SN_SERVO_DEAD_ZONE 0.001

/** An ideal servo: it reaches its goal exactly (kp 1, kgear 1, every alpha 0). */
SN_API void sn_servo_params_init(sn_servo_params *params) SN_RT;

/** Check parameters.
 *  @param err  receives which parameter is wrong; may be NULL
 *  @return SN_OK or SN_EINVAL (a number is not finite, kp, qs or delta not above 0, kgear 0,
 *          alpha0, alpha3, inertia or a parameter of `ext` other than the offset negative,
 *          back_emf above alpha0)
 *  RT: no, formats. */
SN_API sn_status sn_servo_params_check(const sn_servo_params *params, sn_error *err);

/** The goal that causes this motion: the model solved for g.
 *  @param voltage  of the battery, V; > 0 */
SN_API double sn_servo_goal_of(const sn_servo_params *params, double voltage,
                               const sn_servo_motion *motion, double dead_zone) SN_RT;

/** The torque that the servo delivers with this goal during this motion (the torque in @p motion is
 *  not read): the model solved for tau. 0 if alpha3 is 0. Friction that grows with the load takes
 *  at most nine tenths of a further torque that drives the servo back, so there is one solution. */
SN_API double sn_servo_torque_of(const sn_servo_params *params, double voltage, double goal,
                                 const sn_servo_motion *motion, double dead_zone) SN_RT;

/** The position at which this goal causes this velocity and torque (the position in @p motion is
 *  not read): the model solved for q. */
SN_API double sn_servo_position_of(const sn_servo_params *params, double voltage, double goal,
                                   const sn_servo_motion *motion, double dead_zone) SN_RT;

/** The load of a joint, for simulation. */
typedef struct sn_servo_load {
  double inertia_kgm2; /**< of everything that the joint moves; > 0 */
  double tau;          /**< N·m on the joint from outside: gravity, contacts */
} sn_servo_load;

/** The acceleration of a joint on its servo: the model solved forward. A joint at rest begins to
 *  move only when the drive exceeds the static friction: alpha1 + alpha2, and that of the load.
 *  @param params  with alpha3 > 0 */
SN_API double sn_servo_accel(const sn_servo_params *params, double voltage, double goal, double q,
                             double qd, const sn_servo_load *load, double dead_zone) SN_RT;

SN_END_DECLS

#endif
