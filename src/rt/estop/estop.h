/** @file
 *  Internal: the emergency stop of a system: one latch, which any thread sets without waiting.
 *  Stops are numbered from 1. The latch is set while a stop is newer than the last release. Gates,
 *  which brake the robot within its limits, and actuators (a plant, the thread of a bus), which
 *  control the servos, register here. An actuator follows a gate that brakes and otherwise freezes:
 *  sn__estop_guard_step() decides that for all of them. No function here locks, allocates, calls
 *  the system or needs a cycle. */
#ifndef SN_RT_ESTOP_ESTOP_H
#define SN_RT_ESTOP_ESTOP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/status.h"

struct sn_component;
struct sn_system;

enum {
  SN__ESTOP_TEXTS = 8,    /**< stops whose texts are kept */
  SN__ESTOP_PARTIES = 32, /**< gates and actuators of one system */
};

/** How long an actuator waits for a gate or for the next goal before it freezes, and how long it
 *  accepts goals after the gates have come to rest, since the last goal may still be in transit. */
#define SN__ESTOP_PATIENCE_NS INT64_C(50000000)

/** Origin and reason of a stop. */
typedef struct sn__stop_text {
  char who[64];
  char why[192];
} sn__stop_text;

enum { SN__STOP_TEXT_WORDS = sizeof(sn__stop_text) / sizeof(uint64_t), SN__PARTY_NAME_WORDS = 8 };

/** One text. Even: it is that of stop `state / 2`; odd: it is being written. */
typedef struct sn__estop_slot {
  _Atomic uint64_t state;
  _Atomic uint64_t words[SN__STOP_TEXT_WORDS];
} sn__estop_slot;

typedef enum sn__estop_role {
  SN__ESTOP_NOBODY, /**< free */
  SN__ESTOP_ENTERING,
  SN__ESTOP_GATE,
  SN__ESTOP_ACTUATOR,
} sn__estop_role;

/** What an actuator has to do. */
typedef enum sn__estop_order {
  SN__ORDER_NONE,   /**< no stop: accept goals */
  SN__ORDER_WAIT,   /**< a gate or its next goal may still arrive: accept goals, do not confirm */
  SN__ORDER_FOLLOW, /**< a gate brakes: accept its goals and confirm */
  SN__ORDER_HOLD,   /**< a gate has braked: keep the last goal, accept no other, confirm */
  SN__ORDER_FREEZE, /**< no gate brakes: hold where measured, or go limp if the view says so; accept
                       no goal; confirm when done */
} sn__estop_order;

typedef struct sn__estop_party {
  _Atomic int role; /**< sn__estop_role */
  _Atomic uint64_t
      number;            /**< actuator: the last confirmed stop; gate: the last acknowledged stop */
  _Atomic uint64_t rest; /**< gate: the last stop in which it came to rest */
  _Atomic uint64_t resumed; /**< gate: the last stop that was resumed */
  _Atomic bool is_limp;     /**< gate: a stop switches the torque of all joints off */
  _Atomic bool is_frozen;   /**< actuator: it froze instead of following the gates */
  _Atomic uint64_t name[SN__PARTY_NAME_WORDS];
} sn__estop_party;

/** Latches that a stop of one sets together. */
typedef struct sn__estop_ring {
  _Atomic size_t user_count;
  size_t count;
  struct sn__estop *members[]; /**< [count] */
} sn__estop_ring;

/** All zero: not latched. */
typedef struct sn__estop {
  _Atomic uint64_t requested; /**< number of the newest stop */
  _Atomic uint64_t released;  /**< number of the newest stop that has ended */
  _Atomic uint64_t limp;      /**< number of the newest stop that switches the torque off */
  _Atomic(const sn__estop_ring *) ring; /**< NULL: a stop is of this system only */
  sn__estop_slot slots[SN__ESTOP_TEXTS];
  sn__estop_party parties[SN__ESTOP_PARTIES];
} sn__estop;

/** The latch of a system. */
sn__estop *sn__estop_of(struct sn_system *system);

/* ---- the latch ---- */

/** Stop. The texts are sanitised and cut, and omitted if no slot is free.
 *  @return the number of this stop.
 *  RT: yes, wait-free.  Threads: any. */
uint64_t sn__estop_request(sn__estop *e, const char *who, const char *why) SN_RT;

/** The same, and switch the torque of all joints off, whatever the gates prefer. */
uint64_t sn__estop_request_limp(sn__estop *e, const char *who, const char *why) SN_RT;

/** From now on each stop of one of these latches sets them all. Each is released by itself.
 *  @return false: no memory, or one of them is in a ring.  RT: no. */
bool sn__estop_join(sn__estop *const *latches, size_t count);

/** Leave the ring, if the latch is in one. No other latch may be requested meanwhile.  RT: no. */
void sn__estop_leave(sn__estop *e);

/** Number of the newest stop, 0 if there was none. RT: yes.  Threads: any. */
uint64_t sn__estop_number(const sn__estop *e) SN_RT;

/** Number of the newest stop if it has not been ended, else 0. RT: yes.  Threads: any. */
uint64_t sn__estop_latched(const sn__estop *e) SN_RT;

static inline bool sn__estop_is_latched(const sn__estop *e) {
  return sn__estop_latched(e) != 0;
}

/** End the stops up to @p number; a newer one stays in force. RT: yes.  Threads: any. */
void sn__estop_release(sn__estop *e, uint64_t number) SN_RT;

