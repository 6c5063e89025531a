#include "ik/solvers.h"
#include "sinew/dense.h"
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

SN_TEST(every_kind_of_six_joints_finds_the_original_pose) {
  sn_random random;
  sn_random_init(&random, 1);
  for (int kind = 0; kind < SN_ARM_6R_KINDS; kind++) {
    for (size_t n = sn_test_cases(15); n > 0; n--) {
      sn_test_arm arm;
      sn_test_arm_make(&arm, (sn_test_arm_kind)kind, &random, PI);
      void *instance = solver_for(&arm);
      for (int k = 0; k < 20; k++) {
        double q[6];
        sn_test_arm_pose(&arm, &random, q);
        sn_test_query query;
        sn_test_query_init(&query, &arm, sn_chain_fk(&arm.chain, q));
        if (!sn_test_query_ask(&query, solver, instance, true, 1e-9) ||
            !sn_test_query_offers(&query, q, 1e-4)) {
          fail_msg("kind %d (%s), arm %zu, pose %d", kind, solver->describe(instance), n, k);
        }
        assert_true(sn_test_query_ask(&query, solver, instance, false, 1e-9));
        assert_int_equal(query.offer_count, 1);
      }
    }
  }
}

/* Oracle: damped Newton from a random pose. @return true at a solution */
static bool newton(const sn_test_arm *arm, sn_pose target, double *q) {
  for (int iteration = 0; iteration < 100; iteration++) {
    sn_pose tip;
    double jac[36], normal[36], e[6];
    sn_chain_fk_jacobian(&arm->chain, q, &tip, jac);
    const sn_vec3 turn = sn_mat3_log(sn_mat3_mul(target.rot, sn_mat3_transpose(tip.rot)));
    const sn_vec3 shift = sn_vec3_sub(target.pos, tip.pos);
    const double error[6] = {turn.x, turn.y, turn.z, shift.x, shift.y, shift.z};
    double norm2 = 0.0;
    for (int i = 0; i < 6; i++) {
      norm2 += error[i] * error[i];
      e[i] = error[i];
    }
    if (norm2 < 1e-20) {
      return true;
    }
    for (int i = 0; i < 6; i++) {
      for (int j = 0; j < 6; j++) {
        normal[i * 6 + j] = i == j ? 0.01 * norm2 : 0.0;
        for (int k = 0; k < 6; k++) {
          normal[i * 6 + j] += jac[i * 6 + k] * jac[j * 6 + k];
        }
      }
    }
    if (!sn_cholesky_factor(6, normal)) {
      return false;
    }
    sn_cholesky_solve(6, normal, e);
    for (int j = 0; j < 6; j++) {
      for (int i = 0; i < 6; i++) {
        q[j] += jac[i * 6 + j] * e[i];
      }
    }
  }
  return false;
}

SN_TEST(no_solution_that_a_search_finds_is_missing) {
  sn_random random;
  sn_random_init(&random, 3);
  size_t found_count = 0;
  for (int i = 0; i < SN_ARM_6R_KINDS + 2; i++) {
    const int kind = i < SN_ARM_6R_KINDS    ? i
                     : i == SN_ARM_6R_KINDS ? SN_ARM_OFFSET_WRIST
                                            : SN_ARM_OFFSET_WRIST_REVERSE;
    for (size_t n = sn_test_cases(3); n > 0; n--) {
      sn_test_arm arm;
      sn_test_arm_make(&arm, (sn_test_arm_kind)kind, &random, PI);
      void *instance = solver_for(&arm);
      double q[6];
      sn_test_arm_pose(&arm, &random, q);
      sn_test_query query;
      sn_test_query_init(&query, &arm, sn_chain_fk(&arm.chain, q));
      sn_test_query_ask(&query, solver, instance, true, 1e-9);
      for (int start = 0; start < 60; start++) {
        sn_test_arm_pose(&arm, &random, q);
        if (newton(&arm, query.target, q)) {
          found_count++;
          if (!sn_test_query_offers(&query, q, 1e-4)) {
            fail_msg("kind %d, arm %zu: a solution is not among the %zu offered", kind, n,
                     query.offer_count);
          }
        }
      }
    }
  }
  assert_true(found_count > 500);
}

