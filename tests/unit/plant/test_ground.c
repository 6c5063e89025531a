/* A robot on the ground: boxes against closed forms, energy, and a robot that must stand still. */
#include <string.h>

#include "math/inertia.h"
#include "plant/physics.h"
#include "sinew/dyn.h"
#include "sinew/kin.h"
#include "sinew/quat.h"
#include "sinew/random.h"
#include "sn_test.h"

static const sn_vec3 GRAVITY = {0.0, 0.0, -9.81};
static const double STEP_S = 0.00025;

/* A box without joints: a base that floats, with its corners as contacts. */
typedef struct box {
  sn_arena arena;
  sn_tree tree;
  sn__contacts contacts;
  sn__rigid *rigid;
  sn__joint_motion joints;
  sn__base_motion base;
  double mass_kg;
  sn_vec3 half;
  double step_s;
} box;

static void box_open(box *b, sn_vec3 half, double mass_kg) {
  memset(b, 0, sizeof *b);
  sn_arena_init_growing(&b->arena, "box", 0);
  b->half = half;
  b->mass_kg = mass_kg;
  b->step_s = STEP_S;
  const double third = mass_kg / 3.0;
  const sn_sym3 tensor = {.xx = third * (half.y * half.y + half.z * half.z),
                          .yy = third * (half.x * half.x + half.z * half.z),
                          .zz = third * (half.x * half.x + half.y * half.y)};
  b->tree.base_inertia = sn__inertia_from_com(mass_kg, sn_vec3_make(0, 0, 0), tensor);
  sn__contact_place places[8];
  for (int i = 0; i < 8; i++) {
    places[i] = (sn__contact_place){
        .body = -1,
        .at = {i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z}};
  }
  assert_true(sn__contacts_create(&b->arena, places, 8, mass_kg, &b->contacts));
  b->rigid = sn__rigid_create(
      &b->arena, &(sn__rigid_config){.tree = &b->tree, .floats = true, .contacts = &b->contacts});
  assert_non_null(b->rigid);
  b->base.pose_world_base = sn_pose_identity();
}

static void box_close(box *b) {
  assert_int_equal(sn__rigid_counts_now(b->rigid)->failures, 0);
  sn_arena_release(&b->arena);
}

static void box_run(box *b, double time_s) {
  sn__physics *physics = sn__rigid_physics(b->rigid);
  for (long i = lround(time_s / b->step_s); i > 0; i--) {
    physics->step(physics, &(sn__influences){.gravity = GRAVITY}, b->step_s, &b->joints, &b->base);
  }
}

/* Kinetic and potential, that of the ground's springs included. */
static double box_energy(const box *b) {
  const sn_spatial momentum = sn_inertia_apply(b->tree.base_inertia, b->base.twist);
  double sum = 0.5 * sn_spatial_dot(momentum, b->base.twist) -
               b->mass_kg * sn_vec3_dot(GRAVITY, b->base.pose_world_base.pos);
  for (size_t i = 0; i < b->contacts.point_count; i++) {
    const sn__contact_point *p = &b->contacts.points[i];
    const sn_vec3 at = sn_pose_apply(b->base.pose_world_base, p->at);
    sn_vec3 normal;
    const double gap = fmin(sn__ground_gap(&b->contacts.ground, at, &normal), 0.0);
    const sn_vec3 off = sn_vec3_sub(p->anchor, at);
    const double across =
        p->is_touching ? sn_vec3_norm(sn_vec3_add_scaled(off, -sn_vec3_dot(off, normal), normal))
                       : 0.0;
    sum += 0.5 * b->contacts.stiffness * (gap * gap + across * across);
  }
  return sum;
}

SN_TEST(a_free_box_falls_with_constant_acceleration) {
  box b;
  box_open(&b, sn_vec3_make(0.1, 0.2, 0.3), 2.0);
  b.base.pose_world_base.pos.z = 100.0;
  b.base.twist.lin.x = 1.0;
  box_run(&b, 1.0);
  sn_assert_near(b.base.pose_world_base.pos.z, 100.0 - 0.5 * 9.81, 9.81 * STEP_S);
  sn_assert_near(b.base.pose_world_base.pos.x, 1.0, 1e-9);
  sn_assert_near(b.base.twist.lin.z, -9.81, 1e-9);
  box_close(&b);
}

/* Angular momentum in the world stays; energy drifts by the order of the step only. */
SN_TEST(a_free_box_tumbles_with_its_momentum) {
  box b;
  box_open(&b, sn_vec3_make(0.1, 0.2, 0.3), 2.0);
  b.base.pose_world_base.pos.z = 100.0;
  b.base.twist.ang = sn_vec3_make(1.0, 5.0, 0.2); /* near the unstable axis */
  const sn_mat3 rot = b.base.pose_world_base.rot;
  const sn_vec3 before =
      sn_mat3_apply(rot, sn_inertia_apply(b.tree.base_inertia, b.base.twist).ang);
  box_run(&b, 1.0);
  const sn_vec3 after = sn_mat3_apply(b.base.pose_world_base.rot,
                                      sn_inertia_apply(b.tree.base_inertia, b.base.twist).ang);
  sn_assert_near(sn_vec3_norm(sn_vec3_sub(after, before)), 0.0, 5e-3 * sn_vec3_norm(before));
  box_close(&b);
}

