#include "math/rotation.h"
#include "random_tree.h"
#include "sinew/dyn.h"
#include "sinew/kin.h"
#include "sn_test.h"

#define BODIES_MAX 15
#define ENTRIES_MAX (BODIES_MAX + 10)
#define STEP 1e-6

typedef struct fixture {
  sn_arena arena;
  sn_random random;
  sn_tree *tree;
  sn_dyn_data *dyn;
  sn_kin_data *kin;
  double q[ENTRIES_MAX], qd[ENTRIES_MAX], tau[ENTRIES_MAX];
} fixture;

static void draw(fixture *f) {
  sn_arena_init_growing(&f->arena, "tree", 1 << 16);
  f->tree = sn_test_any_tree(&f->arena, &f->random, BODIES_MAX);
  assert_int_equal(sn_dyn_create(&f->arena, f->tree, &f->dyn, NULL), SN_OK);
  assert_int_equal(sn_kin_create(&f->arena, f->tree, &f->kin, NULL), SN_OK);
  sn_test_random_vector(&f->random, f->tree->coord_count, 3.0, f->q);
  sn_test_random_vector(&f->random, f->tree->coord_count, 2.0, f->qd);
  sn_test_random_vector(&f->random, f->tree->coord_count, 20.0, f->tau);
}

static sn_vec3 plain_com(const fixture *f, const double *q) {
  sn_vec3 h = f->tree->base_inertia.h;
  double mass_kg = f->tree->base_inertia.mass_kg;
  for (size_t i = 0; i < f->tree->body_count; i++) {
    const sn_inertia inertia = f->tree->inertia[i];
    const sn_vec3 centre = sn_vec3_scale(inertia.h, 1.0 / inertia.mass_kg);
    const sn_vec3 at = sn_pose_apply(sn_test_body_pose(f->tree, (int)i, q), centre);
    h = sn_vec3_add_scaled(h, inertia.mass_kg, at);
    mass_kg += inertia.mass_kg;
  }
  sn_assert_near(sn_dyn_total_mass(f->dyn), mass_kg, 1e-12);
  return sn_vec3_scale(h, 1.0 / mass_kg);
}

SN_TEST(centre_of_mass_and_its_jacobian_are_those_of_the_bodies) {
  fixture f;
  sn_random_init(&f.random, 51);
  for (size_t round = 0; round < sn_test_cases(500); round++) {
    draw(&f);
    const size_t n = f.tree->coord_count;
    double jac[3 * ENTRIES_MAX];
    sn_vec3 com;
    sn_dyn_com_jacobian(f.dyn, f.q, &com, jac);
    sn_assert_vec3_near(com, plain_com(&f, f.q), 1e-12);
    sn_assert_vec3_near(sn_dyn_com(f.dyn, f.q), com, 1e-13);
    for (size_t j = 0; j < n; j++) {
      double q[ENTRIES_MAX];
      memcpy(q, f.q, n * sizeof *q);
      q[j] = f.q[j] + STEP;
      const sn_vec3 ahead = plain_com(&f, q);
      q[j] = f.q[j] - STEP;
      const sn_vec3 rate = sn_vec3_scale(sn_vec3_sub(ahead, plain_com(&f, q)), 0.5 / STEP);
      sn_assert_vec3_near(sn_vec3_make(jac[j], jac[n + j], jac[2 * n + j]), rate, 1e-8);
    }
    sn_arena_release(&f.arena);
  }
}

/* Body by body, in an inertial frame that coincides with the base. */
static sn_spatial plain_momentum(const fixture *f, sn_spatial base_twist) {
  sn_kin_update_velocity(f->kin, f->q, f->qd);
  sn_spatial sum = sn_inertia_apply(f->tree->base_inertia, base_twist);
  for (size_t i = 0; i < f->tree->body_count; i++) {
    const sn_pose pose = sn_kin_body_pose(f->kin, (int)i);
    const sn_spatial relative = sn_kin_body_twist(f->kin, (int)i);
    const sn_spatial carried = sn_spatial_motion_in(pose, base_twist);
    const sn_spatial own = {sn_mat3_apply_transposed(pose.rot, relative.ang),
                            sn_mat3_apply_transposed(pose.rot, relative.lin)};
    const sn_spatial momentum = sn_inertia_apply(f->tree->inertia[i], sn_spatial_add(own, carried));
    sum = sn_spatial_add(sum, sn_spatial_force_out(pose, momentum));
  }
  const sn_vec3 com = plain_com(f, f->q);
  return (sn_spatial){sn_vec3_sub(sum.ang, sn_vec3_cross(com, sum.lin)), sum.lin};
}

