/* Servos on a pendulum against closed forms and a fine Runge-Kutta integration. */
#include "plant_rig.h"
#include "sn_test.h"

/* A rod with a mass, turning about y: the torque of gravity is -M G L sin(q). */
static const double MASS = 0.8, LENGTH = 0.25, INERTIA = 0.004, G = 9.81;

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
  plant_rig_open_pendulum(&f);
  f.servo.params = *servo;
  f.config.step_max_s = h;
  plant_rig_create(&f);
  (void)plant_rig_send(&f, "hinge", 1.2, -1);
  double q = 0.0, qd = 0.0, worst = 0.0;
  for (int i = 0; i < 150; i++) {
    plant_rig_run(&f, 0.001);
    integrate(servo, 1.2, 0.001, 1e-5, &q, &qd);
    worst = fmax(worst, fabs(plant_rig_q_of(&f) - q));
  }
  plant_rig_close_plant(&f);
  return worst;
}

SN_TEST(pendulum_obeys_its_equation) {
  sn_servo_params smooth = plant_rig_servo;
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
  plant_rig_open_pendulum(&f);
  plant_rig_create(&f);
  double q = 0.0, qd = 0.0;
  for (int i = 0; i < 3000; i++) {
    const double goal = 0.3 - 0.3 * cos(0.006 * i);
    (void)plant_rig_send(&f, "hinge", goal, -1);
    plant_rig_run(&f, 0.001);
    integrate(&plant_rig_servo, goal, 0.001, 1e-5, &q, &qd);
    sn_assert_near(plant_rig_q_of(&f), q, 5e-4);
  }
  plant_rig_close_plant(&f);
}

SN_TEST(friction_is_that_of_the_model) {
  sn_assert_near(error_of_step(&plant_rig_servo, 0.00025), 0.0, 0.01);
  sn_assert_near(error_of_step(&plant_rig_servo, 0.00001), 0.0, 0.0003);
}

SN_TEST(equilibrium_is_the_closed_form) {
  for (int k = -4; k <= 4; k++) {
    fixture f;
    plant_rig_open_pendulum(&f);
    f.servo.params.alpha[1] = f.servo.params.alpha[2] = 0.0;
    f.servo.params.kgear = -2.0;
    plant_rig_create(&f);
    const double goal = 0.7 * k;
    (void)plant_rig_send(&f, "hinge", goal, -1);
    plant_rig_run(&f, 10.0);
    /* Where the servo balances gravity. */
    const sn_servo_motion motion = {.tau = -load_of(plant_rig_q_of(&f))};
    const double q = sn_servo_position_of(&f.servo.params, 12.0, goal, &motion, 0.0);
    sn_assert_near(plant_rig_q_of(&f), q, 1e-9);
    sn_assert_near(sn__plant_tau(f.plant)[0], motion.tau, 1e-8);
    plant_rig_close_plant(&f);
  }
}

/* With dry friction it rests wherever friction can hold it, without any motion. */
SN_TEST(friction_holds_at_rest) {
  fixture f;
  plant_rig_open_pendulum(&f);
  plant_rig_create(&f);
  (void)plant_rig_send(&f, "hinge", 0.9, -1);
  plant_rig_run(&f, 3.0);
  const double q = plant_rig_q_of(&f), hold = plant_rig_servo.alpha[1] + plant_rig_servo.alpha[2];
  assert_true(plant_rig_qd_of(&f) == 0.0);
  const double left = plant_rig_servo.kp * 12.0 * (0.9 - q) + plant_rig_servo.alpha[3] * load_of(q);
  assert_true(fabs(left) <= hold);
  /* The remaining friction in both directions. */
  assert_int_equal(plant_rig_push(&f, 0.99 * (hold - left) / plant_rig_servo.alpha[3]),
                   SN_PLANT_TAKEN);
  plant_rig_run(&f, 10.0);
  assert_true(plant_rig_q_of(&f) == q && plant_rig_qd_of(&f) == 0.0);
  assert_int_equal(plant_rig_push(&f, -0.99 * (hold + left) / plant_rig_servo.alpha[3]),
                   SN_PLANT_TAKEN);
  plant_rig_run(&f, 10.0);
  assert_true(plant_rig_q_of(&f) == q && plant_rig_qd_of(&f) == 0.0);
  assert_int_equal(plant_rig_push(&f, 1.01 * (hold - left) / plant_rig_servo.alpha[3]),
                   SN_PLANT_TAKEN);
  plant_rig_run(&f, 1.0);
  assert_true(plant_rig_q_of(&f) > q);
  plant_rig_close_plant(&f);
}

