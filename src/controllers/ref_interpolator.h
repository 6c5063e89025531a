/** @file
 *  Internal: positions that come slower than the cycle, joined by lines.
 *
 *  A source that says ten times in a second where a joint shall be, and not how fast, means a
 *  motion, not ten steps. Each position is gone to evenly, in a little more than the time that the
 *  source takes for one: what comes out is late by as much, and never beyond what was said. A
 *  position that comes alone, after a pause, is a step. */
#ifndef SN_CONTROLLERS_REF_INTERPOLATOR_H
#define SN_CONTROLLERS_REF_INTERPOLATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "sinew/api.h"

typedef struct sn__ref_interpolator {
  double from, to;
  int64_t begun_ns;    /**< when the line began: when `to` was said */
  int64_t length_ns;   /**< how long it takes; 0: it is there */
  int64_t interval_ns; /**< between the last two; 0: there was a pause */
  bool is_running;     /**< something was said since the reset */
} sn__ref_interpolator;

/** Nothing is said: stay here. RT: yes */
void sn__ref_interpolator_reset(sn__ref_interpolator *line, double q) SN_RT;

/** Go to @p q, and be there a little after the next position is expected.
 *  @param interval_max_ns  what comes later than this after the last is a step
 *  @param period_ns        of the cycle. RT: yes */
void sn__ref_interpolator_say(sn__ref_interpolator *line, double q, int64_t interval_max_ns,
                              int64_t period_ns, int64_t now_ns) SN_RT;

/** Where the line is at the end of the cycle that begins now. RT: yes */
double sn__ref_interpolator_at(const sn__ref_interpolator *line, int64_t period_ns,
                               int64_t now_ns) SN_RT;

#endif
