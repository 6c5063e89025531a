/* A plan: the least stretch that the drives can follow, reach, and balance, each checked along the
   whole way by other means than the plan uses. */
#include <math.h>
#include <stdio.h>

#include "dyn/support_polygon.h"
#include "robot.h"
#include "sn_test.h"
#include "step_fixture.h"
#include "steps/step_read.h"
#include "steps/step_solve.h"

enum { JOINTS_MAX = 64, LEG_JOINTS = 6 };

typedef struct bench {
  sn_test_robot robot;
  sn_arena arena;
  step_fixture walk;
  size_t n;
  double start[JOINTS_MAX];
  sn__step_drive drives[JOINTS_MAX];
  sn__limb_ik limbs[STEP_FIXTURE_LEGS];
  sn__step_leg legs[STEP_FIXTURE_LEGS];
  sn_balance *balance;
  sn__step_sequence sequence;
  sn__step_plan plan;
  sn__step_trouble trouble;
  double lower[STEP_FIXTURE_LEGS][LEG_JOINTS], upper[STEP_FIXTURE_LEGS][LEG_JOINTS];
  bool has_limits; /* of the inverse kinematics */
  double reach_m, reach_rad;
  sn_error err;
} bench;

static void open_bench(bench *b, double forward_m, double scale) {
  *b = (bench){.balance = NULL};
  sn_test_robot_load(&b->robot, "quadruped");
  sn_arena_init_growing(&b->arena, "steps", 0);
  b->walk = (step_fixture){b->robot.model, forward_m, 0.0, scale};
  b->n = sn_model_pose_size(b->robot.model);
  step_fixture_stand(b->robot.model, b->start);
  for (size_t j = 0; j < b->n; j++) {
    b->drives[j] = (sn__step_drive){.speed_max = INFINITY, .torque_max = INFINITY};
  }
  assert_int_equal(sn__balance_create(&b->arena, b->robot.model, &b->balance, NULL), SN_OK);
}

static void close_bench(bench *b) {
  sn_arena_release(&b->arena);
  sn_test_robot_free(&b->robot);
}

static void create_legs(bench *b) {
  for (size_t i = 0; i < STEP_FIXTURE_LEGS; i++) {
    const sn__limb_ik_config config = {.model = b->robot.model,
                                       .chain = b->sequence.limbs[i].chain,
                                       .with_virtual = true,
                                       .jump_max = 0.4,
                                       .timeout_s = 0.05,
                                       .goes_near = true,
                                       .weight_position = 1.0,
                                       .weight_rotation = 1.0,
                                       .lower = b->has_limits ? b->lower[i] : NULL,
                                       .upper = b->has_limits ? b->upper[i] : NULL};
    assert_int_equal(sn__limb_ik_create(&b->arena, &config, &b->limbs[i], NULL), SN_OK);
    b->legs[i] = (sn__step_leg){config.chain, &b->limbs[i]};
  }
}

static sn_status make_plan(bench *b, double margin_m) {
  int32_t error;
  const sn_step_goal *goal = step_fixture_goal(&b->walk, &b->arena);
  assert_int_equal(
      sn__step_sequence_read(&b->arena, b->robot.model, goal, 1e-3, &b->sequence, &error, &b->err),
      SN_OK);
  create_legs(b);
  const sn__step_plan_config config = {.model = b->robot.model,
                                       .legs = b->legs,
                                       .drives = b->drives,
                                       .start = b->start,
                                       .balance = b->balance,
                                       .margin_m = margin_m,
                                       .reach_m = b->reach_m,
                                       .reach_rad = b->reach_rad};
  return sn__step_plan_create(&b->arena, &b->sequence, &config, &b->plan, &b->trouble, &b->err);
}

/* Joint speeds from the limbs' ends: each is moved by a little time and solved again. */
static double fastest(bench *b, double *q) {
  const double h = 1e-3;
  double speed = 0.0, last[JOINTS_MAX];
  memcpy(q, b->start, b->n * sizeof *q);
  for (double t = 0.0; t <= sn__step_plan_duration(&b->plan); t += h) {
    memcpy(last, q, b->n * sizeof *q);
    for (size_t i = 0; i < STEP_FIXTURE_LEGS; i++) {
      const sn_pose target = sn_pose_between(sn__step_plan_base(&b->plan, t).pose,
                                             sn__step_plan_foot(&b->plan, i, t).pose);
      assert_true(sn__step_leg_solve(&b->legs[i], target, q));
    }
    for (size_t j = 0; t > 0.0 && j < b->n; j++) {
      speed = fmax(speed, fabs(q[j] - last[j]) / h);
    }
  }
  return speed;
}

