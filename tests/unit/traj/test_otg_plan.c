#include "allocation.h"
#include "otg_case.h"
#include "sn_test.h"
#include "traj/otg_offline.h"

static void print_worst(const char *what, size_t cases, const sn_otg_worst *w) {
  print_message(
      "%s: %zu motions; excess over limits %.2g, jumps %.2g and %.2g, end %.2g, forward %.2g\n",
      what, cases, w->limit, w->jump, w->jump_rates, w->end, w->forward);
}

/* Plan as many random motions and check each. */
static void check_many(const char *name, size_t desk, unsigned what, uint64_t seed) {
  const size_t cases = sn_test_cases(desk);
  sn_random random;
  sn_random_init(&random, seed);
  sn_otg_worst worst = {0};
  for (size_t i = 0; i < cases; i++) {
    sn_otg_case c;
    sn_otg_profile profile;
    sn_otg_case_draw(&c, &random, what);
    assert_int_equal(sn__otg_plan(&c.limits, c.start, c.target, &profile), SN_OK);
    sn_otg_case_check(&c, &profile, &worst);
  }
  print_worst(name, cases, &worst);
}

SN_TEST(every_motion_arrives_within_the_limits) {
  check_many("common limits", 250000, 0, 1);
  check_many("moving target", 150000, SN_CASE_MOVING, 2);
}

SN_TEST(limits_may_differ_by_many_orders_of_magnitude) {
  check_many("wide limits", 250000, SN_CASE_WIDE, 3);
  check_many("moving target", 150000, SN_CASE_WIDE | SN_CASE_MOVING, 4);
}

SN_TEST(numbers_that_coincide_do_no_harm) {
  for (unsigned what = 0; what < 4; what++) {
    check_many("edges", 50000, what | SN_CASE_EDGE, 5 + what);
  }
}

SN_TEST(start_outside_the_limits_comes_back_and_arrives) {
  for (unsigned what = 0; what < 4; what++) {
    check_many("outside", 25000, what | SN_CASE_OUTSIDE, 10 + what);
    check_many("outside, edges", 10000, what | SN_CASE_OUTSIDE | SN_CASE_EDGE, 20 + what);
  }
}

/* Found by long runs of the tests above. The velocity limit lies one rounding error above the
   target's velocity: the piece of the curve in between is short, but what it covers is not. */
