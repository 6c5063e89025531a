/** @file
 *  What a running system is executing: for fatal-error handlers and shutdown time-outs. */
#ifndef SN_RT_BUSY_H
#define SN_RT_BUSY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/system.h"

SN_BEGIN_DECLS

/** The component whose code is being executed. Texts are valid as long as the component exists. */
typedef struct sn_busy {
  const char *component; /**< NULL: the activity is between two components */
  const char *what;      /**< `step`, `call`, `configure`, `start`, `stop`, … */
  const char *activity;  /**< NULL: no cycle */
  uint64_t cycle;        /**< of the activity, from 1 */
} sn_busy;

/** What the calling thread executes in its cycle.
 *  @return false if it is not in a cycle.  RT: yes, async-signal-safe.  Threads: any. */
SN_API bool sn__busy_here(sn_busy *out) SN_RT;

/** What a system executes now: the hook that a management call runs, and the component that each
 *  activity steps.
 *  @param index  0: the hook; n: activity n - 1
 *  @return false: idle.  RT: yes, async-signal-safe.  Threads: any. */
SN_API bool sn__busy_at(const sn_system *system, size_t index, sn_busy *out) SN_RT;

SN_END_DECLS

#endif
