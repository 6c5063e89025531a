/* A host that stalls at times on a clean line: no packet is damaged, no servo is lost, and the
   delay learnt during a stall does not keep it from reading the servos. */
#include "bus_rig.h"
#include "sinew/random.h"
#include "sn_test.h"

#define PERIOD_NS 10000000
enum { SERVOS = 6, GOOD_CYCLES = 40 };

/* Stall at any byte of a cycle; then again, or after a normal cycle. */
static void stall(bus_rig *rig, sn_random *random) {
  rig->stall_ns = (int64_t)sn_random_between(random, 1e6, 2e9);
  rig->stall_after = sn_random_below(random, 100);
  bus_rig_cycles(rig, 1 + sn_random_below(random, 2));
}

static void check_all_are_read(bus_rig *rig) {
  for (size_t i = 0; i < SERVOS; i++) {
    const sn__servo_state s = sn__servo_bus_state(rig->bus, i);
    assert_true(s.has_position);
    assert_true(rig->now_ns - s.read_ns <= 2 * PERIOD_NS);
    sn_assert_near(s.q, rig->sim.servos[i].q, 0.05);
  }
}

SN_TEST(servos_are_read_after_every_stall) {
  for (int kind = 0; kind < 4; kind++) {
    sn_random random;
    sn_random_init(&random, (uint64_t)kind);
    bus_rig *rig = bus_rig_create((sim_kind)kind, SERVOS, 1000000, PERIOD_NS);
    const size_t times = sn_test_cases(100);
    for (size_t n = 0; n < times; n++) {
      bus_rig_goals(rig, sn_random_between(&random, -1.0, 1.0), false);
      const size_t stalls = 1 + sn_random_below(&random, 10);
      for (size_t k = 0; k < stalls; k++) {
        stall(rig, &random);
      }
      bus_rig_cycles(rig, GOOD_CYCLES);
      assert_int_equal(bus_rig_count(rig, SN__LINK_HOLD), SERVOS);
      check_all_are_read(rig);
    }
    assert_int_equal(rig->bus->engine.stats.damaged, 0);
    assert_int_equal(rig->events[SN__SERVO_EVENT_LOST], 0);
    for (size_t i = 0; i < SERVOS; i++) {
      const double step = rig->mounts[i].velocity_max * 1e-9 * PERIOD_NS;
      assert_true(rig->sim.servos[i].goal_jump <= step + 2.0 / sim_counts_per_rad((sim_kind)kind));
    }
    bus_rig_free(rig);
  }
}
