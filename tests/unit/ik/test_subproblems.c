#include "ik/closed/geometry/circle_roots.h"
#include "ik/closed/geometry/subproblems.h"
#include "ik/closed/geometry/turn.h"
#include "sinew/random.h"
#include "sn_test.h"

#define SLACK_ALL 1e9
#define PI 3.14159265358979323846

static sn_vec3 random_vec3(sn_random *random) {
  const double x = sn_random_normal(random);
  const double y = sn_random_normal(random);
  return sn_vec3_make(x, y, sn_random_normal(random));
}

static sn_vec3 random_unit(sn_random *random) {
  const sn_vec3 v = random_vec3(random);
  return sn_vec3_scale(v, 1.0 / sn_vec3_norm(v));
}

static sn__turn random_turn(sn_random *random) {
  return sn__turn_of(sn_random_between(random, -PI, PI));
}

static double turn_distance(sn__turn a, sn__turn b) {
  return hypot(a.c - b.c, a.s - b.s);
}

static double distance(sn_vec3 a, sn_vec3 b) {
  return sn_vec3_norm(sn_vec3_sub(a, b));
}

SN_TEST(a_linear_equation_is_solved_in_the_least_squares_sense) {
  sn_random random;
  sn_random_init(&random, 1);
  for (size_t n = sn_test_cases(2000); n > 0; n--) {
    const double a = sn_random_normal(&random);
    const double b = sn_random_normal(&random);
    const double d = 1.5 * sn_random_normal(&random);
    sn__turn t[2];
    const int count = sn__sp_linear(a, b, d, SLACK_ALL, t);
    assert_true(count == 1 || count == 2);
    assert_true((count == 2) == (fabs(d) < hypot(a, b)));
    double best = INFINITY;
    for (int i = 0; i < 720; i++) {
      const sn__turn u = sn__turn_of(i * PI / 360.0);
      best = fmin(best, fabs(a * u.c + b * u.s - d));
    }
    for (int i = 0; i < count; i++) {
      sn_assert_near(hypot(t[i].c, t[i].s), 1.0, 1e-14);
      const double residual = fabs(a * t[i].c + b * t[i].s - d);
      assert_true(residual <= best + 1e-12);
      assert_true(count == 1 || residual < 1e-12);
    }
  }
}

SN_TEST(beyond_its_slack_a_linear_equation_has_no_solution) {
  sn__turn t[2];
  assert_int_equal(sn__sp_linear(1.0, 0.0, 1.05, 0.1, t), 1);
  assert_int_equal(sn__sp_linear(1.0, 0.0, 1.2, 0.1, t), 0);
  assert_int_equal(sn__sp_linear(0.0, 0.0, 0.05, 0.1, t), SN__ANY);
  assert_int_equal(sn__sp_linear(0.0, 0.0, 0.2, 0.1, t), 0);
}

SN_TEST(sp1_turns_as_near_as_any_angle) {
  sn_random random;
  sn_random_init(&random, 2);
  for (size_t n = sn_test_cases(500); n > 0; n--) {
    const sn_vec3 p1 = random_vec3(&random), p2 = random_vec3(&random), k = random_unit(&random);
    sn__turn t;
    assert_int_equal(sn__sp1(p1, p2, k, &t), 1);
    const double found = distance(sn__turn_apply(t, k, p1), p2);
    for (int i = 0; i < 360; i++) {
      const sn__turn u = sn__turn_of(i * PI / 180.0);
      assert_true(found <= distance(sn__turn_apply(u, k, p1), p2) + 1e-12);
    }
  }
  const sn_vec3 z = {0, 0, 1};
  sn__turn untouched = {7, 8};
  assert_int_equal(sn__sp1(z, sn_vec3_make(1, 2, 3), z, &untouched), SN__ANY);
  sn_assert_near(untouched.c, 7, 0);
}

