#include "gate/limiter.h"
#include "sinew/random.h"
#include "sn_test.h"

static sn__limits random_limits(sn_random *random) {
  const double lower = sn_random_between(random, -3.0, 1.0);
  const bool is_endless = sn_random_below(random, 8) == 0;
  return (sn__limits){.lower = is_endless ? -INFINITY : lower,
                      .upper = is_endless ? INFINITY : lower + sn_random_between(random, 0.0, 4.0),
                      .speed = exp(sn_random_between(random, -5.0, 4.0)),
                      .accel = exp(sn_random_between(random, -4.0, 7.0)),
                      .brake = exp(sn_random_between(random, -4.0, 7.0))};
}

/* Anything may be asked for, with any sequence of periods: an end is never passed, and no limit. */
SN_TEST(limits_hold_for_any_target_and_it_can_always_stop) {
  const size_t cases = sn_test_cases(3000);
  for (size_t c = 0; c < cases; c++) {
    sn_random random;
    sn_random_init(&random, c);
    const sn__limits l = random_limits(&random);
    sn__motion m = {.q = isfinite(l.lower) ? sn_random_between(&random, l.lower, l.upper) : 0.0};
    for (int k = 0; k < 200; k++) {
      const double dt_s = exp(sn_random_between(&random, -10.0, -3.0));
      const sn__motion before = m;
      if (sn_random_below(&random, 10) == 0) {
        sn__limiter_brake(&l, dt_s, &m);
      } else {
        sn__limiter_follow(
            &l, sn_random_normal(&random) * 3.0,
            sn_random_below(&random, 2) == 0 ? 0.0 : sn_random_normal(&random) * l.speed, dt_s, &m);
      }
      const double tol = 1e-12 + 1e-9 * fmin(1.0, l.accel * dt_s);
      assert_true(m.q >= l.lower && m.q <= l.upper);
      assert_true(fabs(m.qd) <= l.speed + tol);
      sn_assert_near(m.q, before.q + m.qd * dt_s, 1e-13);
      sn_assert_near(m.qd, before.qd + m.qdd * dt_s, 1e-9);
      const double left = m.qd > 0.0 ? l.upper - m.q : m.q - l.lower;
      assert_true(m.qd * m.qd / (2.0 * l.brake) <= left + 1e-12);
      const bool turns = before.qd * m.qd < 0.0;
      const double spent_s = turns ? fabs(before.qd) / l.brake + fabs(m.qd) / l.accel
                             : fabs(m.qd) > fabs(before.qd)
                                 ? (fabs(m.qd) - fabs(before.qd)) / l.accel
                                 : (fabs(before.qd) - fabs(m.qd)) / l.brake;
      assert_true(spent_s <= dt_s * (1.0 + 1e-9) + 1e-12 / fmin(l.accel, l.brake));
    }
  }
}

/* The oracle for a move from rest to rest: ramp up, cruise, ramp down, in closed form. */
static double shortest_time(const sn__limits *l, double way) {
  const double a = fmin(l->accel, l->brake);
  const double ramp = l->speed * l->speed / a; /* way of both ramps at full speed */
  return way >= ramp ? way / l->speed + l->speed / a : 2.0 * sqrt(way / a);
}

SN_TEST(target_that_stands_is_reached_at_rest_without_overshoot_in_nearly_the_shortest_time) {
  const size_t cases = sn_test_cases(500);
  for (size_t c = 0; c < cases; c++) {
    sn_random random;
    sn_random_init(&random, c);
    sn__limits l = random_limits(&random);
    l.lower = -INFINITY;
    l.upper = INFINITY;
    l.brake = l.accel;
    const double way = exp(sn_random_between(&random, -5.0, 2.0));
    const double shortest_s = shortest_time(&l, way);
    const double dt_s = shortest_s / sn_random_between(&random, 50.0, 400.0);
    sn__motion m = {0};
    double t_s = 0.0;
    while (fabs(way - m.q) > 1e-6 * way) {
      sn__limiter_follow(&l, way - m.q, 0.0, dt_s, &m);
      t_s += dt_s;
      assert_true(m.q <= way * (1.0 + 1e-12));
      assert_true(t_s < 1.2 * shortest_s + 12.0 * dt_s);
    }
    for (int k = 0; k < 10; k++) {
      sn__limiter_follow(&l, way - m.q, 0.0, dt_s, &m);
    }
    sn_assert_near(m.q, way, 1e-14 * (1.0 + way));
    sn_assert_near(m.qd, 0.0, 1e-12 * l.speed / dt_s);
  }
}

SN_TEST(target_that_moves_within_the_limits_is_followed_exactly) {
  const sn__limits l = {.lower = -1.0, .upper = 1.0, .speed = 4.0, .accel = 30.0, .brake = 30.0};
  const double w = 4.0; /* rad/s: 3.2 rad/s and 12.8 rad/s^2 at most */
  const double dt_s = 1e-3;
  sn__motion m = {0};
  double before = 0.0;
  for (int k = 1; k <= 20000; k++) {
    const double t_s = k * dt_s;
    const double target = 0.8 * sin(w * t_s) * (1.0 - exp(-t_s));
    sn__limiter_follow(&l, target - m.q, (target - before) / dt_s, dt_s, &m);
    sn_assert_near(m.q, target, 1e-12);
    before = target;
  }
}

SN_TEST(braking_distance_is_at_most_that_of_the_formula) {
  const size_t cases = sn_test_cases(2000);
  for (size_t c = 0; c < cases; c++) {
    sn_random random;
    sn_random_init(&random, c);
    sn__limits l = random_limits(&random);
    l.lower = -INFINITY;
    l.upper = INFINITY;
    sn__motion m = {.qd = sn_random_between(&random, -l.speed, l.speed)};
    const double way = m.qd * m.qd / (2.0 * l.brake);
    const double time_s = fabs(m.qd) / l.brake;
    double t_s = 0.0;
    while (m.qd != 0.0) {
      const double dt_s = time_s * exp(sn_random_between(&random, -6.0, 1.0));
      assert_true(t_s <= time_s * (1.0 + 1e-9)); /* it would be at rest by now */
      sn__limiter_brake(&l, dt_s, &m);
      t_s += dt_s;
      assert_true(fabs(m.q) <= way * (1.0 + 1e-12));
    }
  }
}

/* Placed anywhere, a joint is inside its limits, and as fast as asked unless it could not stop. */
SN_TEST(placed_motion_keeps_limits_and_changes_nothing_else) {
  const size_t cases = sn_test_cases(20000);
  for (size_t c = 0; c < cases; c++) {
    sn_random random;
    sn_random_init(&random, c);
    const sn__limits l = random_limits(&random);
    const double q = sn_random_between(&random, -5.0, 5.0);
    const double qd = sn_random_normal(&random) * 2.0 * l.speed;
    sn__motion m = {.q = 7.0, .qd = 7.0, .qdd = 7.0};
    sn__limiter_place(&l, q, qd, &m);
    assert_true(m.q == (q < l.lower ? l.lower : q > l.upper ? l.upper : q));
    assert_true(m.qdd == 0.0);
    assert_true(m.qd * qd >= 0.0);
    const double way = qd > 0.0 ? l.upper - m.q : m.q - l.lower;
    const double stop = m.qd * m.qd / (2.0 * l.brake);
    assert_true(fabs(m.qd) <= l.speed && stop <= way * (1.0 + 1e-12));
    /* Slower than asked only at the highest speed or with all of the way needed. */
    assert_true(m.qd == qd || fabs(m.qd) == l.speed || stop >= way * (1.0 - 1e-12));
  }
}
