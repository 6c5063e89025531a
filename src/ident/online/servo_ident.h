/** @file
 *  On-line identification of a robot's servos: what was commanded against what was measured, cycle
 *  by cycle.
 *
 *  Servos are numbers 0 .. servo_count-1, in the order of the robot model. Once a cycle
 *  sn__servo_ident_command() takes what is commanded; whenever measurements arrive,
 *  sn__servo_ident_measure() takes those of any servos. A command takes effect
 * `control_delay` cycles later: it is kept until then, and each measurement is compared with the
 * command that was in force when it was taken. */
#ifndef SN_IDENT_ONLINE_SERVO_IDENT_H
#define SN_IDENT_ONLINE_SERVO_IDENT_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/servo_model.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/** Opaque. Lives in the arena it was created from. */
typedef struct sn_servo_ident sn_servo_ident;

#define SN_SERVO_IDENT_DELAY_MAX 1000       /**< cycles */
#define SN_SERVO_IDENT_SMOOTHING_MAX 16     /**< measurements on each side */
#define SN_SERVO_IDENT_SMOOTHING_DEFAULT 16 /**< of the component `servo_ident` */

/** Zero-initialise, then set the fields that differ from their default. */
typedef struct sn_servo_ident_config {
  size_t servo_count;            /**< no default, at least 1 */
  const sn_servo_params *models; /**< [servo_count], copied */
  const bool *has_model;         /**< [servo_count]: is there model data? NULL means all */
  double cycle_s;                /**< no default, > 0 */
  size_t control_delay;          /**< cycles, at most SN_SERVO_IDENT_DELAY_MAX */
  double forgetting;             /**< `relaxation_factor`, in (0, 1]; 0 means 0.995 */
  double error_averaging_time_s; /**< 0 means 1 */
  double threshold_rad;          /**< largest accepted mean prediction error; 0 means 0.01 */
  double battery_voltage;        /**< until one is measured, V; 0 means 12 */
  double min_velocity;           /**< samples below it do not identify, rad/s; 0 means 0.01 */
  double sign_dead_zone;         /**< rad/s; 0 means SN_SERVO_DEAD_ZONE */
  bool identify_inertia;
  bool identify_load_friction; /**< `ext.load` of the models, too */
  /** The law of the servo is averaged over at most this many cycles on each side, and over 30 ms or
   *  one cycle at most: a goal is held for a cycle, so the law holds on average over whole cycles.
   *  The velocity is then that of the positions, and identification lags by half of that time. 0
   *  uses each measurement as it is, with the goal that was in force: right if the period is short
   *  and nothing is noisy. */
  size_t smoothing;
  double
      position_noise; /**< of an encoder, rad: assumed until it has been measured; 0 means 2e-4 */
  double velocity_noise; /**< of measured velocities, rad/s: whether they or the positions tell the
                              acceleration; 0 means 0.02 */
} sn_servo_ident_config;

/** What is commanded in a cycle; arrays of servo_count numbers. */
typedef struct sn_servo_command {
  const double *q;    /**< rad */
  const double *qd;   /**< rad/s */
  const double *tau;  /**< N·m; NULL means all 0 */
  const double *goal; /**< as sent; NULL: as the models say */
  const bool *limp;   /**< let go: no torque, whatever the goal; NULL: none is */
  double voltage;     /**< of the battery, V; 0: as before */
} sn_servo_command;

/** What is measured of some servos, in any order. */
typedef struct sn_servo_measured {
  size_t count;
  const int *servo; /**< [count] which; each at most once */
  const double *q;  /**< [count] rad */
  const double *qd; /**< [count] rad/s; NULL: not measured, then it comes from positions */
} sn_servo_measured;

/** What may change while it runs; values and defaults as in sn_servo_ident_config. */
typedef struct sn_servo_ident_tuning {
  double forgetting; /**< of identifications that begin from now on */
  double error_averaging_time_s;
  double threshold_rad;
  double min_velocity;
} sn_servo_ident_tuning;

/** Progress of all running identifications. */
typedef struct sn_servo_ident_progress {
  size_t running_count;    /**< servos */
  size_t sample_count_min; /**< of the one that has fewest; 0 if none is running */
  double error_max_rad;    /**< of the one that is worst; infinite if one has no sample */
} sn_servo_ident_progress;

/** State of the identification of a servo. */
typedef struct sn_servo_ident_status {
  bool is_running;
  size_t sample_count;
  double error_rad; /**< mean prediction error of the position; infinite before the first sample */
  sn_servo_params params; /**< the current estimate; the model itself if not running */
  double std[7];     /**< standard deviations of alpha, inertia and load friction: noise, and the
                          systematic errors of sampled motion; 0 if not running or not identified,
                          infinite if not known */
  double excitation; /**< smallest singular value of the scaled regressors, 0 .. 1 */
  bool is_excited;   /**< the motion excites all parameters */
} sn_servo_ident_status;

