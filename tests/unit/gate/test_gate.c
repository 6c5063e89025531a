/* What the gate does with good references: limits, hand-over, watchdog, emergency stop. */
#include "allocation.h"
#include "gate/gate.h"
#include "gate_rig.h"
#include "sn_test.h"

enum { MS = 1000000 };

static const sn_gate_config one_source = {.source_count = 1};
static const sn_gate_config three_sources = {.source_count = 3};

static void assert_judged(gate_judge *judge, const sn_gate_command *command, int64_t now_ns) {
  const char *trouble = gate_judge_look(judge, command, now_ns);
  if (trouble != NULL) {
    fail_msg("%s", trouble);
  }
}

static const sn_gate_command *step_judged(gate_rig *rig, gate_judge *judge, int64_t dt_ns) {
  const sn_gate_command *command = gate_rig_step(rig, dt_ns);
  assert_judged(judge, command, rig->now_ns);
  return command;
}

/* Step and judge for a while; the same reference comes from source 0 in every cycle. */
static const sn_gate_command *go_to(gate_rig *rig, gate_judge *judge, int joint, double position,
                                    int cycles) {
  const sn_gate_command *command = NULL;
  for (int k = 0; k < cycles; k++) {
    rig->now_ns += MS;
    (void)gate_rig_take(rig, 0, joint, position);
    command = step_judged(rig, judge, 0);
  }
  return command;
}

static const sn_gate_command *wait(gate_rig *rig, gate_judge *judge, int cycles) {
  const sn_gate_command *command = NULL;
  for (int k = 0; k < cycles; k++) {
    command = step_judged(rig, judge, MS);
  }
  return command;
}

SN_TEST(first_command_is_the_start_pose_within_limits) {
  gate_rig rig;
  gate_rig_open(&rig, &one_source);
  (void)gate_rig_take(&rig, 0, GATE_SHOULDER, 1.0);
  const sn_gate_command *command = gate_rig_step(&rig, 0);
  const double expected[GATE_JOINTS] = {
      [GATE_SLIDE] = 0.15, [GATE_FINGER] = 0.2, [GATE_THUMB] = 0.7}; /* the finger ends at 0.2 */
  for (size_t i = 0; i < GATE_JOINTS; i++) {
    sn_assert_near(command->q[i], expected[i], 1e-15);
    assert_true(command->qd[i] == 0.0 && command->qdd[i] == 0.0);
  }
  assert_null(command->tau);
  gate_rig_close(&rig);
}

SN_TEST(every_joint_goes_to_its_reference_and_mimics_follow) {
  gate_rig rig;
  gate_judge judge;
  gate_rig_open(&rig, &one_source);
  gate_judge_init(&judge, rig.robot.model, &one_source);
  const int joints[] = {GATE_SLIDE, GATE_SHOULDER, GATE_SPINNER,
                        GATE_ELBOW, GATE_WHEEL,    GATE_STUCK};
  const double goal[] = {0.34, 1.9, 1.0, -0.5, 2.0, 0.5};
  const sn_gate_command *command = NULL;
  for (int k = 0; k < 3000; k++) {
    gate_rig_say(&rig, 6, joints, goal);
    assert_int_equal(sn__gate_take(rig.gate, 0, rig.msg, rig.now_ns), SN_OK);
    command = step_judged(&rig, &judge, MS);
  }
  for (size_t i = 0; i < 5; i++) {
    sn_assert_near(command->q[joints[i]], goal[i], 1e-12);
    sn_assert_near(command->qd[joints[i]], 0.0, 1e-9);
  }
  sn_assert_near(command->q[GATE_FINGER], 0.5 - 2.0 * 0.34, 1e-12);
  sn_assert_near(command->q[GATE_THUMB], 0.1 + 3.0 * (0.5 - 2.0 * 0.34), 1e-12);
  assert_true(command->q[GATE_STUCK] == 0.0);
  assert_true(judge.step_max > 0.99); /* and it took the speed that it may have */
  assert_int_equal(sn__gate_joint_counts(rig.gate, GATE_STUCK)->reasons[SN_GATE_NOT_DRIVEN], 3000);
  gate_rig_close(&rig);
}

