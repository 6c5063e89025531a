/* Jogging of a tool. Limits and the place of the tool are computed from the commanded joints. */
#include "jog_rig.h"
#include "sn_test.h"

enum { JOINTS = JOG_JOINTS, ARM_COUNT = 3 };

static const double DT = 1e-3;

static const sn__servo_command STILL = {.kind = SN__SERVO_STILL, .speed = 1.0};

static const double READY_6[JOINTS] = {0.2, 0.3, 0.4, 0.1, 0.9, 0.0};
static const double READY_UR[JOINTS] = {0.3, -1.2, 1.4, -0.5, 1.2, 0.1};
static const double READY_7[JOINTS] = {0.2, 0.5, 0.1, 1.2, 0.1, 0.9, 0.0};

static const struct {
  const char *name;
  const double *q;
} ARMS[ARM_COUNT] = {{"arm6", READY_6}, {"arm_ur", READY_UR}, {"arm7", READY_7}};

/* ---- the tool ---- */

SN_TEST(a_line_is_straight_and_keeps_the_orientation) {
  for (size_t i = 0; i < ARM_COUNT; i++) {
    jog_arm a;
    jog_open(&a, ARMS[i].name, ARMS[i].q);
    const sn_pose start = sn_chain_fk(a.chain, a.q);
    const double v[6] = {0.0, 0.0, 0.0, -0.06, 0.03, -0.06};
    const sn__servo_command command = jog_twist(SN__SERVO_TWIST, v);
    const sn_vec3 along = {-2.0 / 3.0, 1.0 / 3.0, -2.0 / 3.0};
    for (int k = 0; k < 1500; k++) {
      jog_step(&a, &command);
      const sn_pose tool = sn_chain_fk(a.chain, a.q);
      const sn_vec3 way = sn_vec3_sub(tool.pos, start.pos);
      const sn_vec3 beside = sn_vec3_add_scaled(way, -sn_vec3_dot(way, along), along);
      sn_assert_near(sn_vec3_norm(beside), 0.0, 10e-6);
      sn_assert_near(jog_angle(tool.rot, start.rot), 0.0, 1e-5);
    }
    sn_assert_near(a.outcome.share, 1.0, 1e-6);
    jog_close(&a);
  }
}

SN_TEST(ten_minutes_without_a_command_are_without_drift) {
  for (size_t i = 0; i < ARM_COUNT; i++) {
    jog_arm a;
    jog_open(&a, ARMS[i].name, ARMS[i].q);
    const double v[6] = {0.1, -0.2, 0.3, 0.05, 0.1, -0.02};
    const sn__servo_command command = jog_twist(SN__SERVO_TWIST, v);
    const sn__servo_command none = jog_twist(SN__SERVO_TWIST, (const double[6]){0.0});
    jog_steps(&a, &command, 500);
    jog_steps(&a, &none, 1000);
    assert_true(a.outcome.is_still);
    double q[JOINTS];
    memcpy(q, a.q, sizeof q);
    for (int k = 0; k < 600000; k++) {
      double now[JOINTS];
      double qd[JOINTS];
      (void)sn__tool_servo_step(a.servo, DT, k % 2 == 0 ? &none : &STILL, now, qd);
      assert_memory_equal(now, q, a.chain->joint_count * sizeof(double));
    }
    jog_close(&a);
  }
}

/* ---- where joints cannot follow ---- */

/* The elbow of each arm, and the direction from the shoulder to the tool. */
SN_TEST(a_stretched_elbow_neither_oscillates_nor_traps_the_tool) {
  static const size_t elbows[ARM_COUNT] = {2, 2, 3};
  for (size_t i = 0; i < ARM_COUNT; i++) {
    jog_arm a;
    jog_open(&a, ARMS[i].name, ARMS[i].q);
    const sn_vec3 out = sn_chain_fk(a.chain, a.q).pos;
    const double share = 0.25 / sn_vec3_norm(out);
    const double v[6] = {0.0, 0.0, 0.0, share * out.x, share * out.y, share * out.z};
    const double back[6] = {0.0, 0.0, 0.0, -v[3], -v[4], -v[5]};
    const sn__servo_command push = jog_twist(SN__SERVO_TWIST, v);
    const sn__servo_command pull = jog_twist(SN__SERVO_TWIST, back);
    int turns = 0;
    for (int k = 0; k < 6000; k++) {
      const double before = a.qd[elbows[i]];
      jog_step(&a, &push);
      turns += fabs(before) > 1e-4 && before * a.qd[elbows[i]] < 0.0;
    }
    assert_true(turns <= 1);
    assert_true(a.outcome.share < 0.05);
    assert_int_not_equal(a.outcome.reason, SN__JOG_FREE);
    const double far = sn_vec3_norm(sn_chain_fk(a.chain, a.q).pos);
    jog_steps(&a, &pull, 3000);
    assert_true(sn_vec3_norm(sn_chain_fk(a.chain, a.q).pos) < far - 0.1);
    jog_close(&a);
  }
}

