/* Robots with legs on the ground, in simulated time, as `sinew run` starts them: they stand, shift
   their weight, are put back on their feet, and start in bad ways. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "legged.h"
#include "program.h"
#include "rt/estop/estop.h"
#include "scenario.h"
#include "sinew/msg_estimation.h"
#include "sn_test.h"

#define WALKING "include: [walking.yaml]\n"
#define PLANT(properties) WALKING "components: {plant: {properties: {" properties "}}}\n"

typedef struct story {
  scenario s;
  sn_tap *truth, *estimate, *fall;
  char folder[64];
} story;

static void open_robot(story *t, const char *robot, const char *text) {
  scenario_open_robot(&t->s, robot, text);
  t->truth = scenario_tap(&t->s, "plant.base_truth");
  t->estimate = scenario_tap(&t->s, "state_estimator.out_base");
  t->fall = scenario_tap(&t->s, "state_estimator.fall");
  scenario_run(&t->s, 1);
}

static void open_legged(story *t, const legged_robot *legged, const char *text) {
  static char urdf[LEGGED_TEXT_MAX];
  char path[128];
  legged_write(legged, urdf);
  sn_test_folder_create(t->folder);
  sn_test_write(t->folder, "legged.urdf", urdf);
  snprintf(path, sizeof path, "%s/legged.urdf", t->folder);
  open_robot(t, path, text);
}

static void open_quadruped(story *t, const char *text) {
  open_robot(t, SINEW_ROBOTS "/quadruped.yaml", text);
}

static void close_story(story *t) {
  sn_tap_close(t->truth);
  sn_tap_close(t->estimate);
  sn_tap_close(t->fall);
  scenario_close(&t->s);
  if (t->folder[0] != '\0') {
    sn_test_folder_remove(t->folder);
  }
}

static sn_pose pose_of(sn_tap *tap) {
  const sn_rigid_body_state *msg = sn_tap_read(tap, NULL);
  assert_non_null(msg);
  return sn_pose_from_msg(msg->pose.data[0]);
}

/* Falls so far. */
static uint64_t falls_of(story *t) {
  const sn_fall_state *msg = sn_tap_read(t->fall, NULL);
  return msg == NULL ? 0 : msg->count;
}

static double tilt_of(sn_pose pose) {
  return acos(fmax(-1.0, fmin(1.0, pose.rot.z.z)));
}

/* Stand for some seconds: hardly a motion after the servos have given way to the load. */
static void check_stands(story *t, int seconds, double give_m) {
  const sn_pose start = pose_of(t->truth);
  assert_true(tilt_of(start) < 0.05);
  scenario_run(&t->s, 1000);
  const sn_pose settled = pose_of(t->truth);
  sn_assert_near(settled.pos.z, start.pos.z, give_m);
  for (int i = 1; i < seconds; i++) {
    scenario_run(&t->s, 1000);
    const sn_pose now = pose_of(t->truth);
    assert_true(tilt_of(now) < 0.05);
    sn_assert_near(now.pos.z, settled.pos.z, 1e-3);
    sn_assert_near(hypot(now.pos.x - start.pos.x, now.pos.y - start.pos.y), 0.0, give_m);
  }
  assert_int_equal(falls_of(t), 0);
}

SN_TEST(the_quadruped_stands) {
  static story t;
  open_quadruped(&t, WALKING);
  check_stands(&t, 10, 2e-3);
  close_story(&t);
}

SN_TEST(a_robot_like_a1_stands_for_a_minute_with_nothing_to_configure) {
  static story t;
  open_legged(&t, &legged_a1, WALKING);
  check_stands(&t, 60, 5e-3);
  close_story(&t);
}

SN_TEST(all_feet_bear_weight_whoever_holds_them) {
  static story t;
  open_quadruped(&t, WALKING);
  sn_tap *tap = scenario_tap(&t.s, "aggregator.supports");
  scenario_run(&t.s, 2);
  const sn_support_state *supports = sn_tap_read(tap, NULL);
  assert_non_null(supports);
  size_t count = 0;
  for (size_t i = 0; i < supports->support.count; i++) {
    count += supports->support.data[i] == 1.0 ? 1 : 0;
  }
  assert_int_equal(count, 4);
  sn_tap_close(tap);
  close_story(&t);
}

#define LIMITS(leg) "{chain: " leg ", q_min: [-0.8, -1.5, 0.1]}"

