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
} sn_activity_config;

/** How an activity keeps its time. Written by it, read by anybody. */
typedef struct sn_activity_timing {
  uint64_t cycles;
  uint64_t overruns; /**< cycles that ended after the next one was due */
  uint64_t skipped;  /**< ticks that were left out because of that: never caught up in a burst */
  sn_histogram lateness; /**< from due to begun */
  sn_histogram duration; /**< from begun to done */
} sn_activity_timing;

SN_API const sn_activity_config *sn_activity_config_of(const sn_activity *activity);

/** RT: yes.  Threads: any; numbers of the cycle that runs may be missing. */
SN_API const sn_activity_timing *sn_activity_timing_of(const sn_activity *activity) SN_RT;

SN_END_DECLS

#endif