/* The twist that turns joint 5 only, at the beginning: it takes the wrist through its singular
   pose, where joint 5 is at zero. */
SN_TEST(the_tool_passes_a_wrist_singularity_without_a_stop) {
  static const double wrists[2][JOINTS] = {{0.2, 0.3, 0.4, 0.3, 0.3, 0.0},
                                           {0.3, -1.2, 1.4, -0.5, 0.3, 0.1}};
  for (size_t i = 0; i < 2; i++) {
    jog_arm a;
    jog_open(&a, ARMS[i].name, wrists[i]);
    double jac[6 * JOINTS];
    double v[6];
    sn_pose pose;
    sn_chain_fk_jacobian(a.chain, a.q, &pose, jac);
    for (size_t r = 0; r < 6; r++) {
      v[r] = -0.4 * jac[r * 6 + 4];
    }
    v[0] += 0.05; /* not exactly through it */
    const sn__servo_command command = jog_twist(SN__SERVO_TWIST, v);
    jog_steps(&a, &command, 400);
    for (int k = 0; k < 1200; k++) {
      jog_step(&a, &command);
      assert_true(a.outcome.share > 0.5);
    }
    assert_true(a.q[4] < -0.05);
    jog_close(&a);
  }
}

SN_TEST(a_joint_at_its_limit_lets_the_tool_slide) {
  double q[JOINTS];
  memcpy(q, READY_6, sizeof q);
  jog_arm a;
  jog_open(&a, "arm6", q);
  q[0] = a.chain->upper[0] - 0.02;
  jog_close(&a);
  jog_open(&a, "arm6", q);
  const sn_pose start = sn_chain_fk(a.chain, a.q);
  const double radius = hypot(start.pos.x, start.pos.y);
  const sn_vec3 out = {start.pos.x / radius, start.pos.y / radius, 0.0};
  const sn_vec3 round = {-out.y, out.x, 0.0}; /* joint 1 would turn further */
  const double v[6] = {0.0, 0.0, 0.0, 0.1 * round.x - 0.05 * out.x, 0.1 * round.y - 0.05 * out.y,
                       0.0};
  const sn__servo_command command = jog_twist(SN__SERVO_TWIST, v);
  jog_steps(&a, &command, 2000);
  const sn_pose tool = sn_chain_fk(a.chain, a.q);
  assert_int_equal(a.outcome.reason, SN__JOG_LIMIT);
  assert_int_equal(a.outcome.joint, 0);
  const double radius_now = hypot(tool.pos.x, tool.pos.y);
  assert_true(radius_now < radius - 0.05); /* on in the direction that is free */
  sn_assert_near(jog_angle(tool.rot, start.rot), 0.0, 1e-4);
  sn_assert_near(tool.pos.z, start.pos.z, 1e-4);
  jog_close(&a);
}

