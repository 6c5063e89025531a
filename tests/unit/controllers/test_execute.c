#include "allocation.h"
#include "controllers/execute.h"
#include "robot.h"
#include "sinew/random.h"
#include "sn_test.h"

enum { MS = 1000000, JOINTS_MAX = 64, GOAL_JOINTS = 3, POINTS = 4 };
static const double PERIOD_S = 1e-3;
static const int goal_joints[GOAL_JOINTS] = {7, 2, 11};
static const double none[GOAL_JOINTS] = {0};

/* The quadruped's joints with a plant that follows the command, with an error. */
typedef struct bench {
  sn_test_robot robot;
  sn_arena arena;
  size_t n;
  sn_execute *execute;
  int64_t now_ns;
  double q[JOINTS_MAX], qd[JOINTS_MAX], qdd[JOINTS_MAX];
  double error[JOINTS_MAX]; /* measured minus commanded */
  bool is_measured;
} bench;

static void bench_open(bench *b) {
  *b = (bench){.now_ns = 0};
  sn_test_robot_load(&b->robot, "quadruped");
  sn_arena_init_growing(&b->arena, "execute", 0);
  b->n = sn_model_pose_size(b->robot.model);
  const sn_execute_config config = {.model = b->robot.model};
  assert_int_equal(sn__execute_create(&b->arena, &config, &b->execute, NULL), SN_OK);
  for (size_t j = 0; j < b->n; j++) {
    sn__execute_seed(b->execute, j, 0.01 * (double)j, 0.0);
  }
}

static void bench_close(bench *b) {
  sn_arena_release(&b->arena);
  sn_test_robot_free(&b->robot);
}

static sn_execute_state step(bench *b) {
  double measured[JOINTS_MAX];
  for (size_t j = 0; j < b->n; j++) {
    measured[j] = b->q[j] + b->error[j];
  }
  const sn_smooth_state out = {b->q, b->qd, b->qdd};
  sn_execute_state state = SN_EXECUTE_NONE;
  sn_assert_no_heap(
      state = sn__execute_step(b->execute, b->now_ns, b->is_measured ? measured : NULL, &out));
  b->now_ns += MS;
  return state;
}

/* Steps until the goal has ended, or the time is over. */
static sn_execute_state run(bench *b, double duration_s) {
  sn_execute_state state = SN_EXECUTE_NONE;
  const int64_t end_ns = b->now_ns + (int64_t)(1e9 * duration_s);
  while (state < SN_EXECUTE_DONE && b->now_ns < end_ns) {
    state = step(b);
  }
  return state;
}

/* A trajectory from near the seeds, with positions only. */
static sn_execute_goal make_goal(bench *b, const double *q, size_t count, double first_s) {
  double time_s[POINTS];
  for (size_t i = 0; i < count; i++) {
    time_s[i] = first_s + 0.5 * (double)i;
  }
  const sn_trajectory_points points = {
      .joint_count = GOAL_JOINTS, .point_count = count, .time_s = time_s, .q = q};
  sn_execute_goal goal = {.joints = goal_joints,
                          .start_tolerance = none,
                          .path_tolerance = none,
                          .goal_tolerance = none};
  assert_int_equal(sn__trajectory_create(&b->arena, &points, &goal.trajectory, NULL), SN_OK);
  return goal;
}

static const double way[POINTS][GOAL_JOINTS] = {
    {0.1, 0.2, -0.1}, {0.3, 0.1, -0.2}, {0.2, 0.0, -0.3}, {0.0, -0.1, -0.1}};

