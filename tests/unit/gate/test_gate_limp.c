/* Joints that become limp, and are taken back. */
#include <math.h>
#include <string.h>

#include "gate_rig.h"
#include "sn_test.h"

enum { MS = 1000000 };

typedef struct bench {
  gate_rig rig;
  gate_judge judge;
  sn_joint_state *measured;
  const sn_gate_command *command;
} bench;

static void bench_open(bench *b, const sn_gate_config *config) {
  gate_rig_open(&b->rig, config);
  gate_judge_init(&b->judge, b->rig.robot.model, config);
  b->measured = sn_msg_create(&b->rig.arena, &sn_joint_state_type, NULL);
}

static void bench_close(bench *b) {
  gate_rig_close(&b->rig);
}

static sn_status let_go(bench *b, size_t source, int joint, bool limp) {
  const char *name = sn_names_at(sn_model_joint_names(b->rig.robot.model), (size_t)joint);
  sn_msg_reset(&sn_servo_goal_type, b->rig.goal);
  assert_int_equal(sn_msg_names_add(&b->rig.goal->name, name, strlen(name)), SN_OK);
  b->rig.goal->limp.data[0] = limp;
  b->rig.goal->limp.count = 1;
  return sn__gate_let_go(b->rig.gate, source, b->rig.goal, b->rig.now_ns);
}

static void measure(bench *b, int joint, double q, double qd) {
  const char *name = sn_names_at(sn_model_joint_names(b->rig.robot.model), (size_t)joint);
  sn_msg_reset(&sn_joint_state_type, b->measured);
  assert_int_equal(sn_msg_names_add(&b->measured->name, name, strlen(name)), SN_OK);
  b->measured->position.data[0] = q;
  b->measured->velocity.data[0] = qd;
  b->measured->position.count = b->measured->velocity.count = 1;
  assert_int_equal(sn__gate_measure(b->rig.gate, b->measured, b->rig.now_ns), SN_OK);
}

/* One millisecond later, checked against the limits. */
static void step(bench *b) {
  b->command = gate_rig_step(&b->rig, MS);
  const char *trouble = gate_judge_look(&b->judge, b->command, b->rig.now_ns);
  if (trouble != NULL) {
    fail_msg("%s", trouble);
  }
}

static size_t count_events(bench *b, sn_gate_reason reason) {
  size_t count = 0;
  sn_gate_event event;
  while (sn__gate_next_event(b->rig.gate, &event)) {
    count += event.reason == reason;
  }
  return count;
}

SN_TEST(command_of_a_limp_joint_is_where_it_is_measured) {
  bench b;
  bench_open(&b, &(sn_gate_config){.source_count = 1});
  step(&b);
  for (int k = 1; k <= 100; k++) {
    assert_int_equal(let_go(&b, 0, GATE_SHOULDER, true), SN_OK);
    measure(&b, GATE_SHOULDER, 0.01 * k, 10.0); /* faster than it could be commanded */
    step(&b);
    sn_assert_near(b.command->q[GATE_SHOULDER], 0.01 * k, 0.0);
    assert_true(b.command->limp[GATE_SHOULDER]);
    assert_false(b.command->limp[GATE_ELBOW]);
    sn_assert_near(b.command->q[GATE_ELBOW], 0.0, 0.0);
    assert_true(fabs(b.command->qd[GATE_SHOULDER]) <= 3.0);
  }
  assert_true(sn__gate_has_limp(b.rig.gate));
  assert_true(sn__gate_is_at_rest(b.rig.gate)); /* it is not commanded */
  bench_close(&b);
}

SN_TEST(limp_joint_outside_of_its_limits_is_commanded_to_the_nearest_inside) {
  bench b;
  bench_open(&b, &(sn_gate_config){.source_count = 1});
  step(&b);
  (void)let_go(&b, 0, GATE_SHOULDER, true);
  measure(&b, GATE_SHOULDER, 2.5, 1.0);
  step(&b);
  sn_assert_near(b.command->q[GATE_SHOULDER], 2.0, 0.0);
  sn_assert_near(b.command->qd[GATE_SHOULDER], 0.0, 0.0); /* it could not stop any more */
  bench_close(&b);
}

SN_TEST(mimics_are_limp_with_their_master) {
  bench b;
  bench_open(&b, &(sn_gate_config){.source_count = 1});
  step(&b);
  (void)let_go(&b, 0, GATE_SLIDE, true);
  measure(&b, GATE_SLIDE, 0.2, 0.0);
  step(&b);
  assert_true(b.command->limp[GATE_FINGER]);
  assert_true(b.command->limp[GATE_THUMB]);
  sn_assert_near(b.command->q[GATE_FINGER], 0.5 - 2.0 * 0.2, 1e-15);
  bench_close(&b);
}

