/* The plant with servos whose friction grows with the load, and what else the seven parameters
   leave out. */
#include <stdlib.h>

#include "plant/mujoco/mujoco_physics.h"
#include "plant_rig.h"
#include "servo/servo_friction.h"
#include "servo/servo_step.h"
#include "sn_test.h"

/* A gear that loses as much as it transmits when it carries the pendulum horizontally. */
static const sn_servo_params LOADED = {.kp = 8.0,
                                       .kgear = 1.0,
                                       .alpha = {1.5, 0.2, 0.1, 2.0},
                                       .qs = 0.1,
                                       .delta = 1.0,
                                       .inertia = 0.02,
                                       .ext = {.load = {0.6, 0.4}, .back_emf = 1.2}};

static void open_loaded(fixture *f) {
  plant_rig_open_pendulum(f);
  f->servo.params = LOADED;
}

static double voltage_of(const fixture *f) {
  double voltage, current;
  sn__plant_battery(f->plant, &voltage, &current);
  return voltage;
}

SN_TEST(loaded_measurements_obey_the_model) {
  fixture f;
  open_loaded(&f);
  f.servo.params.ext.offset = 0.03;
  f.settings.battery_resistance = 0.02;
  plant_rig_create(&f);
  const sn_servo_params *s = &f.servo.params;
  size_t moving = 0, driven_back = 0;
  for (int i = 0; i < 8000; i++) {
    const double goal = 0.9 * sin(0.002 * i) + 0.3 * sin(0.011 * i);
    (void)plant_rig_send(&f, "hinge", goal, -1);
    plant_rig_run(&f, 0.001);
    const sn_servo_motion motion = {plant_rig_q_of(&f), plant_rig_qd_of(&f), f.plant->qdd[0],
                                    sn__plant_tau(f.plant)[0]};
    if (fabs(motion.qd) > 0.02) {
      /* Stribeck friction is that of the velocity one step before. */
      const double late = s->alpha[2] / s->qs * 0.00025 * fabs(motion.qdd);
      sn_assert_near(sn__servo_drive(s, voltage_of(&f), goal, motion.q),
                     sn__servo_volts(s, &motion, 0.0), 1e-7 + late);
      moving++;
      driven_back += motion.tau * motion.qd < 0.0;
    }
  }
  assert_true(moving > 4000 && driven_back > 1000);
  plant_rig_close_plant(&f);
}

/* The goals between which the drive holds the pendulum at 1 rad follow from the model. */
SN_TEST(what_sticks_under_load_stands_exactly) {
  const double weight = 0.8 * 9.81 * 0.25 * sin(1.0);
  const double carry = LOADED.alpha[3] * weight;
  const double hold = LOADED.alpha[1] + LOADED.alpha[2] + LOADED.ext.load[0] * weight +
                      LOADED.ext.load[1] * weight * weight;
  const double at[] = {1.0};
  for (int k = -11; k <= 11; k++) {
    fixture f;
    open_loaded(&f);
    f.config.start_pose = at;
    plant_rig_create(&f);
    /* A pendulum with its mass below turns back towards 0 about y: the servo carries it. */
    const double volts = carry + hold * 0.099 * k;
    (void)plant_rig_send(&f, "hinge", 1.0 + volts / (LOADED.kp * voltage_of(&f)), -1);
    plant_rig_run(&f, 0.5);
    const double moved = plant_rig_q_of(&f) - 1.0;
    if (abs(k) <= 10) {
      sn_assert_near(moved, 0.0, 0.0);
    } else {
      assert_true(moved * k > 1e-4);
    }
    sn_assert_near(sn__plant_tau(f.plant)[0], weight, abs(k) <= 10 ? 1e-9 : 0.2);
    plant_rig_close_plant(&f);
  }
}

