/* Seven joints: the nearest solution, and all for a given value of a joint. */
#include <math.h>

#include "ik/closed/nearness_7r.h"
#include "ik/closed/polish.h"
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

/* The proof of nearness_7r.h against the list of solutions with a fine step. */
SN_TEST(no_solution_is_nearer_than_one_that_is_proven_to_be_the_nearest) {
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
    if (!sn__nearness_7r_is_proven(&slide, q)) {
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

static const double no_lower[] = {-99, -99, -99, -99, -99, -99, -99};
static const double no_upper[] = {99, 99, 99, 99, 99, 99, 99};

/* The direction of the curve through q, of length 1. */
static void find_direction(const sn__slide *slide, const double *q, double *out) {
  double other[JOINTS], squares = 0.0;
  for (int j = 0; j < JOINTS; j++) {
    other[j] = q[j] + (j % 2 == 0 ? 1.0 : -0.7);
  }
  sn__slide along = *slide;
  along.prefer = other;
  sn__tangent t;
  assert_true(sn__slide_tangent(&along, q, &t));
  for (int j = 0; j < JOINTS; j++) {
    squares += t.toward[j] * t.toward[j];
  }
  for (int j = 0; j < JOINTS; j++) {
    out[j] = t.toward[j] / sqrt(squares);
  }
}

/* A solution about @p step along the curve. */
static bool step_along(const sn__slide *slide, const double *q, const double *direction,
                       double step, double *next) {
  for (int j = 0; j < JOINTS; j++) {
    next[j] = q[j] + step * direction[j];
  }
  return sn__miss_norm(sn__frames_polish(slide->frames, slide->target, no_lower, no_upper, 1e-14,
                                         30, next)) < 1e-12;
}

/* The bend of the curve: its second derivative by its length, across it. @return its square */
static double find_bend(const sn__slide *slide, const double *q, double *bend) {
  const double step = 1e-3;
  double t[JOINTS], ahead[JOINTS], behind[JOINTS], along = 0.0, squares = 0.0;
  find_direction(slide, q, t);
  assert_true(step_along(slide, q, t, step, ahead) && step_along(slide, q, t, -step, behind));
  for (int j = 0; j < JOINTS; j++) {
    bend[j] = (ahead[j] - 2.0 * q[j] + behind[j]) / (step * step);
    along += bend[j] * t[j];
  }
  for (int j = 0; j < JOINTS; j++) {
    bend[j] -= along * t[j];
    squares += bend[j] * bend[j];
  }
  return squares;
}

/* A solution where the curve bends more than at 50 others. What is preferred lies where it bends
   to, so that q is a stationary point of the distance, but not the nearest if it is farther away
   than the radius of the bend. */
static void draw_beyond_bend(sn__slide *slide, const sn_test_arm *arm, sn_random *random, double *q,
                             double *prefer) {
  double most = 0.0, best[JOINTS] = {0.0}, bend[JOINTS];
  for (int k = 0; k < 50; k++) {
    sn_test_arm_pose(arm, random, q);
    slide->target = sn_chain_fk(&arm->chain, q);
    const double squares = find_bend(slide, q, bend);
    if (squares > most) {
      most = squares;
      memcpy(best, q, sizeof best);
    }
  }
  memcpy(q, best, sizeof best);
  slide->target = sn_chain_fk(&arm->chain, q);
  const double squares = find_bend(slide, q, bend);
  const double scale = pow(10.0, sn_random_between(random, -2.0, 0.3)) / squares;
  for (int j = 0; j < JOINTS; j++) {
    prefer[j] = q[j] + scale * bend[j];
  }
}

/* The least distance from `prefer` along the curve through q, up to twice as far as q is. */
static double nearest_on_curve(const sn__slide *slide, const double *q) {
  const double reached = distance(q, slide->prefer);
  double nearest = reached, t[JOINTS], next[JOINTS];
  find_direction(slide, q, t);
  for (int k = -20; k <= 20; k++) {
    if (step_along(slide, q, t, 0.1 * k * reached, next)) {
      nearest = fmin(nearest, distance(next, slide->prefer));
    }
  }
  return nearest;
}

SN_TEST(a_proof_holds_along_the_curve_where_it_bends) {
  sn_random random;
  sn_random_init(&random, 56);
  size_t proven_count = 0, wrong_count = 0;
  for (size_t n = sn_test_cases(200); n > 0; n--) {
    sn_test_arm arm;
    sn_test_arm_make(&arm, kinds[n % 2], &random, PI);
    sn__frames frames;
    sn__frames_init(&frames, &arm.chain, false, -1);
    double q[JOINTS], prefer[JOINTS];
    sn__slide slide;
    sn__slide_init(&slide, &frames, sn_pose_identity(), no_lower, no_upper, prefer);
    draw_beyond_bend(&slide, &arm, &random, q, prefer);
    const bool is_proven = sn__nearness_7r_is_proven(&slide, q);
    const bool is_nearest = nearest_on_curve(&slide, q) >= distance(q, prefer) - 1e-9;
    proven_count += is_proven ? 1 : 0;
    wrong_count += is_nearest ? 0 : 1;
    assert_true(is_nearest || !is_proven);
  }
  print_message("%zu proven, %zu are not the nearest\n", proven_count, wrong_count);
  assert_true(proven_count > sn_test_cases(200) / 50 && wrong_count > sn_test_cases(200) / 50);
}

/* y . p(x) + <[w] R, R(x)> / 2 */
static double product(const sn__frames *frames, const double *x, const double l[6], sn_mat3 r) {
  sn_vec3 axis[JOINTS], place[JOINTS];
  const sn_pose tip = sn__frames_trace(frames, x, axis, place);
  const sn_vec3 y = {l[0], l[1], l[2]}, w = {l[3], l[4], l[5]};
  const double turned = sn_vec3_dot(sn_vec3_cross(w, r.x), tip.rot.x) +
                        sn_vec3_dot(sn_vec3_cross(w, r.y), tip.rot.y) +
                        sn_vec3_dot(sn_vec3_cross(w, r.z), tip.rot.z);
  return sn_vec3_dot(y, tip.pos) + 0.5 * turned;
}

SN_TEST(the_second_derivative_of_the_proof_is_that_of_finite_differences) {
  sn_random random;
  sn_random_init(&random, 58);
  const double step = 1e-3;
  for (size_t n = sn_test_cases(20); n > 0; n--) {
    sn_test_arm arm;
    sn_test_arm_make(&arm, kinds[n % 2], &random, PI);
    sn__frames frames;
    sn__frames_init(&frames, &arm.chain, false, -1);
    double q[JOINTS], x[JOINTS], l[6], h[JOINTS][JOINTS];
    sn_test_arm_pose(&arm, &random, q);
    sn_test_arm_pose(&arm, &random, x);
    for (int r = 0; r < 6; r++) {
      l[r] = sn_random_normal(&random);
    }
    const sn_mat3 target = sn_chain_fk(&arm.chain, q).rot;
    sn__nearness_7r_second(&frames, x, l, target, h);
    for (int i = 0; i < JOINTS; i++) {
      for (int j = 0; j <= i; j++) {
        double sum = 0.0;
        for (int corner = 0; corner < 4; corner++) {
          double at[JOINTS];
          memcpy(at, x, sizeof at);
          at[i] += corner % 2 == 0 ? step : -step;
          at[j] += corner / 2 == 0 ? step : -step;
          sum += (corner % 2 == corner / 2 ? 1.0 : -1.0) * product(&frames, at, l, target);
        }
        sn_assert_near(h[i][j], sum / (4.0 * step * step), 1e-4);
      }
    }
  }
}

/* A limit holds the arm back from what is preferred, or in the middle of nowhere. */
SN_TEST(a_proof_at_a_limit_needs_a_limit_that_holds_back) {
  sn_random random;
  sn_random_init(&random, 57);
  size_t proven_count[2] = {0, 0};
  for (size_t n = sn_test_cases(400); n > 0; n--) {
    sn_test_arm arm;
    sn_test_arm_make(&arm, kinds[n % 2], &random, PI);
    sn__frames frames;
    sn__frames_init(&frames, &arm.chain, false, -1);
    double q[JOINTS], prefer[JOINTS], lower[JOINTS], upper[JOINTS];
    sn_test_arm_pose(&arm, &random, q);
    sn__slide slide;
    memcpy(prefer, q, sizeof prefer);
    sn__slide_init(&slide, &frames, sn_chain_fk(&arm.chain, q), lower, upper, prefer);
    for (int j = 0; j < JOINTS; j++) {
      lower[j] = -99.0;
      upper[j] = 99.0;
      prefer[j] = q[j] + 0.001 * sn_random_between(&random, -1.0, 1.0);
    }
    sn__tangent t;
    assert_true(sn__slide_tangent(&slide, q, &t));
    const int held = (int)(n % JOINTS);
    if (fabs(t.toward[held]) < 1e-4) {
      continue;
    }
    const bool wants_up = t.toward[held] > 0.0;
    (wants_up ? upper : lower)[held] = q[held];
    proven_count[0] += sn__nearness_7r_is_proven(&slide, q) ? 1 : 0;
    upper[held] = wants_up ? 99.0 : q[held];
    lower[held] = wants_up ? q[held] : -99.0;
    proven_count[1] += sn__nearness_7r_is_proven(&slide, q) ? 1 : 0;
  }
  assert_true(proven_count[0] > sn_test_cases(100));
  assert_int_equal(proven_count[1], 0);
}
