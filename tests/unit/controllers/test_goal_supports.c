/* Pseudo-joints support/CHAIN of a trajectory: which legs bear weight, and when. */
#include <string.h>

#include "controllers/goal_supports.h"
#include "deployed.h"
#include "msg/msg_names_internal.h"
#include "program.h"
#include "sn_test.h"

static char folder[64];

typedef struct bench {
  sn_deployed d;
  sn_tap *supports;
  sn_trajectory_goal *goal;
  sn_trajectory_answer *answer;
} bench;

static void bench_open(bench *b, const char *properties) {
  char path[128];
  char text[512];
  sn_test_folder_create(folder);
  snprintf(text, sizeof text,
           "include: [standard.yaml]\nrobot: " SINEW_ROBOTS
           "/quadruped.yaml\ncomponents: {execute: {properties: {%s}}}\n",
           properties);
  sn_test_write(folder, "d.yaml", text);
  snprintf(path, sizeof path, "%s/d.yaml", folder);
  sn_deployed_open(&b->d, path);
  assert_int_equal(sn_tap_open(b->d.system, "aggregator.supports", NULL, &b->supports, &b->d.err),
                   SN_OK);
  const sn_msg_capacity roomy = {.item_count = 64, .text_size = 256};
  b->goal = sn_msg_create(&b->d.arena, &sn_trajectory_goal_type, &roomy);
  b->answer = sn_msg_create(&b->d.arena, &sn_trajectory_answer_type, &roomy);
  sn_deployed_run(&b->d, 0.1);
}

static void bench_close(bench *b) {
  sn_tap_close(b->supports);
  sn_deployed_free(&b->d);
  sn_test_folder_remove(folder);
}

/* Three points at 0, 1 and 2 s: the joint moves by 0.1, the supports are as given. */
static void fill_goal(bench *b, const char *const *names, size_t count, const double *supports) {
  sn_joint_trajectory *t = &b->goal->trajectory;
  sn_msg_reset(&sn_trajectory_goal_type, b->goal);
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(sn_msg_names_add(&t->joint_names, names[i], strlen(names[i])), SN_OK);
  }
  t->points.count = 3;
  for (size_t k = 0; k < 3; k++) {
    sn_joint_trajectory_point *point = &t->points.data[k];
    sn_msg_reset(&sn_joint_trajectory_point_type, point);
    point->time_from_start_ns = (int64_t)k * 1000000000;
    point->positions.count = count;
    for (size_t i = 0; i < count; i++) {
      const bool is_support = sn__support_chain(names[i]) != NULL;
      point->positions.data[i] = is_support ? supports[k] : 0.05 * (double)k;
    }
  }
}

static void send(bench *b) {
  sn_caller caller = {0};
  assert_int_equal(sn_caller_open(b->d.system, "execute.execute", &caller, &b->d.err), SN_OK);
  assert_int_equal(sn_call(&caller, b->goal, b->answer, &b->d.err), SN_OK);
  sn_caller_close(&caller);
}

static double support_of(bench *b, const char *chain) {
  const sn_support_state *msg = sn_tap_read(b->supports, NULL);
  assert_non_null(msg);
  return msg->support.data[sn__msg_names_index(&msg->name, chain)];
}

static const char *contact_of(bench *b, const char *chain) {
  const sn_support_state *msg = sn_tap_read(b->supports, NULL);
  return sn_msg_names_at(&msg->contact, (size_t)sn__msg_names_index(&msg->name, chain));
}

static const double up_and_down[] = {1, 0, 1};

SN_TEST(supports_follow_their_columns) {
  bench b;
  bench_open(&b, "");
  /* The support comes before its joint: columns do not depend on the order. */
  static const char *const names[] = {"support/leg1", "leg1_joint2", "support/leg3"};
  fill_goal(&b, names, 3, up_and_down);
  send(&b);
  assert_string_equal(b.answer->message.data, "");
  /* The value falls below 0.5 after half a second, and rises above it after one and a half. */
  const double expected[] = {1, 1, 0, 0, 0, 0, 1, 1};
  for (size_t i = 0; i < 8; i++) {
    sn_deployed_run(&b.d, i == 0 ? 0.12 : 0.25);
    assert_true(support_of(&b, "leg1") == expected[i]);
    assert_true(support_of(&b, "leg3") == expected[i]);
    assert_true(support_of(&b, "leg2") == 0.0);
  }
  assert_string_equal(contact_of(&b, "leg1"), "hoof_flat");
  /* A leg that is named is held, also if the goal does not move it. */
  assert_string_equal(sn_deployed_owner(&b.d, "leg3"), "execute");
  assert_string_equal(sn_deployed_owner(&b.d, "leg2"), "hold");
  bench_close(&b);
}

