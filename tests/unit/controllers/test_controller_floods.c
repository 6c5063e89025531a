/* Floods of references, and stale ones. */
#include "faults_rig.h"
#include "msg/msg_names_internal.h"
#include "sn_test.h"

static void say(sn_source *source, const char *joint, double q, int64_t stamp_ns) {
  sn_joint_state *msg = sn_source_msg(source);
  sn_msg_reset(&sn_joint_state_type, msg);
  (void)sn_msg_names_add(&msg->name, joint, strlen(joint));
  msg->header.stamp_ns = stamp_ns;
  msg->position.count = 1;
  msg->position.data[0] = q;
  assert_int_equal(sn_source_write(source), SN_OK);
}

/* A hundred in each cycle of a millisecond. */
SN_TEST(flood_of_references_is_read_to_its_end_in_every_cycle) {
  bench b;
  faults_open(&b);
  sn_source *source = NULL;
  const sn_connection queue = {.buffer = 256};
  assert_int_equal(sn_source_open(b.r.system, "hold.in_joints_ref", &queue, &source, &b.r.err),
                   SN_OK);
  sn_tap *out = NULL;
  assert_int_equal(sn_tap_open(b.r.system, "hold.out_joints_ref", NULL, &out, &b.r.err), SN_OK);
  faults_begin(&b);
  faults_cycles(&b, 20);
  const char *joint = sn_model_joint(b.robot.model, 1)->name;
  for (int k = 0; k < 500; k++) {
    for (int i = 0; i < 100; i++) {
      say(source, joint, i == 99 ? 1e-4 * k : -0.3, 0);
    }
    faults_cycles(&b, 1);
    const sn_joint_state *ref = sn_tap_read(out, NULL);
    assert_int_equal(ref->name.count, b.n);
    assert_true(ref->position.data[sn__msg_names_index(&ref->name, joint)] == 1e-4 * k);
  }
  sn_tap_close(out);
  sn_source_close(source);
  faults_close(&b);
}

SN_TEST(bad_references_are_logged_once_a_second_with_joint_and_source) {
  bench b;
  faults_open(&b);
  sn_source *source = NULL;
  const sn_connection queue = {.buffer = 16};
  assert_int_equal(sn_source_open(b.r.system, "hold.in_joints_ref", &queue, &source, &b.r.err),
                   SN_OK);
  faults_begin(&b);
  faults_cycles(&b, 20);
  (void)faults_count_lines(&b, "");
  const char *joint = sn_model_joint(b.robot.model, 1)->name;
  char line[128];
  snprintf(line, sizeof line, "clamped; joint %s, from outside", joint);
  size_t lines = 0;
  for (int k = 0; k < 2500; k++) {
    say(source, joint, 1e6, 0);
    faults_cycles(&b, 1);
    lines += faults_count_lines(&b, line);
  }
  assert_int_equal(lines, 3); /* at 0, 1 and 2 s */
  sn_source_close(source);
  faults_close(&b);
}

/* It repeats what it sent a second ago: the joint stays at the last reference. */
SN_TEST(source_that_replays_old_stamps_is_ignored) {
  bench b;
  faults_open(&b);
  sn_source *source = NULL;
  const sn_connection queue = {.buffer = 16};
  assert_int_equal(sn_source_open(b.r.system, "hold.in_joints_ref", &queue, &source, &b.r.err),
                   SN_OK);
  faults_begin(&b);
  faults_cycles(&b, 20);
  const char *joint = sn_model_joint(b.robot.model, 1)->name;
  for (int64_t k = 0; k < 1000; k++) {
    say(source, joint, 0.2, 1000 * (int64_t)MS + k);
    faults_cycles(&b, 1);
  }
  sn_assert_near(b.q[1], 0.2, 1e-9);
  (void)faults_count_lines(&b, "");
  for (int64_t k = 0; k < 1000; k++) {
    say(source, joint, -0.2, 1000 * (int64_t)MS + k - 1);
    faults_cycles(&b, 1);
    sn_assert_near(b.q[1], 0.2, 1e-9);
  }
  assert_true(faults_count_lines(&b, "older than the last one") > 0);
  sn_source_close(source);
  faults_close(&b);
}

/* Written while the limb was not owned, read much later. */
SN_TEST(reference_from_before_the_activation_is_not_executed) {
  bench b;
  faults_open(&b);
  rig_set(&b.r, b.hold, "start_operational", "false");
  sn_source *source = NULL;
  const sn_connection queue = {.buffer = 16};
  assert_int_equal(sn_source_open(b.r.system, "hold.in_joints_ref", &queue, &source, &b.r.err),
                   SN_OK);
  faults_begin(&b);
  const char *joint = sn_model_joint(b.robot.model, 1)->name;
  for (int k = 0; k < 10; k++) {
    say(source, joint, 0.3, 0);
    faults_cycles(&b, k % 2);
  }
  sn_caller caller = {0};
  assert_int_equal(sn_caller_open(b.r.system, "hold.rosSetOperational", &caller, &b.r.err), SN_OK);
  sn_call_outcome *outcome = sn_msg_create(&b.r.arena, &sn_call_outcome_type, NULL);
  faults_cycles(&b, 1);
  assert_int_equal(sn_call(&caller, &(sn_call_switch){.data = true}, outcome, &b.r.err), SN_OK);
  assert_true(outcome->success);
  sn_caller_close(&caller);
  faults_cycles(&b, 300);
  assert_true(b.q[1] == 0.0);
  sn_source_close(source);
  faults_close(&b);
}
