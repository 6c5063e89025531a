#include "allocation.h"
#include "sinew/random.h"
#include "sn_test.h"
#include "traj/trajectory.h"

enum { N = 3, POINTS_MAX = 12 };

/* A random trajectory and the polynomials that it was taken from. */
typedef struct course {
  sn_arena arena;
  size_t count;
  double time_s[POINTS_MAX];
  double q[POINTS_MAX * N], qd[POINTS_MAX * N], qdd[POINTS_MAX * N];
  double poly[N][6];
  sn_trajectory *trajectory;
} course;

typedef struct joints {
  double q[N], qd[N], qdd[N];
} joints;

static sn_smooth_state of(joints *j) {
  return (sn_smooth_state){j->q, j->qd, j->qdd};
}

static joints poly_at(const course *c, int degree, double t) {
  joints out = {0};
  for (int j = 0; j < N; j++) {
    for (int k = degree; k >= 0; k--) {
      out.qdd[j] = out.qdd[j] * t + 2.0 * out.qd[j];
      out.qd[j] = out.qd[j] * t + out.q[j];
      out.q[j] = out.q[j] * t + c->poly[j][k];
    }
  }
  return out;
}

/* Points on polynomials of this degree; the higher the degree, the more is given. */
static void open_course(course *c, sn_random *random, int degree, bool from_zero) {
  *c = (course){.count = 2 + (size_t)(sn_random_unit(random) * (POINTS_MAX - 2))};
  sn_arena_init_growing(&c->arena, "trajectory", 0);
  for (int j = 0; j < N; j++) {
    for (int k = 0; k <= degree; k++) {
      c->poly[j][k] = 2.0 * sn_random_unit(random) - 1.0;
    }
  }
  double t = from_zero ? 0.0 : 0.1;
  for (size_t i = 0; i < c->count; i++, t += 0.01 + 0.5 * sn_random_unit(random)) {
    c->time_s[i] = t;
    const joints at = poly_at(c, degree, t);
    memcpy(c->q + i * N, at.q, sizeof at.q);
    memcpy(c->qd + i * N, at.qd, sizeof at.qd);
    memcpy(c->qdd + i * N, at.qdd, sizeof at.qdd);
  }
  const sn_trajectory_points points = {.joint_count = N,
                                       .point_count = c->count,
                                       .time_s = c->time_s,
                                       .q = c->q,
                                       .qd = degree >= 3 ? c->qd : NULL,
                                       .qdd = degree >= 5 ? c->qdd : NULL};
  sn_error err = {.message = ""};
  const sn_status status = sn__trajectory_create(&c->arena, &points, &c->trajectory, &err);
  assert_string_equal(err.message, "");
  assert_int_equal(status, SN_OK);
  sn_arena_seal(&c->arena);
}

static void close_course(course *c) {
  sn_arena_release(&c->arena);
}

static void assert_same(const joints *a, const joints *b, double tol) {
  for (int j = 0; j < N; j++) {
    sn_assert_near(a->q[j], b->q[j], tol);
    sn_assert_near(a->qd[j], b->qd[j], 10 * tol);
    sn_assert_near(a->qdd[j], b->qdd[j], 1000 * tol);
  }
}

/* Points with velocities taken from cubics, and with accelerations from quintics, give these back:
   all of them, since the start has its state, too. */
SN_TEST(polynomials_are_given_back) {
  sn_random random;
  sn_random_init(&random, 1);
  for (size_t round = 0; round < sn_test_cases(500); round++) {
    for (int degree = 3; degree <= 5; degree += 2) {
      course c;
      open_course(&c, &random, degree, round % 2 == 0);
      joints start = poly_at(&c, degree, 0.0);
      const sn_smooth_state begin = of(&start);
      sn__trajectory_start(c.trajectory, &begin, NULL);
      for (int i = 0; i < 50; i++) {
        const double t = sn_random_unit(&random) * 0.9999 * sn__trajectory_duration(c.trajectory);
        joints at;
        const sn_smooth_state out = of(&at);
        sn__trajectory_at(c.trajectory, t, &out);
        const joints expected = poly_at(&c, degree, t);
        assert_same(&at, &expected, 1e-9);
      }
      close_course(&c);
    }
  }
}

/* Without velocities: through every point, never beyond two neighbours, at rest in the end, and the
   velocity is that of the positions. */
