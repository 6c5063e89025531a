/* Is the fastest motion the fastest? A search that knows none of the formulas: drive with full jerk
   in one direction for a while, change to some velocity as fast as possible, perhaps stay there,
   change to the target's velocity. Every motion is simulated phase by phase; the first time and the
   velocity in the middle are found by scanning and bisection. */
#include "otg_case.h"
#include "sn_test.h"
#include "traj/otg_offline.h"

/* A motion that grows at its end. */
typedef struct search {
  sn_otg_limits limits;
  sn_otg_state at;
  double t;
} search;

static void drive(search *s, double jerk, double t) {
  s->at.q += t * (s->at.qd + t * (s->at.qdd / 2.0 + t * jerk / 6.0));
  s->at.qd += t * (s->at.qdd + t * jerk / 2.0);
  s->at.qdd += t * jerk;
  s->t += t;
}

/* The fastest change to velocity v without acceleration. */
static void change(search *s, double v) {
  const double j = s->limits.jerk;
  const double a0 = s->at.qdd;
  const double rest = s->at.qd + a0 * fabs(a0) / (2.0 * j);
  const double side = v > rest ? 1.0 : -1.0;
  /* up to a peak and back: dv = (peak^2 - a0^2) / 2j + peak^2 / 2j */
  const double dv = side * (v - s->at.qd);
  const double free_peak = sqrt(fmax(j * dv + 0.5 * a0 * a0, 0.0));
  const double peak = fmin(free_peak, s->limits.acceleration);
  const double hold = (free_peak * free_peak - peak * peak) / j / peak;
  drive(s, side * j, fmax(peak - side * a0, 0.0) / j);
  if (peak > 0.0) {
    drive(s, 0.0, hold);
  }
  drive(s, -side * j, peak / j);
}

static bool is_inside(const search *s) {
  const double a = s->at.qdd;
  const double rest = s->at.qd + a * fabs(a) / (2.0 * s->limits.jerk);
  const double v_max = s->limits.velocity * (1.0 + 1e-9);
  return fabs(a) <= s->limits.acceleration * (1.0 + 1e-9) && fabs(s->at.qd) <= v_max &&
         fabs(rest) <= v_max;
}

/* First the drive: to the limit of acceleration, then along it. */
static bool begin(const sn_otg_case *c, double side, double time, search *s) {
  *s = (search){c->limits, c->start, 0.0};
  const double ramp = fmax((c->limits.acceleration - side * c->start.qdd) / c->limits.jerk, 0.0);
  drive(s, side * c->limits.jerk, fmin(time, ramp));
  drive(s, 0.0, fmax(time - ramp, 0.0));
  return is_inside(s);
}

static double miss(const sn_otg_case *c, search s, double v, double *t) {
  change(&s, v);
  change(&s, c->target.qd);
  *t = s.t;
  return c->target.q - s.at.q;
}

/* The best motion with a given drive. */
static double best_after(const sn_otg_case *c, const search *s, int grid) {
  const double v_max = c->limits.velocity;
  double best = INFINITY;
  double t;
  for (double v = -v_max; v <= v_max; v += 2.0 * v_max) {
    const double stay = miss(c, *s, v, &t) / v;
    best = stay >= 0.0 ? fmin(best, t + stay) : best;
  }
  double v_before = -v_max;
  double miss_before = miss(c, *s, v_before, &t);
  for (int i = 1; i <= grid; i++) {
    const double v_here = v_max * (2.0 * i / grid - 1.0);
    const double miss_here = miss(c, *s, v_here, &t);
    if ((miss_before > 0.0) != (miss_here > 0.0)) {
      double lo = v_before;
      double hi = v_here;
      for (int k = 0; k < 60; k++) {
        const double middle = 0.5 * (lo + hi);
        if ((miss(c, *s, middle, &t) > 0.0) == (miss_before > 0.0)) {
          lo = middle;
        } else {
          hi = middle;
        }
      }
      best = fabs(miss(c, *s, lo, &t)) < 1e-6 ? fmin(best, t) : best;
    }
    v_before = v_here;
    miss_before = miss_here;
  }
  return best;
}

