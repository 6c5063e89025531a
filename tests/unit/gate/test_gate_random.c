/* Random actions of three sources, compared after each with what gate.h promises (gate_oracle.h):
   statuses, counts, events, limp joints, and the command to the last bit but one. */
#include "gate_oracle.h"
#include "sn_test.h"

enum { MS = 1000000 };

typedef struct bench {
  gate_rig rig;
  gate_oracle oracle;
  sn_random random;
  oracle_message msg;
} bench;

static bool one_in(bench *b, uint64_t n) {
  return sn_random_below(&b->random, n) == 0;
}

/* Within reach of every joint, and now and then beyond its ends. */
static double any_position(bench *b, int joint) {
  const double q = b->oracle.q[joint];
  return one_in(b, 4)   ? sn_random_between(&b->random, -3.0, 9.0)
         : one_in(b, 2) ? q + 1e-3 * sn_random_normal(&b->random)
                        : q;
}

static int64_t any_stamp(bench *b) {
  const int64_t now_ns = b->rig.now_ns;
  switch (sn_random_below(&b->random, 12)) {
    case 0:
      return now_ns - (int64_t)sn_random_below(&b->random, 600 * MS);
    case 1:
      return now_ns + (int64_t)sn_random_below(&b->random, 600 * MS);
    case 2:
      return now_ns - b->oracle.timeout_ns + (int64_t)sn_random_below(&b->random, 3) - 1;
    case 3:
      return now_ns + b->oracle.timeout_ns + (int64_t)sn_random_below(&b->random, 3) - 1;
    case 4:
    case 5:
      return now_ns;
    default:
      return 0;
  }
}

/* Different joints in any order, and perhaps an unknown one. */
static void any_joints(bench *b) {
  oracle_message *msg = &b->msg;
  int order[GATE_JOINTS + 1];
  for (int i = 0; i <= GATE_JOINTS; i++) {
    const int at = (int)sn_random_below(&b->random, (uint64_t)i + 1);
    order[i] = order[at];
    order[at] = i;
  }
  msg->source = (int)sn_random_below(&b->random, ORACLE_SOURCES);
  msg->stamp_ns = any_stamp(b);
  msg->now_ns = b->rig.now_ns;
  msg->count = 1 + sn_random_below(&b->random, GATE_JOINTS);
  const bool spare = !one_in(b, 8); /* the unknown one */
  size_t count = 0;
  for (size_t i = 0; i <= GATE_JOINTS && count < msg->count; i++) {
    if (order[i] < GATE_JOINTS || !spare) {
      msg->joints[count++] = order[i];
    }
  }
  msg->count = count;
}

static const char *name_of(bench *b, int joint) {
  return joint == GATE_JOINTS
             ? "wing"
             : sn_names_at(sn_model_joint_names(b->rig.robot.model), (size_t)joint);
}

static void take(bench *b) {
  oracle_message *msg = &b->msg;
  sn_joint_state *out = b->rig.msg;
  any_joints(b);
  const bool has_qd = one_in(b, 2), has_tau = one_in(b, 3);
  sn_msg_reset(&sn_joint_state_type, out);
  for (size_t i = 0; i < msg->count; i++) {
    const int j = msg->joints[i];
    oracle_word word = {.is_there = true, .has_qd = has_qd, .has_tau = has_tau};
    word.q = j < GATE_JOINTS ? any_position(b, j) : 0.0;
    word.qd = !has_qd ? 0.0 : one_in(b, 2) ? sn_random_normal(&b->random) : 0.0;
    word.tau = has_tau ? 20.0 * sn_random_normal(&b->random) : 0.0;
    msg->words[i] = word;
    assert_int_equal(sn_msg_names_add(&out->name, name_of(b, j), strlen(name_of(b, j))), SN_OK);
    out->position.data[i] = word.q;
    out->velocity.data[i] = word.qd;
    out->effort.data[i] = word.tau;
  }
  out->position.count = msg->count;
  out->velocity.count = has_qd ? msg->count : 0;
  out->effort.count = has_tau ? msg->count : 0;
  out->header.stamp_ns = msg->stamp_ns;
  const sn_status expected = gate_oracle_take(&b->oracle, msg);
  assert_int_equal(sn__gate_take(b->rig.gate, (size_t)msg->source, out, b->rig.now_ns), expected);
}

