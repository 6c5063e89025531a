/* Servos whose drive has play. */
#include "servo/servo_step.h"
#include "sinew/random.h"
#include "sn_test.h"

#define VOLTAGE 7.4

static sn_servo_params params_with(double backlash) {
  return (sn_servo_params){.kp = 1.2,
                           .kgear = 1,
                           .alpha = {0.45, 0.15, 0.1, 10},
                           .qs = 0.3,
                           .delta = 1,
                           .inertia = 0.015,
                           .ext = {.load = {1.2, 8}, .drive_max = 1, .backlash = backlash}};
}

/* Oracle: the goal without play, and half of the play on the side of the volts. */
SN_TEST(goal_leads_by_half_the_play_in_the_direction_of_the_drive) {
  sn_random r;
  sn_random_init(&r, 3);
  for (size_t i = 0; i < sn_test_cases(1000); i++) {
    const double backlash = sn_random_between(&r, 0.0, 0.1);
    const sn_servo_params p = params_with(backlash), tight = params_with(0.0);
    const sn_servo_motion m = {.q = sn_random_between(&r, -2.0, 2.0),
                               .qd = sn_random_between(&r, -1.0, 1.0),
                               .tau = sn_random_between(&r, -0.2, 0.2)};
    const double goal = sn_servo_goal_of(&p, VOLTAGE, &m, 0.0);
    const double lead = sn_servo_goal_of(&tight, VOLTAGE, &m, 0.0) - m.q;
    sn_assert_near(goal, m.q + lead + copysign(0.5 * backlash, lead), 1e-12);
    sn_assert_near(sn_servo_position_of(&p, VOLTAGE, goal, &m, 0.0), m.q, 1e-12);
    sn_assert_near(sn_servo_torque_of(&p, VOLTAGE, goal, &m, 0.0), m.tau, 1e-9);
  }
}

SN_TEST(within_the_play_only_the_load_moves_the_joint) {
  const sn_servo_params p = params_with(0.04);
  sn_servo_params off = params_with(0.0); /* it aims where the joint is: no drive */
  const sn_servo_load load = {.inertia_kgm2 = 0.005, .tau = -0.3};
  for (double q = -0.019; q < 0.02; q += 0.002) {
    sn_assert_near(sn_servo_accel(&p, VOLTAGE, 0.0, q, 0.5, &load, 0.0),
                   sn_servo_accel(&off, VOLTAGE, q, q, 0.5, &load, 0.0), 1e-9);
  }
}

/* Explicit integration of sn_servo_accel() in steps of 2 us. */
static void integrate(const sn_servo_params *p, const sn__servo_input *in, double time_s, double *q,
                      double *qd) {
  const double h_s = 2e-6;
  for (double t = 0.0; t < time_s - 0.5 * h_s; t += h_s) {
    const double before = *qd;
    *qd += h_s * sn_servo_accel(p, in->voltage, in->goal, *q, *qd, &in->load, 0.0);
    *qd = *qd * before < 0.0 ? 0.0 : *qd; /* it stops before it turns round */
    *q += 0.5 * h_s * (before + *qd);
  }
}

/* Through the play and out of it on the other side. */
SN_TEST(implicit_steps_follow_the_acceleration_through_the_play) {
  for (size_t k = 0; k < 8; k++) {
    const sn_servo_params p = params_with(0.05);
    const double push = k % 2 == 0 ? 0.15 : -0.15;
    const sn__servo_input in = {
        .goal = 0.1 * (double)(k / 2), .voltage = VOLTAGE, .load = {0.005, push}};
    double q = 0.0, qd = k < 4 ? 1.0 : -1.0;
    double q_exact = q, qd_exact = qd;
    for (int step = 0; step < 400; step++) {
      sn__servo_step(&p, &in, 0.001, &q, &qd);
      integrate(&p, &in, 0.001, &q_exact, &qd_exact);
      sn_assert_near(q, q_exact, 5e-4);
    }
  }
}
