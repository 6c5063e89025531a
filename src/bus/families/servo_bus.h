/** @file
 *  Internal: the servos of one bus, from goals and time to bytes, and from bytes to the state of
 *  each. Pure, as bus_engine.h: bytes and the time are arguments.
 *
 *  A cycle: goals to all that hold, then torque on and off where somebody waits for it, positions
 *  from as many as the period has time for (who is left out comes first in the next), then voltages
 *  and servos that are missing. Nothing is begun that could last longer than the period.
 *
 *  On a noisy line goals go out in smaller packets and more than once. */
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

/** One servo and how it sits on its joint. */
typedef struct sn__servo_mount {
  uint8_t id;
  uint16_t model;            /**< what its model register must say; 0: anything */
  int direction;             /**< 1 or -1: whether counts grow with the joint's position */
  double zero;               /**< counts at position 0 of the joint */
  double gear;               /**< turns of the servo for one of the joint; > 0 */
  double goal_min, goal_max; /**< of what is sent, rad of the servo */
  double velocity_max;       /**< of what is sent, rad/s of the servo; > 0 */
  double torque_limit;       /**< 0 .. 1 */
} sn__servo_mount;

typedef enum sn__servo_link {
  SN__LINK_ABSENT,  /**< does not answer */
  SN__LINK_STRANGE, /**< answers, but is of another model, or there are two with its id */
  SN__LINK_MODEL,   /**< found: its model is asked for */
  SN__LINK_LIMIT,   /**< its torque limit is to be written */
  SN__LINK_LIMP,    /**< is read, has no torque */
  SN__LINK_ARM,     /**< gets its present position as goal, then torque */
  SN__LINK_HOLD,    /**< has torque and follows its goals */
  SN__LINK_RELEASE  /**< torque is being taken away */
} sn__servo_link;

const char *sn__servo_link_text(sn__servo_link link);

/** Something a person should know. */
typedef enum sn__servo_news_kind {
  SN__NEWS_FOUND,     /**< a servo answers */
  SN__NEWS_MISSING,   /**< it never did */
  SN__NEWS_LOST,      /**< it no longer does */
  SN__NEWS_MODEL,     /**< value: the wrong model number */
  SN__NEWS_DUPLICATE, /**< more than one servo has this id */
  SN__NEWS_HOLDS,     /**< it has torque */
  SN__NEWS_RELEASED,
  SN__NEWS_FAULT,   /**< value: SN_SERVO_FAULT_…; torque is taken away */
  SN__NEWS_HOT,     /**< value: °C; likewise */
  SN__NEWS_VOLTAGE, /**< value: mV, out of its limits */
  SN__NEWS_REFUSED, /**< value: the error byte */
  SN__NEWS_POWER,   /**< torque was gone although nobody took it: its power was cut */
  SN__NEWS_STRAY,   /**< value: the id that answers in its place */
  SN__NEWS_NOISE,   /**< value: how many of 10000 bytes are damaged */
  SN__NEWS_IN_TURN  /**< value: servos that are read in a cycle; not all fit into the period */
} sn__servo_news_kind;

typedef struct sn__servo_news {
  sn__servo_news_kind kind;
  size_t servo;
  int32_t value;
} sn__servo_news;

/** What is known of a servo. */
typedef struct sn__servo_state {
  sn__servo_link link;
  bool has_position;
  double q, qd;       /**< of the joint, rad and rad/s */
  double load;        /**< -1 .. 1, in the joint's direction */
  double voltage;     /**< V; 0: not known */
  double temperature; /**< °C; 0: not known */
  unsigned faults;    /**< SN_SERVO_FAULT_…, latched until rearmed */
  int64_t read_ns;    /**< when the position was read */
  uint64_t missed;    /**< answers that did not come, after all tries */
  uint64_t retried;   /**< further tries */
  uint64_t damaged;   /**< answers with a wrong checksum */
  uint64_t doubted;   /**< positions that were not believed */
} sn__servo_state;

typedef struct sn__servo_bus_config {
  const sn_servo_family *family;
  int64_t baud;
  int64_t answer_ns; /**< as in sn_bus_engine_config */
  int64_t period_ns;
  const sn__servo_mount *servos; /**< copied */
  size_t count;
  int64_t watchdog_ns;             /**< of the servos themselves, where they have one; 0: not set */
  double temperature_max;          /**< °C; 0: not watched */
  double voltage_min, voltage_max; /**< V; 0: not watched */
} sn__servo_bus_config;

/** What the servos of a bus do. */
typedef enum sn__bus_action {
  SN__BUS_FOLLOW, /**< their goals */
  SN__BUS_KEEP,   /**< the last goals, and no others */
  SN__BUS_HOLD,   /**< hold where measured */
  SN__BUS_LIMP    /**< have no torque */
} sn__bus_action;

typedef struct sn__servo sn__servo;

