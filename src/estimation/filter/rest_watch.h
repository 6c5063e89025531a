/** @file
 *  Internal: does the base rest? Then the gyro measures its bias.
 *
 *  RT: yes, all of it.  Threads: one owner. */
#ifndef SN_ESTIMATION_FILTER_REST_WATCH_H
#define SN_ESTIMATION_FILTER_REST_WATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "estimation/filter/base_filter.h"
#include "sinew/api.h"

/** Samples of the gyro, summed up. */
typedef struct sn__rest_block {
  sn_vec3 sum; /**< rad/s times s */
  double time_s;
} sn__rest_block;

/** All zero at the start. */
typedef struct sn__rest_watch {
  double time_s;        /**< since which nothing has moved */
  double drift;         /**< speed of the feet in the base since then, beyond their noise, m/s */
  sn_vec3 gyro;         /**< mean since then */
  sn_vec3 accel;        /**< likewise */
  double gyro_variance; /**< of one sample and axis */
  double count;         /**< of samples in the means */
  bool is_begun;
  bool touches[SN__FILTER_FEET_MAX];
  sn_vec3 smooth[SN__FILTER_FEET_MAX], from[SN__FILTER_FEET_MAX]; /**< of the feet, in the base */

  /** Samples count only if the base still rests some time later: a motion is noticed late. */
  sn__rest_block now, waiting[2];
  sn__rest_block ready; /**< to be used; time_s 0: none */
} sn__rest_watch;

/** One cycle.
 *  @param touches  [foot_count]
 *  @param middle   [foot_count] of the feet in the base
 *  @return whether it rests: for 0.3 s, or 1 s if no foot touches */
bool sn__rest_watch_step(sn__rest_watch *watch, size_t foot_count, const bool *touches,
                         const sn_vec3 *middle, sn_vec3 gyro, sn_vec3 accel, double dt_s) SN_RT;

#endif
