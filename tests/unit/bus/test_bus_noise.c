/* One byte in a hundred is damaged, both ways, through the whole stack: schedule, engine, parser
   and plausibility on one side, servos on the other.

   A damaged request with the right sum may write anything into a servo, its id too, about once in
   10⁷ exchanges of Feetech; a host cannot prevent that, so the simulated servos keep their ids
   here.

   A position is wrong if it differs from what the servo sent by more than the noise at rest.
   SINEW_TEST_SCALE=250 makes 10⁷ exchanges of each family, SINEW_TEST_SEED=n other ones.
 */
#include "bus/families/servo_link.h"
#include "bus_rig.h"
#include "sn_test.h"

#define SERVOS 20
#define PERIOD_NS 10000000

/* Different goals for each servo, as jumps or slowly: sent goals obey the velocity limit. */
static void move_goals(bus_rig *rig, sn_random *r) {
  for (size_t i = 0; i < SERVOS; i++) {
    const double swing = 0.6 * sin(2e-9 * (double)rig->now_ns + (double)i);
    const bool jumps = i % 4 == 0 && sn_random_below(r, 100) == 0;
    if (i % 4 != 0) {
      sn__servo_bus_goal(rig->bus, i, swing, false);
    } else if (jumps) {
      sn__servo_bus_goal(rig->bus, i, sn_random_between(r, -1.0, 1.0), false);
    }
  }
}

static uint64_t exchanges_of(const bus_rig *rig) {
  const sn_bus_stats *s = &rig->bus->engine.stats;
  return s->answers + s->missing + s->retries;
}

SN_TEST(noise_moves_no_position_and_stops_no_goal) {
  const uint64_t wanted = sn_test_cases(40000), seed = sn_test_seed(1);
  for (int kind = 0; kind < 4; kind++) {
    bus_rig *rig = bus_rig_create((sim_kind)kind, SERVOS, 1000000, PERIOD_NS);
    sn_random r;
    sn_random_init(&r, seed + 1000);
    sn_random_init(&rig->sim.random, seed);
    rig->sim.physics_ns = 2000000;
    rig->chunk = 16;
    rig->sim.guards_ids = true;
    bus_rig_goals(rig, 0.0, false);
    bus_rig_cycles(rig, 200);
    rig->sim.corrupt = 0.01;
    bus_rig_cycles(rig, 60); /* until the noise is detected */
    rig->check_positions = true;
    rig->goal_gap_max_ns = 0;
    const uint64_t first = exchanges_of(rig);
    while (exchanges_of(rig) - first < wanted) {
      move_goals(rig, &r);
      bus_rig_cycle(rig);
    }
    print_message(
        "%-12s seed %lu, 1 %% of bytes damaged: %lu exchanges, %lu cycles, %lu positions believed, "
        "%lu of them wrong, %lu off by a count or more (%.0f at most, its noise is %.0f), %.1f %% "
        "of the readings doubted; goals %.1f "
        "cycles apart at most, %lu servos lost; noise would have changed %lu ids\n",
        rig->config.family->name, (unsigned long)seed, (unsigned long)(exchanges_of(rig) - first),
        (unsigned long)rig->bus->cycles, (unsigned long)rig->positions, (unsigned long)rig->wrong,
        (unsigned long)rig->inexact, rig->wrong_max, floor(rig->bus->servos[0].filter.noise),
        100.0 * bus_rig_doubted(rig), (double)rig->goal_gap_max_ns / PERIOD_NS,
        (unsigned long)rig->events[SN__SERVO_EVENT_LOST], (unsigned long)rig->sim.id_writes);
    assert_true(rig->positions > wanted / 3);
    assert_int_equal(rig->wrong, 0);
    assert_true(rig->goal_gap_max_ns <= 4 * (int64_t)PERIOD_NS); /* three cycles without one */
    assert_int_equal(rig->events[SN__SERVO_EVENT_LOST], 0);
    assert_int_equal(rig->late_cycles, 0);
    bus_rig_free(rig);
  }
}
