/* Servos on a pendulum against closed forms and a fine Runge-Kutta integration. */
#include <stdlib.h>

#include "allocation.h"
#include "msg/msg_text.h"
#include "plant/plant.h"
#include "plant/plant_state.h"
#include "robot.h"
#include "servo/servo_friction.h"
#include "sinew/random.h"
#include "sn_test.h"

/* A rod with a mass, turning about y: the torque of gravity is -M G L sin(q). */
static const double MASS = 0.8, LENGTH = 0.25, INERTIA = 0.004, G = 9.81;

static const char PENDULUM[] =
    "<robot name='pendulum'><link name='base'/>"
    "<link name='rod'><inertial><origin xyz='0 0 -0.25'/><mass value='0.8'/>"
    "<inertia ixx='0.004' iyy='0.004' izz='0.004' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<joint name='hinge' type='revolute'><parent link='base'/><child link='rod'/>"
    "<axis xyz='0 1 0'/><limit lower='-2.5' upper='2' effort='6' velocity='8'/></joint></robot>";

static const sn_servo_params SERVO = {.kp = 8.0,
                                      .kgear = 1.0,
                                      .alpha = {1.5, 0.4, 0.3, 2.0},
                                      .qs = 0.1,
                                      .delta = 1.0,
                                      .inertia = 0.02};

typedef struct fixture {
  sn_test_robot robot;
  sn_arena arena;
  sn_plant *plant;
  sn_plant_servo servo;
  sn_plant_config config;
  sn_plant_settings settings;
  sn_servo_goal *goals;
  sn_joint_state *push, *measured;
} fixture;

static void open_pendulum(fixture *f) {
  memset(f, 0, sizeof *f);
  sn_test_robot_init_good(&f->robot, PENDULUM, NULL);
  sn_arena_init_growing(&f->arena, "plant", 0);
  f->servo = (sn_plant_servo){SERVO, HUGE_VAL, HUGE_VAL};
  f->config = (sn_plant_config){.servos = &f->servo, .seed = 7};
  sn__plant_settings_init(&f->settings);
  f->goals = sn_msg_create(&f->arena, &sn_servo_goal_type, NULL);
  f->push = sn_msg_create(&f->arena, &sn_joint_state_type, NULL);
  f->measured = sn_msg_create(&f->arena, &sn_joint_state_type, NULL);
}

static void create(fixture *f) {
  sn_error err;
  if (sn__plant_create(&f->arena, f->robot.model, &f->config, &f->plant, &err) != SN_OK) {
    fail_msg("%s", err.message);
  }
  sn__plant_set(f->plant, &f->settings);
}

static void close_plant(fixture *f) {
  sn_arena_release(&f->arena);
  sn_test_robot_free(&f->robot);
}

static sn_plant_verdict send(fixture *f, const char *name, double goal, int limp) {
  sn_msg_reset(&sn_servo_goal_type, f->goals);
  assert_int_equal(sn_msg_names_add(&f->goals->name, name, strlen(name)), SN_OK);
  f->goals->goal.data[0] = goal;
  f->goals->goal.count = 1;
  f->goals->limp.data[0] = limp > 0;
  f->goals->limp.count = limp >= 0;
  return sn__plant_take_goals(f->plant, f->goals);
}

static sn_plant_verdict push(fixture *f, double effort) {
  sn_msg_reset(&sn_joint_state_type, f->push);
  assert_int_equal(sn_msg_names_add(&f->push->name, "hinge", 5), SN_OK);
  f->push->effort.data[0] = effort;
  f->push->effort.count = 1;
  return sn__plant_push(f->plant, f->push);
}

static void run(fixture *f, double seconds) {
  for (int i = (int)lround(1000.0 * seconds); i > 0; i--) {
    sn__plant_step(f->plant, 0.001);
  }
}

static double q_of(const fixture *f) {
  return sn__plant_q(f->plant)[0];
}

