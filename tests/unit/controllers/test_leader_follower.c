/* LeaderFollower on the desktop arm: from messages, and with a second simulated arm as leader. */
#include <math.h>

#include "controllers/guided/leader_track.h"
#include "guided_rig.h"
#include "sn_test.h"

static const char HOME[] = "{elbow_flex: 0.2}";

/* ---- the track ---- */

enum { MS = 1000000 };

SN_TEST(track_of_an_even_motion_has_no_lag) {
  sn__leader_track track = {0};
  double q = 0.0, qd = 0.0;
  for (int k = 0; k < 60; k++) {
    sn__leader_track_take(&track, 0.3 + 1e-3 * (10.0 * k), (int64_t)k * 10 * MS, 0.02, 100 * MS);
  }
  sn__leader_track_at(&track, 597 * MS, 100 * MS, &q, &qd);
  sn_assert_near(q, 0.3 + 0.597, 1e-9);
  sn_assert_near(qd, 1.0, 1e-9);
}

SN_TEST(track_without_samples_comes_to_rest_by_the_timeout) {
  const sn__leader_track track = {.q = 0.1, .qd = 2.0, .is_known = true};
  double before = 0.1, speed_before = 2.0;
  for (int64_t t = 1; t <= 300; t++) {
    double q = 0.0, qd = 0.0;
    sn__leader_track_at(&track, t * MS, 100 * MS, &q, &qd);
    sn_assert_near(q - before, 0.5e-3 * (qd + speed_before), 1e-5); /* the velocity is the slope */
    assert_true(t > 25 || qd == 2.0);
    assert_true(t < 100 || qd == 0.0);
    before = q;
    speed_before = qd;
  }
  sn_assert_near(before, 0.1 + 2.0 * (0.025 + 0.5 * 0.075), 1e-12);
}

SN_TEST(track_begins_anew_after_a_gap_and_ignores_the_past) {
  sn__leader_track track = {0};
  sn__leader_track_take(&track, 0.0, 0, 0.02, 100 * MS);
  sn__leader_track_take(&track, 0.1, 50 * MS, 0.02, 100 * MS);
  sn__leader_track_take(&track, 9.0, 40 * MS, 0.02, 100 * MS);
  assert_true(track.q < 0.2 && track.qd > 0.0);
  sn__leader_track_take(&track, 5.0, 151 * MS, 0.02, 100 * MS);
  assert_true(track.q == 5.0 && track.qd == 0.0);
}

/* ---- the follower ---- */

static const char *state_of(guided_rig *b) {
  static sn_call_text *answer;
  static const sn_msg_capacity room = {.text_size = 64};
  sn_caller caller = {0};
  answer = sn_msg_create(&b->d.arena, &sn_call_text_type, &room);
  assert_int_equal(sn_caller_open(b->d.system, "lead.getLeader", &caller, &b->d.err), SN_OK);
  assert_int_equal(sn_call(&caller, NULL, answer, &b->d.err), SN_OK);
  sn_caller_close(&caller);
  return answer->text.data;
}

/* Where a leader is that turns every joint to and fro, at 1 rad/s at most. */
static double swing(size_t joint, double t_s) {
  const double rate = 1.5 + 0.5 * (double)joint; /* rad/s */
  return sin(rate * t_s) / rate;
}

/* What a bus of 100 Hz with 4096 steps a turn reports, repeated in every cycle as drivers do. */
static void lead_by_bus(guided_rig *b, int k, double (*where)(size_t joint, double t_s)) {
  double q[GUIDED_JOINTS];
  const int read = k - k % 10;
  for (size_t j = 0; j < GUIDED_JOINTS; j++) {
    q[j] = GUIDED_STEP * rint(where(j, 1e-3 * read) / GUIDED_STEP);
  }
  guided_lead(b, q, GUIDED_JOINTS, 0);
}

