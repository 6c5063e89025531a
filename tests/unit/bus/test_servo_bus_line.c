/* Servos on slow, noisy and interrupted lines. */
#include "bus_rig.h"
#include "sn_test.h"

#define PERIOD_NS 10000000
#define BAUD 1000000

/* The line is too slow for all: servos take turns, and the period is kept. */
SN_TEST(servos_that_do_not_fit_are_read_in_turn) {
  for (int kind = 0; kind < 4; kind++) {
    bus_rig *rig = bus_rig_create((sim_kind)kind, 20, 115200, PERIOD_NS);
    bus_rig_goals(rig, 0.1, false);
    bus_rig_cycles(rig, 2000);
    assert_int_equal(bus_rig_count(rig, SN__LINK_HOLD), 20);
    assert_int_equal(rig->late_cycles, 0);
    assert_int_equal(rig->events[SN__SERVO_EVENT_IN_TURN], 1);
    uint64_t least = UINT64_MAX, most = 0, before[20];
    for (size_t i = 0; i < 20; i++) {
      before[i] = rig->sim.servos[i].reads;
    }
    bus_rig_cycles(rig, 1000);
    for (size_t i = 0; i < 20; i++) {
      const uint64_t reads = rig->sim.servos[i].reads - before[i];
      least = reads < least ? reads : least;
      most = reads > most ? reads : most;
    }
    assert_true(least > 35); /* one, sometimes two in a cycle */
    assert_true(most <= 2 * least);
    bus_rig_free(rig);
  }
}

/* A servo that gets its goals in turn still follows: at half speed if goals and positions take
   turns, too. */
SN_TEST(over_a_slow_line_all_follow) {
  for (int kind = 0; kind < 4; kind++) {
    bus_rig *rig = bus_rig_create((sim_kind)kind, 20, 70000, PERIOD_NS);
    bus_rig_goals(rig, -1.0, false);
    bus_rig_cycles(rig, 3000);
    assert_int_equal(bus_rig_count(rig, SN__LINK_HOLD), 20);
    assert_true(rig->bus->goal_turns > 1);
    const double speed = 0.45 * rig->mounts[0].velocity_max * 1e-9 * PERIOD_NS; /* in a cycle */
    const size_t cycles = (size_t)(2.0 / speed);
    for (size_t n = 0; n < cycles; n++) {
      bus_rig_goals(rig, -1.0 + speed * (double)n, false);
      bus_rig_cycle(rig);
    }
    const double behind = speed * (double)(4 * rig->bus->goal_turns + 2);
    const double most =
        rig->mounts[0].velocity_max * 1e-9 * PERIOD_NS * (double)rig->bus->goal_turns;
    for (size_t i = 0; i < 20; i++) {
      sn_assert_near(rig->sim.servos[i].goal, 1.0, behind);
      assert_true(rig->sim.servos[i].goal_jump <= most + 2.0 / bus_rig_counts_per_rad(rig));
    }
    bus_rig_free(rig);
  }
}

SN_TEST(the_adapter_goes_and_comes_back_a_hundred_times) {
  sn_random r;
  sn_random_init(&r, 5);
  for (int kind = 0; kind < 4; kind++) {
    bus_rig *rig = bus_rig_create((sim_kind)kind, 6, BAUD, PERIOD_NS);
    double step_max = 0.0;
    for (size_t n = 0; n < 100; n++) {
      const double goal = sn_random_between(&r, -1.0, 1.0);
      bus_rig_goals(rig, goal, false);
      for (size_t i = 0; i < 6; i++) {
        rig->sim.servos[i].speed_max = 0.0;
      }
      const size_t cycles = 20 + sn_random_below(&r, 60);
      double last[6];
      for (size_t k = 0; k < cycles; k++) {
        for (size_t i = 0; i < 6; i++) {
          last[i] = rig->sim.servos[i].goal;
        }
        bus_rig_cycle(rig);
        for (size_t i = 0; i < 6; i++) {
          /* a goal moves from its last value, or from the position of the servo */
          const double from_goal = fabs(rig->sim.servos[i].goal - last[i]);
          const double from_here = fabs(rig->sim.servos[i].goal - rig->sim.servos[i].q);
          step_max = fmax(step_max, fmin(from_goal, from_here));
        }
      }
      rig->is_unplugged = true;
      if (n % 2 == 0) { /* either the port reports it, or all servos fall silent */
        sn__servo_bus_lost(rig->bus, rig->now_ns);
      }
      bus_rig_cycles(rig, 1 + sn_random_below(&r, 40));
      rig->is_unplugged = false;
    }
    bus_rig_goals(rig, 0.5, false);
    bus_rig_cycles(rig, 200);
    assert_int_equal(bus_rig_count(rig, SN__LINK_HOLD), 6);
    for (size_t i = 0; i < 6; i++) {
      sn_assert_near(rig->sim.servos[i].q, 0.5, 0.1);
    }
    /* up to two cycles pass before the bus notices */
    assert_true(step_max <= 3.0 * 4.0 * 0.01 + 2.0 / bus_rig_counts_per_rad(rig));
    assert_int_equal(rig->late_cycles, 0);
    bus_rig_free(rig);
  }
}

