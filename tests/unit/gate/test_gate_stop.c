/* The gate: emergency stop, start, configurations. */
#include "allocation.h"
#include "gate_case.h"
#include "sn_test.h"

SN_TEST(emergency_stop_brakes_at_the_limit_and_stays) {
  gate_rig rig;
  gate_judge judge;
  gate_rig_open(&rig, &gate_case_one_source);
  gate_judge_init(&judge, rig.robot.model, &gate_case_one_source);
  const sn_gate_command *command = gate_case_go_to(&rig, &judge, GATE_SHOULDER, 2.0, 300);
  const double q = command->q[GATE_SHOULDER];
  const double qd = command->qd[GATE_SHOULDER];
  assert_true(qd > 2.9);
  sn__gate_stop(rig.gate, "operator", "the cat", rig.now_ns);
  assert_int_equal(sn__gate_resume(rig.gate, "operator", rig.now_ns), SN_EBUSY);
  int cycles = 0;
  while (!sn__gate_is_at_rest(rig.gate)) {
    command = gate_case_go_to(&rig, &judge, GATE_SHOULDER, 2.0, 1);
    cycles++;
  }
  const double brake = 3.0 / 0.1;
  assert_in_range(cycles, qd / brake * 1e3 - 1e-9, qd / brake * 1e3 + 1.0 + 1e-9);
  assert_true(command->q[GATE_SHOULDER] - q <= qd * qd / (2.0 * brake));
  command = gate_case_go_to(&rig, &judge, GATE_SHOULDER, 2.0, 2000);
  const double held = command->q[GATE_SHOULDER];
  assert_true(held - q <= qd * qd / (2.0 * brake));
  const sn_gate_stop_state *stop = sn__gate_stop_now(rig.gate);
  assert_true(stop->is_stopped);
  assert_string_equal(stop->who, "operator");
  assert_string_equal(stop->why, "the cat");
  sn__gate_stop(rig.gate, "somebody else", "later", rig.now_ns);
  assert_string_equal(stop->who, "operator"); /* the first one counts */
  assert_int_equal(stop->count, 2);
  gate_rig_close(&rig);
}

SN_TEST(after_a_resume_only_new_references_count) {
  gate_rig rig;
  gate_judge judge;
  gate_rig_open(&rig, &gate_case_one_source);
  gate_judge_init(&judge, rig.robot.model, &gate_case_one_source);
  (void)gate_case_go_to(&rig, &judge, GATE_SHOULDER, 2.0, 100);
  assert_int_equal(sn__gate_resume(rig.gate, "me", rig.now_ns), SN_EINVAL); /* not stopped */
  sn__gate_stop(rig.gate, NULL, NULL, rig.now_ns);
  const sn_gate_command *command = gate_case_go_to(&rig, &judge, GATE_SHOULDER, 2.0, 200);
  const double held = command->q[GATE_SHOULDER];
  const int joint = GATE_SHOULDER;
  const double goal = 2.0;
  gate_rig_say(&rig, 1, &joint, &goal);
  rig.msg->header.stamp_ns = rig.now_ns;
  rig.now_ns += MS;
  assert_int_equal(sn__gate_resume(rig.gate, "me", rig.now_ns), SN_OK);
  assert_string_equal(sn__gate_stop_now(rig.gate)->resumed_by, "me");
  for (int k = 0; k < 100; k++) { /* written before the resume, read after it */
    assert_int_equal(sn__gate_take(rig.gate, 0, rig.msg, rig.now_ns), SN_OK);
    command = gate_case_step_judged(&rig, &judge, MS);
    assert_true(command->q[joint] == held);
  }
  command = gate_case_go_to(&rig, &judge, joint, 2.0, 3000);
  sn_assert_near(command->q[joint], 2.0, 1e-12);
  gate_rig_close(&rig);
}

