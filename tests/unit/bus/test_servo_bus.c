#include "bus_rig.h"
#include "sn_test.h"

#define PERIOD_NS 10000000
#define BAUD 1000000

SN_TEST(every_family_is_found_armed_and_follows) {
  for (int kind = 0; kind < 4; kind++) {
    bus_rig *rig = bus_rig_create((sim_kind)kind, 6, BAUD, PERIOD_NS);
    for (size_t i = 0; i < 6; i++) {
      rig->sim.servos[i].q = 0.2 * (double)i - 0.5;
    }
    bus_rig_cycles(rig, 30); /* no goal yet */
    assert_int_equal(bus_rig_count(rig, SN__LINK_LIMP), 6);
    bus_rig_goals(rig, 0.4, false);
    bus_rig_cycles(rig, 200);
    assert_int_equal(bus_rig_count(rig, SN__LINK_HOLD), 6);
    assert_int_equal(rig->events[SN__SERVO_EVENT_HOLDS], 6);
    assert_int_equal(rig->late_cycles, 0);
    for (size_t i = 0; i < 6; i++) {
      const sn__servo_state s = sn__servo_bus_state(rig->bus, i);
      assert_true(rig->sim.servos[i].torque);
      sn_assert_near(rig->sim.servos[i].q, 0.4, 0.1); /* a regulator without integral, friction */
      sn_assert_near(s.q, rig->sim.servos[i].q, 1.01 / bus_rig_counts_per_rad(rig));
      assert_true(s.voltage > 5.0);
    }
    bus_rig_free(rig);
  }
}

SN_TEST(states_are_those_of_the_joint) {
  bus_rig *rig = bus_rig_prepare(SIM_DYNAMIXEL, 1, BAUD, PERIOD_NS);
  rig->mounts[0].direction = -1;
  rig->mounts[0].zero = 2048 + 100;
  rig->mounts[0].gear = 2.0;
  bus_rig_build(rig);
  rig->sim.servos[0].q = 0.5;
  bus_rig_cycles(rig, 20);
  const double counts = 2048 + 0.5 * bus_rig_counts_per_rad(rig);
  sn_assert_near(sn__servo_bus_state(rig->bus, 0).q,
                 -(counts - 2148) / bus_rig_counts_per_rad(rig) / 2.0, 1e-3);
  bus_rig_goals(rig, 0.3, false); /* rad of the servo, from its zero, reversed */
  bus_rig_cycles(rig, 200);
  sn_assert_near(rig->sim.servos[0].goal * bus_rig_counts_per_rad(rig),
                 100 - 0.3 * bus_rig_counts_per_rad(rig), 0.51);
  bus_rig_free(rig);
}

SN_TEST(torque_comes_on_where_the_servo_is_and_no_goal_jumps) {
  for (int kind = 0; kind < 4; kind++) {
    bus_rig *rig = bus_rig_create((sim_kind)kind, 4, BAUD, PERIOD_NS);
    for (size_t i = 0; i < 4; i++) {
      rig->sim.servos[i].q = i % 2 == 0 ? 1.3 : -1.3;
      rig->sim.servos[i].goal = 0.0; /* the goal stored in the servo is far away */
    }
    bus_rig_goals(rig, 0.0, false);
    double last[4], step_max = 0.0;
    bool had[4] = {false};
    for (size_t n = 0; n < 150; n++) {
      bus_rig_cycle(rig);
      for (size_t i = 0; i < 4; i++) {
        if (had[i]) {
          step_max = fmax(step_max, fabs(rig->sim.servos[i].goal - last[i]));
        }
        had[i] = rig->sim.servos[i].torque;
        last[i] = rig->sim.servos[i].goal;
      }
    }
    for (size_t i = 0; i < 4; i++) {
      assert_true(had[i]);
      assert_true(rig->sim.servos[i].torque_on_jump <= 2.0 / bus_rig_counts_per_rad(rig));
      sn_assert_near(rig->sim.servos[i].q, 0.0, 0.1);
    }
    assert_true(step_max <= 4.0 * 0.01 + 1.01 / bus_rig_counts_per_rad(rig));
    assert_true(step_max > 0.02);
    bus_rig_free(rig);
  }
}

SN_TEST(goals_stay_within_the_range) {
  bus_rig *rig = bus_rig_create(SIM_FEETECH_STS, 1, BAUD, PERIOD_NS);
  bus_rig_goals(rig, 50.0, false);
  bus_rig_cycles(rig, 300);
  sn_assert_near(rig->sim.servos[0].goal, 2.0, 1.0 / bus_rig_counts_per_rad(rig));
  sn__servo_bus_goal(rig->bus, 0, NAN, false); /* ignored */
  bus_rig_cycles(rig, 10);
  sn_assert_near(rig->sim.servos[0].goal, 2.0, 1.0 / bus_rig_counts_per_rad(rig));
  bus_rig_free(rig);
}