SN_TEST(limits_hold_on_every_robot_of_the_tree) {
  static const char *const robots[] = {"quadruped", "arm6", "arm7", "arm_ur"};
  for (size_t r = 0; r < 4; r++) {
    sn_test_robot robot;
    sn_arena arena;
    sn_test_robot_load(&robot, robots[r]);
    sn_arena_init_growing(&arena, "gate", 0);
    sn_gate *gate = NULL;
    assert_int_equal(sn__gate_create(&arena, robot.model, &one_source, &gate, NULL), SN_OK);
    const size_t n = sn_model_pose_size(robot.model);
    const int owners[64] = {0};
    sn__gate_own(gate, owners, 0);
    sn_joint_state *msg = sn_msg_create(&arena, &sn_joint_state_type, NULL);
    sn_msg_names_share(&msg->name, sn_model_joint_names(robot.model));
    msg->position.count = n;
    gate_judge judge;
    gate_judge_init(&judge, robot.model, &one_source);
    sn_random random;
    sn_random_init(&random, r);
    for (int64_t k = 1; k < 3000; k++) {
      for (size_t i = 0; i < n; i++) {
        if (sn_random_below(&random, 300) == 0) {
          msg->position.data[i] = sn_random_normal(&random) * 2.0;
        }
      }
      assert_int_equal(sn__gate_take(gate, 0, msg, k * MS), SN_OK);
      assert_judged(&judge, sn__gate_step(gate, k * MS), k * MS);
    }
    sn_arena_release(&arena);
    sn_test_robot_free(&robot);
  }
}

SN_TEST(limits_of_the_configuration_replace_those_of_the_robot) {
  const sn_gate_joint_limits limits[GATE_JOINTS] = {
      [GATE_SHOULDER] = {.velocity = 9.0, .acceleration = 400.0}};
  const sn_gate_config config = {.source_count = 1, .joint_limits = limits};
  gate_rig rig;
  gate_rig_open(&rig, &config);
  double shoulder = 0.0;
  double elbow = 0.0;
  double gain = 0.0; /* of speed in one cycle */
  double last = 0.0;
  for (int k = 0; k < 200; k++) {
    gate_rig_say(&rig, 2, (const int[]){GATE_SHOULDER, GATE_ELBOW}, (const double[]){2.0, 0.5});
    assert_int_equal(sn__gate_take(rig.gate, 0, rig.msg, rig.now_ns), SN_OK);
    const sn_gate_command *command = gate_rig_step(&rig, MS);
    shoulder = fmax(shoulder, command->qd[GATE_SHOULDER]);
    elbow = fmax(elbow, command->qd[GATE_ELBOW]);
    gain = fmax(gain, command->qd[GATE_SHOULDER] - last);
    last = command->qd[GATE_SHOULDER];
  }
  assert_true(shoulder > 8.9 && shoulder < 9.0 + 1e-9); /* 3 by the robot */
  sn_assert_near(gain, 0.4, 1e-9);
  assert_true(elbow <= 5.0); /* as before */
  gate_rig_close(&rig);
}

SN_TEST(reference_within_the_limits_passes_unchanged) {
  gate_rig rig;
  gate_judge judge;
  gate_rig_open(&rig, &one_source);
  gate_judge_init(&judge, rig.robot.model, &one_source);
  for (int k = 0; k < 10000; k++) {
    const double t_s = 1e-3 * k;
    const double q = 0.4 * sin(2.0 * t_s) * (1.0 - exp(-t_s));
    const double qd = 0.8 * cos(2.0 * t_s) * (1.0 - exp(-t_s)) + 0.4 * sin(2.0 * t_s) * exp(-t_s);
    const int joint = GATE_SHOULDER;
    gate_rig_say(&rig, 1, &joint, &q);
    rig.msg->velocity.count = 1;
    rig.msg->velocity.data[0] = qd;
    assert_int_equal(sn__gate_take(rig.gate, 0, rig.msg, rig.now_ns), SN_OK);
    const sn_gate_command *command = step_judged(&rig, &judge, 0);
    sn_assert_near(command->q[joint], q, 1e-12);
    if (k > 0) { /* the start pose has no motion */
      assert_true(command->qd[joint] == qd);
    }
    rig.now_ns += MS;
  }
  gate_rig_close(&rig);
}

SN_TEST(velocity_that_does_not_fit_is_not_passed_on) {
  gate_rig rig;
  gate_rig_open(&rig, &one_source);
  const int joint = GATE_SHOULDER;
  const double q = 0.0;
  for (int k = 0; k < 100; k++) {
    gate_rig_say(&rig, 1, &joint, &q);
    rig.msg->velocity.count = 1;
    rig.msg->velocity.data[0] = k % 2 == 0 ? 2.5 : 1e300;
    assert_int_equal(sn__gate_take(rig.gate, 0, rig.msg, rig.now_ns), SN_OK);
    assert_true(gate_rig_step(&rig, MS)->qd[joint] == 0.0);
  }
  gate_rig_close(&rig);
}

