/* 'sinew play': movements on the quadruped, which stands on the ground. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "movements/movement.h"
#include "program_rig.h"
#include "robot.h"
#include "sn_test.h"
#include "step_fixture.h"

#define ROBOT SINEW_ROBOTS "/quadruped.yaml"

/* A trajectory of two seconds: all legs bend and stretch again, and the head looks aside. Links of
   a leg are about as long as each other, so a bend by (-x, 2x, -x) keeps the foot where it is. */
static void write_bend(const char *name) {
  static char text[8192];
  size_t used = (size_t)snprintf(
      text, sizeof text,
      "{\"trajectory\":{\"header\":{\"stamp\":{\"secs\":1532276474}},\"joint_names\":[");
  for (int leg = 1; leg <= 4; leg++) {
    for (int joint = 3; joint <= 5; joint++) {
      used += (size_t)snprintf(text + used, sizeof text - used, "\"leg%d_joint%d\",", leg, joint);
    }
    used += (size_t)snprintf(text + used, sizeof text - used, "\"support/leg%d\",", leg);
  }
  used += (size_t)snprintf(text + used, sizeof text - used, "\"head_joint2\"],\"points\":[");
  for (int k = 0; k < 3; k++) {
    used +=
        (size_t)snprintf(text + used, sizeof text - used, "%s{\"positions\":[", k == 0 ? "" : ",");
    for (int leg = 1; leg <= 4; leg++) {
      const double x = k == 1 ? 0.2 : 0.1;
      used += (size_t)snprintf(text + used, sizeof text - used, "%g,%g,%g,1,", -x, 2.0 * x, -x);
    }
    used += (size_t)snprintf(text + used, sizeof text - used,
                             "%g],\"time_from_start\":{\"secs\":%d}}", k == 1 ? 0.3 : 0.0, k);
  }
  snprintf(text + used, sizeof text - used, "]}}");
  sn_test_write(program_folder, name, text);
}

/* The lines of the last run; fails the test unless there are @p count. */
static json_t *lines(size_t count) {
  json_t *all = json_array();
  const char *at = program_run.output;
  for (const char *end; (end = strchr(at, '\n')) != NULL; at = end + 1) {
    json_t *line = json_loadb(at, (size_t)(end - at), 0, NULL);
    assert_non_null(line);
    json_array_append_new(all, line);
  }
  assert_int_equal(json_array_size(all), count);
  return all;
}

static const json_t *field(const json_t *all, size_t line, const char *name) {
  const json_t *value = json_object_get(json_array_get(all, line), name);
  if (value == NULL) {
    fail_msg("'%s' is missing", name);
  }
  return value;
}

static double number(const json_t *all, size_t line, const char *name) {
  return json_number_value(field(all, line, name));
}

SN_TEST(a_trajectory_with_supports_keeps_the_robot_up) {
  write_bend("bend.json");
  program_expect("play " ROBOT " bend.json --json", 0);
  json_t *all = lines(1);
  assert_string_equal(json_string_value(field(all, 0, "movement")), "bend.json");
  assert_string_equal(json_string_value(field(all, 0, "kind")), "joint_trajectory");
  assert_true(json_is_true(field(all, 0, "ok")));
  assert_true(json_is_false(field(all, 0, "fell")));
  assert_true(json_is_null(field(all, 0, "base_goal")));
  assert_int_equal(json_array_size(field(all, 0, "base")), 7);
  const json_t *base = field(all, 0, "base");
  assert_true(json_number_value(json_array_get(base, 2)) > 0.05); /* it stands */
  assert_true(hypot(json_number_value(json_array_get(base, 0)),
                    json_number_value(json_array_get(base, 1))) < 0.05);
  assert_true(number(all, 0, "max_tilt_rad") > 0.0 && number(all, 0, "max_tilt_rad") < 0.3);
  assert_true(number(all, 0, "slip_m") >= 0.0 && number(all, 0, "slip_m") < 0.05);
  sn_assert_near(number(all, 0, "duration_s"), 2.0, 0.1);
  json_decref(all);
  program_expect("play " ROBOT " bend.json", 0);
  sn_assert_contains(program_run.output, "bend.json");
  sn_assert_contains(program_run.output, "joint_trajectory good");
}

