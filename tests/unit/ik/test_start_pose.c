/* The pose that a robot starts in: inside its limits, with room, away from singular poses. The
   oracle of "can move" is the determinant of J J^T by Gauss, and moving: a small step of the tip in
   every direction has a solution near by. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ik/start_pose.h"
#include "robot.h"
#include "sinew/ik.h"
#include "sinew/kin.h"
#include "sn_test.h"

enum { JOINTS_MAX = 64 };

static void choose(const sn_model *model, double *q) {
  sn_arena scratch;
  sn_arena_init_growing(&scratch, "scratch", 0);
  assert_true(sn_model_pose_size(model) <= JOINTS_MAX);
  assert_int_equal(sn__start_pose(&scratch, model, q, NULL), SN_OK);
  double again[JOINTS_MAX];
  assert_int_equal(sn__start_pose(&scratch, model, again, NULL), SN_OK);
  assert_memory_equal(q, again, sn_model_pose_size(model) * sizeof *q);
  sn_arena_release(&scratch);
}

/* A quarter of the half range, at most 0.35, to each limit. */
static void check_room(const sn_model *model, const double *q) {
  for (size_t i = 0; i < sn_model_pose_size(model); i++) {
    const sn_joint *joint = sn_model_joint(model, i);
    const double range = joint->upper - joint->lower;
    const double room = isfinite(range) ? fmin(0.125 * range, 0.35) : 0.0;
    if (joint->mimic < 0 &&
        (q[i] < joint->lower + room - 1e-9 || q[i] > joint->upper - room + 1e-9)) {
      fail_msg("joint %s is at %g, limits %g and %g", joint->name, q[i], joint->lower,
               joint->upper);
    }
  }
}

/* The tip of a chain follows a step in each of its directions, and no joint goes far for it. */
static void check_steps(const sn_model *model, size_t chain, const double *q, unsigned free_axes) {
  const sn_chain *c = sn_model_chain(model, chain, true);
  const char *name = sn_names_at(sn_model_chain_names(model), chain);
  sn_arena arena;
  sn_ik *ik = NULL;
  sn_arena_init_growing(&arena, "ik", 0);
  const sn_ik_config config = {.group = name, .solver = "numeric"};
  assert_int_equal(sn_ik_create(&arena, model, &config, &ik, NULL), SN_OK);
  double seed[JOINTS_MAX], solution[JOINTS_MAX], jump[JOINTS_MAX];
  for (size_t i = 0; i < c->joint_count; i++) {
    seed[i] = q[c->joints[i]];
    jump[i] = 0.5; /* as kinematics_inv allows */
  }
  const sn_ik_options options = {
      .consistency_limits = jump, .consistency_count = c->joint_count, .free_axes = free_axes};
  const sn_pose tip = sn_chain_fk(c, seed);
  for (int axis = 0; axis < 6; axis++) {
    sn_pose target = tip;
    const double step = axis % 2 == 0 ? 0.01 : -0.01;
    double *const xyz[] = {&target.pos.x, &target.pos.y, &target.pos.z};
    *xyz[axis / 2] += step;
    if (sn_ik_get_position(ik, &target, seed, c->joint_count, &options, solution) != SN_IK_OK) {
      fail_msg("%s cannot move along %c by %g", name, "xyz"[axis / 2], step);
    }
  }
  sn_arena_release(&arena);
}

static void load_bare(sn_arena *arena, const char *name, const sn_model **model) {
  char path[512];
  snprintf(path, sizeof path, SINEW_ROBOTS "/%s.urdf", name);
  sn_arena_init_growing(arena, "model", 0);
  assert_int_equal(sn_model_load(arena, path, NULL, NULL, model, NULL), SN_OK);
}

SN_TEST(own_robots_can_move_at_once) {
  static const char *const names[] = {"arm6", "arm7", "arm_ur", "desk_arm", "quadruped"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    sn_arena arena;
    const sn_model *model = NULL;
    double q[JOINTS_MAX];
    load_bare(&arena, names[i], &model);
    choose(model, q);
    check_room(model, q);
    for (size_t c = 0; c < sn_names_count(sn_model_chain_names(model)); c++) {
      const size_t count = sn_model_chain(model, c, true)->joint_count;
      if (count >= 3) {
        check_steps(model, c, q, count < 6 ? SN_IK_FREE_ROTATION : 0);
      }
    }
    sn_arena_release(&arena);
  }
}

/* An arm like many: stretched at zero, an elbow that cannot be at zero, fingers with one that
   mimics. */
#define JOINT(name, parent, child, xyz, rpy, lower, upper)                               \
  "<link name='" child "'/><joint name='" name "' type='revolute'><parent link='" parent \
  "'/><child link='" child "'/><origin xyz='" xyz "' rpy='" rpy                          \
  "'/><axis xyz='0 0 1'/><limit lower='" lower "' upper='" upper                         \
  "' effort='1' velocity='1'/></joint>"
#define SEVEN                                                              \
  JOINT("j1", "base", "l1", "0 0 0.333", "0 0 0", "-2.9", "2.9")           \
  JOINT("j2", "l1", "l2", "0 0 0", "-1.5708 0 0", "-1.76", "1.76")         \
  JOINT("j3", "l2", "l3", "0 -0.316 0", "1.5708 0 0", "-2.9", "2.9")       \
  JOINT("j4", "l3", "l4", "0.0825 0 0", "1.5708 0 0", "-3.07", "-0.07")    \
  JOINT("j5", "l4", "l5", "-0.0825 0.384 0", "-1.5708 0 0", "-2.9", "2.9") \
  JOINT("j6", "l5", "l6", "0 0 0", "1.5708 0 0", "-0.0175", "3.75")        \
  JOINT("j7", "l6", "l7", "0.088 0 0", "1.5708 0 0", "-2.9", "2.9")
