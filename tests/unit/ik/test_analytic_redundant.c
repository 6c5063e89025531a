#include "ik/closed/geometry/frames.h"
#include "ik/closed/srs.h"
#include "ik/solvers.h"
#include "math/rotation.h"
#include "sinew/kin.h"
#include "sn_arms.h"
#include "sn_queries.h"
#include "sn_test.h"

#define PI 3.14159265358979323846
#define TOLERANCE SN_TEST_TOLERANCE

static const sn_ik_solver *const solver = &sn__ik_analytic;

static void *solver_for(const sn_test_arm *arm) {
  return sn_test_solver_for(solver, arm);
}

SN_TEST(legs_and_seven_joint_arms_are_solved) {
  static const sn_test_arm_kind kinds[] = {SN_ARM_LEG, SN_ARM_LEG_GENERAL, SN_ARM_SRS,
                                           SN_ARM_SHOULDER_7};
  sn_random random;
  sn_random_init(&random, 2);
  for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
    for (size_t n = sn_test_cases(15); n > 0; n--) {
      sn_test_arm arm;
      sn_test_arm_make(&arm, kinds[kind], &random, 0.9 * PI);
      void *instance = solver_for(&arm);
      for (int k = 0; k < 20; k++) {
        double q[7];
        sn_test_arm_pose(&arm, &random, q);
        sn_test_query query;
        sn_test_query_init(&query, &arm, sn_chain_fk(&arm.chain, q));
        if (!sn_test_query_ask(&query, solver, instance, false, 1e-9)) {
          fail_msg("%s, arm %zu, pose %d", solver->describe(instance), n, k);
        }
        if (arm.count == 3) {
          sn_test_query_ask(&query, solver, instance, true, 1e-9);
          assert_true(sn_test_query_offers(&query, q, 1e-4));
        }
      }
    }
  }
}

SN_TEST(a_locked_joint_stays) {
  static const sn_test_arm_kind kinds[] = {SN_ARM_SRS, SN_ARM_SHOULDER_7};
  sn_random random;
  sn_random_init(&random, 12);
  for (size_t n = sn_test_cases(20); n > 0; n--) {
    sn_test_arm arm;
    sn_test_arm_make(&arm, kinds[n % 2], &random, PI);
    void *instance = solver_for(&arm);
    for (int joint = 4; joint < 7; joint++) {
      double q[7], seed[7] = {0};
      sn_test_arm_pose(&arm, &random, q);
      seed[joint] = q[joint];
      bool locked[7] = {false};
      locked[joint] = true;
      sn_test_query query;
      sn_test_query_init(&query, &arm, sn_chain_fk(&arm.chain, q));
      query.query.seed = seed;
      query.query.locked = locked;
      assert_true(sn_test_query_ask(&query, solver, instance, true, 1e-9));
      assert_true(sn_test_query_offers(&query, q, 1e-4));
      for (size_t i = 0; i < query.offer_count; i++) {
        sn_assert_near(query.offers[i][joint], q[joint], 0.0);
      }
    }
  }
}

SN_TEST(seven_joints_follow_a_path_without_jumps) {
  sn_random random;
  sn_random_init(&random, 13);
  for (size_t n = sn_test_cases(20); n > 0; n--) {
    sn_test_arm arm;
    sn_test_arm_make(&arm, SN_ARM_SRS, &random, 2.0 * PI);
    void *instance = solver_for(&arm);
    double q[7];
    sn_test_arm_pose(&arm, &random, q);
    const sn_pose start = sn_chain_fk(&arm.chain, q);
    for (int k = 0; k < 5; k++) {
      sn_test_query query;
      sn_test_query_init(&query, &arm, start);
      query.query.seed = q;
      assert_true(sn_test_query_ask(&query, solver, instance, false, 1e-9));
      for (int i = 0; i < 7; i++) { /* standing still: the same pose again and again */
        sn_assert_near(query.offers[0][i], q[i], 1e-5);
        q[i] = query.offers[0][i];
      }
    }
  }
}

/* The stretches of elbow angles inside the limits are known exactly: the search must find them
   however short they are. */
SN_TEST(an_elbow_squeezed_by_limits_is_found) {
  sn_random random;
  sn_random_init(&random, 14);
  for (size_t n = sn_test_cases(300); n > 0; n--) {
    sn_test_arm arm;
    sn_test_arm_make(&arm, SN_ARM_SRS, &random, PI);
    void *instance = solver_for(&arm);
    double q[7], lower[7], upper[7], seed[7];
    sn_test_arm_pose(&arm, &random, q);
    static const int balls[6] = {0, 1, 2, 4, 5, 6};
    const int tight = balls[n % 6]; /* fits only just */
    for (int i = 0; i < 7; i++) {
      lower[i] = i == tight ? q[i] - 0.004 : -PI;
      upper[i] = i == tight ? q[i] + 0.004 : PI;
      seed[i] = i == tight ? q[i] + 0.003 : 0.0;
    }
    sn_test_query query;
    sn_test_query_init(&query, &arm, sn_chain_fk(&arm.chain, q));
    query.query.seed = seed;
    query.query.lower = lower;
    query.query.upper = upper;
    assert_true(sn_test_query_ask(&query, solver, instance, false, 1e-9));
  }
}

