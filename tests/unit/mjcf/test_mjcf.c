/* MJCF as a robot, against closed forms: where its bodies are, how heavy they are, what its joints
   can do. tests/oracle compares whole robots with MuJoCo. */
#include <math.h>
#include <string.h>

#include "model/srdf/semantics.h"
#include "robot.h"
#include "sinew/kin.h"
#include "sinew/quat.h"
#include "sn_test.h"

static sn_pose pose_at(const sn_model *model, const char *tip, const double *q) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "chain", 0);
  const sn_chain *chain = NULL;
  assert_int_equal(sn_chain_create(&arena, model, sn_model_link(model, 0)->name, tip, &chain, NULL),
                   SN_OK);
  const sn_pose pose = sn_chain_fk(chain, q);
  sn_arena_release(&arena);
  return pose;
}

static void assert_same_pose(sn_pose a, sn_pose b) {
  sn_assert_near(sn_vec3_norm(sn_vec3_sub(a.pos, b.pos)), 0.0, 1e-12);
  sn_assert_near(sn_vec3_norm(sn_mat3_log(sn_mat3_mul(sn_mat3_transpose(a.rot), b.rot))), 0.0,
                 1e-12);
}

#define MJCF(inside) "<mujoco model='m'><worldbody>" inside "</worldbody></mujoco>"
#define RADIAN(inside) \
  "<mujoco model='m'><compiler angle='radian'/><worldbody>" inside "</worldbody></mujoco>"
#define HEAVY "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"

/* One rotation in every notation: 40 degrees about (1 2 2) / 3. */
SN_TEST(all_notations_of_a_rotation_agree) {
  const double angle = 40.0 * acos(-1.0) / 180.0;
  const sn_mat3 r = sn_mat3_from_axis_angle(sn_vec3_make(1.0 / 3, 2.0 / 3, 2.0 / 3), angle);
  const double s = sin(angle / 2) / 3;
  /* r = Rx(a) Ry(b) Rz(c) about the axes of the body, and Rz Ry Rx of the transposed for fixed ones
   */
  const double b = asin(r.z.x), a = atan2(-r.z.y, r.z.z), c = atan2(-r.y.x, r.x.x);
  const double deg = 180.0 / acos(-1.0);
  char text[4096];
  snprintf(
      text, sizeof text,
      MJCF("<body name='p' axisangle='1 2 2 40'/><body name='q' quat='%.17g %.17g %.17g %.17g'/>"
           "<body name='x' xyaxes='%.17g %.17g %.17g %.17g %.17g %.17g'/>"
           "<body name='e' euler='%.17g %.17g %.17g'/>"),
      2 * cos(angle / 2), 2 * s, 4 * s, 4 * s, 3 * r.x.x, 3 * r.x.y, 3 * r.x.z, r.y.x + 5 * r.x.x,
      r.y.y + 5 * r.x.y, r.y.z + 5 * r.x.z, a * deg, b * deg, c * deg);
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, text, NULL);
  sn_assert_problems(robot.report, "");
  const sn_pose expected = {r, sn_vec3_make(0, 0, 0)};
  static const char *const names[] = {"p", "q", "x", "e"};
  for (size_t i = 0; i < 4; i++) {
    const int link = sn_model_link_index(robot.model, names[i]);
    assert_same_pose(sn_model_link(robot.model, (size_t)link)->pose_body_link, expected);
  }
  sn_test_robot_free(&robot);
}

/* zaxis says where z points, and nothing about the turn around it but that it is the shortest. */
SN_TEST(zaxis_is_the_shortest_turn) {
  sn_test_robot robot;
  sn_test_robot_init_good(
      &robot, MJCF("<body name='a' zaxis='0 -3 0'/><body name='b' zaxis='0 0 -1'/>"), NULL);
  const double right = acos(-1.0) / 2;
  const int a = sn_model_link_index(robot.model, "a"), b = sn_model_link_index(robot.model, "b");
  const sn_pose turned = {sn_mat3_from_axis_angle(sn_vec3_make(1, 0, 0), right), {0, 0, 0}};
  assert_same_pose(sn_model_link(robot.model, (size_t)a)->pose_body_link, turned);
  sn_assert_near(sn_model_link(robot.model, (size_t)b)->pose_body_link.rot.z.z, -1.0, 1e-15);
  sn_test_robot_free(&robot);
}

