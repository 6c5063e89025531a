/* The quadruped walks on the ground, in simulated time, with noisy sensors and an estimated base.
 */
#include <math.h>

#include "deploy/deployment.h"
#include "robot.h"
#include "sinew/components.h"
#include "sinew/deployment.h"
#include "sinew/msg_calls.h"
#include "sinew/msg_locomotion.h"
#include "sinew/msg_types.h"
#include "sinew/system.h"
#include "sinew/tap.h"
#include "sn_test.h"
#include "step_fixture.h"

enum { MS = 1000000 };

static const char deployment_text[] =
    "include: [walking.yaml]\n"
    "components:\n"
    "  plant:\n"
    "    properties: {gyro_bias: [0.01, -0.01, 0.01],\n"
    "      gyro_noise: 0.005, accel_noise: 0.05, accel_bias: [0.05, -0.05, 0.05],\n"
    "      position_noise: 0.0005, velocity_noise: 0.02, initial_pose: {\n"
    "      leg1_joint3: -0.6, leg1_joint4: 1.2, leg1_joint5: -0.6,\n"
    "      leg2_joint3: -0.6, leg2_joint4: 1.2, leg2_joint5: -0.6,\n"
    "      leg3_joint3: 0.6, leg3_joint4: -1.2, leg3_joint5: 0.6,\n"
    "      leg4_joint3: 0.6, leg4_joint4: -1.2, leg4_joint5: 0.6}}\n";

typedef struct story {
  sn_arena arena;
  sn_clock clock;
  sn_system *system;
  sn_tap *truth;
  sn_caller execute, cancel, get_goal, follow;
  const sn_model *model;
  sn_pose start; /* of the base, when the last goal was sent */
  uint64_t goal_id;
} story;

static void open_caller(story *s, const char *name, sn_caller *caller) {
  sn_error err;
  assert_int_equal(sn_caller_open(s->system, name, caller, &err), SN_OK);
}

static void build(story *s) {
  sn_report *report = NULL;
  assert_int_equal(sn_report_create(&s->arena, &report, NULL), SN_OK);
  sn_component_registry *registry = sn_component_registry_create(&s->arena);
  sn_deployment_file files[] = {{.name = "standard.yaml"}, {.name = "walking.yaml"}};
  files[0].text = sn_standard_deployment(&files[0].size);
  files[1].text = sn__walking_deployment(&files[1].size);
  static const char *const without[] = {"cockpit", "servo_ident"};
  const sn_deployment_config config = {.registry = registry,
                                       .files = files,
                                       .file_count = 2,
                                       .without = without,
                                       .without_count = 2,
                                       .robot = SINEW_ROBOTS "/quadruped.yaml",
                                       .may_read = true};
  const sn_deployment *deployment = NULL;
  sn_error err;
  assert_int_equal(sn_components_add(registry, &err), SN_OK);
  assert_int_equal(sn_deployment_parse(&s->arena, deployment_text, strlen(deployment_text),
                                       "story.yaml", &config, report, &deployment),
                   SN_OK);
  s->system = sn_system_create(
      &(sn_system_config){.clock = &s->clock, .capacity = sn_deployment_capacity(deployment)});
  assert_non_null(s->system);
  assert_int_equal(sn_deployment_build(deployment, s->system, report), SN_OK);
}

static void run(story *s, int cycles) {
  sn_error err;
  assert_int_equal(sn_system_run(s->system, (int64_t)cycles * MS, NULL, NULL, &err), SN_OK);
}

static sn_pose truth_of(story *s) {
  const sn_rigid_body_state *msg = sn_tap_read(s->truth, NULL);
  assert_non_null(msg);
  return sn_pose_from_msg(msg->pose.data[0]);
}

