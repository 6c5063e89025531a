/** @file
 *  Telling the service manager how it goes: systemd's notification protocol, which is one datagram
 *  of text to the socket that $NOTIFY_SOCKET names. Without that variable nothing happens. */
#ifndef SINEW_APP_NOTIFY_H
#define SINEW_APP_NOTIFY_H

#include <stdint.h>

/** Send lines such as `READY=1\nSTATUS=running`. What cannot be sent is not. */
void notify(const char *state);

/** How often the manager wants to hear `WATCHDOG=1` at least, ns; 0: it does not. */
int64_t notify_watchdog_ns(void);

#endif
