/* Seven joints: the nearest solution, and all for a given value of a joint. */
#include <math.h>

#include "ik/closed/slide.h"
#include "ik/solvers.h"
#include "sinew/kin.h"
#include "sn_arms.h"
#include "sn_queries.h"
#include "sn_test.h"

enum { JOINTS = 7 };
#define PI 3.14159265358979323846

static double distance(const double *a, const double *b) {
  double sum = 0.0;
  for (int i = 0; i < JOINTS; i++) {
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  }
  return sqrt(sum);
}

static double nearest_of(const sn_test_query *query, const double *seed) {
  double nearest = INFINITY;
  for (size_t i = 0; i < query->offer_count; i++) {
    nearest = fmin(nearest, distance(query->offers[i], seed));
  }
  return nearest;
}

/* What a query from a seed offers first, and the nearest of all that are listed. */
typedef struct answers {
  double first, listed;
} answers;

static answers ask_both(const sn_test_arm *arm, const sn_ik_solver *solver, void *instance,
                        const double *q, const double *seed) {
  static sn_test_query query;
  answers a;
  sn_test_query_init(&query, arm, sn_chain_fk(&arm->chain, q));
  query.query.seed = seed;
  assert_true(sn_test_query_ask(&query, solver, instance, false, 1e-5));
  a.first = distance(query.offers[0], seed);
  sn_test_query_init(&query, arm, sn_chain_fk(&arm->chain, q));
  query.query.seed = seed;
  assert_true(sn_test_query_ask(&query, solver, instance, true, 1e-5));
  a.listed = nearest_of(&query, seed);
  return a;
}

static const sn_test_arm_kind kinds[] = {SN_ARM_SRS, SN_ARM_SHOULDER_7};

SN_TEST(no_listed_solution_is_nearer_than_the_first) {
  sn_random random;
  sn_random_init(&random, 51);
  for (size_t n = sn_test_cases(20); n > 0; n--) {
    sn_test_arm arm;
    sn_test_arm_make(&arm, kinds[n % 2], &random, n % 3 == 0 ? 2.0 * PI : 2.0);
    void *instance = sn_test_solver_for(n % 4 < 2 ? &sn__ik_auto : &sn__ik_analytic, &arm);
    for (int k = 0; k < 10; k++) {
      double q[JOINTS], seed[JOINTS];
      sn_test_arm_pose(&arm, &random, q);
      sn_test_arm_pose(&arm, &random, seed);
      const answers a =
          ask_both(&arm, n % 4 < 2 ? &sn__ik_auto : &sn__ik_analytic, instance, q, seed);
      if (a.first > a.listed + 1e-6) {
        fail_msg("arm %zu, pose %d: %g, but %g is listed", n, k, a.first, a.listed);
      }
    }
  }
}

/* The nearest solution with one joint at a given value, over all its values: another way to the
   same minimum. */
static double nearest_by_locking(const sn_test_arm *arm, void *instance, const sn_pose *target,
                                 const double *seed, int joint) {
  static sn_test_query query;
  double nearest = INFINITY;
  bool locked[JOINTS] = {false};
  locked[joint] = true;
  for (double t = arm->lower[joint]; t <= arm->upper[joint]; t += 0.02) {
    double start[JOINTS];
    memcpy(start, seed, sizeof start);
    start[joint] = t;
    sn_test_query_init(&query, arm, *target);
    query.query.seed = start;
    query.query.locked = locked;
    if (sn_test_query_ask(&query, &sn__ik_analytic, instance, true, 1e-5)) {
      nearest = fmin(nearest, nearest_of(&query, seed));
    }
  }
  return nearest;
}

SN_TEST(steps_along_another_joint_hardly_ever_find_a_nearer_solution) {
  sn_random random;
  sn_random_init(&random, 52);
  const size_t cases = sn_test_cases(60);
  size_t farther_count[2] = {0, 0};
  for (size_t n = 0; n < cases; n++) {
    sn_test_arm arm;
    sn_test_arm_make(&arm, kinds[n % 2], &random, 2.0);
    void *instance = sn_test_solver_for(&sn__ik_analytic, &arm);
    double q[JOINTS], seed[JOINTS];
    sn_test_arm_pose(&arm, &random, q);
    sn_test_arm_pose(&arm, &random, seed);
    const sn_pose target = sn_chain_fk(&arm.chain, q);
    const answers a = ask_both(&arm, &sn__ik_analytic, instance, q, seed);
    const double oracle = nearest_by_locking(&arm, instance, &target, seed, 6);
    farther_count[n % 2] += a.first > oracle + 1e-3 ? 1 : 0;
  }
  print_message("of %zu each, not the nearest: %zu with spherical shoulder and wrist, %zu others\n",
                cases / 2, farther_count[0], farther_count[1]);
  assert_true(farther_count[0] * 100 <= cases);
  assert_true(farther_count[1] * 40 <= cases);
}