/* Front knees bend backwards unless inverse kinematics may not do that. */
SN_TEST(a_stance_keeps_the_limits_of_inverse_kinematics) {
  static story t;
  legged_robot legged = legged_a1;
  legged.knee_min = -2.5;
  legged.knee_max = 2.5;
  open_legged(&t, &legged, WALKING);
  assert_true(scenario_commanded(&t.s, "left_leg0_knee2_joint") < -0.3);
  close_story(&t);
  open_legged(&t, &legged,
              WALKING "components: {kinematics_inv: {properties: {limits: [" LIMITS(
                  "left_leg0") ", " LIMITS("right_leg0") "]}}}\n");
  assert_true(scenario_commanded(&t.s, "left_leg0_knee2_joint") > 0.3);
  assert_true(scenario_commanded(&t.s, "right_leg0_knee2_joint") > 0.3);
  check_stands(&t, 3, 5e-3);
  close_story(&t);
}

/* ---- weight ---- */

static void write_base(sn_source *source, const char *root, sn_pose pose) {
  sn_rigid_body_state *msg = sn_source_msg(source);
  sn_msg_names_clear(&msg->name);
  assert_int_equal(sn_msg_names_add(&msg->name, root, strlen(root)), SN_OK);
  assert_int_equal(sn_msg_text_set(&msg->header.frame_id, "odom"), SN_OK);
  msg->pose.count = 1;
  msg->pose.data[0] = sn_msg_pose_from(pose);
  assert_int_equal(sn_source_write(source), SN_OK);
}

/* The base goes 2 cm to the side, and the feet stay. */
static void check_shifts(story *t, const char *root) {
  sn_source *source = NULL;
  sn_error err;
  assert_int_equal(sn_source_open(t->s.system, "stance.in_base_ref", NULL, &source, &err), SN_OK);
  scenario_do(&t->s, "{'verb':'call','name':'stance.rosSetOperational','arguments':{'data':true}}");
  scenario_run(&t->s, 500);
  const sn_pose before = pose_of(t->truth);
  sn_pose wanted = pose_of(t->estimate);
  wanted.pos.y += 0.02;
  write_base(source, root, wanted);
  scenario_run(&t->s, 3000);
  const sn_pose after = pose_of(t->truth);
  sn_assert_near(after.pos.y - before.pos.y, 0.02, 4e-3);
  sn_assert_near(after.pos.x - before.pos.x, 0.0, 4e-3);
  sn_assert_near(after.pos.z - before.pos.z, 0.0, 4e-3);
  assert_true(tilt_of(after) < 0.05);
  assert_int_equal(falls_of(t), 0);
  sn_source_close(source);
}

SN_TEST(the_quadruped_shifts_its_weight) {
  static story t;
  open_quadruped(&t, WALKING);
  check_shifts(&t, "base_link");
  close_story(&t);
}

SN_TEST(a_robot_like_a1_shifts_its_weight) {
  static story t;
  open_legged(&t, &legged_a1, WALKING);
  check_shifts(&t, "trunk");
  close_story(&t);
}

SN_TEST(a_hexapod_stands_and_shifts_its_weight) {
  static story t;
  open_legged(&t, &legged_hexapod, WALKING);
  check_stands(&t, 5, 5e-3);
  check_shifts(&t, "trunk");
  close_story(&t);
}

SN_TEST(a_biped_stands_and_shifts_its_weight) {
  static story t;
  open_legged(&t, &legged_biped, WALKING);
  check_stands(&t, 5, 1e-2);
  check_shifts(&t, "trunk");
  close_story(&t);
}

/* ---- hands on a standing robot ---- */

SN_TEST(a_leg_is_taken_over_without_a_jump) {
  static story t;
  open_quadruped(&t, WALKING);
  scenario_run(&t.s, 1000);
  const double before = scenario_commanded(&t.s, "leg1_joint3");
  const sn_pose stood = pose_of(t.truth);
  scenario_do(&t.s,
              "{'verb':'call','name':'follow.setOperational','arguments':{'operational':true,"
              "'resources':['leg1']}}");
  scenario_run(&t.s, 100);
  assert_string_equal(scenario_owner(&t.s, "leg1"), "follow");
  sn_assert_near(scenario_commanded(&t.s, "leg1_joint3"), before, 1e-9);
  scenario_run(&t.s, 1000);
  const sn_pose now = pose_of(t.truth);
  sn_assert_near(sn_vec3_norm(sn_vec3_sub(now.pos, stood.pos)), 0.0, 1e-3);
  close_story(&t);
}

