/* The stop action of a bus: hold where measured, or no torque. */
#include "bus/families/servo_link.h"

static bool has_torque(const sn__servo *s) {
  return s->state.link == SN__LINK_HOLD || s->state.link == SN__LINK_ARM;
}

void sn__servo_bus_freeze(sn__servo_bus *bus, sn__bus_action action) {
  if (sn__servo_bus_is_frozen(bus) && (bus->action == SN__BUS_LIMP || action != SN__BUS_LIMP)) {
    return;
  }
  bus->action = action;
  for (size_t i = 0; i < bus->count; i++) {
    sn__servo *s = &bus->servos[i];
    const bool is_measured = action == SN__BUS_HOLD && s->state.has_position;
    s->is_stop_unsent = s->state.link == SN__LINK_HOLD;
    s->frozen = is_measured ? s->filter.counts : sn__servo_counts(bus, s, s->sent);
    s->goal = s->sent = sn__servo_angle(bus, s, s->frozen);
    s->has_goal = s->has_goal && has_torque(s) && action != SN__BUS_LIMP;
  }
}

void sn__servo_bus_thaw(sn__servo_bus *bus) {
  bus->action = SN__BUS_FOLLOW;
}

bool sn__servo_bus_is_stopped(const sn__servo_bus *bus) {
  bool is_stopped = sn__servo_bus_is_frozen(bus);
  for (size_t i = 0; i < bus->count; i++) {
    const sn__servo *s = &bus->servos[i];
    const bool awaits_goal = s->state.link == SN__LINK_HOLD && s->is_stop_unsent;
    is_stopped = is_stopped && s->state.link != SN__LINK_RELEASE &&
                 !(bus->action == SN__BUS_LIMP ? sn__servo_may_hold(s) : awaits_goal);
  }
  return is_stopped;
}
