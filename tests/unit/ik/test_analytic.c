#include "ik/solvers.h"
#include "sinew/dense.h"
#include "sinew/kin.h"
#include "sn_arms.h"
#include "sn_queries.h"
#include "sn_test.h"

#define PI 3.14159265358979323846
/* Of a query. Where limits or the border of the workspace leave nothing better, an answer within it
   will do; everything else is exact to 1e-9. */
#define TOLERANCE 1e-5

static const sn_ik_solver *const solver = &sn__ik_analytic;

/* One instance at a time, in an arena that is sealed while it works. */
static unsigned char memory[1 << 16];
static sn_arena arena;

static void *solver_for(const sn_test_arm *arm) {
  sn_arena_init(&arena, "test", memory, sizeof memory);
  void *state = NULL;
  sn_error err;
  const sn_status status = solver->create(&arena, &arm->setup, &state, &err);
  if (status != SN_OK) {
    fail_msg("%s", err.message);
  }
  sn_arena_seal(&arena);
  return state;
}

static void random_pose(sn_random *random, const sn_test_arm *arm, double *q) {
  for (size_t i = 0; i < arm->count; i++) {
    q[i] = sn_random_between(random, fmax(arm->lower[i], -PI), fmin(arm->upper[i], PI));
  }
}

static void every_kind_of_six_joints_finds_where_it_was(void **state) {
  (void)state;
  sn_random random;
  sn_random_init(&random, 1);
  for (int kind = 0; kind < SN_ARM_6R_KINDS; kind++) {
    for (size_t n = sn_test_cases(15); n > 0; n--) {
      sn_test_arm arm;
      sn_test_arm_make(&arm, (sn_test_arm_kind)kind, &random, PI);
      void *instance = solver_for(&arm);
      for (int k = 0; k < 20; k++) {
        double q[6];
        random_pose(&random, &arm, q);
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

static void legs_and_seven_joints_find_a_way(void **state) {
  (void)state;
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
        random_pose(&random, &arm, q);
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

static void arms_with_one_pair_of_axes_that_meet_are_searched(void **state) {
  (void)state;
  static const struct {
    sn_test_arm_kind kind;
    const char *text;
  } kinds[] = {{SN_ARM_OFFSET_WRIST, "6R, intersecting axes 4-5, search along joint 6"},
               {SN_ARM_OFFSET_WRIST_REVERSE, "6R, intersecting axes 2-3, search along joint 1"},
               {SN_ARM_ONE_PAIR, "6R, intersecting axes 5-6, search along joint 4"}};
  sn_random random;
  sn_random_init(&random, 22);
  size_t asked_count = 0, missed_count = 0;
  for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
    for (size_t n = sn_test_cases(10); n > 0; n--) {
      sn_test_arm arm;
      sn_test_arm_make(&arm, kinds[kind].kind, &random, PI);
      void *instance = solver_for(&arm);
      if (strstr(solver->describe(instance), "nearly") != NULL) {
        continue; /* so would chance have it */
      }
      assert_string_equal(solver->describe(instance), kinds[kind].text);
      for (int k = 0; k < 10; k++) {
        double q[6];
        random_pose(&random, &arm, q);
        sn_test_query query;
        sn_test_query_init(&query, &arm, sn_chain_fk(&arm.chain, q));
        asked_count++;
        missed_count += !sn_test_query_ask(&query, solver, instance, true, TOLERANCE) ||
                        !sn_test_query_offers(&query, q, 1e-4);
      }
    }
  }
  /* Zeros closer together than a step of the search may be passed over. */
  print_message("%zu of %zu missed\n", missed_count, asked_count);
  assert_true(20 * missed_count <= asked_count);
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

static void no_solution_that_a_search_finds_is_missing(void **state) {
  (void)state;
  sn_random random;
  sn_random_init(&random, 3);
  size_t found_count = 0;
  for (int kind = 0; kind < SN_ARM_6R_KINDS; kind++) {
    for (size_t n = sn_test_cases(3); n > 0; n--) {
      sn_test_arm arm;
      sn_test_arm_make(&arm, (sn_test_arm_kind)kind, &random, PI);
      void *instance = solver_for(&arm);
      double q[6];
      random_pose(&random, &arm, q);
      sn_test_query query;
      sn_test_query_init(&query, &arm, sn_chain_fk(&arm.chain, q));
      sn_test_query_ask(&query, solver, instance, true, 1e-9);
      for (int start = 0; start < 60; start++) {
        random_pose(&random, &arm, q);
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

static void no_branch_is_offered_twice(void **state) {
  (void)state;
  sn_random random;
  sn_random_init(&random, 4);
  for (size_t n = sn_test_cases(200); n > 0; n--) {
    sn_test_arm arm;
    sn_test_arm_make(&arm, n % 2 == 0 ? SN_ARM_WRIST_RIGHT : SN_ARM_UR, &random, PI);
    void *instance = solver_for(&arm);
    double q[6];
    random_pose(&random, &arm, q);
    sn_test_query query;
    sn_test_query_init(&query, &arm, sn_chain_fk(&arm.chain, q));
    sn_test_query_ask(&query, solver, instance, true, 1e-9);
    const size_t count = query.offer_count;
    for (size_t i = 0; i + 1 < count; i++) {
      query.offer_count = i; /* look only at those before */
      assert_false(sn_test_query_offers(&query, query.offers[i], 1e-7));
    }
  }
}

/* Singular and aligned poses: stretched elbows, wrists in line, wrists above the shoulder. */
static void poses_at_multiples_of_45_degrees_are_reached(void **state) {
  (void)state;
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

static void nearly_exact_arms_are_solved_too(void **state) {
  (void)state;
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
        random_pose(&random, &arm, q);
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

static void what_is_only_nearly_so_is_said_to_be(void **state) {
  (void)state;
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

static void offers_come_nearest_to_the_seed_first(void **state) {
  (void)state;
  sn_random random;
  sn_random_init(&random, 8);
  for (size_t n = sn_test_cases(100); n > 0; n--) {
    sn_test_arm arm;
    sn_test_arm_make(&arm, SN_ARM_UR, &random, 2.0 * PI);
    void *instance = solver_for(&arm);
    double q[6], seed[6];
    random_pose(&random, &arm, q);
    for (int i = 0; i < 6; i++) {
      seed[i] = sn_random_between(&random, -2.0 * PI, 2.0 * PI);
    }
    sn_test_query query;
    sn_test_query_init(&query, &arm, sn_chain_fk(&arm.chain, q));
    query.query.seed = seed;
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

static void limits_of_the_query_are_kept(void **state) {
  (void)state;
  sn_random random;
  sn_random_init(&random, 9);
  size_t inside_count = 0, outside_count = 0;
  for (size_t n = sn_test_cases(200); n > 0; n--) {
    sn_test_arm arm;
    sn_test_arm_make(&arm, SN_ARM_WRIST_RIGHT, &random, PI);
    void *instance = solver_for(&arm);
    double q[6], seed[6], lower[6], upper[6];
    random_pose(&random, &arm, q);
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

/* In line, joints 4 and 6 turn about one axis: the seed says how they share. */
static void a_singular_wrist_stays_where_the_seed_has_it(void **state) {
  (void)state;
  sn_random random;
  sn_random_init(&random, 10);
  for (size_t n = sn_test_cases(100); n > 0; n--) {
    sn_test_arm arm;
    sn_test_arm_make(&arm, SN_ARM_WRIST_RIGHT, &random, PI);
    void *instance = solver_for(&arm);
    double q[6];
    random_pose(&random, &arm, q);
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

static void a_singular_wrist_leaves_the_seed_where_limits_demand_it(void **state) {
  (void)state;
  sn_random random;
  sn_random_init(&random, 11);
  for (size_t n = sn_test_cases(100); n > 0; n--) {
    sn_test_arm arm;
    sn_test_arm_make(&arm, SN_ARM_WRIST_RIGHT, &random, PI);
    arm.lower[5] = -0.5;
    arm.upper[5] = 0.5;
    void *instance = solver_for(&arm);
    double q[6];
    random_pose(&random, &arm, q);
    q[4] = 0.0; /* from the seed's joint 4 at 0, joint 6 is out of its limits most times */
    sn_test_query query;
    sn_test_query_init(&query, &arm, sn_chain_fk(&arm.chain, q));
    assert_true(sn_test_query_ask(&query, solver, instance, false, 1e-9));
  }
}

static void a_locked_joint_stays(void **state) {
  (void)state;
  static const sn_test_arm_kind kinds[] = {SN_ARM_SRS, SN_ARM_SHOULDER_7};
  sn_random random;
  sn_random_init(&random, 12);
  for (size_t n = sn_test_cases(20); n > 0; n--) {
    sn_test_arm arm;
    sn_test_arm_make(&arm, kinds[n % 2], &random, PI);
    void *instance = solver_for(&arm);
    for (int joint = 4; joint < 7; joint++) {
      double q[7], seed[7] = {0};
      random_pose(&random, &arm, q);
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

static void seven_joints_follow_a_path_without_jumps(void **state) {
  (void)state;
  sn_random random;
  sn_random_init(&random, 13);
  for (size_t n = sn_test_cases(20); n > 0; n--) {
    sn_test_arm arm;
    sn_test_arm_make(&arm, SN_ARM_SRS, &random, 2.0 * PI);
    void *instance = solver_for(&arm);
    double q[7];
    random_pose(&random, &arm, q);
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
static void an_elbow_squeezed_by_limits_is_found(void **state) {
  (void)state;
  sn_random random;
  sn_random_init(&random, 14);
  for (size_t n = sn_test_cases(300); n > 0; n--) {
    sn_test_arm arm;
    sn_test_arm_make(&arm, SN_ARM_SRS, &random, PI);
    void *instance = solver_for(&arm);
    double q[7], lower[7], upper[7], seed[7];
    random_pose(&random, &arm, q);
    for (int i = 0; i < 7; i++) { /* joint 1 fits only just */
      lower[i] = i == 0 ? q[i] - 0.004 : -PI;
      upper[i] = i == 0 ? q[i] + 0.004 : PI;
      seed[i] = i == 0 ? q[i] + 0.003 : 0.0;
    }
    sn_test_query query;
    sn_test_query_init(&query, &arm, sn_chain_fk(&arm.chain, q));
    query.query.seed = seed;
    query.query.lower = lower;
    query.query.upper = upper;
    assert_true(sn_test_query_ask(&query, solver, instance, false, 1e-9));
  }
}

static void a_free_axis_makes_five_joints_enough(void **state) {
  (void)state;
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
    random_pose(&random, &arm, q);
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

static void the_same_question_gets_the_same_answer(void **state) {
  (void)state;
  sn_random random;
  sn_random_init(&random, 16);
  for (size_t n = sn_test_cases(50); n > 0; n--) {
    sn_test_arm arm;
    sn_test_arm_make(&arm, n % 2 == 0 ? SN_ARM_UR : SN_ARM_SRS, &random, PI);
    sn_test_arm_bend(&arm, &random, 1e-3, 1e-3);
    void *instance = solver_for(&arm);
    double q[7];
    random_pose(&random, &arm, q);
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

static void out_of_reach_there_is_no_solution_but_a_pose_in_that_direction(void **state) {
  (void)state;
  static const sn_test_arm_kind kinds[] = {SN_ARM_UR, SN_ARM_WRIST, SN_ARM_LEG, SN_ARM_SRS,
                                           SN_ARM_SHOULDER_7};
  sn_random random;
  sn_random_init(&random, 17);
  for (size_t n = sn_test_cases(50); n > 0; n--) {
    sn_test_arm arm;
    sn_test_arm_make(&arm, kinds[n % 5], &random, PI);
    void *instance = solver_for(&arm);
    double q[7];
    random_pose(&random, &arm, q);
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

static void a_deadline_ends_the_search(void **state) {
  (void)state;
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

static void axes_that_it_cannot_free_are_refused(void **state) {
  (void)state;
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
  sn_error err;
  void *instance = NULL;
  sn_arena_init(&arena, "test", memory, sizeof memory);
  assert_int_equal(solver->create(&arena, &arm->setup, &instance, &err), SN_EUNSUPPORTED);
  sn_assert_contains(err.message, why);
  assert_null(instance);
}

static void what_has_no_closed_form_is_refused_with_a_reason(void **state) {
  (void)state;
  sn_random random;
  sn_random_init(&random, 20);
  sn_test_arm arm;
  sn_test_arm_make(&arm, SN_ARM_GENERAL_6R, &random, PI);
  assert_refused(&arm, "6R without closed form");
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

static void a_full_arena_is_reported(void **state) {
  (void)state;
  sn_random random;
  sn_random_init(&random, 21);
  sn_test_arm arm;
  sn_test_arm_make(&arm, SN_ARM_UR, &random, PI);
  sn_arena_init(&arena, "test", memory, 64);
  void *instance = NULL;
  sn_error err;
  assert_int_equal(solver->create(&arena, &arm.setup, &instance, &err), SN_ENOMEM);
  sn_assert_contains(err.message, "arena 'test'");
  assert_int_equal(sn_arena_used(&arena), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_kind_of_six_joints_finds_where_it_was),
      cmocka_unit_test(legs_and_seven_joints_find_a_way),
      cmocka_unit_test(arms_with_one_pair_of_axes_that_meet_are_searched),
      cmocka_unit_test(no_solution_that_a_search_finds_is_missing),
      cmocka_unit_test(no_branch_is_offered_twice),
      cmocka_unit_test(poses_at_multiples_of_45_degrees_are_reached),
      cmocka_unit_test(nearly_exact_arms_are_solved_too),
      cmocka_unit_test(what_is_only_nearly_so_is_said_to_be),
      cmocka_unit_test(offers_come_nearest_to_the_seed_first),
      cmocka_unit_test(limits_of_the_query_are_kept),
      cmocka_unit_test(a_singular_wrist_stays_where_the_seed_has_it),
      cmocka_unit_test(a_singular_wrist_leaves_the_seed_where_limits_demand_it),
      cmocka_unit_test(a_locked_joint_stays),
      cmocka_unit_test(seven_joints_follow_a_path_without_jumps),
      cmocka_unit_test(an_elbow_squeezed_by_limits_is_found),
      cmocka_unit_test(a_free_axis_makes_five_joints_enough),
      cmocka_unit_test(the_same_question_gets_the_same_answer),
      cmocka_unit_test(out_of_reach_there_is_no_solution_but_a_pose_in_that_direction),
      cmocka_unit_test(a_deadline_ends_the_search),
      cmocka_unit_test(axes_that_it_cannot_free_are_refused),
      cmocka_unit_test(what_has_no_closed_form_is_refused_with_a_reason),
      cmocka_unit_test(a_full_arena_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