/* Upper-case letters turn about fixed axes: the order is reversed. */
SN_TEST(euler_angles_follow_their_order) {
  static const char *const orders[] = {"xyz", "ZYX", "zyx", "XYZ", "zxz"};
  for (size_t i = 0; i < 5; i++) {
    char text[512];
    snprintf(text, sizeof text,
             "<mujoco><compiler angle='radian' eulerseq='%s'/><worldbody>"
             "<body name='b' euler='0.1 0.2 0.3'/></worldbody></mujoco>",
             orders[i]);
    sn_test_robot robot;
    sn_test_robot_init_good(&robot, text, NULL);
    sn_mat3 expected = sn_mat3_identity();
    for (size_t k = 0; k < 3; k++) {
      const bool is_fixed = orders[i][k] < 'a';
      const char letter = (char)(orders[i][is_fixed ? 2 - k : k] | 0x20);
      const sn_mat3 turn =
          sn_mat3_from_axis_angle(sn_vec3_make(letter == 'x', letter == 'y', letter == 'z'),
                                  0.1 * (double)(is_fixed ? 3 - k : k + 1));
      expected = sn_mat3_mul(expected, turn);
    }
    const int link = sn_model_link_index(robot.model, "b");
    assert_same_pose(sn_model_link(robot.model, (size_t)link)->pose_body_link,
                     (sn_pose){expected, {0, 0, 0}});
    sn_test_robot_free(&robot);
  }
}

static sn_pose about(sn_vec3 anchor, sn_vec3 axis, double angle) {
  const sn_pose to = {sn_mat3_identity(), anchor};
  const sn_pose turn = {sn_mat3_from_axis_angle(axis, angle), {0, 0, 0}};
  return sn_pose_mul(sn_pose_mul(to, turn), sn_pose_inverse(to));
}

/* The body is where the file draws it when every coordinate is at its ref. */
SN_TEST(joints_turn_about_their_anchors_from_their_references) {
  sn_test_robot robot;
  sn_test_robot_init_good(
      &robot,
      RADIAN("<frame pos='0 0 1' euler='0 0 0.5'><body name='b' pos='1 0 0' euler='0.2 0 0'>" HEAVY
             "<joint name='j1' axis='0 3 0' pos='0.1 0.2 0.3' ref='0.4'/>"
             "<joint name='j2' type='slide' axis='1 0 0' pos='9 9 9' ref='0.7' range='-1 1'/>"
             "<joint name='j3' axis='0 0 1' pos='-0.5 0 0.1'/></body></frame>"),
      NULL);
  sn_assert_problems(robot.report, "");
  assert_int_equal(sn_model_dof(robot.model), 3);
  const double q[3] = {0.9, -0.3, 1.2};
  const sn_pose frame = {sn_mat3_from_axis_angle(sn_vec3_make(0, 0, 1), 0.5), {0, 0, 1}};
  const sn_pose body = {sn_mat3_from_axis_angle(sn_vec3_make(1, 0, 0), 0.2), {1, 0, 0}};
  sn_pose expected = sn_pose_mul(frame, body);
  expected =
      sn_pose_mul(expected, about(sn_vec3_make(0.1, 0.2, 0.3), sn_vec3_make(0, 1, 0), q[0] - 0.4));
  expected = sn_pose_mul(expected, (sn_pose){sn_mat3_identity(), {q[1] - 0.7, 0, 0}});
  expected = sn_pose_mul(expected, about(sn_vec3_make(-0.5, 0, 0.1), sn_vec3_make(0, 0, 1), q[2]));
  assert_same_pose(pose_at(robot.model, "b", q), expected);
  sn_test_robot_free(&robot);
}