/* What is printed before the wall time. */
static void play_with_seed(int seed, char *out, size_t size) {
  char line[256];
  snprintf(line, sizeof line, "play " ROBOT " bend.json --json --seed %d", seed);
  program_expect(line, 0);
  const char *end = strstr(program_run.output, "\"plan_ms\"");
  assert_non_null(end);
  snprintf(out, size, "%.*s", (int)(end - program_run.output), program_run.output);
}

SN_TEST(equal_seeds_give_equal_results) {
  static char first[4096];
  static char second[4096];
  write_bend("bend.json");
  play_with_seed(3, first, sizeof first);
  play_with_seed(3, second, sizeof second);
  assert_string_equal(first, second);
  play_with_seed(4, second, sizeof second);
  assert_string_not_equal(first, second);
}

/* Every file has its line; one that cannot be played names the reason. */
SN_TEST(what_cannot_be_played_is_named) {
  sn_test_write(program_folder, "truncated.json", "{\"trajectory\":{\"joint_names\":[\"leg1_");
  sn_test_write(program_folder, "stranger.json",
                "{\"trajectory\":{\"joint_names\":[\"elbow\"],\"points\":[{\"positions\":[1],"
                "\"time_from_start\":{\"secs\":1}}]}}");
  sn_test_write(program_folder, "empty.json",
                "{\"trajectory\":{\"joint_names\":[\"leg1_joint2\"],\"points\":[]}}");
  sn_test_write(program_folder, "walk.json",
                "{\"gait_type\":\"trot\",\"duration\":3,\"n_steps\":2,\"base_goal\":{\"position\":"
                "{\"x\":4,\"y\":0,\"z\":0.2},\"orientation\":{\"x\":0,\"y\":0,\"z\":0,\"w\":1}},"
                "\"ee_goal\":[]}");
  program_expect(
      "play " ROBOT " truncated.json missing.json stranger.json empty.json walk.json --json", 1);
  static const char *const reasons[] = {"truncated", "missing.json", "'elbow'",
                                        "the trajectory is empty: 0 points", "reach: limb"};
  json_t *all = lines(5);
  for (size_t i = 0; i < 5; i++) {
    assert_true(json_is_false(field(all, i, "ok")));
    assert_true(number(all, i, "error_code") < 0.0);
    sn_assert_contains(json_string_value(field(all, i, "error_string")), reasons[i]);
    assert_true(json_is_false(field(all, i, "fell")));
    assert_true(i == 4 || json_is_null(field(all, i, "base"))); /* a request is planned by it */
  }
  json_decref(all);
}

/* It stands, then all legs swing back below the body: it falls on its nose, which is reported. */
SN_TEST(a_fall_is_reported) {
  sn_test_write(program_folder, "tip.json",
                "{\"trajectory\":{\"joint_names\":[\"leg1_joint3\",\"leg2_joint3\",\"leg3_joint3\","
                "\"leg4_joint3\"],\"points\":[{\"positions\":[0,0,0,0],\"time_from_start\":"
                "{\"secs\":1}},{\"positions\":[0.9,0.9,0.9,0.9],\"time_from_start\":{\"secs\":2}},"
                "{\"positions\":[0.9,0.9,0.9,0.9],\"time_from_start\":{\"secs\":6}}]}}");
  program_expect("play " ROBOT " tip.json --json", 1);
  json_t *all = lines(1);
  assert_true(json_is_true(field(all, 0, "fell")));
  assert_true(json_is_false(field(all, 0, "ok")));
  sn_assert_contains(json_string_value(field(all, 0, "error_string")), "fell");
  assert_true(number(all, 0, "duration_s") > 1.0); /* during the movement */
  json_decref(all);
}

SN_TEST(a_pose_is_approached) {
  sn_test_write(program_folder, "pose.json",
                "{\"name\":[\"head_joint2\"],\"position\":[0.4],\"velocity\":[],\"effort\":[]}");
  program_expect("play " ROBOT " pose.json --json --no-noise --ideal-servos", 0);
  json_t *all = lines(1);
  assert_string_equal(json_string_value(field(all, 0, "kind")), "joint_state");
  assert_true(number(all, 0, "duration_s") >= 1.0);
  json_decref(all);
}

