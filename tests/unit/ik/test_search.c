/* Arms without a closed form: all solutions, and the nearest of them. SINEW_TEST_SCALE=50 makes
   10^5 poses of any geometry. */
#include <math.h>

#include "ik/closed/search/zeros.h"
#include "ik/numeric/nearness.h"
#include "ik/solvers.h"
#include "sinew/kin.h"
#include "sn_arms.h"
#include "sn_queries.h"
#include "sn_test.h"

#define PI 3.14159265358979323846

/* A trigonometric polynomial by its zeros: the product of sin((x - zero) / 2). */
typedef struct product {
  int count;
  double zero[16];
} product;

static double product_at(const void *context, double x) {
  const product *p = context;
  double value = 1.0;
  for (int i = 0; i < p->count; i++) {
    value *= sin(0.5 * (x - p->zero[i]));
  }
  return value;
}

static bool contains(const sn__zeros *zeros, double x, double tol) {
  for (int i = 0; i < zeros->count; i++) {
    if (fabs(zeros->at[i] - x) <= tol) {
      return true;
    }
  }
  return false;
}

SN_TEST(every_zero_of_a_trigonometric_polynomial_is_found_once) {
  sn_random random;
  sn_random_init(&random, 31);
  for (size_t n = sn_test_cases(2000); n > 0; n--) {
    product p = {.count = 2 * (1 + (int)sn_random_below(&random, 4))};
    for (int i = 0; i < p.count; i++) {
      p.zero[i] = sn_random_between(&random, 0.01, 2.0 * PI - 0.01);
    }
    const double gap = pow(10.0, sn_random_between(&random, -4.0, -1.0));
    p.zero[1] = p.zero[0] + (p.zero[0] < PI ? gap : -gap); /* two close together */
    sn__zeros zeros = {.count = 0};
    assert_true(sn__zeros_find(product_at, &p, 0.0, 2.0 * PI, 96, &zeros));
    for (int i = 0; i < p.count; i++) {
      if (!contains(&zeros, p.zero[i], 1e-6)) {
        fail_msg("case %zu: zero %g of %d is missing, gap %g", n, p.zero[i], p.count, gap);
      }
    }
    assert_true(zeros.count <= p.count + 1);
  }
}

static double touching(const void *context, double x) {
  return 1.0 - cos(x - *(const double *)context);
}

static double above(const void *context, double x) {
  return 1.001 - cos(x - *(const double *)context);
}

SN_TEST(a_place_that_touches_zero_counts_and_one_above_does_not) {
  for (double at = 0.5; at < 6.0; at += 0.37) {
    sn__zeros zeros = {.count = 0};
    sn__zeros_find(touching, &at, 0.0, 2.0 * PI, 96, &zeros);
    assert_true(contains(&zeros, at, 1e-4));
    zeros.count = 0;
    assert_true(sn__zeros_find(above, &at, 0.0, 2.0 * PI, 96, &zeros));
    assert_int_equal(zeros.count, 0);
  }
}

static const sn_test_arm_kind offset_wrists[] = {SN_ARM_OFFSET_WRIST, SN_ARM_OFFSET_WRIST_REVERSE};

/* An arm of the kind; some turn out to have a closed form nearly, and are of no use here. */
static void *make_far(sn_test_arm *arm, sn_test_arm_kind kind, sn_random *random,
                      const sn_ik_solver *solver) {
  for (;;) {
    sn_test_arm_make(arm, kind, random, PI);
    void *instance = sn_test_solver_for(solver, arm);
    if (strstr(solver->describe(instance), "nearly") == NULL) {
      return instance;
    }
  }
}