/* However often the sensor comes round, the command goes the way that the joint went. */
SN_TEST(limp_joint_that_turns_is_followed_without_a_jump) {
  bench b;
  bench_open(&b, &(sn_gate_config){.source_count = 1});
  step(&b);
  double turned = 0.0;
  for (int k = 0; k < 1000; k++) {
    turned += 0.05;
    (void)let_go(&b, 0, GATE_WHEEL, true);
    measure(&b, GATE_WHEEL, remainder(turned, 6.283185307179586), 0.0);
    step(&b);
    sn_assert_near(b.command->q[GATE_WHEEL], turned, 1e-9);
  }
  bench_close(&b);
}

SN_TEST(without_a_measured_position_the_last_command_is_held) {
  bench b;
  bench_open(&b, &(sn_gate_config){.source_count = 1});
  for (int k = 0; k < 500; k++) {
    (void)gate_rig_take(&b.rig, 0, GATE_SHOULDER, 1.0);
    step(&b);
  }
  sn_assert_near(b.command->q[GATE_SHOULDER], 1.0, 0.0);
  for (int k = 0; k < 3000; k++) {
    (void)let_go(&b, 0, GATE_SHOULDER, true);
    step(&b);
    assert_true(b.command->limp[GATE_SHOULDER]);
    sn_assert_near(b.command->q[GATE_SHOULDER], 1.0, 0.0);
  }
  assert_int_equal(count_events(&b, SN_GATE_BLIND), 1); /* reported once, not every second */
  /* Measured, and then never again: where it was seen last is held. */
  measure(&b, GATE_SHOULDER, 0.5, 0.0);
  for (int k = 0; k < 3000; k++) {
    (void)let_go(&b, 0, GATE_SHOULDER, true);
    step(&b);
    sn_assert_near(b.command->q[GATE_SHOULDER], 0.5, 0.0);
  }
  assert_int_equal(count_events(&b, SN_GATE_BLIND), 1);
  bench_close(&b);
}

SN_TEST(only_the_owner_makes_joints_limp_and_bad_messages_are_refused) {
  bench b;
  bench_open(&b, &(sn_gate_config){.source_count = 2});
  step(&b);
  assert_int_equal(let_go(&b, 1, GATE_SHOULDER, true), SN_OK);
  step(&b);
  assert_false(b.command->limp[GATE_SHOULDER]);
  assert_int_equal(sn__gate_source_counts(b.rig.gate, 1)->reasons[SN_GATE_NOT_OWNER], 1);
  (void)let_go(&b, 0, GATE_SHOULDER, true);
  b.rig.goal->limp.count = 2; /* more flags than names */
  assert_int_equal(sn__gate_let_go(b.rig.gate, 0, b.rig.goal, b.rig.now_ns), SN_EINVAL);
  assert_int_equal(sn_msg_names_add(&b.rig.goal->name, "shoulder", 8), SN_OK);
  assert_int_equal(sn__gate_let_go(b.rig.gate, 0, b.rig.goal, b.rig.now_ns), SN_EINVAL);
  assert_int_equal(sn__gate_source_counts(b.rig.gate, 0)->reasons[SN_GATE_LENGTHS], 1);
  assert_int_equal(sn__gate_source_counts(b.rig.gate, 0)->reasons[SN_GATE_DUPLICATE], 1);
  assert_int_equal(let_go(&b, 0, GATE_STUCK, true), SN_OK);
  step(&b);
  assert_false(b.command->limp[GATE_STUCK]);
  bench_close(&b);
}

SN_TEST(last_message_of_the_owner_counts) {
  bench b;
  bench_open(&b, &(sn_gate_config){.source_count = 1});
  step(&b);
  (void)let_go(&b, 0, GATE_SHOULDER, true);
  (void)gate_rig_take(&b.rig, 0, GATE_SHOULDER, 1.0);
  step(&b);
  assert_false(b.command->limp[GATE_SHOULDER]);
  (void)gate_rig_take(&b.rig, 0, GATE_SHOULDER, 1.0);
  (void)let_go(&b, 0, GATE_SHOULDER, true);
  step(&b);
  assert_true(b.command->limp[GATE_SHOULDER]);
  (void)let_go(&b, 0, GATE_SHOULDER, false);
  step(&b);
  assert_false(b.command->limp[GATE_SHOULDER]);
  /* "Not limp" is not a reference: it removes none. */
  for (int k = 0; k < 300; k++) {
    (void)gate_rig_take(&b.rig, 0, GATE_SHOULDER, 1.0);
    (void)let_go(&b, 0, GATE_SHOULDER, false);
    step(&b);
  }
  assert_true(b.command->q[GATE_SHOULDER] > 0.1);
  bench_close(&b);
}

SN_TEST(joint_of_an_owner_that_falls_silent_or_stops_is_held_where_it_is) {
  bench b;
  bench_open(&b, &(sn_gate_config){.source_count = 2});
  step(&b);
  (void)let_go(&b, 0, GATE_SHOULDER, true);
  for (int k = 0; k < 499; k++) {
    measure(&b, GATE_SHOULDER, 0.7, 0.0);
    step(&b);
    assert_true(b.command->limp[GATE_SHOULDER]);
  }
  for (int k = 0; k < 10; k++) {
    step(&b);
  }
  assert_false(b.command->limp[GATE_SHOULDER]);
  sn_assert_near(b.command->q[GATE_SHOULDER], 0.7, 0.0);
  (void)let_go(&b, 0, GATE_SHOULDER, true);
  step(&b);
  assert_true(b.command->limp[GATE_SHOULDER]);
  int owners[GATE_JOINTS] = {0};
  owners[GATE_SHOULDER] = 1;
  sn__gate_own(b.rig.gate, owners, b.rig.now_ns);
  step(&b);
  assert_false(b.command->limp[GATE_SHOULDER]); /* the next one has not asked for that */
  bench_close(&b);
}

