#include "allocation.h"
#include "dyn/balance.h"
#include "dyn/contact_forces.h"
#include "dyn/support_polygon.h"
#include "random_tree.h"
#include "robot.h"
#include "sinew/dyn.h"
#include "sinew/kin.h"
#include "sinew/random.h"
#include "sn_test.h"

#define JOINTS_MAX 32
#define CHAINS_MAX 8
#define BODIES_MAX 32

static const sn_vec3 DOWN = {0, 0, -9.81};

typedef struct fixture {
  sn_test_robot robot;
  sn_arena arena;
  sn_random random;
  const sn_model *model;
  const sn_tree *tree;
  sn_balance *balance;
  sn_dyn_data *dyn;
  sn_kin_data *kin;
  double q[JOINTS_MAX], qd[JOINTS_MAX], qdd[JOINTS_MAX], tau[JOINTS_MAX];
  sn_support supports[CHAINS_MAX];
  sn_balance_input input;
  sn_balance_result result;
} fixture;

static void open_robot(fixture *f, const char *name, uint64_t seed) {
  sn_test_robot_load(&f->robot, name);
  sn_arena_init_growing(&f->arena, "balance", 0);
  sn_random_init(&f->random, seed);
  f->model = f->robot.model;
  f->tree = sn_model_tree(f->model);
  assert_int_equal(sn__balance_create(&f->arena, f->model, &f->balance, NULL), SN_OK);
  assert_int_equal(sn_dyn_create(&f->arena, f->tree, &f->dyn, NULL), SN_OK);
  assert_int_equal(sn_kin_create(&f->arena, f->tree, &f->kin, NULL), SN_OK);
  sn_arena_seal(&f->arena);
  f->input = (sn_balance_input){.q = f->q,
                                .qd = f->qd,
                                .qdd = f->qdd,
                                .supports = f->supports,
                                .gravity = DOWN,
                                .friction = 0.7};
}

static void close_robot(fixture *f) {
  sn_arena_release(&f->arena);
  sn_test_robot_free(&f->robot);
}

/* Legs 1 to 4 support the robot. Entries of virtual joints do not accelerate. */
static void draw_pose(fixture *f, double speed, double acceleration) {
  const size_t n = sn_model_pose_size(f->model);
  for (size_t j = 0; j < n; j++) {
    const sn_joint *joint = sn_model_joint(f->model, j);
    const bool has_mass = sn_model_link(f->model, (size_t)joint->child_link)->mass_kg > 0.0;
    const double lower = fmax(joint->lower, -1.0), upper = fmin(joint->upper, 1.0);
    f->q[j] = sn_random_between(&f->random, 0.7 * lower, 0.7 * upper);
    f->qd[j] = sn_random_between(&f->random, -speed, speed);
    f->qdd[j] = has_mass ? sn_random_between(&f->random, -acceleration, acceleration) : 0.0;
  }
}

static void stand_on(fixture *f, const char *const *chains, size_t count, const char *contact) {
  for (size_t i = 0; i < count; i++) {
    f->supports[i] = (sn_support){(size_t)sn_model_chain_index(f->model, chains[i]),
                                  sn_model_contact_index(f->model, contact), 1.0};
  }
  f->input.support_count = count;
}

static const char *const LEGS[] = {"leg1", "leg2", "leg3", "leg4"};

static void step(fixture *f) {
  sn__balance_step(f->balance, &f->input, f->tau, &f->result);
}

static void assert_all_finite(const fixture *f) {
  const sn_balance_result *r = &f->result;
  for (size_t j = 0; j < sn_model_pose_size(f->model); j++) {
    assert_true(isfinite(f->tau[j]));
  }
  const double sum = sn_vec3_norm(r->com) + sn_vec3_norm(r->com_velocity) + sn_vec3_norm(r->zmp) +
                     r->margin_m + sn_vec3_norm(r->missing.lin) + sn_vec3_norm(r->missing.ang);
  assert_true(isfinite(sum));
  for (size_t s = 0; s < f->input.support_count; s++) {
    assert_true(isfinite(sn_vec3_norm(r->wrenches[s].lin) + sn_vec3_norm(r->wrenches[s].ang)));
  }
}

/* Places of a support's contact points in the base, by kin. */
static size_t contact_places(fixture *f, size_t support, const double *q, sn_vec3 *places) {
  const sn_support *s = &f->supports[support];
  const sn_chain *chain = sn_model_chain(f->model, s->chain, false);
  sn_kin_update(f->kin, q);
  const sn_pose pose = sn_kin_link_pose(f->kin, sn_model_link(f->model, (size_t)chain->last_link));
  if (s->contact < 0) {
    places[0] = pose.pos;
    return 1;
  }
  const sn_contact *contact = sn_model_contact(f->model, (size_t)s->contact);
  for (size_t i = 0; i < contact->point_count; i++) {
    places[i] = sn_pose_apply(pose, contact->points[i]);
  }
  return contact->point_count;
}