static double five_hundredths(size_t joint, double t_s) {
  (void)t_s;
  return joint == 5 ? 0.4 : 0.05;
}

static void follow_at(guided_rig *b, double (*where)(size_t, double), int begin, int end,
                      double *commanded, double *measured) {
  for (int k = begin; k < end; k++) {
    lead_by_bus(b, k, where);
    guided_cycle(b);
    for (size_t j = 0; j < GUIDED_JOINTS - 1; j++) { /* the jaw has its limit in the way */
      *commanded = fmax(*commanded, fabs(b->q[j] - where(j, 1e-3 * k)));
      *measured = fmax(*measured, fabs(b->at[j] - where(j, 1e-3 * k)));
    }
  }
}

SN_TEST(follower_is_within_five_milliradians_of_the_leader) {
  guided_rig b;
  double ignored = 0.0, commanded = 0.0, measured = 0.0;
  guided_open(&b, HOME, "", false);
  assert_true(sn_deployed_switch(&b.d, "lead", true, NULL));
  assert_string_equal(state_of(&b), "waiting");
  follow_at(&b, swing, 0, 3000, &ignored, &ignored);
  assert_string_equal(state_of(&b), "following");
  follow_at(&b, swing, 3000, 13000, &commanded, &measured);
  print_message("follower: %.2f mrad in the command, %.2f mrad in the plant\n", 1e3 * commanded,
                1e3 * measured);
  assert_true(commanded <= 5e-3);
  assert_true(measured <= 20e-3);
  guided_close(&b);
}

SN_TEST(follower_approaches_without_a_jump) {
  guided_rig b;
  double before[GUIDED_JOINTS];
  guided_open(&b, "{shoulder_pan: 1.2, elbow_flex: -0.8}", "", false);
  for (int k = 0; k < 50; k++) {
    lead_by_bus(&b, k, five_hundredths);
    guided_cycle(&b);
  }
  assert_true(sn_deployed_switch(&b.d, "lead", true, NULL));
  memcpy(before, b.q, sizeof before);
  double fastest = 0.0;
  int arrival = -1;
  for (int k = 50; k < 4000; k++) {
    lead_by_bus(&b, k, five_hundredths);
    guided_cycle(&b);
    for (size_t j = 0; j < GUIDED_JOINTS; j++) {
      fastest = fmax(fastest, fabs(b.q[j] - before[j]) / 1e-3);
      before[j] = b.q[j];
    }
    arrival = arrival < 0 && fabs(b.q[0] - 0.05) < 2e-3 ? k : arrival;
  }
  assert_string_equal(state_of(&b), "following");
  assert_true(fastest > 0.45 && fastest < 0.55); /* approach_speed, and the noise of the encoder */
  assert_true(arrival > 2300 && arrival < 3000); /* 1.15 rad at 0.5 rad/s */
  for (size_t j = 0; j < GUIDED_JOINTS; j++) {
    sn_assert_near(b.q[j], five_hundredths(j, 0.0), 1e-3);
  }
  guided_close(&b);
}

SN_TEST(follower_holds_when_the_leader_is_unplugged_in_motion) {
  guided_rig b;
  double ignored = 0.0, before[GUIDED_JOINTS];
  guided_open(&b, HOME, "", false);
  assert_true(sn_deployed_switch(&b.d, "lead", true, NULL));
  follow_at(&b, swing, 0, 4190, &ignored, &ignored);
  assert_true(fabs(b.qd[0]) > 0.9); /* joint 0 turns at cos(1.5 * 4.19) */
  const double unplugged_at = b.q[0];
  for (int k = 0; k < 200; k++) {
    guided_cycle(&b);
  }
  assert_int_equal(sn_deployed_count_log(&b.d, "the leader is silent"), 1);
  assert_string_equal(state_of(&b), "silent");
  memcpy(before, b.q, sizeof before);
  sn_assert_near(before[0], unplugged_at + 0.0625, 0.02); /* what it took to stop */
  for (int k = 0; k < 1000; k++) {
    guided_cycle(&b);
  }
  for (size_t j = 0; j < GUIDED_JOINTS; j++) {
    sn_assert_near(b.q[j], before[j], 1e-3);
  }
  for (int k = 0; k < 3000; k++) { /* it is back, elsewhere, and is approached again */
    lead_by_bus(&b, k, five_hundredths);
    guided_cycle(&b);
    assert_true(fabs(b.qd[0]) < 0.55);
  }
  assert_string_equal(state_of(&b), "following");
  sn_assert_near(b.q[0], 0.05, 1e-3);
  guided_close(&b);
}

