/** @file
 *  The service manager hears from us only while every activity makes cycles: one that hangs is as
 *  bad as a process that is gone. Those that run by events may have nothing to do. */
#ifndef SINEW_APP_RUN_WATCHDOG_H
#define SINEW_APP_RUN_WATCHDOG_H

#include <stdint.h>

#include "sinew/system.h"

typedef struct run_watchdog {
  int64_t period_ns; /**< 0: nobody wants to hear */
  int64_t fed_ns;
  uint64_t cycles; /**< of the periodic activities, the fewest */
} run_watchdog;

/** Tell the manager, if it is time to and all is well. */
void run_watchdog_feed(run_watchdog *dog, const sn_system *system);

#endif
