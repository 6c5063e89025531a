#include "ik/closed/closed_6r.h"
#include "ik/closed/geometry/arm.h"
#include "ik/closed/geometry/frames.h"
#include "sinew/kin.h"
#include "sn_arms.h"
#include "sn_test.h"

#define PI 3.14159265358979323846

static const sn__tolerance tight = {.angle_rad = 1e-9, .length_m = 1e-9};

static void random_angles(sn_random *random, size_t count, double *q, sn__turn *turn) {
  for (size_t i = 0; i < count; i++) {
    q[i] = sn_random_between(random, -PI, PI);
    turn[i] = sn__turn_of(q[i]);
  }
}

/* The product of exponentials: turn the tip about the last line first. */
static sn_pose tip_of(const sn__arm *arm, const sn__turn *turn) {
  sn_pose tip = arm->tip;
  for (int i = arm->count - 1; i >= 0; i--) {
    const sn_vec3 from_axis = sn_vec3_sub(tip.pos, arm->r[i]);
    tip.pos = sn_vec3_add(arm->r[i], sn__turn_apply(turn[i], arm->h[i], from_axis));
    tip.rot.x = sn__turn_apply(turn[i], arm->h[i], tip.rot.x);
    tip.rot.y = sn__turn_apply(turn[i], arm->h[i], tip.rot.y);
    tip.rot.z = sn__turn_apply(turn[i], arm->h[i], tip.rot.z);
  }
  return tip;
}

SN_TEST(lines_and_frames_lead_to_the_same_tip_as_the_chain) {
  sn_random random;
  sn_random_init(&random, 1);
  for (size_t n = sn_test_cases(200); n > 0; n--) {
    sn_test_arm chain;
    sn_test_arm_make(&chain, n % 2 == 0 ? SN_ARM_GENERAL_6R : SN_ARM_UR, &random, PI);
    sn__arm arm;
    sn__frames frames;
    sn__arm_init(&arm, &chain.chain);
    sn__frames_init(&frames, &chain.chain, false, -1);
    double q[6];
    sn__turn turn[6];
    random_angles(&random, 6, q, turn);
    const sn_pose expected = sn_chain_fk(&chain.chain, q);
    sn_assert_pose_near(tip_of(&arm, turn), expected, 1e-13);
    sn_assert_pose_near(sn__frames_tip(&frames, turn), expected, 1e-13);
    sn_vec3 axis[6], place[6];
    sn_assert_pose_near(sn__frames_trace(&frames, q, axis, place), expected, 1e-13);
    sn__miss miss[2];
    const sn__goal goal = sn__frames_goal(&frames, &expected);
    sn__frames_misses(&frames, turn, turn, &goal, miss);
    sn_assert_near(miss[0].position_m + miss[0].rotation_rad, 0, 1e-13);
  }
}

SN_TEST(axes_and_places_give_the_jacobian_of_the_chain) {
  sn_random random;
  sn_random_init(&random, 2);
  for (size_t n = sn_test_cases(50); n > 0; n--) {
    sn_test_arm chain;
    sn_test_arm_make(&chain, SN_ARM_SRS, &random, PI);
    sn__frames frames;
    sn__frames_init(&frames, &chain.chain, false, -1);
    double q[7], jac[42];
    sn__turn turn[7];
    random_angles(&random, 7, q, turn);
    sn_vec3 axis[7], place[7];
    sn__frames_trace(&frames, q, axis, place);
    sn_pose tip;
    sn_chain_fk_jacobian(&chain.chain, q, &tip, jac);
    for (int i = 0; i < 7; i++) {
      const sn_vec3 v = sn_vec3_cross(axis[i], sn_vec3_sub(tip.pos, place[i]));
      sn_assert_near(jac[0 * 7 + i], axis[i].x, 1e-12);
      sn_assert_near(jac[1 * 7 + i], axis[i].y, 1e-12);
      sn_assert_near(jac[2 * 7 + i], axis[i].z, 1e-12);
      sn_assert_near(jac[3 * 7 + i], v.x, 1e-12);
      sn_assert_near(jac[4 * 7 + i], v.y, 1e-12);
      sn_assert_near(jac[5 * 7 + i], v.z, 1e-12);
    }
  }
}

