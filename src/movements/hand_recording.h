/** @file
 *  Internal: a movement that a person shows with limp limbs: samples of joints, kept as the points
 *  that a trajectory needs. */
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

/** Make a trajectory of some joints: the first and the last sample, and as many between them as
 *  straight lines need to be within @p tolerance of all samples; a larger one if that takes more
 *  than 500 points.
 *  @param joints  indices in the sorted pose
 *  @return NULL: fewer than two samples, or no memory */
sn_trajectory_goal *sn__hand_recording_trajectory(const sn__hand_recording *recording,
                                                  const sn_model *model, const int *joints,
                                                  size_t joint_count, double tolerance,
                                                  sn_arena *arena);

#endif
