#include <string.h>

#include "math/rotation.h"
#include "sinew/quat.h"
#include "sinew/random.h"
#include "sn_test.h"
#include "traj/body_filter.h"
#include "traj/smooth_types.h"

typedef struct fixture {
  sn_arena arena;
  sn__body_filter *filter;
  sn_random random;
  sn_otg_limits limits[SN__BODY_COORDS];
} fixture;

static void open_filter(fixture *f, const char *name, double time_s) {
  *f = (fixture){.filter = NULL};
  sn_arena_init_growing(&f->arena, "filter", 0);
  sn_random_init(&f->random, 5);
  for (size_t i = 0; i < SN__BODY_COORDS; i++) {
    f->limits[i] = i < 3 ? (sn_otg_limits){0.3, 1.0, 10.0} : (sn_otg_limits){1.5, 6.0, 60.0};
  }
  const sn_smooth_config config = {.joint_count = SN__BODY_COORDS,
                                   .transient_time_s = time_s,
                                   .limits = f->limits,
                                   .synchronise = true};
  assert_int_equal(sn__body_filter_create(&f->arena, name, &config, &f->filter, NULL), SN_OK);
}

static void close_filter(fixture *f) {
  sn_arena_release(&f->arena);
}

static sn_vec3 draw_vec3(fixture *f, double size) {
  const sn_vec3 v = {sn_random_normal(&f->random), sn_random_normal(&f->random),
                     sn_random_normal(&f->random)};
  return sn_vec3_scale(v, size * sn_random_unit(&f->random) / sn_vec3_norm(v));
}

static sn_pose draw_pose(fixture *f, double size_m, double size_rad) {
  return (sn_pose){sn__mat3_exp(draw_vec3(f, size_rad)), draw_vec3(f, size_m)};
}

static double angle_between(sn_mat3 a, sn_mat3 b) {
  return sn_vec3_norm(sn_mat3_log(sn_mat3_mul(sn_mat3_transpose(a), b)));
}

/* Oracle: the closed form of a critically damped error, along the line and about the axis. */
SN_TEST(step_response_is_that_of_the_closed_form_at_any_period) {
  static const double periods[] = {1e-3, 5.6e-3, 0.056, 0.5};
  for (size_t p = 0; p < 4; p++) {
    fixture f;
    open_filter(&f, "filter_exp", 0.5);
    const sn__body_state start = {.pose = draw_pose(&f, 1.0, 1.0)};
    const sn_pose goal =
        sn_pose_mul(start.pose, (sn_pose){sn__mat3_exp(draw_vec3(&f, 2.0)), {0.2, -0.1, 0.3}});
    const double w = SN__SMOOTH_RATE / 0.5;
    const double angle = angle_between(start.pose.rot, goal.rot);
    assert_int_equal(sn__body_filter_reset(f.filter, &start, periods[p]), SN_OK);
    for (int k = 1; k <= 200; k++) {
      sn__body_state now;
      assert_int_equal(sn__body_filter_update(f.filter, &goal, NULL, &now), SN_OK);
      const double t = periods[p] * k;
      const double left = (1.0 + w * t) * exp(-w * t), rate = w * w * t * exp(-w * t);
      const sn_vec3 gap = sn_vec3_sub(start.pose.pos, goal.pos);
      sn_assert_vec3_near(now.pose.pos, sn_vec3_add_scaled(goal.pos, left, gap), 1e-12);
      sn_assert_vec3_near(now.twist.lin, sn_vec3_scale(gap, -rate), 1e-11);
      sn_assert_near(angle_between(now.pose.rot, goal.rot), left * angle, 1e-7);
      sn_assert_near(sn_vec3_norm(now.twist.ang), rate * angle, 1e-9);
    }
    close_filter(&f);
  }
}

/* References that jump about, and stay away at times: the velocity is the difference of the poses,
   and it is continuous. */
SN_TEST(motion_is_continuous_whatever_the_reference_does) {
  static const char *const names[] = {"filter_exp", "jerk_limited"};
  for (size_t n = 0; n < 2; n++) {
    fixture f;
    open_filter(&f, names[n], 0.3);
    const double dt = 1e-3, w = SN__SMOOTH_RATE / 0.3;
    sn__body_state last = {.pose = sn_pose_identity()}, now;
    assert_int_equal(sn__body_filter_reset(f.filter, &last, dt), SN_OK);
    sn_pose goal = sn_pose_identity();
    sn_spatial twist = {{0, 0, 0}, {0, 0, 0}};
    for (size_t k = 0; k < sn_test_cases(20000); k++) {
      const uint64_t chance = sn_random_below(&f.random, 100);
      if (chance == 0) {
        goal = draw_pose(&f, 0.5, 3.0);
      }
      twist = chance < 50 ? (sn_spatial){draw_vec3(&f, 0.3), draw_vec3(&f, 0.1)} : twist;
      const sn_pose *to = chance == 1 ? NULL : &goal;
      assert_int_equal(sn__body_filter_update(f.filter, to, n == 0 ? NULL : &twist, &now), SN_OK);
      const sn_vec3 turn = sn_mat3_log(sn_mat3_mul(now.pose.rot, sn_mat3_transpose(last.pose.rot)));
      const sn_vec3 mean = sn_vec3_scale(sn_vec3_add(now.twist.ang, last.twist.ang), 0.5);
      sn_assert_vec3_near(sn_vec3_scale(turn, 1.0 / dt), mean, 0.02);
      const sn_vec3 change = sn_vec3_sub(now.twist.ang, last.twist.ang);
      const sn_vec3 change_lin = sn_vec3_sub(now.twist.lin, last.twist.lin);
      /* The largest acceleration: of the filter from its widest error; of the limits, three axes,
         and what the turning axes add. */
      const double most = n == 0 ? 2.0 * w * w * 3.2 : 6.0 * 1.8 + 2.0;
      assert_true(sn_vec3_norm(change) <= most * dt);
      assert_true(sn_vec3_norm(change_lin) <= (n == 0 ? 2.0 * w * w * 1.0 : 1.0 * 1.74) * dt);
      last = now;
    }
    close_filter(&f);
  }
}

