#include "bus/bus_schedule.h"

#include "bus/families/servo_link.h"

enum { TWICE_MAX = 4, FAST_MISSES = 5 };
static const double FAST_BYTE_ERROR = 1e-3;
static const double NOISY_BYTE_ERROR =
    2e-4; /* below this, two damaged bytes in a packet are very rare */

static bool fits(sn__servo_bus *bus, const sn_bus_request *request, int64_t now_ns) {
  const bool waits = sn__bus_reply_count(bus->config.family->protocol, request) > 0;
  const int64_t worst_ns = sn__bus_engine_duration_ns(&bus->engine, request) +
                           (waits ? bus->engine.config.answer_ns : 0);
  const bool does = now_ns + worst_ns <= bus->end_ns;
  bus->is_short = !does;
  return does;
}

static bool ask(sn__servo_bus *bus, const sn_bus_request *request, int64_t now_ns) {
  return fits(bus, request, now_ns) &&
         sn__bus_engine_begin(&bus->engine, request, now_ns, bus->end_ns);
}

/* The next servos of this round of goals. @return how many */
static size_t gather_goals(sn__servo_bus *bus, sn_bus_item *items, uint8_t *data) {
  const sn_servo_family *family = bus->config.family;
  const size_t size = sn__bus_goal_bytes(bus);
  size_t count = 0;
  while (bus->goal_done < bus->count && count < bus->group) {
    const sn__servo *s = &bus->servos[bus->goal_next];
    bus->goal_next = (bus->goal_next + 1) % bus->count;
    bus->goal_done++;
    if (s->state.link == SN__LINK_HOLD) {
      items[count] = (sn_bus_item){s->mount.id, family->goal.address, (uint16_t)size};
      const int32_t counts =
          sn__servo_bus_is_frozen(bus) ? s->frozen : sn__servo_counts(bus, s, s->sent);
      (void)family->write_goal(counts, data + size * count);
      bus->asked_servos[count++] = (size_t)(s - bus->servos);
    }
  }
  return count;
}

/* The next packet of goals. @return false if there is none, or no time: servos left out come first
   in the next cycle */
bool sn__bus_ask_goals(sn__servo_bus *bus, int64_t now_ns) {
  sn_bus_item items[SN_BUS_ITEMS_MAX];
  uint8_t data[SN_BUS_ITEMS_MAX * 4];
  size_t count = 0;
  const size_t first = bus->goal_next;
  while (count == 0 && bus->goal_round < bus->repeats) {
    count = gather_goals(bus, items, data);
    if (bus->goal_done == bus->count) {
      bus->goal_done = 0;
      bus->goal_round++;
    }
  }
  const bool is_jog = bus->config.family->goal.size == 0;
  const sn_bus_request request = {.kind = is_jog ? SN_BUS_JOG : SN_BUS_SYNC_WRITE,
                                  .count = count,
                                  .items = items,
                                  .data = data,
                                  .play_time = bus->play_time};
  if (count == 0) {
    return false;
  }
  const int64_t duration_ns = sn__bus_engine_duration_ns(&bus->engine, &request);
  if (now_ns > bus->start_ns && now_ns + duration_ns > bus->start_ns + bus->goals_ns) {
    bus->goal_next = first;
    bus->is_short = true;
    return false;
  }
  bus->asked = SN__ASK_GOALS;
  const bool is_out = ask(bus, &request, now_ns);
  for (size_t i = 0; is_out && i < count; i++) {
    bus->servos[bus->asked_servos[i]].unsent = 0;
    bus->servos[bus->asked_servos[i]].is_stop_unsent = false;
  }
  return is_out;
}

/* The servo least recently read. Responsive servos come before silent ones, since a silent servo
   blocks the answers of those behind it. @return bus->count if all are done */
static size_t next_reader(const sn__servo_bus *bus, const bool *is_taken) {
  size_t best = bus->count;
  for (size_t i = 0; i < bus->count; i++) {
    const sn__servo *s = &bus->servos[i];
    if (!sn__servo_is_read(s) || s->asked_cycle == bus->cycles || is_taken[i]) {
      continue;
    }
    const sn__servo *b = best == bus->count ? NULL : &bus->servos[best];
    const bool s_silent = s->misses > 0, b_silent = b != NULL && b->misses > 0;
    if (b == NULL || s_silent < b_silent ||
        (s_silent == b_silent && s->asked_cycle < b->asked_cycle)) {
      best = i;
    }
  }
  return best;
}

bool sn__bus_reads_twice(const sn__servo_bus *bus) {
  return bus->config.family->protocol->has_weak_sum && bus->byte_error > NOISY_BYTE_ERROR;
}

/* A fast sync read returns all answers in one packet: every servo must support it, and a damaged
   byte loses all later answers, so the line must be good. */
static bool can_be_fast(const sn__servo_bus *bus, size_t count) {
  bool is_fast = count > 1 && bus->byte_error < FAST_BYTE_ERROR && bus->fast_misses < FAST_MISSES;
  for (size_t i = 0; is_fast && i < count; i++) {
    const sn__servo *s = &bus->servos[bus->asked_servos[i]];
    is_fast = s->is_fast && s->misses == 0;
  }
  return is_fast;
}

/* How many of bus->asked_servos fit into the remaining time. @param times readings of each
 */
