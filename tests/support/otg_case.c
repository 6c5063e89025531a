#include "otg_case.h"

#include "sn_test.h"
#include "traj/otg_offline.h"

static double draw_log(sn_random *random, double low, double high) {
  return low * pow(high / low, sn_random_unit(random));
}

static sn_otg_limits draw_limits(sn_random *random, unsigned what) {
  if ((what & SN_CASE_WIDE) != 0) {
    return (sn_otg_limits){draw_log(random, 0.1, 1e3), draw_log(random, 0.1, 1e4),
                           draw_log(random, 0.1, 1e5)};
  }
  return (sn_otg_limits){sn_random_between(random, 0.1, 10.0), sn_random_between(random, 0.1, 10.0),
                         sn_random_between(random, 0.1, 10.0)};
}

/* A random special value for a number of this size. */
static double draw_special(sn_random *random, double value, double limit, double other) {
  const double tiny[] = {1e-9, 1e-15, -1e-15, -1e-9};
  switch (sn_random_below(random, 9)) {
    case 0:
      return 0.0;
    case 1:
      return limit;
    case 2:
      return -limit;
    case 3:
      return other;
    case 4:
      return other * (1.0 + tiny[sn_random_below(random, 4)]);
    case 5:
      return value * 1e-9;
    default:
      return value;
  }
}

static void put_on_edges(sn_otg_case *c, sn_random *random, bool is_moving) {
  const sn_otg_limits *l = &c->limits;
  if (is_moving) {
    c->target.qd = draw_special(random, c->target.qd, l->velocity, 0.5 * l->velocity);
  }
  c->start.qd = draw_special(random, c->start.qd, l->velocity, c->target.qd);
  c->start.qdd = draw_special(random, c->start.qdd, l->acceleration, sqrt(l->velocity * l->jerk));
  const double step = sn_random_below(random, 2) == 0 ? 0.0 : c->target.q;
  c->target.q = draw_special(random, c->target.q, c->start.q, c->start.q + 1e-9 * step);
}

static void draw_inside(sn_otg_case *c) {
  const sn_otg_limits *l = &c->limits;
  c->start.qd = fmin(fmax(c->start.qd, -l->velocity), l->velocity);
  c->target.qd = fmin(fmax(c->target.qd, -l->velocity), l->velocity);
  c->start.qdd = fmin(fmax(c->start.qdd, -l->acceleration), l->acceleration);
  const double rest = c->start.qd + 0.5 * c->start.qdd * fabs(c->start.qdd) / l->jerk;
  if (fabs(rest) > l->velocity) { /* the largest that stays inside */
    const double side = rest > 0.0 ? 1.0 : -1.0;
    const double room = 2.0 * l->jerk * (l->velocity - side * c->start.qd);
    c->start.qdd = side * fmin(sqrt(fmax(room, 0.0)), fabs(c->start.qdd));
  }
}

void sn_otg_case_draw(sn_otg_case *c, sn_random *random, unsigned what) {
  const bool is_outside = (what & SN_CASE_OUTSIDE) != 0;
  const bool is_moving = (what & SN_CASE_MOVING) != 0;
  const double reach = is_outside ? 3.0 : 1.0;
  c->limits = draw_limits(random, what);
  c->start.q = sn_random_between(random, -5.0, 5.0);
  c->start.qd = sn_random_between(random, -reach, reach) * c->limits.velocity;
  c->start.qdd = sn_random_between(random, -reach, reach) * c->limits.acceleration;
  c->target.q = sn_random_between(random, -5.0, 5.0);
  c->target.qd = is_moving ? sn_random_between(random, -1.0, 1.0) * c->limits.velocity : 0.0;
  c->target.qdd = 0.0;
  if ((what & SN_CASE_EDGE) != 0) {
    put_on_edges(c, random, is_moving);
  }
  if (!is_outside) {
    draw_inside(c);
  }
}

/* How far velocity and acceleration may get when the start is outside: the acceleration no further
   than it is, the velocity as far as it must while the acceleration is taken back. */
static sn_otg_limits widened(const sn_otg_case *c) {
  const double a = c->start.qdd;
  const double rest = c->start.qd + 0.5 * a * fabs(a) / c->limits.jerk;
  sn_otg_limits wide = c->limits;
  wide.velocity = fmax(wide.velocity, fmax(fabs(c->start.qd), fabs(rest)));
  wide.acceleration = fmax(wide.acceleration, fabs(a));
  return wide;
}

typedef struct long_state {
  long double q, qd, qdd;
} long_state;

static long_state integrate(long_state s, long double jerk, long double t) {
  return (long_state){s.q + t * (s.qd + t * (s.qdd / 2 + t * jerk / 6)),
                      s.qd + t * (s.qdd + t * jerk / 2), s.qdd + t * jerk};
}

