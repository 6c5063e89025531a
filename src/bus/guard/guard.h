/** @file
 *  Internal: the guard process as the threads of the buses use it. One for all buses of a process;
 *  it starts with the first bus and ends with the last, or when this process does.
 *
 *  Shared memory holds a heartbeat of each bus and the bytes that stop its servos; the guard needs
 *  no protocol. The ports go to it as descriptors. */
#ifndef SN_BUS_GUARD_GUARD_H
#define SN_BUS_GUARD_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "bus/guard/guard_start.h"
#include "bus/guard/safe_frames.h"
#include "sinew/status.h"

typedef struct sn__guard_config {
  const char *path;   /**< of the port, for messages */
  int64_t timeout_ns; /**< without a heartbeat for so long the bus hangs */
  bool limp;          /**< the safe state is limp; else hold: for messages only */
  int priority;       /**< of SCHED_FIFO for the guard, where permitted; 0: the usual scheduler */
} sn__guard_config;

/** Take a place for a bus; start the guard if there is none.
 *  @return the place; -1: too many buses, or no guard could be started.  RT: no.  Threads: any. */
int sn__guard_enter(const sn__guard_config *config, sn_error *err);

/** The bus ends as it should: the guard forgets it. Every port was taken back before. */
void sn__guard_leave(int place);

/** The guard is to hold this port, too, and to watch the bus; -1: not any more. Bytes that stop the
 *  servos must be there before. RT: no, calls the system.  Threads: the bus's. */
void sn__guard_port(int place, int fd);

/** The bytes that stop the servos now. RT: yes.  Threads: the bus's. */
void sn__guard_frames(int place, const sn__safe_bytes *bytes) SN_RT;

/** The bus lives. RT: yes.  Threads: the bus's. */
void sn__guard_beat(int place, int64_t now_ns) SN_RT;

typedef enum sn__guard_trouble {
  SN__GUARD_FINE,
  SN__GUARD_STOPPED, /**< the process was stopped by a signal, or traced */
  SN__GUARD_HUNG,    /**< a bus gave no sign of life */
  SN__GUARD_DYING,   /**< sn__guard_trip() */
  SN__GUARD_DIED     /**< the process is gone; only the guard sees this */
} sn__guard_trouble;

/** Why the guard has stopped the servos, until sn__guard_clear(). RT: yes.  Threads: any. */
sn__guard_trouble sn__guard_tripped(int place) SN_RT;
/** The bus takes over again. RT: yes.  Threads: the bus's. */
void sn__guard_clear(int place) SN_RT;
/** Is this process about to end? Then a bus sends nothing. RT: yes.  Threads: any. */
bool sn__guard_is_dying(void) SN_RT;

/** Is the guard alive? If not, another one is started.
 *  @return SN_OK: it is; SN_ESTOPPED: it had ended, there is another; else there is none, and
 *          @p err says why.  RT: no, calls the system.  Threads: any. */
sn_status sn__guard_check(int64_t now_ns, sn_error *err);

#endif
