#include "allocation.h"
#include "otg_case.h"
#include "sn_test.h"
#include "traj/otg_offline.h"

static double duration_of(sn_otg_limits limits, sn_otg_state start, sn_otg_state target) {
  sn_otg_profile profile;
  assert_int_equal(sn__otg_plan(&limits, start, target, &profile), SN_OK);
  sn_otg_case_check(&(sn_otg_case){limits, start, target}, &profile, NULL);
  return profile.duration_s;
}

/* From rest to rest over d: the textbook's four cases. */
static double rest_to_rest(sn_otg_limits l, double d) {
  const double a_ramp = l.acceleration / l.jerk;
  if (l.velocity <= l.acceleration * a_ramp) { /* the acceleration limit is never reached */
    const double ramp = sqrt(l.velocity / l.jerk);
    const double d_ramps = 2.0 * ramp * l.velocity;
    return d >= d_ramps ? 4.0 * ramp + (d - d_ramps) / l.velocity : 4.0 * cbrt(d / (2.0 * l.jerk));
  }
  const double t_change = l.velocity / l.acceleration + a_ramp;
  if (d >= l.velocity * t_change) {
    return 2.0 * t_change + (d / l.velocity - t_change);
  }
  if (d <= 2.0 * l.acceleration * a_ramp * a_ramp) {
    return 4.0 * cbrt(d / (2.0 * l.jerk));
  }
  return a_ramp + sqrt(a_ramp * a_ramp + 4.0 * d / l.acceleration);
}

SN_TEST(rest_to_rest_takes_as_long_as_the_textbook_says) {
  sn_random random;
  sn_random_init(&random, 1);
  for (size_t i = 0; i < sn_test_cases(20000); i++) {
    sn_otg_case c;
    sn_otg_case_draw(&c, &random, i % 2 == 0 ? 0 : SN_CASE_WIDE);
    const double d = pow(10.0, sn_random_between(&random, -6.0, 3.0));
    const double t = duration_of(c.limits, (sn_otg_state){0}, (sn_otg_state){d, 0.0, 0.0});
    sn_assert_near(t, rest_to_rest(c.limits, d), 1e-12 * t);
  }
}

SN_TEST(simple_motions_have_known_durations) {
  const sn_otg_limits l = {2.0, 3.0, 4.0};
  const sn_otg_state zero = {0};
  /* already there */
  assert_true(duration_of(l, zero, zero) == 0.0);
  assert_true(duration_of(l, (sn_otg_state){1.0, 0.5, 0.0}, (sn_otg_state){1.0, 0.5, 0.0}) == 0.0);
  /* stay at constant velocity */
  sn_assert_near(duration_of(l, (sn_otg_state){0.0, 2.0, 0.0}, (sn_otg_state){3.0, 2.0, 0.0}), 1.5,
                 1e-15);
  /* stop over exactly the distance that it takes: from 1 by jerk -4, +4 for 0.5 s each */
  sn_assert_near(duration_of(l, (sn_otg_state){0.0, 1.0, 0.0}, (sn_otg_state){0.5, 0.0, 0.0}), 1.0,
                 1e-12);
  /* let go: the acceleration of 2 fades in 0.5 s, from velocity -0.5 to 0 over -1/12 */
  sn_assert_near(
      duration_of(l, (sn_otg_state){0.0, -0.5, 2.0}, (sn_otg_state){-1.0 / 12.0, 0.0, 0.0}), 0.5,
      1e-12);
}

SN_TEST(mirrored_motions_mirror_each_other) {
  sn_random random;
  sn_random_init(&random, 2);
  for (size_t i = 0; i < sn_test_cases(20000); i++) {
    sn_otg_case c;
    sn_otg_profile a;
    sn_otg_profile b;
    sn_otg_case_draw(&c, &random, (unsigned)(i % 16));
    const sn_otg_state start = {-c.start.q, -c.start.qd, -c.start.qdd};
    const sn_otg_state target = {-c.target.q, -c.target.qd, 0.0};
    assert_int_equal(sn__otg_plan(&c.limits, c.start, c.target, &a), SN_OK);
    assert_int_equal(sn__otg_plan(&c.limits, start, target, &b), SN_OK);
    sn_assert_near(b.duration_s, a.duration_s, 1e-12 * a.duration_s);
  }
}

/* Integrate the jerk in many small steps, by the midpoint rule from the state of the moment before;
   only jerk and durations are taken from the profile. */
SN_TEST(states_agree_with_stepwise_integration) {
  sn_random random;
  sn_random_init(&random, 3);
  for (size_t i = 0; i < sn_test_cases(200); i++) {
    sn_otg_case c;
    sn_otg_profile profile;
    sn_otg_case_draw(&c, &random, (unsigned)(i % 2) * SN_CASE_MOVING);
    assert_int_equal(sn__otg_plan_for(&c.limits, c.start, c.target, (double)(i % 3), &profile),
                     SN_OK);
    double q = c.start.q;
    double qd = c.start.qd;
    double qdd = c.start.qdd;
    double t = 0.0;
    double tol = 1e-9;
    for (size_t k = 0; k < profile.count; k++) {
      enum { STEPS = 2000 };
      const double dt = profile.phases[k].duration_s / STEPS;
      for (int n = 0; n < STEPS; n++) {
        const double qdd_middle = qdd + 0.5 * dt * profile.phases[k].jerk;
        const double qd_middle = qd + 0.5 * dt * qdd;
        q += dt * qd_middle;
        qd += dt * qdd_middle;
        qdd += dt * profile.phases[k].jerk;
        t += dt;
      }
      const sn_otg_state at = sn__otg_profile_at(&profile, t);
      tol += c.limits.jerk * dt * dt * profile.phases[k].duration_s / 6.0;
      sn_assert_near(at.q, q, tol);
      sn_assert_near(at.qd, qd, 1e-9);
      sn_assert_near(at.qdd, qdd, 1e-9);
    }
  }
}

SN_TEST(time_outside_the_motion_is_before_or_after_it) {
  const sn_otg_limits limits = {1.0, 1.0, 1.0};
  const sn_otg_state start = {1.0, 0.25, 0.125};
  sn_otg_profile profile;
  assert_int_equal(sn__otg_plan(&limits, start, (sn_otg_state){3.0, 0.5, 0.0}, &profile), SN_OK);
  const sn_otg_state before = sn__otg_profile_at(&profile, -1.0);
  assert_memory_equal(&before, &start, sizeof start);
  const sn_otg_state after = sn__otg_profile_at(&profile, sn__otg_profile_duration(&profile) + 2.0);
  sn_assert_near(after.q, 4.0, 1e-15);
  assert_true(after.qd == 0.5);
  assert_true(after.qdd == 0.0);
}