/* One byte in a hundred is damaged, both ways. Accepted positions are right to the few counts that
   the servo can have moved; goals arrive within any three cycles. */
SN_TEST(noise_neither_moves_positions_nor_stops_goals) {
  for (int kind = 0; kind < 4; kind++) {
    bus_rig *rig = bus_rig_create((sim_kind)kind, 6, BAUD, PERIOD_NS);
    bus_rig_goals(rig, 0.0, false);
    bus_rig_cycles(rig, 100);
    rig->sim.corrupt = 0.01;
    rig->check_positions = true;
    bus_rig_cycles(rig, 40); /* until the noise is detected */
    rig->goal_gap_max_ns = 0;
    for (size_t n = 0; n < sn_test_cases(10000); n++) {
      const double t_s = 1e-9 * (double)rig->now_ns;
      bus_rig_goals(rig, 0.6 * sin(2.0 * t_s), false);
      bus_rig_cycle(rig);
    }
    print_message(
        "%s: %lu positions, %lu not the servo's by at most %.0f counts, goal gap %.0f ms, "
        "%lu lost, byte error %.4f, goals %zu x %zu\n",
        rig->config.family->name, (unsigned long)rig->positions, (unsigned long)rig->wrong,
        rig->wrong_max, 1e-6 * (double)rig->goal_gap_max_ns,
        (unsigned long)rig->events[SN__SERVO_EVENT_LOST], rig->bus->byte_error, rig->bus->group,
        rig->bus->repeats);
    assert_int_equal(rig->wrong, 0);
    assert_true(rig->goal_gap_max_ns <= 4 * PERIOD_NS);
    assert_int_equal(rig->events[SN__SERVO_EVENT_LOST], 0);
    assert_int_equal(rig->late_cycles, 0);
    bus_rig_free(rig);
  }
}

/* Silent servos, damaged answers and the bus as a whole are counted separately. */
SN_TEST(faults_are_counted_for_their_servo) {
  for (int kind = 0; kind < 4; kind++) {
    bus_rig *rig = bus_rig_create((sim_kind)kind, 4, BAUD, PERIOD_NS);
    bus_rig_goals(rig, 0.0, false);
    bus_rig_cycles(rig, 100);
    uint64_t trouble = 0;
    for (size_t i = 0; i < 4; i++) {
      const sn__servo_state s = sn__servo_bus_state(rig->bus, i);
      trouble += s.missed + s.retried + s.damaged + s.doubted;
    }
    assert_true(trouble <= 4); /* the first reading of each is doubted */
    rig->sim.servos[1].is_unplugged = true;
    bus_rig_cycles(rig, 100);
    const sn__servo_state away = sn__servo_bus_state(rig->bus, 1);
    const sn__servo_state there = sn__servo_bus_state(rig->bus, 0);
    assert_true(away.missed >= 20);
    assert_true(away.retried >= 2 * away.missed - 10); /* two retries each, if there is time */
    assert_int_equal(there.missed, 0);
    assert_int_equal(there.damaged + away.damaged, 0);
    rig->sim.corrupt = 0.02;
    bus_rig_cycles(rig, 300);
    const sn__servo_state hard = sn__servo_bus_state(rig->bus, 0);
    assert_true(hard.damaged > 5);
    assert_true(hard.retried > 5);
    uint64_t damaged = 0;
    for (size_t i = 0; i < 4; i++) {
      damaged += sn__servo_bus_state(rig->bus, i).damaged;
    }
    assert_true(damaged <= rig->bus->engine.stats.damaged);
    assert_true(damaged * 10 >= rig->bus->engine.stats.damaged * 8);
    bus_rig_free(rig);
  }
}

