/* Each fault of a bus: its message and the safe reaction. Faults of the port are in
   test_serial_port.c, those of a deployment in test_driver_threads.c. */
#include "bus/families/servo_link.h"
#include "bus_rig.h"
#include "sn_test.h"

#define PERIOD_NS 10000000
#define BAUD 1000000

static bus_rig *running(sim_kind kind, size_t count) {
  bus_rig *rig = bus_rig_create(kind, count, BAUD, PERIOD_NS);
  bus_rig_goals(rig, 0.1, false);
  bus_rig_cycles(rig, 1000); /* until the line counts as good */
  assert_int_equal(bus_rig_count(rig, SN__LINK_HOLD), count);
  return rig;
}

SN_TEST(a_healthy_bus_logs_nothing) {
  for (int kind = 0; kind < 4; kind++) {
    bus_rig *rig = running((sim_kind)kind, 4);
    for (size_t i = 0; i < 16; i++) {
      const bool is_good = i == SN__SERVO_EVENT_FOUND || i == SN__SERVO_EVENT_HOLDS;
      assert_int_equal(rig->events[i], is_good ? 4 : 0);
    }
    bus_rig_free(rig);
  }
}

SN_TEST(a_missing_servo_is_logged_once_and_searched_for) {
  for (int kind = 0; kind < 4; kind++) {
    bus_rig *rig = bus_rig_create((sim_kind)kind, 4, BAUD, PERIOD_NS);
    rig->sim.servos[2].is_unplugged = true;
    bus_rig_goals(rig, 0.1, false);
    bus_rig_cycles(rig, 400);
    assert_int_equal(rig->events[SN__SERVO_EVENT_MISSING], 1);
    sn_assert_contains(rig->said[SN__SERVO_EVENT_MISSING], "servo 's3' (id 3) does not answer");
    sn_assert_contains(rig->said[SN__SERVO_EVENT_MISSING], "baud rate");
    assert_int_equal(bus_rig_count(rig, SN__LINK_HOLD), 3); /* the others work */
    rig->sim.servos[2].is_unplugged = false;
    bus_rig_cycles(rig, 200);
    assert_int_equal(bus_rig_count(rig, SN__LINK_HOLD), 4);
    bus_rig_free(rig);
  }
}

SN_TEST(a_lost_servo_is_logged_and_armed_again_at_its_position) {
  for (int kind = 0; kind < 4; kind++) {
    bus_rig *rig = running((sim_kind)kind, 4);
    sim_servo *lost = &rig->sim.servos[1];
    lost->is_unplugged = true;
    bus_rig_cycles(rig, 100);
    assert_int_equal(rig->events[SN__SERVO_EVENT_LOST], 1);
    sn_assert_contains(rig->said[SN__SERVO_EVENT_LOST], "servo 's2' (id 2) no longer answers");
    lost->is_unplugged = lost->torque = false;
    lost->q = -0.7;
    lost->goal_jump = lost->torque_on_jump = 0.0;
    bus_rig_cycles(rig, 200);
    assert_true(lost->torque);
    assert_true(lost->torque_on_jump <= 2.0 / sim_counts_per_rad((sim_kind)kind));
    assert_true(lost->goal_jump <= 3.0 * 4.0 * 0.01 + 2.0 / sim_counts_per_rad((sim_kind)kind));
    bus_rig_free(rig);
  }
}

SN_TEST(a_servo_of_another_model_gets_no_torque) {
  for (int kind = 0; kind < 4; kind++) {
    bus_rig *rig = bus_rig_prepare((sim_kind)kind, 2, BAUD, PERIOD_NS);
    rig->mounts[0].model = rig->mounts[1].model = 1030;
    rig->sim.servos[1].model = 777;
    bus_rig_build(rig);
    bus_rig_goals(rig, 0.1, false);
    bus_rig_cycles(rig, 500);
    assert_int_equal(rig->events[SN__SERVO_EVENT_MODEL],
                     1); /* logged once, not every half second */
    sn_assert_contains(rig->said[SN__SERVO_EVENT_MODEL],
                       "servo 's2' (id 2) has model 777, not the configured one: no torque");
    assert_true(rig->sim.servos[0].torque);
    assert_false(rig->sim.servos[1].torque);
    bus_rig_free(rig);
  }
}

