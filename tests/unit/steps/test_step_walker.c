/* The closed loop about a plan, with a base that is where the test says. */
#include <math.h>

#include "allocation.h"
#include "math/rotation.h"
#include "robot.h"
#include "sn_test.h"
#include "step_fixture.h"
#include "steps/step_read.h"
#include "steps/step_solve.h"
#include "steps/step_walker.h"

enum { JOINTS_MAX = 64 };
static const double DT_S = 0.005;

typedef struct bench {
  sn_test_robot robot;
  sn_arena arena;
  step_fixture walk;
  double q[JOINTS_MAX];
  sn__limb_ik limbs[STEP_FIXTURE_LEGS];
  sn__step_leg legs[STEP_FIXTURE_LEGS];
  sn__step_sequence sequence;
  sn__step_plan plan;
  sn__step_walker walker;
} bench;

static void open_bench(bench *b) {
  *b = (bench){.walker = {.gains = {.kp = 1.0,
                                    .ki = 2.0,
                                    .kp_tilt = 1.0,
                                    .ki_tilt = 2.0,
                                    .smoothing_s = 0.01,
                                    .shift_max_m = 0.02,
                                    .tilt_max_rad = 0.1,
                                    .yaw_max_rad = 0.2}}};
  sn_test_robot_load(&b->robot, "quadruped");
  sn_arena_init_growing(&b->arena, "steps", 0);
  b->walk = (step_fixture){b->robot.model, 0.05, 0.1, 1.0};
  step_fixture_stand(b->robot.model, b->q);
  const sn_step_goal *goal = step_fixture_goal(&b->walk, &b->arena);
  int32_t error;
  assert_int_equal(
      sn__step_sequence_read(&b->arena, b->robot.model, goal, 1e-3, &b->sequence, &error, NULL),
      SN_OK);
  static sn__step_drive drives[JOINTS_MAX];
  for (size_t j = 0; j < JOINTS_MAX; j++) {
    drives[j] = (sn__step_drive){.speed_max = INFINITY, .torque_max = INFINITY};
  }
  for (size_t i = 0; i < STEP_FIXTURE_LEGS; i++) {
    const sn__limb_ik_config config = {.model = b->robot.model,
                                       .chain = b->sequence.limbs[i].chain,
                                       .with_virtual = true,
                                       .jump_max = 0.4,
                                       .timeout_s = 0.05};
    assert_int_equal(sn__limb_ik_create(&b->arena, &config, &b->limbs[i], NULL), SN_OK);
    b->legs[i] = (sn__step_leg){config.chain, &b->limbs[i]};
  }
  const sn__step_plan_config config = {
      .model = b->robot.model, .legs = b->legs, .drives = drives, .start = b->q, .margin_m = -1.0};
  assert_int_equal(sn__step_plan_create(&b->arena, &b->sequence, &config, &b->plan, NULL, NULL),
                   SN_OK);
  sn__step_walker_begin(&b->walker, &b->plan, b->legs, sn_pose_identity(), false);
}

static void close_bench(bench *b) {
  sn_arena_release(&b->arena);
  sn_test_robot_free(&b->robot);
}

static void step(bench *b, double time_s, const sn__step_feedback *feedback) {
  sn_assert_no_heap(sn__step_walker_step(&b->walker, time_s, DT_S, feedback, b->q));
}

/* The base of the plan, displaced. */
static sn__step_feedback seen_at(const bench *b, double time_s, sn_vec3 off, double yaw) {
  sn__step_feedback f = {.has_base = true, .base = sn__step_plan_base(&b->plan, time_s).pose};
  f.base.pos = sn_vec3_add(f.base.pos, off);
  f.base.rot = sn_mat3_mul(sn_mat3_from_rpy(0, 0, yaw), f.base.rot);
  return f;
}