static void let_go(bench *b) {
  oracle_message *msg = &b->msg;
  sn_servo_goal *out = b->rig.goal;
  any_joints(b);
  const bool has_flags = !one_in(b, 4);
  sn_msg_reset(&sn_servo_goal_type, out);
  for (size_t i = 0; i < msg->count; i++) {
    const bool limp = has_flags && !one_in(b, 3);
    const char *name = name_of(b, msg->joints[i]);
    msg->words[i] = (oracle_word){.is_there = limp, .is_limp = limp};
    assert_int_equal(sn_msg_names_add(&out->name, name, strlen(name)), SN_OK);
    out->limp.data[i] = limp;
  }
  out->limp.count = has_flags ? msg->count : 0;
  out->header.stamp_ns = msg->stamp_ns;
  const sn_status expected = gate_oracle_take(&b->oracle, msg);
  assert_int_equal(sn__gate_let_go(b->rig.gate, (size_t)msg->source, out, b->rig.now_ns), expected);
}

/* Some joints near their commands, and now and then outside of their limits. */
static void measure(bench *b) {
  int joints[GATE_JOINTS];
  double q[GATE_JOINTS], qd[GATE_JOINTS];
  size_t count = 0;
  const bool all = one_in(b, 2), has_qd = one_in(b, 2);
  const double noise = one_in(b, 3) ? 0.1 : 0.01;
  for (int j = 0; j < GATE_JOINTS; j++) {
    if (all || one_in(b, 2)) {
      joints[count] = j;
      q[count] = b->oracle.q[j] + noise * sn_random_normal(&b->random);
      qd[count++] = 0.1 * sn_random_normal(&b->random);
    }
  }
  gate_rig_say(&b->rig, count, joints, q);
  memcpy(b->rig.msg->velocity.data, qd, count * sizeof *qd);
  b->rig.msg->velocity.count = has_qd ? count : 0;
  gate_oracle_measure(&b->oracle, joints, q, has_qd ? qd : NULL, count, b->rig.now_ns);
  assert_int_equal(sn__gate_measure(b->rig.gate, b->rig.msg, b->rig.now_ns), SN_OK);
}

/* More names than numbers: refused whole. */
static void spoil(bench *b) {
  const int joints[] = {GATE_SHOULDER, GATE_ELBOW};
  const double q[] = {0.0, 0.0};
  const int source = (int)sn_random_below(&b->random, ORACLE_SOURCES + 1) - 1;
  gate_rig_say(&b->rig, 2, joints, q);
  b->rig.msg->position.count = 1;
  gate_oracle_refuse(&b->oracle, source, b->rig.now_ns);
  const sn_status status =
      source < 0 ? sn__gate_measure(b->rig.gate, b->rig.msg, b->rig.now_ns)
                 : sn__gate_take(b->rig.gate, (size_t)source, b->rig.msg, b->rig.now_ns);
  assert_int_equal(status, SN_EINVAL);
}

static void own(bench *b) {
  for (size_t j = 0; j < GATE_JOINTS; j++) {
    if (one_in(b, 3)) {
      b->rig.owners[j] = (int)sn_random_below(&b->random, ORACLE_SOURCES + 1) - 1;
    }
  }
  sn__gate_own(b->rig.gate, b->rig.owners, b->rig.now_ns);
  gate_oracle_own(&b->oracle, b->rig.owners, b->rig.now_ns);
}

static void stop_or_resume(bench *b) {
  const int64_t now_ns = b->rig.now_ns;
  if (one_in(b, 3)) {
    sn__gate_stop(b->rig.gate, "random", "because", now_ns);
    gate_oracle_stop(&b->oracle);
  } else {
    const sn_status expected = gate_oracle_resume(&b->oracle, now_ns);
    assert_int_equal(sn__gate_resume(b->rig.gate, "me", now_ns), expected);
    assert_true(expected != SN_OK || sn__gate_stop_now(b->rig.gate)->resumed_ns == now_ns);
  }
  assert_int_equal(sn__gate_stop_now(b->rig.gate)->is_stopped, b->oracle.is_stopped);
}

static void configure(bench *b) {
  const double timeout_s = sn_random_between(&b->random, 0.02, 0.5);
  b->oracle.timeout_ns = (int64_t)(1e9 * timeout_s);
  sn__gate_set_reference_timeout(b->rig.gate, timeout_s);
  b->oracle.stop_limp = one_in(b, 2);
  sn__gate_set_stop_limp(b->rig.gate, b->oracle.stop_limp);
}