typedef struct sn__servo_bus {
  sn__servo_bus_config config;
  sn_bus_engine engine;
  sn__servo *servos;
  size_t count;
  bool is_armed; /**< torque is wanted where a goal is */
  sn__bus_action action;
  bool is_unwatched;            /**< servos do not watch the bus: it is about to fall silent */
  int64_t start_ns, end_ns;     /**< of the cycle */
  int64_t step_ns;              /**< for which goals may move in it at their top speed */
  size_t phase;                 /**< what the cycle is at; SN__PHASES: it is over */
  size_t first;                 /**< phase that comes before the others; SN__PHASES: none */
  unsigned hunger[SN__PHASES];  /**< of each phase: cycles in a row without time for it */
  bool is_served[SN__PHASES];   /**< there was some in this cycle */
  bool is_short;                /**< what was to be asked last does not fit */
  size_t group, repeats;        /**< of goals: servos in a packet, how often each is sent */
  size_t goal_turns;            /**< cycles until all have had theirs */
  int64_t goals_ns;             /**< how long they may take in a cycle */
  uint8_t play_time;            /**< of a jog */
  size_t goal_round, goal_next; /**< how often in this cycle, and who is next */
  size_t goal_done;             /**< servos of this round */
  unsigned fast_misses; /**< fast sync reads in a row that did not bring all; many: none any more */
  bool asks_again;      /**< positions: the same servos once more */
  uint64_t answers_seen;
  bool is_deaf; /**< nobody at all answered in the last cycle */
  bool said_in_turn, said_noise, said_stray;
  bool was_noisy; /**< so far, in the last look at it */
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
  int64_t gap_ns;                  /**< learnt: what an answer takes besides */
  uint64_t garbage_seen;
  bool is_unanswered; /**< what was asked is done without an answer */
  uint64_t cycles, cycles_in_turn;
  double byte_error; /**< estimated: how many of the bytes are damaged */
  uint64_t damaged_seen, received_seen;
  sn__servo_news news[64];
  size_t news_head, news_count;
} sn__servo_bus;

/** @return SN_OK, SN_EINVAL (two servos with one id, an id or a number out of range), SN_ENOMEM */
sn_status sn__servo_bus_create(sn_arena *arena, const sn__servo_bus_config *config,
                               sn__servo_bus **out, sn_error *err);

/** All below: RT: yes.  Threads: one owner. */

/** The goal of a servo, rad of the servo, for the next cycles; @p limp: it is to have no torque. */
void sn__servo_bus_goal(sn__servo_bus *bus, size_t servo, double goal, bool limp);
/** Torque where there is a goal; without it every servo goes limp. False at first. */
void sn__servo_bus_arm(sn__servo_bus *bus, bool is_armed);
/** Forget the faults: servos may have torque again. */
void sn__servo_bus_rearm(sn__servo_bus *bus);
/** Stop: servos with torque keep the last goal, get their measured position as goal, or lose their
 *  torque, as @p action says. Until the thaw no goal counts and no servo gains torque; a servo may
 *  still be made limp. A second freeze changes nothing, unless it is the first to ask for limp. */
void sn__servo_bus_freeze(sn__servo_bus *bus, sn__bus_action action);
static inline bool sn__servo_bus_is_frozen(const sn__servo_bus *bus) {
  return bus->action != SN__BUS_FOLLOW;
}
/** Follow goals again: those that come from now on. */
void sn__servo_bus_thaw(sn__servo_bus *bus);
/** Is it frozen, and has every servo got its stop goal or lost its torque? */
bool sn__servo_bus_is_stopped(const sn__servo_bus *bus);
/** The bus is about to fall silent: servos no longer watch it. */
void sn__servo_bus_unwatch(sn__servo_bus *bus);
/** Has every servo been told so? */
bool sn__servo_bus_is_unwatched(const sn__servo_bus *bus);
/** As after creation: no goals, no torque wanted, every servo absent. */
void sn__servo_bus_reset(sn__servo_bus *bus);
/** The port is gone, or is another: every servo is absent. */
void sn__servo_bus_lost(sn__servo_bus *bus, int64_t now_ns);

/** Begin a cycle that lasts one period. */
void sn__servo_bus_cycle(sn__servo_bus *bus, int64_t now_ns);
/** Go on: take what came in, ask what is next. */
void sn__servo_bus_step(sn__servo_bus *bus, int64_t now_ns);
/** Ask nothing more in this cycle: it is over when what was asked is answered or missing. */
void sn__servo_bus_cut(sn__servo_bus *bus) SN_RT;
/** Is the cycle's work done? */
bool sn__servo_bus_is_over(const sn__servo_bus *bus);

sn__servo_state sn__servo_bus_state(const sn__servo_bus *bus, size_t servo);
/** Does none have torque any more? */
bool sn__servo_bus_is_limp(const sn__servo_bus *bus);
/** The oldest news not yet taken. @return false if there are none */
bool sn__servo_bus_news(sn__servo_bus *bus, sn__servo_news *out);

/** How to send @p count goals so that a servo misses a cycle's with at most 0.4 % probability, with
 *  as few bytes as possible.
 *  @param head, each    bytes of a packet without servos, and for each servo
 *  @param byte_error    probability that a byte is damaged
 *  @param bytes_max     more than this is not sent, whatever the probability */
void sn__goal_plan(size_t count, size_t head, size_t each, double byte_error, size_t bytes_max,
                   size_t *group, size_t *repeats);

#endif
