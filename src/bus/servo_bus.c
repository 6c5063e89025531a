#include "bus/servo_bus.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "bus/servo_link.h"
#include "sinew/fault.h"

enum { PLAN_CYCLES = 20, SLOW_CYCLES = 8 };
static const double BYTE_ERROR_FIRST = 0.01; /* a new line is taken for a bad one */
static const double GOALS_SHARE = 0.6;       /* of the period, at most */
static const double SPEED_MARGIN = 1.5;      /* a servo pushed from outside is faster */

/* ---- creation ---- */

static sn_status check(const sn__servo_bus_config *config, sn_error *err) {
  if (config->count == 0 || config->count > SN__BUS_SERVOS_MAX) {
    return sn__fail(err, SN_EINVAL, "%zu servos on one bus, must be 1 .. %d", config->count,
                    SN__BUS_SERVOS_MAX);
  }
  for (size_t i = 0; i < config->count; i++) {
    const sn__servo_mount *s = &config->servos[i];
    if (s->id > config->family->protocol->id_max) {
      return sn__fail(err, SN_EINVAL, "servo id %d, must be 0 .. %d", s->id,
                      config->family->protocol->id_max);
    }
    for (size_t k = 0; k < i; k++) {
      if (config->servos[k].id == s->id) {
        return sn__fail(err, SN_EINVAL, "two servos have the id %d", s->id);
      }
    }
    if (!(s->gear > 0.0) || !(s->velocity_max > 0.0) || !(s->goal_min < s->goal_max) ||
        !(s->torque_limit >= 0.0 && s->torque_limit <= 1.0)) {
      return sn__fail(err, SN_EINVAL,
                      "servo %d: gear and velocity must be above 0, the range not empty, the "
                      "torque limit 0 .. 1",
                      s->id);
    }
  }
  return SN_OK;
}

sn_status sn__servo_bus_create(sn_arena *arena, const sn__servo_bus_config *config,
                               sn__servo_bus **out, sn_error *err) {
  const sn_status status = check(config, err);
  if (status != SN_OK) {
    return status;
  }
  const sn_arena_mark mark = sn_arena_save(arena);
  sn__servo_bus *bus = SN_NEW(arena, sn__servo_bus, 1);
  sn__servo *servos = SN_NEW(arena, sn__servo, config->count);
  if (bus == NULL || servos == NULL) {
    sn_arena_restore(arena, mark);
    return sn__fail(err, SN_ENOMEM, "no memory for the servos of a bus");
  }
  bus->config = *config;
  bus->config.servos = NULL; /* copied below */
  bus->servos = servos;
  bus->count = config->count;
  bus->group = 1;
  bus->repeats = 1;
  bus->byte_error = BYTE_ERROR_FIRST;
  bus->phase = SN__PHASES;
  sn_bus_engine_init(&bus->engine, &(sn_bus_engine_config){.protocol = config->family->protocol,
                                                           .baud = config->baud,
                                                           .answer_ns = config->answer_ns});
  for (size_t i = 0; i < bus->count; i++) {
    servos[i].mount = config->servos[i];
    const double speed = servos[i].mount.velocity_max * config->family->counts_per_rad;
    sn__servo_trust_init(&servos[i].trust, SPEED_MARGIN * speed);
  }
  *out = bus;
  return SN_OK;
}

static bool is_read(const sn__servo *s) {
  return s->state.link >= SN__LINK_LIMP;
}

/* ---- from outside ---- */

void sn__servo_bus_goal(sn__servo_bus *bus, size_t servo, double goal, bool limp) {
  SN_ASSERT(servo < bus->count);
  sn__servo *s = &bus->servos[servo];
  if (isfinite(goal)) {
    s->goal = goal;
    s->has_goal = true;
  }
  s->wants_limp = limp;
}

void sn__servo_bus_arm(sn__servo_bus *bus, bool is_armed) {
  bus->is_armed = is_armed;
}

void sn__servo_bus_rearm(sn__servo_bus *bus) {
  const sn_servo_family *family = bus->config.family;
  const bool is_latched = family->fault.size > 0 || family->clear.size > 0;
  for (size_t i = 0; i < bus->count; i++) {
    bus->servos[i].needs_clear =
        is_latched && bus->servos[i].state.faults != 0 && is_read(&bus->servos[i]);
    bus->servos[i].state.faults = 0;
    bus->servos[i].faults_last = 0;
    bus->servos[i].hot_run = 0;
  }
}

void sn__servo_bus_lost(sn__servo_bus *bus, int64_t now_ns) {
  (void)now_ns;
  sn_bus_engine_reset(&bus->engine);
  for (size_t i = 0; i < bus->count; i++) {
    sn__servo_lose(bus, i);
  }
  bus->phase = SN__PHASES;
}

