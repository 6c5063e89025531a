/* The gate: owners, hand-over, silent sources. */
#include "gate_case.h"
#include "sn_test.h"

static const sn_gate_command *wait(gate_rig *rig, gate_judge *judge, int cycles) {
  const sn_gate_command *command = NULL;
  for (int k = 0; k < cycles; k++) {
    command = gate_case_step_judged(rig, judge, MS);
  }
  return command;
}

SN_TEST(reference_of_another_source_is_refused_and_counted) {
  gate_rig rig;
  gate_judge judge;
  gate_rig_open(&rig, &gate_case_three_sources);
  gate_judge_init(&judge, rig.robot.model, &gate_case_three_sources);
  rig.owners[GATE_ELBOW] = 1;
  rig.owners[GATE_WHEEL] = -1;
  sn__gate_own(rig.gate, rig.owners, rig.now_ns);
  const int joints[] = {GATE_SHOULDER, GATE_ELBOW, GATE_WHEEL};
  const double goal[] = {0.5, 0.3, 1.0};
  const sn_gate_command *command = NULL;
  for (int k = 0; k < 1000; k++) {
    gate_rig_say(&rig, 3, joints, goal);
    assert_int_equal(sn__gate_take(rig.gate, 0, rig.msg, rig.now_ns), SN_OK);
    command = gate_case_step_judged(&rig, &judge, MS);
  }
  sn_assert_near(command->q[GATE_SHOULDER], 0.5, 1e-12);
  assert_true(command->q[GATE_ELBOW] == 0.0);
  assert_true(command->q[GATE_WHEEL] == 0.0); /* it has no owner */
  /* In the cycle of the hand-over the former owner could not know: not counted. */
  assert_int_equal(sn__gate_source_counts(rig.gate, 0)->reasons[SN_GATE_NOT_OWNER], 2 * 999);
  assert_int_equal(sn__gate_joint_counts(rig.gate, GATE_ELBOW)->reasons[SN_GATE_NOT_OWNER], 999);
  sn_gate_event event;
  size_t logged = 0;
  while (sn__gate_next_event(rig.gate, &event)) {
    if (event.reason == SN_GATE_NOT_OWNER) {
      assert_int_equal(event.source, 0);
      assert_true(event.joint == GATE_ELBOW || event.joint == GATE_WHEEL);
      logged++;
    }
  }
  assert_int_equal(logged, 1); /* in one second */
  gate_rig_close(&rig);
}

SN_TEST(hand_over_in_full_motion_is_bumpless) {
  const size_t cases = sn_test_cases(200);
  for (size_t c = 0; c < cases; c++) {
    sn_random random;
    sn_random_init(&random, c);
    gate_rig rig;
    gate_judge judge;
    gate_rig_open(&rig, &gate_case_three_sources);
    gate_judge_init(&judge, rig.robot.model, &gate_case_three_sources);
    for (int k = 0; k < 400; k++) {
      if (sn_random_below(&random, 20) == 0) {
        for (size_t j = 0; j < GATE_JOINTS; j++) {
          rig.owners[j] = (int)sn_random_below(&random, 4) - 1;
        }
        sn__gate_own(rig.gate, rig.owners, rig.now_ns);
      }
      for (size_t s = 0; s < 3; s++) { /* each wants something else, all the time */
        (void)gate_rig_take(&rig, s, GATE_SHOULDER, (double)s - 0.8);
        (void)gate_rig_take(&rig, s, GATE_WHEEL, 2.0 * (double)s);
      }
      (void)gate_case_step_judged(&rig, &judge, MS);
    }
    gate_rig_close(&rig);
  }
}

