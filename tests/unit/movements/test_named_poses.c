/* Poses with names, from properties and SRDF files. */
#include <string.h>

#include "movements/named_poses.h"
#include "program.h"
#include "robot.h"
#include "sn_test.h"

typedef struct bench {
  sn_arena arena;
  sn_test_robot robot;
  char folder[64];
  char srdf[128];
  sn__named_poses poses;
  sn_error err;
} bench;

static void bench_open(bench *b, const char *srdf) {
  *b = (bench){.srdf = ""};
  sn_arena_init_growing(&b->arena, "bench", 0);
  sn_test_robot_load(&b->robot, "arm6");
  sn_test_folder_create(b->folder);
  if (srdf != NULL) {
    sn_test_write(b->folder, "robot.srdf", srdf);
    snprintf(b->srdf, sizeof b->srdf, "%s/robot.srdf", b->folder);
  }
}

static void bench_close(bench *b) {
  sn_test_folder_remove(b->folder);
  sn_test_robot_free(&b->robot);
  sn_arena_release(&b->arena);
}

static sn_status read(bench *b, const char *text) {
  const sn_value *tree = NULL;
  sn_report *report = NULL;
  assert_int_equal(sn_report_create(&b->arena, &report, NULL), SN_OK);
  assert_int_equal(sn_value_parse_text(&b->arena, text, strlen(text), "arm.yaml", report, &tree),
                   SN_OK);
  return sn__named_poses_read(&b->arena, b->robot.model, tree, b->srdf, &b->poses, &b->err);
}

static double at(const sn__named_pose *pose, size_t i, int joint) {
  assert_non_null(pose);
  assert_true(i < pose->count);
  assert_int_equal(pose->joints[i], joint);
  return pose->positions[i];
}

static const char states[] =
    "<robot name='arm'>\n"
    "<group name='all'/>\n"
    "<group_state name='home' group='all'><joint name='joint1' value='1.5'/></group_state>\n"
    "<group_state name='folded' group='all'>\n"
    "<joint name='joint2' value='-0.5'/><joint name='finger' value='0.02'/></group_state>\n"
    "<group_state name='folded' group='wrist'><joint name='joint5' value='0.25'/></group_state>\n"
    "</robot>\n";

SN_TEST(poses_of_the_property_hide_those_of_the_file) {
  bench b;
  bench_open(&b, states);
  assert_int_equal(read(&b, "{home: {joint1: 0.5, joint3: -1}, up: {joint2: 0}}"), SN_OK);
  assert_int_equal(b.poses.count, 3);
  const sn__named_pose *home = sn__named_pose_find(&b.poses, "home");
  assert_int_equal(home->count, 2);
  sn_assert_near(at(home, 0, 0), 0.5, 0.0);
  sn_assert_near(at(home, 1, 2), -1.0, 0.0);
  /* Of two groups, without the joint that the robot does not move. */
  const sn__named_pose *folded = sn__named_pose_find(&b.poses, "folded");
  assert_int_equal(folded->count, 2);
  sn_assert_near(at(folded, 0, 1), -0.5, 0.0);
  sn_assert_near(at(folded, 1, 4), 0.25, 0.0);
  assert_null(sn__named_pose_find(&b.poses, "down"));
  bench_close(&b);
}

SN_TEST(a_pose_is_a_movement) {
  bench b;
  sn__movement movement;
  bench_open(&b, NULL);
  assert_int_equal(read(&b, "{home: {joint1: 0.5, joint3: -1}}"), SN_OK);
  assert_int_equal(sn__named_pose_movement(sn__named_pose_find(&b.poses, "home"), b.robot.model,
                                           &b.arena, &movement, &b.err),
                   SN_OK);
  assert_int_equal(movement.kind, SN__MOVEMENT_JOINT_STATE);
  assert_int_equal(movement.pose->name.count, 2);
  assert_string_equal(sn_msg_names_at(&movement.pose->name, 1), "joint3");
  sn_assert_near(movement.pose->position.data[1], -1.0, 0.0);
  assert_int_equal(sn__movement_check_robot(&movement, b.robot.model, &b.err), SN_OK);
  bench_close(&b);
}

SN_TEST(invalid_poses_are_refused_with_their_place) {
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"{home: {elbow: 1}}", "arm.yaml:1: pose 'home': the robot has no movable joint 'elbow'"},
      {"{home: {joint1: 100}}", "pose 'home': joint 'joint1' at 100, its limits are"},
      {"{home: {joint1: left}}", "pose 'home': the position of 'joint1' is not a number"},
      {"{home: [1, 2]}", "pose 'home': expected joints with positions"},
      {"{home: {}}", "pose 'home': expected joints with positions"},
      {"{a/b: {joint1: 0}}", "a/b"},
      {"[home]", "poses: expected names with joints"},
      {"home", "poses: expected names with joints"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bench b;
    bench_open(&b, NULL);
    assert_int_not_equal(read(&b, cases[i].text), SN_OK);
    sn_assert_contains(b.err.message, cases[i].message);
    assert_int_equal(b.poses.count, 0);
    bench_close(&b);
  }
}

SN_TEST(invalid_files_are_refused_with_their_place) {
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"<robot>\n<group_state name='a'><joint name='joint1'/></group_state></robot>",
       "robot.srdf:2: state 'a': expected <joint"},
      {"<robot>\n<group_state name='a'><joint name='joint1' value='9'/></group_state></robot>",
       "robot.srdf:2: pose 'a': joint 'joint1' at 9, its limits are"},
      {"<robot><group_state", "robot.srdf:1"},
      {"", "robot.srdf"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bench b;
    bench_open(&b, cases[i].text);
    assert_int_not_equal(read(&b, "{}"), SN_OK);
    sn_assert_contains(b.err.message, cases[i].message);
    bench_close(&b);
  }
  bench b;
  bench_open(&b, NULL);
  snprintf(b.srdf, sizeof b.srdf, "%s/missing.srdf", b.folder);
  assert_int_equal(read(&b, "{}"), SN_EIO);
  sn_assert_contains(b.err.message, "missing.srdf");
  bench_close(&b);
}

/* The SRDF that the robot came with, hidden by the property and by the file. */
SN_TEST(poses_of_the_robot_itself_come_last) {
  bench b;
  bench_open(&b, states);
  static const char own[] =
      "<robot name='arm6'><group_state name='home'><joint name='joint1' value='-1'/></group_state>"
      "<group_state name='rest'><joint name='joint2' value='0.75'/></group_state>"
      "<group_state name='rest'><joint name='joint2' value='0.5'/>"
      "<joint name='joint3' value='0.125'/></group_state></robot>";
  const sn_model_config config = {.srdf = own, .srdf_size = strlen(own)};
  assert_int_equal(sn_model_load(&b.robot.arena, SINEW_ROBOTS "/arm6.urdf", &config, b.robot.report,
                                 &b.robot.model, &b.err),
                   SN_OK);
  assert_int_equal(read(&b, "{}"), SN_OK);
  sn_assert_near(at(sn__named_pose_find(&b.poses, "home"), 0, 0), 1.5, 0.0);
  const sn__named_pose *rest = sn__named_pose_find(&b.poses, "rest");
  assert_int_equal(rest->count, 2);
  sn_assert_near(at(rest, 0, 1), 0.75, 0.0);
  sn_assert_near(at(rest, 1, 2), 0.125, 0.0);
  bench_close(&b);
}