static double qd_of(const fixture *f) {
  return sn__plant_qd(f->plant)[0];
}

/* ---- motion ---- */

static double load_of(double q) {
  return -MASS * G * LENGTH * sin(q);
}

/* Runge-Kutta integration of the pendulum on its servo, with the friction of sn_servo_accel(). */
static void integrate(const sn_servo_params *s, double goal, double seconds, double h, double *q,
                      double *qd) {
  const double inertia = INERTIA + MASS * LENGTH * LENGTH;
  for (long i = lround(seconds / h); i > 0; i--) {
    double kq[4], kv[4];
    for (int k = 0; k < 4; k++) {
      const double part = k == 0 ? 0.0 : k == 3 ? h : 0.5 * h;
      const double x = *q + (k == 0 ? 0.0 : part * kq[k - 1]);
      const double v = *qd + (k == 0 ? 0.0 : part * kv[k - 1]);
      const sn_servo_load load = {inertia, load_of(x)};
      kq[k] = v;
      kv[k] = sn_servo_accel(s, 12.0, goal, x, v, &load, 0.0);
    }
    *q += h / 6.0 * (kq[0] + 2.0 * kq[1] + 2.0 * kq[2] + kq[3]);
    *qd += h / 6.0 * (kv[0] + 2.0 * kv[1] + 2.0 * kv[2] + kv[3]);
  }
}

/* The largest distance to the fine integration while a goal is approached. */
static double error_of_step(const sn_servo_params *servo, double h) {
  fixture f;
  open_pendulum(&f);
  f.servo.params = *servo;
  f.config.step_max_s = h;
  create(&f);
  (void)send(&f, "hinge", 1.2, -1);
  double q = 0.0, qd = 0.0, worst = 0.0;
  for (int i = 0; i < 150; i++) {
    run(&f, 0.001);
    integrate(servo, 1.2, 0.001, 1e-5, &q, &qd);
    worst = fmax(worst, fabs(q_of(&f) - q));
  }
  close_plant(&f);
  return worst;
}

SN_TEST(pendulum_obeys_its_equation) {
  sn_servo_params smooth = SERVO;
  smooth.alpha[1] = smooth.alpha[2] = 0.0;
  const double coarse = error_of_step(&smooth, 0.001), usual = error_of_step(&smooth, 0.00025);
  const double fine = error_of_step(&smooth, 0.00001);
  sn_assert_near(usual, 0.0, 0.01); /* of a jump by 1.2 */
  sn_assert_near(fine, 0.0, 0.0003);
  sn_assert_near(coarse / usual, 4.0, 0.5); /* first order in the step */
  sn_assert_near(usual / fine, 25.0, 3.0);
}

/* A goal that a controller would send. */
SN_TEST(smooth_motion_is_followed_closely) {
  fixture f;
  open_pendulum(&f);
  create(&f);
  double q = 0.0, qd = 0.0;
  for (int i = 0; i < 3000; i++) {
    const double goal = 0.3 - 0.3 * cos(0.006 * i);
    (void)send(&f, "hinge", goal, -1);
    run(&f, 0.001);
    integrate(&SERVO, goal, 0.001, 1e-5, &q, &qd);
    sn_assert_near(q_of(&f), q, 5e-4);
  }
  close_plant(&f);
}

SN_TEST(friction_is_that_of_the_model) {
  sn_assert_near(error_of_step(&SERVO, 0.00025), 0.0, 0.01);
  sn_assert_near(error_of_step(&SERVO, 0.00001), 0.0, 0.0003);
}