void sn__servo_bus_reset(sn__servo_bus *bus) {
  sn__servo_bus_lost(bus, 0);
  sn__servo_bus_rearm(bus);
  bus->is_armed = false;
  bus->news_count = 0;
  bus->said_in_turn = false;
  for (size_t i = 0; i < bus->count; i++) {
    bus->servos[i].has_goal = bus->servos[i].wants_limp = false;
  }
}

sn__servo_state sn__servo_bus_state(const sn__servo_bus *bus, size_t servo) {
  SN_ASSERT(servo < bus->count);
  return bus->servos[servo].state;
}

bool sn__servo_bus_is_limp(const sn__servo_bus *bus) {
  for (size_t i = 0; i < bus->count; i++) {
    const sn__servo_link link = bus->servos[i].state.link;
    if (link == SN__LINK_HOLD || link == SN__LINK_ARM || link == SN__LINK_RELEASE) {
      return false;
    }
  }
  return true;
}

bool sn__servo_bus_news(sn__servo_bus *bus, sn__servo_news *out) {
  if (bus->news_count == 0) {
    return false;
  }
  *out = bus->news[bus->news_head];
  bus->news_head = (bus->news_head + 1) % (sizeof bus->news / sizeof *bus->news);
  bus->news_count--;
  return true;
}

bool sn__servo_bus_is_over(const sn__servo_bus *bus) {
  return bus->phase == SN__PHASES && sn_bus_engine_is_idle(&bus->engine);
}

/* ---- a cycle ---- */

static size_t goal_bytes(const sn__servo_bus *bus) {
  return bus->config.family->goal.size == 0 ? 3 : bus->config.family->goal.size;
}

/* How noisy is the line, and how do goals get through then? */
static void plan_goals(sn__servo_bus *bus) {
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
    items[i] = (sn_bus_item){0, bus->config.family->goal.address, (uint16_t)goal_bytes(bus)};
  }
  sn_bus_request request = {
      .kind = is_jog ? SN_BUS_JOG : SN_BUS_SYNC_WRITE, .count = 1, .items = items, .data = zeros};
  const size_t one = bus->config.family->protocol->build(&request, packet, sizeof packet);
  request.count = 2;
  const size_t two = bus->config.family->protocol->build(&request, packet, sizeof packet);
  const size_t each = two - one;
  const double bytes_max =
      GOALS_SHARE * (double)bus->config.period_ns / (double)bus->engine.byte_ns;
  sn__goal_plan(bus->count, one - each, each, bus->byte_error, (size_t)bytes_max, &bus->group,
                &bus->repeats);
  const size_t fits = (bus->config.family->protocol->packet_max - (one - each)) / each;
  bus->group = bus->group > fits ? fits : bus->group;
}

void sn__servo_bus_cycle(sn__servo_bus *bus, int64_t now_ns) {
  bus->start_ns = now_ns;
  bus->end_ns = now_ns + bus->config.period_ns;
  if (bus->cycles++ % PLAN_CYCLES == 0) {
    plan_goals(bus);
  }
  bus->is_deaf = bus->engine.stats.answers == bus->answers_seen;
  bus->answers_seen = bus->engine.stats.answers;
  for (size_t i = 0; i < bus->count; i++) {
    sn__servo_begin(bus, i);
  }
  bus->phase = 0;
  bus->goal_round = bus->goal_done = 0;
  bus->task_done = 0;
  bus->slow_done = false;
}

static bool fits(const sn__servo_bus *bus, const sn_bus_request *request, int64_t now_ns) {
  const bool waits = sn_bus_reply_count(bus->config.family->protocol, request) > 0;
  const int64_t worst_ns =
      sn_bus_engine_duration_ns(&bus->engine, request) + (waits ? bus->engine.config.answer_ns : 0);
  return now_ns + worst_ns <= bus->end_ns;
}

static bool ask(sn__servo_bus *bus, const sn_bus_request *request, int64_t now_ns) {
  return fits(bus, request, now_ns) &&
         sn_bus_engine_begin(&bus->engine, request, now_ns, bus->end_ns);
}

/* The next servos of this round of goals. @return how many */
static size_t gather_goals(sn__servo_bus *bus, sn_bus_item *items, uint8_t *data) {
  const sn_servo_family *family = bus->config.family;
  const size_t size = goal_bytes(bus);
  size_t count = 0;
  while (bus->goal_done < bus->count && count < bus->group) {
    const sn__servo *s = &bus->servos[bus->goal_next];
    bus->goal_next = (bus->goal_next + 1) % bus->count;
    bus->goal_done++;
    if (s->state.link == SN__LINK_HOLD) {
      items[count] = (sn_bus_item){s->mount.id, family->goal.address, (uint16_t)size};
      (void)family->write_goal(sn__servo_counts(bus, s, s->sent), data + size * count);
      count++;
    }
  }
  return count;
}