SN_TEST(sp2_brings_both_vectors_together) {
  sn_random random;
  sn_random_init(&random, 3);
  for (size_t n = sn_test_cases(2000); n > 0; n--) {
    const sn_vec3 p1 = random_unit(&random);
    const sn_vec3 k1 = random_unit(&random), k2 = random_unit(&random);
    const sn__turn r1 = random_turn(&random), r2 = random_turn(&random);
    const sn_vec3 p2 = sn__turn_unapply(r2, k2, sn__turn_apply(r1, k1, p1));
    sn__turn t1[2], t2[2];
    const int count = sn__sp2(p1, p2, k1, k2, 1e-9, t1, t2);
    assert_true(count >= 1);
    double nearest = INFINITY;
    for (int i = 0; i < count; i++) {
      sn_assert_near(distance(sn__turn_apply(t1[i], k1, p1), sn__turn_apply(t2[i], k2, p2)), 0,
                     1e-6);
      nearest = fmin(nearest, turn_distance(t1[i], r1) + turn_distance(t2[i], r2));
    }
    sn_assert_near(nearest, 0, 1e-5);
  }
}

SN_TEST(sp2_without_solution_brings_them_as_near_as_possible) {
  sn_random random;
  sn_random_init(&random, 4);
  for (size_t n = sn_test_cases(40); n > 0;) {
    const sn_vec3 p1 = random_unit(&random), p2 = random_unit(&random);
    const sn_vec3 k1 = random_unit(&random), k2 = random_unit(&random);
    sn__turn t1[2], t2[2];
    if (sn__sp2(p1, p2, k1, k2, SLACK_ALL, t1, t2) != 1) {
      continue;
    }
    n--;
    const double found = distance(sn__turn_apply(t1[0], k1, p1), sn__turn_apply(t2[0], k2, p2));
    for (int i = 0; i < 60; i++) {
      const sn_vec3 q1 = sn__turn_apply(sn__turn_of(i * PI / 30.0), k1, p1);
      for (int j = 0; j < 60; j++) {
        const sn_vec3 q2 = sn__turn_apply(sn__turn_of(j * PI / 30.0), k2, p2);
        assert_true(found <= distance(q1, q2) + 1e-12);
      }
    }
  }
}

SN_TEST(sp3_reaches_the_distance_or_comes_as_near_as_possible) {
  sn_random random;
  sn_random_init(&random, 5);
  for (size_t n = sn_test_cases(1000); n > 0; n--) {
    const sn_vec3 p1 = random_vec3(&random), p2 = random_vec3(&random), k = random_unit(&random);
    const double d = fabs(2.0 * sn_random_normal(&random));
    sn__turn t[2];
    const int count = sn__sp3(p1, p2, k, d, SLACK_ALL, t);
    double best = INFINITY;
    for (int i = 0; i < 720; i++) {
      const sn_vec3 q = sn__turn_apply(sn__turn_of(i * PI / 360.0), k, p1);
      best = fmin(best, fabs(distance(q, p2) - d));
    }
    for (int i = 0; i < count; i++) {
      const double residual = fabs(distance(sn__turn_apply(t[i], k, p1), p2) - d);
      assert_true(residual <= best + 1e-7);
    }
  }
}

SN_TEST(sp4_reaches_the_height_or_comes_as_near_as_possible) {
  sn_random random;
  sn_random_init(&random, 6);
  for (size_t n = sn_test_cases(1000); n > 0; n--) {
    const sn_vec3 h = random_unit(&random), p = random_vec3(&random), k = random_unit(&random);
    const double d = 1.5 * sn_random_normal(&random);
    sn__turn t[2];
    const int count = sn__sp4(h, p, k, d, SLACK_ALL, t);
    double best = INFINITY;
    for (int i = 0; i < 720; i++) {
      const sn_vec3 q = sn__turn_apply(sn__turn_of(i * PI / 360.0), k, p);
      best = fmin(best, fabs(sn_vec3_dot(h, q) - d));
    }
    for (int i = 0; i < count; i++) {
      const double residual = fabs(sn_vec3_dot(h, sn__turn_apply(t[i], k, p)) - d);
      assert_true(residual <= best + 1e-12);
    }
  }
}

