#include "ik/closed/closed_6r.h"
#include "ik/closed/geometry/frames.h"
#include "ik/solvers.h"
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

/* Singular and aligned poses: stretched elbows, wrists in line, wrists above the shoulder. */
SN_TEST(poses_at_multiples_of_45_degrees_are_reached) {
  static const sn_test_arm_kind kinds[] = {SN_ARM_WRIST_RIGHT, SN_ARM_UR, SN_ARM_WRIST,
                                           SN_ARM_PARALLEL_345, SN_ARM_SHOULDER};
  sn_random random;
  sn_random_init(&random, 5);
  for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
    sn_test_arm arm;
    sn_test_arm_make(&arm, kinds[kind], &random, PI);
    void *instance = solver_for(&arm);
    for (size_t n = sn_test_cases(1000); n > 0; n--) {
      double q[6];
      for (int i = 0; i < 6; i++) {
        q[i] = 0.25 * PI * ((double)sn_random_below(&random, 9) - 4.0);
      }
      sn_test_query query;
      sn_test_query_init(&query, &arm, sn_chain_fk(&arm.chain, q));
      if (!sn_test_query_ask(&query, solver, instance, false, TOLERANCE)) {
        fail_msg("%s: %g %g %g %g %g %g", solver->describe(instance), q[0], q[1], q[2], q[3], q[4],
                 q[5]);
      }
    }
  }
}

SN_TEST(nearly_exact_arms_are_solved_too) {
  static const sn_test_arm_kind kinds[] = {SN_ARM_WRIST_RIGHT, SN_ARM_UR,  SN_ARM_PARALLEL_345,
                                           SN_ARM_SHOULDER,    SN_ARM_SRS, SN_ARM_LEG};
  sn_random random;
  sn_random_init(&random, 6);
  size_t asked_count = 0, missed_count = 0;
  for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
    for (size_t n = sn_test_cases(10); n > 0; n--) {
      sn_test_arm arm;
      sn_test_arm_make(&arm, kinds[kind], &random, PI);
      sn_test_arm_bend(&arm, &random, 1e-3, 0.1 * PI / 180.0);
      void *instance = solver_for(&arm);
      for (int k = 0; k < 100; k++) {
        double q[7];
        sn_test_arm_pose(&arm, &random, q);
        sn_test_query query;
        sn_test_query_init(&query, &arm, sn_chain_fk(&arm.chain, q));
        asked_count++;
        if (!sn_test_query_ask(&query, solver, instance, false, TOLERANCE)) {
          print_message("%s, arm %zu, pose %d\n", solver->describe(instance), n, k);
          missed_count++;
        }
      }
    }
  }
  /* Newton's method comes without a guarantee where two singularities nearly coincide. */
  assert_true(10000 * missed_count <= asked_count);
}

/* In line, joints 4 and 6 turn about one axis: the seed decides how they share the rotation. The
 * same holds for a UR where axis 6 is parallel to axes 2, 3, 4. */
SN_TEST(a_singular_wrist_stays_where_the_seed_has_it) {
  sn_random random;
  sn_random_init(&random, 10);
  for (size_t n = sn_test_cases(100); n > 0; n--) {
    sn_test_arm arm;
    sn_test_arm_make(&arm, n % 2 == 0 ? SN_ARM_WRIST_RIGHT : SN_ARM_UR, &random, PI);
    void *instance = solver_for(&arm);
    double q[6];
    sn_test_arm_pose(&arm, &random, q);
    q[4] = 0.0;
    sn_test_query query;
    sn_test_query_init(&query, &arm, sn_chain_fk(&arm.chain, q));
    query.query.seed = q;
    assert_true(sn_test_query_ask(&query, solver, instance, false, 1e-9));
    for (int i = 0; i < 6; i++) {
      sn_assert_near(query.offers[0][i], q[i], 1e-6);
    }
  }
}

/* Without polish: cosines alone would leave an error of 1e-8. */
SN_TEST(near_a_singular_wrist_the_closed_form_keeps_its_digits) {
  sn_random random;
  sn_random_init(&random, 12);
  size_t lost_count = 0;
  for (size_t n = sn_test_cases(300); n > 0; n--) {
    sn_test_arm chain;
    sn_test_arm_make(&chain, n % 2 == 0 ? SN_ARM_WRIST_RIGHT : SN_ARM_UR, &random, PI);
    sn__arm arm;
    sn__frames frames;
    static sn__closed_6r six;
    sn__arm_init(&arm, &chain.chain);
    sn__frames_init(&frames, &chain.chain, false, -1);
    sn__closed_6r_init(&six, &arm, sn__closed_6r_recognise(&arm, (sn__tolerance){1e-9, 1e-9}));
    double q[6];
    sn_test_arm_pose(&chain, &random, q);
    q[4] = pow(10.0, sn_random_between(&random, -9.0, -5.0));
    const sn_pose target = sn_chain_fk(&chain.chain, q);
    sn__turn prefer[6];
    for (int i = 0; i < 6; i++) {
      prefer[i] = sn__turn_of(q[i]);
    }
    sn__branches branches;
    sn__branches_start(&branches, NULL);
    sn__closed_6r_solve(&six, target, 1e-9, prefer, &branches);
    double best = INFINITY;
    for (int i = 0; i < branches.count; i++) {
      const sn_pose tip = sn__frames_tip(&frames, branches.turn[i]);
      best = fmin(best, sn__miss_norm(sn__frames_miss(&frames, tip, target)));
    }
    lost_count += best > 1e-11;
  }
  /* A second singularity close by may still cost digits. */
  assert_true(50 * lost_count <= sn_test_cases(300));
}

SN_TEST(a_singular_wrist_leaves_the_seed_where_limits_demand_it) {
  sn_random random;
  sn_random_init(&random, 11);
  for (size_t n = sn_test_cases(100); n > 0; n--) {
    sn_test_arm arm;
    sn_test_arm_make(&arm, SN_ARM_WRIST_RIGHT, &random, PI);
    arm.lower[5] = -0.5;
    arm.upper[5] = 0.5;
    void *instance = solver_for(&arm);
    double q[6];
    sn_test_arm_pose(&arm, &random, q);
    q[4] = 0.0; /* from the seed's joint 4 at 0, joint 6 is out of its limits most times */
    sn_test_query query;
    sn_test_query_init(&query, &arm, sn_chain_fk(&arm.chain, q));
    assert_true(sn_test_query_ask(&query, solver, instance, false, 1e-9));
  }
}
