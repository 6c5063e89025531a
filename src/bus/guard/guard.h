/** @file
 *  Internal: the interface of the guard process for bus threads. One guard serves all buses of a
 *  process; it starts with the first bus and ends with the last, or with this process.
 *
 *  Shared memory holds a heartbeat of each bus and the bytes that stop its servos, so the guard
 *  needs no protocol. It receives the ports as descriptors. */
#ifndef SN_BUS_GUARD_GUARD_H
#define SN_BUS_GUARD_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "bus/guard/guard_start.h"
#include "bus/guard/safe_frames.h"
#include "sinew/status.h"

typedef struct sn__guard_config {
  const char *path;   /**< of the port, for messages */
  int64_t timeout_ns; /**< time without a heartbeat after which the bus counts as hung */
  bool limp;          /**< the safe state is limp; else hold: for messages only */
  int priority;       /**< of SCHED_FIFO for the guard, where permitted; 0: the usual scheduler */
} sn__guard_config;

/** Take a place for a bus; start the guard if there is none.
 *  @return the place; -1: too many buses, or no guard could be started.  RT: no.  Threads: any. */
int sn__guard_enter(const sn__guard_config *config, sn_error *err);

/** The bus ends normally: the guard forgets it. Its port must have been withdrawn. */
void sn__guard_leave(int place);

/** Pass this port to the guard and start watching the bus; -1: stop. The bytes that stop the
 *  servos must be set before. RT: no, calls the system.  Threads: the bus's. */
void sn__guard_port(int place, int fd);

/** Set the bytes that stop the servos. RT: yes.  Threads: the bus's. */
void sn__guard_frames(int place, const sn__safe_bytes *bytes) SN_RT;

/** Heartbeat of the bus. RT: yes.  Threads: the bus's. */
void sn__guard_beat(int place, int64_t now_ns) SN_RT;

typedef enum sn__guard_trouble {
  SN__GUARD_FINE,
  SN__GUARD_STOPPED, /**< the process was stopped by a signal, or traced */
  SN__GUARD_HUNG,    /**< a bus sent no heartbeat */
  SN__GUARD_DYING,   /**< sn__guard_trip() */
  SN__GUARD_DIED     /**< the process is gone; only the guard sees this */
} sn__guard_trouble;

/** Why the guard has stopped the servos, until sn__guard_clear(). RT: yes.  Threads: any. */
sn__guard_trouble sn__guard_tripped(int place) SN_RT;
/** The bus resumes control. RT: yes.  Threads: the bus's. */
void sn__guard_clear(int place) SN_RT;
/** Is this process about to end? Then a bus sends nothing. RT: yes.  Threads: any. */
bool sn__guard_is_dying(void) SN_RT;

/** Check the guard and restart it if necessary.
 *  @return SN_OK: it runs; SN_ESTOPPED: it had ended and was restarted; else it cannot be started
 *  for the reason in @p err.  RT: no, calls the system.  Threads: any. */
sn_status sn__guard_check(int64_t now_ns, sn_error *err);

#endif