static void raise_to(double *worst, double value) {
  if (!(value <= *worst)) { /* NaN is the worst of all */
    *worst = value;
  }
}

static void check_limits(const sn_otg_phase *phase, const sn_otg_limits *limits, double *worst) {
  long double times[3] = {0, phase->duration_s, 0};
  if (phase->jerk != 0.0) {
    const double peak = -phase->start.qdd / phase->jerk;
    times[2] = peak > 0.0 && peak < phase->duration_s ? peak : 0;
  }
  const long_state start = {phase->start.q, phase->start.qd, phase->start.qdd};
  for (size_t i = 0; i < 3; i++) {
    const long_state s = integrate(start, phase->jerk, times[i]);
    raise_to(worst, (double)fabsl(s.qd) / limits->velocity - 1.0);
    raise_to(worst, (double)fabsl(s.qdd) / limits->acceleration - 1.0);
  }
  raise_to(worst, fabs(phase->jerk) / limits->jerk - 1.0);
}

static void check_join(const sn_otg_case *c, long_state before, sn_otg_state after,
                       sn_otg_worst *worst) {
  const sn_otg_limits wide = widened(c);
  raise_to(&worst->jump, (double)fabsl(before.q - after.q));
  raise_to(&worst->jump_rates, (double)fabsl(before.qd - after.qd) / wide.velocity);
  raise_to(&worst->jump_rates, (double)fabsl(before.qdd - after.qdd) / wide.acceleration);
}

static void fail_with(const sn_otg_case *c, const sn_otg_worst *w, double rounding) {
  print_error("limits {%.17g, %.17g, %.17g}, start {%.17g, %.17g, %.17g}, target {%.17g, %.17g}\n",
              c->limits.velocity, c->limits.acceleration, c->limits.jerk, c->start.q, c->start.qd,
              c->start.qdd, c->target.q, c->target.qd);
  print_error("excess %.3g, jump %.3g, of rates %.3g, end %.3g, forward %.3g, rounding %.3g\n",
              w->limit, w->jump, w->jump_rates, w->end, w->forward, rounding);
  fail();
}

void sn_otg_case_check(const sn_otg_case *c, const sn_otg_profile *profile, sn_otg_worst *worst) {
  const sn_otg_limits wide = widened(c);
  sn_otg_worst w = {0};
  long_state all = {c->start.q, c->start.qd, c->start.qdd};
  long_state before = all;
  double reach = 1.0;
  double duration = 0.0;
  for (size_t i = 0; i < profile->count; i++) {
    const sn_otg_phase *phase = &profile->phases[i];
    const long_state start = {phase->start.q, phase->start.qd, phase->start.qdd};
    assert_true(phase->duration_s > 0.0);
    check_join(c, before, phase->start, &w);
    check_limits(phase, &wide, &w.limit);
    before = integrate(start, phase->jerk, phase->duration_s);
    all = integrate(all, phase->jerk, phase->duration_s);
    reach = fmax(reach, fabs(phase->start.q));
    duration += phase->duration_s;
  }
  check_join(c, before, profile->end, &w);
  /* The resolution of a time of this length, as a distance at this velocity. */
  const double rounding = 1e-15 * (reach + wide.velocity * duration);
  const sn_otg_limits *l = &c->limits;
  const double rounding_rates =
      5e-15 * duration * (l->acceleration / l->velocity + l->jerk / l->acceleration);
  const sn_otg_state end = sn__otg_profile_at(profile, profile->duration_s);
  w.end = fmax(fabs(end.q - c->target.q), fabs(end.qd - c->target.qd));
  w.end = fmax(w.end, fabs(end.qdd));
  w.forward = (double)fabsl(all.q - (long double)c->target.q);
  const bool is_inside = wide.velocity <= c->limits.velocity * (1.0 + 1e-12) &&
                         wide.acceleration <= c->limits.acceleration * (1.0 + 1e-12);
  if (!(w.limit <= 1e-12 && w.jump <= 1e-9 + rounding && w.jump_rates <= 1e-12 + rounding_rates &&
        w.end <= 1e-8) ||
      !(w.forward <= 1e-8 + 10.0 * rounding || !is_inside)) {
    fail_with(c, &w, rounding);
  }
  sn_assert_near(profile->duration_s, duration, 1e-14 * duration);
  if (worst != NULL) {
    raise_to(&worst->limit, w.limit);
    raise_to(&worst->jump, w.jump);
    raise_to(&worst->jump_rates, w.jump_rates);
    raise_to(&worst->end, w.end);
    raise_to(&worst->forward, w.forward);
  }
}