SN_TEST(one_missing_joint_is_enough_to_hold) {
  guided_rig b;
  double q[GUIDED_JOINTS] = {0};
  guided_open(&b, HOME, "", false);
  assert_true(sn_deployed_switch(&b.d, "lead", true, NULL));
  for (int k = 0; k < 3000; k++) {
    guided_lead(&b, q, GUIDED_JOINTS, 0);
    guided_cycle(&b);
  }
  assert_string_equal(state_of(&b), "following");
  for (int k = 0; k < 300; k++) {
    guided_lead(&b, q, GUIDED_JOINTS - 1, 0);
    guided_cycle(&b);
  }
  assert_string_equal(state_of(&b), "silent");
  assert_int_equal(sn_deployed_count_log(&b.d, "no position of its joint 'gripper'"), 1);
  guided_close(&b);
}

SN_TEST(bad_messages_of_the_leader_are_refused) {
  guided_rig b;
  double q[GUIDED_JOINTS] = {0};
  guided_open(&b, HOME, "", false);
  assert_true(sn_deployed_switch(&b.d, "lead", true, NULL));
  sn_joint_state *msg = sn_source_msg(b.leader);
  guided_lead(&b, q, GUIDED_JOINTS, 0);
  msg->position.count = 3;
  assert_int_equal(sn_source_write(b.leader), SN_OK);
  guided_cycle(&b);
  assert_int_equal(sn_deployed_count_log(&b.d, "a message of the leader was refused"), 1);
  for (int k = 0; k < 1100; k++) {
    guided_cycle(&b);
  }
  guided_lead(&b, q, GUIDED_JOINTS, 0);
  assert_int_equal(sn_msg_names_add(&msg->name, "gripper", 7), SN_OK);
  msg->position.data[msg->position.count++] = 1.0;
  assert_int_equal(sn_source_write(b.leader), SN_OK);
  guided_cycle(&b);
  assert_int_equal(sn_deployed_count_log(&b.d, "refused: a name appears twice; joint gripper"), 1);
  for (int k = 0; k < 5000; k++) { /* beyond the limits */
    q[3] = 2.0;
    guided_lead(&b, q, GUIDED_JOINTS, 0);
    guided_cycle(&b);
  }
  assert_true(sn_deployed_count_log(&b.d, "beyond the limits of 'wrist_flex'") >= 1);
  sn_assert_near(b.q[3], 1.65, 1e-9);
  guided_close(&b);
}

SN_TEST(other_arms_lead_by_names_scales_and_offsets) {
  guided_rig b;
  guided_open(&b, HOME,
              "  lead:\n    properties:\n      joints:\n"
              "        - {leader: shoulder_lift, follower: elbow_flex, scale: -0.5, offset: 0.1}\n"
              "        - {leader: shoulder_pan}\n",
              false);
  assert_true(sn_deployed_switch(&b.d, "lead", true, "arm"));
  const double q[GUIDED_JOINTS] = {0.3, 0.8, 0, 0, 0, 0};
  for (int k = 0; k < 3000; k++) {
    guided_lead(&b, q, GUIDED_JOINTS, 0);
    guided_cycle(&b);
  }
  sn_assert_near(b.q[0], 0.3, 1e-6);
  sn_assert_near(b.q[1], 0.0, 1e-6); /* without a leader */
  sn_assert_near(b.q[2], 0.1 - 0.4, 1e-6);
  guided_close(&b);
}