SN_TEST(goals_are_planned_for_the_noise) {
  size_t group = 0, repeats = 0;
  sn__goal_plan(20, 9, 5, 0.0, 600, &group, &repeats);
  assert_int_equal(group, 20); /* a clean line: one packet */
  assert_int_equal(repeats, 1);
  for (double error = 1e-4; error < 0.02; error *= 1.5) {
    sn__goal_plan(20, 9, 5, error, 100000, &group, &repeats);
    const double loss = pow(1.0 - pow(1.0 - error, 9.0 + 5.0 * (double)group), (double)repeats);
    assert_true(loss <= 0.004);
    /* nothing cheaper is as good */
    const size_t bytes = repeats * ((20 + group - 1) / group * 9 + 100);
    for (size_t g = 1; g <= 20; g++) {
      for (size_t r = 1; r <= 6; r++) {
        if (r * ((20 + g - 1) / g * 9 + 100) < bytes) {
          assert_true(pow(1.0 - pow(1.0 - error, 9.0 + 5.0 * (double)g), (double)r) > 0.004);
        }
      }
    }
  }
  sn__goal_plan(20, 9, 5, 0.01, 40, &group, &repeats); /* too long: a few at a time, once */
  assert_int_equal(group, 6);
  assert_int_equal(repeats, 1);
  sn__goal_plan(20, 9, 5, 0.01, 3, &group, &repeats);
  assert_int_equal(group, 1);
}

/* New firmware answers in one packet; old firmware, or one that only claims support, does not. */
SN_TEST(dynamixels_with_new_firmware_answer_in_one_packet) {
  for (int old = 0; old < 3; old++) {
    bus_rig *rig = bus_rig_create(SIM_DYNAMIXEL, 8, BAUD, PERIOD_NS);
    rig->sim.firmware = old == 1 ? 45 : 46;
    rig->sim.lacks_fast = old == 2;
    bus_rig_goals(rig, 0.2, false);
    bus_rig_cycles(rig, 1500);
    assert_int_equal(bus_rig_count(rig, SN__LINK_HOLD), 8);
    const uint64_t fast = rig->sim.fast_reads, reads = rig->sim.servos[7].reads;
    const uint64_t retries = rig->bus->engine.stats.retries;
    rig->check_positions = true;
    bus_rig_cycles(rig, 100);
    assert_true(rig->sim.servos[7].reads - reads >= 100);
    assert_int_equal(rig->sim.fast_reads - fast, old == 0 ? 100 : 0);
    assert_int_equal(rig->bus->engine.stats.retries, retries);
    assert_true(old == 2 ? fast > 0 && fast < 10 : old == 0 || fast == 0);
    assert_int_equal(rig->inexact, 0);
    assert_true(rig->positions >= 800);
    rig->sim.servos[3].is_unplugged = true; /* breaks the packet for all, once */
    bus_rig_cycles(rig, 50);
    assert_int_equal(bus_rig_count(rig, SN__LINK_HOLD), 7);
    rig->sim.corrupt = 0.002;
    bus_rig_cycles(rig, 500);
    assert_int_equal(bus_rig_count(rig, SN__LINK_HOLD), 7);
    assert_int_equal(rig->wrong, 0);
    bus_rig_free(rig);
  }
}

/* With a play time below the period a servo would rest until the next goal. */
SN_TEST(jogs_last_until_the_next_one) {
  static const struct {
    int64_t period_ns;
    int ticks;
  } cases[] = {{5000000, 1}, {11200000, 1}, {11200001, 2}, {20000000, 2}, {100000000, 9}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bus_rig *rig = bus_rig_create(SIM_HERKULEX, 1, BAUD, cases[i].period_ns);
    bus_rig_goals(rig, 0.1, false);
    bus_rig_cycles(rig, 30);
    assert_int_equal(rig->sim.play_time, cases[i].ticks);
    assert_true(rig->sim.servos[0].goal_count > 0);
    bus_rig_free(rig);
  }
}

SN_TEST(invalid_configurations_are_refused) {
  char memory[65536];
  sn_arena arena;
  sn_arena_init(&arena, "bus", memory, sizeof memory);
  bus_rig *rig = bus_rig_prepare(SIM_DYNAMIXEL, 2, BAUD, PERIOD_NS);
  sn__servo_bus *bus = NULL;
  sn_error err;
  rig->mounts[1].id = 1;
  assert_int_equal(sn__servo_bus_create(&arena, &rig->config, &bus, &err), SN_EINVAL);
  sn_assert_contains(err.message, "two servos have the id 1");
  rig->mounts[1].id = 253;
  assert_int_equal(sn__servo_bus_create(&arena, &rig->config, &bus, &err), SN_EINVAL);
  sn_assert_contains(err.message, "servo id 253, must be 0 .. 252");
  rig->mounts[1].id = 2;
  rig->mounts[1].gear = 0.0;
  assert_int_equal(sn__servo_bus_create(&arena, &rig->config, &bus, &err), SN_EINVAL);
  rig->config.count = 0;
  assert_int_equal(sn__servo_bus_create(&arena, &rig->config, &bus, &err), SN_EINVAL);
  bus_rig_free(rig);
}
