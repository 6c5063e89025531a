/** @file
 *  Internal: how the path parameter depends on time.
 *
 *  The square of its rate, x, is a quadratic in each interval of the path parameter, with a
 *  continuous slope. Then rate v = sqrt(x), acceleration x'/2 and jerk v x''/2 are bounded, and
 *  the motion within an interval has a closed form: v'' = (x''/2) v. */
#ifndef SN_PATH_TIME_LAW_H
#define SN_PATH_TIME_LAW_H

#include <stddef.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/status.h"

typedef struct sn__time_law {
  size_t interval_max, interval_count;
  double *width;   /**< [intervals] */
  double *rate;    /**< [intervals + 1] v where an interval begins, > 0 */
  double *slope;   /**< [intervals + 1] x' there */
  double *bend;    /**< [intervals] x'' */
  double *start_s; /**< [intervals + 1] when it begins; the last one is the duration */
} sn__time_law;

/** A time on the law. */
typedef struct sn__law_point {
  size_t interval;
  double at;           /**< path parameter since the start of the interval */
  double rate;         /**< of the path parameter, 1/s */
  double acceleration; /**< likewise, 1/s^2 */
} sn__law_point;

/** @return SN_OK or SN_ENOMEM.  RT: no, allocates. */
sn_status sn__time_law_create(sn_arena *arena, size_t interval_max, sn__time_law *out,
                              sn_error *err);

/** Set times, after the other arrays. RT: yes, O(intervals). */
void sn__time_law_integrate(sn__time_law *law) SN_RT;

/** s; 0 without intervals. RT: yes. */
double sn__time_law_duration(const sn__time_law *law) SN_RT;

/** The motion at a time; before the start and after the end it is the nearest one.
 *  RT: yes, O(log intervals). */
sn__law_point sn__time_law_at(const sn__time_law *law, double t_s) SN_RT;

#endif