/** Create an identifier.
 *  @param out  set on success, untouched on failure
 *  @param err  receives the reason on failure; may be NULL
 *  @return SN_OK, SN_EINVAL (a value out of range, named in the error; a delay longer than the
 * history) or SN_ENOMEM RT: no, allocates.  Threads: one owner. */
sn_status sn__servo_ident_create(sn_arena *arena, const sn_servo_ident_config *config,
                                 sn_servo_ident **out, sn_error *err);

/** Begin the next cycle with this command.
 *  @return SN_OK, or SN_EINVAL if a number is not finite or the voltage negative; the cycle counts,
 *          but has no command then
 *  RT: yes, O(servo_count).  Threads: owner. */
sn_status sn__servo_ident_command(sn_servo_ident *ident, const sn_servo_command *command) SN_RT;

/** Cycles pass without a new command: the last one stays in force.
 *  RT: yes, O(servo_count * control_delay) at most.  Threads: owner. */
void sn__servo_ident_wait(sn_servo_ident *ident, size_t cycles) SN_RT;

/** Take measurements: residuals of the servos named, and a step of identification where one runs.
 *  @return SN_OK, or SN_EINVAL if the message is malformed (an unknown servo, one twice, a number
 *          that is not finite); nothing at all is used of it then
 *  RT: yes, O(count).  Threads: owner. */
sn_status sn__servo_ident_measure(sn_servo_ident *ident, const sn_servo_measured *measured) SN_RT;

/** @return servo_count torques, N·m: by the model for the measured motion, less the commanded one.
 *  The acceleration, which only a rotor with inertia feels, is that of the command: twice
 *  differentiated measurements are noise. 0 where nothing is known yet, the previous value where
 * nothing new was measured. RT: yes. */
const double *sn__servo_ident_torque_error(const sn_servo_ident *ident) SN_RT;

/** `startIdentification`: begin for these servos, or for none.
 *  @return SN_OK, SN_ENOENT (an unknown servo, or no model of it), SN_EBUSY (already running for
 *          one) or SN_EINVAL (none named, or one twice); in all these cases nothing has begun
 *  RT: yes, O(servo_count).  Threads: owner. */
sn_status sn__servo_ident_start(sn_servo_ident *ident, const int *servos, size_t count) SN_RT;

/** `endIdentification`: stop. A servo whose mean error is within the threshold gets its model.
 * Volts per torque stay as they were if the joint bore too little to tell them.
 *  @param accepted  servo_count flags out: whose model is new; may be NULL
 *  @return how many; 0 also if nothing was running
 *  RT: yes, O(servo_count).  Threads: owner. */
size_t sn__servo_ident_end(sn_servo_ident *ident, bool *accepted) SN_RT;

/** `abortIdentification`: stop; models stay as they were.
 *  @return false if nothing was running
 *  RT: yes.  Threads: owner. */
bool sn__servo_ident_abort(sn_servo_ident *ident) SN_RT;

/** `status()` of one servo, which must be less than servo_count. RT: yes.  Threads: owner. */
void sn__servo_ident_status_of(const sn_servo_ident *ident, size_t index,
                               sn_servo_ident_status *out) SN_RT;

/** RT: yes, O(servo_count).  Threads: owner. */
sn_servo_ident_progress sn__servo_ident_progress_now(const sn_servo_ident *ident) SN_RT;

/** Replace the model of a servo, which must be less than servo_count.
 *  @return SN_OK, SN_EBUSY (it is being identified) or SN_EINVAL (invalid parameters of a
 *          servo); the model stays then
 *  RT: yes.  Threads: owner. */
sn_status sn__servo_ident_replace(sn_servo_ident *ident, size_t index,
                                  const sn_servo_params *params) SN_RT;

/** Change what may change in flight.
 *  @param err  receives the reason of a failure; may be NULL
 *  @return SN_OK, or SN_EINVAL (a value out of range, named in the error): nothing has changed then
 *  RT: yes, if @p err is NULL.  Threads: owner. */
sn_status sn__servo_ident_tune(sn_servo_ident *ident, const sn_servo_ident_tuning *tuning,
                               sn_error *err);

/** @return the model of a servo that is in use. RT: yes. */
const sn_servo_params *sn__servo_ident_model(const sn_servo_ident *ident, size_t index) SN_RT;

SN_END_DECLS

#endif
