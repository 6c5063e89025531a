/* The watchdog inside the servos: the last line of defence when neither the program nor its guard
   can reach them, as after a cable is unplugged. ROBOTIS e-Manual, "Bus Watchdog (98)".
 */
#include <math.h>

#include "bus/families/servo_link.h"

static bool has_watchdog(const sn__servo_bus *bus) {
  return bus->config.family->watchdog.size > 0;
}

static bool is_wanted(const sn__servo_bus *bus) {
  return bus->config.watchdog_ns > 0 && !bus->is_unwatched;
}

static bool is_settable(const sn__servo_bus *bus, const sn__servo *s) {
  return s->sets_watchdog && s->state.link == SN__LINK_HOLD && is_wanted(bus);
}

void sn__servo_renew_watchdog(const sn__servo_bus *bus, sn__servo *s) {
  if (has_watchdog(bus) && is_wanted(bus) && s->state.link == SN__LINK_HOLD) {
    s->clears_watchdog = s->sets_watchdog = true;
  }
}

bool sn__servo_watchdog_task(const sn__servo_bus *bus, const sn__servo *s, sn_bus_item *item,
                             uint8_t *data) {
  const sn_servo_family *family = bus->config.family;
  const bool is_there = s->state.link >= SN__LINK_LIMIT;
  if (!has_watchdog(bus) || !is_there || !(s->clears_watchdog || is_settable(bus, s))) {
    return false;
  }
  const double ticks = ceil(1e-9 * (double)bus->config.watchdog_ns / family->watchdog_tick);
  *item = (sn_bus_item){s->mount.id, family->watchdog.address, family->watchdog.size};
  data[0] = s->clears_watchdog ? 0 : (uint8_t)fmax(1.0, fmin(ticks, 127.0));
  return true;
}

bool sn__servo_watchdog_done(const sn__servo_bus *bus, sn__servo *s) {
  sn_bus_item item;
  uint8_t data[8];
  if (!sn__servo_watchdog_task(bus, s, &item, data)) {
    return false;
  }
  s->sets_watchdog = s->sets_watchdog && s->clears_watchdog;
  s->clears_watchdog = false;
  return true;
}

void sn__servo_bus_unwatch(sn__servo_bus *bus) {
  bus->is_unwatched = true;
  for (size_t i = 0; i < bus->count; i++) {
    bus->servos[i].clears_watchdog = bus->servos[i].state.link == SN__LINK_HOLD;
  }
}

bool sn__servo_bus_is_unwatched(const sn__servo_bus *bus) {
  bool is = true;
  for (size_t i = 0; i < bus->count; i++) {
    const sn__servo *s = &bus->servos[i];
    is = is && !(has_watchdog(bus) && s->clears_watchdog && s->state.link == SN__LINK_HOLD);
  }
  return is;
}