/* ---- masses ---- */

/* Is a point inside a shape of MuJoCo's sizes? */
static bool is_inside(const char *type, const double s[3], sn_vec3 p) {
  const double across = hypot(p.x, p.y);
  if (strcmp(type, "box") == 0) {
    return fabs(p.x) <= s[0] && fabs(p.y) <= s[1] && fabs(p.z) <= s[2];
  }
  if (strcmp(type, "ellipsoid") == 0) {
    return p.x * p.x / s[0] / s[0] + p.y * p.y / s[1] / s[1] + p.z * p.z / s[2] / s[2] <= 1.0;
  }
  if (strcmp(type, "sphere") == 0) {
    return sn_vec3_norm(p) <= s[0];
  }
  if (strcmp(type, "cylinder") == 0) {
    return across <= s[0] && fabs(p.z) <= s[1];
  }
  return hypot(across, fmax(0.0, fabs(p.z) - s[1])) <= s[0]; /* capsule */
}

/* Mass and moments by adding up small cubes. */
static void add_up(const char *type, const double s[3], double density, double *mass,
                   double moments[3]) {
  enum { CELLS = 120 };
  const double reach = 0.6, cell = 2 * reach / CELLS;
  *mass = moments[0] = moments[1] = moments[2] = 0.0;
  for (int i = 0; i < CELLS * CELLS * CELLS; i++) {
    const sn_vec3 p = {-reach + cell * (i % CELLS + 0.5), -reach + cell * (i / CELLS % CELLS + 0.5),
                       -reach + cell * (i / CELLS / CELLS + 0.5)};
    if (is_inside(type, s, p)) {
      const double part = density * cell * cell * cell;
      *mass += part;
      moments[0] += part * (p.y * p.y + p.z * p.z);
      moments[1] += part * (p.x * p.x + p.z * p.z);
      moments[2] += part * (p.x * p.x + p.y * p.y);
    }
  }
}

