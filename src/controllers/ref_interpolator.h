/** @file
 *  Internal: positions that arrive more slowly than the cycle, joined by lines.
 *
 *  A source that sends ten positions a second without velocities means a motion, not ten steps.
 *  Each position is approached at constant speed, in a little more than the interval of the source:
 *  the output lags by as much, and never overshoots. A single position after a pause is a step. */
#ifndef SN_CONTROLLERS_REF_INTERPOLATOR_H
#define SN_CONTROLLERS_REF_INTERPOLATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "sinew/api.h"

typedef struct sn__ref_interpolator {
  double from, to;
  int64_t begun_ns;    /**< when the line began: when `to` arrived */
  int64_t length_ns;   /**< duration of the line; 0: it has ended */
  int64_t interval_ns; /**< between the last two; 0: there was a pause */
  bool is_running;     /**< a position arrived since the reset */
} sn__ref_interpolator;

/** Hold this position. RT: yes */
void sn__ref_interpolator_reset(sn__ref_interpolator *line, double q) SN_RT;

/** Go to @p q, and be there a little after the next position is expected.
 *  @param interval_max_ns  a position that arrives later than this after the last is a step
 *  @param period_ns        of the cycle. RT: yes */
void sn__ref_interpolator_add(sn__ref_interpolator *line, double q, int64_t interval_max_ns,
                              int64_t period_ns, int64_t now_ns) SN_RT;

/** Where the line is at the end of the cycle that begins now. RT: yes */
double sn__ref_interpolator_at(const sn__ref_interpolator *line, int64_t period_ns,
                               int64_t now_ns) SN_RT;

#endif