SN_TEST(servos_that_share_an_id_get_no_torque) {
  for (int kind = 0; kind < 4; kind++) {
    bus_rig *rig = bus_rig_prepare((sim_kind)kind, 2, BAUD, PERIOD_NS);
    servo_sim_add(&rig->sim, 2, 1030)->delay_ns = 350000;
    bus_rig_build(rig);
    bus_rig_goals(rig, 0.1, false);
    bus_rig_cycles(rig, 300);
    assert_int_equal(rig->events[SN__SERVO_EVENT_DUPLICATE], 1);
    sn_assert_contains(rig->said[SN__SERVO_EVENT_DUPLICATE],
                       "servo 's2' (id 2): more than one servo has this id");
    assert_true(rig->sim.servos[0].torque);
    assert_false(rig->sim.servos[1].torque || rig->sim.servos[2].torque);
    bus_rig_free(rig);
  }
}

SN_TEST(wrong_checksums_are_retried_and_logged) {
  for (int kind = 0; kind < 4; kind++) {
    bus_rig *rig = running((sim_kind)kind, 4);
    rig->sim.corrupt = 0.01;
    rig->check_positions = true;
    bus_rig_cycles(rig, 300);
    assert_int_equal(rig->events[SN__SERVO_EVENT_NOISE], 1);
    sn_assert_contains(rig->said[SN__SERVO_EVENT_NOISE], "the line damages about ");
    assert_true(rig->event_value[SN__SERVO_EVENT_NOISE] > 20 &&
                rig->event_value[SN__SERVO_EVENT_NOISE] < 500);
    assert_true(rig->bus->engine.stats.damaged > 0 && rig->bus->engine.stats.retries > 0);
    assert_int_equal(rig->wrong, 0);
    assert_int_equal(bus_rig_count(rig, SN__LINK_HOLD), 4);
    rig->sim.corrupt = 0.0;
    bus_rig_cycles(rig, 2000);
    assert_int_equal(rig->events[SN__SERVO_EVENT_NOISE], 1);
    rig->sim.corrupt = 0.01; /* again after a good line */
    bus_rig_cycles(rig, 300);
    assert_int_equal(rig->events[SN__SERVO_EVENT_NOISE], 2);
    bus_rig_free(rig);
  }
}

/* Answers that end too early, and answers with too large a length field. */
SN_TEST(incomplete_packets_are_retried_and_logged) {
  for (int kind = 0; kind < 4; kind++) {
    for (int longer = 0; longer < 2; longer++) {
      bus_rig *rig = running((sim_kind)kind, 4);
      rig->check_positions = true;
      rig->sim.cut = longer == 0 ? 0.05 : 0.0;
      rig->sim.lie = longer == 1 ? 0.05 : 0.0;
      const uint64_t before = rig->bus->engine.stats.retries;
      bus_rig_cycles(rig, 400);
      assert_true(rig->sim.maimed > 20);
      assert_true(rig->bus->engine.stats.retries - before > 5);
      assert_true(rig->events[SN__SERVO_EVENT_NOISE] >= 1);
      assert_int_equal(rig->inexact, 0);
      assert_int_equal(rig->events[SN__SERVO_EVENT_LOST], 0);
      assert_int_equal(rig->late_cycles, 0);
      bus_rig_free(rig);
    }
  }
}

/* Most answers are lost, but the remaining ones are used. */
SN_TEST(a_line_that_loses_most_answers_still_brings_positions) {
  for (int kind = 0; kind < 4; kind++) {
    bus_rig *rig = running((sim_kind)kind, 4);
    rig->check_positions = true;
    rig->sim.lose = 0.03; /* of the bytes, both ways: one exchange in three is left */
    int64_t age_max_ns = 0;
    for (size_t n = 0; n < 500; n++) {
      bus_rig_cycle(rig);
      for (size_t i = 0; i < 4; i++) {
        const int64_t age_ns = rig->now_ns - sn__servo_bus_state(rig->bus, i).read_ns;
        age_max_ns = age_ns > age_max_ns ? age_ns : age_max_ns;
      }
    }
    assert_true(age_max_ns < 500000000);
    assert_int_equal(rig->wrong, 0);
    assert_int_equal(bus_rig_count(rig, SN__LINK_HOLD), 4);
    bus_rig_free(rig);
  }
}