SN_TEST(equilibrium_is_the_closed_form) {
  for (int k = -4; k <= 4; k++) {
    fixture f;
    open_pendulum(&f);
    f.servo.params.alpha[1] = f.servo.params.alpha[2] = 0.0;
    f.servo.params.kgear = -2.0;
    create(&f);
    const double goal = 0.7 * k;
    (void)send(&f, "hinge", goal, -1);
    run(&f, 10.0);
    /* Where the servo balances gravity. */
    const sn_servo_motion motion = {.tau = -load_of(q_of(&f))};
    const double q = sn_servo_position_of(&f.servo.params, 12.0, goal, &motion, 0.0);
    sn_assert_near(q_of(&f), q, 1e-9);
    sn_assert_near(sn__plant_tau(f.plant)[0], motion.tau, 1e-8);
    close_plant(&f);
  }
}

/* With dry friction it rests wherever friction can hold it, without any motion. */
SN_TEST(friction_holds_at_rest) {
  fixture f;
  open_pendulum(&f);
  create(&f);
  (void)send(&f, "hinge", 0.9, -1);
  run(&f, 3.0);
  const double q = q_of(&f), hold = SERVO.alpha[1] + SERVO.alpha[2];
  assert_true(qd_of(&f) == 0.0);
  const double left = SERVO.kp * 12.0 * (0.9 - q) + SERVO.alpha[3] * load_of(q);
  assert_true(fabs(left) <= hold);
  /* The remaining friction in both directions. */
  assert_int_equal(push(&f, 0.99 * (hold - left) / SERVO.alpha[3]), SN_PLANT_TAKEN);
  run(&f, 10.0);
  assert_true(q_of(&f) == q && qd_of(&f) == 0.0);
  assert_int_equal(push(&f, -0.99 * (hold + left) / SERVO.alpha[3]), SN_PLANT_TAKEN);
  run(&f, 10.0);
  assert_true(q_of(&f) == q && qd_of(&f) == 0.0);
  assert_int_equal(push(&f, 1.01 * (hold - left) / SERVO.alpha[3]), SN_PLANT_TAKEN);
  run(&f, 1.0);
  assert_true(q_of(&f) > q);
  close_plant(&f);
}

SN_TEST(limp_servo_lets_go) {
  fixture f;
  open_pendulum(&f);
  f.servo.params.alpha[1] = 0.1;
  f.servo.params.alpha[2] = 0.0;
  create(&f);
  (void)send(&f, "hinge", 1.5, -1);
  run(&f, 2.0);
  assert_true(q_of(&f) > 1.2);
  (void)send(&f, "hinge", 1.5, 1);
  run(&f, 20.0);
  assert_true(sn__plant_drive(f.plant)[0] == 0.0 && fabs(qd_of(&f)) < 1e-12);
  /* Friction alone just holds it. */
  sn_assert_near(-load_of(q_of(&f)), 0.1 / SERVO.alpha[3], 1e-9);
  (void)send(&f, "hinge", 1.5, 0);
  run(&f, 2.0);
  assert_true(q_of(&f) > 1.2);
  close_plant(&f);
}

SN_TEST(joint_alone_moves_the_same_either_way) {
  fixture f[2];
  for (int k = 0; k < 2; k++) {
    open_pendulum(&f[k]);
    f[k].config.dynamics = k == 0 ? SN_PLANT_COUPLED : SN_PLANT_DECOUPLED;
    f[k].settings.gravity = (sn_vec3){0, 0, 0};
    create(&f[k]);
  }
  for (int i = 0; i < 2000; i++) {
    for (int k = 0; k < 2; k++) {
      (void)send(&f[k], "hinge", sin(0.02 * i), i / 300 == 2);
      sn__plant_step(f[k].plant, 0.001);
    }
    sn_assert_near(q_of(&f[0]), q_of(&f[1]), 1e-12);
    sn_assert_near(sn__plant_tau(f[0].plant)[0], sn__plant_tau(f[1].plant)[0], 1e-9);
  }
  close_plant(&f[0]);
  close_plant(&f[1]);
}