static void open_story(story *s, sn_test_robot *robot) {
  *s = (story){.system = NULL};
  sn_test_robot_load(robot, "quadruped");
  s->model = robot->model;
  sn_arena_init_growing(&s->arena, "story", 1 << 16);
  sn_clock_init_simulated(&s->clock, 0);
  build(s);
  sn_error err;
  assert_int_equal(sn_tap_open(s->system, "plant.base_truth", NULL, &s->truth, &err), SN_OK);
  open_caller(s, "steps.execute", &s->execute);
  open_caller(s, "steps.cancel", &s->cancel);
  open_caller(s, "steps.getGoal", &s->get_goal);
  open_caller(s, "follow.setOperational", &s->follow);
  assert_int_equal(sn_system_begin(s->system, &err), SN_OK);
  run(s, 1000);
}

static void close_story(story *s, sn_test_robot *robot) {
  sn_tap_close(s->truth);
  sn_caller_close(&s->execute);
  sn_caller_close(&s->cancel);
  sn_caller_close(&s->get_goal);
  sn_caller_close(&s->follow);
  sn_system_destroy(s->system);
  sn_arena_release(&s->arena);
  sn_test_robot_free(robot);
}

static const sn_trajectory_answer *send(story *s, const sn_step_goal *goal) {
  const sn_msg_capacity capacity = {.text_size = 256};
  sn_trajectory_answer *answer = sn_msg_create(&s->arena, &sn_trajectory_answer_type, &capacity);
  sn_error err;
  s->start = truth_of(s);
  assert_int_equal(sn_call(&s->execute, goal, answer, &err), SN_OK);
  s->goal_id = answer->goal_id;
  return answer;
}

static void walk(story *s, const step_fixture *f) {
  const sn_trajectory_answer *answer = send(s, step_fixture_goal(f, &s->arena));
  if (!answer->accepted) {
    fail_msg("%s", answer->message.data);
  }
}

static const sn_trajectory_state *state_of(story *s) {
  const sn_msg_capacity capacity = {.text_size = 256};
  sn_trajectory_state *state = sn_msg_create(&s->arena, &sn_trajectory_state_type, &capacity);
  const sn_trajectory_id id = {s->goal_id};
  sn_error err;
  assert_int_equal(sn_call(&s->get_goal, &id, state, &err), SN_OK);
  return state;
}

/* Runs until the goal has ended. */
static const sn_trajectory_state *wait_for_end(story *s) {
  for (int i = 0; i < 300; i++) {
    const sn_trajectory_state *state = state_of(s);
    if (state->state == SN_TRAJECTORY_SUCCEEDED || state->state == SN_TRAJECTORY_ABORTED ||
        state->state == SN_TRAJECTORY_CANCELED) {
      return state;
    }
    run(s, 100);
  }
  fail_msg("the goal has not ended");
  return NULL;
}

static void check_upright(story *s) {
  const sn_pose base = truth_of(s);
  assert_true(base.rot.z.z > cos(0.1));
  assert_true(base.pos.z > 0.1);
}

/* The base is where the plan ends, from where it was. */
static void check_end(story *s, const step_fixture *f) {
  const sn_pose frame = {sn_mat3_from_rpy(0.0, 0.0, atan2(s->start.rot.x.y, s->start.rot.x.x)),
                         {s->start.pos.x, s->start.pos.y, 0.0}};
  const sn_pose goal = sn_pose_mul(frame, step_fixture_base(f, 100.0));
  const sn_pose base = truth_of(s);
  sn_assert_vec3_near(base.pos, goal.pos, 0.03);
  const sn_vec3 turn = sn_mat3_log(sn_mat3_mul(base.rot, sn_mat3_transpose(goal.rot)));
  assert_true(sn_vec3_norm(turn) < 0.1);
}