SN_TEST(nothing_is_commanded_before_the_measured_pose_is_complete) {
  const sn_gate_config config = {.source_count = 1, .wait_for_measured = true};
  gate_rig rig;
  gate_rig_open(&rig, &config);
  const int joints[] = {GATE_SHOULDER, GATE_WHEEL, GATE_SPINNER, GATE_SLIDE, GATE_ELBOW};
  double measured[] = {1.5, 7.0, -1.0, 0.2, 0.6};
  gate_rig_say(&rig, 4, joints, measured);
  for (int k = 0; k < 300; k++) { /* long enough to be reported */
    assert_int_equal(sn__gate_measure(rig.gate, rig.msg, rig.now_ns), SN_OK);
    assert_null(gate_rig_step(&rig, MS));
  }
  (void)gate_rig_take(&rig, 0, GATE_SHOULDER, 0.0);
  assert_int_equal(sn__gate_joint_counts(rig.gate, GATE_SHOULDER)->reasons[SN_GATE_EARLY], 1);
  gate_rig_say(&rig, 5, joints, measured); /* the elbow is 0.1 outside: too much */
  assert_int_equal(sn__gate_measure(rig.gate, rig.msg, rig.now_ns), SN_OK);
  assert_null(gate_rig_step(&rig, MS));
  measured[4] = NAN;
  gate_rig_say(&rig, 5, joints, measured);
  assert_int_equal(sn__gate_measure(rig.gate, rig.msg, rig.now_ns), SN_EINVAL);
  assert_null(gate_rig_step(&rig, MS));
  measured[4] = 0.52; /* an encoder's error */
  gate_rig_say(&rig, 5, joints, measured);
  assert_int_equal(sn__gate_measure(rig.gate, rig.msg, rig.now_ns), SN_OK);
  const sn_gate_command *command = gate_rig_step(&rig, MS);
  assert_non_null(command);
  for (size_t i = 0; i < 4; i++) {
    assert_true(command->q[joints[i]] == measured[i]);
  }
  assert_true(command->q[GATE_ELBOW] == 0.5);
  assert_true(command->qd[GATE_SHOULDER] == 0.0); /* the reference from before is not executed */
  sn_gate_event event;
  bool missing = false;
  bool outside = false;
  while (sn__gate_next_event(rig.gate, &event)) {
    missing = missing || (event.reason == SN_GATE_UNMEASURED && event.joint == GATE_ELBOW);
    outside = outside || (event.reason == SN_GATE_OUTSIDE && event.joint == GATE_ELBOW);
  }
  assert_true(missing && outside);
  gate_rig_close(&rig);
}

/* A servo that answered once and fell silent may be anywhere when the last of the others answers.
 */
SN_TEST(a_start_needs_all_joints_measured_of_late) {
  const sn_gate_config config = {.source_count = 1, .wait_for_measured = true};
  gate_rig rig;
  gate_rig_open(&rig, &config);
  const int joints[] = {GATE_SHOULDER, GATE_WHEEL, GATE_SPINNER, GATE_SLIDE, GATE_ELBOW};
  const double measured[] = {1.5, 7.0, -1.0, 0.2, 0.1};
  gate_rig_say(&rig, 4, joints, measured);
  assert_int_equal(sn__gate_measure(rig.gate, rig.msg, rig.now_ns), SN_OK);
  assert_null(gate_rig_step(&rig, 1000 * MS));
  gate_rig_say(&rig, 1, &joints[4], &measured[4]);
  assert_int_equal(sn__gate_measure(rig.gate, rig.msg, rig.now_ns), SN_OK);
  assert_null(gate_rig_step(&rig, MS));
  gate_rig_say(&rig, 4, joints, measured);
  assert_int_equal(sn__gate_measure(rig.gate, rig.msg, rig.now_ns), SN_OK);
  assert_non_null(gate_rig_step(&rig, MS));
  gate_rig_close(&rig);
}

/* A gate that publishes by references only may wait for the first one, and the robot is moved
   meanwhile. */
