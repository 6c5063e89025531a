/* The quadruped walks with commanded velocities on the ground, in simulated time, with noisy
   sensors and an estimated base. */
#include <math.h>

#include "allocation.h"
#include "controllers/walking/walk_component.h"
#include "sinew/random.h"
#include "sn_test.h"
#include "walk_story.h"

static const double WEIGHT_N = 4.0 * 9.81; /* of robots/quadruped.urdf, about */

static double heading_of(sn_pose base) {
  return atan2(base.rot.x.y, base.rot.x.x);
}

static void check_upright(walk_story *s) {
  const sn_pose base = walk_story_base(s);
  assert_false(s->has_fallen);
  assert_true(base.rot.z.z > cos(0.1));
  assert_true(base.pos.z > 0.15);
}

/* It was stopped with feet in the air: it leans on them, and does not fall. */
static void check_leans(walk_story *s) {
  assert_false(s->has_fallen);
  assert_true(walk_story_base(s).rot.z.z > cos(0.25));
  const sn_pose before = walk_story_base(s);
  walk_story_run(s, 0.5);
  sn_assert_vec3_near(walk_story_base(s).pos, before.pos, 2e-3);
}

/* It does not move for half a second. */
static void check_stands(walk_story *s) {
  check_upright(s);
  const sn_pose before = walk_story_base(s);
  walk_story_run(s, 0.5);
  sn_assert_vec3_near(walk_story_base(s).pos, before.pos, 2e-3);
}

/* Forward, a turn, sideways, backward, stop; a hash of all that was commanded. */
static uint64_t walk_about(void) {
  static walk_story s;
  walk_story_open(&s, "");
  walk_story_want(&s, 0.14, 0.0, 0.0);
  walk_story_run(&s, 1.0);
  const sn_pose start = walk_story_base(&s);
  walk_story_run(&s, 5.0);
  const sn_pose end = walk_story_base(&s);
  sn_assert_near(hypot(end.pos.x - start.pos.x, end.pos.y - start.pos.y) / 5.0, 0.14, 0.014);
  assert_true(fabs(end.pos.y - start.pos.y) < 0.05);
  walk_story_want(&s, 0.0, 0.0, 0.5);
  walk_story_run(&s, 1.0);
  const double before = heading_of(walk_story_base(&s));
  walk_story_run(&s, 3.0);
  sn_assert_near(remainder(heading_of(walk_story_base(&s)) - before, 6.283185307), 1.5, 0.15);
  walk_story_want(&s, 0.0, 0.0, 0.0);
  walk_story_run(&s, 2.0);
  check_stands(&s);
  const uint64_t hash = s.hash;
  walk_story_close(&s);
  return hash;
}

SN_TEST(robot_walks_with_the_commanded_velocity_and_the_same_twice) {
  assert_true(walk_about() == walk_about());
}

/* At the highest speed joints have little reserve. A command beyond it is clamped to it. */
static void check_highest_speed(int period_ms) {
  static walk_story s;
  walk_story_open_with_period(&s, "", period_ms);
  const double most = ((const sn__walk_component *)sn_deployed_find(&s.d, "walk"))->speed_x_max;
  assert_true(most > 0.15 && most < 0.3);
  walk_story_want(&s, 1.0, 0.0, 0.0);
  walk_story_run(&s, 1.0);
  const sn_pose start = walk_story_base(&s);
  walk_story_run(&s, 6.0);
  sn_assert_near((walk_story_base(&s).pos.x - start.pos.x) / 6.0, most, 0.1 * most);
  assert_true(s.tilt_max < 0.12);
  walk_story_close(&s);
}

SN_TEST(robot_walks_at_its_highest_speed_with_any_period) {
  check_highest_speed(1);
  check_highest_speed(2);
  check_highest_speed(4);
}

/* A run calls the heap, whatever its length; cycles do not. */
static size_t heap_calls_of(walk_story *s, int64_t duration_ns) {
  const size_t before = sn_test_heap_calls();
  assert_int_equal(sn_system_run(s->d.system, duration_ns, NULL, NULL, &s->d.err), SN_OK);
  return sn_test_heap_calls() - before;
}