/* The pose that made the target, for its own value of any joint that leaves a closed form. */
SN_TEST(a_given_value_of_the_redundancy_lists_the_solution_that_made_the_target) {
  sn_random random;
  sn_random_init(&random, 53);
  for (size_t n = sn_test_cases(100); n > 0; n--) {
    sn_test_arm arm;
    sn_test_arm_make(&arm, kinds[n % 2], &random, PI);
    void *instance = sn_test_solver_for(&sn__ik_auto, &arm);
    for (int joint = 4; joint < JOINTS; joint++) {
      double q[JOINTS], seed[JOINTS] = {0};
      bool locked[JOINTS] = {false};
      sn_test_arm_pose(&arm, &random, q);
      seed[joint] = q[joint];
      locked[joint] = true;
      sn_test_query query;
      sn_test_query_init(&query, &arm, sn_chain_fk(&arm.chain, q));
      query.query.seed = seed;
      query.query.locked = locked;
      assert_true(sn_test_query_ask(&query, &sn__ik_auto, instance, true, 1e-9));
      if (!sn_test_query_offers(&query, q, 1e-4)) {
        fail_msg("arm %zu, joint %d: not among %zu", n, joint, query.offer_count);
      }
    }
  }
}

/* Along the curve, both sides of a minimum are farther. */
SN_TEST(a_slide_ends_at_a_local_minimum) {
  sn_random random;
  sn_random_init(&random, 54);
  size_t moved_count = 0;
  for (size_t n = sn_test_cases(200); n > 0; n--) {
    sn_test_arm arm;
    sn_test_arm_make(&arm, kinds[n % 2], &random, 1e3);
    sn__frames frames;
    sn__frames_init(&frames, &arm.chain, false, -1);
    double q[JOINTS], prefer[JOINTS];
    sn_test_arm_pose(&arm, &random, q);
    for (int i = 0; i < JOINTS; i++) {
      prefer[i] = q[i] + sn_random_between(&random, -0.3, 0.3);
    }
    sn__slide slide;
    sn__slide_init(&slide, &frames, sn_chain_fk(&arm.chain, q), arm.lower, arm.upper, prefer);
    if (!sn__slide_run(&slide, q)) {
      continue;
    }
    moved_count++;
    sn__tangent tangent;
    assert_true(sn__slide_tangent(&slide, q, &tangent));
    for (int i = 0; i < JOINTS; i++) {
      sn_assert_near(tangent.toward[i], 0.0, 1e-4);
      sn_assert_near(tangent.fix[i], 0.0, 1e-8);
    }
  }
  assert_true(moved_count > sn_test_cases(100));
}

/* The bound of slide.h against the list of solutions with a fine step. */
SN_TEST(no_solution_is_nearer_than_one_within_its_isolation) {
  sn_random random;
  sn_random_init(&random, 55);
  size_t proven_count = 0;
  for (size_t n = sn_test_cases(40); n > 0; n--) {
    sn_test_arm arm;
    sn_test_arm_make(&arm, kinds[n % 2], &random, PI);
    arm.setup.search_discretization = 0.02;
    void *instance = sn_test_solver_for(&sn__ik_analytic, &arm);
    sn__frames frames;
    sn__frames_init(&frames, &arm.chain, false, -1);
    double q[JOINTS], seed[JOINTS];
    sn_test_arm_pose(&arm, &random, q);
    const double size = pow(10.0, sn_random_between(&random, -3.0, -0.5));
    for (int i = 0; i < JOINTS; i++) {
      seed[i] = fmin(PI, fmax(-PI, q[i] + sn_random_between(&random, -size, size)));
    }
    const sn_pose target = sn_chain_fk(&arm.chain, q);
    static const double lower[] = {-9, -9, -9, -9, -9, -9, -9}, upper[] = {9, 9, 9, 9, 9, 9, 9};
    sn__slide slide;
    sn__slide_init(&slide, &frames, target, lower, upper, seed);
    (void)sn__slide_run(&slide, q);
    const double reached = distance(q, seed);
    if (reached > sn__slide_isolation(&slide, q)) {
      continue;
    }
    proven_count++;
    sn_test_query query;
    sn_test_query_init(&query, &arm, target);
    query.query.seed = seed;
    sn_test_query_ask(&query, &sn__ik_analytic, instance, true, 1e-5);
    assert_true(nearest_of(&query, seed) >= reached - 1e-6);
  }
  assert_true(proven_count > 5);
}