/* Earlier systems kept the last velocity when a message had none, and went on with it. */
SN_TEST(velocity_and_effort_of_an_older_message_do_not_persist) {
  gate_rig rig;
  gate_rig_open(&rig, &one_source);
  const int joint = GATE_WHEEL;
  double q = 0.0;
  (void)gate_rig_step(&rig, 0);
  for (int k = 0; k < 50; k++) {
    q += 1e-5 * k;
    gate_rig_say(&rig, 1, &joint, &q);
    rig.msg->velocity.count = rig.msg->effort.count = 1;
    rig.msg->velocity.data[0] = 1e-2 * k;
    rig.msg->effort.data[0] = 100.0;
    (void)sn__gate_take(rig.gate, 0, rig.msg, rig.now_ns);
    const sn_gate_command *command = gate_rig_step(&rig, MS);
    assert_non_null(command->tau);
    assert_true(command->tau[joint] == 2.0); /* the limit of the joint */
  }
  (void)gate_rig_take(&rig, 0, joint, q);
  const sn_gate_command *command = gate_rig_step(&rig, MS);
  assert_null(command->tau);
  for (int k = 0; k < 200; k++) {
    (void)gate_rig_take(&rig, 0, joint, q);
    command = gate_rig_step(&rig, MS);
  }
  assert_true(command->qd[joint] == 0.0);
  gate_rig_close(&rig);
}

SN_TEST(continuous_joint_takes_the_short_way_round) {
  const double pi = 3.141592653589793;
  const double from[] = {0.0, 3.0, -3.0, 1.0};
  const double to[] = {2.0 * pi + 0.5, -3.0, 3.0, 1.0 + 20.0 * pi};
  const double way[] = {0.5, 2.0 * pi - 6.0, 6.0 - 2.0 * pi, 0.0};
  for (size_t c = 0; c < 4; c++) {
    double pose[GATE_JOINTS] = {[GATE_SLIDE] = 0.2};
    pose[GATE_WHEEL] = from[c];
    const sn_gate_config config = {.source_count = 1, .initial_pose = pose};
    gate_rig rig;
    gate_judge judge;
    gate_rig_open(&rig, &config);
    gate_judge_init(&judge, rig.robot.model, &config);
    const sn_gate_command *command = go_to(&rig, &judge, GATE_WHEEL, to[c], 2000);
    sn_assert_near(command->q[GATE_WHEEL], from[c] + way[c], 1e-12);
    gate_rig_close(&rig);
  }
}

SN_TEST(reference_that_jumps_by_pi_is_followed_within_the_limits) {
  gate_rig rig;
  gate_judge judge;
  gate_rig_open(&rig, &one_source);
  gate_judge_init(&judge, rig.robot.model, &one_source);
  const double pi = 3.141592653589793;
  for (int k = 0; k < 40; k++) {
    (void)go_to(&rig, &judge, GATE_WHEEL, k % 2 == 0 ? 0.1 : 0.1 + pi, 37);
    (void)go_to(&rig, &judge, GATE_SHOULDER, k % 2 == 0 ? -0.9 : -0.9 + pi, 41);
  }
  gate_rig_close(&rig);
}

/* A wave that reaches far beyond the ends, cut off there: the reference arrives at full speed. */
SN_TEST(reference_that_runs_into_an_end_stops_before_it) {
  const size_t cases = sn_test_cases(100);
  for (size_t c = 0; c < cases; c++) {
    sn_random random;
    sn_random_init(&random, c);
    gate_rig rig;
    gate_judge judge;
    gate_rig_open(&rig, &one_source);
    gate_judge_init(&judge, rig.robot.model, &one_source);
    const int joints[] = {GATE_SHOULDER, GATE_ELBOW, GATE_SLIDE};
    const double speed[] = {3.0, 5.0, 0.3};
    const double size = sn_random_between(&random, 0.5, 5.0);
    const double share = sn_random_between(&random, 0.5, 1.1);
    double phase = 0.0;
    for (int k = 0; k < 2000; k++) {
      double goal[3];
      for (size_t i = 0; i < 3; i++) {
        goal[i] = size * sin(phase * share * speed[i] / size);
      }
      gate_rig_say(&rig, 3, joints, goal);
      assert_int_equal(sn__gate_take(rig.gate, 0, rig.msg, rig.now_ns), SN_OK);
      (void)step_judged(&rig, &judge, MS);
      phase += 1e-3;
    }
    gate_rig_close(&rig);
  }
}