SN_TEST(a_limp_servo_is_released_and_armed_where_it_is) {
  for (int kind = 0; kind < 4; kind++) {
    bus_rig *rig = bus_rig_create((sim_kind)kind, 2, BAUD, PERIOD_NS);
    bus_rig_goals(rig, 0.2, false);
    bus_rig_cycles(rig, 100);
    sn__servo_bus_goal(rig->bus, 0, 0.2, true);
    bus_rig_cycles(rig, 10);
    assert_false(rig->sim.servos[0].torque);
    assert_true(rig->sim.servos[1].torque);
    rig->sim.servos[0].q = -0.9; /* moved by hand */
    rig->sim.servos[0].qd = 0.0;
    rig->sim.servos[0].torque_on_jump = 0.0;
    bus_rig_cycles(rig, 10);
    sn__servo_bus_goal(rig->bus, 0, 0.2, false);
    bus_rig_cycles(rig, 10);
    assert_true(rig->sim.servos[0].torque);
    assert_true(rig->sim.servos[0].torque_on_jump < 2.0 / bus_rig_counts_per_rad(rig));
    sn__servo_bus_arm(rig->bus, false); /* all are released */
    bus_rig_cycles(rig, 10);
    assert_true(sn__servo_bus_is_limp(rig->bus));
    assert_false(rig->sim.servos[0].torque || rig->sim.servos[1].torque);
    bus_rig_free(rig);
  }
}

SN_TEST(one_servo_goes_and_comes_back_while_the_others_run) {
  for (int kind = 0; kind < 4; kind++) {
    bus_rig *rig = bus_rig_create((sim_kind)kind, 8, BAUD, PERIOD_NS);
    bus_rig_goals(rig, 0.3, false);
    bus_rig_cycles(rig, 100);
    rig->sim.servos[2].is_unplugged = true;
    bus_rig_cycles(rig, 40);
    assert_int_equal(sn__servo_bus_state(rig->bus, 2).link, SN__LINK_ABSENT);
    assert_int_equal(rig->events[SN__SERVO_EVENT_LOST], 1);
    const uint64_t reads = rig->sim.servos[5].reads;
    bus_rig_cycles(rig, 100);
    assert_true(rig->sim.servos[5].reads - reads >= 100); /* every cycle */
    assert_int_equal(bus_rig_count(rig, SN__LINK_HOLD), 7);

    rig->sim.servos[2].is_unplugged = false; /* without power it fell */
    rig->sim.servos[2].torque = false;
    rig->sim.servos[2].q = -1.0;
    rig->sim.servos[2].qd = 0.0;
    rig->sim.servos[2].torque_on_jump = 0.0;
    rig->sim.servos[2].speed_max = 0.0;
    bus_rig_cycles(rig, 200);
    assert_int_equal(bus_rig_count(rig, SN__LINK_HOLD), 8);
    assert_true(rig->sim.servos[2].torque_on_jump < 2.0 / bus_rig_counts_per_rad(rig));
    sn_assert_near(rig->sim.servos[2].q, 0.3, 0.1);
    assert_int_equal(rig->late_cycles, 0);
    bus_rig_free(rig);
  }
}

SN_TEST(a_servo_that_lost_power_for_a_moment_is_armed_again) {
  for (int kind = 0; kind < 4; kind++) {
    bus_rig *rig = bus_rig_create((sim_kind)kind, 3, BAUD, PERIOD_NS);
    bus_rig_goals(rig, 0.0, false);
    bus_rig_cycles(rig, 100);
    rig->sim.servos[1].torque = false; /* too short to be noticed as missing */
    rig->sim.servos[1].q = 0.8;
    rig->sim.servos[1].qd = 0.0;
    rig->sim.servos[1].torque_on_jump = 0.0;
    bus_rig_cycles(rig, 200);
    assert_int_equal(rig->events[SN__SERVO_EVENT_POWER], 1);
    assert_true(rig->sim.servos[1].torque);
    assert_true(rig->sim.servos[1].torque_on_jump < 2.0 / bus_rig_counts_per_rad(rig));
    bus_rig_free(rig);
  }
}