SN_TEST(cycles_do_not_call_the_heap) {
  static walk_story s;
  walk_story_open(&s, "");
  walk_story_want(&s, 0.1, 0.0, 0.2);
  walk_story_run(&s, 1.0);
  const size_t one = heap_calls_of(&s, 1000000);
  assert_int_equal(heap_calls_of(&s, 1000000000), one);
  check_upright(&s);
  walk_story_close(&s);
}

SN_TEST(robot_survives_a_push_while_it_walks_and_while_it_stands) {
  static walk_story s;
  walk_story_open(&s, "");
  walk_story_want(&s, 0.1, 0.0, 0.0);
  walk_story_run(&s, 1.5);
  walk_story_push(&s, 0.0, 0.3 * WEIGHT_N);
  walk_story_run(&s, 2.0);
  check_upright(&s);
  walk_story_want(&s, 0.0, 0.0, 0.0);
  walk_story_run(&s, 2.0);
  check_stands(&s);
  walk_story_push(&s, 0.0, -0.3 * WEIGHT_N);
  walk_story_run(&s, 3.0);
  check_stands(&s);
  walk_story_close(&s);
}

SN_TEST(push_that_is_too_strong_is_a_fall_and_the_robot_holds) {
  static walk_story s;
  walk_story_open(&s, "");
  walk_story_want(&s, 0.1, 0.0, 0.0);
  walk_story_run(&s, 1.5);
  walk_story_push(&s, 0.0, 2.0 * WEIGHT_N);
  walk_story_run(&s, 1.0);
  assert_true(s.has_fallen);
  assert_true(sn_deployed_count_log(&s.d, "emergency stop while the robot walked") > 0);
  walk_story_close(&s);
}

SN_TEST(silent_source_stops_the_robot) {
  static walk_story s;
  walk_story_open(&s, "");
  walk_story_want(&s, 0.1, 0.0, 0.0);
  walk_story_run(&s, 2.0);
  s.is_silent = true;
  walk_story_run(&s, 2.5);
  check_stands(&s);
  assert_int_equal(sn_deployed_count_log(&s.d, "source of the velocity is silent"), 1);
  walk_story_close(&s);
}

SN_TEST(bad_velocities_are_rejected_or_clamped) {
  static walk_story s;
  walk_story_open(&s, "");
  s.is_silent = true;
  const sn_call_outcome *outcome = walk_story_call(&s, NAN, 0.0, 0.0);
  assert_false(outcome->success);
  sn_assert_contains(outcome->message.data, "not finite");
  outcome = walk_story_call(&s, 0.0, 0.0, INFINITY);
  assert_false(outcome->success);
  walk_story_run(&s, 0.5);
  check_stands(&s);
  outcome = walk_story_call(&s, 1e300, -1e300, 1e300);
  assert_true(outcome->success);
  sn_assert_contains(outcome->message.data, "clamped");
  walk_story_run(&s, 2.5);
  check_stands(&s);
  walk_story_close(&s);
}

SN_TEST(second_source_waits_until_the_first_is_silent) {
  static walk_story s;
  walk_story_open(&s, "");
  sn_source *port = NULL;
  assert_int_equal(sn_source_open(s.d.system, "walk.in_cmd_vel", NULL, &port, &s.d.err), SN_OK);
  sn_spatial *twist = sn_source_msg(port);
  *twist = (sn_spatial){{0, 0, 0}, {0.1, 0, 0}};
  s.is_silent = true;
  assert_int_equal(sn_source_write(port), SN_OK);
  walk_story_run(&s, 0.1);
  assert_false(walk_story_call(&s, -0.1, 0.0, 0.0)->success);
  assert_int_equal(
      sn_deployed_count_log(&s.d, "velocity of setVelocity is rejected: in_cmd_vel commands"), 1);
  walk_story_run(&s, 1.0);
  assert_true(walk_story_call(&s, -0.1, 0.0, 0.0)->success);
  sn_source_close(port);
  walk_story_close(&s);
}