/* Limits are checked in every cycle, by jog_step(). */
SN_TEST(no_command_breaks_a_limit) {
  for (size_t i = 0; i < ARM_COUNT; i++) {
    sn_random random;
    sn_random_init(&random, 20 + i);
    jog_arm a;
    jog_open(&a, ARMS[i].name, ARMS[i].q);
    for (int k = 0; k < 150; k++) {
      double qd[JOINTS];
      double v[6];
      const bool is_pure = sn_random_between(&random, 0.0, 1.0) < 0.5;
      for (size_t r = 0; r < 6; r++) {
        v[r] = is_pure && r / 3 == (size_t)k % 2 ? 0.0 : sn_random_between(&random, -1.0, 1.0);
      }
      for (size_t j = 0; j < JOINTS; j++) {
        qd[j] = sn_random_between(&random, -4.0, 4.0);
      }
      sn__servo_command command =
          jog_twist((sn__servo_kind)sn_random_between(&random, 0.0, 4.99), v);
      command.qd = qd;
      command.pose = sn_chain_fk(a.chain, ARMS[i].q);
      jog_steps(&a, &command, (int)sn_random_between(&random, 1.0, 900.0));
    }
    jog_close(&a);
  }
}

/* ---- other commands ---- */

SN_TEST(a_pose_is_reached_and_held) {
  for (size_t i = 0; i < ARM_COUNT; i++) {
    jog_arm a;
    jog_open(&a, ARMS[i].name, ARMS[i].q);
    double q[JOINTS];
    for (size_t j = 0; j < a.chain->joint_count; j++) {
      q[j] = a.q[j] + 0.1 * (j % 2 == 0 ? 1.0 : -1.0);
    }
    const sn__servo_command command = {
        .kind = SN__SERVO_POSE, .pose = sn_chain_fk(a.chain, q), .speed = 1.0};
    jog_steps(&a, &command, 5000);
    const sn_pose tool = sn_chain_fk(a.chain, a.q);
    sn_assert_near(sn_vec3_norm(sn_vec3_sub(tool.pos, command.pose.pos)), 0.0, 1e-6);
    sn_assert_near(jog_angle(tool.rot, command.pose.rot), 0.0, 1e-6);
    assert_true(a.outcome.is_still);
    jog_close(&a);
  }
}

SN_TEST(joints_move_as_commanded_and_stop_before_their_limits) {
  jog_arm a;
  jog_open(&a, "arm6", READY_6);
  const double qd[JOINTS] = {0.3, 0.0, -0.2, 0.0, 0.0, 0.5};
  const sn__servo_command command = {.kind = SN__SERVO_JOINTS, .qd = qd, .speed = 1.0};
  jog_steps(&a, &command, 1000);
  for (size_t j = 0; j < 6; j++) {
    sn_assert_near(a.qd[j], qd[j], 1e-9);
  }
  jog_steps(&a, &STILL, 500);
  assert_true(a.outcome.is_still);
  const double fast[JOINTS] = {100.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  const sn__servo_command run = {.kind = SN__SERVO_JOINTS, .qd = fast, .speed = 1.0};
  jog_steps(&a, &run, 6000);
  sn_assert_near(a.q[0], a.chain->upper[0], 5e-3);
  assert_int_equal(a.outcome.reason, SN__JOG_LIMIT);
  assert_int_equal(a.outcome.joint, 0);
  jog_close(&a);
}

SN_TEST(the_share_of_the_speed_counts_for_every_kind_of_command) {
  jog_arm a;
  jog_open(&a, "arm6", READY_6);
  sn__servo_command command = jog_twist(SN__SERVO_TWIST, (const double[6]){0, 0, 0, 0, 0, -9.0});
  command.speed = 0.2;
  jog_steps(&a, &command, 600);
  sn_assert_near(sn_vec3_norm(a.outcome.twist.lin), 0.2 * 0.25, 1e-6);
  jog_close(&a);
}

/* Somebody else held a joint back: the tool goes on from there, not from where it wanted to be. */
SN_TEST(what_others_change_is_not_caught_up) {
  jog_arm a;
  jog_open(&a, "arm6", READY_6);
  const double v[6] = {0.0, 0.0, 0.0, 0.0, 0.1, 0.0};
  const sn__servo_command command = jog_twist(SN__SERVO_TWIST, v);
  jog_steps(&a, &command, 500);
  const double rest[JOINTS] = {0.0};
  sn__tool_servo_go_on_from(a.servo, a.q, rest);
  double q[JOINTS];
  double qd[JOINTS];
  (void)sn__tool_servo_step(a.servo, DT, &STILL, q, qd);
  for (size_t j = 0; j < 6; j++) {
    sn_assert_near(q[j], a.q[j], 1e-6);
  }
  jog_close(&a);
}
