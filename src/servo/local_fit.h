/** @file
 *  Internal: velocity and acceleration from a few neighbouring positions and velocities, by a cubic
 *  that fits both. */
#ifndef SN_SERVO_LOCAL_FIT_H
#define SN_SERVO_LOCAL_FIT_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/api.h"

#define SN__LOCAL_MAX 33 /**< points */

/** Weights: velocity = sum q_v[k] q[k] + v_v[k] v[k], and the acceleration likewise. */
typedef struct sn__local_weights {
  double q_v[SN__LOCAL_MAX], v_v[SN__LOCAL_MAX];
  double q_a[SN__LOCAL_MAX], v_a[SN__LOCAL_MAX];
} sn__local_weights;

/** Make weights for points at times @p t around 0.
 *  @param count          3 .. SN__LOCAL_MAX points
 *  @param has_v          are there velocities too?
 *  @param v_over_q       how much more a velocity counts than a position: the ratio of their
 *                        variances, position over velocity
 *  @return false if the points do not tell a velocity
 *  RT: yes, O(count). */
bool sn__local_fit(size_t count, const double *t, bool has_v, double v_over_q,
                   sn__local_weights *out) SN_RT;

#endif