SN_TEST(a_free_axis_makes_five_joints_enough) {
  sn_random random;
  sn_random_init(&random, 15);
  for (size_t n = sn_test_cases(50); n > 0; n--) {
    /* joints 1-2 meet, 3-4-5 parallel: the leg of a quadruped */
    sn_vec3 h[5] = {{1, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 0}, {0, 1, 0}};
    sn_vec3 r[5] = {{0, 0, 0}, {0, 0, 0}, {0, 0, -0.05}, {0, 0.01, -0.25}, {0.02, 0.01, -0.45}};
    const sn_pose tip = {sn_mat3_identity(), {0.02, 0.01, -0.52}};
    sn_test_arm arm;
    sn_test_arm_init(&arm, 5, h, r, tip, 2.0);
    void *instance = solver_for(&arm);
    double q[5];
    sn_test_arm_pose(&arm, &random, q);
    for (int axis = 0; axis < 3; axis += 2) {
      const sn_vec3 k = {axis == 0 ? 1.0 : 0.0, 0.0, axis == 2 ? 1.0 : 0.0};
      const double spin = sn_random_between(&random, -PI, PI);
      const sn_pose turned = {.rot = sn_mat3_from_axis_angle(k, spin)};
      sn_test_query query;
      sn_test_query_init(&query, &arm, sn_pose_mul(sn_chain_fk(&arm.chain, q), turned));
      query.query.free_axes = axis == 0 ? SN_IK_FREE_RX : SN_IK_FREE_RZ;
      assert_true(sn_test_query_ask(&query, solver, instance, true, 1e-9));
      assert_true(sn_test_query_offers(&query, q, 1e-4));
    }
  }
}

/* Also where the preferred pose points the other way, and the shortest turn is any half turn. */
SN_TEST(every_swing_of_the_elbow_keeps_the_tip) {
  sn_random random;
  sn_random_init(&random, 24);
  for (size_t n = sn_test_cases(300); n > 0; n--) {
    sn_test_arm chain;
    sn_test_arm_make(&chain, SN_ARM_SRS, &random, PI);
    sn__arm arm;
    sn__srs srs;
    sn__frames frames;
    sn__arm_init(&arm, &chain.chain);
    sn__frames_init(&frames, &chain.chain, false, -1);
    assert_true(sn__srs_init(&srs, &arm, (sn__tolerance){1e-9, 1e-9}));
    double q[7];
    sn_test_arm_pose(&chain, &random, q);
    sn_pose target = sn_chain_fk(&chain.chain, q);
    sn__turn prefer[7];
    for (int i = 0; i < 7; i++) {
      prefer[i] = sn__turn_of(n % 2 == 0 ? q[i] : 0.0);
    }
    if (n % 2 == 0) { /* half a turn of all, about a line through the shoulder across the arm */
      const sn_pose move = sn_pose_mul(target, srs.tip_inverse);
      const sn_vec3 reach = sn_vec3_sub(sn_pose_apply(move, srs.wrist), srs.shoulder);
      const sn_vec3 k = sn__mat3_with_z(sn_vec3_scale(reach, 1.0 / sn_vec3_norm(reach))).x;
      const sn_mat3 half = sn_mat3_from_axis_angle(k, PI);
      const sn_vec3 from_shoulder = sn_vec3_sub(target.pos, srs.shoulder);
      target.pos = sn_vec3_add(srs.shoulder, sn_mat3_apply(half, from_shoulder));
      target.rot = sn_mat3_mul(half, target.rot);
    }
    sn__srs_elbow elbow[2];
    const int elbow_count = sn__srs_reach(&srs, target, 1e-9, prefer, elbow);
    sn__branches branches;
    sn__branches_start(&branches, NULL);
    for (int i = 0; i < elbow_count; i++) {
      const sn__turn swing = sn__turn_of(sn_random_between(&random, -PI, PI));
      sn__srs_solve(&srs, &elbow[i], swing, 1e-12, prefer, &branches);
    }
    for (int i = 0; i < branches.count; i++) {
      sn_assert_pose_near(sn__frames_tip(&frames, branches.turn[i]), target, 1e-6);
    }
  }
}

/* A limit at the value of a joint at some swing of the elbow: that swing must be among the bounds.
 */
SN_TEST(bounds_of_the_swing_are_complete) {
  sn_random random;
  sn_random_init(&random, 23);
  for (size_t n = sn_test_cases(500); n > 0; n--) {
    sn_test_arm chain;
    sn_test_arm_make(&chain, SN_ARM_SRS, &random, PI);
    sn__arm arm;
    sn__srs srs;
    sn__arm_init(&arm, &chain.chain);
    assert_true(sn__srs_init(&srs, &arm, (sn__tolerance){1e-9, 1e-9}));
    double q[7];
    sn_test_arm_pose(&chain, &random, q);
    const sn__turn prefer[7] = {{1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}};
    sn__srs_elbow elbow[2];
    const int elbow_count = sn__srs_reach(&srs, sn_chain_fk(&chain.chain, q), 1e-9, prefer, elbow);
    assert_true(elbow_count >= 1);
    const double swing = sn_random_between(&random, -PI, PI);
    sn__branches branches;
    sn__branches_start(&branches, NULL);
    sn__srs_solve(&srs, &elbow[0], sn__turn_of(swing), 1e-9, prefer, &branches);
    static const int balls[6] = {0, 1, 2, 4, 5, 6};
    for (int i = 0; i < branches.count; i++) {
      const int joint = balls[n % 6];
      const sn__turn at = branches.turn[i][joint];
      double lower[7], upper[7];
      for (int j = 0; j < 7; j++) {
        lower[j] = j == joint ? atan2(at.s, at.c) : -INFINITY;
        upper[j] = INFINITY;
      }
      sn__turn bound[SN__SRS_BOUNDS_MAX];
      const int bound_count = sn__srs_bounds(&srs, &elbow[0], lower, upper, bound);
      double nearest = INFINITY;
      for (int j = 0; j < bound_count; j++) {
        nearest = fmin(nearest, hypot(bound[j].c - cos(swing), bound[j].s - sin(swing)));
      }
      sn_assert_near(nearest, 0.0, 1e-5);
    }
  }
}
