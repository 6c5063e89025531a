/** @file
 *  Identification of a servo from a log: the four alpha (and if wanted the rotor's inertia and the
 *  shape of the Stribeck curve) with honest standard deviations.
 *
 *  Measurements are noisy on both sides of the equation, and friction depends on the velocity in a
 *  way that is not linear; plain least squares on raw samples is biased then. So:
 *  - The velocity in the friction terms is a smoothed one. How much to smooth is chosen by Stein's
 *    unbiased estimate of the risk, from the noise that is seen in the log itself. A log without
 *    noise is not smoothed at all.
 *  - The terms that are linear see the same average over short blocks on both sides of the
 * equation, which leaves the equation exact; what noise is left in the regressors is taken out of
 * the normal equations.
 *  - Standard deviations come from the residuals in groups longer than the smoothing (the
 * "sandwich" of White and of Newey and West), so they hold for noise of any colour. */
#ifndef SN_IDENT_OFFLINE_IDENT_FIT_H
#define SN_IDENT_OFFLINE_IDENT_FIT_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/servo_model.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/** One line of a log. What was not measured is NaN. */
typedef struct sn_ident_sample {
  double time_s;   /**< never NaN; grows */
  double goal;     /**< sent to the servo, rad times gear */
  double position; /**< of the joint, rad; never NaN */
  double velocity; /**< rad/s */
  double effort;   /**< torque delivered to the joint, N·m */
  double voltage;  /**< V */
} sn_ident_sample;

/** Zero-initialise, then set the fields that differ from their default. */
typedef struct sn_ident_fit_config {
  double voltage;       /**< where the log has none, V; 0: a log without voltage is an error */
  double threshold_rad; /**< largest accepted prediction error of the position; 0 means 0.01 */
  double min_velocity;  /**< samples below it do not identify, rad/s; 0 means 0.002 */
  bool has_delay;       /**< use control_delay instead of finding the delay */
  size_t control_delay; /**< samples between a goal and its execution, at most SN_IDENT_DELAY_MAX */
  bool fit_stribeck;    /**< also search qs and delta */
  bool identify_inertia; /**< also identify the inertia */
  bool want_plots;       /**< fill predictions and steps of the result */
} sn_ident_fit_config;

#define SN_IDENT_DELAY_MAX 100 /**< samples */

/** The parameters that are identified, in the order of the arrays below. */
typedef enum sn_ident_param {
  SN_IDENT_ALPHA0,
  SN_IDENT_ALPHA1,
  SN_IDENT_ALPHA2,
  SN_IDENT_ALPHA3,
  SN_IDENT_INERTIA,
  SN_IDENT_QS,
  SN_IDENT_DELTA,
  SN_IDENT_PARAM_COUNT
} sn_ident_param;

/** How the estimate came about, over the log: for plots. */
typedef struct sn_ident_step {
  double time_s;
  double value[SN_IDENT_INERTIA + 1];
  double std[SN_IDENT_INERTIA + 1];
} sn_ident_step;

/** One sample as the model sees it. */
typedef struct sn_ident_prediction {
  double time_s;
  double position;  /**< measured, rad */
  double predicted; /**< by the identified model, rad */
  double velocity;  /**< smoothed, rad/s */
} sn_ident_prediction;

/** Results. */
typedef struct sn_ident_result {
  sn_servo_params params;           /**< identified; what was not excited is as given */
  double std[SN_IDENT_PARAM_COUNT]; /**< standard deviations; 0 for what was not identified */
  bool ok;      /**< enough samples, all excited, prediction error within the threshold */
  bool excited; /**< the motion excites all parameters */
  bool is_excited[SN_IDENT_PARAM_COUNT]; /**< this one; true for what was not asked for */
  double excitation;   /**< smallest singular value of the scaled regressors, 0 .. 1 */
  double error_rad;    /**< root of the mean squared prediction error of the position */
  size_t sample_count; /**< samples that identified */
  size_t delay;        /**< samples between a goal and its execution */
  double period_s;     /**< between samples, the usual */
  double position_noise, velocity_noise, effort_noise; /**< standard deviations seen in the log */
  bool velocity_ignored; /**< the velocity of the log contradicts its positions */
  size_t smoothing;      /**< samples on each side that the velocity is smoothed over */
  const char *reason;    /**< why not ok, static text; NULL if ok */
  const sn_ident_prediction *predictions; /**< [prediction_count] in the arena, every sample
                                               that identified */
  size_t prediction_count;
  const sn_ident_step *steps; /**< [step_count] in the arena */
  size_t step_count;
} sn_ident_result;

/** Identify one servo.
 *  @param arena   growing; holds the plots of the result and everything in between
 *  @param params  kp, kgear and what is known; alpha counts only for what is not excited
 *  @param out     set on success, untouched on failure
 *  @param err     receives the reason on failure; may be NULL
 *  @return SN_OK (also if the result is not ok), SN_EINVAL (parameters or configuration out of
 *          range, no voltage, times that do not grow) or SN_ENOMEM
 *  RT: no.  Threads: one owner of the arena. */
SN_API sn_status sn__ident_fit(sn_arena *arena, const sn_ident_fit_config *config,
                               const sn_servo_params *params, const sn_ident_sample *samples,
                               size_t count, sn_ident_result *out, sn_error *err);

/** A motion that excites all parameters, as a sum of three sines around a middle:
 *  q(t) = middle + sum of amplitude sin(2 pi frequency t). */
typedef struct sn_ident_motion {
  double middle_rad;
  double amplitude_rad[3];
  double frequency_Hz[3];
  double duration_s;
} sn_ident_motion;

/** Propose a motion inside limits: it crosses standstill slowly and quickly, and passes speeds far
 *  above and below the Stribeck velocity.
 *  @param lower,upper   limits of the position, rad
 *  @param velocity_max  rad/s, > 0; infinite if unlimited
 *  @return false if the limits leave no room; @p out untouched
 *  RT: yes.  Threads: any. */
SN_API bool sn__ident_suggest(const sn_servo_params *params, double lower, double upper,
                              double velocity_max, sn_ident_motion *out) SN_RT;

SN_END_DECLS

#endif