static const char seven[] =
    "<robot name='r'><link name='base'/>" SEVEN
    "<link name='f1'/><link name='f2'/>"
    "<joint name='finger1' type='prismatic'><parent link='l7'/><child link='f1'/>"
    "<origin xyz='0 0 0.1'/><limit lower='0' upper='0.04' effort='1' velocity='1'/></joint>"
    "<joint name='finger2' type='prismatic'><parent link='l7'/><child link='f2'/>"
    "<origin xyz='0 0 0.1'/><mimic joint='finger1' multiplier='2' offset='0.001'/>"
    "<limit lower='0' upper='0.09' effort='1' velocity='1'/></joint></robot>";

SN_TEST(arm_that_cannot_be_at_zero_bends) {
  sn_test_robot robot;
  double q[JOINTS_MAX];
  sn_test_robot_init_good(&robot, seven, NULL);
  choose(robot.model, q);
  check_room(robot.model, q);
  check_steps(robot.model, 0, q, 0);
  assert_string_equal(sn_names_at(sn_model_chain_names(robot.model), 1), "gripper");
  sn_assert_near(q[8], 2.0 * q[7] + 0.001, 1e-15);
  sn_test_robot_free(&robot);
}

/* Joints stay at zero where possible; only those that must move do. */
SN_TEST(zero_stays_where_it_is_good) {
  static const char bent[] = "<robot name='r'><link name='base'/>"
      JOINT("j1", "base", "l1", "0 0 0.1", "0 0 0", "-2", "2")
      JOINT("j2", "l1", "l2", "0 0 0.1", "1.5708 0 0", "-2", "2")
      JOINT("j3", "l2", "l3", "0.3 0 0", "0 0 1.2", "-2", "2")
      "<link name='tip'/><joint name='t' type='fixed'><parent link='l3'/><child link='tip'/>"
      "<origin xyz='0.3 0 0'/></joint></robot>";
  sn_test_robot robot;
  double q[JOINTS_MAX];
  sn_test_robot_init_good(&robot, bent, NULL);
  choose(robot.model, q);
  for (size_t i = 0; i < 3; i++) {
    assert_true(q[i] == 0.0);
  }
  sn_test_robot_free(&robot);
}

/* Straight legs bend, all in the same way: mirrored left to right, the rear ones mirrored front to
   rear where their limits ask for it. */
#define LEG(n, x, y, side, knee_lower, knee_upper)                                 \
  JOINT(n "_hip", "base", n "1", x " " y " 0", "0 1.5708 0", "-0.8", "0.8")        \
  JOINT(n "_thigh", n "1", n "2", "0 " side " 0", "-1.5708 0 0", "-2", "2")        \
  JOINT(n "_knee", n "2", n "3", "0.3 0 0", "0 0 0", knee_lower, knee_upper)       \
  "<link name='" n "_foot'/><joint name='" n "_end' type='fixed'><parent link='" n \
  "3'/><child link='" n "_foot'/><origin xyz='0.3 0 0'/></joint>"

SN_TEST(legs_get_the_same_pose) {
  static const char text[] =
      "<robot name='r'><link name='base'/>" LEG("fl", "0.3", "0.2", "0.05", "-2.5", "0")
          LEG("fr", "0.3", "-0.2", "-0.05", "-2.5", "0")
              LEG("rl", "-0.3", "0.2", "0.05", "0", "2.5")
                  LEG("rr", "-0.3", "-0.2", "-0.05", "0", "2.5") "</robot>";
  sn_test_robot robot;
  double q[JOINTS_MAX];
  sn_test_robot_init_good(&robot, text, NULL);
  choose(robot.model, q);
  check_room(robot.model, q);
  sn_vec3 feet[4];
  for (size_t c = 0; c < 4; c++) {
    check_steps(robot.model, c, q, SN_IK_FREE_ROTATION);
    feet[c] = sn_chain_fk(sn_model_chain(robot.model, c, true), q + 3 * c).pos;
  }
  const double signs[4][2] = {{1, 1}, {1, -1}, {-1, 1}, {-1, -1}};
  for (size_t c = 0; c < 4; c++) {
    sn_assert_near(feet[c].x, signs[c][0] * feet[0].x, 1e-4);
    sn_assert_near(feet[c].y, signs[c][1] * feet[0].y, 1e-4);
    sn_assert_near(feet[c].z, feet[0].z, 1e-4);
  }
  assert_true(fabs(q[2]) > 0.2); /* bent */
  sn_test_robot_free(&robot);
}

SN_TEST(no_memory_is_reported) {
  sn_test_robot robot;
  double q[JOINTS_MAX];
  char bytes[256];
  sn_arena small;
  sn_test_robot_init_good(&robot, seven, NULL);
  sn_arena_init(&small, "small", bytes, sizeof bytes);
  assert_int_equal(sn__start_pose(&small, robot.model, q, NULL), SN_ENOMEM);
  sn_test_robot_free(&robot);
}