/* With the efforts, the ground forces and the missing wrench at the base, forward dynamics gives
 * the commanded accelerations of joints and base. */
static void assert_moves_as_told(fixture *f) {
  sn_spatial forces[BODIES_MAX] = {{{0, 0, 0}, {0, 0, 0}}};
  assert_true(f->tree->body_count <= BODIES_MAX);
  for (size_t s = 0; s < f->input.support_count; s++) {
    sn_vec3 places[8], mean = {0, 0, 0};
    const size_t count = contact_places(f, s, f->q, places);
    for (size_t i = 0; i < count; i++) {
      mean = sn_vec3_add_scaled(mean, 1.0 / (double)count, places[i]);
    }
    const sn_chain *chain = sn_model_chain(f->model, f->supports[s].chain, false);
    const int body = sn_model_link(f->model, (size_t)chain->last_link)->body;
    sn_spatial wrench = f->result.wrenches[s];
    wrench.ang = sn_vec3_add(wrench.ang, sn_vec3_cross(mean, wrench.lin));
    forces[body] =
        sn_spatial_add(forces[body], sn_spatial_force_in(sn_kin_body_pose(f->kin, body), wrench));
  }
  const sn_base_state base = {.pose_world_base = sn_pose_identity(),
                              .twist = f->result.base_twist,
                              .force = f->result.missing};
  const sn_dyn_world world = {f->input.gravity, &base, forces};
  double qdd[JOINTS_MAX];
  sn_spatial acceleration;
  assert_int_equal(sn_dyn_forward_floating(f->dyn, &world, f->q, f->qd, f->tau, qdd, &acceleration),
                   SN_OK);
  for (size_t j = 0; j < sn_model_pose_size(f->model); j++) {
    sn_assert_near(qdd[j], f->qdd[j], 1e-7);
  }
  sn_assert_vec3_near(acceleration.ang, f->result.base_acceleration.ang, 1e-7);
  sn_assert_vec3_near(acceleration.lin, f->result.base_acceleration.lin, 1e-7);
}

SN_TEST(efforts_and_ground_forces_cause_the_commanded_motion) {
  fixture f;
  open_robot(&f, "quadruped", 31);
  static const char *const contacts[] = {"hoof_flat", "hoof_center", "hoof_fixed", "none"};
  size_t balanced = 0;
  for (size_t round = 0; round < sn_test_cases(2000); round++) {
    draw_pose(&f, 0.5, 1.0);
    stand_on(&f, LEGS, (size_t)sn_random_below(&f.random, 5), contacts[round % 4]);
    for (size_t s = 0; s < f.input.support_count; s++) {
      f.supports[s].support = sn_random_between(&f.random, -0.1, 1.2);
    }
    f.input.base_is_still = sn_random_below(&f.random, 4) == 0;
    step(&f);
    assert_all_finite(&f);
    assert_moves_as_told(&f);
    balanced += f.result.balanced;
  }
  assert_true(balanced > sn_test_cases(2000) / 20);
  close_robot(&f);
}

/* ---- a robot on one foot that is stuck to the ground: whatever its joints do, it stays ---- */

static sn_mat3 rotation(sn_vec3 v) { /* Rodrigues */
  const double angle = sn_vec3_norm(v);
  if (angle < 1e-300) {
    return sn_mat3_identity();
  }
  const sn_vec3 k = sn_vec3_scale(v, 1.0 / angle);
  const sn_vec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  sn_vec3 turned[3];
  for (size_t i = 0; i < 3; i++) {
    const sn_vec3 a = sn_vec3_scale(unit[i], cos(angle));
    const sn_vec3 b = sn_vec3_scale(sn_vec3_cross(k, unit[i]), sin(angle));
    turned[i] =
        sn_vec3_add(a, sn_vec3_add_scaled(b, (1 - cos(angle)) * sn_vec3_dot(k, unit[i]), k));
  }
  return (sn_mat3){turned[0], turned[1], turned[2]};
}