SN_TEST(robot_that_loses_a_leg_stops_and_does_not_fight_for_it) {
  static walk_story s;
  walk_story_open(&s, "");
  walk_story_want(&s, 0.1, 0.0, 0.0);
  walk_story_run(&s, 1.55);
  assert_string_equal(sn_deployed_owner(&s.d, "leg2"), "walk");
  assert_string_equal(sn_deployed_owner(&s.d, "head"), "hold");
  assert_true(sn_deployed_switch(&s.d, "follow", true, "leg2"));
  walk_story_run(&s, 2.0);
  assert_string_equal(sn_deployed_owner(&s.d, "leg2"), "follow");
  assert_int_equal(sn_deployed_count_log(&s.d, "a leg was taken while the robot walked"), 1);
  check_stands(&s);
  walk_story_close(&s);
}

SN_TEST(low_battery_stops_the_robot_on_its_feet) {
  static walk_story s;
  walk_story_open(&s, "");
  walk_story_want(&s, 0.1, 0.0, 0.0);
  walk_story_run(&s, 2.0);
  assert_int_equal(sn_deployed_set(&s.d, "walk", "battery_min", "100"), SN_OK);
  walk_story_run(&s, 2.0);
  check_stands(&s);
  assert_true(sn_deployed_count_log(&s.d, "battery_min is 100 V: the robot stops walking") > 0);
  walk_story_close(&s);
}

SN_TEST(servo_that_does_not_move_stops_the_walk) {
  static walk_story s;
  walk_story_open(&s, "");
  walk_story_want(&s, 0.15, 0.0, 0.0);
  walk_story_run(&s, 2.0);
  assert_int_equal(sn_deployed_count_log(&s.d, "the robot stops walking"), 0);
  assert_int_equal(sn_deployed_set(&s.d, "plant", "frozen", "[leg1_joint3]"), SN_OK);
  walk_story_run(&s, 3.0);
  assert_true(sn_deployed_count_log(&s.d, "joint leg1_joint3 does not move") > 0);
  check_stands(&s);
  walk_story_close(&s);
}

SN_TEST(emergency_stop_in_mid_stride_holds_the_robot) {
  static walk_story s;
  walk_story_open(&s, "");
  sn_error err;
  sn_caller stop = {0}, resume = {0};
  assert_int_equal(sn_caller_open(s.d.system, "aggregator.emergencyStop", &stop, &err), SN_OK);
  assert_int_equal(sn_caller_open(s.d.system, "aggregator.resume", &resume, &err), SN_OK);
  walk_story_want(&s, 0.1, 0.0, 0.0);
  walk_story_run(&s, 1.57);
  const void *none = sn_msg_create(&s.d.arena, &sn_call_stop_type, NULL);
  assert_int_equal(sn_call(&stop, none, NULL, &err), SN_OK);
  walk_story_run(&s, 1.0);
  check_leans(&s);
  assert_int_equal(sn_deployed_count_log(&s.d, "emergency stop while the robot walked"), 1);
  const void *name = sn_msg_create(&s.d.arena, &sn_call_name_type, NULL);
  assert_int_equal(sn_call(&resume, name, NULL, &err), SN_OK);
  walk_story_want(&s, 0.0, 0.0, 0.0);
  walk_story_run(&s, 0.5);
  walk_story_want(&s, 0.1, 0.0, 0.0);
  walk_story_run(&s, 2.0);
  walk_story_want(&s, 0.0, 0.0, 0.0);
  walk_story_run(&s, 2.0);
  check_stands(&s);
  sn_caller_close(&stop);
  sn_caller_close(&resume);
  walk_story_close(&s);
}

SN_TEST(robot_walks_up_and_down_a_slope_of_ten_degrees) {
  static walk_story s;
  walk_story_open(&s, ", slope_x: 0.1763");
  walk_story_want(&s, 0.1, 0.0, 0.0);
  walk_story_run(&s, 4.0);
  assert_false(s.has_fallen);
  assert_true(walk_story_base(&s).pos.x > 0.15);
  walk_story_want(&s, -0.1, 0.0, 0.0);
  walk_story_run(&s, 4.0);
  assert_false(s.has_fallen);
  walk_story_close(&s);
}

