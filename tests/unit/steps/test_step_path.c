/* Curves of a step sequence, compared with the formulas that its points were made from. */
#include <math.h>

#include "math/rotation.h"
#include "robot.h"
#include "sn_test.h"
#include "step_fixture.h"
#include "steps/step_path.h"
#include "steps/step_read.h"

typedef struct bench {
  sn_test_robot robot;
  sn_arena arena;
  step_fixture walk;
  sn_step_goal *goal;
  sn__step_sequence sequence;
  sn__step_path path;
} bench;

static void open_bench(bench *b) {
  *b = (bench){.goal = NULL};
  sn_test_robot_load(&b->robot, "quadruped");
  sn_arena_init_growing(&b->arena, "steps", 0);
  b->walk = (step_fixture){b->robot.model, 0.06, 0.3, 1.0};
  b->goal = step_fixture_goal(&b->walk, &b->arena);
}

static void make_path_with(bench *b, double clearance_m) {
  int32_t error;
  sn_error err = {.message = ""};
  if (sn__step_sequence_read(&b->arena, b->robot.model, b->goal, 1e-3, &b->sequence, &error,
                             &err) != SN_OK) {
    fail_msg("%s", err.message);
  }
  assert_true(sn__step_path_create(&b->arena, &b->sequence, clearance_m, &b->path));
}

static void make_path(bench *b) {
  make_path_with(b, 0.0);
}

static void close_bench(bench *b) {
  sn_arena_release(&b->arena);
  sn_test_robot_free(&b->robot);
}

static double angle(sn_mat3 a, sn_mat3 b) {
  return sn_vec3_norm(sn_mat3_log(sn_mat3_mul(a, sn_mat3_transpose(b))));
}

SN_TEST(base_and_feet_follow_the_motion_that_was_sampled) {
  bench b;
  open_bench(&b);
  make_path(&b);
  for (double t = 0.0; t <= b.path.duration_s; t += 0.003) {
    const sn_pose base = sn__step_path_base(&b.path, t).pose;
    const sn_pose true_base = step_fixture_base(&b.walk, t);
    sn_assert_vec3_near(base.pos, true_base.pos, 1e-5);
    sn_assert_near(angle(base.rot, true_base.rot), 0.0, 1e-4);
    for (size_t i = 0; i < STEP_FIXTURE_LEGS; i++) {
      bool contact;
      const sn_pose foot = step_fixture_foot(&b.walk, i, t, &contact);
      /* A swing lasts from half a point earlier to half a point later or less. */
      sn_assert_vec3_near(sn__step_path_foot(&b.path, i, t).pose.pos, foot.pos, 2e-3);
    }
  }
  close_bench(&b);
}

SN_TEST(points_are_met_exactly_in_position_and_velocity) {
  bench b;
  open_bench(&b);
  make_path(&b);
  for (size_t k = 0; k < STEP_FIXTURE_POINTS; k++) {
    const sn__step_motion m = sn__step_path_base(&b.path, b.sequence.times[k]);
    sn_assert_vec3_near(m.pose.pos, b.sequence.base[k].pose.pos, 1e-12);
    sn_assert_vec3_near(m.twist.lin, b.sequence.base[k].twist.lin, 1e-9);
    sn_assert_vec3_near(m.twist.ang, b.sequence.base[k].twist.ang, 1e-6);
    sn_assert_near(angle(m.pose.rot, b.sequence.base[k].pose.rot), 0.0, 1e-9);
  }
  close_bench(&b);
}

SN_TEST(twist_is_the_rate_of_the_pose) {
  bench b;
  open_bench(&b);
  make_path(&b);
  const double h = 1e-6;
  for (double t = 0.011; t < b.path.duration_s - h; t += 0.017) {
    for (size_t i = 0; i <= STEP_FIXTURE_LEGS; i++) {
      const sn__step_motion m =
          i == 0 ? sn__step_path_base(&b.path, t) : sn__step_path_foot(&b.path, i - 1, t);
      const sn_pose before =
          (i == 0 ? sn__step_path_base(&b.path, t - h) : sn__step_path_foot(&b.path, i - 1, t - h))
              .pose;
      const sn_pose after =
          (i == 0 ? sn__step_path_base(&b.path, t + h) : sn__step_path_foot(&b.path, i - 1, t + h))
              .pose;
      const sn_vec3 turn = sn_mat3_log(sn_mat3_mul(after.rot, sn_mat3_transpose(before.rot)));
      sn_assert_vec3_near(m.twist.lin, sn_vec3_scale(sn_vec3_sub(after.pos, before.pos), 0.5 / h),
                          1e-5);
      sn_assert_vec3_near(m.twist.ang, sn_vec3_scale(turn, 0.5 / h), 1e-4);
    }
  }
  close_bench(&b);
}