SN_TEST(an_offset_wrist_never_loses_the_solution_that_made_the_target) {
  sn_random random;
  sn_random_init(&random, 32);
  for (size_t kind = 0; kind < 2; kind++) {
    for (size_t n = sn_test_cases(20); n > 0; n--) {
      sn_test_arm arm;
      void *instance = make_far(&arm, offset_wrists[kind], &random, &sn__ik_analytic);
      for (int k = 0; k < 50; k++) {
        double q[6];
        sn_test_arm_pose(&arm, &random, q);
        sn_test_query query;
        sn_test_query_init(&query, &arm, sn_chain_fk(&arm.chain, q));
        sn_test_query_ask(&query, &sn__ik_analytic, instance, true, 1e-8);
        if (!sn_test_query_offers(&query, q, 1e-4)) {
          fail_msg("%s, arm %zu, pose %d: %g %g %g %g %g %g is not among %zu",
                   sn__ik_analytic.describe(instance), n, k, q[0], q[1], q[2], q[3], q[4], q[5],
                   query.offer_count);
        }
      }
    }
  }
}

/* Share of 10000 poses whose own solution may be missing: where the arm is nearly singular, its
   polynomial is flat and the start may be polished to another solution. */
#define LOST_MAX 2.0

SN_TEST(an_arm_of_any_geometry_hardly_ever_loses_the_solution_that_made_the_target) {
  static const sn_test_arm_kind kinds[] = {SN_ARM_GENERAL_6R, SN_ARM_ONE_PAIR};
  sn_random random;
  sn_random_init(&random, 35);
  size_t pose_count = 0, lost_count = 0, most = 0;
  for (size_t n = sn_test_cases(40); n > 0; n--) {
    sn_test_arm arm;
    void *instance = make_far(&arm, kinds[n % 2], &random, &sn__ik_analytic);
    sn_assert_contains(sn__ik_analytic.describe(instance), "any geometry");
    for (int k = 0; k < 50; k++) {
      double q[6];
      sn_test_arm_pose(&arm, &random, q);
      sn_test_query query;
      sn_test_query_init(&query, &arm, sn_chain_fk(&arm.chain, q));
      sn_test_query_ask(&query, &sn__ik_analytic, instance, true, 1e-8);
      pose_count++;
      lost_count += sn_test_query_offers(&query, q, 1e-4) ? 0 : 1;
      most = query.offer_count > most ? query.offer_count : most;
    }
  }
  print_message("%zu of %zu lost; at most %zu solutions\n", lost_count, pose_count, most);
  assert_true((double)lost_count <= LOST_MAX * (double)pose_count / 10000.0);
  assert_true(most >= 8 && most <= 16);
}

/* What many descents from random starts find: it knows nothing of the elimination. */
SN_TEST(descent_from_random_starts_finds_no_other_solution) {
  sn_random random;
  sn_random_init(&random, 36);
  size_t found_count = 0, listed_count = 0;
  for (size_t n = sn_test_cases(6); n > 0; n--) {
    sn_test_arm arm;
    sn_test_arm_make(&arm, SN_ARM_GENERAL_6R, &random, PI);
    double q[6];
    sn_test_arm_pose(&arm, &random, q);
    static sn_test_query listed, found;
    sn_test_query_init(&listed, &arm, sn_chain_fk(&arm.chain, q));
    void *instance = sn_test_solver_for(&sn__ik_analytic, &arm);
    assert_true(sn_test_query_ask(&listed, &sn__ik_analytic, instance, true, 1e-8));
    instance = sn_test_solver_for(&sn__ik_numeric, &arm);
    sn_test_query_init(&found, &arm, sn_chain_fk(&arm.chain, q));
    found.query.restarts = true;
    assert_true(sn_test_query_ask(&found, &sn__ik_numeric, instance, true, 2e-5));
    for (size_t i = 0; i < found.offer_count; i++) {
      assert_true(sn_test_query_offers(&listed, found.offers[i], 1e-2));
    }
    found_count += found.offer_count;
    listed_count += listed.offer_count;
  }
  print_message("%zu listed, %zu found by descent\n", listed_count, found_count);
  assert_true(found_count * 10 >= listed_count * 9);
}

static double distance(const double *a, const double *b) {
  double sum = 0.0;
  for (int i = 0; i < 6; i++) {
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  }
  return sqrt(sum);
}

/* The list of all solutions is the oracle: it does not depend on where the descent of `auto`
 * arrives. */
