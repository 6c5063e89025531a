/* FollowJointState in a running system: activation and references. */
#include <string.h>

#include "sinew/msg_calls.h"
#include "two_followers.h"

SN_TEST(without_a_pose_it_does_not_activate_and_reports_why) {
  two_followers b;
  two_followers_open(&b);
  assert_false(two_followers_switch(&b, "a.rosSetOperational", true, NULL));
  assert_string_equal(b.r.err.message,
                      "a does not activate: no pose has arrived on in_joints_sorted");
  rig_run(&b.r, 5 * MS);
  assert_int_equal(two_followers_count_out(b.out_a), 0); /* not operational: it publishes nothing */
  two_followers_close(&b);
}

/* Backwards, with names of its own: [count] joints, each at its index. */
static void send_pose_backwards(two_followers *b, size_t count) {
  sn_joint_state *msg = sn_source_msg(b->pose_a);
  sn_msg_names_clear(&msg->name);
  msg->position.count = count;
  for (size_t i = 0; i < count; i++) {
    const char *name = sn_model_joint(b->robot.model, b->n - 1 - i)->name;
    assert_int_equal(sn_msg_names_add(&msg->name, name, strlen(name)), SN_OK);
    msg->position.data[i] = 1e-3 * (double)(b->n - 1 - i);
  }
  assert_int_equal(sn_source_write(b->pose_a), SN_OK);
  rig_run(&b->r, MS);
}

SN_TEST(incomplete_pose_does_not_count_and_an_unsorted_one_is_sorted) {
  two_followers b;
  two_followers_open(&b);
  send_pose_backwards(&b, b.n - 1);
  assert_false(two_followers_switch(&b, "a.rosSetOperational", true, NULL));
  send_pose_backwards(&b, b.n);
  assert_true(two_followers_switch(&b, "a.rosSetOperational", true, NULL));
  rig_run(&b.r, MS);
  const sn_joint_state *out = sn_tap_read(b.out_a, NULL); /* it holds the pose */
  assert_int_equal(out->name.count, b.n);
  for (size_t j = 0; j < b.n; j++) {
    assert_string_equal(sn_msg_names_at(&out->name, j), sn_model_joint(b.robot.model, j)->name);
    assert_true(out->position.data[j] == 1e-3 * (double)j);
  }
  two_followers_close(&b);
}

SN_TEST(on_activation_it_publishes_the_pose_then_follows) {
  two_followers b;
  two_followers_open(&b);
  two_followers_send_pose(&b, 0.05);
  rig_run(&b.r, MS);
  assert_true(two_followers_switch(&b, "a.rosSetOperational", true, NULL));
  sn_joint_state *ref = sn_source_msg(b.ref_a);
  sn_msg_names_share(&ref->name, sn_model_joint_names(b.robot.model));
  ref->position.count = b.n;
  for (size_t j = 0; j < b.n; j++) {
    ref->position.data[j] = 0.1;
  }
  for (int i = 0; i < 20; i++) {
    assert_int_equal(sn_source_write(b.ref_a), SN_OK);
    rig_run(&b.r, MS);
    const sn_joint_state *out = sn_tap_read(b.out_a, NULL);
    sn_flow reset = SN_NO_DATA;
    const sn_joint_state *adopted = sn_tap_read(b.reset_a, &reset);
    assert_int_equal(out->name.count, b.n);
    const bool is_waiting = i < 9; /* 10 ms of delay, from the cycle before the call */
    assert_true(out->position.data[5] == (is_waiting ? 0.05 : 0.1));
    assert_int_equal(reset, is_waiting ? SN_NEW_DATA : SN_OLD_DATA);
    assert_true(adopted->position.data[5] == 0.05);
  }
  two_followers_close(&b);
}

/* Positions alone end where they are; a velocity means that more was to come. */
SN_TEST(source_that_falls_silent_in_motion_is_warned_about) {
  for (int moves = 0; moves < 2; moves++) {
    two_followers b;
    two_followers_open(&b);
    two_followers_send_pose(&b, 0.05);
    rig_run(&b.r, MS);
    assert_true(two_followers_switch(&b, "a.rosSetOperational", true, NULL));
    rig_run(&b.r, 20 * MS);
    (void)rig_drain_log(&b.r, SN_LOG_DEBUG, NULL, 0);
    sn_joint_state *ref = sn_source_msg(b.ref_a);
    assert_int_equal(sn_msg_names_add(&ref->name, "leg1_joint1", 11), SN_OK);
    ref->position.count = 1;
    ref->velocity.count = (size_t)moves;
    for (int i = 0; i < 50; i++) {
      ref->position.data[0] = 0.05 + 0.001 * i;
      ref->velocity.data[0] = 1.0;
      assert_int_equal(sn_source_write(b.ref_a), SN_OK);
      rig_run(&b.r, MS);
    }
    rig_run(&b.r, 490 * MS);
    assert_int_equal(rig_drain_log(&b.r, SN_LOG_WARNING, NULL, 0), 0);
    char line[200] = "";
    rig_run(&b.r, 2000 * MS);
    assert_int_equal(rig_drain_log(&b.r, SN_LOG_WARNING, line, sizeof line), moves);
    if (moves) {
      sn_assert_contains(line, "a: the source (outside) fell silent while joint 'leg1_joint1'");
      sn_assert_contains(line, "no reference for 0.5 s");
    }
    two_followers_close(&b);
  }
}