SN_TEST(no_branch_is_offered_twice) {
  sn_random random;
  sn_random_init(&random, 4);
  for (size_t n = sn_test_cases(200); n > 0; n--) {
    sn_test_arm arm;
    sn_test_arm_make(&arm, n % 2 == 0 ? SN_ARM_WRIST_RIGHT : SN_ARM_UR, &random, PI);
    void *instance = solver_for(&arm);
    double q[6];
    sn_test_arm_pose(&arm, &random, q);
    q[n % 2 == 0 ? 4 : 2] = 0.0; /* wrist in line, elbow stretched: branches coincide */
    sn_test_query query;
    sn_test_query_init(&query, &arm, sn_chain_fk(&arm.chain, q));
    sn_test_query_ask(&query, solver, instance, true, 1e-8);
    const size_t count = query.offer_count;
    for (size_t i = 0; i < count; i++) {
      query.offer_count = i; /* look only at those before */
      assert_false(sn_test_query_offers(&query, query.offers[i], 1e-7));
    }
  }
}

SN_TEST(near_forms_are_described_as_near) {
  sn_random random;
  sn_random_init(&random, 7);
  sn_test_arm arm;
  sn_test_arm_make(&arm, SN_ARM_WRIST_RIGHT, &random, PI);
  assert_string_equal(solver->describe(solver_for(&arm)), "6R, spherical wrist, parallel axes 2-3");
  sn_test_arm_bend(&arm, &random, 5e-4, 1e-3);
  assert_string_equal(solver->describe(solver_for(&arm)),
                      "6R, nearly spherical wrist, parallel axes 2-3");
  sn_test_arm_make(&arm, SN_ARM_SRS, &random, PI);
  assert_string_equal(solver->describe(solver_for(&arm)),
                      "7R, spherical shoulder and wrist (elbow angle)");
  sn_test_arm_make(&arm, SN_ARM_SHOULDER_7, &random, PI);
  sn_assert_contains(solver->describe(solver_for(&arm)), "-> 6R, spherical shoulder");
  sn_test_arm_make(&arm, SN_ARM_LEG, &random, PI);
  assert_string_equal(solver->describe(solver_for(&arm)), "3R leg, position");
}

SN_TEST(offers_come_nearest_to_the_seed_first) {
  sn_random random;
  sn_random_init(&random, 8);
  for (size_t n = sn_test_cases(100); n > 0; n--) {
    sn_test_arm arm;
    sn_test_arm_make(&arm, SN_ARM_UR, &random, 2.0 * PI);
    void *instance = solver_for(&arm);
    double q[6], seed[6];
    sn_test_arm_pose(&arm, &random, q);
    for (int i = 0; i < 6; i++) {
      seed[i] = sn_random_between(&random, -2.0 * PI, 2.0 * PI);
    }
    sn_test_query query;
    sn_test_query_init(&query, &arm, sn_chain_fk(&arm.chain, q));
    /* what is preferred is the nominal pose if there is one */
    query.query.seed = n % 2 == 0 ? seed : q;
    query.query.nominal = n % 2 == 0 ? NULL : seed;
    sn_test_query_ask(&query, solver, instance, true, 1e-9);
    double before = 0.0;
    for (size_t i = 0; i < query.offer_count; i++) {
      double distance = 0.0;
      for (int j = 0; j < 6; j++) {
        const double away = query.offers[i][j] - seed[j];
        distance += away * away;
        /* no whole turn nearer is inside the limits */
        const double nearer = query.offers[i][j] - copysign(2.0 * PI, away);
        assert_true(fabs(away) <= PI + 1e-9 || fabs(nearer) > 2.0 * PI);
      }
      assert_true(distance >= before);
      before = distance;
    }
  }
}