SN_TEST(positions_alone_are_joined_without_turning_back) {
  sn_random random;
  sn_random_init(&random, 2);
  for (size_t round = 0; round < sn_test_cases(500); round++) {
    course c;
    open_course(&c, &random, 2, false);
    joints start = {.q = {0.3, -0.2, 0.1}};
    const sn_smooth_state begin = of(&start);
    sn__trajectory_start(c.trajectory, &begin, NULL);
    const double *before = start.q;
    double t0 = 0.0;
    for (size_t k = 0; k < c.count; before = c.q + k * N, t0 = c.time_s[k], k++) {
      for (int i = 0; i <= 20; i++) {
        const double t = t0 + (c.time_s[k] - t0) * i / 20.0;
        joints at;
        joints later;
        const sn_smooth_state out = of(&at);
        const sn_smooth_state next = of(&later);
        sn__trajectory_at(c.trajectory, t, &out);
        sn__trajectory_at(c.trajectory, t + 1e-7, &next);
        for (int j = 0; j < N; j++) {
          const double low = fmin(before[j], c.q[k * N + (size_t)j]);
          const double high = fmax(before[j], c.q[k * N + (size_t)j]);
          assert_true(at.q[j] >= low - 1e-12 && at.q[j] <= high + 1e-12);
          sn_assert_near((later.q[j] - at.q[j]) / 1e-7, at.qd[j], 1e-3);
        }
      }
      joints at;
      const sn_smooth_state out = of(&at);
      sn__trajectory_at(c.trajectory, c.time_s[k], &out);
      for (size_t j = 0; j < N; j++) {
        sn_assert_near(at.q[j], c.q[k * N + j], 1e-12);
        assert_true(k + 1 < c.count || at.qd[j] == 0.0);
      }
    }
    close_course(&c);
  }
}

SN_TEST(joints_rest_before_and_after_the_trajectory) {
  sn_random random;
  sn_random_init(&random, 3);
  course c;
  open_course(&c, &random, 3, false);
  joints start = {.q = {1.0, 2.0, 3.0}};
  const sn_smooth_state begin = of(&start);
  sn__trajectory_start(c.trajectory, &begin, NULL);
  joints at;
  const sn_smooth_state out = of(&at);
  sn__trajectory_at(c.trajectory, -5.0, &out);
  sn_assert_near(at.q[2], 3.0, 0.0);
  sn__trajectory_at(c.trajectory, 1e9, &out);
  for (size_t j = 0; j < N; j++) {
    assert_true(at.q[j] == sn__trajectory_last(c.trajectory, j));
    assert_true(at.qd[j] == 0.0 && at.qdd[j] == 0.0);
  }
  close_course(&c);
}

SN_TEST(continuous_joint_begins_close_by) {
  sn_random random;
  sn_random_init(&random, 4);
  const bool is_turn[N] = {true, false, true};
  for (int from_zero = 0; from_zero < 2; from_zero++) {
    course c;
    open_course(&c, &random, 2, from_zero == 1);
    joints start = {.q = {20.0, 20.0, -7.0}};
    const sn_smooth_state begin = of(&start);
    sn__trajectory_start(c.trajectory, &begin, is_turn);
    assert_int_equal(sn__trajectory_has_begin(c.trajectory), from_zero);
    for (size_t j = 0; j < N; j++) {
      const double turns = (sn__trajectory_first(c.trajectory, j) - c.q[j]) / (2.0 * acos(-1.0));
      sn_assert_near(turns, is_turn[j] ? rint((start.q[j] - c.q[j]) / (2.0 * acos(-1.0))) : 0.0,
                     1e-12);
    }
    sn__trajectory_start(c.trajectory, &begin, NULL); /* nothing adds up */
    assert_true(sn__trajectory_first(c.trajectory, 0) == c.q[0]);
    close_course(&c);
  }
}

static void assert_refused(const sn_trajectory_points *points, const char *why) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "trajectory", 0);
  sn_trajectory *none = NULL;
  sn_error err = {.message = ""};
  assert_int_equal(sn__trajectory_create(&arena, points, &none, &err), SN_EINVAL);
  sn_assert_contains(err.message, why);
  assert_null(none);
  sn_arena_release(&arena);
}

SN_TEST(bad_points_are_rejected_with_their_number) {
  const double good[4] = {0.0, 0.1, 0.2, 0.3};
  const double nan_at_2[4] = {0.0, 0.1, NAN, 0.3};
  const double times[2] = {0.5, 1.0};
  const double back[2] = {0.5, 0.5};
  const double early[2] = {-0.5, 0.5};
  const double zero = 0.0;
  sn_trajectory_points p = {2, 2, times, good, NULL, NULL};
  p.q = nan_at_2;
  assert_refused(&p, "point 1: position of joint 0 is nan");
  p.q = good;
  p.qd = nan_at_2;
  assert_refused(&p, "point 1: velocity of joint 0 is nan");
  p.qd = NULL;
  p.qdd = good;
  assert_refused(&p, "accelerations are given, but no velocities");
  p.qdd = NULL;
  p.time_s = back;
  assert_refused(&p, "point 1 is at 0.5 s, not later");
  p.time_s = early;
  assert_refused(&p, "point 0 is at -0.5 s");
  p.time_s = &zero;
  p.point_count = 1;
  assert_refused(&p, "no time to reach it");
  p.point_count = 0;
  assert_refused(&p, "0 points");
}

SN_TEST(motion_touches_no_heap) {
  sn_random random;
  sn_random_init(&random, 5);
  course c;
  open_course(&c, &random, 5, true);
  joints at = {0};
  const sn_smooth_state out = of(&at);
  for (int i = 0; i < 1000; i++) {
    sn_assert_no_heap(sn__trajectory_start(c.trajectory, &out, NULL);
                      sn__trajectory_at(c.trajectory, 0.01 * i, &out));
  }
  close_course(&c);
}
