#include "servo/servo_friction.h"
#include "servo/servo_step.h"
#include "sinew/random.h"
#include "sn_test.h"

/* Servos whose friction grows with the load. */

static sn_servo_params random_params(sn_random *r) {
  sn_servo_params p = {
      .kp = sn_random_between(r, 0.2, 20.0),
      .kgear = sn_random_between(r, 0.2, 3.0) * (sn_random_below(r, 2) == 0 ? 1.0 : -1.0),
      .alpha = {sn_random_between(r, 0.3, 3.0), sn_random_between(r, 0.0, 1.0),
                sn_random_between(r, 0.0, 1.0), sn_random_between(r, 5.0, 30.0)},
      .qs = sn_random_between(r, 0.02, 0.3),
      .delta = 1.0,
      .inertia = sn_random_between(r, 0.0, 0.05)};
  p.ext = (sn_servo_extension){.back_emf = 0.5 * p.alpha[0],
                               .load = {sn_random_between(r, 0.0, 0.5 * p.alpha[3]),
                                        sn_random_between(r, 0.0, 2.0 * p.alpha[3])},
                               .offset = sn_random_between(r, -0.1, 0.1),
                               .is_directional = sn_random_below(r, 2) == 0};
  if (p.ext.is_directional) {
    p.ext.back_load[0] = sn_random_between(r, 0.0, 0.5 * p.alpha[3]);
    p.ext.back_load[1] = sn_random_between(r, 0.0, p.alpha[3]);
  }
  return p;
}

/* The coefficients that hold for a torque and a direction. */
static const double *coefficients(const sn_servo_params *p, double tau, double sign) {
  return tau * sign < 0.0 && p->ext.is_directional ? p->ext.back_load : p->ext.load;
}

SN_TEST(goal_satisfies_the_extended_equation) {
  sn_random r;
  sn_random_init(&r, 1);
  size_t checked = 0;
  for (size_t i = 0; i < sn_test_cases(10000); i++) {
    const sn_servo_params p = random_params(&r);
    const double sign = sn_random_below(&r, 2) == 0 ? 1.0 : -1.0;
    const sn_servo_motion m = {.q = sn_random_between(&r, -3.0, 3.0),
                               .qd = sign * sn_random_between(&r, 0.01, 4.0),
                               .qdd = sn_random_between(&r, -20.0, 20.0),
                               .tau = sn_random_between(&r, -1.0, 1.0)};
    const double *c = coefficients(&p, m.tau, sign);
    const bool is_locking =
        m.tau * sign < 0.0 && c[0] + 2.0 * c[1] * fabs(m.tau) > SN__SERVO_BACK_MAX * p.alpha[3];
    const double v = sn_random_between(&r, 6.0, 25.0);
    const double g = sn_servo_goal_of(&p, v, &m, 0.0);
    sn_assert_near(sn_servo_torque_of(&p, v, g, &m, 0.0), m.tau, 1e-9);
    sn_assert_near(sn_servo_position_of(&p, v, g, &m, 0.0), m.q, 1e-12);
    if (!is_locking) {
      const double right = p.alpha[0] * m.qd + p.alpha[1] * sign +
                           p.alpha[2] * sign * exp(-fabs(m.qd / p.qs)) + p.alpha[3] * m.tau +
                           p.inertia * m.qdd + sign * (c[0] * fabs(m.tau) + c[1] * m.tau * m.tau);
      sn_assert_near(p.kp * v * (g / p.kgear + p.ext.offset - m.q), right, 1e-9);
      checked++;
    }
  }
  assert_true(checked > 100);
}

/* Oracle: bisection. */
SN_TEST(torque_is_the_only_root) {
  sn_random r;
  sn_random_init(&r, 2);
  for (size_t i = 0; i < sn_test_cases(5000); i++) {
    const sn_servo_params p = random_params(&r);
    const double sign = sn_random_below(&r, 2) == 0 ? 1.0 : -1.0;
    const double slope = p.alpha[3] + sn_random_between(&r, 0.0, 5.0);
    const double volts = sn_random_between(&r, -30.0, 30.0);
    double low = -1e4;
    double high = 1e4;
    for (int k = 0; k < 80; k++) {
      const double middle = 0.5 * (low + high);
      const double left = slope * middle + sign * sn__servo_load_friction(&p, middle, sign);
      if (left < volts) {
        low = middle;
      } else {
        high = middle;
      }
    }
    const double tau = sn__servo_solve_torque(&p, slope, volts, sign);
    sn_assert_near(tau, 0.5 * (low + high), 1e-9 * (1.0 + fabs(tau)));
  }
}