/* The next packet of goals. @return false if there is none, or no time: who is left out is the
   first of the next cycle */
static bool ask_goals(sn__servo_bus *bus, int64_t now_ns) {
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
                                  .data = data};
  if (count == 0) {
    return false;
  }
  const int64_t duration_ns = sn_bus_engine_duration_ns(&bus->engine, &request);
  const double share =
      (double)(now_ns + duration_ns - bus->start_ns) / (double)bus->config.period_ns;
  if (now_ns > bus->start_ns && share > GOALS_SHARE) {
    bus->goal_next = first;
    return false;
  }
  bus->asked = SN__ASK_GOALS;
  return ask(bus, &request, now_ns);
}

/* Who has waited longest for being read in this cycle; those who answer come before those who did
   not, since nobody answers behind a silent one. @return bus->count if all are done */
static size_t next_reader(const sn__servo_bus *bus, const bool *is_taken) {
  size_t best = bus->count;
  for (size_t i = 0; i < bus->count; i++) {
    const sn__servo *s = &bus->servos[i];
    if (!is_read(s) || s->asked_cycle == bus->cycles || is_taken[i]) {
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

static bool ask_states(sn__servo_bus *bus, int64_t now_ns) {
  const sn_servo_family *family = bus->config.family;
  sn_bus_item items[SN_BUS_ITEMS_MAX];
  bool is_taken[SN_BUS_ITEMS_MAX] = {false};
  const size_t count_max = family->has_sync_read ? SN_BUS_ITEMS_MAX : 1;
  sn_bus_request request = {.kind = family->has_sync_read ? SN_BUS_SYNC_READ : SN_BUS_READ,
                            .items = items};
  for (size_t i = next_reader(bus, is_taken); i < bus->count && request.count < count_max;
       i = next_reader(bus, is_taken)) {
    is_taken[i] = true;
    bus->asked_servos[request.count] = i;
    items[request.count++] =
        (sn_bus_item){bus->servos[i].mount.id, family->state.address, family->state.size};
  }
  while (request.count > 0) {
    const int64_t gaps_ns = (int64_t)request.count * bus->gap_ns;
    if (fits(bus, &request, now_ns + gaps_ns)) {
      break;
    }
    request.count--;
  }
  if (request.count == 0) {
    return false;
  }
  for (size_t i = 0; i < request.count; i++) {
    bus->servos[bus->asked_servos[i]].asked_cycle = bus->cycles;
  }
  bus->asked = SN__ASK_STATE;
  bus->asked_ns = now_ns;
  bus->asked_wire_ns = sn_bus_engine_duration_ns(&bus->engine, &request);
  bus->asked_count = request.count;
  return ask(bus, &request, now_ns);
}

static bool ask_task(sn__servo_bus *bus, int64_t now_ns) {
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
      bus->is_unanswered = sn_bus_reply_count(bus->config.family->protocol, &request) == 0;
      return ask(bus, &request, now_ns);
    }
  }
  return false;
}

/* Once a cycle one servo says how its supply is, or whether it still has torque. */
static bool ask_slow(sn__servo_bus *bus, int64_t now_ns) {
  if (bus->slow_done) {
    return false;
  }
  bus->slow_done = true;
  const sn_servo_family *family = bus->config.family;
  const bool has_supply = family->supply.size > 0;
  for (size_t n = 0; n < bus->count; n++) {
    const size_t turn = bus->slow_next++;
    const size_t i = turn % bus->count;
    const bool asks_supply = has_supply && turn / bus->count % 2 == 0;
    const sn__servo *s = &bus->servos[i];
    if (!is_read(s)) {
      continue;
    }
    const sn_bus_item item = {s->mount.id,
                              asks_supply ? family->supply.address : family->torque_address,
                              asks_supply ? family->supply.size : 1};
    const sn_bus_request request = {.kind = SN_BUS_READ, .count = 1, .items = &item};
    bus->asked = asks_supply ? SN__ASK_SUPPLY : SN__ASK_TORQUE;
    bus->asked_servos[0] = i;
    return ask(bus, &request, now_ns);
  }
  return false;
}

static bool ask_ping(sn__servo_bus *bus, int64_t now_ns) {
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
      return sn_bus_engine_listen(&bus->engine, &request, now_ns, bus->end_ns);
    }
    bus->probe_next = (i + 1) % bus->count;
  }
  return false;
}

/* The phases of a cycle, one after the other; now and then what is slow comes before the positions,
   which may take all the time there is. @return whether something was asked */
