#include <math.h>

#include "bus/bus_schedule.h"

static const double LOSS_MAX = 0.008;
enum { REPEATS_MAX = 6 };

void sn__goal_plan(size_t count, size_t head, size_t each, double byte_error, size_t bytes_max,
                   size_t *group, size_t *repeats) {
  /* If not even one packet with all of them is short enough, they have their turns. */
  const size_t fits = bytes_max > head ? (bytes_max - head) / each : 0;
  *group = fits == 0 ? 1 : fits < count ? fits : count;
  *repeats = 1;
  double bytes_best = INFINITY, loss_best = 1.0;
  for (size_t g = 1; g <= count; g++) {
    const size_t packets = (count + g - 1) / g;
    const double loss = 1.0 - pow(1.0 - byte_error, (double)(head + g * each));
    for (size_t r = 1; r <= REPEATS_MAX; r++) {
      const double bytes = (double)(r * (packets * head + count * each));
      const double loss_all = pow(loss, (double)r);
      if (bytes > (double)bytes_max) {
        break;
      }
      const bool is_good = loss_all <= LOSS_MAX, was_good = loss_best <= LOSS_MAX;
      if (is_good && was_good ? bytes < bytes_best : loss_all < loss_best) {
        bytes_best = bytes;
        loss_best = loss_all;
        *group = g;
        *repeats = r;
      }
    }
  }
}

size_t sn__bus_goal_bytes(const sn__servo_bus *bus) {
  return bus->config.family->goal.size == 0 ? 3 : bus->config.family->goal.size;
}

void sn__bus_plan_goals(sn__servo_bus *bus) {
  const sn_bus_stats *stats = &bus->engine.stats;
  const uint64_t received = stats->received_bytes - bus->received_seen;
  if (received >= 200) {
    /* neighbours that are both damaged count once */
    const double seen = 1.3 * (double)(stats->spoilt - bus->damaged_seen) / (double)received;
    bus->byte_error += (seen > bus->byte_error ? 0.5 : 0.1) * (seen - bus->byte_error);
    bus->received_seen = stats->received_bytes;
    bus->damaged_seen = stats->spoilt;
  }
  static const uint8_t zeros[64];
  sn_bus_item items[2];
  uint8_t packet[64];
  const bool is_jog = bus->config.family->goal.size == 0;
  for (size_t i = 0; i < 2; i++) {
    items[i] =
        (sn_bus_item){0, bus->config.family->goal.address, (uint16_t)sn__bus_goal_bytes(bus)};
  }
  sn_bus_request request = {
      .kind = is_jog ? SN_BUS_JOG : SN_BUS_SYNC_WRITE, .count = 1, .items = items, .data = zeros};
  const size_t one = bus->config.family->protocol->build(&request, packet, sizeof packet);
  request.count = 2;
  const size_t two = bus->config.family->protocol->build(&request, packet, sizeof packet);
  const size_t each = two - one;
  const double bytes_max =
      SN__GOALS_SHARE * (double)bus->config.period_ns / (double)bus->engine.byte_ns;
  sn__goal_plan(bus->count, one - each, each, bus->byte_error, (size_t)bytes_max, &bus->group,
                &bus->repeats);
  const size_t fits = (bus->config.family->protocol->packet_max - (one - each)) / each;
  bus->group = bus->group > fits ? fits : bus->group;
}