SN_TEST(loaded_joint_sticks_in_a_band_that_grows_with_the_load) {
  const sn_servo_params p = {.kp = 1,
                             .kgear = 1,
                             .alpha = {0.4, 0.1, 0.05, 10},
                             .qs = 0.1,
                             .delta = 1,
                             .ext = {.load = {2, 5}}};
  const double weight = 0.4; /* N m; volts to carry it without friction: 4 */
  const sn_servo_load load = {.inertia_kgm2 = 0.005, .tau = -weight};
  const double up = 4.0 + 0.15 + 2.0 * 0.4 + 5.0 * 0.16;
  const double down = 4.0 - 0.15 - 2.0 * 0.4 - 5.0 * 0.16;
  const double v = 10.0; /* goals are tenths of volts */
  sn_assert_near(sn_servo_accel(&p, v, 0.0999999 * up, 0, 0, &load, 0.001), 0.0, 0.0);
  sn_assert_near(sn_servo_accel(&p, v, 0.1000001 * down, 0, 0, &load, 0.001), 0.0, 0.0);
  assert_true(sn_servo_accel(&p, v, 0.1001 * up, 0, 0, &load, 0.001) > 0.0);
  assert_true(sn_servo_accel(&p, v, 0.0999 * down, 0, 0, &load, 0.001) < 0.0);
  for (int k = 0; k < 1000; k++) { /* the implicit step holds it as well */
    const double goal = 0.1 * (down + (up - down) * (k + 0.5) / 1000.0);
    const sn__servo_input in = {.goal = goal, .voltage = v, .load = load};
    double q = 0.0;
    double qd = 0.0;
    sn__servo_step(&p, &in, 0.002, &q, &qd);
    sn_assert_near(q, 0.0, 0.0);
    sn_assert_near(qd, 0.0, 0.0);
  }
}

SN_TEST(drive_is_limited) {
  const sn_servo_params p = {.kp = 2,
                             .kgear = 1,
                             .alpha = {0.4, 0, 0, 10},
                             .qs = 0.1,
                             .delta = 1,
                             .ext = {.drive_max = 0.8}};
  sn_assert_near(sn__servo_drive(&p, 10.0, 0.1, 0.0), 2.0, 1e-15);
  sn_assert_near(sn__servo_drive(&p, 10.0, 5.0, 0.0), 8.0, 1e-15);
  sn_assert_near(sn__servo_drive(&p, 10.0, -5.0, 0.0), -8.0, 1e-15);
  const sn_servo_load load = {.inertia_kgm2 = 0.1};
  sn_assert_near(sn_servo_accel(&p, 10.0, 50.0, 0.0, 0.0, &load, 0.001), 8.0, 1e-12);
}

SN_TEST(limp_servo_coasts_without_back_emf) {
  const sn_servo_params p = {.kp = 2,
                             .kgear = 1,
                             .alpha = {0.5, 0, 0, 10},
                             .qs = 0.1,
                             .delta = 1,
                             .ext = {.back_emf = 0.4}};
  const sn__servo_input in = {.voltage = 10, .is_limp = true, .load.inertia_kgm2 = 0.01};
  double q = 0.0;
  double qd = 3.0;
  const double h_s = 1e-4;
  for (int i = 0; i < 10000; i++) {
    sn__servo_step(&p, &in, h_s, &q, &qd);
  }
  sn_assert_near(qd, 3.0 * exp(-0.1 / (10.0 * 0.01)), 1e-3); /* one second */
}

/* A weight is thrown up, stops and falls: dry friction adds to it on the way up and takes from it
   on the way down. No step ends where it turns round. */
SN_TEST(joint_that_turns_round_within_a_step_follows_the_closed_form) {
  const sn_servo_params p = {.kp = 2, .kgear = 1, .alpha = {0, 1, 0, 10}, .qs = 0.1, .delta = 1};
  const sn__servo_input in = {
      .voltage = 10, .is_limp = true, .load = {.inertia_kgm2 = 0.01, .tau = -0.2}};
  const double friction = 1.0 / 10.0;
  const double up = (0.2 + friction) / 0.01;
  const double down = (0.2 - friction) / 0.01;
  const double stop_s = 1.0 / up;
  double q = 0.0;
  double qd = 1.0;
  for (int i = 1; i <= 10; i++) {
    sn__servo_step(&p, &in, 0.01, &q, &qd);
    const double t = 0.01 * i;
    const double fall_s = fmax(0.0, t - stop_s);
    const double rise_s = fmin(t, stop_s);
    sn_assert_near(q, rise_s - 0.5 * up * rise_s * rise_s - 0.5 * down * fall_s * fall_s, 1e-12);
    sn_assert_near(qd, 1.0 - up * rise_s - down * fall_s, 1e-12);
  }
}

/* Oracle: explicit integration of the acceleration in steps of 10 us. */
SN_TEST(implicit_steps_follow_the_acceleration) {
  sn_random r;
  sn_random_init(&r, 3);
  for (size_t i = 0; i < sn_test_cases(20); i++) {
    sn_servo_params p = random_params(&r);
    p.kgear = 1.0;
    p.ext.drive_max = 1.0;
    const double v = 8.0;
    const double weight = sn_random_between(&r, 0.0, 0.4);
    double q = 0.1, qd = 0.0, fine_q = 0.1, fine_qd = 0.0;
    for (int k = 0; k < 1000; k++) {
      const double goal = sin(0.004 * k) + 0.5 * sin(0.013 * k);
      sn__servo_input in = {
          .goal = goal, .voltage = v, .load = {.inertia_kgm2 = 0.01, .tau = -weight * sin(q)}};
      sn__servo_step(&p, &in, 0.001, &q, &qd);
      for (int s = 0; s < 100; s++) {
        const sn_servo_load load = {.inertia_kgm2 = 0.01, .tau = -weight * sin(fine_q)};
        const double before = fine_qd;
        fine_qd += 1e-5 * sn_servo_accel(&p, v, goal, fine_q, fine_qd, &load, 0.0);
        fine_qd = fine_qd * before < 0.0 ? 0.0 : fine_qd; /* it stops before it turns round */
        fine_q += 1e-5 * fine_qd;
      }
    }
    sn_assert_near(q, fine_q, 0.01);
  }
}
