/** @file
 *  Internal: the motion of one joint of a leader, from samples of its position.
 *
 *  Samples are coarse and arrive at uneven times. An alpha-beta filter (a critically damped one,
 * with the gains of a fading memory: E. Brookner, Tracking and Kalman Filtering Made Easy, 1998)
 * estimates position and velocity, and predicts both until the next sample: a joint in even motion
 * is followed without lag. If no sample arrives, the prediction goes on for a quarter of the
 * time-out and comes to rest by its end. */
#ifndef SN_CONTROLLERS_GUIDED_LEADER_TRACK_H
#define SN_CONTROLLERS_GUIDED_LEADER_TRACK_H

#include <stdbool.h>
#include <stdint.h>

#include "sinew/api.h"

/** Zero-initialise: nothing is known. */
typedef struct sn__leader_track {
  double q, qd;  /**< at `at_ns`; rad, rad/s or m, m/s */
  int64_t at_ns; /**< of the last sample */
  bool is_known;
} sn__leader_track;

/** A sample. One that is not later than the last is ignored; after a gap of more than @p timeout_ns
 *  the track begins anew, at rest.
 *  @param memory_s  time constant of the filter, > 0.  RT: yes. */
void sn__leader_track_take(sn__leader_track *track, double q, int64_t at_ns, double memory_s,
                           int64_t timeout_ns) SN_RT;

/** Where the joint is now, and how it moves. RT: yes. */
void sn__leader_track_at(const sn__leader_track *track, int64_t now_ns, int64_t timeout_ns,
                         double *q, double *qd) SN_RT;

#endif