SN_TEST(limits_are_never_exceeded) {
  fixture f;
  open_pendulum(&f);
  f.servo.torque_max = 3.5;
  f.servo.speed_max = 1.5;
  f.servo.params.alpha[0] = 0.2;
  create(&f);
  sn_random random;
  sn_random_init(&random, 11);
  double fastest = 0.0, strongest = 0.0;
  for (int i = 0; i < 20000; i++) {
    if (i % 500 == 0) {
      (void)send(&f, "hinge", sn_random_between(&random, -30.0, 30.0), -1);
    }
    sn__plant_step(f.plant, 0.001);
    fastest = fmax(fastest, fabs(qd_of(&f)));
    strongest = fmax(strongest, fabs(sn__plant_drive(f.plant)[0]));
    assert_true(q_of(&f) >= -2.5 && q_of(&f) <= 2.0);
  }
  assert_true(strongest == 3.5);
  assert_true(fastest >= 1.5);
  /* Gravity may turn it faster than the motor, up to the energy of the fall. */
  const double inertia = SERVO.inertia / SERVO.alpha[3] + INERTIA + MASS * LENGTH * LENGTH;
  assert_true(0.5 * inertia * (fastest * fastest - 1.5 * 1.5) < 2.0 * MASS * G * LENGTH);
  close_plant(&f);
}

SN_TEST(speed_limit_is_exact_without_a_load) {
  fixture f;
  open_pendulum(&f);
  f.servo.speed_max = 1.5;
  f.settings.gravity = (sn_vec3){0, 0, 0};
  create(&f);
  (void)send(&f, "hinge", 100.0, -1);
  for (int i = 0; i < 1000; i++) {
    sn__plant_step(f.plant, 0.001);
    assert_true(qd_of(&f) <= 1.5);
  }
  sn__plant_reset(f.plant);
  (void)send(&f, "hinge", 100.0, -1);
  run(&f, 0.5);
  assert_true(qd_of(&f) == 1.5);
  close_plant(&f);
}

/* Position, velocity, torque and voltage of a cycle fit the equation of the servo: identification
 * finds the simulated parameters. */
SN_TEST(measurements_obey_the_model) {
  fixture f;
  open_pendulum(&f);
  f.servo.torque_max = 20.0;
  f.settings.battery_resistance = 0.02;
  create(&f);
  size_t moving = 0;
  for (int i = 0; i < 4000; i++) {
    const double goal = 0.6 * sin(0.004 * i) + 0.3 * sin(0.011 * i);
    (void)send(&f, "hinge", goal, -1);
    double voltage, current;
    run(&f, 0.001);
    const sn_servo_motion motion = {q_of(&f), qd_of(&f), f.plant->qdd[0],
                                    sn__plant_tau(f.plant)[0]};
    if (fabs(motion.qd) > 0.02) {
      const double volts = sn__servo_volts(&SERVO, &motion, 0.0);
      sn__plant_battery(f.plant, &voltage, &current);
      /* Stribeck friction is that of the velocity one step before. */
      const double late = SERVO.alpha[2] / SERVO.qs * 0.00025 * fabs(motion.qdd);
      sn_assert_near(SERVO.kp * voltage * (goal - motion.q), volts, 1e-9 + late);
      moving++;
    }
  }
  assert_true(moving > 2000);
  close_plant(&f);
}

/* ---- the bus ---- */

SN_TEST(delay_is_exact_in_cycles) {
  for (size_t delay = 0; delay <= SN_PLANT_DELAY_MAX; delay += delay < 4 ? 1 : 30) {
    fixture f;
    open_pendulum(&f);
    f.settings.bus_delay = delay;
    create(&f);
    (void)send(&f, "hinge", 1.0, -1);
    for (size_t i = 0; i < delay; i++) {
      run(&f, 0.001);
      assert_true(q_of(&f) == 0.0);
    }
    run(&f, 0.001);
    assert_true(q_of(&f) > 0.0);
    close_plant(&f);
  }
}

