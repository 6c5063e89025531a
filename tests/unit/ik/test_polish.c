#include "ik/closed/polish.h"
#include "sinew/kin.h"
#include "sn_arms.h"
#include "sn_test.h"

#define PI 3.14159265358979323846

SN_TEST(near_a_solution_the_polish_converges_as_newton_does) {
  sn_random random;
  sn_random_init(&random, 1);
  for (size_t n = sn_test_cases(300); n > 0; n--) {
    sn_test_arm arm;
    sn_test_arm_make(&arm, n % 2 == 0 ? SN_ARM_UR : SN_ARM_SRS, &random, PI);
    sn__frames frames;
    sn__frames_init(&frames, &arm.chain, false, -1);
    double q[7], start[7];
    sn_test_arm_pose(&arm, &random, q);
    for (size_t i = 0; i < arm.count; i++) {
      start[i] = fmin(PI, fmax(-PI, q[i] + sn_random_between(&random, -1e-4, 1e-4)));
    }
    const sn_pose target = sn_chain_fk(&arm.chain, q);
    const sn__miss miss = sn__frames_polish(&frames, target, arm.lower, arm.upper, 1e-12, 4, start);
    sn_assert_near(miss.position_m, 0.0, 1e-9);
    sn_assert_near(miss.rotation_rad, 0.0, 1e-9);
    sn_assert_pose_near(sn_chain_fk(&arm.chain, start), target, 1e-9);
  }
}

/* A joint that may not move must not slow the others down. */
SN_TEST(joints_at_their_limits_are_held_and_the_others_compensate) {
  sn_random random;
  sn_random_init(&random, 2);
  for (size_t n = sn_test_cases(300); n > 0; n--) {
    sn_test_arm arm;
    sn_test_arm_make(&arm, SN_ARM_SRS, &random, PI);
    sn__frames frames;
    sn__frames_init(&frames, &arm.chain, false, -1);
    double q[7], start[7];
    sn_test_arm_pose(&arm, &random, q);
    const size_t held = n % 7;
    arm.lower[held] = arm.upper[held] = q[held];
    for (size_t i = 0; i < 7; i++) {
      const double off = i == held ? 0.0 : sn_random_between(&random, -1e-4, 1e-4);
      start[i] = fmin(arm.upper[i], fmax(arm.lower[i], q[i] + off));
    }
    const sn_pose target = sn_chain_fk(&arm.chain, q);
    const sn__miss miss = sn__frames_polish(&frames, target, arm.lower, arm.upper, 1e-12, 4, start);
    if (held != 3) { /* without its elbow the arm may have no first-order answer */
      sn_assert_near(sn__miss_norm(miss), 0.0, 1e-7);
    }
    sn_assert_near(start[held], q[held], 0.0);
  }
}

SN_TEST(positions_are_polished_alone) {
  sn_random random;
  sn_random_init(&random, 3);
  for (size_t n = sn_test_cases(300); n > 0; n--) {
    sn_test_arm arm;
    sn_test_arm_make(&arm, SN_ARM_LEG, &random, PI);
    sn__frames frames;
    sn__frames_init(&frames, &arm.chain, true, -1);
    double q[3], start[3];
    sn_test_arm_pose(&arm, &random, q);
    for (int i = 0; i < 3; i++) {
      start[i] = fmin(PI, fmax(-PI, q[i] + sn_random_between(&random, -1e-4, 1e-4)));
    }
    sn_pose target = sn_chain_fk(&arm.chain, q);
    target.rot = sn_mat3_identity(); /* must not count */
    const sn__miss miss = sn__frames_polish(&frames, target, arm.lower, arm.upper, 1e-12, 6, start);
    sn_assert_near(miss.position_m, 0.0, 1e-8);
    sn_assert_near(miss.rotation_rad, 0.0, 0.0);
  }
}
