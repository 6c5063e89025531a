#include "bus/guard/bus_safety.h"

void sn__bus_safety_init(sn__bus_safety *safety, int64_t goal_timeout_ns, bool limp) {
  *safety = (sn__bus_safety){.goal_timeout_ns = goal_timeout_ns,
                             .stop = limp ? SN__BUS_LIMP : SN__BUS_HOLD,
                             .goals_ns = INT64_MIN};
}

void sn__bus_safety_goals(sn__bus_safety *safety, int64_t sent_ns) {
  safety->goals_ns = sent_ns;
}

static void stop(sn__bus_safety *safety, sn__bus_action action, sn__bus_cause cause) {
  safety->action = action;
  safety->cause = cause;
}

/* While following goals: check for a reason to stop. */
static void look_for_cause(sn__bus_safety *safety, const sn__estop_view *view,
                           sn__estop_order order, bool is_tripped, int64_t now_ns) {
  const bool has_goals = safety->goals_ns != INT64_MIN;
  const int64_t age_ns = has_goals ? now_ns - safety->goals_ns : 0;
  if (is_tripped) {
    stop(safety, safety->stop, SN__BUS_GUARD);
  } else if (age_ns > safety->goal_timeout_ns) {
    safety->stale_ns = age_ns;
    stop(safety, safety->stop, SN__BUS_STALE);
  } else if (order == SN__ORDER_HOLD) {
    stop(safety, SN__BUS_KEEP, SN__BUS_ESTOP);
  } else if (order == SN__ORDER_FREEZE) {
    const sn__bus_action action = has_goals ? safety->stop : SN__BUS_HOLD; /* nothing moves */
    stop(safety, view->is_limp ? SN__BUS_LIMP : action, SN__BUS_ESTOP);
  }
}

sn__estop_order sn__bus_safety_judge(sn__bus_safety *safety, const sn__estop_view *view,
                                     bool is_tripped, int64_t now_ns) {
  const sn__estop_order order =
      sn__estop_guard_step(&safety->latch, view, now_ns, safety->goals_ns);
  if (safety->action == SN__BUS_FOLLOW) {
    look_for_cause(safety, view, order, is_tripped, now_ns);
  } else if (order == SN__ORDER_NONE) { /* resumed: ignore goals sent before the stop */
    safety->goals_ns = INT64_MIN;
    stop(safety, SN__BUS_FOLLOW, SN__BUS_NO_CAUSE);
  }
  return order;
}