SN_TEST(maps_that_cannot_be_are_refused) {
  static const char *const cases[][2] = {
      {"{leader: a, follower: nowhere}", "the robot has no movable joint 'nowhere'"},
      {"{leader: nowhere}", "the robot has no movable joint 'nowhere'"},
      {"{leader: a, follower: gripper}, {leader: b, follower: gripper}", "driven twice"},
      {"{leader: gripper, scale: 0}", "the scale of 'gripper' is 0"},
      {"{leader: a, follower: gripper}, {leader: a, follower: elbow_flex}", "twice"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char settings[300], problem[2000];
    snprintf(settings, sizeof settings, "  lead: {properties: {joints: [%s]}}\n", cases[i][0]);
    guided_refused(settings, problem, sizeof problem);
    sn_assert_contains(problem, cases[i][1]);
  }
}

/* ---- two arms ---- */

/* A hand turns the first joint of the limp second arm by a torque. */
static void turn_leader(guided_rig *b, double torque) {
  sn_joint_state *msg = sn_source_msg(b->push_leader);
  sn_msg_reset(&sn_joint_state_type, msg);
  assert_int_equal(sn_msg_names_add(&msg->name, "shoulder_pan", 12), SN_OK);
  msg->effort.count = 1;
  msg->effort.data[0] = torque;
  assert_int_equal(sn_source_write(b->push_leader), SN_OK);
}

SN_TEST(limp_arm_leads_a_second_one) {
  guided_rig b;
  double most = 0.0, farthest = 0.0;
  guided_open(&b, HOME, "", true);
  assert_true(sn_deployed_switch(&b.d, "lead", true, NULL));
  for (int k = 0; k < 8000; k++) {
    turn_leader(&b, k < 1000 ? 0.0 : 0.9 * sin(2e-3 * (k - 1000)));
    guided_cycle(&b);
    const sn_joint_state *leader = sn_tap_read(b.leader_measured, NULL);
    const sn_servo_goal *goals = sn_tap_read(b.leader_goals, NULL);
    assert_true(goals->limp.data[0]);
    if (k > 1000) {
      most = fmax(most, fabs(b.q[0] - leader->position.data[0]));
      farthest = fmax(farthest, fabs(leader->position.data[0]));
    }
  }
  print_message("two arms: the leader turns by %.2f rad, the command is within %.2f mrad\n",
                farthest, 1e3 * most);
  assert_true(farthest > 0.2);
  assert_true(most < 5e-3);
  guided_close(&b);
}

/* Someone pushes the follower: the leader's servo pushes the hand in the same direction. */
SN_TEST(pushes_on_the_follower_are_felt_at_the_leader) {
  guided_rig b;
  guided_open(&b, HOME, "  lead: {properties: {reflection: 0.5, reflection_max: 0.4}}\n", true);
  assert_true(sn_deployed_switch(&b.d, "lead", true, NULL));
  for (int k = 0; k < 2000; k++) {
    guided_cycle(&b);
  }
  const sn_servo_goal *goals = sn_tap_read(b.leader_goals, NULL);
  assert_true(goals->limp.data[0]);
  for (int k = 0; k < 100; k++) {
    guided_push(&b, sn_vec3_make(0, 5, 0)); /* 1.7 N·m about the first axis */
    guided_cycle(&b);
  }
  goals = sn_tap_read(b.leader_goals, NULL);
  const sn_joint_state *leader = sn_tap_read(b.leader_measured, NULL);
  assert_false(goals->limp.data[0]);
  sn_assert_near(50.0 * (goals->goal.data[0] - leader->position.data[0]), 0.4, 0.2);
  guided_close(&b);
}
