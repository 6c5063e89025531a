/* Bad input: refused, counted, reported once a second, and nothing moves. */
#include "gate_rig.h"
#include "sn_test.h"

enum { MS = 1000000 };

static const sn_gate_config two_sources = {.source_count = 2};

static sn_gate_event event_of(gate_rig *rig, sn_gate_reason reason) {
  sn_gate_event event = {.reason = SN_GATE_REASON_COUNT};
  sn_gate_event next;
  while (sn__gate_next_event(rig->gate, &next)) {
    event = next.reason == reason ? next : event;
  }
  assert_int_equal(event.reason, reason);
  return event;
}

/* A good message about two joints, to be spoilt. */
static void say_two(gate_rig *rig) {
  const int joints[] = {GATE_SHOULDER, GATE_ELBOW};
  const double goal[] = {1.0, 0.3};
  gate_rig_say(rig, 2, joints, goal);
  rig->msg->velocity.count = rig->msg->effort.count = 2;
}

/* The message as it is now is refused whole for this reason. */
static void assert_refused(gate_rig *rig, sn_gate_reason reason) {
  const uint64_t before = sn__gate_source_counts(rig->gate, 0)->reasons[reason];
  const uint64_t taken = sn__gate_source_counts(rig->gate, 0)->taken;
  assert_int_equal(sn__gate_take(rig->gate, 0, rig->msg, rig->now_ns), SN_EINVAL);
  assert_int_equal(sn__gate_source_counts(rig->gate, 0)->reasons[reason], before + 1);
  assert_int_equal(sn__gate_source_counts(rig->gate, 0)->taken, taken);
  const sn_gate_command *command = gate_rig_step(rig, MS);
  for (size_t i = 0; i < GATE_JOINTS; i++) {
    assert_true(command->qd[i] == 0.0);
  }
}

SN_TEST(message_whose_lengths_differ_is_refused_whole) {
  gate_rig rig;
  gate_rig_open(&rig, &two_sources);
  size_t *const counts[] = {&rig.msg->position.count, &rig.msg->velocity.count,
                            &rig.msg->effort.count};
  for (size_t i = 0; i < 3; i++) {
    const size_t wrong[] = {1, 3};
    for (size_t k = 0; k < 2; k++) {
      say_two(&rig);
      *counts[i] = wrong[k];
      assert_refused(&rig, SN_GATE_LENGTHS);
    }
  }
  say_two(&rig);
  rig.msg->position.count = 0; /* velocities without positions are refused */
  assert_refused(&rig, SN_GATE_LENGTHS);
  const sn_gate_event event = event_of(&rig, SN_GATE_LENGTHS);
  assert_int_equal(event.source, 0);
  sn_msg_reset(&sn_joint_state_type, rig.msg);
  assert_int_equal(sn__gate_take(rig.gate, 0, rig.msg, rig.now_ns),
                   SN_OK); /* an empty message is valid */
  gate_rig_close(&rig);
}

SN_TEST(message_with_a_number_that_is_not_finite_is_refused) {
  gate_rig rig;
  gate_rig_open(&rig, &two_sources);
  double *const lists[] = {rig.msg->position.data, rig.msg->velocity.data, rig.msg->effort.data};
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (size_t i = 0; i < 3; i++) {
    for (size_t k = 0; k < 3; k++) {
      say_two(&rig);
      lists[i][1] = bad[k];
      assert_refused(&rig, SN_GATE_NOT_FINITE);
    }
  }
  assert_int_equal(event_of(&rig, SN_GATE_NOT_FINITE).joint, GATE_ELBOW);
  gate_rig_close(&rig);
}

SN_TEST(message_with_a_joint_twice_is_refused) {
  gate_rig rig;
  gate_rig_open(&rig, &two_sources);
  const int joints[] = {GATE_SHOULDER, GATE_ELBOW, GATE_SHOULDER};
  const double goal[] = {1.0, 0.2, 1.0};
  gate_rig_say(&rig, 3, joints, goal);
  assert_refused(&rig, SN_GATE_DUPLICATE);
  assert_int_equal(event_of(&rig, SN_GATE_DUPLICATE).joint, GATE_SHOULDER);
  gate_rig_close(&rig);
}

