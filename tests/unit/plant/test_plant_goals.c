/* The simulated robot: measurements, delay, goals that are refused. */
#include "plant_rig.h"
#include "servo/servo_friction.h"
#include "sn_test.h"

/* Position, velocity, torque and voltage of a cycle fit the equation of the servo: identification
 * finds the simulated parameters. */
SN_TEST(measurements_obey_the_model) {
  fixture f;
  plant_rig_open_pendulum(&f);
  f.servo.torque_max = 20.0;
  f.settings.battery_resistance = 0.02;
  plant_rig_create(&f);
  size_t moving = 0;
  for (int i = 0; i < 4000; i++) {
    const double goal = 0.6 * sin(0.004 * i) + 0.3 * sin(0.011 * i);
    (void)plant_rig_send(&f, "hinge", goal, -1);
    double voltage, current;
    plant_rig_run(&f, 0.001);
    const sn_servo_motion motion = {plant_rig_q_of(&f), plant_rig_qd_of(&f), f.plant->qdd[0],
                                    sn__plant_tau(f.plant)[0]};
    if (fabs(motion.qd) > 0.02) {
      const double volts = sn__servo_volts(&plant_rig_servo, &motion, 0.0);
      sn__plant_battery(f.plant, &voltage, &current);
      /* Stribeck friction is that of the velocity one step before. */
      const double late =
          plant_rig_servo.alpha[2] / plant_rig_servo.qs * 0.00025 * fabs(motion.qdd);
      sn_assert_near(plant_rig_servo.kp * voltage * (goal - motion.q), volts, 1e-9 + late);
      moving++;
    }
  }
  assert_true(moving > 2000);
  plant_rig_close_plant(&f);
}

/* Oracle: a plant whose cycle is a step of the other one gets all goals in between. */
SN_TEST(smooth_goals_are_joined_by_lines) {
  enum { PARTS = 16 };
  for (size_t delay = 0; delay <= SN_PLANT_DELAY_MAX; delay += SN_PLANT_DELAY_MAX) {
    fixture smooth, plain;
    plant_rig_open_pendulum(&smooth);
    plant_rig_open_pendulum(&plain);
    smooth.settings.smooth_goals = true;
    smooth.settings.bus_delay = delay;
    plant_rig_create(&smooth);
    plant_rig_create(&plain);
    const double step_s = smooth.plant->step_max_s;
    double goals[2 * SN_PLANT_DELAY_MAX + 100] = {0}, last = 0.0;
    for (size_t i = 0; i < delay + 50; i++) {
      goals[i + delay] = 0.5 * sin(0.7 * (double)i);
      (void)plant_rig_send(&smooth, "hinge", goals[i + delay], -1);
      sn__plant_step(smooth.plant, PARTS * step_s);
      for (int k = 1; k <= PARTS; k++) {
        (void)plant_rig_send(&plain, "hinge", last + (double)k / PARTS * (goals[i] - last), -1);
        sn__plant_step(plain.plant, step_s);
      }
      last = goals[i];
      sn_assert_near(plant_rig_q_of(&smooth), plant_rig_q_of(&plain), 1e-9);
    }
    plant_rig_close_plant(&smooth);
    plant_rig_close_plant(&plain);
  }
}

SN_TEST(delay_is_exact_in_cycles) {
  for (size_t delay = 0; delay <= SN_PLANT_DELAY_MAX; delay += delay < 4 ? 1 : 30) {
    fixture f;
    plant_rig_open_pendulum(&f);
    f.settings.bus_delay = delay;
    plant_rig_create(&f);
    (void)plant_rig_send(&f, "hinge", 1.0, -1);
    for (size_t i = 0; i < delay; i++) {
      plant_rig_run(&f, 0.001);
      assert_true(plant_rig_q_of(&f) == 0.0);
    }
    plant_rig_run(&f, 0.001);
    assert_true(plant_rig_q_of(&f) > 0.0);
    plant_rig_close_plant(&f);
  }
}

