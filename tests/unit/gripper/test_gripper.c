/* Gripper in the standard deployment: a simulated finger with a servo, which something pushes. */
#include <math.h>
#include <string.h>

#include "deployed.h"
#include "msg/arm/msg_gripper.h"
#include "msg/types/msg_plant.h"
#include "program.h"
#include "sinew/msg_calls.h"
#include "sn_test.h"

/* One finger that turns about a vertical axis, so that gravity does not matter. */
static const char ROBOT[] =
    "<robot name='hand'><link name='base'/>"
    "<link name='finger'><inertial><origin xyz='0.1 0 0'/><mass value='0.05'/>"
    "<inertia ixx='1e-5' iyy='6e-5' izz='6e-5' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<joint name='grip' type='revolute'><parent link='base'/><child link='finger'/>"
    "<axis xyz='0 0 1'/><limit lower='0' upper='1.2' effort='1' velocity='6'/></joint></robot>";

static const char PROPERTIES[] =
    "robot: hand.urdf\n"
    "kinematics_chains:\n  gripper: {first_link: base, last_link: finger}\n";

typedef struct bench {
  sn_deployed d;
  char folder[64];
  sn_tap *state, *measured;
  sn_source *push;
  sn_trajectory_answer *answer;
  sn_trajectory_state *goal;
} bench;

static sn_tap *tap(bench *b, const char *port) {
  sn_tap *out = NULL;
  if (sn_tap_open(b->d.system, port, NULL, &out, &b->d.err) != SN_OK) {
    fail_msg("%s", b->d.err.message);
  }
  return out;
}

/* @param plant  further properties of the plant */
static void bench_open(bench *b, const char *plant) {
  char text[1600];
  char path[160];
  *b = (bench){.state = NULL};
  sn_test_folder_create(b->folder);
  sn_test_write(b->folder, "hand.urdf", ROBOT);
  sn_test_write(b->folder, "hand.yaml", PROPERTIES);
  snprintf(text, sizeof text,
           "include: [standard.yaml]\nrobot: hand.yaml\ncomponents:\n"
           "  plant: {properties: {initial_pose: {grip: 0.8}%s}}\n"
           "  gripper:\n    type: Gripper\n"
           "    properties: {max_effort: 0.3, lead: 0.045, speed: 0.5}\n"
           "connections:\n  - timer.sync -> gripper.sync\n"
           "  - aggregator.joints_sorted -> gripper.in_joints_sorted\n"
           "  - plant.joints_measured -> gripper.in_joints_measured\n"
           "  - gripper.out_joints_ref -> aggregator.in_joints\n"
           "  - gripper.ref_support -> aggregator.in_supports\n",
           plant);
  sn_test_write(b->folder, "d.yaml", text);
  snprintf(path, sizeof path, "%s/d.yaml", b->folder);
  sn_deployed_open(&b->d, path);
  b->state = tap(b, "gripper.state");
  b->measured = tap(b, "plant.joints_measured");
  assert_int_equal(sn_source_open(b->d.system, "plant.push", NULL, &b->push, &b->d.err), SN_OK);
  b->answer =
      sn_msg_create(&b->d.arena, &sn_trajectory_answer_type, &(sn_msg_capacity){.text_size = 400});
  b->goal =
      sn_msg_create(&b->d.arena, &sn_trajectory_state_type, &(sn_msg_capacity){.text_size = 400});
  sn_deployed_run(&b->d, 0.5);
}

static void bench_close(bench *b) {
  sn_tap_close(b->state);
  sn_tap_close(b->measured);
  sn_source_close(b->push);
  sn_deployed_free(&b->d);
  sn_test_folder_remove(b->folder);
}

static void call(bench *b, const char *operation, const void *request, void *response) {
  sn_caller caller = {0};
  assert_int_equal(sn_caller_open(b->d.system, operation, &caller, &b->d.err), SN_OK);
  if (sn_call(&caller, request, response, &b->d.err) != SN_OK) {
    fail_msg("%s", b->d.err.message);
  }
  sn_caller_close(&caller);
}

static uint64_t grip(bench *b, double position, double max_effort) {
  const sn_gripper_goal goal = {{position, max_effort}};
  call(b, "gripper.grip", &goal, b->answer);
  return b->answer->goal_id;
}

/* Until the goal has ended. @return its status */
static int run(bench *b, uint64_t id) {
  for (int k = 0; k < 10000; k++) {
    sn_deployed_run(&b->d, 1e-3);
    call(b, "gripper.getGoal", &(sn_trajectory_id){id}, b->goal);
    if (b->goal->state >= SN_TRAJECTORY_SUCCEEDED) {
      break;
    }
  }
  return b->goal->state;
}