SN_TEST(momentum_is_the_sum_over_bodies) {
  fixture f;
  sn_random_init(&f.random, 52);
  for (size_t round = 0; round < sn_test_cases(1000); round++) {
    draw(&f);
    const sn_base_state base = {.pose_world_base = sn_pose_identity(),
                                .twist = sn_test_random_spatial(&f.random, 2.0)};
    const sn_spatial moving = sn_dyn_momentum(f.dyn, &base, f.q, f.qd);
    const sn_spatial expected = plain_momentum(&f, base.twist);
    sn_assert_vec3_near(moving.ang, expected.ang, 1e-10);
    sn_assert_vec3_near(moving.lin, expected.lin, 1e-10);
    const sn_spatial fixed = sn_dyn_momentum(f.dyn, NULL, f.q, f.qd);
    const sn_spatial expected_fixed = plain_momentum(&f, sn_spatial_zero());
    sn_assert_vec3_near(fixed.ang, expected_fixed.ang, 1e-10);
    sn_assert_vec3_near(fixed.lin, expected_fixed.lin, 1e-10);
    sn_arena_release(&f.arena);
  }
}

/* The state a short time later: explicit in the accelerations, exact in the base's rotation. */
typedef struct flight {
  double q[ENTRIES_MAX], qd[ENTRIES_MAX];
  sn_base_state base;
} flight;

static flight later(const fixture *f, const sn_base_state *base, sn_spatial acceleration,
                    const double *qdd, double dt_s) {
  flight next = {.base = *base};
  const sn_spatial twist = sn_spatial_add(base->twist, sn_spatial_scale(acceleration, 0.5 * dt_s));
  const sn_mat3 rot = base->pose_world_base.rot;
  next.base.pose_world_base.rot = sn_mat3_mul(rot, sn__mat3_exp(sn_vec3_scale(twist.ang, dt_s)));
  next.base.pose_world_base.pos =
      sn_vec3_add_scaled(base->pose_world_base.pos, dt_s, sn_mat3_apply(rot, twist.lin));
  next.base.twist = sn_spatial_add(base->twist, sn_spatial_scale(acceleration, dt_s));
  for (size_t j = 0; j < f->tree->coord_count; j++) {
    next.q[j] = f->q[j] + dt_s * f->qd[j] + 0.5 * dt_s * dt_s * qdd[j];
    next.qd[j] = f->qd[j] + dt_s * qdd[j];
  }
  return next;
}

static sn_spatial momentum_in_world(const fixture *f, const flight *s) {
  const sn_spatial p = sn_dyn_momentum(f->dyn, &s->base, s->q, s->qd);
  const sn_mat3 rot = s->base.pose_world_base.rot;
  return (sn_spatial){sn_mat3_apply(rot, p.ang), sn_mat3_apply(rot, p.lin)};
}

/* Whatever the joints do, a robot in free flight falls like a stone and keeps its spin. */
SN_TEST(joint_forces_do_not_change_the_flight) {
  fixture f;
  sn_random_init(&f.random, 53);
  for (size_t round = 0; round < sn_test_cases(500); round++) {
    draw(&f);
    const sn_base_state base = {.pose_world_base = sn_test_random_pose(&f.random, 1.0),
                                .twist = sn_test_random_spatial(&f.random, 1.0)};
    const sn_dyn_world world = {.gravity = sn_test_random_vec3(&f.random, 10.0), .base = &base};
    double qdd[ENTRIES_MAX];
    sn_spatial acceleration;
    assert_int_equal(sn_dyn_forward_floating(f.dyn, &world, f.q, f.qd, f.tau, qdd, &acceleration),
                     SN_OK);
    const flight before = later(&f, &base, acceleration, qdd, -STEP);
    const flight after = later(&f, &base, acceleration, qdd, STEP);
    const sn_spatial change =
        sn_spatial_sub(momentum_in_world(&f, &after), momentum_in_world(&f, &before));
    const sn_spatial rate = sn_spatial_scale(change, 0.5 / STEP);
    const double mass_kg = sn_dyn_total_mass(f.dyn);
    sn_assert_vec3_near(rate.ang, sn_vec3_make(0, 0, 0), 1e-4);
    sn_assert_vec3_near(rate.lin, sn_vec3_scale(world.gravity, mass_kg), 1e-4);
    sn_arena_release(&f.arena);
  }
}