/* Without a delay, too: what waits in the queue when it becomes active is from before. */
SN_TEST(reference_that_waits_when_it_is_activated_is_not_executed) {
  two_followers b;
  two_followers_build(&b);
  rig_set(&b.r, b.a, "activation_delay", "0");
  rig_begin(&b.r);
  two_followers_open_ends(&b);
  two_followers_send_pose(&b, 0.05);
  rig_run(&b.r, MS);
  sn_joint_state *ref = sn_source_msg(b.ref_a);
  sn_msg_names_share(&ref->name, sn_model_joint_names(b.robot.model));
  ref->position.count = b.n;
  for (size_t j = 0; j < b.n; j++) {
    ref->position.data[j] = 0.4;
  }
  assert_int_equal(sn_source_write(b.ref_a), SN_OK);
  assert_true(two_followers_switch(&b, "a.rosSetOperational", true, NULL));
  for (int i = 0; i < 5; i++) {
    rig_run(&b.r, MS);
    assert_true(((const sn_joint_state *)sn_tap_read(b.out_a, NULL))->position.data[5] == 0.05);
  }
  assert_int_equal(sn_source_write(b.ref_a), SN_OK);
  rig_run(&b.r, MS);
  assert_true(((const sn_joint_state *)sn_tap_read(b.out_a, NULL))->position.data[5] == 0.4);
  two_followers_close(&b);
}

SN_TEST(unknown_and_foreign_names_are_refused) {
  two_followers b;
  two_followers_open(&b);
  two_followers_send_pose(&b, 0.0);
  rig_run(&b.r, MS);
  assert_false(two_followers_switch(&b, "a.setOperational", true, "wing"));
  assert_string_equal(b.r.err.message,
                      "'wing' is not a resource, nor a chain, group or joint that belongs to one");
  sn_caller caller = {0};
  assert_int_equal(
      sn_caller_open(b.r.system, "resources_control.requestResources", &caller, &b.r.err), SN_OK);
  sn_resource_request *request = sn_msg_create(&b.r.arena, &sn_resource_request_type, NULL);
  sn_call_outcome *outcome = sn_msg_create(&b.r.arena, &sn_call_outcome_type, NULL);
  assert_int_equal(sn_msg_text_set(&request->name, "a"), SN_OK);
  assert_int_equal(sn_call(&caller, request, outcome, &b.r.err), SN_EINVAL);
  assert_string_equal(b.r.err.message, "'a' is a component and asks through its own connection");
  assert_int_equal(sn_msg_text_set(&request->name, "missing"), SN_OK);
  assert_int_equal(sn_call(&caller, request, outcome, &b.r.err), SN_ENOENT);
  sn_caller_close(&caller);
  two_followers_close(&b);
}

SN_TEST(wrong_lists_are_refused_at_configuration) {
  static const struct {
    const char *component, *property, *value, *reason;
  } cases[] = {
      {"resources_control", "list_orocos", "[a, missing]", "unknown component 'missing'"},
      {"resources_control", "list_orocos", "[a, timer]", "'timer' (timer) has no operation"},
      {"resources_control", "list_orocos", "[a, a]", "'a' appears twice"},
      {"resources_control", "list_orocos", "[a]", "'b' is not in list_orocos"},
      {"resources_control", "resources", "[wing]", "the robot has no chain or group 'wing'"},
      {"resources_control", "fallback", "wing", "fallback: unknown controller 'wing'"},
      {"a", "controlled_chains", "[wing]",
       "'wing' is not a resource, nor a chain, group or joint that belongs to one"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    two_followers b;
    two_followers_build(&b);
    sn_component *c = sn_system_find(b.r.system, cases[i].component);
    rig_set(&b.r, c, cases[i].property, cases[i].value);
    assert_int_not_equal(sn_system_begin(b.r.system, &b.r.err), SN_OK);
    if (strstr(b.r.err.message, cases[i].reason) == NULL) {
      fail_msg("'%s' does not say '%s'", b.r.err.message, cases[i].reason);
    }
    rig_close(&b.r);
    sn_test_robot_free(&b.robot);
  }
}