SN_TEST(supports_remain_until_the_legs_are_released) {
  bench b;
  bench_open(&b, "release_when_done: false");
  static const char *const names[] = {"leg1_joint2", "support/leg1"};
  fill_goal(&b, names, 2, up_and_down);
  send(&b);
  sn_deployed_run(&b.d, 3.0);
  assert_true(support_of(&b, "leg1") == 1.0);
  /* The next goal starts without them. */
  fill_goal(&b, names, 1, NULL);
  send(&b);
  sn_deployed_run(&b.d, 0.1);
  assert_true(support_of(&b, "leg1") == 0.0);
  bench_close(&b);
}

static void assert_rejected(bench *b, int32_t code, const char *why) {
  send(b);
  assert_false(b->answer->accepted);
  sn_assert_contains(b->answer->message.data, why);
  assert_int_equal(b->answer->error_code, code);
}

SN_TEST(wrong_supports_are_named) {
  bench b;
  bench_open(&b, "");
  static const char *const unknown[] = {"leg1_joint2", "support/leg7"};
  fill_goal(&b, unknown, 2, up_and_down);
  assert_rejected(&b, SN_TRAJECTORY_INVALID_JOINTS,
                  "'support/leg7': the robot has no chain 'leg7'");
  static const char *const twice[] = {"leg1_joint2", "support/leg1", "support/leg1"};
  fill_goal(&b, twice, 3, up_and_down);
  assert_rejected(&b, SN_TRAJECTORY_INVALID_JOINTS, "'support/leg1' appears twice");
  static const char *const good[] = {"leg1_joint2", "support/leg1"};
  fill_goal(&b, good, 2, (const double[]){1, NAN, 1});
  assert_rejected(&b, SN_TRAJECTORY_INVALID_GOAL, "point 1: 'support/leg1' is nan");
  fill_goal(&b, good + 1, 1, up_and_down);
  assert_rejected(&b, SN_TRAJECTORY_INVALID_GOAL, "has supports, but no joint to move");
  fill_goal(&b, good, 2, up_and_down);
  b.goal->trajectory.points.count = 0;
  assert_rejected(&b, SN_TRAJECTORY_INVALID_GOAL, "the trajectory is empty: 0 points");
  bench_close(&b);
}

SN_TEST(tolerances_of_supports_are_ignored) {
  bench b;
  bench_open(&b, "");
  static const char *const names[] = {"support/leg1", "leg1_joint2"};
  fill_goal(&b, names, 2, up_and_down);
  b.goal->path_tolerance.count = 2;
  (void)sn_msg_text_set(&b.goal->path_tolerance.data[0].name, "support/leg1");
  b.goal->path_tolerance.data[0].position = 1e-9;
  (void)sn_msg_text_set(&b.goal->path_tolerance.data[1].name, "leg1_joint2");
  b.goal->path_tolerance.data[1].position = 0.5;
  send(&b);
  assert_true(b.answer->accepted);
  sn_deployed_run(&b.d, 1.0);
  assert_string_equal(sn_deployed_owner(&b.d, "leg1"), "execute");
  bench_close(&b);
}

SN_TEST(points_beyond_the_limits_are_clamped_if_they_may) {
  static const char *const names[] = {"leg1_joint2"};
  for (int may = 0; may < 2; may++) {
    bench b;
    bench_open(&b, may ? "release_when_done: false, clamp_positions: true" : "");
    const sn_model *model = sn_deployment_model(b.d.deployment);
    const size_t joint = (size_t)sn_model_joint_index(model, names[0]);
    const double upper = sn_model_joint(model, joint)->upper;
    fill_goal(&b, names, 1, NULL);
    b.goal->trajectory.points.data[2].positions.data[0] = upper + 0.2;
    send(&b);
    assert_true(b.answer->accepted == (may != 0));
    if (may) {
      sn_tap *pose = NULL;
      assert_int_equal(sn_tap_open(b.d.system, "aggregator.joints_sorted", NULL, &pose, &b.d.err),
                       SN_OK);
      sn_deployed_run(&b.d, 4.0);
      const sn_joint_state *msg = sn_tap_read(pose, NULL);
      sn_assert_near(msg->position.data[joint], upper, 1e-9);
      sn_tap_close(pose);
    } else {
      sn_assert_contains(b.answer->message.data, "its limits are");
    }
    bench_close(&b);
  }
}

/* A standing robot is held on its legs; what it does not own is not its matter. */
SN_TEST(held_legs_bear_weight_if_they_should) {
  bench b;
  bench_open(&b, "}}, hold: {properties: {support_legs: [leg2, leg1]");
  assert_true(support_of(&b, "leg1") == 1.0 && support_of(&b, "leg2") == 1.0);
  assert_true(support_of(&b, "leg3") == 0.0);
  static const char *const names[] = {"leg1_joint2"};
  fill_goal(&b, names, 1, NULL);
  send(&b);
  sn_deployed_run(&b.d, 0.1);
  assert_true(support_of(&b, "leg1") == 0.0 && support_of(&b, "leg2") == 1.0);
  sn_deployed_run(&b.d, 3.0);
  assert_string_equal(sn_deployed_owner(&b.d, "leg1"), "hold");
  assert_true(support_of(&b, "leg1") == 1.0);
  bench_close(&b);
}