SN_TEST(goal_is_followed_and_the_other_joints_are_held) {
  bench b;
  bench_open(&b);
  const sn_execute_goal goal = make_goal(&b, &way[0][0], POINTS, 0.5);
  (void)step(&b);
  assert_int_equal(sn__execute_begin(b.execute, &goal), -1);
  const int64_t start_ns = b.now_ns;
  while (b.now_ns <= start_ns + 2000 * MS) {
    const sn_execute_state now = step(&b);
    const double t = 1e-9 * (double)(b.now_ns - MS - start_ns);
    assert_int_equal(now, t < 2.0 ? SN_EXECUTE_MOVING : SN_EXECUTE_DONE);
    const double point = (t - 0.5) / 0.5;
    for (size_t i = 0; i < GOAL_JOINTS && point >= 0.0 && point == floor(point); i++) {
      sn_assert_near(b.q[goal_joints[i]], way[(size_t)point][i], 1e-12);
    }
    assert_true(b.q[5] == 0.05 && b.qd[5] == 0.0);
  }
  assert_int_equal(step(&b), SN_EXECUTE_NONE); /* the final state is returned once */
  sn_assert_near(b.q[7], 0.0, 1e-12);
  bench_close(&b);
}

/* Whatever happens and when: the position is that of the velocity, and neither jumps. */
SN_TEST(nothing_makes_the_command_jump) {
  bench b;
  bench_open(&b);
  sn_random random;
  sn_random_init(&random, 1);
  double q[JOINTS_MAX];
  double qd[JOINTS_MAX];
  (void)step(&b);
  for (size_t round = 0; round < sn_test_cases(300); round++) {
    double points[POINTS][GOAL_JOINTS];
    for (size_t i = 0; i < POINTS; i++) {
      for (size_t j = 0; j < GOAL_JOINTS; j++) {
        points[i][j] = sn_random_between(&random, -0.3, 0.3);
      }
    }
    const sn_execute_goal goal = make_goal(&b, &points[0][0], POINTS, 0.5);
    assert_int_equal(sn__execute_begin(b.execute, &goal), -1);
    for (uint64_t k = sn_random_below(&random, 3000); k > 0; k--) {
      memcpy(q, b.q, sizeof q);
      memcpy(qd, b.qd, sizeof qd);
      (void)step(&b);
      for (size_t i = 0; i < GOAL_JOINTS; i++) {
        const int j = goal_joints[i];
        sn_assert_near(b.q[j] - q[j], PERIOD_S * 0.5 * (qd[j] + b.qd[j]), 1e-5);
        sn_assert_near(b.qd[j], qd[j], 0.1);
      }
    }
    if (sn_random_unit(&random) < 0.3) {
      sn__execute_cancel(b.execute);
    }
  }
  bench_close(&b);
}

SN_TEST(cancelled_goal_ends_in_a_stop_within_the_limits) {
  bench b;
  bench_open(&b);
  const sn_execute_goal goal = make_goal(&b, &way[0][0], POINTS, 0.5);
  assert_int_equal(sn__execute_begin(b.execute, &goal), -1);
  (void)run(&b, 0.25);
  assert_true(fabs(b.qd[2]) > 0.05);
  sn__execute_cancel(b.execute);
  assert_int_equal(step(&b), SN_EXECUTE_CANCELLED);
  assert_int_equal(run(&b, 2.0), SN_EXECUTE_NONE);
  for (size_t i = 0; i < GOAL_JOINTS; i++) {
    assert_true(b.qd[goal_joints[i]] == 0.0);
  }
  sn__execute_cancel(b.execute); /* there is nothing to cancel */
  assert_int_equal(step(&b), SN_EXECUTE_NONE);
  bench_close(&b);
}

SN_TEST(joint_off_the_path_ends_the_goal) {
  static const double tolerance[GOAL_JOINTS] = {0.0, 0.05, 0.0};
  bench b;
  bench_open(&b);
  b.is_measured = true;
  sn_execute_goal goal = make_goal(&b, &way[0][0], POINTS, 0.5);
  goal.path_tolerance = tolerance;
  b.error[7] = 1.0; /* has no tolerance */
  assert_int_equal(sn__execute_begin(b.execute, &goal), -1);
  assert_int_equal(run(&b, 0.3), SN_EXECUTE_MOVING);
  b.error[2] = 0.06;
  assert_int_equal(run(&b, 0.1), SN_EXECUTE_OFF_PATH);
  assert_int_equal(sn__execute_failed_joint(b.execute), 1);
  b.error[2] = NAN; /* as good as lost */
  assert_int_equal(sn__execute_begin(b.execute, &goal), -1);
  assert_int_equal(run(&b, 0.1), SN_EXECUTE_OFF_PATH);
  bench_close(&b);
}

