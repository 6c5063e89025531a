/** @file
 *  Internal: a movement that a person shows: samples of joints, and the clean trajectory that they
 *  become. */
#ifndef SN_MOVEMENTS_HAND_RECORDING_H
#define SN_MOVEMENTS_HAND_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "movements/movement.h"

typedef struct sn__hand_recording {
  size_t joint_count; /**< of the sorted pose */
  size_t capacity;    /**< samples */
  size_t count;
  int64_t interval_ns;
  int64_t *time_ns; /**< [capacity] since the first sample */
  double *q;        /**< [capacity][joint_count] */
  int64_t start_ns;
  int64_t next_ns;
} sn__hand_recording;

/** @return false: no memory */
bool sn__hand_recording_create(sn_arena *arena, size_t joint_count, double interval_s,
                               double duration_max_s, sn__hand_recording *out);

/** Forget all samples. RT: yes */
void sn__hand_recording_reset(sn__hand_recording *recording) SN_RT;

/** A pose, in every cycle; those between two samples are ignored.
 *  @return false: full, the sample was not taken. RT: yes */
bool sn__hand_recording_take(sn__hand_recording *recording, const double *q, int64_t now_ns) SN_RT;

/** How a recording becomes a movement. */
typedef struct sn__hand_cleaning {
  double rest_tolerance; /**< rad or m: rests at both ends, within this, are cut off */
  double smoothing_s;    /**< width of the bell that the samples are averaged with */
} sn__hand_cleaning;

/** Make a trajectory of some joints: without rests at its ends, smoothed, with positions,
 * velocities and accelerations, at most 1000 points, from rest to rest.
 *  @param joints  indices in the sorted pose
 *  @return NULL: fewer than two samples, or no memory; see @p err */
sn_trajectory_goal *sn__hand_recording_trajectory(const sn__hand_recording *recording,
                                                  const sn_model *model, const int *joints,
                                                  size_t joint_count,
                                                  const sn__hand_cleaning *cleaning,
                                                  sn_arena *arena, sn_error *err);

#endif