SN_TEST(bad_goals_are_refused_whole) {
  fixture f;
  open_pendulum(&f);
  create(&f);
  assert_int_equal(send(&f, "hinge", NAN, -1), SN_PLANT_NOT_FINITE);
  assert_int_equal(send(&f, "hinge", HUGE_VAL, 1), SN_PLANT_NOT_FINITE);
  assert_int_equal(send(&f, "knee", 0.5, -1), SN_PLANT_UNKNOWN);
  (void)send(&f, "hinge", 0.5, -1);
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
  run(&f, 0.5);
  assert_true(q_of(&f) == 0.0); /* no part of any message was taken */
  const sn_plant_counts *counts = sn__plant_counts_now(f.plant);
  assert_int_equal(counts->goals[SN_PLANT_NOT_FINITE], 1);
  assert_int_equal(counts->goals[SN_PLANT_TAKEN], 0);
  assert_int_equal(push(&f, NAN), SN_PLANT_NOT_FINITE);
  assert_int_equal(send(&f, "hinge", 1e300, -1), SN_PLANT_TAKEN); /* far, but a number */
  run(&f, 2.0);
  assert_true(q_of(&f) == 2.0);
  close_plant(&f);
}

SN_TEST(unknown_names_are_skipped) {
  fixture f;
  open_pendulum(&f);
  create(&f);
  sn_msg_reset(&sn_servo_goal_type, f.goals);
  assert_int_equal(sn_msg_names_add(&f.goals->name, "knee", 4), SN_OK);
  assert_int_equal(sn_msg_names_add(&f.goals->name, "hinge", 5), SN_OK);
  f.goals->goal.count = 2;
  f.goals->goal.data[0] = f.goals->goal.data[1] = 1.0;
  assert_int_equal(sn__plant_take_goals(f.plant, f.goals), SN_PLANT_UNKNOWN);
  run(&f, 1.0);
  assert_true(q_of(&f) > 0.5);
  close_plant(&f);
}

SN_TEST(servos_hold_without_goals_by_default) {
  fixture f;
  open_pendulum(&f);
  create(&f);
  (void)send(&f, "hinge", 1.5, -1);
  run(&f, 30.0);
  assert_true(q_of(&f) > 1.2 && !sn__plant_is_deserted(f.plant));
  f.settings.goal_timeout_s = 0.5;
  sn__plant_set(f.plant, &f.settings);
  (void)send(&f, "hinge", 1.5, -1);
  run(&f, 0.499);
  assert_false(sn__plant_is_deserted(f.plant));
  run(&f, 3.0);
  assert_true(sn__plant_is_deserted(f.plant));
  assert_true(q_of(&f) < 0.5);
  close_plant(&f);
}

SN_TEST(battery_sags_under_load) {
  fixture f;
  open_pendulum(&f);
  f.settings.battery_voltage = 11.0;
  f.settings.battery_resistance = 0.4;
  f.settings.current_per_torque = 1.5;
  create(&f);
  (void)send(&f, "hinge", 1.5, -1);
  run(&f, 5.0);
  double voltage, current;
  sn__plant_battery(f.plant, &voltage, &current);
  const double drive = sn__plant_drive(f.plant)[0];
  assert_true(drive > 1.0);
  sn_assert_near(current, 1.5 * drive, 1e-12);
  sn_assert_near(voltage, 11.0 - 0.4 * current, 1e-9);
  sn_assert_near(drive, SERVO.kp * voltage * (1.5 - q_of(&f)) / SERVO.alpha[3], 1e-9);
  f.settings.battery_resistance = 100.0; /* almost 0, but never negative */
  sn__plant_set(f.plant, &f.settings);
  for (int i = 0; i < 1000; i++) {
    run(&f, 0.001);
    sn__plant_battery(f.plant, &voltage, &current);
    assert_true(voltage > 0.0 && voltage <= 11.0);
  }
  close_plant(&f);
}

/* ---- measurements ---- */