SN_TEST(misses_are_those_of_the_poses) {
  sn_random random;
  sn_random_init(&random, 3);
  for (size_t n = sn_test_cases(100); n > 0; n--) {
    sn_test_arm chain;
    sn_test_arm_make(&chain, SN_ARM_WRIST, &random, PI);
    sn__frames frames;
    sn__frames_init(&frames, &chain.chain, false, -1);
    double q[3][6];
    sn__turn turn[3][6];
    for (int i = 0; i < 3; i++) {
      random_angles(&random, 6, q[i], turn[i]);
    }
    const sn_pose target = sn_chain_fk(&chain.chain, q[2]);
    sn__miss miss[2];
    const sn__goal goal = sn__frames_goal(&frames, &target);
    sn__frames_misses(&frames, turn[0], turn[1], &goal, miss);
    for (int i = 0; i < 2; i++) {
      const sn_pose tip = sn_chain_fk(&chain.chain, q[i]);
      const double angle =
          sn_vec3_norm(sn_mat3_log(sn_mat3_mul(sn_mat3_transpose(target.rot), tip.rot)));
      sn_assert_near(miss[i].position_m, sn_vec3_norm(sn_vec3_sub(tip.pos, target.pos)), 1e-12);
      const double chord = 2.0 * sin(0.5 * angle);
      sn_assert_near(sn__frames_miss(&frames, tip, target).rotation_rad, 2.0 * sin(0.5 * angle),
                     1e-12);
      assert_true(miss[i].rotation_rad >= chord - 1e-12);
      assert_true(miss[i].rotation_rad <= sqrt(2.0) * chord + 1e-12);
    }
  }
}

SN_TEST(a_free_axis_at_the_tip_is_one_more_joint) {
  sn_random random;
  sn_random_init(&random, 4);
  for (int axis = 0; axis < 3; axis++) {
    sn_test_arm chain;
    sn_test_arm_make(&chain, SN_ARM_LEG_GENERAL, &random, PI);
    sn__frames frames;
    sn__frames_init(&frames, &chain.chain, false, axis);
    assert_int_equal(frames.count, 4);
    double q[4];
    sn__turn turn[4];
    random_angles(&random, 4, q, turn);
    const sn_vec3 k = {axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0};
    const sn_pose spin = {.rot = sn_mat3_from_axis_angle(k, q[3])};
    const sn_pose expected = sn_pose_mul(sn_chain_fk(&chain.chain, q), spin);
    sn_assert_pose_near(sn__frames_tip(&frames, turn), expected, 1e-13);
  }
}

SN_TEST(a_reversed_arm_goes_back) {
  sn_random random;
  sn_random_init(&random, 5);
  for (size_t n = sn_test_cases(100); n > 0; n--) {
    sn_test_arm chain;
    sn_test_arm_make(&chain, SN_ARM_GENERAL_6R, &random, PI);
    sn__arm arm, reversed;
    sn__arm_init(&arm, &chain.chain);
    sn__arm_reverse(&arm, &reversed);
    double q[6];
    sn__turn turn[6], back[6];
    random_angles(&random, 6, q, turn);
    for (int i = 0; i < 6; i++) {
      back[i] = turn[5 - i];
    }
    sn_assert_pose_near(tip_of(&reversed, back), sn_pose_inverse(tip_of(&arm, turn)), 1e-12);
  }
}

SN_TEST(a_locked_joint_becomes_part_of_the_links) {
  sn_random random;
  sn_random_init(&random, 6);
  for (size_t n = sn_test_cases(100); n > 0; n--) {
    sn_test_arm chain;
    sn_test_arm_make(&chain, SN_ARM_SRS, &random, PI);
    sn__arm arm, locked;
    sn__arm_init(&arm, &chain.chain);
    double q[7];
    sn__turn turn[7], rest[6];
    random_angles(&random, 7, q, turn);
    const int joint = (int)(n % 7);
    for (int i = 0; i < 6; i++) {
      rest[i] = turn[i < joint ? i : i + 1];
    }
    sn__arm_lock(&arm, joint, turn[joint], &locked);
    sn_assert_pose_near(tip_of(&locked, rest), tip_of(&arm, turn), 1e-12);
  }
}