SN_TEST(unknown_joint_is_named_and_the_others_are_taken) {
  gate_rig rig;
  gate_rig_open(&rig, &two_sources);
  const int joint = GATE_SHOULDER;
  const double goal = 1.0;
  gate_rig_say(&rig, 1, &joint, &goal);
  assert_int_equal(sn_msg_names_add(&rig.msg->name, "wing\x1b[31m", 9), SN_OK);
  rig.msg->position.data[rig.msg->position.count++] = 5.0;
  assert_int_equal(sn__gate_take(rig.gate, 0, rig.msg, rig.now_ns), SN_OK);
  (void)gate_rig_step(&rig, MS);
  assert_true(gate_rig_step(&rig, MS)->q[joint] > 0.0);
  const sn_gate_event event = event_of(&rig, SN_GATE_UNKNOWN);
  assert_string_equal(event.name, "wing\\x1b[31m");
  assert_int_equal(event.joint, -1);
  gate_rig_close(&rig);
}

SN_TEST(reference_far_outside_is_clamped_and_logged) {
  gate_rig rig;
  gate_judge judge;
  gate_rig_open(&rig, &two_sources);
  gate_judge_init(&judge, rig.robot.model, &two_sources);
  const double far[] = {1e3, -1e300, 1e300};
  const double end[] = {2.0, -1.0, 2.0};
  for (size_t i = 0; i < 3; i++) {
    for (int k = 0; k < 2000; k++) {
      assert_int_equal(gate_rig_take(&rig, 0, GATE_SHOULDER, far[i]), SN_OK);
      assert_int_equal(gate_rig_take(&rig, 0, GATE_WHEEL, far[i]), SN_OK);
      const sn_gate_command *command = gate_rig_step(&rig, MS);
      const char *trouble = gate_judge_look(&judge, command, rig.now_ns);
      if (trouble != NULL) {
        fail_msg("%s", trouble);
      }
    }
    assert_true(judge.q[GATE_SHOULDER] == end[i]);
    const sn_gate_event event = event_of(&rig, SN_GATE_CLAMPED);
    assert_int_equal(event.joint, GATE_SHOULDER);
    assert_true(event.value == far[i]);
    assert_true(event.count > 900);
  }
  gate_rig_close(&rig);
}

SN_TEST(stamps_that_go_back_or_far_ahead_are_refused) {
  gate_rig rig;
  gate_rig_open(&rig, &two_sources);
  const int joint = GATE_SHOULDER;
  const double here = 0.0;
  rig.now_ns += 10000 * (int64_t)MS;
  (void)gate_rig_step(&rig, 0);
  gate_rig_say(&rig, 1, &joint, &here);
  const int64_t now_ns = rig.now_ns;
  const struct {
    int64_t stamp_ns;
    sn_status status;
  } cases[] = {
      {now_ns - 100 * MS, SN_OK},
      {now_ns - 101 * MS, SN_EINVAL},
      {now_ns - 100 * MS, SN_OK}, /* the other half of a message */
      {now_ns - 50 * MS, SN_OK},
      {now_ns - 100 * MS, SN_EINVAL},
      {0, SN_OK}, /* states nothing, and resets nothing */
      {now_ns - 51 * MS, SN_EINVAL},
      {now_ns + 501 * MS, SN_EINVAL},
      {INT64_MAX, SN_EINVAL},
      {INT64_MIN, SN_EINVAL},
      {-1, SN_EINVAL},
      {now_ns, SN_OK},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    rig.msg->header.stamp_ns = cases[i].stamp_ns;
    assert_int_equal(sn__gate_take(rig.gate, 0, rig.msg, now_ns), cases[i].status);
  }
  assert_int_equal(sn__gate_source_counts(rig.gate, 0)->reasons[SN_GATE_OLD], 5);
  assert_int_equal(sn__gate_source_counts(rig.gate, 0)->reasons[SN_GATE_FUTURE], 2);
  rig.msg->header.stamp_ns = now_ns - 100 * MS; /* each source on its own */
  assert_int_equal(sn__gate_take(rig.gate, 1, rig.msg, now_ns), SN_OK);
  gate_rig_close(&rig);
}

SN_TEST(reference_is_as_old_as_its_stamp) {
  gate_rig rig;
  gate_rig_open(&rig, &two_sources);
  const int joint = GATE_SPINNER;
  const double goal = 3.0;
  rig.now_ns += 1000 * (int64_t)MS;
  rig.owners[joint] = 1;
  sn__gate_own(rig.gate, rig.owners, rig.now_ns - 900 * (int64_t)MS);
  gate_rig_say(&rig, 1, &joint, &goal);
  rig.msg->header.stamp_ns = rig.now_ns - 400 * MS;
  assert_int_equal(sn__gate_take(rig.gate, 1, rig.msg, rig.now_ns), SN_OK);
  const uint64_t *silent = &sn__gate_joint_counts(rig.gate, (size_t)joint)->reasons[SN_GATE_SILENT];
  (void)gate_rig_step(&rig, 100 * MS);
  assert_int_equal(*silent, 0);
  (void)gate_rig_step(&rig, MS);
  assert_int_equal(*silent, 1);
  gate_rig_close(&rig);
}

