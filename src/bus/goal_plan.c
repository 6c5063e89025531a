#include <math.h>

#include "bus/bus_schedule.h"

static const double LOSS_MAX = 0.004;
enum { REPEATS_MAX = 6 };
static const double GOALS_SHARE = 0.7; /* of the period, at most */
static const int64_t JOG_TICK_NS = 11200000;

void sn__goal_plan(size_t count, size_t head, size_t each, double byte_error, size_t bytes_max,
                   size_t *group, size_t *repeats) {
  /* If even one packet with all goals is too long, servos take turns. */
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

/* Time to read one servo if it does not answer. */
static int64_t read_time_ns(const sn__servo_bus *bus) {
  const sn_bus_item item = {0, bus->config.family->state.address, bus->config.family->state.size};
  const sn_bus_request read = {.kind = SN_BUS_READ, .count = 1, .items = &item};
  return sn__bus_engine_duration_ns(&bus->engine, &read) + bus->engine.config.answer_ns;
}

int64_t sn__bus_period_min_ns(const sn__servo_bus *bus) {
  static const uint8_t zeros[4];
  const bool is_jog = bus->config.family->goal.size == 0;
  const sn_bus_item item = {0, bus->config.family->goal.address, (uint16_t)sn__bus_goal_bytes(bus)};
  const sn_bus_request goal = {
      .kind = is_jog ? SN_BUS_JOG : SN_BUS_SYNC_WRITE, .count = 1, .items = &item, .data = zeros};
  return sn__bus_engine_duration_ns(&bus->engine, &goal) + read_time_ns(bus);
}

/* A share of the period that leaves time to read at least one servo. */
static int64_t goals_time_ns(const sn__servo_bus *bus) {
  const int64_t period_ns = bus->config.period_ns;
  const int64_t read_ns = read_time_ns(bus) + bus->gap_ns;
  const int64_t share_ns = (int64_t)(GOALS_SHARE * (double)period_ns);
  return period_ns - read_ns < share_ns ? period_ns - read_ns : share_ns;
}

uint8_t sn__bus_play_time(int64_t period_ns) {
  const int64_t ticks = (period_ns + JOG_TICK_NS - 1) / JOG_TICK_NS;
  return (uint8_t)(ticks > 254 ? 254 : ticks);
}

void sn__bus_plan_goals(sn__servo_bus *bus) {
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
  bus->goals_ns = goals_time_ns(bus);
  sn__goal_plan(bus->count, one - each, each, bus->byte_error,
                (size_t)(bus->goals_ns / bus->engine.byte_ns), &bus->group, &bus->repeats);
  const size_t fits = (bus->config.family->protocol->packet_max - (one - each)) / each;
  bus->group = bus->group > fits ? fits : bus->group;
  const int64_t packet_ns = (int64_t)(one - each + each * bus->group) * bus->engine.byte_ns;
  const size_t in_cycle = bus->goals_ns > packet_ns ? (size_t)(bus->goals_ns / packet_ns) : 1;
  const size_t in_all = (bus->count + bus->group - 1) / bus->group * bus->repeats;
  bus->goal_turns = (in_all + in_cycle - 1) / in_cycle;
}