SN_TEST(foot_in_contact_does_not_move) {
  bench b;
  open_bench(&b);
  make_path(&b);
  for (size_t i = 0; i < STEP_FIXTURE_LEGS; i++) {
    sn__step_motion last = sn__step_path_foot(&b.path, i, 0.0);
    size_t contacts = 0;
    for (double t = 0.001; t < b.path.duration_s; t += 0.001) {
      const sn__step_motion m = sn__step_path_foot(&b.path, i, t);
      if (m.contact && last.contact) {
        sn_assert_vec3_near(m.pose.pos, last.pose.pos, 1e-15);
        contacts++;
      }
      last = m;
    }
    assert_true(contacts > 2000);
  }
  close_bench(&b);
}

SN_TEST(foot_lifts_and_lands_half_way_between_points) {
  bench b;
  open_bench(&b);
  make_path(&b);
  const sn__step_point *points = b.sequence.limbs[0].points;
  size_t changes = 0;
  for (size_t k = 1; k < STEP_FIXTURE_POINTS; k++) {
    const double a = b.sequence.times[k - 1], z = b.sequence.times[k];
    if (points[k - 1].contact != points[k].contact) {
      assert_int_equal(sn__step_path_foot(&b.path, 0, 0.6 * a + 0.4 * z).contact,
                       points[k - 1].contact);
      assert_int_equal(sn__step_path_foot(&b.path, 0, 0.4 * a + 0.6 * z).contact,
                       points[k].contact);
      changes++;
    }
  }
  assert_int_equal(changes, 2);
  close_bench(&b);
}

SN_TEST(twists_that_contradict_positions_are_not_followed) {
  bench b;
  open_bench(&b);
  for (size_t k = 1; k + 1 < STEP_FIXTURE_POINTS; k++) {
    b.goal->base_motion.points.data[k].twist.lin.y += k % 2 == 0 ? 0.2 : -0.2;
  }
  make_path(&b);
  assert_true(b.path.twist_mismatch_m_s > 0.1);
  for (double t = 0.0; t <= b.path.duration_s; t += 0.003) {
    sn_assert_vec3_near(sn__step_path_base(&b.path, t).pose.pos, step_fixture_base(&b.walk, t).pos,
                        1e-4);
  }
  close_bench(&b);
}

/* Feet in the air are raised, those in contact are not, and the twist is the rate of the pose. */
SN_TEST(clearance_raises_feet_in_the_air_only) {
  bench b;
  open_bench(&b);
  make_path(&b);
  const sn__step_path plain = b.path;
  const double clearance_m = 0.01, h = 1e-6;
  make_path_with(&b, clearance_m);
  double most[STEP_FIXTURE_LEGS] = {0};
  for (double t = 0.011; t < b.path.duration_s - h; t += 0.007) {
    for (size_t i = 0; i < STEP_FIXTURE_LEGS; i++) {
      const sn__step_motion was = sn__step_path_foot(&plain, i, t);
      const sn__step_motion now = sn__step_path_foot(&b.path, i, t);
      const double up = now.pose.pos.z - was.pose.pos.z;
      assert_int_equal(now.contact, was.contact);
      assert_true(up >= (now.contact ? 0.0 : -1e-4) &&
                  up <= (now.contact ? 0.0 : 1.01 * clearance_m));
      const double rate = (sn__step_path_foot(&b.path, i, t + h).pose.pos.z -
                           sn__step_path_foot(&b.path, i, t - h).pose.pos.z) /
                          (2.0 * h);
      sn_assert_near(now.twist.lin.z, rate, 1e-5);
      most[i] = fmax(most[i], up);
    }
  }
  for (size_t i = 0; i < STEP_FIXTURE_LEGS; i++) {
    sn_assert_near(most[i], clearance_m, 1e-6);
  }
  close_bench(&b);
}