SN_TEST(bad_goals_are_refused_whole) {
  fixture f;
  plant_rig_open_pendulum(&f);
  plant_rig_create(&f);
  assert_int_equal(plant_rig_send(&f, "hinge", NAN, -1), SN_PLANT_NOT_FINITE);
  assert_int_equal(plant_rig_send(&f, "hinge", HUGE_VAL, 1), SN_PLANT_NOT_FINITE);
  assert_int_equal(plant_rig_send(&f, "knee", 0.5, -1), SN_PLANT_UNKNOWN);
  (void)plant_rig_send(&f, "hinge", 0.5, -1);
  sn_servo_goal *msg = f.goals;
  msg->goal.count = 2;
  assert_int_equal(sn__plant_take_goals(f.plant, msg), SN_PLANT_LENGTHS);
  msg->goal.count = 0;
  assert_int_equal(sn__plant_take_goals(f.plant, msg), SN_PLANT_LENGTHS); /* empty */
  assert_int_equal(sn_msg_names_add(&msg->name, "hinge", 5), SN_OK);
  msg->goal.count = 2;
  msg->goal.data[1] = 0.1;
  assert_int_equal(sn__plant_take_goals(f.plant, msg), SN_PLANT_DUPLICATE);
  sn__plant_reset(f.plant);
  msg->goal.data[1] = NAN;
  assert_int_equal(sn__plant_take_goals(f.plant, msg), SN_PLANT_NOT_FINITE);
  plant_rig_run(&f, 0.5);
  assert_true(plant_rig_q_of(&f) == 0.0); /* no part of any message was taken */
  const sn_plant_counts *counts = sn__plant_counts_now(f.plant);
  assert_int_equal(counts->goals[SN_PLANT_NOT_FINITE], 1);
  assert_int_equal(counts->goals[SN_PLANT_TAKEN], 0);
  assert_int_equal(plant_rig_push(&f, NAN), SN_PLANT_NOT_FINITE);
  assert_int_equal(plant_rig_send(&f, "hinge", 1e300, -1), SN_PLANT_TAKEN); /* far, but a number */
  plant_rig_run(&f, 2.0);
  assert_true(plant_rig_q_of(&f) == 2.0);
  plant_rig_close_plant(&f);
}

SN_TEST(unknown_names_are_skipped) {
  fixture f;
  plant_rig_open_pendulum(&f);
  plant_rig_create(&f);
  sn_msg_reset(&sn_servo_goal_type, f.goals);
  assert_int_equal(sn_msg_names_add(&f.goals->name, "knee", 4), SN_OK);
  assert_int_equal(sn_msg_names_add(&f.goals->name, "hinge", 5), SN_OK);
  f.goals->goal.count = 2;
  f.goals->goal.data[0] = f.goals->goal.data[1] = 1.0;
  assert_int_equal(sn__plant_take_goals(f.plant, f.goals), SN_PLANT_UNKNOWN);
  plant_rig_run(&f, 1.0);
  assert_true(plant_rig_q_of(&f) > 0.5);
  plant_rig_close_plant(&f);
}

SN_TEST(servos_hold_without_goals_by_default) {
  fixture f;
  plant_rig_open_pendulum(&f);
  plant_rig_create(&f);
  (void)plant_rig_send(&f, "hinge", 1.5, -1);
  plant_rig_run(&f, 30.0);
  assert_true(plant_rig_q_of(&f) > 1.2 && !sn__plant_is_deserted(f.plant));
  f.settings.goal_timeout_s = 0.5;
  sn__plant_set(f.plant, &f.settings);
  (void)plant_rig_send(&f, "hinge", 1.5, -1);
  plant_rig_run(&f, 0.499);
  assert_false(sn__plant_is_deserted(f.plant));
  plant_rig_run(&f, 3.0);
  assert_true(sn__plant_is_deserted(f.plant));
  assert_true(plant_rig_q_of(&f) < 0.5);
  plant_rig_close_plant(&f);
}