SN_TEST(robot_walks_to_where_the_sequence_ends) {
  static story s;
  static sn_test_robot robot;
  static const double ways[][2] = {{0.05, 0.0}, {0.0, 0.3}, {-0.03, -0.2}};
  open_story(&s, &robot);
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    const step_fixture f = {s.model, ways[i][0], ways[i][1], 2.0};
    walk(&s, &f);
    const sn_trajectory_state *end = wait_for_end(&s);
    assert_int_equal(end->state, SN_TRAJECTORY_SUCCEEDED);
    assert_int_equal(end->error_code, SN_STEP_SUCCESSFUL);
    check_upright(&s);
    check_end(&s, &f);
  }
  close_story(&s, &robot);
}

/* Slow steps have no momentum to help. The legs of this robot have no ankle that rolls: when the
   body moves sideways they stand on an edge of their soles, which moves with the body. */
SN_TEST(robot_turns_slowly_without_tilting) {
  static const double ways[][3] = {{0.0, 0.3, 2.0}, {0.0, -0.4, 3.0}, {-0.03, -0.2, 2.0}};
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    static story s;
    static sn_test_robot robot;
    open_story(&s, &robot);
    const step_fixture f = {s.model, ways[i][0], ways[i][1], ways[i][2]};
    walk(&s, &f);
    for (int k = 0; k < 200 && state_of(&s)->state != SN_TRAJECTORY_SUCCEEDED; k++) {
      assert_true(truth_of(&s).rot.z.z > cos(0.12));
      run(&s, 50);
    }
    assert_int_equal(state_of(&s)->state, SN_TRAJECTORY_SUCCEEDED);
    check_upright(&s);
    check_end(&s, &f);
    close_story(&s, &robot);
  }
}

SN_TEST(fast_sequence_is_stretched_and_reported) {
  static story s;
  static sn_test_robot robot;
  open_story(&s, &robot);
  const step_fixture f = {s.model, 0.06, 0.0, 0.2};
  walk(&s, &f);
  const sn_trajectory_state *end = wait_for_end(&s);
  assert_int_equal(end->state, SN_TRAJECTORY_SUCCEEDED);
  sn_assert_contains(end->message.data, "stretched in time by");
  assert_true(end->duration_ns > 800 * (int64_t)MS);
  check_upright(&s);
  check_end(&s, &f);
  close_story(&s, &robot);
}

SN_TEST(cancelled_sequence_stops_on_its_feet) {
  static story s;
  static sn_test_robot robot;
  open_story(&s, &robot);
  const step_fixture f = {s.model, 0.04, 0.0, 1.0};
  const sn_trajectory_id all = {0};
  sn_call_outcome *outcome = sn_msg_create(&s.arena, &sn_call_outcome_type, NULL);
  sn_error err;
  walk(&s, &f);
  run(&s, 400 /* in a swing */);
  assert_int_equal(sn_call(&s.cancel, &all, outcome, &err), SN_OK);
  assert_true(outcome->success);
  const sn_trajectory_state *end = wait_for_end(&s);
  assert_int_equal(end->state, SN_TRAJECTORY_CANCELED);
  assert_true(end->time_from_start_ns < 2500 * (int64_t)MS);
  run(&s, 500);
  const sn_pose rest = truth_of(&s);
  run(&s, 500);
  check_upright(&s);
  sn_assert_vec3_near(truth_of(&s).pos, rest.pos, 2e-3);
  close_story(&s, &robot);
}

/* ---- bad input: a message that names it, and the robot stays as it is ---- */

typedef void defect(sn_step_goal *goal);