static void do_something(bench *b) {
  switch (sn_random_below(&b->random, 40)) {
    case 0:
      own(b);
      if (one_in(b, 2)) { /* again before the next cycle: two have lost it */
        own(b);
      }
      for (int i = 0; i < 6; i++) {
        take(b);
      }
      break;
    case 1: {
      const int source = (int)sn_random_below(&b->random, ORACLE_SOURCES);
      sn__gate_lose(b->rig.gate, (size_t)source, b->rig.now_ns);
      gate_oracle_lose(&b->oracle, source, b->rig.now_ns);
      break;
    }
    case 2:
    case 3:
      stop_or_resume(b);
      break;
    case 4:
      if (one_in(b, 10)) {
        const bool wait = one_in(b, 2);
        sn__gate_restart(b->rig.gate, wait, b->rig.now_ns);
        gate_oracle_restart(&b->oracle, wait, b->rig.now_ns);
      }
      break;
    case 5:
      if (one_in(b, 10)) {
        configure(b);
      }
      spoil(b);
      break;
    case 6:
    case 7:
    case 8:
      let_go(b);
      break;
    case 9:
    case 10:
    case 11:
    case 12:
    case 13:
      measure(b);
      break;
    default:
      take(b);
      break;
  }
}

/* ---- comparison ---- */

static void compare_counts(bench *b) {
  for (size_t s = 0; s < ORACLE_SOURCES; s++) {
    assert_memory_equal(sn__gate_source_counts(b->rig.gate, s), &b->oracle.sources[s],
                        sizeof(sn_gate_counts));
  }
  for (size_t j = 0; j < GATE_JOINTS; j++) {
    assert_memory_equal(sn__gate_joint_counts(b->rig.gate, j), &b->oracle.joints[j].counts,
                        sizeof(sn_gate_counts));
  }
}

static void compare_events(bench *b) {
  sn_gate_event event;
  for (size_t i = 0; i < b->oracle.event_count; i++) {
    const sn_gate_event *expected = &b->oracle.events[i];
    assert_true(sn__gate_next_event(b->rig.gate, &event));
    assert_int_equal(event.reason, expected->reason);
    assert_int_equal(event.source, expected->source);
    assert_int_equal(event.joint, expected->joint);
    assert_int_equal(event.count, expected->count);
    assert_int_equal(event.now_ns, expected->now_ns);
    sn_assert_near(event.value, expected->value, 1e-12);
    assert_string_equal(event.name, event.reason == SN_GATE_UNKNOWN ? "wing" : "");
  }
  assert_false(sn__gate_next_event(b->rig.gate, &event));
  b->oracle.event_count = 0;
}

static void compare_command(bench *b, const sn_gate_command *command) {
  const gate_oracle *o = &b->oracle;
  bool has_limp = false;
  assert_int_equal(command->tau != NULL, o->has_tau);
  for (size_t j = 0; j < GATE_JOINTS; j++) {
    sn_assert_near(command->q[j], o->q[j], 1e-15);
    sn_assert_near(command->qd[j], o->qd[j], 1e-14);
    sn_assert_near(command->qdd[j], o->qdd[j], 1e-11);
    assert_true(command->tau == NULL || command->tau[j] == o->tau[j]);
    assert_int_equal(command->limp[j], o->limp[j]);
    has_limp = has_limp || o->limp[j];
  }
  assert_int_equal(sn__gate_has_limp(b->rig.gate), has_limp);
  assert_int_equal(sn__gate_is_at_rest(b->rig.gate), gate_oracle_is_at_rest(o));
}

static int64_t any_period_ns(bench *b) {
  return one_in(b, 20)   ? (int64_t)sn_random_below(&b->random, 300 * MS)
         : one_in(b, 20) ? (int64_t)sn_random_below(&b->random, 2)
                         : MS;
}

static void run(bench *b, uint64_t seed, size_t cycles) {
  const bool waits = seed % 2 == 1;
  const sn_gate_config config = {.source_count = ORACLE_SOURCES, .wait_for_measured = waits};
  sn_random_init(&b->random, seed);
  gate_rig_open(&b->rig, &config);
  gate_oracle_init(&b->oracle, sn__gate_pose(b->rig.gate), !waits);
  gate_oracle_own(&b->oracle, b->rig.owners, b->rig.now_ns);
  for (size_t k = 0; k < cycles; k++) {
    for (uint64_t i = sn_random_below(&b->random, 4); i > 0; i--) {
      do_something(b);
    }
    const bool is_there = gate_oracle_step(&b->oracle, b->rig.now_ns);
    const sn_gate_command *command = sn__gate_step(b->rig.gate, b->rig.now_ns);
    assert_int_equal(command != NULL, is_there);
    compare_counts(b);
    if (k % 8 == 7) { /* some wait in the queue */
      compare_events(b);
    }
    if (is_there) {
      compare_command(b, command);
    }
    b->rig.now_ns += any_period_ns(b);
  }
  gate_rig_close(&b->rig);
}

SN_TEST(a_gate_does_what_its_header_says) {
  static bench b;
  const size_t cases = sn_test_cases(60);
  for (uint64_t seed = 0; seed < cases; seed++) {
    run(&b, sn_test_seed(0) + seed, 2000);
  }
}