SN_TEST(strong_drives_need_no_stretch) {
  bench b;
  open_bench(&b, 0.05, 1.0);
  assert_int_equal(make_plan(&b, -1.0), SN_OK);
  assert_true(b.plan.stretch == 1.0);
  sn_assert_near(sn__step_plan_duration(&b.plan), 3.0, 1e-12);
  close_bench(&b);
}

SN_TEST(slow_drives_stretch_as_much_as_they_need) {
  bench b;
  double q[JOINTS_MAX];
  open_bench(&b, 0.05, 0.5);
  const double limit = 1.5;
  for (size_t j = 0; j < b.n; j++) {
    b.drives[j].speed_max = limit;
  }
  assert_int_equal(make_plan(&b, -1.0), SN_OK);
  assert_true(b.plan.stretch > 1.2);
  const double speed = fastest(&b, q);
  assert_true(speed <= 1.05 * limit);
  assert_true(speed >= 0.9 * limit); /* not more than needed */
  close_bench(&b);
}

SN_TEST(weak_drives_stretch_until_their_torque_suffices) {
  bench b;
  open_bench(&b, 0.05, 0.5);
  for (size_t j = 0; j < b.n; j++) {
    b.drives[j] = (sn__step_drive){.speed_max = INFINITY, .torque_max = 2.4, .viscous = 1.0};
  }
  assert_int_equal(make_plan(&b, -1.0), SN_OK);
  assert_true(b.plan.stretch > 1.2);
  double worst = 0.0, qd[JOINTS_MAX], qdd[JOINTS_MAX], tau[JOINTS_MAX];
  for (size_t k = 0; k < b.plan.sample_count; k++) {
    sn_support supports[STEP_FIXTURE_LEGS];
    const sn__step_plan_config config = {.model = b.robot.model, .legs = b.legs};
    sn__step_rates(&b.plan, k, b.n, qd, qdd);
    const sn_balance_input input = {
        .q = &b.plan.q[k * b.n],
        .qd = qd,
        .qdd = qdd,
        .supports = supports,
        .support_count = sn__step_supports(&b.plan, &config, k, supports),
        .gravity = {0, 0, -9.81},
        .friction = 0.6};
    sn__balance_step(b.balance, &input, tau, NULL);
    for (size_t j = 0; j < b.n; j++) {
      worst = fmax(worst, fabs(tau[j] + qd[j]));
    }
  }
  assert_true(worst <= 2.4 * 1.001);
  assert_true(worst >= 2.4 * 0.9);
  close_bench(&b);
}

SN_TEST(point_out_of_reach_is_named_with_limb_and_time) {
  bench b;
  open_bench(&b, 0.4, 1.0);
  assert_int_equal(make_plan(&b, -1.0), SN_EINVAL);
  assert_true(b.trouble.limb < STEP_FIXTURE_LEGS);
  assert_true(b.trouble.time_s > 0.0 && b.trouble.time_s < 3.0);
  sn_assert_contains(b.err.message, "cannot reach its pose at");
  sn_assert_contains(b.err.message, "limb 'leg");
  sn_assert_contains(b.err.message, " m and ");
  char point[32]; /* the first one at or after that time */
  snprintf(point, sizeof point, "(point %d)", (int)ceil(b.trouble.time_s / 0.05 - 1e-9));
  sn_assert_contains(b.err.message, point);
  close_bench(&b);
}

/* A point that is missed by a little is approached, and by how much is reported. */
SN_TEST(point_that_is_nearly_within_reach_is_approached) {
  bench b;
  open_bench(&b, 0.4, 1.0);
  b.reach_m = b.reach_rad = 10.0;
  assert_int_equal(make_plan(&b, -1.0), SN_OK);
  const sn__step_trouble worst = b.plan.nearest;
  assert_true(worst.short_m > 1e-3);
  const double t = worst.time_s;
  const size_t k = (size_t)lround(t / b.plan.sample_s);
  const sn_pose wanted = sn_pose_between(sn__step_path_base(&b.plan.path, t).pose,
                                         sn__step_path_foot(&b.plan.path, worst.limb, t).pose);
  const sn_pose got = sn__step_leg_end(&b.legs[worst.limb], &b.plan.q[k * b.n]);
  sn_assert_near(sn_vec3_norm(sn_vec3_sub(wanted.pos, got.pos)), worst.short_m, 1e-9);
  b.reach_m = 0.99 * worst.short_m;
  assert_int_equal(make_plan(&b, -1.0), SN_EINVAL);
  b.reach_m = 1.01 * worst.short_m;
  assert_int_equal(make_plan(&b, -1.0), SN_OK);
  close_bench(&b);
}

