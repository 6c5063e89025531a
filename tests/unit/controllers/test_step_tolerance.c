/* Tolerances of a step sequence. */
#include <string.h>

#include "controllers/walking/execute_step_sequence.h"
#include "robot.h"
#include "sn_test.h"

typedef struct bench {
  sn_test_robot robot;
  sn__execute_step_sequence steps;
  sn__step_goal_content content;
  sn__goal goal;
} bench;

static void open_bench(bench *b) {
  memset(b, 0, sizeof *b);
  sn_test_robot_load(&b->robot, "quadruped");
  b->steps.controller.model = b->robot.model;
  b->steps.has_base = true;
  b->steps.goal = &b->goal;
  b->goal.content = &b->content;
}

static void expect_violation(bench *b, const char *text) {
  sn__goal_end end = {SN_TRAJECTORY_SUCCEEDED, SN_STEP_SUCCESSFUL, "", NULL};
  assert_true(sn__step_is_off_goal(&b->steps, &end));
  assert_int_equal(end.status, SN_TRAJECTORY_ABORTED);
  assert_int_equal(end.error, SN_STEP_TOLERANCE_VIOLATED);
  assert_string_equal(end.text, text);
  assert_string_equal(end.name, "base_link");
}

static void expect_good(bench *b) {
  sn__goal_end end;
  assert_false(sn__step_is_off_goal(&b->steps, &end));
}

SN_TEST(base_off_its_goal_violates_the_tolerances_of_the_goal) {
  static bench b;
  open_bench(&b);
  b.content.sequence.position_tolerance_m = 0.05;
  b.content.sequence.orientation_tolerance_rad = 0.2;
  b.steps.walker.error_pos = sn_vec3_make(0.03, 0.0, 0.0);
  b.steps.walker.error_rot = sn_vec3_make(0.0, 0.0, 0.1);
  expect_good(&b);
  b.steps.walker.error_pos = sn_vec3_make(0.0, -1.2345678, 0.0);
  expect_violation(&b,
                   "the base is off its goal by 1.235 m and 0.100 rad, at most 0.050 m and 0.200 "
                   "rad are allowed");
  b.steps.walker.error_pos = sn_vec3_make(0.0, 0.0, 0.0);
  b.steps.walker.error_rot = sn_vec3_make(0.0, 0.0, -0.3);
  expect_violation(&b,
                   "the base is off its goal by 0.000 m and 0.300 rad, at most 0.050 m and 0.200 "
                   "rad are allowed");
  b.steps.has_base = false; /* unknown */
  expect_good(&b);
  sn_test_robot_free(&b.robot);
}

SN_TEST(tolerances_of_the_component_apply_where_the_goal_has_none) {
  static bench b;
  open_bench(&b);
  b.steps.walker.error_pos = sn_vec3_make(0.5, 0.0, 0.0);
  expect_good(&b); /* 0: any */
  b.steps.position_tolerance_m = 0.1;
  expect_violation(&b,
                   "the base is off its goal by 0.500 m and 0.000 rad, at most 0.100 m and 0.000 "
                   "rad are allowed");
  b.content.sequence.position_tolerance_m = 0.6;
  expect_good(&b);
  sn_test_robot_free(&b.robot);
}