/* ---- owners ---- */

SN_TEST(reference_of_another_source_is_refused_and_counted) {
  gate_rig rig;
  gate_judge judge;
  gate_rig_open(&rig, &three_sources);
  gate_judge_init(&judge, rig.robot.model, &three_sources);
  rig.owners[GATE_ELBOW] = 1;
  rig.owners[GATE_WHEEL] = -1;
  sn__gate_own(rig.gate, rig.owners, rig.now_ns);
  const int joints[] = {GATE_SHOULDER, GATE_ELBOW, GATE_WHEEL};
  const double goal[] = {0.5, 0.3, 1.0};
  const sn_gate_command *command = NULL;
  for (int k = 0; k < 1000; k++) {
    gate_rig_say(&rig, 3, joints, goal);
    assert_int_equal(sn__gate_take(rig.gate, 0, rig.msg, rig.now_ns), SN_OK);
    command = step_judged(&rig, &judge, MS);
  }
  sn_assert_near(command->q[GATE_SHOULDER], 0.5, 1e-12);
  assert_true(command->q[GATE_ELBOW] == 0.0);
  assert_true(command->q[GATE_WHEEL] == 0.0); /* it has no owner */
  /* In the cycle of the hand-over the former owner could not know: not counted. */
  assert_int_equal(sn__gate_source_counts(rig.gate, 0)->reasons[SN_GATE_NOT_OWNER], 2 * 999);
  assert_int_equal(sn__gate_joint_counts(rig.gate, GATE_ELBOW)->reasons[SN_GATE_NOT_OWNER], 999);
  sn_gate_event event;
  size_t told = 0;
  while (sn__gate_next_event(rig.gate, &event)) {
    if (event.reason == SN_GATE_NOT_OWNER) {
      assert_int_equal(event.source, 0);
      assert_true(event.joint == GATE_ELBOW || event.joint == GATE_WHEEL);
      told++;
    }
  }
  assert_int_equal(told, 1); /* in one second */
  gate_rig_close(&rig);
}

SN_TEST(hand_over_in_full_motion_is_bumpless) {
  const size_t cases = sn_test_cases(200);
  for (size_t c = 0; c < cases; c++) {
    sn_random random;
    sn_random_init(&random, c);
    gate_rig rig;
    gate_judge judge;
    gate_rig_open(&rig, &three_sources);
    gate_judge_init(&judge, rig.robot.model, &three_sources);
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
      (void)step_judged(&rig, &judge, MS);
    }
    gate_rig_close(&rig);
  }
}