/* Oracle: the step of one joint that identification uses. */
static void expect_single_servo(double backlash) {
  fixture f;
  open_loaded(&f);
  f.servo.params.ext.backlash = backlash;
  f.servo.params.ext.drive_max = 0.3;
  f.servo.params.ext.delay_s = 0.003;
  f.config.step_max_s = 0.0001;
  plant_rig_create(&f);
  double q = 0.0, qd = 0.0, worst = 0.0;
  double goals[4000];
  for (int i = 0; i < 4000; i++) {
    goals[i] = 0.9 * sin(0.002 * i) + (i % 1000 < 500 ? 0.2 : 0.0);
    const bool is_limp = i >= 3000;
    (void)plant_rig_send(&f, "hinge", goals[i], is_limp);
    plant_rig_run(&f, 0.001);
    for (int k = 0; k < 10; k++) {
      sn__servo_input in = {.goal = i < 3 ? 0.0 : goals[i - 3],
                            .voltage = 12.0,
                            .is_limp = i >= 3003,
                            .load = {.inertia_kgm2 = 0.004 + 0.8 * 0.25 * 0.25,
                                     .tau = -0.8 * 9.81 * 0.25 * sin(q + 0.00005 * qd)}};
      sn__servo_step(&f.servo.params, &in, 0.0001, &q, &qd);
    }
    worst = fmax(worst, fabs(plant_rig_q_of(&f) - q));
  }
  print_message("largest difference %.2g rad\n", worst);
  assert_true(worst < 2e-3);
  plant_rig_close_plant(&f);
}

SN_TEST(plant_follows_the_step_of_a_single_servo) {
  expect_single_servo(0.0);
}

SN_TEST(plant_follows_the_step_of_a_servo_with_backlash) {
  expect_single_servo(0.1);
}

SN_TEST(servo_obeys_a_goal_after_its_delay) {
  static const double DELAYS[] = {0.0, 0.0004, 0.001, 0.00275, 0.02};
  for (size_t k = 0; k < sizeof DELAYS / sizeof *DELAYS; k++) {
    fixture f;
    open_loaded(&f);
    f.servo.params.ext.delay_s = DELAYS[k];
    plant_rig_create(&f);
    (void)plant_rig_send(&f, "hinge", 1.0, -1);
    const int idle = (int)floor(DELAYS[k] / 0.001 + 1e-9);
    for (int i = 0; i < idle; i++) {
      sn__plant_step(f.plant, 0.001);
      assert_true(plant_rig_q_of(&f) == 0.0);
    }
    sn__plant_step(f.plant, 0.001);
    assert_true(plant_rig_q_of(&f) > 0.0);
    plant_rig_close_plant(&f);
  }
}

/* Without drive and gravity: the speed falls by viscous friction alone. */
SN_TEST(limp_servo_has_no_back_emf) {
  fixture f;
  open_loaded(&f);
  f.servo.params.alpha[1] = f.servo.params.alpha[2] = 0.0;
  f.servo.params.ext.load[0] = f.servo.params.ext.load[1] = 0.0;
  f.settings.gravity = (sn_vec3){0, 0, 0};
  plant_rig_create(&f);
  f.plant->qd[0] = 1.0;
  (void)plant_rig_send(&f, "hinge", 0.0, 1);
  plant_rig_run(&f, 0.3);
  const double inertia = 0.004 + 0.8 * 0.25 * 0.25 + 0.02 / 2.0;
  sn_assert_near(plant_rig_qd_of(&f), exp(-0.3 * 0.15 / inertia), 1e-3);
  plant_rig_close_plant(&f);
}

SN_TEST(mujoco_simulates_the_same_servo) {
  fixture f;
  open_loaded(&f);
  plant_rig_create(&f);
  sn_plant *other = NULL;
  sn_error err;
  if (sn__plant_create_with(&f.arena, f.robot.model, &f.config, sn__mujoco_create, &other, &err) !=
      SN_OK) {
    sn_assert_contains(err.message, "built without MuJoCo");
    plant_rig_close_plant(&f);
    skip();
  }
  sn__plant_set(other, &f.settings);
  double worst = 0.0, reach = 0.0;
  for (int i = 0; i < 6000; i++) {
    const double goal = 0.9 * sin(0.002 * i) + 0.2 * sin(0.009 * i);
    (void)plant_rig_send(&f, "hinge", goal, -1);
    (void)sn__plant_take_goals(other, f.goals);
    sn__plant_step(f.plant, 0.001);
    sn__plant_step(other, 0.001);
    worst = fmax(worst, fabs(sn__plant_q(f.plant)[0] - sn__plant_q(other)[0]));
    reach = fmax(reach, fabs(sn__plant_q(other)[0]));
  }
  print_message("largest difference %.2g rad of %.2g\n", worst, reach);
  assert_true(reach > 0.5 && worst < 2e-3);
  sn__plant_release(other);
  plant_rig_close_plant(&f);
}
