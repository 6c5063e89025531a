/** @file
 *  Internal: the filter inside the estimator: gyro and accelerometer predict the base, feet that
 *  stand correct it.
 *
 *  An extended Kalman filter with the points of contact in its state, after Hartley, Ghaffari,
 *  Eustice and Grizzle, *Contact-aided invariant extended Kalman filtering for robot state
 *  estimation* (IJRR 2020), with biases. State: rotation R, velocity v, biases of gyro and
 *  accelerometer, position p of the base, place d of each foot in stance. Errors are
 *  right-invariant about the present position of the base:
 *
 *    R = exp(theta) R^,  v = exp(theta) v^ + xi_v,  p = p^ + xi_p,  d = p^ + exp(theta) (d^ - p^) +
 * xi_d
 *
 *  so a foot at r in the base measures R^ r - (d^ - p^) = xi_d - xi_p, whatever the attitude is:
 *  heading and position, which feet cannot observe, get no false certainty.
 *
 *  Every function: RT: yes.  Threads: one owner. */
#ifndef SN_ESTIMATION_FILTER_BASE_FILTER_H
#define SN_ESTIMATION_FILTER_BASE_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/api.h"
#include "sinew/pose.h"

enum {
  SN__FILTER_FEET_MAX = 8,
  /* First index of each part of the error. */
  SN__FILTER_TURN = 0,
  SN__FILTER_VELOCITY = 3,
  SN__FILTER_GYRO_BIAS = 6,
  SN__FILTER_ACCEL_BIAS = 9,
  SN__FILTER_POSITION = 12,
  SN__FILTER_FEET = 15,
  SN__FILTER_SIZE = SN__FILTER_FEET + 3 * SN__FILTER_FEET_MAX + 1 /* even */
};

/** Standard deviations. */
typedef struct sn__filter_noise {
  double gyro;             /**< rad/s/sqrt(Hz) */
  double accel;            /**< m/s²/sqrt(Hz); covers vibration and impacts, too */
  double gyro_bias_drift;  /**< rad/s/sqrt(s) */
  double accel_bias_drift; /**< m/s²/sqrt(s) */
  double foot;             /**< of the place of a foot in the base, m */
  double foot_drift;       /**< creep of a foot in stance, m/sqrt(s) */
  double foot_turn_bias;   /**< rad/s: feet may turn on the ground at this rate for long, so they do
                                not show the gyro's bias about the vertical better */
} sn__filter_noise;

/** How much more than a firm foot one creeps: factors of foot_drift. */
typedef struct sn__foot_looseness {
  double level, height;
} sn__foot_looseness;

typedef struct sn__base_filter {
  /* the estimate */
  sn_pose pose_world_base;
  sn_vec3 velocity; /**< of the base's origin in the world, m/s */
  sn_vec3 gyro_bias, accel_bias;
  size_t foot_count;
  bool in_stance[SN__FILTER_FEET_MAX]; /**< its place is part of the state */
  sn_vec3 place[SN__FILTER_FEET_MAX];  /**< in the world */

  double cov[SN__FILTER_SIZE][SN__FILTER_SIZE]; /**< of the error: the lower triangle */
  double gravity;                               /**< m/s², > 0 */
} sn__base_filter;

/** Initial standard deviations. */
typedef struct sn__filter_start {
  double tilt, velocity, gyro_bias, accel_bias;
} sn__filter_start;

/** Begin at a pose, without feet. The biases stay if @p start has 0 for them.
 *  @param foot_count  at most SN__FILTER_FEET_MAX */
void sn__filter_start_at(sn__base_filter *filter, size_t foot_count, sn_pose pose_world_base,
                         sn_vec3 velocity, const sn__filter_start *start) SN_RT;

/** Predict.
 *  @param gyro, accel  as measured, in the axes of the base; finite
 *  @param dt_s         0 < dt_s <= 0.1
 *  @param loose        [foot_count] */
void sn__filter_predict(sn__base_filter *filter, sn_vec3 gyro, sn_vec3 accel, double dt_s,
                        const sn__filter_noise *noise, const sn__foot_looseness *loose) SN_RT;

/** A foot touches down at @p middle (in the base); also moves the place of one in stance. */
void sn__filter_place_foot(sn__base_filter *filter, size_t foot, sn_vec3 middle,
                           const sn__filter_noise *noise) SN_RT;

void sn__filter_lift_foot(sn__base_filter *filter, size_t foot) SN_RT;

/** A foot in stance is measured at @p middle (in the base).
 *  @param gate  squared distance in standard deviations from which on it is not used
 *  @return the squared distance, about 3 in the mean */
double sn__filter_measure_foot(sn__base_filter *filter, size_t foot, sn_vec3 middle,
                               const sn__filter_noise *noise, double gate) SN_RT;

/** A linear combination of three neighbouring errors is measured.
 *  @param first     SN__FILTER_TURN, …
 *  @param h         the factors
 *  @param value     what they sum to
 *  @param variance  of it */
void sn__filter_measure(sn__base_filter *filter, size_t first, sn_vec3 h, double value,
                        double variance) SN_RT;

/** @return whether the state is finite and the covariance plausible */
bool sn__filter_is_sound(const sn__base_filter *filter) SN_RT;

#endif
