/** @file
 *  Internal: the life cycle of one servo on its bus. */
#ifndef SN_BUS_FAMILIES_SERVO_LINK_H
#define SN_BUS_FAMILIES_SERVO_LINK_H

#include "bus/families/servo_bus.h"

struct sn__servo {
  sn__servo_mount mount;
  sn__servo_state state;
  sn__plausibility filter;
  bool has_goal, wants_limp;
  double goal, sent;   /**< rad of the servo: target, and the limited goal towards it */
  int32_t frozen;      /**< counts to hold while the bus is frozen */
  bool is_stop_unsent; /**< `frozen` has not been sent */
  size_t unsent;       /**< steps of `sent` since it was last transmitted */
  int step;            /**< of arming or releasing */
  unsigned misses;     /**< in a row */
  unsigned faults_last;
  bool clears_watchdog;   /**< its watchdog must be cleared */
  bool sets_watchdog;     /**< and then set, once it holds its position */
  bool needs_reason;      /**< the fault register must be read */
  bool needs_clear;       /**< its fault must be cleared */
  bool is_torque_doubted; /**< one reading showed no torque */
  bool is_torque_unknown; /**< it was just found and may already have torque */
  unsigned hot_run, voltage_run;
  double voltage_doubted;
  bool reported_voltage;
  uint8_t refusal_last;
  uint64_t asked_cycle; /**< when its position was last asked for */
  int64_t probe_ns, probe_wait_ns;
  size_t ping_answers;
  bool is_fast;            /**< supports fast sync reads */
  bool was_there;          /**< it has answered since the start */
  unsigned unanswered;     /**< unanswered pings in a row */
  uint32_t reported_model; /**< the wrong model last logged */
  unsigned doubles;        /**< pings in a row with more than one answer */
};

/** Does it have torque, or may it? */
static inline bool sn__servo_may_hold(const sn__servo *servo) {
  const sn__servo_link link = servo->state.link;
  const bool is_found = link >= SN__LINK_MODEL && link <= SN__LINK_LIMP;
  return link == SN__LINK_HOLD || link == SN__LINK_ARM || link == SN__LINK_RELEASE ||
         (is_found && servo->is_torque_unknown);
}

/** Is its position read? */
static inline bool sn__servo_is_read(const sn__servo *servo) {
  return servo->state.link >= SN__LINK_LIMP;
}

void sn__servo_add_event(sn__servo_bus *bus, size_t servo, sn__servo_event_kind kind,
                         int32_t value);

/** At the start of a cycle: begin to arm or release the servo if required, and advance `sent`. */
void sn__servo_begin(sn__servo_bus *bus, size_t index);

/** Convert between counts and rad of the servo, relative to its zero. */
double sn__servo_angle(const sn__servo_bus *bus, const sn__servo *servo, double counts);
int32_t sn__servo_counts(const sn__servo_bus *bus, const sn__servo *servo, double angle);

/** The next task of the servo besides goals and positions.
 *  @param item, data  filled: registers, and bytes to write
 *  @return whether there is a task */
bool sn__servo_task(const sn__servo_bus *bus, const sn__servo *servo, sn_bus_kind *kind,
                    sn_bus_item *item, uint8_t *data);
/** Complete a task; @p status is the answer, NULL if none is expected. */
void sn__servo_task_done(sn__servo_bus *bus, size_t index, const sn_bus_status *status);

/** Its watchdog may have stopped it: set it up again. servo_watchdog.c */
void sn__servo_renew_watchdog(const sn__servo_bus *bus, sn__servo *servo);
/** A task of its watchdog. @return whether there is one */
bool sn__servo_watchdog_task(const sn__servo_bus *bus, const sn__servo *servo, sn_bus_item *item,
                             uint8_t *data);
/** Complete a watchdog task. @return whether there was one */
bool sn__servo_watchdog_done(const sn__servo_bus *bus, sn__servo *servo);

/** Process answers of the servo; servo_watch.c. */
void sn__servo_take_state(sn__servo_bus *bus, size_t index, const sn_bus_status *status,
                          int64_t now_ns);
void sn__servo_take_supply(sn__servo_bus *bus, size_t index, const sn_servo_reading *reading);
void sn__servo_take_torque(sn__servo_bus *bus, size_t index, const sn_bus_status *status);
void sn__servo_ping_done(sn__servo_bus *bus, size_t index, bool is_garbled, int64_t now_ns);
/** Enter a state at its first step. */
void sn__servo_set_link(sn__servo *servo, sn__servo_link link);
/** Skip a step if the family has no such register. */
void sn__servo_skip_steps(const sn__servo_bus *bus, sn__servo *servo);
void sn__servo_missed(sn__servo_bus *bus, size_t index);
void sn__servo_lose(sn__servo_bus *bus, size_t index);

#endif