SN_TEST(an_answer_with_the_wrong_id_is_logged_and_not_accepted) {
  for (int kind = 0; kind < 4; kind++) {
    bus_rig *rig = running((sim_kind)kind, 3);
    rig->check_positions = true;
    rig->sim.servos[0].answers_as = 9;
    bus_rig_cycles(rig, 100);
    assert_int_equal(rig->events[SN__SERVO_EVENT_STRAY], 1);
    sn_assert_contains(rig->said[SN__SERVO_EVENT_STRAY],
                       "servo 's1' (id 1): id 9 answered instead");
    assert_int_equal(rig->inexact, 0);
    assert_int_equal(sn__servo_bus_state(rig->bus, 0).link, SN__LINK_ABSENT);
    assert_int_equal(bus_rig_count(rig, SN__LINK_HOLD), 2);
    bus_rig_free(rig);
  }
}

typedef struct status_case {
  uint8_t bits[4]; /* of each family */
  const char *text;
} status_case;

static void a_status_takes_the_torque_until_rearmed(const status_case *c) {
  for (int kind = 0; kind < 4; kind++) {
    bus_rig *rig = running((sim_kind)kind, 2);
    rig->sim.servos[0].faults = c->bits[kind];
    bus_rig_cycles(rig, 30);
    assert_int_equal(rig->events[SN__SERVO_EVENT_FAULT], 1);
    char expected[160];
    snprintf(expected, sizeof expected, "servo 's1' (id 1): %s; torque is off until 'rearm'",
             c->text);
    assert_string_equal(rig->said[SN__SERVO_EVENT_FAULT], expected);
    assert_false(rig->sim.servos[0].torque);
    assert_true(rig->sim.servos[1].torque);
    rig->sim.servos[0].faults = 0; /* cooled down or unloaded: that is not enough */
    bus_rig_cycles(rig, 50);
    assert_false(rig->sim.servos[0].torque);
    sn__servo_bus_rearm(rig->bus);
    bus_rig_cycles(rig, 50);
    assert_true(rig->sim.servos[0].torque);
    bus_rig_free(rig);
  }
}

SN_TEST(an_overload_status_takes_the_torque_until_rearmed) {
  a_status_takes_the_torque_until_rearmed(
      &(status_case){.bits = {0x20, 0x20, 0x20, 0x10}, .text = "overload"});
}

SN_TEST(an_over_temperature_status_takes_the_torque_until_rearmed) {
  a_status_takes_the_torque_until_rearmed(
      &(status_case){.bits = {0x04, 0x04, 0x04, 0x04}, .text = "too hot"});
}

SN_TEST(a_temperature_above_the_limit_takes_the_torque) {
  for (int kind = 0; kind < 4; kind++) {
    bus_rig *rig = bus_rig_prepare((sim_kind)kind, 2, BAUD, PERIOD_NS);
    rig->config.temperature_max = 60.0;
    bus_rig_build(rig);
    bus_rig_goals(rig, 0.1, false);
    bus_rig_cycles(rig, 100);
    assert_true(rig->sim.servos[0].torque);
    rig->sim.servos[0].temperature = 65.0;
    bus_rig_cycles(rig, 100);
    sn_assert_contains(rig->said[SN__SERVO_EVENT_HOT], "servo 's1' (id 1) is too hot, 6");
    assert_false(rig->sim.servos[0].torque);
    assert_true(rig->sim.servos[1].torque);
    bus_rig_free(rig);
  }
}

SN_TEST(too_many_servos_for_the_period_take_turns_with_a_warning) {
  for (int kind = 0; kind < 4; kind++) {
    bus_rig *rig = bus_rig_create((sim_kind)kind, 20, 115200, PERIOD_NS);
    bus_rig_goals(rig, 0.1, false);
    bus_rig_cycles(rig, 2000);
    assert_int_equal(rig->events[SN__SERVO_EVENT_IN_TURN], 1);
    sn_assert_contains(rig->said[SN__SERVO_EVENT_IN_TURN],
                       "not all servos can be read in one period: ");
    sn_assert_contains(rig->said[SN__SERVO_EVENT_IN_TURN], "of 20 are read in each");
    assert_int_equal(rig->late_cycles, 0);
    bus_rig_free(rig);
  }
}
