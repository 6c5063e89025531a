/** @file
 *  The emergency stop of a system: one latch for everything that moves joints.
 *
 *  Any thread closes it with sn_estop_request(), which waits for nothing: no lock, no memory, no
 *  cycle. While it is closed, gates (aggregators) brake all joints within their limits, and
 *  actuators (drivers of buses, plants) follow them. An actuator that hears of no gate within 50
 * ms, or gets no goals, holds its servos where they are. Whoever is last, no goal is taken any more
 *  until the operation `resume` of the gates opens the latch again.
 *
 *  A stop has happened when every actuator has confirmed it: sn_estop_wait() says so, or who did
 * not obey. */
#ifndef SINEW_ESTOP_H
#define SINEW_ESTOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/status.h"
#include "sinew/system.h"

SN_BEGIN_DECLS

/** In how much real time a stop must have been confirmed, ns. */
#define SN_ESTOP_TIMEOUT_NS INT64_C(100000000)

/** Gates and actuators of one system. */
#define SN_ESTOP_PARTIES_MAX 32

/** Stop everything that moves.
 *  @param who, why  for people; cleaned and cut to 63 and 191 bytes
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
  bool is_latched; /**< a stop is in force, that one or another */
  uint64_t number; /**< of the newest stop; 0: there was none */
  bool is_obeyed;  /**< every actuator confirmed the stop, or it was ended since. Without
                      actuators, every gate. */
  size_t party_count;
  sn_estop_party parties[SN_ESTOP_PARTIES_MAX];
} sn_estop_state;

/** The emergency stop as it is.
 *  @param number  the stop in question; 0: the newest
 *  RT: yes.  Threads: any. */
SN_API void sn_estop_look(const sn_system *system, uint64_t number, sn_estop_state *out) SN_RT;

/** Was the stop obeyed?
 *  @param number  of the stop; 0: the newest
 *  @param err     names each component that did not obey, and why if that is known; may be NULL
 *  @return SN_OK; SN_ETIMEDOUT: not by all; SN_ENOENT: there is nobody who could obey
 *  RT: no, it may take 2 ms, but it waits for no lock.  Threads: any. */
SN_API sn_status sn_estop_check(sn_system *system, uint64_t number, sn_error *err);

/** Wait until the stop is obeyed, and check.
 *  @param timeout_ns  of real time; 0: SN_ESTOP_TIMEOUT_NS
 *  @return as sn_estop_check(); SN_EDEADLOCK: a component cannot wait for it in a cycle
 *  RT: no.  Threads: any that is in no cycle. */
SN_API sn_status sn_estop_wait(sn_system *system, uint64_t number, int64_t timeout_ns,
                               sn_error *err);

/** Open the latch of a system that has no gate. One that has gates is let go on by their operation
 *  `resume`.
 *  @return SN_OK; SN_EINVAL: no stop is in force; SN_EBUSY: there is a gate, named in @p err
 *  RT: no.  Threads: any. */
SN_API sn_status sn_estop_resume(sn_system *system, sn_error *err);

SN_END_DECLS

#endif