/* Earlier systems started again at every assignment, whomever it was about. */
SN_TEST(assignment_about_another_limb_changes_nothing) {
  double q[2][300];
  for (int with = 0; with < 2; with++) {
    gate_rig rig;
    gate_rig_open(&rig, &gate_case_three_sources);
    for (int k = 0; k < 300; k++) {
      if (with == 1) {
        rig.owners[GATE_WHEEL] = k % 3;
        sn__gate_own(rig.gate, rig.owners, rig.now_ns);
      }
      if (k % 50 < 25) { /* with pauses: the last reference must stay */
        (void)gate_rig_take(&rig, 0, GATE_SHOULDER, 1e-3 * k);
      }
      q[with][k] = gate_rig_step(&rig, MS)->q[GATE_SHOULDER];
    }
    gate_rig_close(&rig);
  }
  assert_memory_equal(q[0], q[1], sizeof q[0]);
}

SN_TEST(reference_written_before_it_was_owned_is_not_executed) {
  gate_rig rig;
  gate_rig_open(&rig, &gate_case_three_sources);
  (void)gate_rig_step(&rig, MS);
  const int joint = GATE_SHOULDER;
  const double goal = 1.0;
  gate_rig_say(&rig, 1, &joint, &goal);
  rig.msg->header.stamp_ns = rig.now_ns;
  assert_int_equal(sn__gate_take(rig.gate, 1, rig.msg, rig.now_ns), SN_OK); /* not the owner */
  rig.now_ns += MS;
  rig.owners[joint] = 1;
  sn__gate_own(rig.gate, rig.owners, rig.now_ns);
  for (int k = 0; k < 10; k++) { /* still the message from before */
    assert_int_equal(sn__gate_take(rig.gate, 1, rig.msg, rig.now_ns), SN_OK);
    assert_true(gate_rig_step(&rig, MS)->q[joint] == 0.0);
  }
  assert_int_equal(sn__gate_joint_counts(rig.gate, (size_t)joint)->reasons[SN_GATE_EARLY], 10);
  rig.msg->header.stamp_ns = rig.now_ns;
  (void)sn__gate_take(rig.gate, 1, rig.msg, rig.now_ns);
  assert_true(gate_rig_step(&rig, MS)->q[joint] > 0.0);
  gate_rig_close(&rig);
}

SN_TEST(source_that_falls_silent_is_slowed_down_and_held) {
  gate_rig rig;
  gate_judge judge;
  gate_rig_open(&rig, &gate_case_one_source);
  gate_judge_init(&judge, rig.robot.model, &gate_case_one_source);
  for (size_t i = 0; i < GATE_JOINTS; i++) {
    rig.owners[i] = i == GATE_WHEEL ? 0 : -1;
  }
  sn__gate_own(rig.gate, rig.owners, rig.now_ns);
  /* A spin in full speed: it goes on towards the last reference, then the time is up. */
  double q = 0.0;
  for (int k = 0; k < 1000; k++) {
    q += 4e-3;
    (void)gate_rig_take(&rig, 0, GATE_WHEEL, q);
    (void)gate_case_step_judged(&rig, &judge, MS);
  }
  const sn_gate_command *command = wait(&rig, &judge, 499);
  assert_int_equal(sn__gate_source_counts(rig.gate, 0)->reasons[SN_GATE_SILENT], 0);
  command = wait(&rig, &judge, 300);
  assert_int_equal(sn__gate_joint_counts(rig.gate, GATE_WHEEL)->reasons[SN_GATE_SILENT], 1);
  assert_true(sn__gate_is_at_rest(rig.gate));
  const double held = command->q[GATE_WHEEL];
  command = wait(&rig, &judge, 3000);
  assert_true(command->q[GATE_WHEEL] == held);
  sn_gate_event event;
  bool was_told = false;
  while (sn__gate_next_event(rig.gate, &event)) {
    was_told = was_told || (event.reason == SN_GATE_SILENT && event.joint == GATE_WHEEL);
    assert_true(event.reason != SN_GATE_SILENT || event.value > 0.5);
  }
  assert_true(was_told);
  command = gate_case_go_to(&rig, &judge, GATE_WHEEL, held + 0.5, 1000); /* and it may come back */
  sn_assert_near(command->q[GATE_WHEEL], held + 0.5, 1e-12);
  gate_rig_close(&rig);
}