SN_TEST(servo_models_are_those_of_the_robot) {
  write_bend("bend.json");
  sn_test_write(program_folder, "servos.yaml",
                "servo_models:\n  - {name: elbow, kp: 100, alpha: [40, 8, 0, 200]}\n");
  program_expect("play " ROBOT " bend.json --servo-models servos.yaml", 1);
  sn_assert_contains(program_run.errors, "servo 'elbow' is not a joint of the robot");
  sn_test_write(program_folder, "servos.yaml",
                "servo_models:\n  - {name: leg1_joint2, kp: 100, torque_max: -1}\n");
  program_expect("play " ROBOT " bend.json --servo-models servos.yaml", 1);
  sn_assert_contains(program_run.errors, "torque_max is -1, must not be negative");
}

SN_TEST(every_movement_is_recorded_into_a_file_of_its_own) {
  write_bend("bend.json");
  write_bend("again.json");
  program_expect("play " ROBOT " bend.json again.json --record run.mcap", 0);
  program_expect("info run-bend.mcap", 0);
  sn_assert_contains(program_run.output, "base_truth");
  program_expect("info run-again.mcap", 0);
  program_expect("play " ROBOT " bend.json --record run.mcap", 0);
  program_expect("info run.mcap", 0);
}

/* A step sequence of the quadruped, from its formula. */
static void write_steps(const char *name) {
  static sn_test_robot robot;
  char path[256];
  sn_arena arena;
  sn_error err = {.message = ""};
  sn_test_robot_load(&robot, "quadruped");
  sn_arena_init_growing(&arena, "steps", 0);
  const step_fixture walk = {robot.model, 0.04, 0.1, 1.0};
  sn_step_goal *goal = step_fixture_goal(&walk, &arena);
  const sn__movement movement = {.kind = SN__MOVEMENT_STEP_SEQUENCE, .msg = goal};
  snprintf(path, sizeof path, "%s/%s", program_folder, name);
  if (sn__movement_save(path, &movement, &err) != SN_OK) {
    fail_msg("%s", err.message);
  }
  sn_arena_release(&arena);
  sn_test_robot_free(&robot);
}

SN_TEST(a_step_sequence_arrives_and_its_recording_is_repeated_bit_for_bit) {
  write_steps("steps.json");
  program_expect("play " ROBOT " steps.json --json --period 0.002 --record run.mcap", 0);
  json_t *all = lines(1);
  assert_string_equal(json_string_value(field(all, 0, "kind")), "step_sequence");
  assert_true(json_is_true(field(all, 0, "ok")));
  assert_int_equal(json_array_size(field(all, 0, "base_goal")), 7);
  assert_true(number(all, 0, "position_error_m") < 0.03);
  assert_true(number(all, 0, "orientation_error_rad") < 0.1);
  json_decref(all);
  program_expect("replay run.mcap", 0);
  sn_assert_contains(program_run.output, "run.mcap: equal: ");
  assert_null(strstr(program_run.output, " 0 inputs"));
}

SN_TEST(a_running_system_plays_what_it_is_given) {
  sn_test_write(program_folder, "nod.json",
                "{\"trajectory\":{\"joint_names\":[\"head_joint2\"],\"points\":[{\"positions\":"
                "[0.1],\"time_from_start\":{\"nsecs\":300000000}}]}}");
  sn_test_write(program_folder, "stranger.json", "{\"name\":[\"elbow\"],\"position\":[0]}");
  program_expect_script(
      "export XDG_RUNTIME_DIR=$PWD\n"
      "$sinew run " ROBOT
      " --headless --name stage >/dev/null 2>&1 &\n"
      "await $sinew get movements.folder --name stage\n"
      "$sinew play nod.json --name stage --json >said\n"
      "grep '\"ok\":true' said; grep '\"fell\":false' said; grep '\"base\":\\[' said\n"
      "$sinew play " ROBOT
      " nod.json --name stage | grep good\n"
      "! $sinew play nod.json stranger.json --name stage >said\n"
      "said elbow\n"
      "kill %1; wait %1 || true\n");
}

SN_TEST_EACH(program_set_up, program_tear_down)
