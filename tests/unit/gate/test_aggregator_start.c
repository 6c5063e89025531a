/* The gate in a system: start and restart, what it publishes. */
#include "aggregator_rig.h"
#include "allocation.h"
#include "sn_test.h"

/* Earlier systems commanded zeros as long as they knew nothing. */
SN_TEST(with_a_measured_input_nothing_is_published_before_its_first_message) {
  bench b;
  aggregator_open(&b, 1, true);
  sn_source *measured = NULL;
  assert_int_equal(
      sn_source_open(b.r.system, "aggregator.in_joints_measured", NULL, &measured, &b.r.err),
      SN_OK);
  aggregator_begin(&b);
  char line[200] = "";
  assert_int_equal(rig_drain_log(&b.r, SN_LOG_WARNING, line, sizeof line), 1);
  sn_assert_contains(line, "the collision guard is off: the robot has no shapes");
  aggregator_run(&b, 100); /* encoders may take a moment */
  assert_int_equal(rig_drain_log(&b.r, SN_LOG_WARNING, line, sizeof line), 0);
  aggregator_run(&b, 200);
  assert_int_equal(b.poses, 0);
  assert_int_equal(rig_drain_log(&b.r, SN_LOG_WARNING, line, sizeof line), 1);
  sn_assert_contains(line, "joint 'shoulder': the start waits for its measured position");
  sn_joint_state *msg = sn_source_msg(measured);
  static const char *const names[] = {"slide", "spinner", "wheel", "elbow", "shoulder"};
  static const double pose[] = {0.2, -1.0, 7.0, 0.3, 1.5};
  for (size_t i = 0; i < 5; i++) {
    (void)sn_msg_names_add(&msg->name, names[i], strlen(names[i]));
    msg->position.data[i] = pose[i];
  }
  msg->position.count = 5;
  assert_int_equal(sn_source_write(measured), SN_OK);
  aggregator_run(&b, 10);
  assert_int_equal(b.poses, 10);
  assert_true(aggregator_at(&b, GATE_WHEEL) == 7.0 && aggregator_at(&b, GATE_SHOULDER) == 1.5);
  sn_source_close(measured);
  aggregator_close(&b);
}

SN_TEST(initial_pose_is_a_property_and_its_errors_are_reported) {
  bench b;
  aggregator_open(&b, 1, true);
  static const struct {
    const char *value, *reason;
  } bad[] = {{"{wing: 1}", "'wing' is not a movable joint"},
             {"{elbow: 0.6}", "'elbow' at 0.6 is outside of its limits -0.5 .. 0.5"},
             {"{elbow: high}", "'elbow' is not a number"},
             {"[1, 2]", "must be joints with their positions"}};
  for (size_t i = 0; i < 4; i++) {
    rig_set(&b.r, b.aggregator, "initial_pose", bad[i].value);
    assert_true(sn_system_begin(b.r.system, &b.r.err) != SN_OK);
    sn_assert_contains(b.r.err.message, bad[i].reason);
  }
  rig_set(&b.r, b.aggregator, "initial_pose", "{elbow: 0.4}");
  aggregator_begin(&b);
  aggregator_run(&b, 10);
  assert_true(aggregator_at(&b, GATE_ELBOW) == 0.4 && aggregator_at(&b, GATE_SLIDE) == 0.15);
  aggregator_close(&b);
}

SN_TEST(stopped_and_started_again_it_goes_on_where_it_was) {
  bench b;
  aggregator_open(&b, 1, true);
  aggregator_begin(&b);
  aggregator_own(&b, GATE_SHOULDER, b.movers[0]);
  b.movers[0]->joint = GATE_SHOULDER;
  b.movers[0]->position = 2.0;
  aggregator_run(&b, 300);
  const double q = aggregator_at(&b, GATE_SHOULDER);
  assert_int_equal(sn_system_stop(b.r.system, b.aggregator, &b.r.err), SN_OK);
  aggregator_run(&b, 100);
  assert_int_equal(sn_system_start(b.r.system, b.aggregator, &b.r.err), SN_OK);
  b.movers[0]->joint = -1;
  b.judge.seen = 0; /* a new beginning, at rest */
  memset(b.judge.qd, 0, sizeof b.judge.qd);
  aggregator_run(&b, 10);
  assert_true(aggregator_at(&b, GATE_SHOULDER) == q);
  aggregator_close(&b);
}

SN_TEST(published_by_events_only_it_still_brakes_by_the_tick) {
  bench b;
  aggregator_open(&b, 1, true);
  rig_set(&b.r, b.aggregator, "publish_on_timer", "false");
  rig_set(&b.r, b.aggregator, "publish_on_event", "true");
  aggregator_begin(&b);
  aggregator_own(&b, GATE_WHEEL, b.movers[0]);
  aggregator_run(&b, 50);
  assert_int_equal(b.poses, 0);
  b.movers[0]->joint = GATE_WHEEL;
  b.movers[0]->velocity = 4.0;
  aggregator_run(&b, 500);
  assert_int_equal(b.poses, 500); /* data and tick coincide: one pose, not two and not none */
  b.movers[0]->joint = -1;
  aggregator_run(&b, 1500);
  assert_true(b.judge.qd[GATE_WHEEL] == 0.0);
  assert_int_equal(b.poses, 500 + 126); /* one in each cycle until it is at rest, and no more */
  aggregator_close(&b);
}

