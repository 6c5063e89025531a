#include "random_tree.h"
#include "sinew/kin.h"
#include "sn_test.h"

#define BODIES_MAX 25
#define ENTRIES_MAX (BODIES_MAX + 4)
#define STEP 1e-6

typedef struct fixture {
  sn_arena arena;
  sn_random random;
  const sn_tree *tree;
  sn_kin_data *data;
  double q[ENTRIES_MAX], qd[ENTRIES_MAX];
} fixture;

static void draw(fixture *f) {
  sn_arena_init_growing(&f->arena, "tree", 0);
  f->tree = sn_test_any_tree(&f->arena, &f->random, BODIES_MAX);
  assert_int_equal(sn_kin_create(&f->arena, f->tree, &f->data, NULL), SN_OK);
  sn_arena_seal(&f->arena);
  sn_test_random_vector(&f->random, f->tree->coord_count, 3.0, f->q);
  sn_test_random_vector(&f->random, f->tree->coord_count, 2.0, f->qd);
}

/* q at a moment near now. */
static void at_time(const fixture *f, double t, double *q) {
  for (size_t j = 0; j < f->tree->coord_count; j++) {
    q[j] = f->q[j] + t * f->qd[j];
  }
}

static sn_vec3 turn_rate(sn_mat3 before, sn_mat3 after, double dt_s) {
  return sn_vec3_scale(sn_mat3_log(sn_mat3_mul(after, sn_mat3_transpose(before))), 1.0 / dt_s);
}

SN_TEST(poses_are_products_of_joints) {
  fixture f;
  sn_random_init(&f.random, 21);
  for (size_t round = 0; round < sn_test_cases(2000); round++) {
    draw(&f);
    sn_kin_update(f.data, f.q);
    for (int i = -1; i < (int)f.tree->body_count; i++) {
      sn_assert_pose_near(sn_kin_body_pose(f.data, i), sn_test_body_pose(f.tree, i, f.q), 1e-13);
    }
    sn_arena_release(&f.arena);
  }
}

SN_TEST(twists_are_rates_of_poses) {
  fixture f;
  sn_random_init(&f.random, 22);
  for (size_t round = 0; round < sn_test_cases(1000); round++) {
    draw(&f);
    sn_kin_update_velocity(f.data, f.q, f.qd);
    double before[ENTRIES_MAX], after[ENTRIES_MAX];
    at_time(&f, -STEP, before);
    at_time(&f, STEP, after);
    for (int i = -1; i < (int)f.tree->body_count; i++) {
      const sn_link link = {.body = i, .pose_body_link = sn_test_random_pose(&f.random, 0.5)};
      const sn_pose a = sn_pose_mul(sn_test_body_pose(f.tree, i, before), link.pose_body_link);
      const sn_pose b = sn_pose_mul(sn_test_body_pose(f.tree, i, after), link.pose_body_link);
      const sn_spatial twist = sn_kin_link_twist(f.data, &link);
      const double tol = 1e-7; /* a dozen joints at 2 rad/s have large third derivatives */
      sn_assert_vec3_near(twist.ang, turn_rate(a.rot, b.rot, 2 * STEP), tol);
      sn_assert_vec3_near(twist.lin, sn_vec3_scale(sn_vec3_sub(b.pos, a.pos), 0.5 / STEP), tol);
    }
    sn_arena_release(&f.arena);
  }
}

static sn_spatial times(const double *jac, const double *qd, size_t n) {
  double out[6] = {0};
  for (size_t row = 0; row < 6; row++) {
    for (size_t j = 0; j < n; j++) {
      out[row] += jac[row * n + j] * qd[j];
    }
  }
  return (sn_spatial){{out[0], out[1], out[2]}, {out[3], out[4], out[5]}};
}

/* For every velocity the Jacobian gives the twist, here in three frames; since velocities are
   random and trees are many, this pins every column. */
