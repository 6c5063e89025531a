/** @file
 *  Internal: the life of one servo on its bus. */
#ifndef SN_BUS_FAMILIES_SERVO_LINK_H
#define SN_BUS_FAMILIES_SERVO_LINK_H

#include "bus/families/servo_bus.h"

struct sn__servo {
  sn__servo_mount mount;
  sn__servo_state state;
  sn__plausibility trust;
  bool has_goal, wants_limp;
  double goal, sent;   /**< rad of the servo: wanted, and on its way there */
  int32_t frozen;      /**< counts that it holds while the bus is frozen */
  bool is_stop_unsent; /**< `frozen` has not gone out yet */
  size_t unsent;       /**< steps that `sent` has made since it last went out */
  int step;            /**< of arming or releasing */
  unsigned misses;     /**< in a row */
  unsigned faults_last;
  bool clears_watchdog;   /**< its own watchdog is to be cleared */
  bool sets_watchdog;     /**< and then set, once it holds */
  bool needs_reason;      /**< the fault register is to be read */
  bool needs_clear;       /**< it is to forget its fault */
  bool is_torque_doubted; /**< it said once that it has none */
  bool is_torque_unknown; /**< it was found, and may have torque from before */
  unsigned hot_run, voltage_run;
  double voltage_doubted;
  bool said_voltage;
  uint8_t refusal_last;
  uint64_t asked_cycle; /**< when its position was last asked for */
  int64_t probe_ns, probe_wait_ns;
  size_t ping_answers;
  bool is_fast;        /**< takes part in fast sync reads */
  bool was_there;      /**< it has answered since the start */
  unsigned unanswered; /**< pings in a row that nobody answered */
  uint32_t model_told; /**< the wrong model that was told */
  unsigned doubles;    /**< pings in a row that more than one answered */
};

/** Has it torque, or may it have some? */
static inline bool sn__servo_may_hold(const sn__servo *servo) {
  const sn__servo_link link = servo->state.link;
  const bool is_found = link >= SN__LINK_MODEL && link <= SN__LINK_LIMP;
  return link == SN__LINK_HOLD || link == SN__LINK_ARM || link == SN__LINK_RELEASE ||
         (is_found && servo->is_torque_unknown);
}

/** Is its position asked for? */
static inline bool sn__servo_is_read(const sn__servo *servo) {
  return servo->state.link >= SN__LINK_LIMP;
}

void sn__servo_tell(sn__servo_bus *bus, size_t servo, sn__servo_news_kind kind, int32_t value);

/** At the begin of a cycle: does it want torque, or no longer? Moves what is sent. */
void sn__servo_begin(sn__servo_bus *bus, size_t index);

/** Between counts and rad of the servo, from its zero. */
double sn__servo_angle(const sn__servo_bus *bus, const sn__servo *servo, double counts);
int32_t sn__servo_counts(const sn__servo_bus *bus, const sn__servo *servo, double angle);

/** What it needs done apart from goals and positions.
 *  @param item, data  filled: registers, and bytes to write
 *  @return whether there is something */
bool sn__servo_task(const sn__servo_bus *bus, const sn__servo *servo, sn_bus_kind *kind,
                    sn_bus_item *item, uint8_t *data);
/** It is done; @p status is the answer, NULL if none comes. */
void sn__servo_task_done(sn__servo_bus *bus, size_t index, const sn_bus_status *status);

/** Its own watchdog may have stopped it: begin anew. servo_watchdog.c */
void sn__servo_renew_watchdog(const sn__servo_bus *bus, sn__servo *servo);
/** A task of its watchdog. @return whether there is one */
bool sn__servo_watchdog_task(const sn__servo_bus *bus, const sn__servo *servo, sn_bus_item *item,
                             uint8_t *data);
/** It is done. @return whether there was one */
bool sn__servo_watchdog_done(const sn__servo_bus *bus, sn__servo *servo);

/** What it says; servo_watch.c. */
void sn__servo_take_state(sn__servo_bus *bus, size_t index, const sn_bus_status *status,
                          int64_t now_ns);
void sn__servo_take_supply(sn__servo_bus *bus, size_t index, const sn_servo_reading *reading);
void sn__servo_take_torque(sn__servo_bus *bus, size_t index, const sn_bus_status *status);
void sn__servo_ping_done(sn__servo_bus *bus, size_t index, bool is_garbled, int64_t now_ns);
/** Its next state, from the first step on. */
void sn__servo_set_link(sn__servo *servo, sn__servo_link link);
/** Has the family no such register, the step is done before it is begun. */
void sn__servo_skip_steps(const sn__servo_bus *bus, sn__servo *servo);
void sn__servo_missed(sn__servo_bus *bus, size_t index);
void sn__servo_lose(sn__servo_bus *bus, size_t index);

#endif
