/** @file
 *  Internal: the emergency stop of a system: one latch, which any thread sets without waiting.
 *
 *  Stops are numbered from 1. The latch is closed while a stop is newer than the last release. Who
 *  carries a stop out registers here: gates, which brake the robot within its limits, and
 *  actuators (a plant, the thread of a bus), which have the last word. An actuator follows a gate
 *  that brakes, and otherwise freezes: sn__estop_guard_step() decides that for all of them.
 *
 *  No function here locks, allocates, calls the system or needs a cycle. */
#ifndef SN_RT_ESTOP_ESTOP_H
#define SN_RT_ESTOP_ESTOP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"

struct sn_component;
struct sn_system;

enum {
  SN__ESTOP_TEXTS = 8,    /**< stops whose texts are kept */
  SN__ESTOP_PARTIES = 32, /**< gates and actuators of one system */
};

/** How long an actuator waits for a gate, or for the next goal, before it freezes; and how long it
 *  takes goals when the gates have come to rest, since the last one may still be on its way. */
#define SN__ESTOP_PATIENCE_NS INT64_C(50000000)

/** Who stopped and why, for people. */
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
  SN__ESTOP_NOBODY, /**< the place is free */
  SN__ESTOP_ENTERING,
  SN__ESTOP_GATE,
  SN__ESTOP_ACTUATOR,
} sn__estop_role;

/** What an actuator is to do. */
typedef enum sn__estop_order {
  SN__ORDER_NONE,   /**< there is no stop: take goals */
  SN__ORDER_WAIT,   /**< a gate, or its next goal, may come yet: take goals, do not confirm */
  SN__ORDER_FOLLOW, /**< a gate brakes: take its goals, and confirm */
  SN__ORDER_HOLD,   /**< a gate has braked: keep the last goal, take no other, and confirm */
  SN__ORDER_FREEZE, /**< no gate brakes: hold where measured, or go limp if the view says so; take
                       no goal; confirm when that is done */
} sn__estop_order;

typedef struct sn__estop_party {
  _Atomic int role;         /**< sn__estop_role */
  _Atomic uint64_t number;  /**< the last stop it carried out; a gate: it acknowledged */
  _Atomic uint64_t rest;    /**< a gate: the last stop it came to rest in */
  _Atomic uint64_t resumed; /**< a gate: the last stop that was ended for it */
  _Atomic bool is_limp;     /**< a gate: a stop lets all joints go limp */
  _Atomic bool is_frozen;   /**< an actuator: it did not follow the gates to the end */
  _Atomic uint64_t name[SN__PARTY_NAME_WORDS];
} sn__estop_party;

/** All zero is a latch that is open. */
typedef struct sn__estop {
  _Atomic uint64_t requested; /**< number of the newest stop */
  _Atomic uint64_t released;  /**< number of the newest stop that was ended */
  sn__estop_slot slots[SN__ESTOP_TEXTS];
  sn__estop_party parties[SN__ESTOP_PARTIES];
} sn__estop;

/** The latch of a system. */
sn__estop *sn__estop_of(struct sn_system *system);

/* ---- the latch ---- */

/** Stop. The texts are cleaned and cut; they are left out if there is no room.
 *  @return the number of this stop.  RT: yes, wait-free.  Threads: any. */
uint64_t sn__estop_request(sn__estop *e, const char *who, const char *why) SN_RT;

/** Number of the newest stop, 0 if there was none. RT: yes.  Threads: any. */
uint64_t sn__estop_number(const sn__estop *e) SN_RT;

/** Number of the newest stop if it has not been ended, else 0. RT: yes.  Threads: any. */
uint64_t sn__estop_latched(const sn__estop *e) SN_RT;

static inline bool sn__estop_is_latched(const sn__estop *e) {
  return sn__estop_latched(e) != 0;
}

/** End the stops up to @p number; a newer one stays in force. RT: yes.  Threads: any. */
void sn__estop_release(sn__estop *e, uint64_t number) SN_RT;

/** The text of a stop. It comes a moment after the number, or never.
 *  @return whether it is in @p out.  RT: yes.  Threads: any. */
bool sn__estop_text(const sn__estop *e, uint64_t number, sn__stop_text *out) SN_RT;

/* ---- who carries it out ---- */

