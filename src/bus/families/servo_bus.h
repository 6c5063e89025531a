/** @file
 *  Internal: the servos of one bus, from goals and time to bytes, and from bytes to the state of
 *  each. Pure, as bus_engine.h: bytes and time are arguments.
 *
 *  A cycle sends goals to all servos that hold, switches torque where required, reads as many
 *  positions as the period allows (the others come first in the next cycle), then voltages, and
 *  pings missing servos. No request starts that could exceed the period.
 *
 *  On a noisy line goals are sent in smaller packets and repeatedly. */
#ifndef SN_BUS_FAMILIES_SERVO_BUS_H
#define SN_BUS_FAMILIES_SERVO_BUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bus/bus_engine.h"
#include "bus/families/plausibility.h"
#include "bus/families/servo_family.h"
#include "sinew/arena.h"
#include "sinew/status.h"

#define SN__BUS_SERVOS_MAX SN_BUS_ITEMS_MAX
#define SN__PHASES 5

/** One servo and its mounting on the joint. */
typedef struct sn__servo_mount {
  uint8_t id;
  uint16_t model;            /**< expected content of the model register; 0: any */
  int direction;             /**< 1 or -1: whether counts grow with the joint's position */
  double zero;               /**< counts at position 0 of the joint */
  double gear;               /**< turns of the servo for one of the joint; > 0 */
  double goal_min, goal_max; /**< limits of sent goals, rad of the servo */
  double velocity_max;       /**< limit of sent goals, rad/s of the servo; > 0 */
  double torque_limit;       /**< 0 .. 1 */
} sn__servo_mount;

typedef enum sn__servo_link {
  SN__LINK_ABSENT,  /**< does not answer */
  SN__LINK_STRANGE, /**< answers, but has the wrong model, or its id is in use twice */
  SN__LINK_MODEL,   /**< found: reading its model */
  SN__LINK_LIMIT,   /**< writing its torque limit */
  SN__LINK_LIMP,    /**< read, without torque */
  SN__LINK_ARM,     /**< receives its present position as goal, then torque */
  SN__LINK_HOLD,    /**< has torque and follows its goals */
  SN__LINK_RELEASE  /**< torque is being switched off */
} sn__servo_link;

/** Events for the log. */
typedef enum sn__servo_event_kind {
  SN__SERVO_EVENT_FOUND,     /**< a servo answers */
  SN__SERVO_EVENT_MISSING,   /**< it has never answered */
  SN__SERVO_EVENT_LOST,      /**< it no longer answers */
  SN__SERVO_EVENT_MODEL,     /**< value: the wrong model number */
  SN__SERVO_EVENT_DUPLICATE, /**< more than one servo has this id */
  SN__SERVO_EVENT_HOLDS,     /**< it has torque */
  SN__SERVO_EVENT_RELEASED,
  SN__SERVO_EVENT_FAULT,   /**< value: SN_SERVO_FAULT_…; torque is switched off */
  SN__SERVO_EVENT_HOT,     /**< value: °C; likewise */
  SN__SERVO_EVENT_VOLTAGE, /**< value: mV, out of its limits */
  SN__SERVO_EVENT_REFUSED, /**< value: the error byte */
  SN__SERVO_EVENT_POWER,   /**< torque is off although it was not released: it lost power */
  SN__SERVO_EVENT_STRAY,   /**< value: the id that answers instead */
  SN__SERVO_EVENT_NOISE,   /**< value: damaged bytes in 10000 */
  SN__SERVO_EVENT_IN_TURN  /**< value: servos read in a cycle, if not all fit into the period */
} sn__servo_event_kind;

typedef struct sn__servo_event {
  sn__servo_event_kind kind;
  size_t servo;
  int32_t value;
} sn__servo_event;

/** The state of a servo. */
typedef struct sn__servo_state {
  sn__servo_link link;
  bool has_position;
  int32_t counts;     /**< of the encoder */
  double q, qd;       /**< of the joint, rad and rad/s */
  double load;        /**< -1 .. 1, in the joint's direction */
  double voltage;     /**< V; 0: not known */
  double temperature; /**< °C; 0: not known */
  unsigned faults;    /**< SN_SERVO_FAULT_…, latched until rearmed */
  int64_t read_ns;    /**< when the position was read */
  uint64_t missed;    /**< answers missing after all tries */
  uint64_t retried;   /**< retries */
  uint64_t damaged;   /**< answers with a wrong checksum */
  uint64_t doubted;   /**< positions not accepted */
} sn__servo_state;

typedef struct sn__servo_bus_config {
  const sn_servo_family *family;
  int64_t baud;
  int64_t answer_ns; /**< as in sn_bus_engine_config */
  int64_t period_ns;
  const sn__servo_mount *servos; /**< copied */
  size_t count;
  int64_t watchdog_ns;             /**< timeout of the servos' watchdog, if supported; 0: not set */
  double temperature_max;          /**< °C; 0: not watched */
  double voltage_min, voltage_max; /**< V; 0: not watched */
} sn__servo_bus_config;

/** Action of the servos of a bus. */
typedef enum sn__bus_action {
  SN__BUS_FOLLOW, /**< follow their goals */
  SN__BUS_KEEP,   /**< keep the last goals */
  SN__BUS_HOLD,   /**< hold where measured */
  SN__BUS_LIMP    /**< no torque */
} sn__bus_action;

typedef struct sn__servo sn__servo;

