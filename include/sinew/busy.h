/** @file
 *  What a running system is doing: for handlers of fatal errors, and for who waits for its end. */
#ifndef SINEW_BUSY_H
#define SINEW_BUSY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/system.h"

SN_BEGIN_DECLS

/** Code of a component that is being executed. Texts live as long as the component. */
typedef struct sn_busy {
  const char *component; /**< NULL: the activity is between two components */
  const char *what;      /**< `step`, `call`, `configure`, `start`, `stop`, … */
  const char *activity;  /**< NULL: no cycle */
  uint64_t cycle;        /**< of the activity, from 1 */
} sn_busy;

/** What the cycle does that the calling thread is in.
 *  @return false if it is in none.  RT: yes, async-signal-safe.  Threads: any. */
SN_API bool sn_busy_here(sn_busy *out) SN_RT;

/** What a system does now: a hook that management runs, and the component of each activity.
 *  @param index  0: the hook; n: activity n - 1
 *  @return false: nothing is being done there.  RT: yes, async-signal-safe.  Threads: any. */
SN_API bool sn_busy_at(const sn_system *system, size_t index, sn_busy *out) SN_RT;

SN_END_DECLS

#endif