SN_TEST(no_solution_is_nearer_to_the_seed_than_the_first) {
  sn_random random;
  sn_random_init(&random, 33);
  size_t far_count = 0;
  for (size_t n = sn_test_cases(20); n > 0; n--) {
    sn_test_arm arm;
    void *instance = make_far(&arm, offset_wrists[n % 2], &random, &sn__ik_auto);
    for (int k = 0; k < 20; k++) {
      double q[6], seed[6];
      sn_test_arm_pose(&arm, &random, q);
      sn_test_arm_pose(&arm, &random, seed);
      sn_test_query query;
      sn_test_query_init(&query, &arm, sn_chain_fk(&arm.chain, q));
      query.query.seed = seed;
      query.query.restarts = false;
      assert_true(sn_test_query_ask(&query, &sn__ik_auto, instance, false, 1e-5));
      const double first = distance(query.offers[0], seed);
      sn_test_query_init(&query, &arm, sn_chain_fk(&arm.chain, q));
      query.query.seed = seed;
      assert_true(sn_test_query_ask(&query, &sn__ik_auto, instance, true, 1e-5));
      for (size_t i = 0; i < query.offer_count; i++) {
        assert_true(distance(query.offers[i], seed) >= first - 1e-4);
      }
      far_count += first > 1.0 ? 1 : 0;
    }
  }
  assert_true(far_count > 50); /* where descent alone often arrives at another one */
}

/* What is proved near some seed, against the list of all solutions. */
typedef struct nearness {
  size_t asked, proved, disproved;
} nearness;

static void check_nearness(nearness *n, const sn__serial *serial, sn__serial_data *data,
                           const sn_test_query *all, const double *q, const double *seed) {
  const double own = distance(q, seed);
  double nearest = INFINITY;
  for (size_t i = 0; i < all->offer_count; i++) {
    double winding[6]; /* a whole turn away it is another solution, too */
    for (int j = 0; j < 6; j++) {
      winding[j] = seed[j] + remainder(all->offers[i][j] - seed[j], 2.0 * PI);
    }
    nearest = distance(winding, q) > 1e-4 ? fmin(nearest, distance(winding, seed)) : nearest;
  }
  const bool is_proved = sn__serial_is_nearest(serial, data, q, seed);
  assert_false(is_proved && nearest < own);
  n->asked++;
  n->proved += is_proved ? 1 : 0;
  n->disproved += nearest < own ? 1 : 0;
}

SN_TEST(a_solution_proved_to_be_the_nearest_is_so) {
  static unsigned char memory[1 << 14];
  static const double away[] = {0.02, 0.05, 0.1, 0.3, 1.0}; /* of seeds, rad in each joint */
  nearness n[5] = {{0}};
  sn_random random;
  sn_random_init(&random, 34);
  for (size_t arms = sn_test_cases(40); arms > 0; arms--) {
    sn_test_arm arm;
    void *instance = make_far(&arm, offset_wrists[arms % 2], &random, &sn__ik_analytic);
    sn_arena arena;
    sn_arena_init(&arena, "serial", memory, sizeof memory);
    sn__serial serial;
    sn__serial_data data;
    assert_true(sn__serial_create(&arena, &arm.chain, sn__serial_length(&arm.chain), &serial));
    assert_true(sn__serial_data_create(&arena, &serial, &data));
    for (int k = 0; k < 10; k++) {
      double q[6], seed[6];
      sn_test_arm_pose(&arm, &random, q);
      sn_test_query all;
      sn_test_query_init(&all, &arm, sn_chain_fk(&arm.chain, q));
      sn_test_query_ask(&all, &sn__ik_analytic, instance, true, 1e-8);
      for (int a = 0; a < 5; a++) {
        for (int s = 0; s < 20; s++) {
          for (int j = 0; j < 6; j++) {
            seed[j] = q[j] + sn_random_between(&random, -away[a], away[a]);
          }
          check_nearness(&n[a], &serial, &data, &all, q, seed);
        }
      }
    }
  }
  for (int a = 0; a < 5; a++) {
    print_message("%.2f rad: %zu seeds, %zu proved, %zu not so\n", away[a], n[a].asked, n[a].proved,
                  n[a].disproved);
  }
  assert_true(n[1].proved > n[1].asked / 2);
  assert_true(n[3].disproved > n[3].asked / 50); /* where a wrong proof would show */
}
