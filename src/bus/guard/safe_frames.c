#include "bus/guard/safe_frames.h"

#include "bus/bus_schedule.h"
#include "bus/families/servo_link.h"
#include "sinew/fault.h"

static void add(const sn__servo_bus *bus, const sn_bus_request *request, sn__safe_bytes *out) {
  const size_t room = sizeof out->bytes - out->count;
  const size_t size = bus->config.family->protocol->build(request, out->bytes + out->count, room);
  SN_ASSERT(size > 0); /* SN__SAFE_BYTES_MAX has room for all */
  out->count += (uint32_t)size;
}

/* Fill each packet with as many servos as fit. */
static void add_in_packets(const sn__servo_bus *bus, sn_bus_request *request, size_t each,
                           sn__safe_bytes *out) {
  enum { OVERHEAD = 32, STUFFING = 2 }; /* Dynamixel adds a byte to at most every third */
  const size_t item_max = (each + 1) * STUFFING;
  const size_t per_packet = (bus->config.family->protocol->packet_max - OVERHEAD) / item_max;
  const size_t count = request->count;
  const sn_bus_item *items = request->items;
  const uint8_t *data = request->data;
  for (size_t done = 0; done < count; done += request->count) {
    request->count = count - done < per_packet ? count - done : per_packet;
    request->items = items + done;
    request->data = data + done * each;
    add(bus, request, out);
  }
}

void sn__safe_frames_hold(const sn__servo_bus *bus, sn__safe_bytes *out) {
  const sn_servo_family *family = bus->config.family;
  const size_t size = sn__bus_goal_bytes(bus);
  sn_bus_item items[SN__BUS_SERVOS_MAX];
  uint8_t data[SN__BUS_SERVOS_MAX * 4];
  size_t count = 0;
  for (size_t i = 0; i < bus->count; i++) {
    const sn__servo *s = &bus->servos[i];
    if (s->state.link == SN__LINK_HOLD || s->state.link == SN__LINK_ARM) {
      const int32_t counts = sn__servo_bus_is_frozen(bus) ? s->frozen
                             : s->state.has_position      ? s->filter.counts
                                                          : sn__servo_counts(bus, s, s->sent);
      items[count] = (sn_bus_item){s->mount.id, family->goal.address, (uint16_t)size};
      (void)family->write_goal(counts, data + size * count++);
    }
  }
  sn_bus_request request = {.kind = family->goal.size == 0 ? SN_BUS_JOG : SN_BUS_SYNC_WRITE,
                            .count = count,
                            .items = items,
                            .data = data,
                            .play_time = 1};
  out->count = 0;
  add_in_packets(bus, &request, size, out);
}

void sn__safe_frames_limp(const sn__servo_bus *bus, sn__safe_bytes *out) {
  const sn_servo_family *family = bus->config.family;
  static const uint8_t zeros[SN__BUS_SERVOS_MAX];
  sn_bus_item items[SN__BUS_SERVOS_MAX];
  for (size_t i = 0; i < bus->count; i++) {
    items[i] = (sn_bus_item){bus->servos[i].mount.id, family->torque_address, 1};
  }
  const bool has_sync = (family->protocol->kinds >> SN_BUS_SYNC_WRITE & 1u) != 0;
  sn_bus_request request = {.kind = has_sync ? SN_BUS_SYNC_WRITE : SN_BUS_WRITE,
                            .count = bus->count,
                            .items = items,
                            .data = zeros};
  out->count = 0;
  if (has_sync) {
    add_in_packets(bus, &request, 1, out);
    return;
  }
  request.count = 1; /* HerkuleX: one by one, without an answer */
  for (size_t i = 0; i < bus->count; i++, request.items++) {
    add(bus, &request, out);
  }
}