/* The demo: a leg and the head are taken and come back, and the pony stands all the time. */
SN_TEST(limbs_of_the_demo_are_taken_and_come_back) {
  static story t;
  open_quadruped(&t, "include: [" SINEW_ROBOTS "/../deployments/demo.yaml]\n");
  scenario_run(&t.s, 3000);
  assert_string_equal(scenario_owner(&t.s, "leg1"), "stance");
  assert_string_equal(scenario_owner(&t.s, "head"), "look");
  double last = scenario_commanded(&t.s, "leg1_joint3");
  scenario_do(&t.s,
              "{'verb':'call','name':'follow.setOperational','arguments':{'operational':true,"
              "'resources':['leg1','head']}}");
  for (int i = 0; i < 3000; i++) {
    if (i == 2000) {
      scenario_do(&t.s,
                  "{'verb':'call','name':'follow.setOperational','arguments':{'operational':false}"
                  "}");
    }
    scenario_run(&t.s, 1);
    const double now = scenario_commanded(&t.s, "leg1_joint3");
    sn_assert_near(now, last, 1e-3); /* rad in 1 ms */
    last = now;
    if (i == 1000) {
      assert_string_equal(scenario_owner(&t.s, "leg1"), "follow");
      assert_string_equal(scenario_owner(&t.s, "head"), "follow");
    }
  }
  assert_string_equal(scenario_owner(&t.s, "leg1"), "stance");
  assert_string_equal(scenario_owner(&t.s, "head"), "look");
  assert_true(tilt_of(pose_of(t.truth)) < 0.05);
  assert_int_equal(falls_of(&t), 0);
  close_story(&t);
}

static void topple(story *t) {
  sn_source *source = NULL;
  sn_error err;
  assert_int_equal(sn_source_open(t->s.system, "plant.push_links", NULL, &source, &err), SN_OK);
  sn_rigid_body_state *msg = sn_source_msg(source);
  assert_int_equal(sn_msg_names_add(&msg->name, "base_link", 9), SN_OK);
  msg->wrench.count = 1;
  msg->wrench.data[0] = (sn_spatial){{0, 0, 0}, {0, 40, 0}};
  assert_int_equal(sn_source_write(source), SN_OK);
  scenario_run(&t->s, 600);
  msg->wrench.data[0] = (sn_spatial){{0, 0, 0}, {0, 0, 0}};
  assert_int_equal(sn_source_write(source), SN_OK);
  scenario_run(&t->s, 1500);
  sn_source_close(source);
}

SN_TEST(a_robot_that_has_fallen_is_put_on_its_feet) {
  static story t;
  open_quadruped(&t, WALKING);
  scenario_run(&t.s, 1000);
  topple(&t);
  assert_true(tilt_of(pose_of(t.truth)) > 0.5);
  assert_int_equal(falls_of(&t), 1);
  scenario_do(&t.s, "{'verb':'call','name':'plant.putOnFeet'}");
  scenario_run(&t.s, 100);
  assert_true(tilt_of(pose_of(t.truth)) < 0.02); /* it is held until the stop ends */
  scenario_do(&t.s, "{'verb':'call','name':'aggregator.resume','arguments':{'name':'me'}}");
  scenario_run(&t.s, 4000);
  assert_int_equal(falls_of(&t), 1);
  const sn_pose truth = pose_of(t.truth), estimate = pose_of(t.estimate);
  assert_true(tilt_of(truth) < 0.02);
  sn_assert_near(truth.pos.z, 0.167, 0.005);
  sn_assert_near(sn_vec3_norm(sn_vec3_sub(truth.pos, estimate.pos)), 0.0, 0.01);
  close_story(&t);
}

/* ---- bad starts ---- */

SN_TEST(a_robot_that_starts_inside_the_ground_is_lifted_onto_it) {
  static story t;
  open_quadruped(&t, PLANT("initial_base: [0, 0, 0.05, 0, 0, 0]"));
  check_stands(&t, 3, 2e-3);
  close_story(&t);
}

SN_TEST(a_robot_that_starts_in_the_air_falls_and_stops) {
  static story t;
  open_quadruped(&t, PLANT("initial_base: [0, 0, 1.0, 0, 0, 0]"));
  scenario_run(&t.s, 2000);
  assert_int_equal(falls_of(&t), 1);
  assert_true(pose_of(t.truth).pos.z < 0.5);
  close_story(&t);
}

SN_TEST(a_robot_that_starts_upside_down_stops_and_is_put_on_its_feet) {
  static story t;
  open_quadruped(&t, PLANT("initial_base: [0, 0, 0.4, 3.14159, 0, 0]"));
  scenario_run(&t.s, 2000);
  assert_true(sn__estop_is_latched(sn__estop_of(t.s.system)));
  scenario_do(&t.s, "{'verb':'call','name':'plant.putOnFeet'}");
  scenario_run(&t.s, 100);
  scenario_do(&t.s, "{'verb':'call','name':'aggregator.resume','arguments':{'name':'me'}}");
  scenario_run(&t.s, 3000);
  assert_true(tilt_of(pose_of(t.truth)) < 0.02);
  close_story(&t);
}
