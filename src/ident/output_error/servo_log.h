/** @file
 *  Internal: a log of one servo that moves a pendulum, and what can be wrong with it. */
#ifndef SN_IDENT_OUTPUT_ERROR_SERVO_LOG_H
#define SN_IDENT_OUTPUT_ERROR_SERVO_LOG_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "sinew/api.h"
#include "sinew/servo_model.h"
#include "sinew/status.h"

/** One line of a log. */
typedef struct sn__log_sample {
  double time_s;   /**< grows */
  double position; /**< rad */
  double goal;     /**< rad times gear; NaN: none, the servo is limp */
  double voltage;  /**< V; NaN: not measured */
  double velocity; /**< as the servo reports it, rad/s; NaN: not measured */
  double duty;     /**< as the servo reports it, in any unit; NaN: not measured */
  bool is_limp;    /**< the motor carries no current */
} sn__log_sample;

/** A mass on an arm. */
typedef struct sn__pendulum {
  double mass_kg;   /**< at the end of the arm; > 0 */
  double length_m;  /**< of the arm; > 0 */
  double arm_kg;    /**< of the arm, spread evenly over it */
  double hangs_rad; /**< position at which it hangs down */
} sn__pendulum;

#define SN__PENDULUM_GRAVITY 9.80665 /**< m/s² */

/** A whole log. */
typedef struct sn__servo_log {
  const char *path;  /**< for messages */
  const char *motor; /**< kind of servo; empty: not stated */
  double gain;       /**< of the firmware, which multiplies kp; 1 if kp is all of it */
  double voltage;    /**< mean of the supply, V */
  sn__pendulum load;
  const sn__log_sample *samples;
  size_t count;
} sn__servo_log;

/** What the rows of a log are good for. */
typedef struct sn__log_rows {
  size_t limp;      /**< they show friction without the motor */
  size_t saturated; /**< the drive is at its limit */
  size_t at_rest;   /**< they show what friction holds */
  size_t driven;    /**< all others */
} sn__log_rows;

/** Noise of the positions of a log, which jitter of the times makes grow with speed. */
typedef struct sn__log_noise {
  double rest_rad;   /**< standard deviation at rest; NaN: it is never at rest */
  double fast_rad;   /**< above `fast_rad_s` */
  double fast_rad_s; /**< half the largest speed */
} sn__log_noise;

/** Moment of inertia, kg·m². */
static inline double sn__pendulum_inertia(const sn__pendulum *p) {
  return (p->mass_kg + p->arm_kg / 3.0) * p->length_m * p->length_m;
}

/** Torque of gravity when the pendulum is horizontal, N·m. */
static inline double sn__pendulum_torque(const sn__pendulum *p) {
  return (p->mass_kg + 0.5 * p->arm_kg) * p->length_m * SN__PENDULUM_GRAVITY;
}

/** Torque that holds it at a position, N·m. */
static inline double sn__pendulum_torque_at(const sn__pendulum *p, double q) {
  return sn__pendulum_torque(p) * sin(q - p->hangs_rad);
}

/** Check times, positions, gain, supply and load of a log, and that goals are there.
 *  @param err  receives what is wrong, where, and what to do
 *  @return SN_OK or SN_EINVAL */
SN_API sn_status sn__servo_log_check(const sn__servo_log *log, sn_error *err);

/** Between neighbours: no servo is that fast. */
#define SN__SERVO_JUMP_RAD 3.0

/** Are goals and positions of a servo a turn apart, or from different zeros? A gear divides a turn
 *  of the goals.
 *  @param mean     goal / kgear + offset - position, rad
 *  @param nearest  the least of its magnitude: a servo that is turned is never near its goals */
SN_API bool sn__servo_is_turn_away(double mean, double nearest, double kgear);

/** Check that goals and positions count from the same zero and turn.
 *  @param params  kgear and offset are read
 *  @return SN_OK or SN_EINVAL */
SN_API sn_status sn__servo_log_check_goals(const sn__servo_log *log, const sn_servo_params *params,
                                           sn_error *err);

/** By how many whole turns the positions are away from where the pendulum hangs. Gravity does not
 *  differ there. */
SN_API int sn__servo_log_turns(const sn__servo_log *log);

/** Check that the logs are of one kind of servo. */
SN_API sn_status sn__servo_logs_check_kind(const sn__servo_log *logs, size_t count, sn_error *err);

/** Count the rows of a log.
 *  @param params  kp, kgear and drive_max are read */
SN_API sn__log_rows sn__servo_log_rows(const sn__servo_log *log, const sn_servo_params *params);

/** The noise of a log.
 *  @param simulated  positions, rad, or NULL: the noise is not above what differs from them */
SN_API sn__log_noise sn__servo_log_noise(const sn__servo_log *log, const double *simulated);

/** The velocity that the servo reports, beside that of the positions. */
typedef struct sn__velocity_register {
  double lag_s; /**< how far it is behind; NaN: it is not reported, or fits no lag below 0.1 s */
  double unit_rad_s; /**< what 1 of it means; NaN likewise */
} sn__velocity_register;

SN_API sn__velocity_register sn__servo_logs_velocity(const sn__servo_log *logs, size_t count);

/** The limit of kp times error, from the rows in which the servo reports that its duty no longer
 *  grows with the error.
 *  @return 0: the logs do not show it */
SN_API double sn__servo_logs_drive_max(const sn__servo_log *logs, size_t count,
                                       const sn_servo_params *params);

/** The part of the rows, of those that have a drive and report its duty, with the largest duty.
 *  @return 0: none reports it */
SN_API double sn__servo_logs_top_part(const sn__servo_log *logs, size_t count);

#endif
