/** @file
 *  Activities: threads that step components, in the order of the data flow. */
#ifndef SINEW_ACTIVITY_H
#define SINEW_ACTIVITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/histogram.h"

SN_BEGIN_DECLS

/** Opaque; belongs to its system. */
typedef struct sn_activity sn_activity;

/** Zero-initialise, then set what differs. */
typedef struct sn_activity_config {
  const char *name;  /**< copied; letters, digits, `_` */
  int64_t period_ns; /**< between two cycles, at least 10 000; 0: runs only when an event or a call
                          comes */
  int priority;      /**< of SCHED_FIFO, 1 .. 99; 0: the usual scheduler */
  int cpu;           /**< the core it stays on, counted from 1; 0: any */
  bool lock_memory;  /**< no page of the process is ever swapped out */
  /** Share of the cycles, 0 .. 1, that may be lost in a second: more than that in two seconds in a
   *  row is an emergency stop. 0: the default, 0.9; 1: never. */
  double max_lost;
} sn_activity_config;

/** How an activity keeps its time. Written by it, read by anybody. */
typedef struct sn_activity_timing {
  uint64_t cycles;
  uint64_t overruns; /**< cycles that ended after the next one was due */
  uint64_t skipped;  /**< ticks that were left out because of that: never caught up in a burst */
  uint64_t overran_last; /**< overruns in the last whole second */
  uint64_t lost_last;    /**< cycles left out in the last whole second */
  int64_t late_ns;       /**< when a second ended last in which more than 5 % of the cycles were
                              lost or half of them late; that was logged. 0: never */
  sn_histogram lateness; /**< from due to begun */
  sn_histogram duration; /**< from begun to done */
} sn_activity_timing;

SN_API const sn_activity_config *sn_activity_config_of(const sn_activity *activity);

/** RT: yes.  Threads: any; numbers of the cycle that runs may be missing. */
SN_API const sn_activity_timing *sn_activity_timing_of(const sn_activity *activity) SN_RT;

/** Does the activity lose cycles now: in a second that ended at most 3 s ago, or because it has
 *  been in one cycle for more than a second? One that runs by events never does.
 *  @param now_ns  by the clock of its system
 *  RT: yes.  Threads: any. */
SN_API bool sn_activity_is_late(const sn_activity *activity, int64_t now_ns) SN_RT;

SN_END_DECLS

#endif