SN_TEST(noise_and_encoder_steps_are_as_configured) {
  fixture f;
  open_pendulum(&f);
  f.settings.position_noise = 0.004;
  f.settings.velocity_noise = 0.03;
  f.settings.effort_noise = 0.2;
  create(&f);
  (void)send(&f, "hinge", 0.8, -1);
  run(&f, 3.0);
  enum { COUNT = 40000 };
  double sum[3] = {0}, square[3] = {0};
  for (int i = 0; i < COUNT; i++) {
    assert_true(sn__plant_measure(f.plant, f.measured));
    const double x[3] = {f.measured->position.data[0] - q_of(&f),
                         f.measured->velocity.data[0] - qd_of(&f),
                         f.measured->effort.data[0] - sn__plant_tau(f.plant)[0]};
    for (int k = 0; k < 3; k++) {
      sum[k] += x[k];
      square[k] += x[k] * x[k];
    }
  }
  const double deviation[3] = {0.004, 0.03, 0.2};
  for (int k = 0; k < 3; k++) { /* within four standard errors */
    sn_assert_near(sum[k] / COUNT, 0.0, 4.0 * deviation[k] / sqrt(COUNT));
    sn_assert_near(sqrt(square[k] / COUNT), deviation[k], 4.0 * deviation[k] / sqrt(2.0 * COUNT));
  }
  f.settings = (sn_plant_settings){.encoder_step = 0.01, .battery_voltage = 12.0};
  sn__plant_set(f.plant, &f.settings);
  (void)send(&f, "hinge", -0.8, -1);
  for (int i = 0; i < 300; i++) {
    run(&f, 0.001);
    assert_true(sn__plant_measure(f.plant, f.measured));
    const double steps = f.measured->position.data[0] / 0.01;
    sn_assert_near(steps, round(steps), 1e-9);
    sn_assert_near(f.measured->position.data[0], q_of(&f), 0.005 + 1e-12);
    assert_true(f.measured->velocity.data[0] == qd_of(&f));
  }
  close_plant(&f);
}

SN_TEST(frozen_encoder_repeats_its_value_until_released) {
  fixture f;
  open_pendulum(&f);
  f.settings.position_noise = 0.01;
  create(&f);
  run(&f, 0.01);
  sn__plant_freeze(f.plant, 0, true);
  assert_true(sn__plant_measure(f.plant, f.measured));
  const double q = f.measured->position.data[0];
  (void)send(&f, "hinge", 1.5, -1);
  for (int i = 0; i < 1000; i++) {
    run(&f, 0.001);
    sn__plant_freeze(f.plant, 0, true);
    assert_true(sn__plant_measure(f.plant, f.measured));
    assert_true(f.measured->position.data[0] == q && f.measured->velocity.data[0] == 0.0);
  }
  sn__plant_freeze(f.plant, 0, false);
  assert_true(sn__plant_measure(f.plant, f.measured));
  assert_true(f.measured->position.data[0] > 1.0);
  close_plant(&f);
}

/* ---- robots ---- */

static void open_robot(fixture *f, const char *name) {
  memset(f, 0, sizeof *f);
  sn_test_robot_load(&f->robot, name);
  sn_arena_init_growing(&f->arena, "plant", 0);
  f->config.seed = 7;
  sn__plant_settings_init(&f->settings);
  f->goals = sn_msg_create(&f->arena, &sn_servo_goal_type, NULL);
  f->measured = sn_msg_create(&f->arena, &sn_joint_state_type, NULL);
  create(f);
}