SN_TEST(supports_come_from_the_owner_of_the_chain) {
  bench b;
  aggregator_open(&b, 2, true);
  aggregator_begin(&b);
  sn_tap *tap = NULL;
  assert_int_equal(sn_tap_open(b.r.system, "aggregator.supports", NULL, &tap, &b.r.err), SN_OK);
  b.movers[0]->chain = b.movers[1]->chain = "arm";
  b.movers[0]->support = 0.75;
  b.movers[1]->support = 0.25;
  aggregator_run(&b, 5);
  const sn_support_state *supports = sn_tap_read(tap, NULL);
  assert_int_equal(supports->name.count, 1);
  assert_int_equal(supports->contact.count, supports->name.count);
  assert_true(supports->support.data[0] == 0.0); /* without an owner */
  for (int j = 0; j < GATE_JOINTS; j++) {
    aggregator_own(&b, j, b.movers[0]);
  }
  aggregator_run(&b, 5);
  assert_true(((const sn_support_state *)sn_tap_read(tap, NULL))->support.data[0] == 0.75);
  b.movers[0]->support = 7.0;
  aggregator_run(&b, 5);
  assert_true(((const sn_support_state *)sn_tap_read(tap, NULL))->support.data[0] == 1.0);
  b.movers[0]->chain = NULL; /* silent: the last value stays */
  aggregator_run(&b, 2000);
  assert_true(((const sn_support_state *)sn_tap_read(tap, NULL))->support.data[0] == 1.0);
  for (int j = 0; j < GATE_JOINTS; j++) {
    aggregator_own(&b, j, b.movers[1]);
  }
  aggregator_run(&b, 5);
  assert_true(((const sn_support_state *)sn_tap_read(tap, NULL))->support.data[0] == 0.25);
  sn_tap_close(tap);
  aggregator_close(&b);
}

static void own_all(bench *b, const void *owner) {
  for (int j = 0; j < GATE_JOINTS; j++) {
    aggregator_own(b, j, owner);
  }
}

/* It got the joints and lost them before the gate looked, and wrote in between. */
SN_TEST(owner_between_two_cycles_is_not_warned_about_and_others_are_by_name) {
  bench b;
  char line[200] = "";
  aggregator_open(&b, 3, true);
  aggregator_begin(&b);
  aggregator_run(&b, 5);
  (void)rig_drain_log(&b.r, SN_LOG_DEBUG, NULL, 0);
  own_all(&b, b.movers[0]);
  own_all(&b, b.movers[1]);
  b.movers[0]->chain = "arm";
  b.movers[0]->joint = GATE_SHOULDER;
  aggregator_run(&b, 1);
  assert_int_equal(rig_drain_log(&b.r, SN_LOG_WARNING, line, sizeof line), 0);
  b.movers[0]->joint = -1; /* it goes on with supports */
  aggregator_run(&b, 5);
  assert_int_equal(rig_drain_log(&b.r, SN_LOG_WARNING, line, sizeof line), 1);
  sn_assert_contains(line, "source 'anna', support of 'arm': the source does not own it");
  b.movers[0]->chain = NULL;
  /* The one that had them before may still have written, too. */
  b.movers[1]->chain = b.movers[2]->chain = "arm";
  aggregator_run(&b, 5);
  (void)rig_drain_log(&b.r, SN_LOG_DEBUG, NULL, 0);
  own_all(&b, b.movers[2]);
  own_all(&b, b.movers[0]);
  aggregator_run(&b, 1);
  assert_int_equal(rig_drain_log(&b.r, SN_LOG_WARNING, line, sizeof line), 0);
  aggregator_close(&b);
}

SN_TEST(accelerations_are_published_if_connected) {
  bench b;
  aggregator_open(&b, 1, true);
  aggregator_begin(&b);
  sn_tap *tap = NULL;
  assert_int_equal(sn_tap_open(b.r.system, "aggregator.joints_accel", NULL, &tap, &b.r.err), SN_OK);
  aggregator_own(&b, GATE_WHEEL, b.movers[0]);
  b.movers[0]->joint = GATE_WHEEL;
  b.movers[0]->position = 3.0;
  aggregator_run(&b, 50);
  const sn_joint_state_accel *pose = sn_tap_read(tap, NULL);
  assert_int_equal(pose->acceleration.count, GATE_JOINTS);
  sn_assert_near(pose->acceleration.data[GATE_WHEEL], 80.0, 1e-6);
  assert_string_equal(sn_msg_names_at(&pose->name, GATE_WHEEL), "wheel");
  sn_tap_close(tap);
  aggregator_close(&b);
}

SN_TEST(a_cycle_does_not_touch_the_heap) {
  bench b;
  aggregator_open(&b, 2, true);
  aggregator_begin(&b);
  aggregator_own(&b, GATE_WHEEL, b.movers[0]);
  b.movers[0]->joint = b.movers[1]->joint = GATE_WHEEL;
  b.movers[0]->velocity = 4.0;
  aggregator_run(&b, 10);
  const size_t before = sn_test_heap_calls();
  aggregator_run(&b, 1); /* what the run itself takes */
  const size_t run_calls = sn_test_heap_calls() - before;
  const size_t middle = sn_test_heap_calls();
  aggregator_run(&b, 1000);
  assert_int_equal(sn_test_heap_calls() - middle, run_calls);
  aggregator_close(&b);
}