static void decrease_times(sn_step_goal *g) {
  g->time_from_start.data[5] = 0.1;
}
static void shorten(sn_step_goal *g) {
  g->ee_motion.data[2].points.count = 7;
}
static void rename_limb(sn_step_goal *g) {
  assert_int_equal(sn_msg_text_set(&g->ee_motion.data[3].name, "wing"), SN_OK);
}
static void put_nan(sn_step_goal *g) {
  g->ee_motion.data[1].points.data[8].pose.position.x = NAN;
}
static void scale_quaternion(sn_step_goal *g) {
  g->ee_motion.data[0].points.data[3].pose.orientation.w = 1.5;
}
static void claim_contact(sn_step_goal *g) {
  for (size_t k = 0; k < g->ee_motion.data[0].points.count; k++) {
    g->ee_motion.data[0].points.data[k].contact = true;
  }
}
static void lift_all_points(sn_step_goal *g) {
  for (size_t k = 0; k < g->ee_motion.data[1].points.count; k++) {
    g->ee_motion.data[1].points.data[k].pose.position.z += 0.05;
    g->ee_motion.data[1].points.data[k].contact = false;
  }
}
static void put_out_of_reach(sn_step_goal *g) {
  g->ee_motion.data[2].points.data[9].pose.position.z -= 0.3;
}
static void append_to_nothing(sn_step_goal *g) {
  g->append = true;
}

SN_TEST(bad_sequence_is_named_and_moves_nothing) {
  static const struct {
    defect *make;
    int32_t code;
    const char *reason;
  } cases[] = {
      {decrease_times, SN_STEP_INVALID_TRAJECTORY, "the times do not increase: point 5 at 0.1 s"},
      {shorten, SN_STEP_INVALID_TRAJECTORY, "'leg3' has 7 points for 61 times"},
      {rename_limb, SN_STEP_INVALID_END_EFFECTOR, "the robot has no limb 'wing'"},
      {put_nan, SN_STEP_INVALID_TRAJECTORY, "point 8 of 'leg2' has NaN"},
      {scale_quaternion, SN_STEP_INVALID_TRAJECTORY, "point 3 of 'leg1' has an orientation of"},
      {claim_contact, SN_STEP_INVALID_TRAJECTORY, "limb 'leg1' is in contact at points"},
      {lift_all_points, SN_STEP_INVALID_TRAJECTORY, "limb 'leg2' is 0.05"},
      {put_out_of_reach, SN_STEP_INVALID_TRAJECTORY, "limb 'leg3' cannot reach its pose at 0."},
      {append_to_nothing, SN_STEP_UNABLE_TO_APPEND, "no sequence is under way to append to"}};
  static story s;
  static sn_test_robot robot;
  open_story(&s, &robot);
  const step_fixture f = {s.model, 0.04, 0.0, 1.0};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sn_step_goal *goal = step_fixture_goal(&f, &s.arena);
    cases[i].make(goal);
    const sn_trajectory_answer *answer = send(&s, goal);
    assert_false(answer->accepted);
    assert_int_equal(answer->error_code, cases[i].code);
    sn_assert_contains(answer->message.data, cases[i].reason);
    run(&s, 50);
    sn_assert_vec3_near(truth_of(&s).pos, s.start.pos, 5e-4);
  }
  close_story(&s, &robot);
}

/* No servo follows within a tenth of a millimetre. */
SN_TEST(limb_off_its_path_ends_the_sequence_on_its_feet) {
  static story s;
  static sn_test_robot robot;
  open_story(&s, &robot);
  const step_fixture f = {s.model, 0.04, 0.0, 1.0};
  sn_step_goal *goal = step_fixture_goal(&f, &s.arena);
  goal->position_tolerance = 1e-4;
  assert_true(send(&s, goal)->accepted);
  const sn_trajectory_state *end = wait_for_end(&s);
  assert_int_equal(end->state, SN_TRAJECTORY_ABORTED);
  assert_int_equal(end->error_code, SN_STEP_TOLERANCE_VIOLATED);
  sn_assert_contains(end->message.data, "the limb is off its path by 0.0");
  assert_int_equal(end->name.count, 1);
  sn_assert_contains(sn_msg_names_at(&end->name, 0), "leg");
  run(&s, 500);
  check_upright(&s);
  close_story(&s, &robot);
}