#define VIRTUAL 6

/* The same robot, its base carried by three slides and three turns without mass. */
static sn_tree *on_virtual_joints(sn_arena *arena, const sn_tree *tree) {
  const size_t n = tree->body_count + VIRTUAL;
  int *parent = SN_NEW(arena, int, n), *coord = SN_NEW(arena, int, n);
  bool *prismatic = SN_NEW(arena, bool, n);
  double *q_scale = SN_NEW(arena, double, n), *q_offset = SN_NEW(arena, double, n);
  sn_pose *pose = SN_NEW(arena, sn_pose, n);
  sn_inertia *inertia = SN_NEW(arena, sn_inertia, n);
  /* Each slide and each turn along the next axis: z becomes x, y, z in turn. */
  const sn_mat3 next = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
  for (size_t i = 0; i < VIRTUAL; i++) {
    parent[i] = (int)i - 1;
    coord[i] = (int)i;
    prismatic[i] = i < 3;
    q_scale[i] = 1.0;
    pose[i] = (sn_pose){next, {0, 0, 0}};
  }
  inertia[VIRTUAL - 1] = tree->base_inertia;
  for (size_t i = 0; i < tree->body_count; i++) {
    const size_t k = i + VIRTUAL;
    parent[k] = tree->parent[i] + VIRTUAL;
    coord[k] = tree->coord[i] + VIRTUAL;
    prismatic[k] = tree->prismatic[i];
    q_scale[k] = tree->q_scale[i];
    q_offset[k] = tree->q_offset[i];
    pose[k] = tree->pose_parent_joint[i];
    inertia[k] = tree->inertia[i];
  }
  sn_tree *carried = SN_NEW(arena, sn_tree, 1);
  *carried = (sn_tree){.body_count = n,
                       .coord_count = tree->coord_count + VIRTUAL,
                       .parent = parent,
                       .prismatic = prismatic,
                       .pose_parent_joint = pose,
                       .inertia = inertia,
                       .coord = coord,
                       .q_scale = q_scale,
                       .q_offset = q_offset,
                       .has_mimic = tree->has_mimic};
  return carried;
}

SN_TEST(floating_base_is_a_base_on_six_virtual_joints) {
  fixture f;
  sn_random_init(&f.random, 54);
  for (size_t round = 0; round < sn_test_cases(500); round++) {
    draw(&f);
    const size_t n = f.tree->coord_count;
    sn_tree *carried = on_virtual_joints(&f.arena, f.tree);
    sn_dyn_data *dyn;
    sn_kin_data *kin;
    assert_int_equal(sn_dyn_create(&f.arena, carried, &dyn, NULL), SN_OK);
    assert_int_equal(sn_kin_create(&f.arena, carried, &kin, NULL), SN_OK);
    double q[ENTRIES_MAX], qd[ENTRIES_MAX], tau[ENTRIES_MAX] = {0}, qdd[ENTRIES_MAX];
    sn_test_random_vector(&f.random, VIRTUAL, 1.0, q); /* far from where the three turns align */
    sn_test_random_vector(&f.random, VIRTUAL, 1.0, qd);
    memcpy(q + VIRTUAL, f.q, n * sizeof *q);
    memcpy(qd + VIRTUAL, f.qd, n * sizeof *qd);
    memcpy(tau + VIRTUAL, f.tau, n * sizeof *tau);
    sn_dyn_world world = {.gravity = {1, 2, -9}};
    assert_int_equal(sn_dyn_forward(dyn, &world, q, qd, tau, qdd), SN_OK);

    sn_kin_update_velocity(kin, q, qd);
    sn_base_state base = {.pose_world_base = sn_kin_body_pose(kin, VIRTUAL - 1)};
    const sn_spatial twist = sn_kin_body_twist(kin, VIRTUAL - 1);
    base.twist = (sn_spatial){sn_mat3_apply_transposed(base.pose_world_base.rot, twist.ang),
                              sn_mat3_apply_transposed(base.pose_world_base.rot, twist.lin)};
    world.base = &base;
    double floating[ENTRIES_MAX];
    sn_spatial acceleration;
    assert_int_equal(
        sn_dyn_forward_floating(f.dyn, &world, f.q, f.qd, f.tau, floating, &acceleration), SN_OK);
    for (size_t j = 0; j < n; j++) {
      sn_assert_near(floating[j], qdd[VIRTUAL + j], 1e-5);
    }
    sn_arena_release(&f.arena);
  }
}