/* Energy never grows, and the box comes to rest without jitter or creep. */
static void assert_settles(box *b) {
  const double start = box_energy(b);
  double energy = start;
  for (long i = lround(3.0 / b->step_s); i > 0; i--) {
    box_run(b, b->step_s);
    const double now = box_energy(b);
    assert_true(now <= energy + 1e-9 * start);
    energy = now;
  }
  const sn_vec3 rests = b->base.pose_world_base.pos;
  for (int i = 0; i < 100; i++) {
    box_run(b, b->step_s);
    assert_true(sn_vec3_norm(b->base.twist.lin) < 1e-9);
    assert_true(sn_vec3_norm(b->base.twist.ang) < 1e-9);
  }
  const sn_vec3 way = sn_vec3_sub(b->base.pose_world_base.pos, rests);
  sn_assert_near(sn_vec3_norm(way), 0.0, 1e-12);
}

/* The energy of a rotating box drifts by the order of the step; without rotation it never grows:
   neither in a hard landing, nor sliding, at any length of the step. */
SN_TEST(a_flat_box_never_gains_energy_at_any_step) {
  static const double steps[] = {0.0001, 0.00025, 0.001, 0.002, 0.005, 0.01};
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    for (int slides = 0; slides < 2; slides++) {
      box b;
      box_open(&b, sn_vec3_make(0.1, 0.15, 0.05), 3.0);
      b.step_s = steps[i];
      b.base.pose_world_base.pos = sn_vec3_make(0, 0, slides ? 0.05 : 2.0);
      b.base.twist.lin = slides ? sn_vec3_make(3.0, 1.0, 0.0) : sn_vec3_make(0.0, 0.0, -3.0);
      assert_settles(&b);
      box_close(&b);
    }
  }
}

SN_TEST(a_tumbling_box_comes_to_rest) {
  for (uint64_t seed = 1; seed <= sn_test_cases(10); seed++) {
    sn_random random;
    sn_random_init(&random, seed);
    box b;
    box_open(&b, sn_vec3_make(0.1, 0.15, 0.05), sn_random_between(&random, 0.2, 20.0));
    b.base.pose_world_base.pos = sn_vec3_make(0, 0, 0.5);
    b.base.pose_world_base.rot =
        sn_mat3_from_rpy(sn_random_between(&random, -3, 3), sn_random_between(&random, -1, 1), 0.3);
    const double start = box_energy(&b);
    double energy = start;
    for (int i = 0; i < 12000; i++) {
      box_run(&b, STEP_S);
      const double now = box_energy(&b);
      if (now > energy + 1e-3 * start) {
        fail_msg("seed %llu, step %d: %.9g J after %.9g J", (unsigned long long)seed, i, now,
                 energy);
      }
      energy = fmin(energy, now);
    }
    assert_true(sn_vec3_norm(b.base.twist.lin) < 1e-9);
    assert_true(sn_vec3_norm(b.base.twist.ang) < 1e-9);
    box_close(&b);
  }
}

/* How far a box slides down a slope in a second, after it has settled. */
static double slide_on_slope(double angle_rad, double friction) {
  box b;
  box_open(&b, sn_vec3_make(0.1, 0.1, 0.03), 1.0);
  b.contacts.ground.normal = sn_vec3_make(-sin(angle_rad), 0.0, cos(angle_rad));
  b.contacts.ground.friction = friction;
  b.base.pose_world_base.rot = sn_mat3_from_rpy(0.0, -angle_rad, 0.0);
  b.base.pose_world_base.pos = sn_vec3_scale(b.contacts.ground.normal, 0.03);
  box_run(&b, 0.5);
  const sn_vec3 before = b.base.pose_world_base.pos;
  box_run(&b, 1.0);
  const sn_vec3 after = b.base.pose_world_base.pos;
  box_close(&b);
  return sn_vec3_norm(sn_vec3_sub(after, before));
}

SN_TEST(a_box_sticks_below_the_friction_angle_and_slides_above) {
  for (int i = 1; i <= 5; i++) {
    const double friction = 0.2 * i;
    assert_true(slide_on_slope(atan(friction * 0.99), friction) < 1e-9);
    assert_true(slide_on_slope(atan(friction * 1.01), friction) > 1e-3);
  }
}

/* a = g (sin - mu cos), from the start. */
SN_TEST(a_sliding_box_accelerates_by_coulombs_law) {
  const double friction = 0.3, angle = 0.5;
  const double a = 9.81 * (sin(angle) - friction * cos(angle));
  const double expected = 0.5 * a * (1.5 * 1.5 - 0.5 * 0.5);
  sn_assert_near(slide_on_slope(angle, friction), expected, 0.01 * expected);
}
