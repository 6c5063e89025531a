/** @file
 *  Internal: forward simulation of a log: a servo that moves a pendulum, from the first state of
 * the log, with its goals. */
#ifndef SN_IDENT_OUTPUT_ERROR_SERVO_SIMULATE_H
#define SN_IDENT_OUTPUT_ERROR_SERVO_SIMULATE_H

#include "ident/output_error/servo_log.h"

/** A servo, and where its zero is. */
typedef struct sn__servo_on_load {
  sn_servo_params params; /**< kp is multiplied by the gain of a log */
  double zero_rad;        /**< the load hangs down at its hangs_rad minus this position */
} sn__servo_on_load;

/** How far a simulation is from its log. */
typedef struct sn__servo_score {
  double mae_rad; /**< mean of the absolute error of the position */
  double rms_rad;
} sn__servo_score;

/** How a log is simulated. */
typedef struct sn__servo_plan {
  double step_s;      /**< of integration, at most */
  bool mixes_goals;   /**< a step may see two goals, whose mean acts: faster, less exact */
  double restart_s;   /**< time after which it begins again where the log is; 0: never */
  double first_rad;   /**< added to the position at the beginning */
  double first_rad_s; /**< added to the velocity there */
} sn__servo_plan;

/** Do the first positions of a log differ so clearly that it begins in motion? */
SN_API bool sn__servo_log_begins_moving(const sn__servo_log *log);

/** @param position  out: log->count, rad */
SN_API void sn__servo_simulate(const sn__servo_on_load *servo, const sn__servo_log *log,
                               sn__servo_plan plan, double *position);

/** The error of a simulated log. */
SN_API sn__servo_score sn__servo_score_of(const sn__servo_log *log, const double *position);

/** For results: the whole log in one. */
static const sn__servo_plan SN__SERVO_WHOLE = {.step_s = 0.001};

#endif