SN_TEST(sequence_that_does_not_fit_is_not_appended) {
  static story s;
  static sn_test_robot robot;
  open_story(&s, &robot);
  const step_fixture f = {s.model, 0.03, 0.0, 1.0};
  walk(&s, &f);
  const uint64_t first = s.goal_id;
  run(&s, 1000);
  sn_step_goal *goal = step_fixture_goal(&f, &s.arena);
  goal->append = true;
  lift_all_points(goal);
  const sn_trajectory_answer *answer = send(&s, goal);
  assert_false(answer->accepted);
  assert_int_equal(answer->error_code, SN_STEP_UNABLE_TO_APPEND);
  sn_assert_contains(answer->message.data,
                     "limb 'leg2' begins 0.050 m and 0.000 rad from where the sequence under way");
  s.goal_id = first; /* it goes on */
  assert_int_equal(wait_for_end(&s)->state, SN_TRAJECTORY_SUCCEEDED);
  close_story(&s, &robot);
}

SN_TEST(sequence_is_appended_if_it_fits) {
  static story s;
  static sn_test_robot robot;
  open_story(&s, &robot);
  const step_fixture f = {s.model, 0.03, 0.0, 1.0};
  sn_step_goal *goal = step_fixture_goal(&f, &s.arena);
  goal->append = true;
  const sn_trajectory_answer *early = send(&s, goal);
  assert_false(early->accepted);
  assert_int_equal(early->error_code, SN_STEP_UNABLE_TO_APPEND);
  walk(&s, &f);
  const uint64_t first = s.goal_id;
  const sn_pose start = s.start;
  run(&s, 1000);
  assert_true(send(&s, goal)->accepted);
  s.start = start;
  assert_int_equal(wait_for_end(&s)->state, SN_TRAJECTORY_SUCCEEDED);
  const step_fixture both = {s.model, 0.06, 0.0, 1.0};
  check_end(&s, &both);
  s.goal_id = first;
  assert_int_equal(state_of(&s)->state, SN_TRAJECTORY_SUCCEEDED);
  close_story(&s, &robot);
}

/* A push that no leg withstands. */
SN_TEST(fall_ends_the_sequence) {
  static story s;
  static sn_test_robot robot;
  open_story(&s, &robot);
  const step_fixture f = {s.model, 0.03, 0.0, 1.0};
  sn_source *push = NULL;
  sn_error err;
  assert_int_equal(sn_source_open(s.system, "plant.push_links", NULL, &push, &err), SN_OK);
  walk(&s, &f);
  run(&s, 300);
  sn_rigid_body_state *msg = sn_source_msg(push);
  assert_int_equal(sn_msg_names_add(&msg->name, "base_link", 9), SN_OK);
  msg->wrench.count = 1;
  msg->wrench.data[0] = (sn_spatial){{0, 0, 0}, {0, 100, 0}};
  assert_int_equal(sn_source_write(push), SN_OK);
  run(&s, 1500);
  const sn_trajectory_state *end = state_of(&s);
  assert_int_equal(end->state, SN_TRAJECTORY_ABORTED);
  assert_string_equal(end->message.data, "the robot fell");
  sn_source_close(push);
  close_story(&s, &robot);
}

SN_TEST(loss_of_a_limb_ends_the_sequence) {
  static story s;
  static sn_test_robot robot;
  open_story(&s, &robot);
  const step_fixture f = {s.model, 0.03, 0.0, 1.0};
  walk(&s, &f);
  run(&s, 300);
  sn_set_operational *request = sn_msg_create(&s.arena, &sn_set_operational_type, NULL);
  request->operational = true;
  assert_int_equal(sn_msg_names_add(&request->resources, "leg2", 4), SN_OK);
  sn_error err;
  assert_int_equal(sn_caller_post(&s.follow, request, &err), SN_OK);
  run(&s, 10);
  const sn_trajectory_state *end = state_of(&s);
  assert_int_equal(end->state, SN_TRAJECTORY_ABORTED);
  sn_assert_contains(end->message.data, "a limb was taken from it");
  close_story(&s, &robot);
}
