/* Requests to move the base: what is rejected, and why; free coordinates; goals of feet. */
#include <math.h>

#include "planner_rig.h"
#include "sn_test.h"

static planner_rig rig;

static int open_all(void **state) {
  (void)state;
  planner_rig_open(&rig, "quadruped", 9.0);
  return 0;
}

static int close_all(void **state) {
  (void)state;
  planner_rig_close(&rig);
  return 0;
}
SN_TEST_GROUP(open_all, close_all)

static void ask(void) {
  planner_rig_ask(&rig, "walk", 4.0, 3, 0.1, 0.0, 0.0);
}

static void expect(int32_t code, const char *part) {
  assert_int_equal(planner_rig_plan(&rig), code);
  sn_assert_contains(rig.err.message, part);
}

SN_TEST(invalid_requests_say_what_is_wrong) {
  enum { INVALID = SN_MOVE_BASE_INVALID_GOAL };
  ask();
  assert_int_equal(sn_msg_text_set(&rig.goal->gait_type, "gallop"), SN_OK);
  expect(INVALID, "unknown gait 'gallop'");
  static const double durations[] = {0.0, -1.0, NAN, INFINITY, 1e6};
  for (size_t i = 0; i < sizeof durations / sizeof *durations; i++) {
    ask();
    rig.goal->duration = durations[i];
    expect(INVALID, "the duration is");
  }
  ask();
  rig.goal->n_steps = 0;
  expect(INVALID, "n_steps is 0, must be 1 to");
  rig.goal->n_steps = 1000000;
  expect(INVALID, "n_steps is 1000000");
  ask();
  rig.goal->base_goal.position.x = NAN;
  expect(INVALID, "the position of base_goal is not finite");
  ask();
  rig.goal->base_goal.orientation.w = 0.0;
  expect(INVALID, "orientation of length 0");
  ask();
  rig.goal->base_goal_bounds = 64;
  expect(INVALID, "base_goal_bounds is 64");
  ask();
  assert_int_equal(sn_msg_text_set(&rig.goal->header.frame_id, "mars"), SN_OK);
  expect(INVALID, "the frame is 'mars', must be 'odom' or 'base_link_path'");
  ask();
  rig.goal->position_tolerance = -1.0;
  expect(INVALID, "the tolerances are");
}

SN_TEST(invalid_goals_of_feet_name_the_limb) {
  enum { INVALID = SN_MOVE_BASE_INVALID_GOAL };
  sn_ee_goal *foot = &rig.goal->ee_goal.data[1];
  ask();
  assert_int_equal(sn_msg_text_set(&foot->name, "leg1"), SN_OK);
  expect(INVALID, "limb 'leg1' appears twice");
  assert_int_equal(sn_msg_text_set(&foot->name, "wing"), SN_OK);
  expect(INVALID, "the robot has no leg 'wing'");
  assert_int_equal(sn_msg_text_set(&foot->name, "head"), SN_OK);
  expect(INVALID, "the robot has no leg 'head'");
  ask();
  foot->frame_type = 6;
  expect(INVALID, "limb 'leg2' has frame_type 6");
  ask();
  foot->position_bounds = 8;
  expect(INVALID, "position_bounds 8");
  ask();
  foot->position.y = INFINITY;
  expect(INVALID, "the position of limb 'leg2'");
  ask();
  foot->position = sn_vec3_make(0, 0, 0.1);
  foot->position_bounds = 0;
  expect(INVALID, "'leg2' shall be in contact 0.100 m above the ground");
  foot->contact = false;
  foot->position.z = -0.1;
  expect(INVALID, "0.100 m below the ground");
}

