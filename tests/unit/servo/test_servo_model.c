#include "servo/servo_friction.h"
#include "sinew/random.h"
#include "sinew/servo_model.h"
#include "sn_test.h"

static sn_servo_params random_params(sn_random *r) {
  return (sn_servo_params){
      .kp = sn_random_between(r, 5.0, 200.0),
      .kgear = sn_random_between(r, 0.2, 3.0) * (sn_random_below(r, 2) == 0 ? 1.0 : -1.0),
      .alpha = {sn_random_between(r, 1.0, 60.0), sn_random_between(r, 0.0, 14.0),
                sn_random_between(r, 0.0, 8.0), sn_random_between(r, 10.0, 260.0)},
      .qs = sn_random_between(r, 0.02, 0.3),
      .delta = 0.5 * (double)(1 + sn_random_below(r, 5)),
      .inertia = sn_random_between(r, 0.0, 0.5)};
}

static sn_servo_motion random_motion(sn_random *r) {
  return (sn_servo_motion){.q = sn_random_between(r, -3.0, 3.0),
                           .qd = sn_random_between(r, -4.0, 4.0),
                           .qdd = sn_random_between(r, -20.0, 20.0),
                           .tau = sn_random_between(r, -1.0, 1.0)};
}

/* An independent implementation of the equation in the specification. */
static double residual(const sn_servo_params *p, double v, double g, const sn_servo_motion *m) {
  const double sign = m->qd > 0.0 ? 1.0 : -1.0;
  return p->kp * v * (g / p->kgear - m->q) -
         (p->alpha[0] * m->qd + p->alpha[1] * sign +
          p->alpha[2] * sign * exp(-pow(fabs(m->qd / p->qs), p->delta)) + p->alpha[3] * m->tau +
          p->inertia * m->qdd);
}

SN_TEST(goal_satisfies_the_equation) {
  sn_random r;
  sn_random_init(&r, 1);
  for (size_t i = 0; i < sn_test_cases(10000); i++) {
    const sn_servo_params p = random_params(&r);
    const sn_servo_motion m = random_motion(&r);
    const double v = sn_random_between(&r, 6.0, 25.0);
    const double g = sn_servo_goal_of(&p, v, &m, 0.0);
    sn_assert_near(residual(&p, v, g, &m), 0.0, 1e-10 * p.kp * v);
  }
}

/* Every inverse of the equation returns the input of the goal. */
SN_TEST(torque_position_and_acceleration_invert_the_goal) {
  sn_random r;
  sn_random_init(&r, 2);
  for (size_t i = 0; i < sn_test_cases(10000); i++) {
    const sn_servo_params p = random_params(&r);
    const sn_servo_motion m = random_motion(&r);
    const double v = sn_random_between(&r, 6.0, 25.0);
    const double dead_zone = SN_SERVO_DEAD_ZONE;
    const double g = sn_servo_goal_of(&p, v, &m, dead_zone);
    sn_assert_near(sn_servo_torque_of(&p, v, g, &m, dead_zone), m.tau, 1e-9);
    sn_assert_near(sn_servo_position_of(&p, v, g, &m, dead_zone), m.q, 1e-12);
    /* Newton: the torques of servo and load accelerate the inertia. */
    const sn_servo_load load = {.inertia_kgm2 = 0.01, .tau = 0.01 * m.qdd - m.tau};
    if (fabs(m.qd) > dead_zone) {
      sn_assert_near(sn_servo_accel(&p, v, g, m.q, m.qd, &load, dead_zone), m.qdd, 1e-6);
    }
  }
}

SN_TEST(friction_is_symmetric_with_a_dead_zone) {
  sn_random r;
  sn_random_init(&r, 3);
  for (size_t i = 0; i < 1000; i++) {
    const sn_servo_params p = random_params(&r);
    const double qd = sn_random_between(&r, 0.0, 4.0);
    sn_assert_near(sn__servo_friction(&p, -qd, 0.001), -sn__servo_friction(&p, qd, 0.001), 0.0);
    sn_assert_near(sn__servo_friction(&p, 0.0009, 0.001), p.alpha[0] * 0.0009, 1e-15);
  }
  sn_assert_near(sn__servo_sign(0.001, 0.001), 0.0, 0.0);
  sn_assert_near(sn__servo_sign(-0.0011, 0.001), -1.0, 0.0);
}

SN_TEST(standing_joint_sticks_until_the_drive_exceeds_friction) {
  const sn_servo_params p = {
      .kp = 100, .kgear = 1, .alpha = {30, 8, 4, 200}, .qs = 0.1, .delta = 1};
  const sn_servo_load load = {.inertia_kgm2 = 0.01};
  const double hold = 12.0 / (100.0 * 12.0); /* rad of goal that friction can hold */
  sn_assert_near(sn_servo_accel(&p, 12.0, 0.999 * hold, 0.0, 0.0, &load, 0.001), 0.0, 0.0);
  sn_assert_near(sn_servo_accel(&p, 12.0, -0.999 * hold, 0.0, 0.0, &load, 0.001), 0.0, 0.0);
  sn_assert_near(sn_servo_accel(&p, 12.0, 2.0 * hold, 0.0, 0.0, &load, 0.001), 12.0 / 2.0, 1e-12);
  sn_assert_near(sn_servo_accel(&p, 12.0, -2.0 * hold, 0.0, 0.0, &load, 0.001), -6.0, 1e-12);
}

SN_TEST(default_servo_reaches_its_goal) {
  sn_servo_params p;
  sn_servo_params_init(&p);
  assert_int_equal(sn_servo_params_check(&p, NULL), SN_OK);
  const sn_servo_motion m = {.q = 0.7, .qd = 2.0, .tau = 3.0};
  sn_assert_near(sn_servo_goal_of(&p, 12.0, &m, 0.001), 0.7, 0.0);
  sn_assert_near(sn_servo_torque_of(&p, 12.0, 0.9, &m, 0.001), 0.0, 0.0);
}

SN_TEST(invalid_parameters_are_refused_by_name) {
  const sn_servo_params good = {
      .kp = 100, .kgear = 1, .alpha = {30, 8, 4, 200}, .qs = 0.1, .delta = 1};
  static const struct {
    size_t offset;
    double value;
    const char *text;
  } cases[] = {
      {offsetof(sn_servo_params, kp), 0.0, "kp is 0, must be finite and greater than 0"},
      {offsetof(sn_servo_params, kp), -1.0, "kp is -1"},
      {offsetof(sn_servo_params, kp), NAN, "kp is nan"},
      {offsetof(sn_servo_params, kgear), 0.0, "kgear is 0, must be finite and other than 0"},
      {offsetof(sn_servo_params, alpha), -1.0, "alpha[0] is -1"},
      {offsetof(sn_servo_params, alpha) + 2 * sizeof(double), INFINITY, "alpha[2] is inf"},
      {offsetof(sn_servo_params, alpha) + 3 * sizeof(double), -2.0, "alpha[3] is -2"},
      {offsetof(sn_servo_params, qs), 0.0, "qs is 0"},
      {offsetof(sn_servo_params, delta), -1.0, "delta is -1"},
      {offsetof(sn_servo_params, inertia), -1.0, "inertia is -1"},
  };
  assert_int_equal(sn_servo_params_check(&good, NULL), SN_OK);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sn_servo_params p = good;
    memcpy((char *)&p + cases[i].offset, &cases[i].value, sizeof(double));
    sn_error err;
    assert_int_equal(sn_servo_params_check(&p, &err), SN_EINVAL);
    sn_assert_contains(err.message, cases[i].text);
  }
}
