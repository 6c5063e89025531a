/** @file
 *  The process around a running system: its limits, and what it reports to a service manager. The
 *  notification protocol of systemd is one datagram of text to the socket in $NOTIFY_SOCKET;
 *  without that variable nothing is sent. */
#ifndef SINEW_APP_PROCESS_H
#define SINEW_APP_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "sinew/system.h"

/** Raise the limit of open files: clients of the control socket and of the cockpit, buses, bridges
 *  and recordings take descriptors.
 *  @return false if it stays too low; a message was printed */
bool file_limit_raise(void);

/** Send lines such as `READY=1\nSTATUS=running`. Errors are ignored. */
void notify(const char *state);

/** The longest time between two `WATCHDOG=1`, ns; 0: the manager expects none. */
int64_t notify_watchdog_ns(void);

typedef struct watchdog_state {
  int64_t period_ns; /**< 0: off */
  int64_t fed_ns;
  uint64_t cycles; /**< of the periodic activities, the fewest */
} watchdog_state;

/** Send `WATCHDOG=1` if it is due and every periodic activity has made cycles: an activity that
 *  hangs is as bad as a dead process. Activities that run on events may have nothing to do. */
void watchdog_feed(watchdog_state *watchdog, sn_system *const *systems, size_t count);

#endif