SN_TEST(masses_of_geoms_are_those_of_their_volumes) {
  static const struct {
    const char *type;
    double size[3];
  } cases[] = {{"sphere", {0.4, 0, 0}},
               {"capsule", {0.2, 0.3, 0}},
               {"ellipsoid", {0.5, 0.3, 0.2}},
               {"cylinder", {0.25, 0.35, 0}},
               {"box", {0.5, 0.3, 0.2}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const double *s = cases[i].size;
    char text[512];
    snprintf(
        text, sizeof text,
        MJCF("<body name='b' pos='0 0 1'><joint/><geom type='%s' size='%g %g %g' density='700' "
             "pos='0.1 0 0'/></body>"),
        cases[i].type, s[0], s[1], s[2]);
    sn_test_robot robot;
    sn_test_robot_init_good(&robot, text, NULL);
    double mass = 0.0, moments[3];
    add_up(cases[i].type, s, 700.0, &mass, moments);
    const int index = sn_model_link_index(robot.model, "b");
    const sn_link *link = sn_model_link(robot.model, (size_t)index);
    sn_assert_near(link->mass_kg / mass, 1.0, 0.01);
    sn_assert_near(link->inertia.xx / moments[0], 1.0, 0.015);
    sn_assert_near(link->inertia.yy / moments[1], 1.0, 0.015);
    sn_assert_near(link->inertia.zz / moments[2], 1.0, 0.015);
    sn_assert_near(link->com.x, 0.1, 1e-12);
    sn_test_robot_free(&robot);
  }
}

SN_TEST(an_inertial_hides_geoms_unless_the_compiler_says_otherwise) {
  static const struct {
    const char *rule;
    double mass;
  } cases[] = {{"auto", 3.0}, {"false", 3.0}, {"true", 8.0}};
  for (size_t i = 0; i < 3; i++) {
    char text[512];
    snprintf(text, sizeof text,
             "<mujoco><compiler inertiafromgeom='%s'/><worldbody><body name='b'>"
             "<inertial pos='0 0 0' mass='3' diaginertia='1 1 1'/><joint/>"
             "<geom type='box' size='1 1 1' mass='8'/></body></worldbody></mujoco>",
             cases[i].rule);
    sn_test_robot robot;
    sn_test_robot_init_good(&robot, text, NULL);
    const int link = sn_model_link_index(robot.model, "b");
    sn_assert_near(sn_model_link(robot.model, (size_t)link)->mass_kg, cases[i].mass, 1e-12);
    sn_test_robot_free(&robot);
  }
}

/* ---- joints ---- */

static const sn_joint *joint_of(const sn_test_robot *robot, const char *name) {
  const int index = sn_model_joint_index(robot->model, name);
  assert_true(index >= 0);
  return sn_model_joint(robot->model, (size_t)index);
}

SN_TEST(classes_and_actuators_give_joints_their_limits) {
  sn_test_robot robot;
  sn_test_robot_init_good(
      &robot,
      "<mujoco><default><joint damping='2' range='-90 90'/><motor gear='3'/>"
      "<default class='soft'><joint damping='5' frictionloss='0.5'/></default></default>"
      "<worldbody><body name='a' childclass='soft'>" HEAVY
      "<joint name='j1'/>"
      "<body name='b'>" HEAVY
      "<joint name='j2' class='main' limited='false'/>"
      "<body name='c'>" HEAVY
      "<joint name='j3' range='-10 20' actuatorfrcrange='-4 4'/>"
      "<body name='d'>" HEAVY
      "<joint name='j4'/></body></body></body></body></worldbody>"
      "<actuator><motor joint='j1' ctrlrange='-7 5'/><position joint='j2' kp='9' "
      "forcerange='-2 2' gear='10'/><motor joint='j3' ctrlrange='-50 50'/></actuator></mujoco>",
      NULL);
  sn_assert_problems(robot.report, "");
  const double right = acos(-1.0) / 2;
  sn_assert_near(joint_of(&robot, "j1")->upper, right, 1e-15);
  sn_assert_near(joint_of(&robot, "j1")->damping, 5.0, 0.0);
  sn_assert_near(joint_of(&robot, "j1")->friction, 0.5, 0.0);
  sn_assert_near(joint_of(&robot, "j1")->effort_max, 21.0, 0.0);
  assert_int_equal(joint_of(&robot, "j2")->type, SN_JOINT_CONTINUOUS);
  sn_assert_near(joint_of(&robot, "j2")->damping, 2.0, 0.0);
  sn_assert_near(joint_of(&robot, "j2")->effort_max, 20.0, 0.0);
  sn_assert_near(joint_of(&robot, "j3")->lower, -right / 9, 1e-15);
  sn_assert_near(joint_of(&robot, "j3")->effort_max, 4.0, 0.0);
  /* No actuator: nothing drives it. */
  const sn__semantics *s = sn__model_semantics(robot.model);
  assert_int_equal(s->passive_count, 1);
  assert_int_equal(s->passive[0], sn_model_joint_index(robot.model, "j4"));
  sn_test_robot_free(&robot);
}

/* q2 - 0.1 = 0.3 - 2 (q1 - 0.2), whichever of the two has the drive. */
SN_TEST(equality_is_a_mimic_joint_that_the_drive_leads) {
  for (int driven = 1; driven <= 2; driven++) {
    char text[1024];
    snprintf(text, sizeof text,
             "<mujoco><compiler angle='radian'/><worldbody><body name='a'>" HEAVY
             "<joint name='j1' ref='0.2'/></body><body name='b'>" HEAVY
             "<joint name='j2' ref='0.1'/></body></worldbody>"
             "<equality><joint joint1='j2' joint2='j1' polycoef='0.3 -2'/></equality>"
             "<actuator><motor joint='j%d'/></actuator></mujoco>",
             driven);
    sn_test_robot robot;
    sn_test_robot_init_good(&robot, text, NULL);
    const sn_joint *follower = joint_of(&robot, driven == 1 ? "j2" : "j1");
    assert_int_equal(follower->mimic, sn_model_joint_index(robot.model, driven == 1 ? "j1" : "j2"));
    const double master = 0.6;
    const double q1 = driven == 1 ? master : (0.3 - (master - 0.1)) / 2 + 0.2;
    const double q2 = driven == 2 ? master : 0.3 - 2 * (master - 0.2) + 0.1;
    sn_assert_near(follower->mimic_multiplier * master + follower->mimic_offset,
                   driven == 1 ? q2 : q1, 1e-15);
    sn_test_robot_free(&robot);
  }
}

SN_TEST(keyframes_are_poses_and_excludes_are_pairs) {
  sn_test_robot robot;
  sn_test_robot_init_good(
      &robot,
      "<mujoco><worldbody><body name='a'><freejoint/>" HEAVY "<body name='b'>" HEAVY
      "<joint name='j1' range='-90 90'/><body name='c'>" HEAVY
      "<joint name='j2'/></body></body>"
      "<site name='b' pos='1 0 0'/></body></worldbody>\n"
      "<contact><exclude body1='a' body2='c'/><exclude body1='a' body2='z'/></contact>\n"
      "<keyframe><key name='up' qpos='0 0 0 1 0 0 0  0.5 2'/><key qpos='0 0 0 1 0 0 0  2 1'/>"
      "</keyframe></mujoco>",
      NULL);
  sn_assert_problems(robot.report,
                     "3:55: warning: keyframe: joint 'j1' at 2, its limits are -1.5708 and 1.5708 "
                     "(it is left out of the pose)\n"
                     "2:40: warning: <exclude>: 'a' and 'z' are not both bodies of the robot "
                     "(it is left out)\n");
  assert_string_equal(sn_model_link(robot.model, 0)->name, "a");
  assert_true(sn_model_link_index(robot.model, "b_2") >= 0); /* the site */
  const sn__semantics *s = sn__model_semantics(robot.model);
  assert_int_equal(s->state_count, 2);
  assert_string_equal(s->states[0].name, "up");
  sn_assert_near(s->states[0].positions[1], 2.0, 0.0);
  assert_string_equal(s->states[1].name, "key1");
  assert_int_equal(s->states[1].count, 1);
  assert_int_equal(s->pair_count, 1);
  assert_int_equal(s->pairs[0].b, sn_model_link_index(robot.model, "c"));
  sn_test_robot_free(&robot);
}

/* The description is a URDF of the same robot. */
SN_TEST(the_description_is_the_same_robot) {
  static const char *const files[] = {"arm", "dog", "dog_fixed"};
  for (size_t i = 0; i < 3; i++) {
    char path[512];
    snprintf(path, sizeof path, SINEW_ROBOTS "/../tests/mjcf/%s.xml", files[i]);
    sn_arena arena, problems;
    sn_arena_init_growing(&arena, "model", 0);
    sn_arena_init_growing(&problems, "problems", 0);
    sn_report *report = NULL;
    assert_int_equal(sn_report_create(&problems, &report, NULL), SN_OK);
    const sn_model *model = NULL, *again = NULL;
    assert_int_equal(sn_model_load(&arena, path, NULL, report, &model, NULL), SN_OK);
    sn_assert_problems(report, "");
    size_t size = 0;
    const char *text = sn_model_description(model, &size);
    assert_int_equal(sn_model_parse(&arena, text, size, NULL, report, &again, NULL), SN_OK);
    sn_assert_problems(report, "");
    double q[32];
    for (size_t k = 0; k < 32; k++) {
      q[k] = 0.1 * (double)k;
    }
    for (size_t k = 0; k < sn_model_link_count(model); k++) {
      const char *name = sn_model_link(model, k)->name;
      assert_same_pose(pose_at(model, name, q), pose_at(again, name, q));
    }
    sn_arena_release(&arena);
    sn_arena_release(&problems);
  }
}