SN_TEST(events_come_once_a_second_for_each_reason_and_source) {
  gate_rig rig;
  gate_rig_open(&rig, &two_sources);
  size_t logged[2][SN_GATE_REASON_COUNT] = {{0}};
  uint64_t count[2] = {0};
  for (int k = 0; k < 10000; k++) { /* ten seconds */
    for (size_t s = 0; s < 2; s++) {
      (void)gate_rig_take(&rig, s, GATE_SHOULDER, NAN);
      (void)gate_rig_take(&rig, s, GATE_ELBOW, 3.0);
    }
    (void)gate_rig_step(&rig, MS);
    sn_gate_event event;
    while (sn__gate_next_event(rig.gate, &event)) {
      if (event.source >= 0) {
        logged[event.source][event.reason]++;
        count[event.source] += event.reason == SN_GATE_NOT_FINITE ? event.count : 0;
      }
    }
  }
  for (size_t s = 0; s < 2; s++) {
    assert_int_equal(logged[s][SN_GATE_NOT_FINITE], 10);
    assert_int_equal(count[s], 9001); /* what arrived after the last event is not reported yet */
  }
  assert_int_equal(logged[0][SN_GATE_CLAMPED], 10);
  assert_int_equal(logged[1][SN_GATE_NOT_OWNER], 10);
  gate_rig_close(&rig);
}

SN_TEST(every_reason_has_a_text) {
  for (int i = 0; i < SN_GATE_REASON_COUNT; i++) {
    assert_non_null(sn__gate_reason_text((sn_gate_reason)i));
    assert_string_not_equal(sn__gate_reason_text((sn_gate_reason)i), "unknown reason");
  }
  assert_string_equal(sn__gate_reason_text(SN_GATE_REASON_COUNT), "unknown reason");
}

/* ---- anything at all ---- */

static double any_number(sn_random *random) {
  static const double odd[] = {
      NAN,    INFINITY,          -INFINITY,          0.0, -0.0, 1e308, -1e308,
      1e-308, 3.141592653589793, -3.141592653589793, 1e9, -1e9};
  const uint64_t kind = sn_random_below(random, 40);
  if (kind < 2) {
    return odd[sn_random_below(random, sizeof odd / sizeof *odd)];
  }
  if (kind < 20) {
    return sn_random_normal(random);
  }
  return sn_random_normal(random) * exp(sn_random_between(random, -3.0, 6.0));
}

static void any_message(gate_rig *rig, sn_random *random) {
  sn_joint_state *msg = rig->msg;
  const size_t count = sn_random_below(random, GATE_JOINTS + 2);
  const sn_names *names = sn_model_joint_names(rig->robot.model);
  sn_msg_reset(&sn_joint_state_type, msg);
  if (sn_random_below(random, 4) == 0) {
    sn_msg_names_share(&msg->name, names);
  } else {
    const size_t first = sn_random_below(random, GATE_JOINTS);
    for (size_t i = 0; i < count; i++) {
      const size_t joint = sn_random_below(random, 30) == 0 ? sn_random_below(random, GATE_JOINTS)
                                                            : (first + i) % GATE_JOINTS;
      const char *name = sn_random_below(random, 30) == 0 ? "none" : sn_names_at(names, joint);
      (void)sn_msg_names_add(&msg->name, name, strlen(name));
    }
  }
  sn_seq_f64 *const lists[] = {&msg->position, &msg->velocity, &msg->effort};
  for (size_t l = 0; l < 3; l++) {
    const bool is_there = l == 0 || sn_random_below(random, 2) == 0;
    lists[l]->count = is_there ? msg->name.count : 0;
    if (sn_random_below(random, 40) == 0) {
      lists[l]->count = sn_random_below(random, 20);
    }
    const bool is_plain = sn_random_below(random, 4) != 0;
    for (size_t i = 0; i < lists[l]->count; i++) {
      lists[l]->data[i] = is_plain ? sn_random_normal(random) : any_number(random);
    }
  }
  const uint64_t stamp = sn_random_below(random, 6);
  msg->header.stamp_ns = stamp < 2   ? 0
                         : stamp < 5 ? rig->now_ns - (int64_t)sn_random_below(random, 30 * MS)
                                     : (int64_t)sn_random_bits(random);
}