SN_TEST(parallel_and_intersecting_lines_are_recognised) {
  sn_random random;
  sn_random_init(&random, 7);
  for (size_t n = sn_test_cases(100); n > 0; n--) {
    sn_test_arm chain;
    sn__arm arm;
    sn_test_arm_make(&chain, SN_ARM_WRIST, &random, PI);
    sn__arm_init(&arm, &chain.chain);
    sn_vec3 centre;
    assert_true(sn__arm_is_parallel(&arm, 1, 2, tight));
    assert_false(sn__arm_is_parallel(&arm, 0, 1, tight));
    assert_true(sn__arm_is_spherical(&arm, 3, tight, &centre));
    assert_false(sn__arm_is_spherical(&arm, 2, tight, NULL));
    for (int i = 3; i < 6; i++) {
      const sn_vec3 off = sn_vec3_cross(arm.h[i], sn_vec3_sub(centre, arm.r[i]));
      sn_assert_near(sn_vec3_norm(off), 0, 1e-12);
    }
    sn_test_arm_make(&chain, SN_ARM_GENERAL_6R, &random, PI);
    sn__arm_init(&arm, &chain.chain);
    for (int i = 0; i < 5; i++) {
      assert_false(sn__arm_is_parallel(&arm, i, i + 1, tight));
      assert_false(sn__arm_is_intersecting(&arm, i, i + 1, tight, NULL));
    }
  }
}

SN_TEST(lines_that_nearly_agree_are_snapped) {
  sn_random random;
  sn_random_init(&random, 8);
  const sn__tolerance wide = {.angle_rad = 0.01, .length_m = 0.01};
  for (size_t n = sn_test_cases(100); n > 0; n--) {
    sn_test_arm chain;
    sn__arm arm;
    sn_test_arm_make(&chain, SN_ARM_WRIST, &random, PI);
    sn_test_arm_bend(&chain, &random, 5e-4, 5e-4);
    sn__arm_init(&arm, &chain.chain);
    assert_true(sn__arm_is_parallel(&arm, 1, 2, wide));
    sn__arm_snap_parallel(&arm, 1, 2);
    assert_true(sn__arm_is_parallel(&arm, 1, 2, tight));
    assert_true(sn__arm_is_intersecting(&arm, 3, 4, wide, NULL));
    sn__arm_snap_intersecting(&arm, 3, 4);
    assert_true(sn__arm_is_intersecting(&arm, 3, 4, tight, NULL));
  }
}

SN_TEST(every_kind_of_arm_is_recognised) {
  static const struct {
    sn_test_arm_kind kind;
    const char *text;
  } expected[] = {
      {SN_ARM_WRIST, "spherical wrist, parallel axes 2-3"},
      {SN_ARM_WRIST_MEETING, "spherical wrist, intersecting axes 1-2"},
      {SN_ARM_WRIST_GENERAL, "spherical wrist"},
      {SN_ARM_SHOULDER, "spherical shoulder, parallel axes 4-5"},
      {SN_ARM_MIDDLE, "axes 3-4-5 meet in a point"},
      {SN_ARM_MIDDLE_REVERSE, "axes 2-3-4 meet in a point"},
      {SN_ARM_UR, "three parallel axes 2-3-4"},
      {SN_ARM_PARALLEL_234, "three parallel axes 2-3-4"},
      {SN_ARM_PARALLEL_345, "three parallel axes 3-4-5"},
      {SN_ARM_PARALLEL_123, "three parallel axes 1-2-3"},
      {SN_ARM_PARALLEL_456, "three parallel axes 4-5-6"},
      {SN_ARM_GENERAL_6R, "no closed form"},
  };
  sn_random random;
  sn_random_init(&random, 9);
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    sn_test_arm chain;
    sn__arm arm;
    char text[80];
    sn_test_arm_make(&chain, expected[i].kind, &random, PI);
    sn__arm_init(&arm, &chain.chain);
    sn__closed_6r_describe(sn__closed_6r_recognise(&arm, tight), text, sizeof text);
    assert_string_equal(text, expected[i].text);
  }
}