SN_TEST(until_its_first_command_the_start_follows_the_robot) {
  const sn_gate_config config = {.source_count = 1, .wait_for_measured = true};
  gate_rig rig;
  gate_rig_open(&rig, &config);
  const int joints[] = {GATE_SHOULDER, GATE_WHEEL, GATE_SPINNER, GATE_SLIDE, GATE_ELBOW};
  double measured[] = {1.5, 7.0, -1.0, 0.2, 0.1};
  gate_rig_say(&rig, 5, joints, measured);
  assert_int_equal(sn__gate_measure(rig.gate, rig.msg, rig.now_ns), SN_OK);
  rig.now_ns += 400 * MS;
  measured[0] = 0.5;
  gate_rig_say(&rig, 5, joints, measured);
  assert_int_equal(sn__gate_measure(rig.gate, rig.msg, rig.now_ns), SN_OK);
  const sn_gate_command *command = gate_rig_step(&rig, MS);
  assert_non_null(command);
  assert_true(command->q[GATE_SHOULDER] == 0.5);
  measured[0] = 1.0; /* from now on it decides itself */
  gate_rig_say(&rig, 5, joints, measured);
  assert_int_equal(sn__gate_measure(rig.gate, rig.msg, rig.now_ns), SN_OK);
  assert_true(gate_rig_step(&rig, MS)->q[GATE_SHOULDER] == 0.5);
  gate_rig_close(&rig);
}

SN_TEST(a_first_command_after_the_measurements_are_old_waits_for_new_ones) {
  const sn_gate_config config = {.source_count = 1, .wait_for_measured = true};
  gate_rig rig;
  gate_rig_open(&rig, &config);
  const int joints[] = {GATE_SHOULDER, GATE_WHEEL, GATE_SPINNER, GATE_SLIDE, GATE_ELBOW};
  const double measured[] = {1.5, 7.0, -1.0, 0.2, 0.1};
  gate_rig_say(&rig, 5, joints, measured);
  assert_int_equal(sn__gate_measure(rig.gate, rig.msg, rig.now_ns), SN_OK);
  assert_null(gate_rig_step(&rig, 1000 * MS));
  gate_rig_say(&rig, 4, joints, measured); /* the elbow is silent */
  assert_int_equal(sn__gate_measure(rig.gate, rig.msg, rig.now_ns), SN_OK);
  assert_null(gate_rig_step(&rig, MS));
  gate_rig_say(&rig, 5, joints, measured);
  assert_int_equal(sn__gate_measure(rig.gate, rig.msg, rig.now_ns), SN_OK);
  assert_non_null(gate_rig_step(&rig, MS));
  gate_rig_close(&rig);
}

/* Each joint may be the one that was measured long ago when the first command is due. */
SN_TEST(a_first_command_waits_for_whichever_joint_is_old) {
  const sn_gate_config config = {.source_count = 1, .wait_for_measured = true};
  const int joints[] = {GATE_SHOULDER, GATE_ELBOW, GATE_WHEEL, GATE_SPINNER, GATE_SLIDE};
  const double measured[] = {1.5, 0.1, 7.0, -1.0, 0.2};
  for (int old = -1; old < 5; old++) {
    gate_rig rig;
    gate_rig_open(&rig, &config);
    gate_rig_say(&rig, 5, joints, measured);
    assert_int_equal(sn__gate_measure(rig.gate, rig.msg, rig.now_ns), SN_OK);
    rig.now_ns += 300 * MS;
    for (int j = 0; j < 5; j++) {
      gate_rig_say(&rig, 1, &joints[j], &measured[j]);
      assert_int_equal(j == old ? SN_OK : sn__gate_measure(rig.gate, rig.msg, rig.now_ns), SN_OK);
    }
    const sn_gate_command *command = gate_rig_step(&rig, 201 * MS);
    assert_int_equal(command == NULL, old >= 0); /* 501 ms old */
    gate_rig_close(&rig);
  }
}

