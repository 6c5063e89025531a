/* Recordings by hand become clean movements, which keep to the limits at any speed. */
#include <math.h>

#include "movements/hand_recording.h"
#include "movements/pace.h"
#include "robot.h"
#include "sinew/random.h"
#include "sn_test.h"

enum { JOINTS = 6, SAMPLES = 250 };
static const double INTERVAL_S = 0.02;
static const int ARM[] = {0, 2};

typedef struct fixture {
  sn_test_robot robot;
  sn_arena arena;
  sn__hand_recording take;
  sn_error err;
} fixture;

static void open_fixture(fixture *f) {
  sn_test_robot_load(&f->robot, "desk_arm");
  sn_arena_init_growing(&f->arena, "take", 0);
  assert_true(sn__hand_recording_create(&f->arena, JOINTS, INTERVAL_S, 10.0, &f->take));
}

static void close_fixture(fixture *f) {
  sn_arena_release(&f->arena);
  sn_test_robot_free(&f->robot);
}

/* A second of rest, two seconds of a swing with a turn, two seconds of rest. */
static double shown(size_t joint, double t_s) {
  const double u = fmin(fmax((t_s - 1.0) / 2.0, 0.0), 1.0);
  const double s = u * u * u * (10.0 + u * (6.0 * u - 15.0));
  return joint == 0 ? s : 0.4 * sin(3.0 * s);
}

static void record(fixture *f, double (*motion)(size_t, double)) {
  sn_random random;
  sn_random_init(&random, 7);
  for (int k = 0; k < SAMPLES; k++) {
    double q[JOINTS] = {0};
    for (size_t i = 0; i < 2; i++) {
      const double seen = motion(i, INTERVAL_S * k) + 3e-4 * sn_random_normal(&random);
      q[ARM[i]] = 0.0015 * rint(seen / 0.0015);
    }
    assert_true(sn__hand_recording_take(&f->take, q, llround(1e9 * INTERVAL_S) * k));
  }
}

static sn_joint_trajectory *clean(fixture *f) {
  static const sn__hand_cleaning cleaning = {.rest_tolerance = 0.01, .smoothing_s = 0.04};
  sn_trajectory_goal *goal = sn__hand_recording_trajectory(&f->take, f->robot.model, ARM, 2,
                                                           &cleaning, &f->arena, &f->err);
  return goal == NULL ? NULL : &goal->trajectory;
}

SN_TEST(rests_at_the_ends_are_cut_off_and_noise_is_smoothed) {
  fixture f;
  open_fixture(&f);
  record(&f, shown);
  const sn_joint_trajectory *t = clean(&f);
  assert_non_null(t);
  const size_t count = t->points.count;
  const double length_s = 1e-9 * (double)t->points.data[count - 1].time_from_start_ns;
  /* The swing leaves the tolerance 0.2 s after its begin, and 0.12 s stay at each end. */
  assert_true(length_s > 1.5 && length_s < 2.1);
  assert_int_equal(t->points.data[0].time_from_start_ns, 0);
  assert_int_equal(t->joint_names.count, 2);
  /* Where in the recording did it begin? There the first joint, at its middle, says so. */
  size_t middle = 0;
  while (t->points.data[middle].positions.data[0] < 0.5) {
    middle++;
  }
  const sn_joint_trajectory_point *m = &t->points.data[middle];
  const double begin_s = 2.0 + (m->positions.data[0] - 0.5) / m->velocities.data[0] -
                         1e-9 * (double)m->time_from_start_ns;
  for (size_t k = 0; k < count; k++) {
    const double at_s = begin_s + 1e-9 * (double)t->points.data[k].time_from_start_ns;
    for (size_t i = 0; i < 2; i++) {
      const double h = 1e-4;
      const double slope = (shown(i, at_s + h) - shown(i, at_s - h)) / (2.0 * h);
      sn_assert_near(t->points.data[k].positions.data[i], shown(i, at_s), 4e-3);
      sn_assert_near(t->points.data[k].velocities.data[i], slope, 0.05);
    }
  }
  for (size_t i = 0; i < 2; i++) {
    assert_true(t->points.data[0].velocities.data[i] == 0.0);
    assert_true(t->points.data[count - 1].velocities.data[i] == 0.0);
  }
  close_fixture(&f);
}

static double nothing(size_t joint, double t_s) {
  (void)t_s;
  return 0.1 * (double)joint;
}