/* Pose of the base a short time later, good to the third order. */
static sn_pose base_at(const fixture *f, double t) {
  const sn_spatial v = f->result.base_twist, a = f->result.base_acceleration;
  const sn_vec3 turn = sn_vec3_add_scaled(sn_vec3_scale(v.ang, t), 0.5 * t * t, a.ang);
  const sn_vec3 way = sn_vec3_add_scaled(sn_vec3_scale(v.lin, t), 0.5 * t * t, a.lin);
  /* exp of the motion, its second-order part written out */
  const sn_vec3 pos = sn_vec3_add_scaled(way, 0.5, sn_vec3_cross(turn, way));
  return (sn_pose){rotation(turn), pos};
}

static void joints_at(const fixture *f, double t, double *q, double *qd) {
  for (size_t j = 0; j < sn_model_pose_size(f->model); j++) {
    q[j] = f->q[j] + t * f->qd[j] + 0.5 * t * t * f->qdd[j];
    qd[j] = f->qd[j] + t * f->qdd[j];
  }
}

static double energy_at(fixture *f, double t) {
  const size_t n = sn_model_pose_size(f->model);
  double q[JOINTS_MAX], qd[JOINTS_MAX], mass[(6 + JOINTS_MAX) * (6 + JOINTS_MAX)];
  joints_at(f, t, q, qd);
  sn_dyn_mass_matrix_floating(f->dyn, q, mass);
  const sn_spatial v =
      sn_spatial_add(f->result.base_twist, sn_spatial_scale(f->result.base_acceleration, t));
  double speed[6 + JOINTS_MAX] = {v.ang.x, v.ang.y, v.ang.z, v.lin.x, v.lin.y, v.lin.z};
  for (size_t j = 0; j < n; j++) { /* virtual joints have a unit mass in the matrix, for its sake */
    speed[6 + j] = mass[(6 + j) * (6 + n) + 6 + j] == 1.0 ? 0.0 : qd[j];
  }
  double energy = 0.0;
  for (size_t i = 0; i < 6 + n; i++) {
    for (size_t j = 0; j < 6 + n; j++) {
      energy += 0.5 * speed[i] * mass[i * (6 + n) + j] * speed[j];
    }
  }
  const sn_vec3 com = sn_pose_apply(base_at(f, t), sn_dyn_com(f->dyn, q));
  return energy - f->result.mass_kg * sn_vec3_dot(f->input.gravity, com);
}

SN_TEST(foot_that_is_stuck_stays_and_takes_no_power) {
  fixture f;
  open_robot(&f, "quadruped", 32);
  const double h = 1e-4;
  for (size_t round = 0; round < sn_test_cases(300); round++) {
    draw_pose(&f, 1.0, 3.0);
    stand_on(&f, &LEGS[round % 4], 1, "hoof_fixed");
    f.supports[0].support = 0.3;
    f.input.friction = 1e3;
    step(&f);
    assert_moves_as_told(&f);
    sn_vec3 now[3], before[3], after[3];
    double q[JOINTS_MAX], qd[JOINTS_MAX];
    contact_places(&f, 0, f.q, now);
    joints_at(&f, -h, q, qd);
    contact_places(&f, 0, q, before);
    const sn_vec3 com_before = sn_pose_apply(base_at(&f, -h), sn_dyn_com(f.dyn, q));
    joints_at(&f, h, q, qd);
    contact_places(&f, 0, q, after);
    const sn_vec3 com_after = sn_pose_apply(base_at(&f, h), sn_dyn_com(f.dyn, q));
    for (size_t i = 0; i < 3; i++) {
      const sn_vec3 a = sn_pose_apply(base_at(&f, -h), before[i]);
      const sn_vec3 b = sn_pose_apply(base_at(&f, h), after[i]);
      sn_assert_vec3_near(sn_vec3_scale(sn_vec3_sub(b, a), 0.5 / h), sn_vec3_make(0, 0, 0), 1e-6);
      const sn_vec3 second = sn_vec3_sub(sn_vec3_add(a, b), sn_vec3_scale(now[i], 2.0));
      sn_assert_vec3_near(sn_vec3_scale(second, 1.0 / (h * h)), sn_vec3_make(0, 0, 0), 1e-3);
    }
    sn_assert_vec3_near(sn_vec3_scale(sn_vec3_sub(com_after, com_before), 0.5 / h),
                        f.result.com_velocity, 1e-6);
    /* A foot that cannot be balanced needs a hand on the base, which does work. */
    double power = sn_spatial_dot(f.result.missing, f.result.base_twist);
    for (size_t j = 0; j < sn_model_pose_size(f.model); j++) {
      power += f.tau[j] * f.qd[j];
    }
    sn_assert_near((energy_at(&f, h) - energy_at(&f, -h)) / (2 * h), power, 1e-5);
  }
  close_robot(&f);
}