SN_TEST(drop_outs_occur_at_their_rate) {
  fixture f;
  open_robot(&f, "quadruped");
  const size_t n = sn_model_pose_size(f.robot.model);
  f.settings.dropout_rate = 0.1;
  f.settings.message_loss_rate = 0.25;
  f.settings.goal_loss_rate = 0.5;
  sn__plant_set(f.plant, &f.settings);
  sn__plant_silence(f.plant, 3, true);
  enum { COUNT = 20000 };
  double arrived = 0.0, servos = 0.0;
  for (int i = 0; i < COUNT; i++) {
    if (!sn__plant_measure(f.plant, f.measured)) {
      continue;
    }
    arrived++;
    servos += (double)f.measured->name.count;
    assert_int_equal(f.measured->position.count, f.measured->name.count);
    assert_int_equal(f.measured->effort.count, f.measured->name.count);
    for (size_t k = 0; k < f.measured->name.count; k++) {
      const int joint = sn_model_joint_index(f.robot.model, sn_msg_names_at(&f.measured->name, k));
      assert_true(joint >= 0 && joint != 3);
      assert_true(f.measured->position.data[k] == sn__plant_q(f.plant)[joint]);
    }
  }
  sn_assert_near(arrived / COUNT, 0.75, 4.0 * sqrt(0.75 * 0.25 / COUNT));
  const double draws = arrived * (double)(n - 1);
  sn_assert_near(servos / draws, 0.9, 4.0 * sqrt(0.9 * 0.1 / draws));
  for (int i = 0; i < COUNT; i++) {
    (void)send(&f, "leg1_joint1", 0.0, -1);
  }
  const sn_plant_counts *counts = sn__plant_counts_now(f.plant);
  sn_assert_near((double)counts->goals[SN_PLANT_LOST] / COUNT, 0.5, 4.0 * 0.5 / sqrt(COUNT));
  assert_int_equal(counts->measured, COUNT);
  close_plant(&f);
}

static void feed(fixture *f, sn_random *random) {
  const size_t n = sn_model_pose_size(f->robot.model);
  sn_msg_names_share(&f->goals->name, sn_model_joint_names(f->robot.model));
  f->goals->goal.count = f->goals->limp.count = n;
  for (size_t i = 0; i < n; i++) {
    f->goals->goal.data[i] = sn_random_between(random, -3.0, 3.0);
    f->goals->limp.data[i] = sn_random_unit(random) < 0.1;
  }
  assert_int_equal(sn__plant_take_goals(f->plant, f->goals), SN_PLANT_TAKEN);
}

/* The whole robot, every fault on: two runs are identical bit by bit, and so is one after a reset.
   They do not touch the heap. */
SN_TEST(runs_repeat_bit_by_bit) {
  fixture f[2];
  sn_random random[2];
  static double kept[600][64];
  for (int round = 0; round < 2; round++) {
    for (int k = 0; k < 2; k++) {
      if (round == 0) {
        open_robot(&f[k], "quadruped");
        f[k].settings.encoder_step = 0.0005;
        f[k].settings.position_noise = f[k].settings.velocity_noise = 0.01;
        f[k].settings.dropout_rate = f[k].settings.message_loss_rate = 0.2;
        f[k].settings.battery_resistance = 0.1;
        f[k].settings.bus_delay = 3;
        sn__plant_set(f[k].plant, &f[k].settings);
      }
      sn__plant_reset(f[k].plant);
      sn_random_init(&random[k], 5);
    }
    for (int i = 0; i < 600; i++) {
      bool came[2];
      for (int k = 0; k < 2; k++) {
        sn_assert_no_heap({
          if (i % 100 == 0) {
            feed(&f[k], &random[k]);
          }
          sn__plant_step(f[k].plant, 0.001);
          came[k] = sn__plant_measure(f[k].plant, f[k].measured);
        });
      }
      assert_int_equal(came[0], came[1]);
      assert_true(sn__msg_equal(&sn_joint_state_type, f[0].measured, f[1].measured));
      const size_t size = sn_model_pose_size(f[0].robot.model) * sizeof(double);
      if (round == 1) {
        assert_memory_equal(kept[i], sn__plant_q(f[0].plant), size);
      }
      memcpy(kept[i], sn__plant_q(f[0].plant), size);
    }
  }
  close_plant(&f[0]);
  close_plant(&f[1]);
}

