/** @file
 *  Internal: activities that lose cycles. */
#ifndef SN_RT_OVERRUNS_H
#define SN_RT_OVERRUNS_H

#include <stdbool.h>
#include <stdint.h>

#include "sinew/activity.h"
#include "sinew/api.h"

/** @return whether the activity loses cycles: the last such second ended at most 3 s ago, or the
 *          current cycle takes more than a second. Always false for one that runs on events.
 *  @param now_ns  by the clock of its system
 *  RT: yes.  Threads: any. */
SN_API bool sn__activity_is_late(const sn_activity *activity, int64_t now_ns) SN_RT;

#endif