SN_TEST(jacobian_times_velocity_is_the_twist) {
  fixture f;
  sn_random_init(&f.random, 23);
  for (size_t round = 0; round < sn_test_cases(3000); round++) {
    draw(&f);
    sn_kin_update_velocity(f.data, f.q, f.qd);
    const size_t n = f.tree->coord_count;
    const int body = (int)sn_random_below(&f.random, f.tree->body_count + 1) - 1;
    const sn_link link = {.body = body, .pose_body_link = sn_test_random_pose(&f.random, 0.5)};
    const sn_pose tip = sn_kin_link_pose(f.data, &link);
    const sn_spatial twist = sn_kin_link_twist(f.data, &link);
    double jac[6 * ENTRIES_MAX];

    sn_kin_jacobian(f.data, link.body, link.pose_body_link, SN_JAC_ALIGNED, jac);
    sn_spatial v = times(jac, f.qd, n);
    sn_assert_vec3_near(v.ang, twist.ang, 1e-12);
    sn_assert_vec3_near(v.lin, twist.lin, 1e-12);

    sn_kin_jacobian(f.data, link.body, link.pose_body_link, SN_JAC_TIP, jac);
    v = times(jac, f.qd, n);
    sn_assert_vec3_near(sn_mat3_apply(tip.rot, v.ang), twist.ang, 1e-12);
    sn_assert_vec3_near(sn_mat3_apply(tip.rot, v.lin), twist.lin, 1e-12);
    const sn_spatial in_base = sn_spatial_motion_out(tip, v);

    sn_kin_jacobian(f.data, link.body, link.pose_body_link, SN_JAC_BASE, jac);
    v = times(jac, f.qd, n);
    sn_assert_vec3_near(v.ang, in_base.ang, 1e-11);
    sn_assert_vec3_near(v.lin, in_base.lin, 1e-11);
    sn_arena_release(&f.arena);
  }
}

SN_TEST(entries_that_move_nothing_have_zero_columns) {
  fixture f;
  sn_random_init(&f.random, 24);
  for (size_t round = 0; round < sn_test_cases(500); round++) {
    draw(&f);
    sn_kin_update(f.data, f.q);
    const size_t n = f.tree->coord_count;
    const int body = (int)sn_random_below(&f.random, f.tree->body_count);
    bool moves[ENTRIES_MAX] = {false};
    for (int i = body; i >= 0; i = f.tree->parent[i]) {
      moves[f.tree->coord[i]] = true;
    }
    double jac[6 * ENTRIES_MAX];
    sn_kin_jacobian(f.data, body, sn_pose_identity(), SN_JAC_ALIGNED, jac);
    for (size_t j = 0; j < n; j++) {
      for (size_t row = 0; !moves[j] && row < 6; row++) {
        sn_assert_near(jac[row * n + j], 0.0, 0.0);
      }
    }
    sn_arena_release(&f.arena);
  }
}

SN_TEST(jacobian_dot_is_the_rate_of_the_jacobian) {
  fixture f;
  sn_random_init(&f.random, 25);
  for (size_t round = 0; round < sn_test_cases(1500); round++) {
    draw(&f);
    const size_t n = f.tree->coord_count;
    const int body = (int)sn_random_below(&f.random, f.tree->body_count);
    const sn_link link = {.body = body, .pose_body_link = sn_test_random_pose(&f.random, 0.5)};
    const sn_jac_frame frame = (sn_jac_frame)(round % 3);
    double q[ENTRIES_MAX], rate[6 * ENTRIES_MAX], before[6 * ENTRIES_MAX], after[6 * ENTRIES_MAX];
    at_time(&f, -STEP, q);
    sn_kin_update(f.data, q);
    sn_kin_jacobian(f.data, link.body, link.pose_body_link, frame, before);
    at_time(&f, STEP, q);
    sn_kin_update(f.data, q);
    sn_kin_jacobian(f.data, link.body, link.pose_body_link, frame, after);
    sn_kin_update_velocity(f.data, f.q, f.qd);
    sn_kin_jacobian_dot(f.data, link.body, link.pose_body_link, frame, rate);
    for (size_t k = 0; k < 6 * n; k++) {
      sn_assert_near(rate[k], (after[k] - before[k]) / (2 * STEP), 2e-7);
    }
    sn_arena_release(&f.arena);
  }
}

SN_TEST(full_arena_is_reported_and_left_as_it_was) {
  fixture f;
  sn_random_init(&f.random, 26);
  draw(&f);
  static double memory[8];
  sn_arena small;
  sn_arena_init(&small, "small", memory, sizeof memory);
  sn_kin_data *data = NULL;
  sn_error err;
  assert_int_equal(sn_kin_create(&small, f.tree, &data, &err), SN_ENOMEM);
  assert_null(data);
  sn_assert_contains(err.message, "small");
  assert_int_equal(sn_arena_used(&small), 0);
  sn_arena_release(&f.arena);
}