SN_TEST(motions_that_once_failed_arrive) {
  const sn_otg_case cases[] = {
      {{4.4553977504147486, 8.8743773970622115, 0.23144264474905216},
       {4.7036443003052266, -4.4553977504147486, -2.5426162285433991e-08},
       {4.7036442970807348, 4.4553977504147486, 0.0}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sn_otg_profile profile;
    assert_int_equal(sn__otg_plan(&cases[i].limits, cases[i].start, cases[i].target, &profile),
                     SN_OK);
    sn_otg_case_check(&cases[i], &profile, NULL);
  }
}

/* Time spent above the velocity limit cannot be shorter than with full braking: compare with the
   plainest simulation of it. */
SN_TEST(too_fast_a_start_slows_down_as_fast_as_it_can) {
  sn_random random;
  sn_random_init(&random, 30);
  for (size_t i = 0; i < sn_test_cases(300); i++) {
    sn_otg_case c;
    sn_otg_case_draw(&c, &random, SN_CASE_OUTSIDE);
    c.start.qd = fabs(c.start.qd) + c.limits.velocity;
    c.start.qdd = fmin(fmax(c.start.qdd, -c.limits.acceleration), c.limits.acceleration);
    const double a_end = fmin(c.limits.acceleration, 2.0 * sqrt(c.limits.velocity * c.limits.jerk));
    if (a_end < c.limits.acceleration) {
      continue; /* braking must ease off before the limit is reached */
    }
    sn_otg_profile profile;
    assert_int_equal(sn__otg_plan(&c.limits, c.start, c.target, &profile), SN_OK);
    const double dt = 1e-4;
    double t = 0.0;
    double v = c.start.qd;
    double a = c.start.qdd;
    for (; v > c.limits.velocity; t += dt) {
      v += a * dt;
      a = fmax(a - c.limits.jerk * dt, -c.limits.acceleration);
    }
    assert_true(sn__otg_profile_at(&profile, t + 2.0 * dt).qd <= c.limits.velocity * (1.0 + 1e-12));
  }
}

SN_TEST(slower_motions_take_the_given_time) {
  sn_random random;
  sn_random_init(&random, 40);
  for (unsigned what = 0; what < 16; what++) {
    sn_otg_worst worst = {0};
    const size_t cases = sn_test_cases(6000);
    for (size_t i = 0; i < cases; i++) {
      sn_otg_case c;
      sn_otg_profile fastest;
      sn_otg_profile profile;
      sn_otg_case_draw(&c, &random, what);
      assert_int_equal(sn__otg_plan(&c.limits, c.start, c.target, &fastest), SN_OK);
      const double stretch = 1.0 + pow(sn_random_unit(&random), 4.0) * 3.0;
      const double duration = fmin(fastest.duration_s * stretch, SN_OTG_VALUE_MAX);
      assert_int_equal(sn__otg_plan_for(&c.limits, c.start, c.target, duration, &profile), SN_OK);
      sn_otg_case_check(&c, &profile, &worst);
      assert_true(profile.duration_s >= duration * (1.0 - 1e-12));
      if (c.target.qd == 0.0) {
        const double expected = fmax(duration, fastest.duration_s);
        sn_assert_near(profile.duration_s, expected, 1e-12 * expected);
      }
    }
    print_worst("slower", cases, &worst);
  }
}

/* From velocity 1 to velocity 1 over a distance of 1, at jerk 1: the least distance in time T is
   T - T^3/32 (jerk -1, +1, -1 for T/4, T/2, T/4), so times between the roots of T - T^3/32 = 1 are
   impossible. */
SN_TEST(moving_target_cannot_be_reached_at_some_times) {
  const sn_otg_limits limits = {1.0, 100.0, 1.0};
  const sn_otg_state start = {0.0, 1.0, 0.0};
  const sn_otg_state target = {1.0, 1.0, 0.0};
  double roots[2];
  for (size_t i = 0; i < 2; i++) {
    double t = i == 0 ? 1.0 : 5.0;
    for (int k = 0; k < 100; k++) {
      t -= (t - t * t * t / 32.0 - 1.0) / (1.0 - 3.0 * t * t / 32.0);
    }
    roots[i] = t;
  }
  sn_otg_profile profile;
  assert_int_equal(sn__otg_plan(&limits, start, target, &profile), SN_OK);
  sn_assert_near(profile.duration_s, 1.0, 1e-14);
  const double possible[] = {1.0, 0.5 * (1.0 + roots[0]), roots[0] - 1e-9, roots[1] + 1e-9, 6.0,
                             50.0};
  const double impossible[] = {roots[0] + 1e-9, 2.0, 3.0, roots[1] - 1e-9};
  for (size_t i = 0; i < 6; i++) {
    assert_int_equal(sn__otg_plan_for(&limits, start, target, possible[i], &profile), SN_OK);
    sn_assert_near(profile.duration_s, possible[i], 1e-13 * possible[i]);
  }
  for (size_t i = 0; i < 4; i++) {
    assert_int_equal(sn__otg_plan_for(&limits, start, target, impossible[i], &profile), SN_OK);
    sn_assert_near(profile.duration_s, roots[1], 1e-12);
    sn_otg_case_check(&(sn_otg_case){limits, start, target}, &profile, NULL);
  }
}

SN_TEST(change_of_velocity_is_the_fastest_one) {
  sn_random random;
  sn_random_init(&random, 50);
  for (size_t i = 0; i < sn_test_cases(20000); i++) {
    sn_otg_case c;
    sn_otg_profile profile;
    sn_otg_case_draw(&c, &random, (unsigned)(i % 16) | SN_CASE_MOVING);
    assert_int_equal(sn__otg_plan_velocity(&c.limits, c.start, c.target.qd, &profile), SN_OK);
    c.target.q = profile.end.q;
    sn_otg_case_check(&c, &profile, NULL);
    if (fabs(c.target.q) > SN_OTG_VALUE_MAX) {
      continue;
    }
    /* It takes no longer than the plan to its end position. */
    sn_otg_profile same;
    assert_int_equal(sn__otg_plan(&c.limits, c.start, c.target, &same), SN_OK);
    assert_true(profile.duration_s <= same.duration_s * (1.0 + 1e-9));
  }
}

SN_TEST(numbers_out_of_range_are_rejected) {
  const sn_otg_limits limits = {1.0, 2.0, 3.0};
  const sn_otg_state zero = {0.0, 0.0, 0.0};
  const double bad[] = {NAN, INFINITY, -INFINITY, 1e13};
  sn_otg_profile profile;
  for (size_t i = 0; i < 4; i++) {
    for (size_t k = 0; k < 3; k++) {
      sn_otg_state state_bad = zero;
      sn_otg_limits limits_bad = limits;
      (&state_bad.q)[k] = bad[i];
      (&limits_bad.velocity)[k] = bad[i];
      assert_int_equal(sn__otg_plan(&limits_bad, zero, zero, &profile), SN_EINVAL);
      assert_int_equal(sn__otg_plan(&limits, state_bad, zero, &profile), SN_EINVAL);
      assert_int_equal(sn__otg_plan(&limits, zero, state_bad, &profile), SN_EINVAL);
      (&limits_bad.velocity)[k] = -1.0;
      assert_int_equal(sn__otg_plan_velocity(&limits_bad, zero, 0.0, &profile), SN_EINVAL);
    }
    assert_int_equal(sn__otg_plan_for(&limits, zero, zero, bad[i], &profile), SN_EINVAL);
    assert_int_equal(sn__otg_plan_velocity(&limits, zero, bad[i], &profile), SN_EINVAL);
  }
  assert_int_equal(sn__otg_plan(&limits, zero, (sn_otg_state){0.0, 1.1, 0.0}, &profile), SN_EINVAL);
  assert_int_equal(sn__otg_plan(&limits, zero, (sn_otg_state){0.0, 0.0, 0.1}, &profile), SN_EINVAL);
  assert_int_equal(sn__otg_plan_for(&limits, zero, zero, -1.0, &profile), SN_EINVAL);
}

/* Nothing is known about such a motion but that it ends, in finite numbers. */
SN_TEST(numbers_at_the_end_of_the_range_are_planned) {
  sn_random random;
  sn_random_init(&random, 60);
  const double sizes[] = {1e-12, 1e-6, 1.0, 1e6, 1e12};
  for (size_t i = 0; i < sn_test_cases(50000); i++) {
    double x[8];
    for (size_t k = 0; k < 8; k++) {
      x[k] = sizes[sn_random_below(&random, 5)];
      x[k] *= k < 3 || sn_random_below(&random, 2) == 0 ? 1.0 : -1.0;
    }
    const sn_otg_limits limits = {x[0], x[1], x[2]};
    const sn_otg_state start = {x[3], x[4], x[5]};
    const sn_otg_state target = {x[6], fabs(x[7]) <= x[0] ? x[7] : 0.0, 0.0};
    sn_otg_profile profile;
    assert_int_equal(sn__otg_plan(&limits, start, target, &profile), SN_OK);
    assert_true(isfinite(profile.duration_s));
    assert_int_equal(sn__otg_plan_for(&limits, start, target, 1e12, &profile), SN_OK);
    assert_true(isfinite(profile.duration_s));
    for (size_t k = 0; k < profile.count; k++) {
      const sn_otg_phase *p = &profile.phases[k];
      assert_true(isfinite(p->jerk + p->start.q + p->start.qd + p->start.qdd));
    }
  }
}

SN_TEST(planning_leaves_the_heap_alone) {
  sn_random random;
  sn_random_init(&random, 70);
  sn_otg_case c;
  sn_otg_profile profile;
  sn_otg_case_draw(&c, &random, SN_CASE_OUTSIDE);
  sn_assert_no_heap(sn__otg_plan(&c.limits, c.start, c.target, &profile);
                    sn__otg_plan_for(&c.limits, c.start, c.target, 100.0, &profile);
                    sn__otg_plan_velocity(&c.limits, c.start, 0.0, &profile);
                    sn__otg_profile_at(&profile, 1.0));
}