/* The direct change to the target's velocity after a drive whose length makes it arrive. */
static double best_direct(const sn_otg_case *c, double side, double time_max, int grid) {
  double best = INFINITY;
  double before = 0.0;
  double miss_before = NAN;
  for (int i = 0; i <= grid; i++) {
    const double time = time_max * i / grid;
    search s;
    double t;
    if (!begin(c, side, time, &s)) {
      break;
    }
    const double miss_here = miss(c, s, c->target.qd, &t);
    if (i > 0 && (miss_before > 0.0) != (miss_here > 0.0)) {
      double lo = before;
      double hi = time;
      for (int k = 0; k < 60; k++) {
        const double middle = 0.5 * (lo + hi);
        begin(c, side, middle, &s);
        if ((miss(c, s, c->target.qd, &t) > 0.0) == (miss_before > 0.0)) {
          lo = middle;
        } else {
          hi = middle;
        }
      }
      best = fmin(best, t);
    }
    before = time;
    miss_before = miss_here;
  }
  return best;
}

static double search_best(const sn_otg_case *c, double time_max) {
  double best = INFINITY;
  for (double side = -1.0; side <= 1.0; side += 2.0) {
    best = fmin(best, best_direct(c, side, time_max, 400));
    for (int i = 0; i <= 40; i++) {
      search s;
      if (!begin(c, side, time_max * pow(i / 40.0, 2.0), &s)) {
        break;
      }
      best = fmin(best, best_after(c, &s, 40));
    }
  }
  return best;
}

/* Plan, and fail if the search finds anything faster. @return how much longer the best one found is
 */
static double compare(const sn_otg_case *c) {
  sn_otg_profile profile;
  assert_int_equal(sn__otg_plan(&c->limits, c->start, c->target, &profile), SN_OK);
  sn_otg_case_check(c, &profile, NULL);
  const double found = search_best(c, profile.duration_s);
  if (!(profile.duration_s <= found * (1.0 + 1e-6))) {
    print_error(
        "limits {%.17g, %.17g, %.17g}, start {%.17g, %.17g, %.17g}, target {%.17g, %.17g}: %.9g s "
        "planned, %.9g s found\n",
        c->limits.velocity, c->limits.acceleration, c->limits.jerk, c->start.q, c->start.qd,
        c->start.qdd, c->target.q, c->target.qd, profile.duration_s, found);
    fail();
  }
  return found / profile.duration_s - 1.0;
}

/* Where the joint gets by taking on the target's velocity at once. */
static double direct_end(const sn_otg_case *c) {
  sn_otg_profile profile;
  assert_int_equal(sn__otg_plan_velocity(&c->limits, c->start, c->target.qd, &profile), SN_OK);
  return profile.end.q;
}

SN_TEST(no_motion_of_a_blind_search_is_faster) {
  sn_random random;
  sn_random_init(&random, 1);
  size_t close_count = 0;
  const size_t cases = sn_test_cases(3000);
  for (size_t i = 0; i < cases; i++) {
    sn_otg_case c;
    sn_otg_case_draw(&c, &random, i % 2 == 0 ? 0 : SN_CASE_MOVING);
    /* Limits that are reached or nearly so, or not: the distance decides. Half of the targets lie
       near the direct end: there a little more or less way changes most. */
    const double way = (c.target.q - c.start.q) * pow(10.0, sn_random_between(&random, -3.0, 1.0));
    c.target.q = i % 4 < 2 ? c.start.q + way : direct_end(&c) + 0.2 * way;
    close_count += compare(&c) <= 0.001 ? 1 : 0;
  }
  /* The search must be good enough, otherwise it proves nothing. */
  print_message("found within 0.1 %% in %zu of %zu cases\n", close_count, cases);
  assert_true((double)close_count >= 0.99 * (double)cases);
}

/* Decelerating already, to a target that comes towards the joint: here more time can mean less way,
   and there are several motions of which the first must be taken. */
SN_TEST(first_of_several_motions_is_used) {
  sn_random random;
  sn_random_init(&random, 2);
  for (size_t i = 0; i < sn_test_cases(1000); i++) {
    sn_otg_case c = {.limits = {2.0, 1.0, 1.0}};
    c.start.qdd = -sn_random_between(&random, 0.5, 1.0);
    c.target.qd = -sn_random_between(&random, 0.1, 1.3);
    const double rest = c.target.qd + sn_random_between(&random, 0.1, 0.9);
    c.start.qd = rest + 0.5 * c.start.qdd * c.start.qdd;
    c.target.q = direct_end(&c) + 0.1 * pow(sn_random_unit(&random), 2.0);
    compare(&c);
  }
}