/* A robot with default servos holds its goal up to the compliance of the regulator, comes to rest,
   and stays within its limits for any goal. */
SN_TEST(default_servos_hold_any_robot_up) {
  static const char *const robots[] = {"arm6", "arm7", "arm_ur", "quadruped"};
  for (size_t r = 0; r < 4; r++) {
    fixture f;
    open_robot(&f, robots[r]);
    const size_t n = sn_model_pose_size(f.robot.model);
    run(&f, 3.0);
    for (size_t i = 0; i < n; i++) {
      const sn_joint *joint = sn_model_joint(f.robot.model, i);
      if (joint->mimic < 0) {
        assert_true(sn__plant_qd(f.plant)[i] == 0.0);
        sn_assert_near(sn__plant_q(f.plant)[i], f.plant->start[i], 0.1);
        assert_true(fabs(sn__plant_drive(f.plant)[i]) <= sn__plant_servos(f.plant)[i].torque_max);
      }
    }
    sn_random random;
    sn_random_init(&random, 3);
    for (int i = 0; i < 3000; i++) {
      if (i % 70 == 0) {
        feed(&f, &random);
      }
      sn__plant_step(f.plant, 0.001);
      for (size_t k = 0; k < n; k++) {
        const sn_joint *joint = sn_model_joint(f.robot.model, k);
        const double q = sn__plant_q(f.plant)[k];
        assert_true(isfinite(q) && fabs(sn__plant_qd(f.plant)[k]) < 100.0);
        if (joint->mimic < 0) {
          assert_true(q >= joint->lower_hard && q <= joint->upper_hard);
        } else {
          const double master = sn__plant_q(f.plant)[joint->mimic];
          sn_assert_near(q, joint->mimic_multiplier * master + joint->mimic_offset, 1e-12);
        }
      }
    }
    close_plant(&f);
  }
}

/* ---- creation ---- */

static void assert_refused(fixture *f, const char *text) {
  sn_error err;
  sn_plant *plant = NULL;
  assert_int_equal(sn__plant_create(&f->arena, f->robot.model, &f->config, &plant, &err),
                   SN_EINVAL);
  sn_assert_contains(err.message, text);
  assert_null(plant);
}

SN_TEST(invalid_servos_are_refused) {
  fixture f;
  open_pendulum(&f);
  f.servo.params.kp = 0.0;
  assert_refused(&f, "servo 'hinge': kp is 0");
  f.servo.params = SERVO;
  f.servo.params.alpha[3] = 0.0;
  assert_refused(&f, "servo 'hinge': alpha[3] is 0");
  f.servo.params = SERVO;
  f.servo.torque_max = NAN;
  assert_refused(&f, "limits of torque");
  f.servo.torque_max = 1.0;
  const double start = 2.1;
  f.config.start_pose = &start;
  assert_refused(&f, "joint 'hinge' cannot start at 2.1: its stops are -2.5 and 2");
  f.config.start_pose = NULL;
  f.config.step_max_s = -1.0;
  assert_refused(&f, "a step of -1 s");
  close_plant(&f);
}

SN_TEST(full_arena_is_reported) {
  fixture f;
  open_robot(&f, "quadruped");
  f.config.servos = NULL;
  static char memory[1 << 20];
  size_t good = 0;
  for (size_t size = 1000; size < sizeof memory; size += 7919) {
    sn_arena arena;
    sn_error err;
    sn_plant *plant = NULL;
    sn_arena_init(&arena, "small", memory, size);
    const sn_status status = sn__plant_create(&arena, f.robot.model, &f.config, &plant, &err);
    assert_true(status == SN_OK || status == SN_ENOMEM);
    assert_true((plant != NULL) == (status == SN_OK));
    good += status == SN_OK;
  }
  assert_true(good > 0);
  close_plant(&f);
}
