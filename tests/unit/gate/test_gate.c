/* What the gate does with good references: limits, hand-over, watchdog, emergency stop. */
#include "gate_case.h"
#include "sn_test.h"

SN_TEST(first_command_is_the_start_pose_within_limits) {
  gate_rig rig;
  gate_rig_open(&rig, &gate_case_one_source);
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
  gate_rig_open(&rig, &gate_case_one_source);
  gate_judge_init(&judge, rig.robot.model, &gate_case_one_source);
  const int joints[] = {GATE_SLIDE, GATE_SHOULDER, GATE_SPINNER,
                        GATE_ELBOW, GATE_WHEEL,    GATE_STUCK};
  const double goal[] = {0.34, 1.9, 1.0, -0.5, 2.0, 0.5};
  const sn_gate_command *command = NULL;
  for (int k = 0; k < 3000; k++) {
    gate_rig_say(&rig, 6, joints, goal);
    assert_int_equal(sn__gate_take(rig.gate, 0, rig.msg, rig.now_ns), SN_OK);
    command = gate_case_step_judged(&rig, &judge, MS);
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
  static const char *const robots[] = {"quadruped", "arm6", "arm7", "arm_ur", "desk_arm"};
  for (size_t r = 0; r < 5; r++) {
    sn_test_robot robot;
    sn_arena arena;
    sn_test_robot_load(&robot, robots[r]);
    sn_arena_init_growing(&arena, "gate", 0);
    sn_gate *gate = NULL;
    assert_int_equal(sn__gate_create(&arena, robot.model, &gate_case_one_source, &gate, NULL),
                     SN_OK);
    const size_t n = sn_model_pose_size(robot.model);
    const int owners[64] = {0};
    sn__gate_own(gate, owners, 0);
    sn_joint_state *msg = sn_msg_create(&arena, &sn_joint_state_type, NULL);
    sn_msg_names_share(&msg->name, sn_model_joint_names(robot.model));
    msg->position.count = n;
    gate_judge judge;
    gate_judge_init(&judge, robot.model, &gate_case_one_source);
    sn_random random;
    sn_random_init(&random, r);
    for (int64_t k = 1; k < 3000; k++) {
      for (size_t i = 0; i < n; i++) {
        if (sn_random_below(&random, 300) == 0) {
          msg->position.data[i] = sn_random_normal(&random) * 2.0;
        }
      }
      assert_int_equal(sn__gate_take(gate, 0, msg, k * MS), SN_OK);
      gate_case_assert_judged(&judge, sn__gate_step(gate, k * MS), k * MS);
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
  gate_rig_open(&rig, &gate_case_one_source);
  gate_judge_init(&judge, rig.robot.model, &gate_case_one_source);
  for (int k = 0; k < 10000; k++) {
    const double t_s = 1e-3 * k;
    const double q = 0.4 * sin(2.0 * t_s) * (1.0 - exp(-t_s));
    const double qd = 0.8 * cos(2.0 * t_s) * (1.0 - exp(-t_s)) + 0.4 * sin(2.0 * t_s) * exp(-t_s);
    const int joint = GATE_SHOULDER;
    gate_rig_say(&rig, 1, &joint, &q);
    rig.msg->velocity.count = 1;
    rig.msg->velocity.data[0] = qd;
    assert_int_equal(sn__gate_take(rig.gate, 0, rig.msg, rig.now_ns), SN_OK);
    const sn_gate_command *command = gate_case_step_judged(&rig, &judge, 0);
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
  gate_rig_open(&rig, &gate_case_one_source);
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
  gate_rig_open(&rig, &gate_case_one_source);
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
    const sn_gate_command *command = gate_case_go_to(&rig, &judge, GATE_WHEEL, to[c], 2000);
    sn_assert_near(command->q[GATE_WHEEL], from[c] + way[c], 1e-12);
    gate_rig_close(&rig);
  }
}

SN_TEST(reference_that_jumps_by_pi_is_followed_within_the_limits) {
  gate_rig rig;
  gate_judge judge;
  gate_rig_open(&rig, &gate_case_one_source);
  gate_judge_init(&judge, rig.robot.model, &gate_case_one_source);
  const double pi = 3.141592653589793;
  for (int k = 0; k < 40; k++) {
    (void)gate_case_go_to(&rig, &judge, GATE_WHEEL, k % 2 == 0 ? 0.1 : 0.1 + pi, 37);
    (void)gate_case_go_to(&rig, &judge, GATE_SHOULDER, k % 2 == 0 ? -0.9 : -0.9 + pi, 41);
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
    gate_rig_open(&rig, &gate_case_one_source);
    gate_judge_init(&judge, rig.robot.model, &gate_case_one_source);
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
      (void)gate_case_step_judged(&rig, &judge, MS);
      phase += 1e-3;
    }
    gate_rig_close(&rig);
  }
}