SN_TEST(another_model_or_a_second_servo_gets_no_torque) {
  for (int kind = 0; kind < 4; kind++) {
    bus_rig *rig = bus_rig_prepare((sim_kind)kind, 3, BAUD, PERIOD_NS);
    for (size_t i = 0; i < 3; i++) {
      rig->mounts[i].model = 1030;
    }
    rig->sim.servos[1].model = 777;
    servo_sim_add(&rig->sim, 3, 1030)->delay_ns = 350000; /* a second servo with id 3 */
    bus_rig_build(rig);
    bus_rig_goals(rig, 0.1, false);
    bus_rig_cycles(rig, 100);
    assert_true(rig->sim.servos[0].torque);
    assert_false(rig->sim.servos[1].torque);
    assert_false(rig->sim.servos[2].torque || rig->sim.servos[3].torque);
    assert_true(rig->events[SN__SERVO_EVENT_MODEL] >= 1);
    assert_int_equal(rig->event_value[SN__SERVO_EVENT_MODEL], 777);
    assert_int_equal(rig->events[SN__SERVO_EVENT_DUPLICATE], 1);
    bus_rig_free(rig);
  }
}

SN_TEST(overload_and_heat_take_the_torque_until_rearmed) {
  static const uint8_t overload[] = {0x20, 0x20, 0x20, 0x10};
  for (int kind = 0; kind < 4; kind++) {
    bus_rig *rig = bus_rig_prepare((sim_kind)kind, 3, BAUD, PERIOD_NS);
    rig->config.temperature_max = 70.0;
    bus_rig_build(rig);
    bus_rig_goals(rig, 0.1, false);
    bus_rig_cycles(rig, 100);
    rig->sim.servos[1].faults = overload[kind];
    bus_rig_cycles(rig, 20);
    assert_false(rig->sim.servos[1].torque);
    assert_true(rig->sim.servos[0].torque);
    assert_int_equal(rig->events[SN__SERVO_EVENT_FAULT], 1);
    assert_int_equal(rig->event_value[SN__SERVO_EVENT_FAULT], SN_SERVO_FAULT_OVERLOAD);
    if (kind == SIM_FEETECH_STS || kind == SIM_FEETECH_SCS) {
      rig->sim.servos[1].faults = 0; /* the others keep it until it is cleared */
    }
    bus_rig_cycles(rig, 50);
    assert_false(rig->sim.servos[1].torque); /* latched */
    sn__servo_bus_rearm(rig->bus);
    bus_rig_cycles(rig, 50);
    assert_int_equal(rig->sim.servos[1].faults, 0);
    assert_true(rig->sim.servos[1].torque);
    rig->sim.servos[0].temperature = 71.0;
    bus_rig_cycles(rig, 100);
    assert_false(rig->sim.servos[0].torque);
    assert_int_equal(rig->events[SN__SERVO_EVENT_HOT], 1);
    sn_assert_near(rig->event_value[SN__SERVO_EVENT_HOT], 71,
                   1.0); /* HerkuleX: 8 bits of a curve */
    bus_rig_free(rig);
  }
}

/* The factory limit of the manual, room temperature, and monotony. */
SN_TEST(herkulex_temperatures_are_degrees) {
  const sn_servo_family *family = sn__servo_family_find("herkulex");
  double last = -300.0;
  for (unsigned raw = 0; raw < 256; raw++) {
    sn_servo_reading r = {.counts = 0};
    family->read_supply((const uint8_t[]){100, (uint8_t)raw}, &r);
    assert_true(r.has_temperature && isfinite(r.temperature));
    assert_true(r.temperature > last);
    last = r.temperature;
    if (raw == 0xDF) {
      sn_assert_near(r.temperature, 85.0, 1.0);
    }
    if (raw == 0x80) {
      sn_assert_near(r.temperature, 25.0, 0.3);
    }
  }
}

SN_TEST(voltage_out_of_its_limits_is_logged_once) {
  bus_rig *rig = bus_rig_prepare(SIM_FEETECH_STS, 2, BAUD, PERIOD_NS);
  rig->config.voltage_min = 11.0;
  bus_rig_build(rig);
  bus_rig_goals(rig, 0.1, false);
  bus_rig_cycles(rig, 50);
  rig->sim.voltage = 10.4;
  bus_rig_cycles(rig, 50);
  assert_int_equal(rig->events[SN__SERVO_EVENT_VOLTAGE], 2); /* one for each servo */
  assert_int_equal(rig->event_value[SN__SERVO_EVENT_VOLTAGE], 10400);
  sn_assert_near(sn__servo_bus_state(rig->bus, 0).voltage, 10.4, 1e-9);
  bus_rig_free(rig);
}

SN_TEST(torque_limits_are_written) {
  for (int kind = 0; kind < 4; kind++) {
    bus_rig *rig = bus_rig_prepare((sim_kind)kind, 1, BAUD, PERIOD_NS);
    rig->mounts[0].torque_limit = 0.4;
    bus_rig_build(rig);
    bus_rig_cycles(rig, 20);
    const double expected = kind == SIM_FEETECH_SCS ? 1.0 : 0.4; /* the SCS series has none */
    sn_assert_near(rig->sim.servos[0].torque_limit, expected, 1e-3);
    bus_rig_free(rig);
  }
}
