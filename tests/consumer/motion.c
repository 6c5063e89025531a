/* Rotations, trajectories, the servo model and random numbers. */
#include <stdint.h>

#include "check.h"

static double rotation_distance(sn_mat3 a, sn_mat3 b) {
  return sn_vec3_norm(sn_mat3_log(sn_mat3_mul(sn_mat3_transpose(a), b)));
}

/* Roll, pitch, yaw are turns about three axes; a quaternion is the same rotation. */
static void check_rotations(void) {
  const sn_mat3 x = sn_mat3_from_axis_angle(sn_vec3_make(1, 0, 0), 0.3);
  const sn_mat3 y = sn_mat3_from_axis_angle(sn_vec3_make(0, 1, 0), -0.5);
  const sn_mat3 z = sn_mat3_from_axis_angle(sn_vec3_make(0, 0, 1), 1.1);
  const sn_mat3 all = sn_mat3_mul(z, sn_mat3_mul(y, x));
  CHECK_NEAR(rotation_distance(sn_mat3_from_rpy(0.3, -0.5, 1.1), all), 0, 1e-14);

  const sn_quat q = sn_quat_from_mat3(all);
  CHECK_NEAR(rotation_distance(sn_mat3_from_quat(q), all), 0, 1e-14);
  const sn_quat twice = {2 * q.x, 2 * q.y, 2 * q.z, 2 * q.w};
  const sn_quat unit = sn_quat_normalize(twice);
  CHECK_NEAR(unit.x * unit.x + unit.y * unit.y + unit.z * unit.z + unit.w * unit.w, 1, 1e-14);
  CHECK_NEAR(rotation_distance(sn_mat3_from_quat(unit), all), 0, 1e-14);
}

/* Two joints; the second one is moved while the first continues. */
static void check_trajectory(sn_arena *arena) {
  const sn_otg_limits limits[2] = {{1, 4, 40}, {2, 5, 50}};
  const sn_otg_config config = {.joint_count = 2, .limits = limits};
  sn_otg *otg = NULL;
  if (!CHECK(sn_otg_create(arena, &config, &otg, NULL) == SN_OK)) {
    return;
  }
  const double target[2] = {1, -1};
  double before[2];
  double after[2];
  CHECK(sn_otg_set_target(otg, target, NULL) == SN_OK);
  sn_otg_step(otg, 0.3, before, NULL, NULL);
  const sn_otg_state state = {0.25, 0, 0};
  CHECK(sn_otg_reset_joint(otg, 1, state) == SN_OK);
  sn_otg_step(otg, 0, after, NULL, NULL);
  CHECK_NEAR(after[0], before[0], 0);
  CHECK_NEAR(after[1], 0.25, 0);
}

/* A joint that has caught up with a moving target stays on it. */
static void check_following(sn_arena *arena) {
  const sn_otg_limits limits = {2, 10, 100};
  const sn_otg_config config = {.joint_count = 1, .limits = &limits};
  const double speed = 0.5;
  sn_otg *otg = NULL;
  if (!CHECK(sn_otg_create(arena, &config, &otg, NULL) == SN_OK)) {
    return;
  }
  double q = 0;
  double qd = 0;
  double target = 1;
  for (int cycle = 0; cycle < 300; cycle++) {
    CHECK(sn_otg_follow(otg, &target, &speed) == SN_OK);
    sn_otg_step(otg, 0.01, &q, &qd, NULL);
    target += 0.01 * speed;
  }
  CHECK_NEAR(q, target, 1e-9);
  CHECK_NEAR(qd, speed, 1e-9);
}

/* The model, written out as in the header, holds for the goal; the other two solve for a part. */
static void check_servo(void) {
  sn_servo_params p;
  sn_servo_params_init(&p);
  CHECK(sn_servo_params_check(&p, NULL) == SN_OK);
  const sn_servo_params real = {
      .kp = 3, .kgear = 2, .alpha = {0.5, 0.2, 0.1, 1.5}, .qs = 0.1, .delta = 1.2, .inertia = 0.01};
  p = real;
  CHECK(sn_servo_params_check(&p, NULL) == SN_OK);
  const double volts = 12;
  const sn_servo_motion motion = {0.4, -0.3, 1.5, 0.8};
  const double goal = sn_servo_goal_of(&p, volts, &motion, SN_SERVO_DEAD_ZONE);
  const double friction = 0.2 + 0.1 * exp(-pow(0.3 / 0.1, 1.2));
  CHECK_NEAR(3 * volts * (goal / 2 - 0.4), -0.5 * 0.3 - friction + 1.5 * 0.8 + 0.01 * 1.5, 1e-12);
  CHECK_NEAR(sn_servo_torque_of(&p, volts, goal, &motion, SN_SERVO_DEAD_ZONE), 0.8, 1e-12);
  CHECK_NEAR(sn_servo_position_of(&p, volts, goal, &motion, SN_SERVO_DEAD_ZONE), 0.4, 1e-12);
  p.kgear = 0;
  CHECK(sn_servo_params_check(&p, NULL) == SN_EINVAL);
}

/* A copy continues as the original does, and every bit is set about half of the time. */
static void check_random(void) {
  enum { COUNT = 4096 };
  sn_random random;
  sn_random_init(&random, 3);
  sn_random copy = random;
  unsigned set[64] = {0};
  for (int i = 0; i < COUNT; i++) {
    const uint64_t bits = sn_random_bits(&random);
    CHECK(bits == sn_random_bits(&copy));
    for (int bit = 0; bit < 64; bit++) {
      set[bit] += bits >> bit & 1;
    }
  }
  for (int bit = 0; bit < 64; bit++) {
    CHECK_NEAR(set[bit], COUNT / 2.0, 6 * sqrt(COUNT) / 2);
  }
}

int main(void) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "motion", 0);
  check_rotations();
  check_trajectory(&arena);
  check_following(&arena);
  check_servo();
  check_random();
  sn_arena_release(&arena);
  return check_result();
}