SN_TEST(robot_walks_over_steps_of_five_millimetres) {
  static walk_story s;
  walk_story_open(&s,
                  ", boxes: [{position: [0.35, 0, 0], size: [0.3, 2, 0.01]},"
                  " {position: [0.95, 0, 0], size: [0.3, 2, 0.01]}]");
  walk_story_want(&s, 0.14, 0.0, 0.0);
  walk_story_run(&s, 8.0);
  check_upright(&s);
  assert_true(walk_story_base(&s).pos.x > 0.6);
  walk_story_close(&s);
}

/* A wall: the robot stops before it, turns on the spot or walks back, but not into it. */
SN_TEST(robot_stops_before_a_wall_and_leaves_it) {
  static walk_story s;
  walk_story_open(&s, ", boxes: [{position: [0.8, 0, 0.1], size: [0.1, 2, 0.2]}]");
  walk_story_want(&s, 0.15, 0.0, 0.0);
  walk_story_run(&s, 7.0);
  check_stands(&s);
  const double at = walk_story_base(&s).pos.x;
  assert_true(at > 0.3 && at < 0.6);
  assert_true(sn_deployed_count_log(&s.d, "box 0 is in the way: the robot stops") > 0);
  walk_story_want(&s, -0.1, 0.0, 0.0);
  walk_story_run(&s, 3.0);
  assert_true(walk_story_base(&s).pos.x < at - 0.2);
  check_upright(&s);
  walk_story_close(&s);
}

/* Walk for some time. @return the most feet that were in the air at once */
static size_t feet_in_the_air(walk_story *s, sn_tap *supports, double duration_s) {
  size_t most = 0;
  for (int i = 0; i < (int)lround(duration_s / 0.01); i++) {
    walk_story_run(s, 0.01);
    const sn_support_state *msg = sn_tap_read(supports, NULL);
    size_t count = 0;
    for (size_t k = 0; msg != NULL && k < msg->support.count; k++) {
      count += msg->support.data[k] < 0.5;
    }
    most = count > most ? count : most;
  }
  return most;
}

SN_TEST(another_gait_is_used_when_the_robot_has_stood) {
  static walk_story s;
  sn_tap *supports = NULL;
  walk_story_open(&s, "");
  assert_int_equal(sn_tap_open(s.d.system, "walk.ref_support", NULL, &supports, &s.d.err), SN_OK);
  walk_story_want(&s, 0.1, 0.0, 0.0);
  assert_int_equal(feet_in_the_air(&s, supports, 1.0), 2);
  assert_int_equal(sn_deployed_set(&s.d, "walk", "gait", "walk"), SN_OK);
  assert_int_equal(feet_in_the_air(&s, supports, 1.0), 2);
  walk_story_want(&s, 0.0, 0.0, 0.0);
  walk_story_run(&s, 2.0);
  check_stands(&s);
  walk_story_want(&s, 0.05, 0.0, 0.0);
  walk_story_run(&s, 1.0);
  const sn_pose start = walk_story_base(&s);
  assert_int_equal(feet_in_the_air(&s, supports, 5.0), 1);
  sn_assert_near(walk_story_base(&s).pos.x - start.pos.x, 0.25, 0.025);
  check_upright(&s);
  sn_tap_close(supports);
  walk_story_close(&s);
}

/* Random commands, and a push every 2 to 3 s; SINEW_TEST_SCALE=120 is ten minutes. */
SN_TEST(random_commands_and_pushes_do_not_upset_it) {
  static walk_story s;
  sn_random random;
  sn_random_init(&random, 18);
  walk_story_open(&s, ", seed: 18");
  const size_t count = sn_test_cases(4);
  for (size_t i = 0; i < count; i++) {
    walk_story_want(&s, sn_random_between(&random, -0.15, 0.15),
                    sn_random_between(&random, -0.06, 0.06), sn_random_between(&random, -0.8, 0.8));
    walk_story_run(&s, sn_random_between(&random, 1.0, 2.0));
    const double angle = sn_random_between(&random, 0.0, 6.28);
    walk_story_push(&s, 0.3 * WEIGHT_N * cos(angle), 0.3 * WEIGHT_N * sin(angle));
    walk_story_run(&s, 1.0);
    if (s.has_fallen) {
      fail_msg("it fell after push %zu of seed 18", i + 1);
    }
  }
  walk_story_close(&s);
}