/* Bounds and goals that exclude each other. */
SN_TEST(contradictory_bounds_are_rejected) {
  enum { INVALID = SN_MOVE_BASE_INVALID_GOAL, NO = SN_MOVE_BASE_SOLUTION_NOT_FOUND };
  sn_ee_goal *feet = rig.goal->ee_goal.data;
  ask(); /* in contact, but above the ground */
  feet[0].position_bounds = 0;
  feet[0].position.z = 0.05;
  expect(INVALID, "'leg1' shall be in contact 0.050 m above the ground");
  ask(); /* two feet at one place */
  for (size_t i = 0; i < 2; i++) {
    feet[i].frame_type = SN_EE_PATH_FINAL;
    feet[i].position = sn_vec3_make(0.1, 0.0, 0.0);
    feet[i].position_bounds = 4;
  }
  assert_int_equal(planner_rig_plan(&rig), NO);
  assert_true(strstr(rig.err.message, "distance of feet: limbs 'leg1' and 'leg2'") != NULL ||
              strstr(rig.err.message, "reach: limb 'leg") != NULL);
  ask(); /* a base that goes where feet that stay do not reach */
  for (size_t i = 0; i < rig.legs.count; i++) {
    feet[i].frame_type = SN_EE_PATH_INITIAL;
    feet[i].position = rig.legs.leg[i].foot;
    feet[i].position_bounds = 4;
  }
  rig.goal->base_goal.position.x = 0.5;
  expect(NO, "reach: limb '");
  planner_rig_ask(&rig, "stand", 2.0, 0, 0.0, 0.0, 0.0); /* a foot in the air that stands */
  feet[0].contact = false;
  expect(INVALID, "the gait 'stand' moves no foot");
}

SN_TEST(goals_beyond_reach_name_the_constraint) {
  enum { NO = SN_MOVE_BASE_SOLUTION_NOT_FOUND };
  planner_rig_ask(&rig, "walk", 4.0, 2, 5.0, 0.0, 0.0);
  expect(NO, "reach: limb '");
  ask();
  rig.goal->base_goal.position.z = 3.0 * rig.legs.height_m;
  expect(NO, "reach: limb '");
  planner_rig_ask(&rig, "stand", 2.0, 0, 0.5, 0.0, 0.0);
  expect(NO, "");
}

SN_TEST(a_robot_that_does_not_stand_is_not_planned_for) {
  double q[PLANNER_RIG_JOINTS_MAX];
  int32_t error;
  const size_t n = rig.joint_count;
  ask();
  memcpy(q, rig.legs.stance, n * sizeof *q);
  assert_int_equal(
      sn__planner_read(rig.planner, rig.goal, sn_pose_identity(), &rig.request, &error, &rig.err),
      SN_OK);
  q[rig.feet[2].limb->joints[2]] += 0.8; /* a foot is lifted */
  assert_int_not_equal(sn__planner_solve(rig.planner, &rig.request, q, &rig.plan, &rig.err), SN_OK);
  assert_int_equal(rig.plan.error, SN_MOVE_BASE_INVALID_INITIAL_POSE);
  sn_assert_contains(rig.err.message, "off the ground");
  q[0] = NAN;
  assert_int_not_equal(sn__planner_solve(rig.planner, &rig.request, q, &rig.plan, &rig.err), SN_OK);
  assert_int_equal(rig.plan.error, SN_MOVE_BASE_INVALID_INITIAL_POSE);
}

/* Where a foot ends in the path frame at the start. */
static sn_vec3 end_of(size_t limb) {
  const sn__step_sequence *s = &rig.plan.sequence;
  const size_t last = s->point_count - 1;
  return sn_pose_apply(s->base[last].pose, s->limbs[limb].points[last].pose.pos);
}

static sn_vec3 start_of(size_t limb) {
  const sn__step_sequence *s = &rig.plan.sequence;
  return sn_pose_apply(s->base[0].pose, s->limbs[limb].points[0].pose.pos);
}