SN_TEST(limp_servo_lets_go) {
  fixture f;
  plant_rig_open_pendulum(&f);
  f.servo.params.alpha[1] = 0.1;
  f.servo.params.alpha[2] = 0.0;
  plant_rig_create(&f);
  (void)plant_rig_send(&f, "hinge", 1.5, -1);
  plant_rig_run(&f, 2.0);
  assert_true(plant_rig_q_of(&f) > 1.2);
  (void)plant_rig_send(&f, "hinge", 1.5, 1);
  plant_rig_run(&f, 20.0);
  assert_true(sn__plant_drive(f.plant)[0] == 0.0 && fabs(plant_rig_qd_of(&f)) < 1e-12);
  /* Friction alone just holds it. */
  sn_assert_near(-load_of(plant_rig_q_of(&f)), 0.1 / plant_rig_servo.alpha[3], 1e-9);
  (void)plant_rig_send(&f, "hinge", 1.5, 0);
  plant_rig_run(&f, 2.0);
  assert_true(plant_rig_q_of(&f) > 1.2);
  plant_rig_close_plant(&f);
}

SN_TEST(joint_alone_moves_the_same_either_way) {
  fixture f[2];
  for (int k = 0; k < 2; k++) {
    plant_rig_open_pendulum(&f[k]);
    f[k].config.dynamics = k == 0 ? SN_PLANT_COUPLED : SN_PLANT_DECOUPLED;
    f[k].settings.gravity = (sn_vec3){0, 0, 0};
    plant_rig_create(&f[k]);
  }
  for (int i = 0; i < 2000; i++) {
    for (int k = 0; k < 2; k++) {
      (void)plant_rig_send(&f[k], "hinge", sin(0.02 * i), i / 300 == 2);
      sn__plant_step(f[k].plant, 0.001);
    }
    sn_assert_near(plant_rig_q_of(&f[0]), plant_rig_q_of(&f[1]), 1e-12);
    sn_assert_near(sn__plant_tau(f[0].plant)[0], sn__plant_tau(f[1].plant)[0], 1e-9);
  }
  plant_rig_close_plant(&f[0]);
  plant_rig_close_plant(&f[1]);
}

SN_TEST(limits_are_never_exceeded) {
  fixture f;
  plant_rig_open_pendulum(&f);
  f.servo.torque_max = 3.5;
  f.servo.speed_max = 1.5;
  f.servo.params.alpha[0] = 0.2;
  plant_rig_create(&f);
  sn_random random;
  sn_random_init(&random, 11);
  double fastest = 0.0, strongest = 0.0;
  for (int i = 0; i < 20000; i++) {
    if (i % 500 == 0) {
      (void)plant_rig_send(&f, "hinge", sn_random_between(&random, -30.0, 30.0), -1);
    }
    sn__plant_step(f.plant, 0.001);
    fastest = fmax(fastest, fabs(plant_rig_qd_of(&f)));
    strongest = fmax(strongest, fabs(sn__plant_drive(f.plant)[0]));
    assert_true(plant_rig_q_of(&f) >= -2.5 && plant_rig_q_of(&f) <= 2.0);
  }
  assert_true(strongest == 3.5);
  assert_true(fastest >= 1.5);
  /* Gravity may turn it faster than the motor, up to the energy of the fall. */
  const double inertia =
      plant_rig_servo.inertia / plant_rig_servo.alpha[3] + INERTIA + MASS * LENGTH * LENGTH;
  assert_true(0.5 * inertia * (fastest * fastest - 1.5 * 1.5) < 2.0 * MASS * G * LENGTH);
  plant_rig_close_plant(&f);
}

SN_TEST(speed_limit_is_exact_without_a_load) {
  fixture f;
  plant_rig_open_pendulum(&f);
  f.servo.speed_max = 1.5;
  f.settings.gravity = (sn_vec3){0, 0, 0};
  plant_rig_create(&f);
  (void)plant_rig_send(&f, "hinge", 100.0, -1);
  for (int i = 0; i < 1000; i++) {
    sn__plant_step(f.plant, 0.001);
    assert_true(plant_rig_qd_of(&f) <= 1.5);
  }
  sn__plant_reset(f.plant);
  (void)plant_rig_send(&f, "hinge", 100.0, -1);
  plant_rig_run(&f, 0.5);
  assert_true(plant_rig_qd_of(&f) == 1.5);
  plant_rig_close_plant(&f);
}