SN_TEST(long_move_stops_where_the_source_died) {
  const sn_gate_config slow = {
      .source_count = 1, .velocity_default = 0.5, .reference_timeout_s = 0.2};
  gate_rig rig;
  gate_judge judge;
  gate_rig_open(&rig, &slow);
  gate_judge_init(&judge, rig.robot.model, &slow);
  (void)gate_case_step_judged(&rig, &judge, 0);
  (void)gate_rig_take(&rig, 0, GATE_SPINNER, 3.0); /* one message, 6 s of way */
  const sn_gate_command *command = wait(&rig, &judge, 1000);
  assert_true(sn__gate_is_at_rest(rig.gate));
  /* 0.2 s of motion and the way to stop, less the way to speed up: 0.1 s each. */
  sn_assert_near(command->q[GATE_SPINNER], 0.5 * 0.2, 2e-3);
  gate_rig_close(&rig);
}

SN_TEST(source_that_repeats_an_old_stamp_is_silent) {
  gate_rig rig;
  gate_rig_open(&rig, &gate_case_one_source);
  const int joint = GATE_SPINNER;
  const double goal = 3.0;
  gate_rig_say(&rig, 1, &joint, &goal);
  rig.msg->header.stamp_ns = rig.now_ns; /* freezes here: the same message again and again */
  for (int k = 0; k < 1000; k++) {
    (void)sn__gate_take(rig.gate, 0, rig.msg, rig.now_ns);
    (void)gate_rig_step(&rig, MS);
  }
  assert_true(sn__gate_is_at_rest(rig.gate));
  assert_int_equal(sn__gate_joint_counts(rig.gate, (size_t)joint)->reasons[SN_GATE_SILENT], 1);
  assert_true(sn__gate_source_counts(rig.gate, 0)->reasons[SN_GATE_OLD] > 490);
  gate_rig_close(&rig);
}

SN_TEST(joints_of_a_stopped_source_are_held_at_once) {
  gate_rig rig;
  gate_judge judge;
  gate_rig_open(&rig, &gate_case_three_sources);
  gate_judge_init(&judge, rig.robot.model, &gate_case_three_sources);
  (void)gate_case_go_to(&rig, &judge, GATE_SHOULDER, 2.0, 300);
  assert_false(sn__gate_is_at_rest(rig.gate));
  sn__gate_lose(rig.gate, 1, rig.now_ns); /* owns nothing */
  (void)wait(&rig, &judge, 1);
  sn__gate_lose(rig.gate, 0, rig.now_ns);
  (void)wait(&rig, &judge, 101); /* 0.1 s from full speed */
  assert_true(sn__gate_is_at_rest(rig.gate));
  assert_int_equal(sn__gate_joint_counts(rig.gate, GATE_SHOULDER)->reasons[SN_GATE_LOST], 1);
  gate_rig_close(&rig);
}

SN_TEST(late_cycle_does_not_catch_up) {
  gate_rig rig;
  gate_judge judge;
  gate_rig_open(&rig, &gate_case_one_source);
  gate_judge_init(&judge, rig.robot.model, &gate_case_one_source);
  const sn_gate_command *command = gate_case_go_to(&rig, &judge, GATE_SHOULDER, 2.0, 200);
  const double before = command->q[GATE_SHOULDER];
  command = gate_case_step_judged(&rig, &judge, 300 * MS);
  assert_true(command->q[GATE_SHOULDER] - before <= 3.0 * 0.02 + 1e-12);
  command = gate_case_step_judged(&rig, &judge, 0); /* twice at the same time, and backwards */
  const double q = command->q[GATE_SHOULDER];
  command = gate_rig_step(&rig, -5 * MS);
  assert_true(command->q[GATE_SHOULDER] == q);
  gate_rig_close(&rig);
}