/* Oracle: sign changes on a fine grid. */
SN_TEST(roots_on_the_circle_are_all_found) {
  sn_random random;
  sn_random_init(&random, 7);
  for (size_t n = sn_test_cases(500); n > 0; n--) {
    double g[6];
    for (int i = 0; i < 6; i++) {
      g[i] = sn_random_normal(&random);
    }
    if (n % 3 == 0) { /* a root next to one of the points that half-angle formulas dislike */
      const sn__turn at = sn__turn_of(0.25 * PI * (double)(n % 8) + 1e-7);
      g[0] -= g[0] + g[1] * at.c + g[2] * at.s + g[3] * at.c * at.c + g[4] * at.c * at.s +
              g[5] * at.s * at.s;
    }
    sn__turn root[4];
    const int count = sn__circle_roots(g, 0.0, root);
    int changes = 0;
    double before = g[0] + g[1] + g[3];
    for (int i = 1; i <= 20000; i++) {
      const sn__turn t = sn__turn_of(i * PI / 10000.0);
      const double f =
          g[0] + g[1] * t.c + g[2] * t.s + g[3] * t.c * t.c + g[4] * t.c * t.s + g[5] * t.s * t.s;
      changes += (f < 0.0) != (before < 0.0);
      before = f;
    }
    assert_int_equal(count, changes);
    for (int i = 0; i < count; i++) {
      const sn__turn t = root[i];
      sn_assert_near(
          g[0] + g[1] * t.c + g[2] * t.s + g[3] * t.c * t.c + g[4] * t.c * t.s + g[5] * t.s * t.s,
          0, 1e-12);
    }
  }
}

SN_TEST(a_double_root_on_the_circle_survives_rounding) {
  sn_random random;
  sn_random_init(&random, 8);
  for (size_t n = sn_test_cases(500); n > 0; n--) {
    const sn__turn at = random_turn(&random);
    /* (1 - cos(t - at)) (k + cos(t)), k > 1: zero only at `at`, twice */
    const double k = 1.5 + sn_random_unit(&random);
    const double g[6] = {k, 1.0 - k * at.c, -k * at.s, -at.c, -at.s, 0.0};
    sn__turn root[4];
    const int count = sn__circle_roots(g, 1e-9, root);
    assert_true(count >= 1);
    for (int i = 0; i < count; i++) {
      sn_assert_near(turn_distance(root[i], at), 0, 1e-5);
    }
  }
}

static sn__sp5_in random_sp5(sn_random *random, int kind, const sn__turn truth[3]) {
  sn__sp5_in in = {.length = 3.0};
  in.p0 = random_vec3(random);
  in.p2 = random_vec3(random);
  in.p3 = random_vec3(random);
  in.k1 = random_unit(random);
  in.k2 = random_unit(random);
  in.k3 = random_unit(random);
  switch (kind) {
    case 1: /* axes 2 and 3 parallel */
      in.k3 = in.k2;
      break;
    case 2: /* 2 and 3 intersect */
      in.p2 = sn_vec3_make(0, 0, 0);
      break;
    case 3: /* 1 and 2 intersect */
      in.p0 = sn_vec3_make(0, 0, 0);
      break;
    case 4: /* 1 and 2 parallel */
      in.k1 = sn_vec3_neg(in.k2);
      break;
    case 5: /* both pairs intersect, at different points of axis 2 */
      in.p0 = sn_vec3_scale(in.k2, 0.3);
      in.p2 = sn_vec3_scale(in.k2, -0.8);
      break;
    default:
      break;
  }
  const sn_vec3 inner = sn_vec3_add(in.p2, sn__turn_apply(truth[2], in.k3, in.p3));
  const sn_vec3 outer = sn_vec3_sub(sn__turn_apply(truth[1], in.k2, inner), in.p0);
  in.p1 = sn__turn_unapply(truth[0], in.k1, outer);
  return in;
}

SN_TEST(sp5_finds_the_angles_it_was_made_from) {
  sn_random random;
  sn_random_init(&random, 9);
  for (size_t n = sn_test_cases(3000); n > 0; n--) {
    const sn__turn truth[3] = {random_turn(&random), random_turn(&random), random_turn(&random)};
    const sn__sp5_in in = random_sp5(&random, (int)(n % 6), truth);
    sn__turn t[4][3] = {{{1, 0}, {1, 0}, {1, 0}}};
    unsigned any = 0;
    const int count = sn__sp5(&in, 1e-9, &any, t);
    assert_true(count >= 1 && count <= 4);
    assert_int_equal(any, 0);
    double nearest = INFINITY;
    for (int i = 0; i < count; i++) {
      const sn_vec3 outer = sn_vec3_add(in.p0, sn__turn_apply(t[i][0], in.k1, in.p1));
      const sn_vec3 inner = sn_vec3_add(in.p2, sn__turn_apply(t[i][2], in.k3, in.p3));
      sn_assert_near(distance(outer, sn__turn_apply(t[i][1], in.k2, inner)), 0, 1e-6);
      nearest = fmin(nearest, turn_distance(t[i][0], truth[0]) + turn_distance(t[i][1], truth[1]) +
                                  turn_distance(t[i][2], truth[2]));
    }
    sn_assert_near(nearest, 0, 1e-4);
  }
}