/** Take part, from configure to cleanup: one that does not run is reported as not obeying.
 *  @param role  SN__ESTOP_GATE or SN__ESTOP_ACTUATOR
 *  @param name  copied, cut to 63 bytes
 *  @return its place; -1 if all are taken.  Threads: any. */
int sn__estop_register(sn__estop *e, sn__estop_role role, const char *name);

/** Leave. @p party -1 is allowed. */
void sn__estop_unregister(sn__estop *e, int party);

/** An actuator has carried out the stops up to @p number. -1 is allowed.
 *  @param order  SN__ORDER_FOLLOW, SN__ORDER_HOLD or SN__ORDER_FREEZE
 *  RT: yes.  Threads: any. */
void sn__estop_confirm(sn__estop *e, int actuator, uint64_t number, sn__estop_order order) SN_RT;

/** A gate brakes because of stop @p number, or has come to rest. RT: yes.  Threads: any. */
void sn__estop_gate_ack(sn__estop *e, int gate, uint64_t number, bool is_at_rest) SN_RT;

/** Is a stop to let all joints go limp, instead of holding them? Counts also when the gate is dead.
 *  RT: yes.  Threads: any. */
void sn__estop_gate_set_limp(sn__estop *e, int gate, bool is_limp) SN_RT;

/** The stops up to @p number are over for this gate. When they are over for every gate that
 *  acknowledged one of them, they are released. RT: yes.  Threads: any. */
void sn__estop_gate_resume(sn__estop *e, int gate, uint64_t number) SN_RT;

/** What the gates do about a stop. */
typedef enum sn__estop_gates {
  SN__GATES_NONE,    /**< there is none */
  SN__GATES_SILENT,  /**< none has acknowledged it */
  SN__GATES_BRAKING, /**< at least one brakes */
  SN__GATES_AT_REST, /**< all that acknowledged it have come to rest */
} sn__estop_gates;

/** The stop as it is at one moment. */
typedef struct sn__estop_view {
  uint64_t number;       /**< newest stop in force; 0: none is */
  uint64_t first;        /**< oldest stop in force: the one whose text counts; 0: none is */
  sn__estop_gates gates; /**< what they do about the oldest */
  bool is_limp;          /**< a gate wants joints to go limp when they freeze */
  bool is_frozen;        /**< an actuator froze in this stop: it is not where the gates believe */
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
 *  @return how many are in @p list.  RT: yes.  Threads: any. */
size_t sn__estop_parties(const sn__estop *e, uint64_t number,
                         sn__estop_party_info list[SN__ESTOP_PARTIES]) SN_RT;

/** What an activity saw of the stop at the beginning of a cycle. All components of the activity go
 *  by it, and the journal has it, so that a run can be repeated. */
typedef struct sn__estop_sight {
  sn__estop_view view;
  bool has_text; /**< of the oldest stop in force */
  sn__stop_text text;
} sn__estop_sight;

/** Look again. @return whether it changed.  RT: yes. */
bool sn__estop_sight_update(sn__estop_sight *sight, const sn__estop *e) SN_RT;

/** What the component's activity sees in this cycle; outside of a cycle, what is there now.
 *  RT: yes.  Threads: the component's. */
sn__estop_sight sn__estop_sight_of(const struct sn_component *component) SN_RT;

/* ---- what an actuator does ---- */

/** What an actuator knows of the stop. All zero at its start. */
typedef struct sn__estop_guard {
  uint64_t first;        /**< oldest stop in force; 0: none is */
  int64_t since_ns;      /**< when it first saw that one */
  int64_t moving_ns;     /**< when no gate had come to rest, the last time */
  sn__estop_order order; /**< HOLD and FREEZE last until no stop is in force */
} sn__estop_guard;

/** What to do in this cycle. Confirm with the view's number.
 *  @param view     of now, or of the beginning of the cycle
 *  @param now_ns   of the actuator's clock
 *  @param goal_ns  when the newest goal arrived, by the same clock; INT64_MIN: none ever did
 *  RT: yes.  Threads: the actuator's. */
sn__estop_order sn__estop_guard_step(sn__estop_guard *guard, const sn__estop_view *view,
                                     int64_t now_ns, int64_t goal_ns) SN_RT;

#endif
