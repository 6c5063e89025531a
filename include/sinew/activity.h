/** @file
 *  Activities: threads that step components, in the order of the data flow. */
#ifndef SINEW_ACTIVITY_H
#define SINEW_ACTIVITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"

SN_BEGIN_DECLS

/* ---- durations ---- */

/** Buckets: eight per power of two, so a value is known to 12 %. The last one holds all from 2^40
 * ns (18 minutes). */
#define SN_HISTOGRAM_BUCKETS 304

/** A histogram of durations: fixed memory, one writer, any number of readers. All zero is empty. */
typedef struct sn_histogram {
  uint64_t counts[SN_HISTOGRAM_BUCKETS];
  uint64_t count;
  int64_t max_ns;
  int64_t sum_ns;
} sn_histogram;

/* ---- activities ---- */

/** Opaque; belongs to its system. */
typedef struct sn_activity sn_activity;

/** Zero-initialise, then set what differs. */
typedef struct sn_activity_config {
  const char *name;  /**< copied; letters, digits, `_` */
  int64_t period_ns; /**< between two cycles, at least 10 000; 0: runs on events and calls only */
  int priority;      /**< of SCHED_FIFO, 1 .. 99; 0: the default scheduler */
  int cpu;           /**< the core it is pinned to, counted from 1; 0: any */
  bool lock_memory;  /**< lock all pages of the process in memory */
  /** Share of the cycles, 0 .. 1, that may be lost per second. A larger share in two consecutive
   *  seconds triggers an emergency stop. 0: the default, 0.9; 1: never. */
  double max_lost;
} sn_activity_config;

/** Timing statistics. Written by the activity, read by any thread. */
typedef struct sn_activity_timing {
  uint64_t cycles;
  uint64_t overruns;     /**< cycles that ended after the next one was due */
  uint64_t skipped;      /**< cycles lost to overruns; they are not caught up */
  uint64_t overran_last; /**< overruns in the last whole second */
  uint64_t lost_last;    /**< cycles lost in the last whole second */
  int64_t late_ns;       /**< end of the last second in which more than 5 % of the cycles were lost
                              or more than half of them overran, which is logged; 0: never */
  sn_histogram lateness; /**< from due to begun */
  sn_histogram duration; /**< from begun to done */
} sn_activity_timing;

SN_API const sn_activity_config *sn_activity_config_of(const sn_activity *activity);

/** RT: yes.  Threads: any; the current cycle may be counted partly. */
SN_API const sn_activity_timing *sn_activity_timing_of(const sn_activity *activity) SN_RT;

SN_END_DECLS

#endif