/* Joints become limp, and are pushed back and forth. */
static void any_limp(gate_rig *rig, sn_random *random) {
  sn_servo_goal *goal = rig->goal;
  sn_msg_reset(&sn_servo_goal_type, goal);
  any_message(rig, random); /* for its names and its stamp */
  (void)sn_msg_names_copy(&goal->name, &rig->msg->name);
  goal->header.stamp_ns = rig->msg->header.stamp_ns;
  goal->limp.count = sn_random_below(random, 20) == 0 ? 3 : goal->name.count;
  for (size_t i = 0; i < goal->limp.count; i++) {
    goal->limp.data[i] = sn_random_below(random, 3) > 0;
  }
  (void)sn__gate_let_go(rig->gate, sn_random_below(random, 2), goal, rig->now_ns);
}

static void any_event(gate_rig *rig, sn_random *random) {
  switch (sn_random_below(random, 60)) {
    case 0:
      sn__gate_stop(rig->gate, "fuzz", "because", rig->now_ns);
      break;
    case 1:
    case 2:
    case 3:
      (void)sn__gate_resume(rig->gate, "fuzz", rig->now_ns);
      break;
    case 4:
      sn__gate_lose(rig->gate, sn_random_below(random, 2), rig->now_ns);
      break;
    case 5:
    case 6:
      for (size_t j = 0; j < GATE_JOINTS; j++) {
        rig->owners[j] =
            sn_random_below(random, 8) == 0 ? (int)sn_random_below(random, 3) - 1 : rig->owners[j];
      }
      sn__gate_own(rig->gate, rig->owners, rig->now_ns);
      break;
    case 7:
    case 8:
    case 9:
      any_limp(rig, random);
      break;
    case 10:
    case 11:
    case 12:
      any_message(rig, random);
      (void)sn__gate_measure(rig->gate, rig->msg, rig->now_ns);
      break;
    case 13:
      sn__gate_set_stop_limp(rig->gate, sn_random_below(random, 2) == 0);
      break;
    default:
      break;
  }
}

static int64_t any_period_ns(sn_random *random, int64_t usual_ns) {
  const uint64_t kind = sn_random_below(random, 30);
  return kind == 0   ? (int64_t)sn_random_below(random, 800 * MS)
         : kind == 1 ? 0
         : kind < 8  ? 10000 + (int64_t)sn_random_below(random, 5 * MS)
                     : usual_ns;
}

/* SINEW_TEST_SCALE=20 makes ten million messages of it. */
SN_TEST(whatever_comes_in_nothing_unsafe_goes_out) {
  const size_t cases = sn_test_cases(250);
  size_t messages = 0;
  size_t moved = 0;
  for (size_t c = 0; c < cases; c++) {
    sn_random random;
    sn_random_init(&random, c);
    const sn_gate_config config = {
        .source_count = 2,
        .acceleration_time_s = c % 3 == 0 ? 0.0 : exp(sn_random_between(&random, -6.0, 1.0)),
        .velocity_default = c % 2 == 0 ? 0.0 : exp(sn_random_between(&random, -3.0, 4.0))};
    gate_rig rig;
    gate_judge judge;
    gate_rig_open(&rig, &config);
    gate_judge_init(&judge, rig.robot.model, &config);
    for (int k = 0; k < 1000; k++) {
      const uint64_t burst = sn_random_below(&random, 5);
      for (uint64_t b = 0; b < burst; b++) {
        any_message(&rig, &random);
        (void)sn__gate_take(rig.gate, sn_random_below(&random, 2), rig.msg, rig.now_ns);
        messages++;
      }
      any_event(&rig, &random);
      const sn_gate_command *command = gate_rig_step(&rig, any_period_ns(&random, MS));
      const char *trouble = gate_judge_look(&judge, command, rig.now_ns);
      if (trouble != NULL) {
        fail_msg("case %zu, cycle %d: %s", c, k, trouble);
      }
      moved += sn__gate_is_at_rest(rig.gate) ? 0 : 1;
    }
    gate_rig_close(&rig);
  }
  assert_true(messages > cases * 1900);
  assert_true(moved > cases * 500); /* it was no test of standing still */
}