typedef struct sn__servo_bus {
  sn__servo_bus_config config;
  sn_bus_engine engine;
  sn__servo *servos;
  size_t count;
  bool is_armed; /**< servos with a goal get torque */
  sn__bus_action action;
  bool is_unwatched;        /**< the servos' watchdogs are off: the bus is about to fall silent */
  int64_t start_ns, end_ns; /**< of the cycle */
  int64_t step_ns;          /**< time in which goals may move at top speed */
  size_t phase;             /**< current phase; SN__PHASES: the cycle is over */
  size_t first;             /**< phase with priority; SN__PHASES: none */
  unsigned starved_cycles[SN__PHASES]; /**< of each phase: cycles in a row without time for it */
  bool is_served[SN__PHASES];          /**< it was served in this cycle */
  bool is_short;                       /**< the last request did not fit */
  size_t group, repeats;               /**< of goals: servos in a packet, how often each is sent */
  size_t goal_turns;                   /**< cycles until all servos have a goal */
  int64_t goals_ns;                    /**< time for goals in a cycle */
  uint8_t play_time;                   /**< of a jog */
  size_t goal_round, goal_next;        /**< repetition in this cycle, and the next servo */
  size_t goal_done;                    /**< servos of this round */
  unsigned fast_misses; /**< incomplete fast sync reads in a row; too many disable them */
  bool asks_again;      /**< positions: read the same servos again */
  uint64_t answers_seen;
  bool is_silent; /**< no servo answered in the last cycle */
  bool reported_in_turn, reported_noise, reported_stray;
  bool was_noisy; /**< in the last estimate */
  uint64_t strays_seen;
  size_t in_turn_run; /**< cycles in a row in which not all were read */
  size_t task_next, task_done, slow_next, probe_next;
  bool slow_done;
  enum {
    SN__ASK_GOALS,
    SN__ASK_STATE,
    SN__ASK_TASK,
    SN__ASK_SUPPLY,
    SN__ASK_TORQUE,
    SN__ASK_PING
  } asked;
  size_t asked_servos[SN_BUS_ITEMS_MAX];
  size_t asked_count;
  bool is_fast;                    /**< the last was a fast sync read */
  int64_t asked_ns, asked_wire_ns; /**< when, and how long its bytes take */
  int64_t gap_ns;                  /**< learnt: additional time of an answer */
  uint64_t garbage_seen;
  bool is_unanswered; /**< the request has no answer */
  uint64_t cycles, cycles_in_turn;
  double byte_error; /**< estimated share of damaged bytes */
  uint64_t damaged_seen, received_seen;
  sn__servo_event events[64];
  size_t event_head, event_count;
} sn__servo_bus;

/** @return SN_OK, SN_EINVAL (two servos with one id, an id or a number out of range), SN_ENOMEM */
sn_status sn__servo_bus_create(sn_arena *arena, const sn__servo_bus_config *config,
                               sn__servo_bus **out, sn_error *err);

/** All below: RT: yes.  Threads: one owner. */

/** Set the goal of a servo, rad of the servo, for the next cycles; @p limp: no torque. */
void sn__servo_bus_goal(sn__servo_bus *bus, size_t servo, double goal, bool limp);
/** Enable torque for servos with a goal; otherwise every servo goes limp. Initially false. */
void sn__servo_bus_arm(sn__servo_bus *bus, bool is_armed);
/** Clear the faults: servos may have torque again. */
void sn__servo_bus_rearm(sn__servo_bus *bus);
/** Stop: servos with torque keep the last goal, get their measured position as goal, or lose their
 *  torque, depending on @p action. Until the thaw goals are ignored and no servo gains torque; a
 *  servo may still go limp. A second freeze changes nothing, unless it is the first with limp. */
void sn__servo_bus_freeze(sn__servo_bus *bus, sn__bus_action action);
static inline bool sn__servo_bus_is_frozen(const sn__servo_bus *bus) {
  return bus->action != SN__BUS_FOLLOW;
}
/** Follow new goals again. */
void sn__servo_bus_thaw(sn__servo_bus *bus);
/** Is it frozen, and has every servo got its stop goal or lost its torque? */
bool sn__servo_bus_is_stopped(const sn__servo_bus *bus);
/** The bus is about to fall silent: switch off the servos' watchdogs. */
void sn__servo_bus_unwatch(sn__servo_bus *bus);
/** Are the watchdogs of all servos off? */
bool sn__servo_bus_is_unwatched(const sn__servo_bus *bus);
/** Reset to the state after creation: no goals, no torque, every servo absent. */
void sn__servo_bus_reset(sn__servo_bus *bus);
/** The port is gone or was replaced: mark every servo absent. */
void sn__servo_bus_lost(sn__servo_bus *bus, int64_t now_ns);

/** Begin a cycle of one period. */
void sn__servo_bus_cycle(sn__servo_bus *bus, int64_t now_ns);
/** Process received bytes and send the next request. */
void sn__servo_bus_step(sn__servo_bus *bus, int64_t now_ns);
/** Send no more requests in this cycle: it ends with the current exchange. */
void sn__servo_bus_cut(sn__servo_bus *bus) SN_RT;
/** Is the cycle's work done? */
bool sn__servo_bus_is_over(const sn__servo_bus *bus);

sn__servo_state sn__servo_bus_state(const sn__servo_bus *bus, size_t servo);
/** Are all servos without torque? */
bool sn__servo_bus_is_limp(const sn__servo_bus *bus);
/** Take the oldest event. @return false if there are none */
bool sn__servo_bus_next_event(sn__servo_bus *bus, sn__servo_event *out);

/** How to send @p count goals so that a servo misses a cycle's with at most 0.4 % probability, with
 *  as few bytes as possible.
 *  @param head, each    bytes of a packet without servos, and for each servo
 *  @param byte_error    probability that a byte is damaged
 *  @param bytes_max     upper bound of the bytes sent */
void sn__goal_plan(size_t count, size_t head, size_t each, double byte_error, size_t bytes_max,
                   size_t *group, size_t *repeats);

#endif