SN_TEST(jerk_limited_body_arrives_and_keeps_to_its_limits) {
  for (size_t round = 0; round < sn_test_cases(30); round++) {
    fixture f;
    open_filter(&f, "jerk_limited", 1.0);
    sn_random_init(&f.random, 100 + round);
    sn__body_state now = {.pose = draw_pose(&f, 1.0, 3.0)};
    const sn_pose goal = draw_pose(&f, 1.0, 3.0), start = now.pose;
    assert_int_equal(sn__body_filter_reset(f.filter, &now, 1e-3), SN_OK);
    const sn_vec3 line = sn_vec3_sub(goal.pos, start.pos);
    for (int k = 0; k < 12000; k++) {
      assert_int_equal(sn__body_filter_update(f.filter, &goal, NULL, &now), SN_OK);
      assert_true(fabs(now.twist.lin.x) <= 0.3 + 1e-9 && fabs(now.twist.lin.z) <= 0.3 + 1e-9);
      assert_true(sn_vec3_norm(now.twist.ang) <= 1.5 * 1.7321 + 1e-9);
      /* Along a line. */
      const sn_vec3 off = sn_vec3_cross(line, sn_vec3_sub(now.pose.pos, start.pos));
      sn_assert_near(sn_vec3_norm(off), 0.0, 1e-6);
    }
    sn_assert_pose_near(now.pose, goal, 1e-9);
    sn_assert_near(sn_vec3_norm(now.twist.lin) + sn_vec3_norm(now.twist.ang), 0.0, 1e-9);
    close_filter(&f);
  }
}

/* A reference with its velocity, on a screw: followed without lag in the end. */
SN_TEST(moving_reference_is_followed_without_lag) {
  static const char *const names[] = {"filter_exp", "jerk_limited"};
  for (size_t n = 0; n < 2; n++) {
    fixture f;
    open_filter(&f, names[n], 0.3);
    const double dt = 1e-3;
    const sn_spatial twist = {{0.2, -0.3, 0.4}, {0.05, 0.1, -0.02}};
    sn__body_state now = {.pose = sn_pose_identity()};
    assert_int_equal(sn__body_filter_reset(f.filter, &now, dt), SN_OK);
    sn_pose goal = {sn__mat3_exp((sn_vec3){0.3, 0.2, -0.5}), {0.1, 0.1, 0.1}};
    for (int k = 0; k < 4000; k++) {
      goal.rot = sn_mat3_mul(sn__mat3_exp(sn_vec3_scale(twist.ang, dt)), goal.rot);
      goal.pos = sn_vec3_add_scaled(goal.pos, dt, twist.lin);
      assert_int_equal(sn__body_filter_update(f.filter, &goal, &twist, &now), SN_OK);
    }
    sn_assert_pose_near(now.pose, goal, 1e-6);
    sn_assert_vec3_near(now.twist.ang, twist.ang, 1e-4);
    sn_assert_vec3_near(now.twist.lin, twist.lin, 1e-6);
    close_filter(&f);
  }
}

SN_TEST(invalid_reference_is_not_passed_on) {
  fixture f;
  open_filter(&f, "filter_exp", 0.1);
  sn__body_state now = {.pose = sn_pose_identity()};
  assert_int_equal(sn__body_filter_update(f.filter, NULL, NULL, &now), SN_ENOTCONFIGURED);
  assert_int_equal(sn__body_filter_reset(f.filter, &now, 1e-3), SN_OK);
  const sn_pose good = {sn__mat3_exp((sn_vec3){0.1, 0, 0}), {0.1, 0, 0}};
  sn_pose bad = good;
  bad.rot.y.z = NAN;
  assert_int_equal(sn__body_filter_update(f.filter, &good, NULL, &now), SN_OK);
  for (int k = 0; k < 1000; k++) {
    assert_int_equal(sn__body_filter_update(f.filter, &bad, NULL, &now), SN_EINVAL);
  }
  sn_assert_pose_near(now.pose, good, 1e-9);
  now.pose.pos.x = INFINITY;
  assert_int_equal(sn__body_filter_reset(f.filter, &now, 1e-3), SN_EINVAL);
  assert_int_equal(sn__body_filter_update(f.filter, NULL, NULL, &now), SN_OK);
  sn_assert_pose_near(now.pose, good, 1e-9);
  close_filter(&f);
}