SN_TEST(a_wait_is_reported_from_a_fifth_of_a_second_on) {
  const sn_gate_config config = {.source_count = 1, .wait_for_measured = true};
  gate_rig rig;
  sn_gate_event event;
  gate_rig_open(&rig, &config);
  assert_null(gate_rig_step(&rig, MS));
  assert_null(gate_rig_step(&rig, 200 * MS - 1));
  assert_false(sn__gate_next_event(rig.gate, &event));
  assert_null(gate_rig_step(&rig, 1));
  assert_true(sn__gate_next_event(rig.gate, &event));
  assert_int_equal(event.reason, SN_GATE_UNMEASURED);
  assert_int_equal(event.joint, GATE_SHOULDER);
  gate_rig_close(&rig);
}

SN_TEST(after_a_restart_the_last_command_is_held) {
  gate_rig rig;
  gate_judge judge;
  gate_rig_open(&rig, &gate_case_one_source);
  gate_judge_init(&judge, rig.robot.model, &gate_case_one_source);
  const sn_gate_command *command = gate_case_go_to(&rig, &judge, GATE_SHOULDER, 2.0, 200);
  const double q = command->q[GATE_SHOULDER];
  sn__gate_restart(rig.gate, false, rig.now_ns);
  for (int k = 0; k < 100; k++) {
    command = gate_rig_step(&rig, MS);
    assert_true(command->q[GATE_SHOULDER] == q && command->qd[GATE_SHOULDER] == 0.0);
  }
  gate_rig_close(&rig);
}

SN_TEST(bad_configurations_are_refused_with_their_reason) {
  gate_rig rig;
  gate_rig_open(&rig, &gate_case_one_source);
  const double outside[GATE_JOINTS] = {[GATE_SLIDE] = 0.2, [GATE_ELBOW] = 0.6};
  const double strange[GATE_JOINTS] = {[GATE_SLIDE] = 0.2, [GATE_WHEEL] = INFINITY};
  const struct {
    sn_gate_config config;
    const char *reason;
  } cases[] = {
      {{.reference_timeout_s = -1.0}, "reference_timeout_s is -1"},
      {{.acceleration_time_s = NAN}, "acceleration_time_s is"},
      {{.velocity_default = INFINITY}, "velocity_default is inf"},
      {{.period_max_s = 11.0}, "period_max_s is 11"},
      {{.source_count = 2000}, "2000 sources"},
      {{.initial_pose = outside}, "'elbow' at 0.6 is outside of its limits -0.5 .. 0.5"},
      {{.initial_pose = strange}, "'wheel' at inf"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sn_gate *gate = NULL;
    sn_error err = {.message = ""};
    const size_t used = sn_arena_used(&rig.arena);
    assert_int_equal(sn__gate_create(&rig.arena, rig.robot.model, &cases[i].config, &gate, &err),
                     SN_EINVAL);
    assert_null(gate);
    sn_assert_contains(err.message, cases[i].reason);
    assert_int_equal(sn_arena_used(&rig.arena), used);
  }
  unsigned char little[512];
  sn_arena arena;
  sn_arena_init(&arena, "little", little, sizeof little);
  sn_gate *gate = NULL;
  sn_error err = {.message = ""};
  assert_int_equal(sn__gate_create(&arena, rig.robot.model, &gate_case_one_source, &gate, &err),
                   SN_ENOMEM);
  sn_assert_contains(err.message, "little");
  gate_rig_close(&rig);
}

SN_TEST(a_cycle_does_not_touch_the_heap) {
  gate_rig rig;
  gate_rig_open(&rig, &gate_case_one_source);
  sn_gate_event event;
  (void)gate_rig_take(&rig, 0, GATE_SHOULDER, 100.0);
  sn_assert_no_heap({
    for (int k = 0; k < 2000; k++) {
      rig.now_ns += MS;
      sn__gate_own(rig.gate, rig.owners, rig.now_ns);
      (void)sn__gate_take(rig.gate, 0, rig.msg, rig.now_ns);
      (void)sn__gate_step(rig.gate, rig.now_ns);
      while (sn__gate_next_event(rig.gate, &event)) {
      }
    }
    sn__gate_stop(rig.gate, "a", "b", rig.now_ns);
  });
  gate_rig_close(&rig);
}
