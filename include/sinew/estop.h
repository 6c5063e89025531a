/** @file
 *  The emergency stop of a system: one latch for everything that moves joints.
 *
 *  Any thread sets it with sn_estop_request(), which needs no lock, no memory and no cycle. While
 *  it is set, gates (aggregators) brake all joints within their limits, and actuators (bus drivers,
 *  plants) follow them. An actuator holds its servos where they are if no gate acknowledges the
 *  stop within 50 ms, or if goals stop arriving. No other goal is accepted until the operation
 *  `resume` of the gates resets the latch.
 *
 *  A stop is complete when every actuator has confirmed it: sn_estop_wait() waits for that, and
 *  names those that did not. */
#ifndef SINEW_ESTOP_H
#define SINEW_ESTOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/status.h"
#include "sinew/system.h"

SN_BEGIN_DECLS

/** Real time within which a stop must be confirmed, ns. */
#define SN_ESTOP_TIMEOUT_NS INT64_C(100000000)

/** Gates and actuators of one system. */
#define SN_ESTOP_PARTIES_MAX 32

/** Stop everything that moves.
 *  @param who, why  origin and reason, for the log; sanitised and cut to 63 and 191 bytes
 *  @return the number of this stop, counted from 1
 *  RT: yes.  Threads: any. */
SN_API uint64_t sn_estop_request(sn_system *system, const char *who, const char *why) SN_RT;

/** A gate or an actuator. */
typedef struct sn_estop_party {
  char name[64];   /**< of the component, or of its bus */
  bool is_gate;    /**< else an actuator */
  bool has_obeyed; /**< the stop in question, or a newer one */
} sn_estop_party;

typedef struct sn_estop_state {
  bool is_latched; /**< a stop is in force, this one or another */
  uint64_t number; /**< of the newest stop; 0: there was none */
  bool is_obeyed;  /**< every actuator (without actuators: every gate) confirmed the stop, or it
                        has been ended since */
  size_t party_count;
  sn_estop_party parties[SN_ESTOP_PARTIES_MAX];
} sn_estop_state;

/** The current state of the emergency stop.
 *  @param number  the stop in question; 0: the newest
 *  RT: yes.  Threads: any. */
SN_API void sn_estop_look(const sn_system *system, uint64_t number, sn_estop_state *out) SN_RT;

/** Check whether the stop was obeyed.
 *  @param number  of the stop; 0: the newest
 *  @param err     names each component that did not obey, with the reason if known; may be NULL
 *  @return SN_OK; SN_ETIMEDOUT: not by all; SN_ENOENT: the system has no gate and no actuator
 *  RT: no, it may take 2 ms, but it waits for no lock.  Threads: any. */
SN_API sn_status sn_estop_check(sn_system *system, uint64_t number, sn_error *err);

/** Wait until the stop is obeyed, then check.
 *  @param timeout_ns  of real time; 0: SN_ESTOP_TIMEOUT_NS
 *  @return as sn_estop_check(); SN_EDEADLOCK: called in a cycle
 *  RT: no.  Threads: any that is not in a cycle. */
SN_API sn_status sn_estop_wait(sn_system *system, uint64_t number, int64_t timeout_ns,
                               sn_error *err);

/** Reset the latch of a system without gates. With gates, call their operation `resume`.
 *  @return SN_OK; SN_EINVAL: no stop is in force; SN_EBUSY: there is a gate, named in @p err
 *  RT: no.  Threads: any. */
SN_API sn_status sn_estop_resume(sn_system *system, sn_error *err);

SN_END_DECLS

#endif