SN_TEST(recordings_without_motion_are_kept_whole) {
  fixture f;
  open_fixture(&f);
  assert_null(clean(&f));
  sn_assert_contains(f.err.message, "nothing was measured");
  record(&f, nothing);
  const sn_joint_trajectory *t = clean(&f);
  assert_non_null(t);
  const sn_joint_trajectory_point *last = &t->points.data[t->points.count - 1];
  sn_assert_near(1e-9 * (double)last->time_from_start_ns, (SAMPLES - 1) * INTERVAL_S, 1e-6);
  sn_assert_near(last->positions.data[1], 0.1, 2e-3);
  close_fixture(&f);
}

/* ---- speeds ---- */

/* Two points at rest: a cubic over a second, at most 1.5 w rad/s and 6 w rad/s² fast. */
static sn__movement make_cubic(fixture *f, double way) {
  const sn_msg_capacity room = {.item_count = 2, .text_size = 64};
  sn_trajectory_goal *goal = sn_msg_create(&f->arena, &sn_trajectory_goal_type, &room);
  sn_joint_trajectory *t = &goal->trajectory;
  assert_int_equal(sn_msg_names_add(&t->joint_names, "elbow_flex", 10), SN_OK);
  t->points.count = 2;
  for (size_t k = 0; k < 2; k++) {
    t->points.data[k].time_from_start_ns = (int64_t)k * 1000000000;
    t->points.data[k].positions.count = t->points.data[k].velocities.count = 1;
    t->points.data[k].positions.data[0] = way * (double)k;
  }
  return (sn__movement){.name = "cubic", .kind = SN__MOVEMENT_JOINT_TRAJECTORY, .trajectory = goal};
}

SN_TEST(limits_of_velocity_and_acceleration_bound_the_speed) {
  fixture f;
  open_fixture(&f);
  static const double ways[] = {0.01, 0.3, 1.2, 3.0};
  for (size_t i = 0; i < 4; i++) {
    double factor = 0.0;
    const sn__movement cubic = make_cubic(&f, ways[i]);
    const sn_joint_trajectory *t = &cubic.trajectory->trajectory;
    assert_int_equal(sn__pace_limit(f.robot.model, t, &f.arena, &factor, &f.err), SN_OK);
    /* desk_arm: 4 rad/s, reached in a quarter of a second */
    sn_assert_near(factor, fmax(1.5 * ways[i] / 4.0, sqrt(6.0 * ways[i] / 16.0)), 1e-3);
  }
  close_fixture(&f);
}

SN_TEST(speeds_change_times_and_derivatives) {
  fixture f;
  open_fixture(&f);
  sn__movement cubic = make_cubic(&f, 0.3);
  sn_joint_trajectory *t = &cubic.trajectory->trajectory;
  t->points.data[0].velocities.data[0] = 0.2;
  assert_int_equal(sn__pace_set(f.robot.model, &cubic, 0.5, false, &f.arena, &f.err), SN_OK);
  assert_int_equal(t->points.data[1].time_from_start_ns, 2000000000);
  sn_assert_near(t->points.data[0].velocities.data[0], 0.1, 1e-15);
  assert_int_equal(sn__pace_set(f.robot.model, &cubic, 10.0, false, &f.arena, &f.err), SN_OK);
  double factor = 0.0;
  assert_int_equal(sn__pace_limit(f.robot.model, t, &f.arena, &factor, &f.err), SN_OK);
  sn_assert_near(factor, 1.0, 1e-6); /* it is at its limits */
  assert_int_equal(sn__pace_set(f.robot.model, &cubic, 0.0, true, &f.arena, &f.err), SN_OK);
  assert_int_equal(t->points.data[1].time_from_start_ns, 0);
  assert_int_equal(t->points.data[0].velocities.count, 0);
  static const double bad[] = {0.09, 11.0, -1.0, NAN, INFINITY};
  for (size_t i = 0; i < 5; i++) {
    assert_int_equal(sn__pace_set(f.robot.model, &cubic, bad[i], false, &f.arena, &f.err),
                     SN_EINVAL);
    sn_assert_contains(f.err.message, "must be 0.1 .. 10");
  }
  cubic.kind = SN__MOVEMENT_STEP_SEQUENCE;
  assert_int_equal(sn__pace_set(f.robot.model, &cubic, 2.0, false, &f.arena, &f.err),
                   SN_EUNSUPPORTED);
  close_fixture(&f);
}