static bool ask_for_states(sn__servo_bus *bus, size_t count, int times, int64_t now_ns) {
  const sn_servo_family *family = bus->config.family;
  sn_bus_item items[SN_BUS_ITEMS_MAX];
  for (size_t i = 0; i < count; i++) {
    items[i] = (sn_bus_item){bus->servos[bus->asked_servos[i]].mount.id, family->state.address,
                             family->state.size};
  }
  bus->is_fast = can_be_fast(bus, count);
  sn_bus_request request = {.kind = bus->is_fast            ? SN_BUS_FAST_SYNC_READ
                                    : family->has_sync_read ? SN_BUS_SYNC_READ
                                                            : SN_BUS_READ,
                            .count = count,
                            .items = items};
  /* A single servo needs no estimate: its answer arrives in time, or is missing. */
  for (; request.count > 1; request.count--) {
    const int64_t gaps_ns = (int64_t)request.count * bus->gap_ns;
    const int64_t before_ns =
        (times - 1) * (sn__bus_engine_duration_ns(&bus->engine, &request) + gaps_ns);
    if (fits(bus, &request, now_ns + gaps_ns + before_ns)) {
      break;
    }
  }
  if (request.count == 0 || !fits(bus, &request, now_ns)) {
    return false;
  }
  for (size_t i = 0; i < request.count; i++) {
    bus->servos[bus->asked_servos[i]].asked_cycle = bus->cycles;
  }
  bus->asked = SN__ASK_STATE;
  bus->asked_ns = now_ns;
  bus->asked_wire_ns = sn__bus_engine_duration_ns(&bus->engine, &request);
  bus->asked_count = request.count;
  return ask(bus, &request, now_ns);
}

/* If every position is read twice, ask few servos at a time to keep the two readings close. */
bool sn__bus_ask_states(sn__servo_bus *bus, int64_t now_ns) {
  const bool is_twice = sn__bus_reads_twice(bus);
  if (bus->asks_again) {
    bus->asks_again = false;
    if (ask_for_states(bus, bus->asked_count, 1, now_ns)) {
      return true;
    }
  }
  bool is_taken[SN_BUS_ITEMS_MAX] = {false};
  const size_t count_max = !bus->config.family->has_sync_read ? 1
                           : is_twice                         ? TWICE_MAX
                                                              : SN_BUS_ITEMS_MAX;
  size_t count = 0;
  bool is_silent = false; /* a silent servo blocks those behind it: ask it last */
  for (size_t i = next_reader(bus, is_taken); i < bus->count && count < count_max && !is_silent;
       i = next_reader(bus, is_taken)) {
    is_taken[i] = true;
    is_silent = bus->servos[i].misses > 0;
    bus->asked_servos[count++] = i;
  }
  /* no time for two: the second reading follows in the next cycle */
  bus->asks_again = is_twice && ask_for_states(bus, count, 2, now_ns);
  return bus->asks_again || ask_for_states(bus, count, 1, now_ns);
}

bool sn__bus_ask_task(sn__servo_bus *bus, int64_t now_ns) {
  while (bus->task_done < bus->count) {
    const size_t i = bus->task_next;
    bus->task_next = (bus->task_next + 1) % bus->count;
    bus->task_done++;
    sn_bus_item item;
    uint8_t data[8];
    sn_bus_request request = {.count = 1, .items = &item, .data = data};
    if (sn__servo_task(bus, &bus->servos[i], &request.kind, &item, data)) {
      bus->asked = SN__ASK_TASK;
      bus->asked_servos[0] = i;
      bus->is_unanswered = sn__bus_reply_count(bus->config.family->protocol, &request) == 0;
      return ask(bus, &request, now_ns);
    }
  }
  return false;
}

static bool ask_register(sn__servo_bus *bus, size_t index, bool asks_supply, int64_t now_ns) {
  const sn_servo_family *family = bus->config.family;
  const sn_bus_item item = {bus->servos[index].mount.id,
                            asks_supply ? family->supply.address : family->torque_address,
                            asks_supply ? family->supply.size : 1};
  const sn_bus_request request = {.kind = SN_BUS_READ, .count = 1, .items = &item};
  bus->asked = asks_supply ? SN__ASK_SUPPLY : SN__ASK_TORQUE;
  bus->asked_servos[0] = index;
  return ask(bus, &request, now_ns);
}

/* Once a cycle one servo is asked for its supply or its torque state. */
bool sn__bus_ask_slow(sn__servo_bus *bus, int64_t now_ns) {
  if (bus->slow_done) {
    return false;
  }
  bus->slow_done = true;
  for (size_t i = 0; i < bus->count; i++) {
    if (bus->servos[i].is_torque_doubted) {
      return ask_register(bus, i, false, now_ns);
    }
  }
  const bool has_supply = bus->config.family->supply.size > 0;
  for (size_t n = 0; n < bus->count; n++) {
    const size_t turn = bus->slow_next++;
    const size_t i = turn % bus->count;
    if (sn__servo_is_read(&bus->servos[i])) {
      return ask_register(bus, i, has_supply && turn / bus->count % 2 == 0, now_ns);
    }
  }
  return false;
}

bool sn__bus_ask_ping(sn__servo_bus *bus, int64_t now_ns) {
  for (size_t n = 0; n < bus->count; n++) {
    const size_t i = bus->probe_next;
    sn__servo *s = &bus->servos[i];
    const bool is_missing = s->state.link == SN__LINK_ABSENT || s->state.link == SN__LINK_STRANGE;
    const sn_bus_item item = {s->mount.id, 0, 0};
    const sn_bus_request request = {.kind = SN_BUS_PING, .count = 1, .items = &item};
    if (is_missing && now_ns >= s->probe_ns) {
      if (!fits(bus, &request, now_ns)) {
        return false;
      }
      bus->probe_next = (i + 1) % bus->count;
      bus->asked = SN__ASK_PING;
      bus->asked_servos[0] = i;
      bus->asked_ns = now_ns;
      bus->garbage_seen = bus->engine.stats.spoilt;
      return sn__bus_engine_listen(&bus->engine, &request, now_ns, bus->end_ns);
    }
    bus->probe_next = (i + 1) % bus->count;
  }
  return false;
}