SN_TEST(at_rest_the_zmp_is_below_the_centre_of_mass) {
  fixture f;
  open_robot(&f, "quadruped", 33);
  size_t inside = 0;
  for (size_t round = 0; round < sn_test_cases(500); round++) {
    draw_pose(&f, 0.0, 0.0);
    stand_on(&f, LEGS, 4, "hoof_flat");
    f.input.qd = f.input.qdd = NULL;
    f.input.friction = 1.0;
    f.input.gravity = sn_vec3_add(DOWN, sn_test_random_vec3(&f.random, 1.5)); /* leaning */
    step(&f);
    assert_moves_as_told(&f);
    const sn_balance_result *r = &f.result;
    const sn_vec3 com = sn_dyn_com(f.dyn, f.q);
    sn_assert_vec3_near(r->com, com, 1e-12);
    sn_assert_vec3_near(r->needed.lin, sn_vec3_scale(f.input.gravity, -r->mass_kg), 1e-10);
    assert_true(r->has_zmp);
    /* On the line through the centre of mass along gravity, at the height of the feet. */
    const sn_vec3 line = sn_vec3_cross(sn_vec3_sub(r->zmp, com), f.input.gravity);
    sn_assert_vec3_near(line, sn_vec3_make(0, 0, 0), 1e-11);
    inside += r->margin_m > 0.0;
  }
  assert_true(inside > 20);
  close_robot(&f);
}

/* The base pose of the file: feet level and mirrored, so left and right share alike. */
SN_TEST(feet_support_a_standing_robot) {
  fixture f;
  open_robot(&f, "quadruped", 34);
  memset(f.q, 0, sizeof f.q);
  f.input.qd = f.input.qdd = NULL;
  static const char *const contacts[] = {"hoof_flat", "hoof_center", "hoof_fixed"};
  for (size_t c = 0; c < 3; c++) {
    stand_on(&f, LEGS, 4, contacts[c]);
    step(&f);
    const sn_balance_result *r = &f.result;
    assert_true(r->balanced);
    assert_int_equal(r->carrying_count, 4);
    /* The front of a rear hoof lies inside, its rear points on one line with the other's. */
    assert_int_equal(r->corner_count, c == 2 ? 6 : 4);
    assert_true(r->margin_m > 0.02);
    double sum = 0.0;
    for (size_t s = 0; s < 4; s++) {
      sum += r->wrenches[s].lin.z;
      assert_true(r->wrenches[s].lin.z > 0.1 * r->mass_kg * 9.81);
      if (c == 1) {
        sn_assert_vec3_near(r->wrenches[s].ang, sn_vec3_make(0, 0, 0), 1e-12); /* a point */
      }
    }
    sn_assert_near(sum, r->mass_kg * 9.81, 1e-8);
    sn_assert_near(r->wrenches[0].lin.z, r->wrenches[1].lin.z, 1e-6);
    sn_assert_near(r->wrenches[2].lin.z, r->wrenches[3].lin.z, 1e-6);
  }
  close_robot(&f);
}

SN_TEST(without_support_the_base_is_held_externally) {
  static const char *const robots[] = {"quadruped", "arm6", "arm7"};
  for (size_t k = 0; k < 3; k++) {
    fixture f;
    open_robot(&f, robots[k], 35);
    draw_pose(&f, 1.0, 3.0);
    if (k == 0) {
      stand_on(&f, LEGS, 4, "hoof_flat");
      f.supports[0].support = -1.0;
      f.supports[1].support = NAN;
      f.supports[2].support = f.supports[3].support = 0.0;
    }
    step(&f);
    double tau[JOINTS_MAX];
    sn_spatial wrench;
    sn_dyn_inverse(f.dyn, NULL, f.q, f.qd, f.qdd, tau, &wrench);
    for (size_t j = 0; j < sn_model_pose_size(f.model); j++) {
      sn_assert_near(f.tau[j], tau[j], 1e-12);
    }
    const sn_balance_result *r = &f.result;
    sn_assert_vec3_near(r->missing.lin, wrench.lin, 1e-10);
    sn_assert_vec3_near(r->missing.ang, wrench.ang, 1e-10);
    assert_false(r->balanced);
    assert_false(r->has_zmp);
    assert_int_equal(r->carrying_count, 0);
    assert_int_equal(r->corner_count, 0);
    assert_true(r->margin_m == 0.0 && r->zmp.x == 0.0 && r->zmp.y == 0.0 && r->zmp.z == 0.0);
    const sn_spatial momentum = sn_dyn_momentum(f.dyn, NULL, f.q, f.qd);
    sn_assert_vec3_near(r->com_velocity, sn_vec3_scale(momentum.lin, 1.0 / r->mass_kg), 1e-12);
    close_robot(&f);
  }
}