SN_TEST(limits_of_the_query_are_kept) {
  sn_random random;
  sn_random_init(&random, 9);
  size_t inside_count = 0, outside_count = 0;
  for (size_t n = sn_test_cases(200); n > 0; n--) {
    sn_test_arm arm;
    sn_test_arm_make(&arm, SN_ARM_WRIST_RIGHT, &random, PI);
    void *instance = solver_for(&arm);
    double q[6], seed[6], lower[6], upper[6];
    sn_test_arm_pose(&arm, &random, q);
    for (int i = 0; i < 6; i++) { /* a narrow box that contains the pose or not */
      seed[i] = q[i] + sn_random_between(&random, -0.11, 0.11);
      lower[i] = seed[i] - 0.1;
      upper[i] = seed[i] + 0.1;
    }
    sn_test_query query;
    sn_test_query_init(&query, &arm, sn_chain_fk(&arm.chain, q));
    query.query.seed = seed;
    query.query.lower = lower;
    query.query.upper = upper;
    bool is_inside = true;
    for (int i = 0; i < 6; i++) {
      is_inside &= q[i] >= lower[i] && q[i] <= upper[i];
    }
    const bool found = sn_test_query_ask(&query, solver, instance, true, TOLERANCE);
    assert_true(found || !is_inside);
    inside_count += is_inside;
    outside_count += !found;
  }
  assert_true(inside_count > 50);
  assert_true(outside_count > 30);
}

SN_TEST(the_same_query_gets_the_same_answer) {
  sn_random random;
  sn_random_init(&random, 16);
  for (size_t n = sn_test_cases(50); n > 0; n--) {
    sn_test_arm arm;
    sn_test_arm_make(&arm, n % 2 == 0 ? SN_ARM_UR : SN_ARM_SRS, &random, PI);
    sn_test_arm_bend(&arm, &random, 1e-3, 1e-3);
    void *instance = solver_for(&arm);
    double q[7];
    sn_test_arm_pose(&arm, &random, q);
    static sn_test_query first, second;
    sn_test_query_init(&first, &arm, sn_chain_fk(&arm.chain, q));
    sn_test_query_init(&second, &arm, first.target);
    sn_test_query_ask(&first, solver, instance, true, TOLERANCE);
    sn_test_query_ask(&second, solver, instance, true, TOLERANCE);
    assert_int_equal(first.offer_count, second.offer_count);
    for (size_t i = 0; i < first.offer_count; i++) {
      assert_memory_equal(first.offers[i], second.offers[i], arm.count * sizeof(double));
    }
  }
}

SN_TEST(out_of_reach_there_is_no_solution_but_a_pose_in_that_direction) {
  static const sn_test_arm_kind kinds[] = {SN_ARM_UR, SN_ARM_WRIST, SN_ARM_LEG, SN_ARM_SRS,
                                           SN_ARM_SHOULDER_7};
  sn_random random;
  sn_random_init(&random, 17);
  for (size_t n = sn_test_cases(50); n > 0; n--) {
    sn_test_arm arm;
    sn_test_arm_make(&arm, kinds[n % 5], &random, PI);
    void *instance = solver_for(&arm);
    double q[7];
    sn_test_arm_pose(&arm, &random, q);
    sn_pose target = sn_chain_fk(&arm.chain, q);
    target.pos = sn_vec3_scale(target.pos, 4.0 / sn_vec3_norm(target.pos));
    sn_test_query query;
    sn_test_query_init(&query, &arm, target);
    assert_false(sn_test_query_ask(&query, solver, instance, false, 1e-9));
    assert_int_equal(query.code, SN_IK_NO_SOLUTION);
    double approximate[7], error = INFINITY;
    query.query.approximate = approximate;
    query.query.approximate_error = &error;
    assert_false(sn_test_query_ask(&query, solver, instance, false, 1e-9));
    const sn_pose tip = sn_chain_fk(&arm.chain, approximate);
    const double distance = sn_vec3_norm(sn_vec3_sub(tip.pos, target.pos));
    assert_true(distance <= error + 1e-9);
    if (!(distance < 4.0)) { /* nearer than the base */
      fail_msg("%s: %g m away, error %g", solver->describe(instance), distance, error);
    }
    for (size_t i = 0; i < arm.count; i++) {
      assert_true(fabs(approximate[i]) <= PI);
    }
  }
}