static bool ask_next(sn__servo_bus *bus, int64_t now_ns) {
  typedef bool (*phase)(sn__servo_bus *, int64_t);
  static const phase orders[3][SN__PHASES] = {
      {ask_goals, ask_task, ask_states, ask_slow, ask_ping},
      {ask_goals, ask_task, ask_slow, ask_states, ask_ping},
      {ask_goals, ask_task, ask_ping, ask_states, ask_slow}};
  const uint64_t turn = bus->cycles % SLOW_CYCLES;
  const phase *asks = orders[turn == 0 ? 1 : turn == SLOW_CYCLES / 2 ? 2 : 0];
  while (bus->phase < SN__PHASES) {
    if (asks[bus->phase](bus, now_ns)) {
      return true;
    }
    bus->phase++;
  }
  return false;
}

/* At the end of a cycle: were all read? */
static void close_cycle(sn__servo_bus *bus) {
  size_t asked = 0, left = 0;
  for (size_t i = 0; i < bus->count; i++) {
    const bool is_done = bus->servos[i].asked_cycle == bus->cycles;
    asked += is_read(&bus->servos[i]) && is_done;
    left += is_read(&bus->servos[i]) && !is_done;
  }
  bus->cycles_in_turn += left > 0;
  bus->in_turn_run = left > 0 ? bus->in_turn_run + 1 : 0;
  if (bus->in_turn_run == PLAN_CYCLES && !bus->said_in_turn) {
    bus->said_in_turn = true;
    sn__servo_tell(bus, 0, SN__NEWS_IN_TURN, (int32_t)asked);
  }
}

static void take_answer(sn__servo_bus *bus, const sn_bus_event *event, int64_t now_ns) {
  const size_t servo = bus->asked_servos[event->item];
  const sn_bus_status *status = &event->status;
  sn_servo_reading reading = {0};
  switch (bus->asked) {
    case SN__ASK_STATE:
      sn__servo_take_state(bus, servo, status, now_ns);
      break;
    case SN__ASK_TASK:
      sn__servo_task_done(bus, servo, status);
      break;
    case SN__ASK_SUPPLY:
      if (status->size == bus->config.family->supply.size) {
        bus->config.family->read_supply(status->data, &reading);
        sn__servo_take_supply(bus, servo, &reading);
      }
      break;
    case SN__ASK_TORQUE:
      sn__servo_take_torque(bus, servo, status);
      break;
    case SN__ASK_PING:
      bus->servos[servo].ping_answers++;
      break;
    default:
      break;
  }
}

/* How much longer than its bytes an answer takes: the servos' delay and the adapter's. */
static void learn_gap(sn__servo_bus *bus, size_t answered, int64_t now_ns) {
  if (answered == bus->asked_count && bus->engine.tries == 1) {
    const int64_t gap_ns = (now_ns - bus->asked_ns - bus->asked_wire_ns) / (int64_t)answered;
    bus->gap_ns += ((gap_ns > 0 ? gap_ns : 0) - bus->gap_ns) / 8;
  } else if (answered < bus->asked_count && now_ns >= bus->end_ns) {
    bus->gap_ns += bus->engine.byte_ns; /* cut off: it takes longer than thought */
  }
}

static void take_done(sn__servo_bus *bus, const sn_bus_event *event, int64_t now_ns) {
  if (bus->asked == SN__ASK_STATE) {
    learn_gap(bus, event->answered, now_ns);
  } else if (bus->asked == SN__ASK_PING) {
    const bool is_garbled = bus->engine.stats.spoilt != bus->garbage_seen;
    sn__servo_ping_done(bus, bus->asked_servos[0], is_garbled, now_ns);
  } else if (bus->asked == SN__ASK_TASK && bus->is_unanswered) {
    sn__servo_task_done(bus, bus->asked_servos[0], NULL);
  }
}

void sn__servo_bus_step(sn__servo_bus *bus, int64_t now_ns) {
  sn_bus_event event;
  while (sn_bus_engine_step(&bus->engine, now_ns, &event)) {
    if (event.kind == SN_BUS_ANSWER) {
      take_answer(bus, &event, now_ns);
    } else if (event.kind == SN_BUS_MISSING && bus->asked != SN__ASK_PING) {
      if (now_ns < bus->end_ns) { /* cut off by the end of the cycle is not missing */
        sn__servo_missed(bus, bus->asked_servos[event.item]);
      }
    } else if (event.kind == SN_BUS_DONE) {
      take_done(bus, &event, now_ns);
    }
  }
  if (bus->phase != SN__PHASES && sn_bus_engine_is_idle(&bus->engine) && !ask_next(bus, now_ns)) {
    close_cycle(bus);
  }
}