SN_TEST(sp6_finds_the_angles_it_was_made_from) {
  sn_random random;
  sn_random_init(&random, 10);
  for (size_t n = sn_test_cases(2000); n > 0; n--) {
    sn__sp6_in in = {.k1 = random_unit(&random), .k2 = random_unit(&random)};
    for (int i = 0; i < 4; i++) {
      in.h[i] = random_unit(&random);
      in.p[i] = random_unit(&random);
    }
    if (n % 2 == 0) {
      in.p[1] = sn_vec3_make(0, 0, 0); /* the first equation has t1 alone */
    }
    const sn__turn r1 = random_turn(&random), r2 = random_turn(&random);
    for (int i = 0; i < 2; i++) {
      in.d[i] = sn_vec3_dot(in.h[2 * i], sn__turn_apply(r1, in.k1, in.p[2 * i])) +
                sn_vec3_dot(in.h[2 * i + 1], sn__turn_apply(r2, in.k2, in.p[2 * i + 1]));
    }
    sn__turn t1[4] = {{1, 0}}, t2[4] = {{1, 0}};
    unsigned any = 0;
    const int count = sn__sp6(&in, 1e-9, &any, t1, t2);
    double nearest = INFINITY;
    for (int i = 0; i < count; i++) {
      nearest = fmin(nearest, turn_distance(t1[i], r1) + turn_distance(t2[i], r2));
    }
    sn_assert_near(nearest, 0, 1e-4);
  }
}

SN_TEST(a_cone_agrees_with_sp4) {
  sn_random random;
  sn_random_init(&random, 11);
  for (size_t n = sn_test_cases(2000); n > 0; n--) {
    const sn_vec3 h = random_unit(&random), k = random_unit(&random), p = random_unit(&random);
    const sn_vec3 v = random_unit(&random);
    sn__cone cone;
    sn__cone_init(&cone, h, k, p);
    sn__turn t[2], u[2];
    const int count = sn__cone_solve(&cone, v, SLACK_ALL, t);
    assert_int_equal(count, sn__sp4(h, p, k, sn_vec3_dot(h, v), SLACK_ALL, u));
    for (int i = 0; i < count; i++) {
      sn_assert_near(fmin(turn_distance(t[i], u[0]), turn_distance(t[i], u[count - 1])), 0, 1e-6);
    }
  }
}

/* A wrist that is stretched up to 1e-9 rad: the cosine of the angle is 1 to the last bit. */
SN_TEST(a_cone_keeps_all_digits_where_the_wrist_is_singular) {
  sn_random random;
  sn_random_init(&random, 12);
  for (size_t n = sn_test_cases(500); n > 0; n--) {
    const sn_vec3 h = random_unit(&random);
    const sn_vec3 off = random_vec3(&random);
    const sn_vec3 side = sn_vec3_cross(h, off);
    const sn_vec3 k = sn_vec3_scale(side, 1.0 / sn_vec3_norm(side));
    const double angle_rad = pow(10.0, sn_random_between(&random, -9, 0));
    const sn_vec3 v = sn__turn_apply(sn__turn_of(angle_rad), k, h);
    sn__cone cone;
    sn__cone_init(&cone, h, k, h);
    sn__turn t[2];
    assert_int_equal(sn__cone_solve(&cone, v, 1e-9, t), 2);
    const double found = fabs(atan2(t[0].s, t[0].c));
    sn_assert_near(found, angle_rad, 1e-6 * angle_rad + 2e-16);
  }
}

SN_TEST(angles_of_turns_are_those_of_the_library) {
  const double corners[] = {0.0, 0.25 * PI, 0.5 * PI, 0.75 * PI, PI};
  sn_random random;
  sn_random_init(&random, 13);
  for (size_t n = sn_test_cases(20000); n > 0; n--) {
    const double corner = corners[n % 5] * (n % 2 == 0 ? 1.0 : -1.0);
    const sn__turn first = random_turn(&random);
    const sn__turn second = sn__turn_of(corner + 1e-9 * sn_random_normal(&random));
    const sn__pair angles = sn__turn_angles(first, second);
    sn_assert_near(angles[0], atan2(first.s, first.c), 1e-15);
    sn_assert_near(angles[1], atan2(second.s, second.c), 1e-15);
  }
}
