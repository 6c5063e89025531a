/** @file
 *  The interface of the guard process for a program's handlers of fatal errors.
 *
 *  The first driver of servos that starts forks a small process, `sinew-guard`. It holds the serial
 * ports, too. When this process dies, hangs or is stopped by a signal, it writes the bytes that put
 *  the servos into their safe state (docs/hardware.md, "When the program dies"). */
#ifndef SN_BUS_GUARD_GUARD_START_H
#define SN_BUS_GUARD_GUARD_START_H

#include <stdbool.h>
#include <stdint.h>

#include "sinew/api.h"

SN_BEGIN_DECLS

/** Stop all servos now: buses send no more goals, and the guard writes the safe state. Nothing in
 *  this process can undo it: call it when the process is about to end.
 *  RT: yes, async-signal-safe.  Threads: any. */
SN_API void sn__guard_trip(void) SN_RT;

/** Wait until the guard has stopped the servos after sn__guard_trip(), @p wait_ns at most.
 *  @return true if it has, or without servos
 *  RT: no, waits; async-signal-safe.  Threads: any. */
SN_API bool sn__guard_wait(int64_t wait_ns);

SN_END_DECLS

#endif
