/* The phases of a cycle: the order of requests, without starvation. */
#include "bus/bus_schedule.h"
#include "bus/families/servo_link.h"

enum { PLAN_CYCLES = 20, SLOW_CYCLES = 8 };
enum { GOALS, TASK, STATES, SLOW, PING };
_Static_assert(PING + 1 == SN__PHASES, "each has its place");

/* A phase may be skipped for so many cycles in a row; then it comes first. */
static const unsigned starved_max[SN__PHASES] = {
    [GOALS] = 1, [TASK] = 4, [STATES] = 1, [SLOW] = 2 * SLOW_CYCLES, [PING] = 2 * SLOW_CYCLES};

static void choose_first(sn__servo_bus *bus) {
  bus->first = SN__PHASES;
  for (size_t i = SN__PHASES; i-- > 0;) {
    bus->first = bus->starved_cycles[i] >= starved_max[i] ? i : bus->first;
    bus->is_served[i] = false;
  }
}

/* Slow phases sometimes precede the positions, which may fill the whole cycle. */
static size_t phase_at(const sn__servo_bus *bus, size_t position) {
  static const uint8_t orders[3][SN__PHASES] = {{GOALS, TASK, STATES, SLOW, PING},
                                                {GOALS, TASK, SLOW, STATES, PING},
                                                {GOALS, TASK, PING, STATES, SLOW}};
  const uint64_t turn = bus->cycles % SLOW_CYCLES;
  const uint8_t *order = orders[turn == 0 ? 1 : turn == SLOW_CYCLES / 2 ? 2 : 0];
  if (bus->first == SN__PHASES) {
    return order[position];
  }
  size_t place = 0; /* the others keep their order */
  while (order[place] != bus->first) {
    place++;
  }
  return position == 0 ? bus->first : order[position <= place ? position - 1 : position];
}

/* After a pause the servos' own watchdogs may have stopped them. */
static void renew_watchdogs(sn__servo_bus *bus, int64_t now_ns) {
  for (size_t i = 0; i < bus->count && 2 * (now_ns - bus->start_ns) > bus->config.watchdog_ns;
       i++) {
    sn__servo_renew_watchdog(bus, &bus->servos[i]);
  }
}

/* In a cycle started early by a stop, goals move proportionally less. */
static int64_t step_time_ns(const sn__servo_bus *bus, int64_t now_ns) {
  const int64_t period_ns = bus->config.period_ns, elapsed_ns = now_ns - bus->start_ns;
  const bool is_early = bus->cycles > 0 && elapsed_ns < period_ns - period_ns / 4;
  return is_early ? elapsed_ns : period_ns;
}

void sn__servo_bus_cycle(sn__servo_bus *bus, int64_t now_ns) {
  renew_watchdogs(bus, now_ns);
  bus->step_ns = step_time_ns(bus, now_ns);
  bus->start_ns = now_ns;
  bus->end_ns = now_ns + bus->config.period_ns;
  if (bus->cycles++ % PLAN_CYCLES == 0) {
    sn__bus_judge_line(bus);
    sn__bus_plan_goals(bus);
  }
  bus->is_silent = bus->engine.stats.answers == bus->answers_seen;
  bus->answers_seen = bus->engine.stats.answers;
  for (size_t i = 0; i < bus->count; i++) {
    sn__servo_begin(bus, i);
  }
  choose_first(bus);
  bus->phase = 0;
  bus->asks_again = false;
  bus->goal_round = bus->goal_done = 0;
  bus->task_done = 0;
  bus->slow_done = false;
}

bool sn__bus_ask_next(sn__servo_bus *bus, int64_t now_ns) {
  static bool (*const asks[SN__PHASES])(sn__servo_bus *, int64_t) = {[GOALS] = sn__bus_ask_goals,
                                                                     [TASK] = sn__bus_ask_task,
                                                                     [STATES] = sn__bus_ask_states,
                                                                     [SLOW] = sn__bus_ask_slow,
                                                                     [PING] = sn__bus_ask_ping};
  for (; bus->phase < SN__PHASES; bus->phase++) {
    const size_t phase = phase_at(bus, bus->phase);
    bus->is_short = false;
    if (asks[phase](bus, now_ns)) {
      bus->is_served[phase] = true;
      bus->starved_cycles[phase] = 0;
      return true;
    }
    bus->starved_cycles[phase] =
        bus->is_short && !bus->is_served[phase] ? bus->starved_cycles[phase] + 1 : 0;
  }
  return false;
}

void sn__bus_close_cycle(sn__servo_bus *bus) {
  size_t asked = 0, left = 0;
  for (size_t i = 0; i < bus->count; i++) {
    const bool is_done = bus->servos[i].asked_cycle == bus->cycles;
    asked += sn__servo_is_read(&bus->servos[i]) && is_done;
    left += sn__servo_is_read(&bus->servos[i]) && !is_done;
  }
  bus->cycles_in_turn += left > 0;
  bus->in_turn_run = left > 0 ? bus->in_turn_run + 1 : 0;
  if (bus->in_turn_run == PLAN_CYCLES && !bus->reported_in_turn) {
    bus->reported_in_turn = true;
    sn__servo_add_event(bus, 0, SN__SERVO_EVENT_IN_TURN, (int32_t)asked);
  }
}