/** The text of a stop. It becomes available shortly after the number, or never.
 *  @return whether it is in @p out.
 *  RT: yes.  Threads: any. */
bool sn__estop_text(const sn__estop *e, uint64_t number, sn__stop_text *out) SN_RT;

/** Refuse what would move while a stop is in force.
 *  @param err  who stopped it, why, and what to do
 *  @return SN_OK: none is; SN_ESTOPPED.  RT: no, formats.  Threads: any. */
sn_status sn__estop_refuse(struct sn_system *system, sn_error *err);

/* ---- gates and actuators ---- */

/** Register a gate or an actuator, from configure to cleanup; while it does not run it counts as
 *  not obeying.
 *  @param role  SN__ESTOP_GATE or SN__ESTOP_ACTUATOR
 *  @param name  copied, cut to 63 bytes
 *  @return its index; -1 if the table is full.  Threads: any. */
int sn__estop_register(sn__estop *e, sn__estop_role role, const char *name);

/** Unregister. @p party -1 is allowed. */
void sn__estop_unregister(sn__estop *e, int party);

/** An actuator has carried out the stops up to @p number. -1 is allowed.
 *  @param order  SN__ORDER_FOLLOW, SN__ORDER_HOLD or SN__ORDER_FREEZE
 *  RT: yes.  Threads: any. */
void sn__estop_confirm(sn__estop *e, int actuator, uint64_t number, sn__estop_order order) SN_RT;

/** A gate brakes because of stop @p number, or has come to rest. RT: yes.  Threads: any. */
void sn__estop_gate_ack(sn__estop *e, int gate, uint64_t number, bool is_at_rest) SN_RT;

/** Choose whether a stop switches the torque of all joints off instead of holding them. Also in
 *  force when the gate does not run any more.
 *  RT: yes.  Threads: any. */
void sn__estop_gate_set_limp(sn__estop *e, int gate, bool is_limp) SN_RT;

/** End the stops up to @p number for this gate. When every gate that acknowledged one of them has
 *  done so, they are released.
 *  RT: yes.  Threads: any. */
void sn__estop_gate_resume(sn__estop *e, int gate, uint64_t number) SN_RT;

/** State of the gates in a stop. */
typedef enum sn__estop_gates {
  SN__GATES_NONE,    /**< there is none */
  SN__GATES_SILENT,  /**< none has acknowledged it */
  SN__GATES_BRAKING, /**< at least one brakes */
  SN__GATES_AT_REST, /**< all that acknowledged it have come to rest */
} sn__estop_gates;

/** State of the stop at one moment. */
typedef struct sn__estop_view {
  uint64_t number;       /**< newest stop in force; 0: none */
  uint64_t first;        /**< oldest stop in force, whose text is reported; 0: none */
  sn__estop_gates gates; /**< with respect to the oldest stop */
  bool is_limp;          /**< a gate or a stop in force requests torque off when joints freeze */
  bool wants_limp;       /**< a stop in force does */
  bool is_frozen; /**< an actuator froze in this stop: joints are not where the gates assume */
} sn__estop_view;

/** RT: yes.  Threads: any. */
sn__estop_view sn__estop_look(const sn__estop *e) SN_RT;

typedef struct sn__estop_party_info {
  char name[SN__PARTY_NAME_WORDS * sizeof(uint64_t)];
  int party;
  sn__estop_role role;
  bool has_obeyed; /**< it confirmed or acknowledged the stop, or a newer one */
} sn__estop_party_info;

/** All gates and actuators and whether they have obeyed stop @p number.
 *  @return how many are in @p list.
 *  RT: yes.  Threads: any. */
size_t sn__estop_parties(const sn__estop *e, uint64_t number,
                         sn__estop_party_info list[SN__ESTOP_PARTIES]) SN_RT;

/** The stop as an activity sees it in a cycle. All components of the activity use this state,
 *  and the journal records it, so that a run can be repeated. */
typedef struct sn__estop_snapshot {
  sn__estop_view view;
  bool has_text; /**< of the oldest stop in force */
  sn__stop_text text;
} sn__estop_snapshot;

/** Refresh. @return whether it changed. RT: yes. */
bool sn__estop_snapshot_update(sn__estop_snapshot *snapshot, const sn__estop *e) SN_RT;

/** The snapshot of the component's activity in this cycle; outside of a cycle, the present state,
 * or in a replay the last one of the journal. RT: yes.  Threads: the component's. */
sn__estop_snapshot sn__estop_snapshot_of(const struct sn_component *component) SN_RT;

/* ---- the decision of an actuator ---- */

/** State of the decision. All zero at the start. */
typedef struct sn__estop_guard {
  uint64_t first;        /**< oldest stop in force; 0: none */
  int64_t since_ns;      /**< when the actuator first saw it */
  int64_t moving_ns;     /**< the last time at which a gate was not at rest */
  sn__estop_order order; /**< HOLD and FREEZE last until no stop is in force */
} sn__estop_guard;

/** Decide what to do in this cycle. Confirm with the view's number.
 *  @param view  of now, or of the start of the cycle
 *  @param now_ns  of the actuator's clock
 *  @param goal_ns  arrival of the newest goal, by the same clock; INT64_MIN: none yet
 *  RT: yes.  Threads: the actuator's. */
sn__estop_order sn__estop_guard_step(sn__estop_guard *guard, const sn__estop_view *view,
                                     int64_t now_ns, int64_t goal_ns) SN_RT;

#endif