/* Earlier systems started again at every assignment, whomever it was about. */
SN_TEST(assignment_about_another_limb_changes_nothing) {
  double q[2][300];
  for (int with = 0; with < 2; with++) {
    gate_rig rig;
    gate_rig_open(&rig, &three_sources);
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
  gate_rig_open(&rig, &three_sources);
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

/* ---- watchdog ---- */

SN_TEST(source_that_falls_silent_is_slowed_down_and_held) {
  gate_rig rig;
  gate_judge judge;
  gate_rig_open(&rig, &one_source);
  gate_judge_init(&judge, rig.robot.model, &one_source);
  for (size_t i = 0; i < GATE_JOINTS; i++) {
    rig.owners[i] = i == GATE_WHEEL ? 0 : -1;
  }
  sn__gate_own(rig.gate, rig.owners, rig.now_ns);
  /* A spin in full speed: it goes on towards the last reference, then the time is up. */
  double q = 0.0;
  for (int k = 0; k < 1000; k++) {
    q += 4e-3;
    (void)gate_rig_take(&rig, 0, GATE_WHEEL, q);
    (void)step_judged(&rig, &judge, MS);
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
  command = go_to(&rig, &judge, GATE_WHEEL, held + 0.5, 1000); /* and it may come back */
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
  (void)step_judged(&rig, &judge, 0);
  (void)gate_rig_take(&rig, 0, GATE_SPINNER, 3.0); /* one message, 6 s of way */
  const sn_gate_command *command = wait(&rig, &judge, 1000);
  assert_true(sn__gate_is_at_rest(rig.gate));
  /* 0.2 s of motion and the way to stop, less the way to speed up: 0.1 s each. */
  sn_assert_near(command->q[GATE_SPINNER], 0.5 * 0.2, 2e-3);
  gate_rig_close(&rig);
}

SN_TEST(source_that_repeats_an_old_stamp_is_silent) {
  gate_rig rig;
  gate_rig_open(&rig, &one_source);
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
  gate_rig_open(&rig, &three_sources);
  gate_judge_init(&judge, rig.robot.model, &three_sources);
  (void)go_to(&rig, &judge, GATE_SHOULDER, 2.0, 300);
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
  gate_rig_open(&rig, &one_source);
  gate_judge_init(&judge, rig.robot.model, &one_source);
  const sn_gate_command *command = go_to(&rig, &judge, GATE_SHOULDER, 2.0, 200);
  const double before = command->q[GATE_SHOULDER];
  command = step_judged(&rig, &judge, 300 * MS);
  assert_true(command->q[GATE_SHOULDER] - before <= 3.0 * 0.02 + 1e-12);
  command = step_judged(&rig, &judge, 0); /* twice at the same time, and backwards */
  const double q = command->q[GATE_SHOULDER];
  command = gate_rig_step(&rig, -5 * MS);
  assert_true(command->q[GATE_SHOULDER] == q);
  gate_rig_close(&rig);
}

/* ---- emergency stop ---- */

SN_TEST(emergency_stop_brakes_at_the_limit_and_stays) {
  gate_rig rig;
  gate_judge judge;
  gate_rig_open(&rig, &one_source);
  gate_judge_init(&judge, rig.robot.model, &one_source);
  const sn_gate_command *command = go_to(&rig, &judge, GATE_SHOULDER, 2.0, 300);
  const double q = command->q[GATE_SHOULDER];
  const double qd = command->qd[GATE_SHOULDER];
  assert_true(qd > 2.9);
  sn__gate_stop(rig.gate, "operator", "the cat", rig.now_ns);
  assert_int_equal(sn__gate_resume(rig.gate, "operator", rig.now_ns), SN_EBUSY);
  int cycles = 0;
  while (!sn__gate_is_at_rest(rig.gate)) {
    command = go_to(&rig, &judge, GATE_SHOULDER, 2.0, 1);
    cycles++;
  }
  const double brake = 3.0 / 0.1;
  assert_in_range(cycles, qd / brake * 1e3 - 1e-9, qd / brake * 1e3 + 1.0 + 1e-9);
  assert_true(command->q[GATE_SHOULDER] - q <= qd * qd / (2.0 * brake));
  command = go_to(&rig, &judge, GATE_SHOULDER, 2.0, 2000);
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
  gate_rig_open(&rig, &one_source);
  gate_judge_init(&judge, rig.robot.model, &one_source);
  (void)go_to(&rig, &judge, GATE_SHOULDER, 2.0, 100);
  assert_int_equal(sn__gate_resume(rig.gate, "me", rig.now_ns), SN_EINVAL); /* not stopped */
  sn__gate_stop(rig.gate, NULL, NULL, rig.now_ns);
  const sn_gate_command *command = go_to(&rig, &judge, GATE_SHOULDER, 2.0, 200);
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
    command = step_judged(&rig, &judge, MS);
    assert_true(command->q[joint] == held);
  }
  command = go_to(&rig, &judge, joint, 2.0, 3000);
  sn_assert_near(command->q[joint], 2.0, 1e-12);
  gate_rig_close(&rig);
}

/* ---- start ---- */

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

SN_TEST(after_a_restart_the_last_command_is_held) {
  gate_rig rig;
  gate_judge judge;
  gate_rig_open(&rig, &one_source);
  gate_judge_init(&judge, rig.robot.model, &one_source);
  const sn_gate_command *command = go_to(&rig, &judge, GATE_SHOULDER, 2.0, 200);
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
  gate_rig_open(&rig, &one_source);
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
  assert_int_equal(sn__gate_create(&arena, rig.robot.model, &one_source, &gate, &err), SN_ENOMEM);
  sn_assert_contains(err.message, "little");
  gate_rig_close(&rig);
}

SN_TEST(a_cycle_does_not_touch_the_heap) {
  gate_rig rig;
  gate_rig_open(&rig, &one_source);
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
