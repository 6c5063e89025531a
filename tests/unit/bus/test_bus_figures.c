/* What a bus can do, in its own time: bytes and servos' delays as on a wire, nothing of the machine
   that runs it. */
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(twenty_servos_are_driven_a_hundred_times_a_second),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