/* The margin of the centre of mass in the polygon of the feet in contact; slow enough, so that it
   is that of the zero-moment point. */
static double least_margin(bench *b) {
  const sn_plane ground = {{0, 0, 1}, 0.0};
  double least = INFINITY, tau[JOINTS_MAX];
  for (size_t k = 0; k < b->plan.sample_count; k++) {
    const double t = b->plan.stretch * b->plan.sample_s * (double)k;
    sn_vec3 feet[STEP_FIXTURE_LEGS], corners[STEP_FIXTURE_LEGS];
    size_t count = 0;
    for (size_t i = 0; i < STEP_FIXTURE_LEGS; i++) {
      const sn__step_motion foot = sn__step_plan_foot(&b->plan, i, t);
      if (foot.contact) {
        feet[count++] = foot.pose.pos;
      }
    }
    sn_balance_result result;
    const sn_balance_input input = {
        .q = &b->plan.q[k * b->n], .gravity = {0, 0, -9.81}, .friction = 0.6};
    sn__balance_step(b->balance, &input, tau, &result);
    const sn_vec3 com = sn_pose_apply(sn__step_plan_base(&b->plan, t).pose, result.com);
    const size_t corner_count = sn__support_polygon(ground, feet, count, corners);
    least = fmin(least, sn__support_margin(ground, corners, corner_count, com));
  }
  return least;
}

SN_TEST(body_is_shifted_over_the_feet_that_carry_it) {
  bench b;
  open_bench(&b, 0.03, 6.0);
  assert_int_equal(make_plan(&b, -1.0), SN_OK);
  const double planned = least_margin(&b);
  assert_true(planned < 0.0); /* as planned it would tip over */
  assert_int_equal(make_plan(&b, 0.01), SN_OK);
  assert_true(b.plan.shift_max > 0.005);
  assert_true(least_margin(&b) > 0.0);
  /* It begins and ends where it was planned. */
  const double end_s = sn__step_plan_duration(&b.plan);
  sn_assert_vec3_near(sn__step_plan_base(&b.plan, 0.0).pose.pos,
                      step_fixture_base(&b.walk, 0.0).pos, 1e-9);
  sn_assert_vec3_near(sn__step_plan_base(&b.plan, end_s).pose.pos,
                      step_fixture_base(&b.walk, end_s).pos, 1e-9);
  close_bench(&b);
}

/* The joints get little more room than the sequence needs as it is. */
static void limit_joints(bench *b) {
  for (size_t i = 0; i < STEP_FIXTURE_LEGS; i++) {
    for (size_t j = 0; j < LEG_JOINTS; j++) {
      b->lower[i][j] = INFINITY;
      b->upper[i][j] = -INFINITY;
      for (size_t k = 0; k < b->plan.sample_count; k++) {
        const double q = b->plan.q[k * b->n + (size_t)b->limbs[i].joints[j]];
        b->lower[i][j] = fmin(b->lower[i][j], q - 0.05);
        b->upper[i][j] = fmax(b->upper[i][j], q + 0.05);
      }
    }
  }
  b->has_limits = true;
}

/* A shift that a leg cannot follow is reduced; the sequence is not rejected for it. */
SN_TEST(shift_is_reduced_where_it_is_out_of_reach) {
  bench b;
  open_bench(&b, 0.03, 2.0);
  assert_int_equal(make_plan(&b, 0.02), SN_OK);
  const double wanted_m = b.plan.shift_max;
  assert_int_equal(make_plan(&b, -1.0), SN_OK);
  limit_joints(&b);
  assert_int_equal(make_plan(&b, 0.02), SN_OK);
  assert_true(b.plan.shift_max > 1e-4 && b.plan.shift_max < 0.9 * wanted_m);
  for (size_t k = 0; k < b.plan.sample_count; k++) {
    const double t = b.plan.stretch * b.plan.sample_s * (double)k;
    for (size_t i = 0; i < STEP_FIXTURE_LEGS; i++) {
      const sn_pose target = sn_pose_between(sn__step_plan_base(&b.plan, t).pose,
                                             sn__step_plan_foot(&b.plan, i, t).pose);
      const sn_pose end = sn__step_leg_end(&b.legs[i], &b.plan.q[k * b.n]);
      sn_assert_vec3_near(end.pos, target.pos, 1e-4);
    }
  }
  close_bench(&b);
}
