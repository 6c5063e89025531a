/* What a bus can do, in its own time: bytes and servos' delays as on a wire, nothing of the machine
   that runs it. SINEW_TEST_SCALE=300 makes more than 10⁷ exchanges with each family. */
#include "bus_rig.h"
#include "sn_test.h"

#define BAUD 1000000
#define SERVOS 20
#define CYCLES 300

static uint64_t reads_of_all(const bus_rig *rig) {
  uint64_t least = UINT64_MAX;
  for (size_t i = 0; i < SERVOS; i++) {
    least = rig->sim.servos[i].reads < least ? rig->sim.servos[i].reads : least;
  }
  return least;
}

/* Every servo has its goal and is read in every cycle of this length? */
static bool keeps_up(sim_kind kind, int64_t period_ns, bool prints) {
  bus_rig *rig = bus_rig_create(kind, SERVOS, BAUD, period_ns);
  bus_rig_goals(rig, 0.2, false);
  bus_rig_cycles(rig, 1500);
  const uint64_t in_turn = rig->bus->cycles_in_turn, reads = reads_of_all(rig);
  const int64_t busy_ns = rig->bus->engine.stats.busy_ns, start_ns = rig->now_ns;
  rig->busy_ns = 0;
  rig->goal_gap_max_ns = 0;
  bus_rig_cycles(rig, CYCLES);
  const bool good = bus_rig_count(rig, SN__LINK_HOLD) == SERVOS &&
                    rig->bus->cycles_in_turn == in_turn && rig->late_cycles == 0;
  if (prints) {
    print_message(
        "%-12s %d servos, 1 Mbit/s: %4.0f Hz, bytes on the wire %2.0f %% of the time, "
        "oldest goal %.1f periods, %lu reads in %d cycles\n",
        rig->config.family->name, SERVOS, 1e9 / (double)period_ns,
        100.0 * (double)(rig->bus->engine.stats.busy_ns - busy_ns) /
            (double)(rig->now_ns - start_ns),
        (double)rig->goal_gap_max_ns / (double)period_ns,
        (unsigned long)(reads_of_all(rig) - reads), CYCLES);
  }
  bus_rig_free(rig);
  return good;
}

static void twenty_servos_are_driven_a_hundred_times_a_second(void **state) {
  (void)state;
  for (int kind = 0; kind < 4; kind++) {
    int64_t period_ns = 4000000;
    while (period_ns < 20000000 && !keeps_up((sim_kind)kind, period_ns, false)) {
      period_ns += 250000;
    }
    (void)keeps_up((sim_kind)kind, period_ns, true);
    assert_true(period_ns <= 10000000);
  }
}

/* One byte in a hundred is another, both ways, for as many exchanges as one has patience for. A
   position counts as wrong if it is not what the servo said by more than it can move in a cycle. */
static void noise_moves_no_position_and_stops_no_goal(void **state) {
  (void)state;
  const int64_t period_ns = 10000000;
  for (int kind = 0; kind < 4; kind++) {
    bus_rig *rig = bus_rig_create((sim_kind)kind, SERVOS, BAUD, period_ns);
    rig->sim.physics_ns = 2000000;
    bus_rig_goals(rig, 0.0, false);
    bus_rig_cycles(rig, 200);
    rig->sim.corrupt = 0.01;
    bus_rig_cycles(rig, 60); /* it notices */
    rig->check_positions = true;
    rig->goal_gap_max_ns = 0;
    for (size_t n = 0; n < sn_test_cases(3000); n++) {
      bus_rig_goals(rig, 0.6 * sin(2e-9 * (double)rig->now_ns), false);
      bus_rig_cycle(rig);
    }
    const double reach = 4.0 * 1e-9 * (double)period_ns * rig->config.family->counts_per_rad;
    print_message(
        "%-12s 1 %% of bytes damaged: %lu answers asked for, %lu positions believed, %lu "
        "not the servo's, by %.0f counts at most (a cycle's way is %.0f); goals %.1f "
        "cycles apart at most, %lu servos lost\n",
        rig->config.family->name,
        (unsigned long)(rig->bus->engine.stats.answers + rig->bus->engine.stats.missing +
                        rig->bus->engine.stats.retries),
        (unsigned long)rig->positions, (unsigned long)rig->wrong, rig->wrong_max, reach,
        (double)rig->goal_gap_max_ns / (double)period_ns, (unsigned long)rig->news[SN__NEWS_LOST]);
    assert_true(rig->positions > 1000);
    assert_true(rig->wrong_max <= reach);
    assert_true(rig->goal_gap_max_ns <= 4 * period_ns); /* three cycles without one */
    assert_int_equal(rig->late_cycles, 0);
    bus_rig_free(rig);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(twenty_servos_are_driven_a_hundred_times_a_second),
      cmocka_unit_test(noise_moves_no_position_and_stops_no_goal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