/* A hand may be in it. */
SN_TEST(emergency_stop_keeps_limp_joints_limp) {
  bench b;
  bench_open(&b, &(sn_gate_config){.source_count = 1});
  step(&b);
  (void)let_go(&b, 0, GATE_SHOULDER, true);
  step(&b);
  sn__gate_stop(b.rig.gate, "test", "", b.rig.now_ns);
  for (int k = 0; k < 2000; k++) {
    measure(&b, GATE_SHOULDER, 1e-4 * k, 0.1);
    step(&b);
    assert_true(b.command->limp[GATE_SHOULDER]);
    assert_false(b.command->limp[GATE_ELBOW]);
    sn_assert_near(b.command->q[GATE_SHOULDER], 1e-4 * k, 0.0);
  }
  assert_int_equal(sn__gate_resume(b.rig.gate, "test", b.rig.now_ns), SN_OK);
  step(&b);
  assert_false(b.command->limp[GATE_SHOULDER]); /* until its owner repeats it */
  bench_close(&b);
}

SN_TEST(emergency_stop_may_make_everything_limp) {
  bench b;
  bench_open(&b, &(sn_gate_config){.source_count = 1, .stop_limp = true});
  for (int k = 0; k < 100; k++) {
    (void)gate_rig_take(&b.rig, 0, GATE_SHOULDER, 1.0);
    step(&b);
    assert_false(sn__gate_has_limp(b.rig.gate));
  }
  sn__gate_stop(b.rig.gate, "test", "", b.rig.now_ns);
  step(&b);
  for (int i = 0; i < GATE_STUCK; i++) {
    assert_true(b.command->limp[i]);
  }
  /* The arm still swings: resume is allowed, and it brakes from there. */
  measure(&b, GATE_SHOULDER, 0.5, 2.0);
  step(&b);
  sn_assert_near(b.command->qd[GATE_SHOULDER], 2.0, 0.0);
  assert_int_equal(sn__gate_resume(b.rig.gate, "test", b.rig.now_ns), SN_OK);
  for (int k = 0; k < 200; k++) {
    step(&b);
    assert_false(sn__gate_has_limp(b.rig.gate));
  }
  /* 2 rad/s at 30 rad/s^2, in steps of 1 ms, each with the velocity of its end. */
  sn_assert_near(b.command->q[GATE_SHOULDER], 0.5 + 2.0 * 2.0 / 60.0 - 0.5 * 2.0 * 1e-3, 1e-3);
  sn__gate_stop(b.rig.gate, "test", "", b.rig.now_ns);
  sn__gate_set_stop_limp(b.rig.gate, false);
  step(&b);
  assert_false(sn__gate_has_limp(b.rig.gate));
  bench_close(&b);
}

/* Whatever happens: what is not limp keeps every limit, from the place where it became limp or
   moved to. */
SN_TEST(random_hand_overs_of_limp_joints_never_jump) {
  const uint64_t seed = 41;
  sn_random random;
  sn_random_init(&random, seed);
  bench b;
  bench_open(&b, &(sn_gate_config){.source_count = 2});
  int owners[GATE_JOINTS] = {0};
  size_t limp = 0;
  for (size_t k = 0; k < sn_test_cases(100000); k++) {
    const int joint = (int)sn_random_below(&random, GATE_JOINTS);
    const size_t source = sn_random_below(&random, 2);
    switch (sn_random_below(&random, 8)) {
      case 0:
        owners[joint] = (int)sn_random_below(&random, 3) - 1;
        sn__gate_own(b.rig.gate, owners, b.rig.now_ns);
        break;
      case 1:
        (void)gate_rig_take(&b.rig, source, joint, sn_random_between(&random, -3.0, 3.0));
        break;
      case 2:
      case 3:
        (void)let_go(&b, source, joint, sn_random_below(&random, 4) > 0);
        break;
      case 4:
        measure(&b, joint, sn_random_between(&random, -5.0, 5.0),
                sn_random_between(&random, -20.0, 20.0));
        break;
      case 5:
        if (sn_random_below(&random, 50) == 0) {
          sn__gate_stop(b.rig.gate, "random", "", b.rig.now_ns);
          sn__gate_set_stop_limp(b.rig.gate, sn_random_below(&random, 2) == 0);
        }
        (void)sn__gate_resume(b.rig.gate, "random", b.rig.now_ns);
        break;
      default:
        step(&b);
        limp += sn__gate_has_limp(b.rig.gate);
        break;
    }
  }
  assert_true(limp > 1000); /* it was about something */
  bench_close(&b);
}