SN_TEST(few_feet_give_a_line_or_a_point) {
  fixture f;
  open_robot(&f, "quadruped", 36);
  for (size_t round = 0; round < sn_test_cases(200); round++) {
    draw_pose(&f, 1.0, 3.0);
    for (size_t count = 1; count <= 2; count++) {
      stand_on(&f, &LEGS[round % 3], count, "hoof_center");
      step(&f);
      assert_all_finite(&f);
      assert_moves_as_told(&f);
      assert_int_equal(f.result.corner_count, count);
      assert_true(f.result.margin_m <= 0.0);
    }
    stand_on(&f, &LEGS[round % 3], 2, "none"); /* origins of the last links */
    assert_int_equal(f.supports[0].contact, -1);
    step(&f);
    assert_int_equal(f.result.corner_count, 2);
    assert_moves_as_told(&f);
  }
  close_robot(&f);
}

SN_TEST(ground_without_friction_does_not_hold_a_leaning_robot) {
  fixture f;
  open_robot(&f, "quadruped", 37);
  memset(f.q, 0, sizeof f.q);
  f.input.qd = f.input.qdd = NULL;
  stand_on(&f, LEGS, 4, "hoof_flat");
  memset(f.qdd, 0, sizeof f.qdd);
  const size_t joint = (size_t)sn_model_joint_index(f.model, "head_joint1");
  f.qdd[joint] = 30.0; /* the head is thrown about, the body wants to turn away */
  f.input.qdd = f.qdd;
  f.input.friction = 1.0;
  step(&f);
  assert_true(f.result.balanced);
  f.input.friction = 0.0;
  step(&f);
  assert_false(f.result.balanced);
  for (size_t s = 0; s < 4; s++) {
    sn_assert_near(hypot(f.result.wrenches[s].lin.x, f.result.wrenches[s].lin.y), 0.0, 1e-9);
  }
  assert_true(fabs(f.result.missing.ang.z) > 0.01);
  close_robot(&f);
}

/* A pendulum with a massless pointer: its torque is m g l, that of the pointer 0. */
SN_TEST(links_without_inertia_are_massless) {
  static const char urdf[] =
      "<robot name='r'><link name='base'/><link name='arm'><inertial><origin xyz='0.2 0 0'/>"
      "<mass value='3'/><inertia ixx='1e-3' iyy='1e-3' izz='1e-3' ixy='0' ixz='0' iyz='0'/>"
      "</inertial></link><link name='pointer'/>"
      "<joint name='a' type='continuous'><parent link='base'/><child link='arm'/>"
      "<axis xyz='0 1 0'/></joint><joint name='b' type='continuous'><parent link='arm'/>"
      "<child link='pointer'/><axis xyz='0 1 0'/></joint></robot>";
  sn_test_robot robot;
  sn_arena arena;
  sn_arena_init_growing(&arena, "balance", 0);
  sn_test_robot_init_good(&robot, urdf, NULL);
  sn_balance *balance = NULL;
  assert_int_equal(sn__balance_create(&arena, robot.model, &balance, NULL), SN_OK);
  const double q[2] = {0};
  double tau[2] = {0};
  sn_balance_result result;
  const sn_balance_input input = {.q = q, .gravity = DOWN};
  sn__balance_step(balance, &input, tau, &result);
  const int arm = sn_model_joint_index(robot.model, "a");
  sn_assert_near(fabs(tau[arm]), 3.0 * 9.81 * 0.2, 1e-9);
  assert_true(tau[1 - arm] == 0.0);
  sn_test_robot_free(&robot);
  sn_test_robot_init_good(&robot,
                          "<robot name='r'>" SN_TEST_LINK("base") SN_TEST_LINK("arm")
                              SN_TEST_MOVES("a", "base", "arm") "</robot>",
                          NULL);
  sn_error err;
  assert_int_equal(sn__balance_create(&arena, robot.model, &balance, &err), SN_EMODEL);
  sn_assert_contains(err.message, "no mass");
  sn_test_robot_free(&robot);
  sn_arena_release(&arena);
}

SN_TEST(step_touches_no_heap) {
  fixture f;
  open_robot(&f, "quadruped", 38);
  for (int round = 0; round < 50; round++) {
    draw_pose(&f, 1.0, 3.0);
    stand_on(&f, LEGS, 4, "hoof_fixed");
    sn_assert_no_heap(step(&f));
  }
  close_robot(&f);
}