SN_TEST(a_foot_ends_where_its_goal_says_in_every_frame) {
  const double h = rig.legs.height_m;
  for (uint32_t frame = 0; frame <= SN_EE_WORLD; frame++) {
    planner_rig_ask(&rig, "walk", 5.0, 3, 0.06, 0.0, 0.0);
    assert_int_equal(planner_rig_plan(&rig), SN_MOVE_BASE_SUCCESS);
    const sn_vec3 wanted = sn_vec3_add(end_of(0), sn_vec3_make(0.015, 0.01, 0.0));
    const sn_vec3 in_frame[] = {{0.015, 0.01, 0},
                                {wanted.x, wanted.y, wanted.z - h},
                                {wanted.x - 0.06, wanted.y, wanted.z - h},
                                {wanted.x, wanted.y, wanted.z},
                                {wanted.x - 0.06, wanted.y, wanted.z},
                                {wanted.x, wanted.y, wanted.z}};
    rig.goal->ee_goal.data[0].frame_type = frame;
    rig.goal->ee_goal.data[0].position = in_frame[frame];
    assert_int_equal(planner_rig_plan(&rig), SN_MOVE_BASE_SUCCESS);
    sn_assert_vec3_near(end_of(0), wanted, 1e-9);
  }
}

SN_TEST(free_coordinates_of_the_base_are_chosen) {
  planner_rig_ask(&rig, "walk", 4.0, 3, 0.1, 7.0, 0.0);
  rig.goal->base_goal.position.z = 9.0;
  rig.goal->base_goal_bounds = 16 | 32; /* y, z */
  assert_int_equal(planner_rig_plan(&rig), SN_MOVE_BASE_SUCCESS);
  sn_assert_vec3_near(rig.plan.base_goal.pos, sn_vec3_make(0.1, 0.0, rig.legs.height_m), 1e-9);
}

SN_TEST(a_foot_may_end_in_the_air) {
  planner_rig_ask(&rig, "walk", 5.0, 2, 0.0, 0.0, 0.0);
  rig.goal->ee_goal.data[0].contact = false;
  rig.goal->base_goal_bounds = 8 | 16;
  const int32_t code = planner_rig_plan(&rig);
  if (code == SN_MOVE_BASE_SUCCESS) {
    const sn__step_limb *limb = &rig.plan.sequence.limbs[0];
    assert_false(limb->points[rig.plan.sequence.point_count - 1].contact);
    assert_true(end_of(0).z > start_of(0).z + 0.01);
  } else { /* the base does not move to the other three feet */
    expect(SN_MOVE_BASE_SOLUTION_NOT_FOUND, "balance");
  }
}

SN_TEST(standing_moves_no_foot) {
  planner_rig_ask(&rig, "stand", 2.0, 0, 0.01, -0.01, 0.0);
  assert_int_equal(planner_rig_plan(&rig), SN_MOVE_BASE_SUCCESS);
  for (size_t i = 0; i < rig.legs.count; i++) {
    sn_assert_vec3_near(end_of(i), start_of(i), 1e-9);
  }
  rig.goal->ee_goal.data[0].frame_type = SN_EE_PATH_INITIAL;
  rig.goal->ee_goal.data[0].position = sn_vec3_make(0.3, 0.1, 0.0);
  expect(SN_MOVE_BASE_INVALID_GOAL, "the gait 'stand' moves no foot");
}

SN_TEST(a_goal_in_odom_is_relative_to_the_robot) {
  planner_rig_ask(&rig, "walk", 4.0, 3, 0.0, 0.0, 0.0);
  int32_t error;
  const sn_pose base = {sn_mat3_from_rpy(0, 0, 1.0), {3.0, 2.0, rig.legs.height_m}};
  const sn_pose goal = sn_pose_mul(base, (sn_pose){sn_mat3_from_rpy(0, 0, 0.2), {0.1, 0.02, 0.0}});
  assert_int_equal(sn_msg_text_set(&rig.goal->header.frame_id, "odom"), SN_OK);
  rig.goal->base_goal = sn_msg_pose_from(goal);
  assert_int_equal(sn__planner_read(rig.planner, rig.goal, base, &rig.request, &error, &rig.err),
                   SN_OK);
  assert_int_equal(
      sn__planner_solve(rig.planner, &rig.request, rig.legs.stance, &rig.plan, &rig.err), SN_OK);
  sn_assert_vec3_near(rig.plan.base_goal.pos, sn_vec3_make(0.1, 0.02, rig.legs.height_m), 1e-9);
}