SN_TEST(joint_may_arrive_late_within_the_goal_time) {
  static const double tolerance[GOAL_JOINTS] = {0.01, 0.01, 0.01};
  for (int comes = 0; comes < 2; comes++) {
    bench b;
    bench_open(&b);
    b.is_measured = true;
    sn_execute_goal goal = make_goal(&b, &way[0][0], POINTS, 0.5);
    goal.goal_tolerance = tolerance;
    goal.goal_time_s = 0.3;
    b.error[11] = 0.02;
    assert_int_equal(sn__execute_begin(b.execute, &goal), -1);
    assert_int_equal(run(&b, 2.2), SN_EXECUTE_SETTLING);
    b.error[11] = comes ? 0.005 : 0.02;
    assert_int_equal(run(&b, 0.2), comes ? SN_EXECUTE_DONE : SN_EXECUTE_OFF_GOAL);
    assert_int_equal(sn__execute_failed_joint(b.execute), comes ? -1 : 2);
    bench_close(&b);
  }
}

SN_TEST(goal_that_begins_too_far_away_is_refused) {
  static const double tolerance[GOAL_JOINTS] = {0.1, 0.1, 0.1};
  bench b;
  bench_open(&b);
  sn_execute_goal goal = make_goal(&b, &way[0][0], POINTS, 0.0);
  goal.start_tolerance = tolerance;
  assert_int_equal(sn__execute_begin(b.execute, &goal), 1); /* 0.2 from 0.02 */
  assert_int_equal(step(&b), SN_EXECUTE_NONE);
  sn__execute_seed(b.execute, 2, 0.15, 0.0);
  sn__execute_seed(b.execute, 11, -0.05, 0.0);
  assert_int_equal(sn__execute_begin(b.execute, &goal), -1);
  bench_close(&b);
}

SN_TEST(goal_waits_for_its_time) {
  bench b;
  bench_open(&b);
  (void)step(&b);
  sn_execute_goal goal = make_goal(&b, &way[0][0], POINTS, 0.5);
  goal.start_ns = 100 * MS + MS / 2;
  assert_int_equal(sn__execute_begin(b.execute, &goal), -1);
  while (b.now_ns <= 100 * MS) {
    assert_int_equal(step(&b), SN_EXECUTE_WAITING);
    assert_true(b.q[7] == 0.07);
  }
  assert_int_equal(step(&b), SN_EXECUTE_MOVING);
  while (b.now_ns <= 2100 * MS) {
    assert_int_equal(step(&b), SN_EXECUTE_MOVING);
  }
  assert_int_equal(step(&b), SN_EXECUTE_DONE);
  bench_close(&b);
}

SN_TEST(joint_that_is_taken_over_again_cancels_the_goal) {
  bench b;
  bench_open(&b);
  const sn_execute_goal goal = make_goal(&b, &way[0][0], POINTS, 0.5);
  assert_int_equal(sn__execute_begin(b.execute, &goal), -1);
  (void)run(&b, 0.1);
  sn__execute_seed(b.execute, 5, 0.3, 0.0); /* no joint of the goal */
  assert_int_equal(step(&b), SN_EXECUTE_MOVING);
  sn__execute_seed(b.execute, 11, 0.2, 0.0);
  assert_int_equal(step(&b), SN_EXECUTE_CANCELLED);
  sn_assert_near(b.q[11], 0.2, 1e-12);
  bench_close(&b);
}
