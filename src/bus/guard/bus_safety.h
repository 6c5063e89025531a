/** @file
 *  Internal: when a bus follows its goals and when it stops. Pure: the time is an argument.
 *
 *  A bus stops when its goals are stale, when the emergency stop of the system orders it, or when
 *  the guard process has stopped the servos. It follows goals again only after a resume. */
#ifndef SN_BUS_GUARD_BUS_SAFETY_H
#define SN_BUS_GUARD_BUS_SAFETY_H

#include <stdbool.h>
#include <stdint.h>

#include "bus/families/servo_bus.h"
#include "rt/estop/estop.h"
#include "sinew/api.h"

typedef enum sn__bus_cause {
  SN__BUS_NO_CAUSE,
  SN__BUS_STALE, /**< goals are too old */
  SN__BUS_ESTOP, /**< the emergency stop, and braking is over or no gate brakes */
  SN__BUS_GUARD  /**< the guard process has stopped the servos */
} sn__bus_cause;

typedef struct sn__bus_safety {
  int64_t goal_timeout_ns; /**< older goals are stale */
  sn__bus_action stop;     /**< SN__BUS_HOLD or SN__BUS_LIMP: applied if no gate brakes */
  sn__bus_action action;
  sn__bus_cause cause; /**< of the stop, if `action` is one */
  int64_t goals_ns;    /**< when the last goals came; INT64_MIN: none since start or resume */
  int64_t stale_ns;    /**< how old the goals were when they became stale */
  sn__estop_guard latch;
} sn__bus_safety;

void sn__bus_safety_init(sn__bus_safety *safety, int64_t goal_timeout_ns, bool limp) SN_RT;

/** The source of goals sent some at @p sent_ns. */
void sn__bus_safety_goals(sn__bus_safety *safety, int64_t sent_ns) SN_RT;

/** Decide for this cycle. After a stop by SN__BUS_STALE or SN__BUS_GUARD the caller latches the
 *  emergency stop before the next call: a stop lasts until the latch is released.
 *  @param view        of the emergency stop
 *  @param is_tripped  the guard process has stopped the servos
 *  @return what the emergency stop orders */
sn__estop_order sn__bus_safety_judge(sn__bus_safety *safety, const sn__estop_view *view,
                                     bool is_tripped, int64_t now_ns) SN_RT;

#endif