SN_TEST(a_deadline_ends_the_search) {
  sn_random random;
  sn_random_init(&random, 18);
  sn_test_arm arm;
  sn_test_arm_make(&arm, SN_ARM_SHOULDER_7, &random, PI);
  void *instance = solver_for(&arm);
  sn_pose target = sn_pose_identity();
  target.pos = sn_vec3_make(9, 9, 9);
  sn_test_query query;
  sn_test_query_init(&query, &arm, target);
  query.query.deadline_ns = 0;
  assert_false(sn_test_query_ask(&query, solver, instance, false, 1e-9));
  assert_int_equal(query.code, SN_IK_TIMED_OUT);
}

SN_TEST(axes_that_cannot_be_free_are_rejected) {
  sn_random random;
  sn_random_init(&random, 19);
  sn_test_arm arm;
  sn_test_arm_make(&arm, SN_ARM_LEG, &random, PI);
  void *instance = solver_for(&arm);
  const double q[3] = {0.1, 0.2, 0.3};
  sn_test_query query;
  sn_test_query_init(&query, &arm, sn_chain_fk(&arm.chain, q));
  query.query.free_axes = 0;
  assert_false(sn_test_query_ask(&query, solver, instance, false, 1e-9));
  assert_int_equal(query.code, SN_IK_NO_SOLUTION);
}

static void assert_refused(const sn_test_arm *arm, const char *why) {
  char reason[160];
  assert_false(solver->supports(&arm->setup, reason, sizeof reason));
  sn_assert_contains(reason, why);
  static unsigned char memory[1 << 16];
  sn_arena arena;
  sn_error err;
  void *instance = NULL;
  sn_arena_init(&arena, "test", memory, sizeof memory);
  assert_int_equal(solver->create(&arena, &arm->setup, &instance, &err), SN_EUNSUPPORTED);
  sn_assert_contains(err.message, why);
  assert_null(instance);
}

SN_TEST(arms_without_a_closed_form_are_rejected_with_a_reason) {
  sn_random random;
  sn_random_init(&random, 20);
  sn_test_arm arm;
  const sn_vec3 z[6] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
  const sn_vec3 row[6] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {4, 0, 0}, {5, 0, 0}};
  sn_test_arm_init(&arm, 6, z, row, sn_pose_identity(), PI); /* does not leave its plane */
  assert_refused(&arm, "6R without a closed form");
  sn_test_arm_make(&arm, SN_ARM_WRIST, &random, PI);
  arm.prismatic[2] = true;
  assert_refused(&arm, "joint 3 of the chain slides");
  sn_test_arm_make(&arm, SN_ARM_WRIST, &random, PI);
  arm.chain.tree.has_mimic = true;
  assert_refused(&arm, "mimics");
  sn_test_arm_make(&arm, SN_ARM_WRIST, &random, PI);
  arm.setup.tip_count = 2;
  assert_refused(&arm, "2 tips");
  const sn_vec3 h[2] = {{0, 0, 1}, {0, 1, 0}}, r[2] = {{0, 0, 0}, {1, 0, 0}};
  sn_test_arm_init(&arm, 2, h, r, sn_pose_identity(), PI);
  assert_refused(&arm, "2 joints");
}

SN_TEST(a_full_arena_is_reported) {
  sn_random random;
  sn_random_init(&random, 21);
  sn_test_arm arm;
  sn_test_arm_make(&arm, SN_ARM_UR, &random, PI);
  unsigned char memory[64];
  sn_arena arena;
  sn_arena_init(&arena, "test", memory, sizeof memory);
  void *instance = NULL;
  sn_error err;
  assert_int_equal(solver->create(&arena, &arm.setup, &instance, &err), SN_ENOMEM);
  sn_assert_contains(err.message, "arena 'test'");
  assert_int_equal(sn_arena_used(&arena), 0);
}