static const sn_gripper_state *state_now(bench *b) {
  const sn_gripper_state *msg = sn_tap_read(b->state, NULL);
  assert_non_null(msg);
  return msg;
}

static double position(bench *b) {
  const sn_joint_state *msg = sn_tap_read(b->measured, NULL);
  return msg->position.data[0];
}

SN_TEST(an_empty_gripper_closes_and_gives_its_limb_back) {
  bench b;
  bench_open(&b, "");
  assert_string_equal(sn_deployed_owner(&b.d, "gripper"), "hold");
  assert_int_equal(run(&b, grip(&b, 0.1, 0.0)), SN_TRAJECTORY_SUCCEEDED);
  assert_true(state_now(&b)->reached_goal);
  assert_false(state_now(&b)->stalled);
  sn_assert_near(position(&b), 0.1, 0.01);
  sn_deployed_run(&b.d, 0.01);
  assert_string_equal(sn_deployed_owner(&b.d, "gripper"), "hold");
  bench_close(&b);
}

/* An elastic object of 20 N·m/rad between the fingers. */
static void press_object(bench *b, double at) {
  sn_joint_state *msg = sn_source_msg(b->push);
  sn_msg_reset(&sn_joint_state_type, msg);
  assert_int_equal(sn_msg_names_add(&msg->name, "grip", 4), SN_OK);
  msg->effort.count = 1;
  msg->effort.data[0] = 20.0 * fmax(at - position(b), 0.0);
  assert_int_equal(sn_source_write(b->push), SN_OK);
}

SN_TEST(a_gripper_that_is_held_back_under_load_holds_something) {
  bench b;
  bench_open(&b, "");
  const uint64_t id = grip(&b, 0.0, 0.0);
  double strongest = 0.0;
  for (int k = 0; k < 4000; k++) {
    press_object(&b, 0.4);
    sn_deployed_run(&b.d, 1e-3);
    strongest = fmax(strongest, 20.0 * (0.4 - position(&b)));
  }
  assert_int_equal(run(&b, id), SN_TRAJECTORY_SUCCEEDED);
  assert_true(strongest <= 0.3 * 1.1); /* the object never felt more */
  assert_true(state_now(&b)->stalled);
  assert_false(state_now(&b)->reached_goal);
  assert_true(fabs(state_now(&b)->effort) <= 0.3 * 1.1);
  assert_true(fabs(state_now(&b)->effort) >= 0.15);
  assert_string_equal(b.goal->message.data, "holds something");
  const double held = position(&b);
  sn_assert_near(held, 0.4, 0.02);
  assert_string_equal(sn_deployed_owner(&b.d, "gripper"), "hold"); /* with the same force */
  assert_true(20.0 * (0.4 - held) >= 0.1);
  bench_close(&b);
}

/* The servo does nothing: it is not a grasp, and does not take for ever. */
SN_TEST(a_gripper_that_never_closes_ends_with_the_reason) {
  bench b;
  bench_open(&b, ", servo_models: [{name: grip, torque_max: 1e-6}]");
  assert_int_equal(run(&b, grip(&b, 0.0, 0.0)), SN_TRAJECTORY_ABORTED);
  assert_non_null(strstr(b.goal->message.data, "does not move although it is commanded to"));
  assert_string_equal(sn_msg_names_at(&b.goal->name, 0), "grip");
  bench_close(&b);
}

SN_TEST(goals_that_make_no_sense_are_rejected) {
  bench b;
  bench_open(&b, "");
  assert_int_equal(grip(&b, 2.0, 0.0), 0);
  assert_non_null(strstr(b.answer->message.data, "outside of the limits 0 .. 1.2 of joint 'grip'"));
  assert_int_equal(grip(&b, 0.5, -1.0), 0);
  assert_non_null(strstr(b.answer->message.data, "max_effort is -1"));
  bench_close(&b);
}

SN_TEST(a_goal_can_be_cancelled_and_replaced) {
  bench b;
  bench_open(&b, "");
  const uint64_t first = grip(&b, 0.0, 0.0);
  sn_deployed_run(&b.d, 0.2);
  const uint64_t second = grip(&b, 1.0, 0.0);
  assert_int_equal(run(&b, first), SN_TRAJECTORY_CANCELED);
  sn_call_outcome *outcome = sn_msg_create(&b.d.arena, &sn_call_outcome_type, NULL);
  call(&b, "gripper.cancel", &(sn_trajectory_id){second}, outcome);
  assert_true(outcome->success);
  assert_int_equal(run(&b, second), SN_TRAJECTORY_CANCELED);
  const double at = position(&b);
  sn_deployed_run(&b.d, 0.5);
  sn_assert_near(position(&b), at, 0.02);
  bench_close(&b);
}