SN_TEST(without_a_base_the_plan_is_commanded) {
  bench b;
  open_bench(&b);
  const sn__step_feedback nothing = {.has_base = false};
  for (double t = 0.0; t < 3.0; t += DT_S) {
    step(&b, t, &nothing);
    for (size_t i = 0; i < STEP_FIXTURE_LEGS; i++) {
      const sn_pose target = sn_pose_between(sn__step_plan_base(&b.plan, t).pose,
                                             sn__step_plan_foot(&b.plan, i, t).pose);
      assert_false(b.walker.feet[i].failed);
      sn_assert_vec3_near(sn__step_leg_end(&b.legs[i], b.q).pos, target.pos, 1e-5);
    }
  }
  close_bench(&b);
}

SN_TEST(legs_in_contact_push_the_base_back_within_bounds) {
  bench b;
  open_bench(&b);
  const sn_vec3 off = {0.004, -0.003, 0.0};
  for (int i = 0; i < 30; i++) {
    const sn__step_feedback f = seen_at(&b, 0.0, off, 0.02);
    step(&b, 0.0, &f);
  }
  const sn_pose wanted = b.walker.base_wanted, command = b.walker.base_command;
  const sn_vec3 move = sn_vec3_sub(command.pos, wanted.pos);
  assert_true(sn_vec3_dot(move, off) < -0.9 * sn_vec3_dot(off, off));
  assert_true(sn_mat3_log(sn_mat3_mul(command.rot, sn_mat3_transpose(wanted.rot))).z < -0.018);
  for (int i = 0; i < 1000; i++) { /* it never moves: the integral is bounded */
    const sn__step_feedback f = seen_at(&b, 0.0, off, 0.02);
    step(&b, 0.0, &f);
  }
  const sn_vec3 most = sn_vec3_sub(b.walker.base_command.pos, wanted.pos);
  sn_assert_near(sn_vec3_norm(most), b.walker.gains.shift_max_m, 1e-9);
  close_bench(&b);
}

SN_TEST(swinging_foot_lands_on_its_foothold_though_the_base_is_elsewhere) {
  bench b;
  open_bench(&b);
  const sn_vec3 off = {0.01, 0.006, 0.0};
  size_t checks[STEP_FIXTURE_LEGS] = {0};
  for (double t = 0.0; t < 3.0; t += DT_S) {
    const sn__step_feedback f = seen_at(&b, t, off, 0.03);
    step(&b, t, &f);
    for (size_t i = 0; i < STEP_FIXTURE_LEGS; i++) {
      const sn__step_foot *foot = &b.walker.feet[i];
      if (!foot->contact && foot->freedom >= 1.0) { /* the second half of its way */
        const sn_pose at = sn_pose_mul(f.base, foot->target);
        sn_assert_vec3_near(at.pos, foot->foothold.pos, 1e-4);
        checks[i]++;
      }
    }
  }
  for (size_t i = 0; i < STEP_FIXTURE_LEGS; i++) {
    assert_true(checks[i] > 30);
  }
  close_bench(&b);
}

SN_TEST(drift_of_the_height_is_ignored) {
  bench b;
  open_bench(&b);
  const sn_vec3 drift = {0.0, 0.0, 0.04};
  for (int i = 0; i < 100; i++) {
    sn__step_feedback f = seen_at(&b, 0.0, drift, 0.0);
    f.q = b.q;
    step(&b, 0.0, &f);
  }
  sn_assert_near(b.walker.error_pos.z, 0.0, 1e-3);
  close_bench(&b);
}

SN_TEST(it_stands_where_the_plan_ended) {
  bench b;
  open_bench(&b);
  const double end_s = sn__step_plan_duration(&b.plan);
  for (double t = 0.0; t < end_s + DT_S; t += DT_S) {
    const sn__step_feedback f = seen_at(&b, t, (sn_vec3){0, 0, 0}, 0.0);
    step(&b, t, &f);
  }
  const sn_pose wanted = b.walker.base_wanted;
  const sn__step_feedback f = seen_at(&b, end_s, (sn_vec3){0, 0, 0}, 0.0);
  sn__step_walker_stand(&b.walker);
  step(&b, 0.0, &f);
  sn_assert_vec3_near(b.walker.base_wanted.pos, wanted.pos, 0.0);
  sn_assert_vec3_near(b.walker.base_twist.lin, sn_vec3_make(0, 0, 0), 0.0);
  close_bench(&b);
}
