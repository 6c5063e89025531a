/* Quadratic programmes against an enumeration of all sets of active bounds, and against the
   conditions of Karush, Kuhn and Tucker. */
#include <math.h>
#include <string.h>

#include "allocation.h"
#include "math/qp.h"
#include "sinew/random.h"
#include "sn_test.h"

enum { N_MAX = 40, M_MAX = 120, SMALL_N = 4, SMALL_M = 6 };

typedef struct problem {
  size_t n, m;
  double hessian[N_MAX * N_MAX], gradient[N_MAX], a[M_MAX * N_MAX];
  sn__qp_row rows[M_MAX];
} problem;

static sn_arena arena;
static sn__qp *qp;

static int open_all(void **state) {
  (void)state;
  sn_arena_init_growing(&arena, "qp", 0);
  return sn__qp_create(&arena, N_MAX, M_MAX, &qp, NULL) == SN_OK ? 0 : 1;
}

static int close_all(void **state) {
  (void)state;
  sn_arena_release(&arena);
  return 0;
}
SN_TEST_GROUP(open_all, close_all)

/* H = B'B + a little; rows through the neighbourhood of 0, some equal on both sides, some open. */
static void make(problem *p, sn_random *random, size_t n, size_t m, double width) {
  double b[N_MAX * N_MAX];
  p->n = n;
  p->m = m;
  for (size_t i = 0; i < n * n; i++) {
    b[i] = sn_random_normal(random);
  }
  for (size_t i = 0; i < n; i++) {
    p->gradient[i] = 3.0 * sn_random_normal(random);
    for (size_t j = 0; j < n; j++) {
      double sum = i == j ? 0.1 : 0.0;
      for (size_t k = 0; k < n; k++) {
        sum += b[k * n + i] * b[k * n + j];
      }
      p->hessian[i * n + j] = sum;
    }
  }
  for (size_t i = 0; i < m; i++) {
    const size_t first = sn_random_below(random, n), count = 1 + sn_random_below(random, n - first);
    for (size_t k = 0; k < count; k++) {
      p->a[i * N_MAX + k] = sn_random_normal(random);
    }
    const double middle = 0.3 * sn_random_normal(random), kind = sn_random_unit(random);
    p->rows[i] = (sn__qp_row){.values = &p->a[i * N_MAX],
                              .first = first,
                              .count = count,
                              .lower = kind < 0.2 ? -INFINITY : middle - width,
                              .upper = kind < 0.1   ? middle - width
                                       : kind > 0.8 ? INFINITY
                                                    : middle + width};
    if (kind > 0.4 && kind < 0.45 && i < n) {
      p->rows[i].lower = p->rows[i].upper = middle;
    }
  }
}

static double entry(const problem *p, size_t row, size_t column) {
  const sn__qp_row *r = &p->rows[row];
  return column >= r->first && column < r->first + r->count ? r->values[column - r->first] : 0.0;
}

static double value_of(const problem *p, size_t row, const double *x) {
  double sum = 0.0;
  for (size_t j = 0; j < p->n; j++) {
    sum += entry(p, row, j) * x[j];
  }
  return sum;
}

static double cost_of(const problem *p, const double *x) {
  double sum = 0.0;
  for (size_t i = 0; i < p->n; i++) {
    sum += p->gradient[i] * x[i];
    for (size_t j = 0; j < p->n; j++) {
      sum += 0.5 * x[i] * p->hessian[i * p->n + j] * x[j];
    }
  }
  return sum;
}

/* Gauss elimination with pivots. @return false if singular */
static bool eliminate(double *a, double *b, size_t n, size_t stride) {
  for (size_t k = 0; k < n; k++) {
    size_t best = k;
    for (size_t i = k + 1; i < n; i++) {
      best = fabs(a[i * stride + k]) > fabs(a[best * stride + k]) ? i : best;
    }
    if (fabs(a[best * stride + k]) < 1e-9) {
      return false;
    }
    for (size_t j = 0; j < n; j++) {
      const double t = a[k * stride + j];
      a[k * stride + j] = a[best * stride + j];
      a[best * stride + j] = t;
    }
    const double t = b[k];
    b[k] = b[best];
    b[best] = t;
    for (size_t i = 0; i < n; i++) {
      const double f = i == k ? 0.0 : a[i * stride + k] / a[k * stride + k];
      for (size_t j = k; j < n && f != 0.0; j++) {
        a[i * stride + j] -= f * a[k * stride + j];
      }
      b[i] -= f * b[k];
    }
  }
  for (size_t k = 0; k < n; k++) {
    b[k] /= a[k * stride + k];
  }
  return true;
}

/* Minimum with some rows held at a bound: 0 free, 1 lower, 2 upper. */
static bool with_active(const problem *p, const int *side, double *x) {
  enum { STRIDE = SMALL_N + SMALL_M };
  double k[STRIDE * STRIDE] = {0}, b[STRIDE];
  size_t size = p->n;
  for (size_t i = 0; i < p->n; i++) {
    b[i] = -p->gradient[i];
    for (size_t j = 0; j < p->n; j++) {
      k[i * STRIDE + j] = p->hessian[i * p->n + j];
    }
  }
  for (size_t i = 0; i < p->m; i++) {
    const double bound = side[i] == 1 ? p->rows[i].lower : p->rows[i].upper;
    if (side[i] == 0) {
      continue;
    }
    if (isinf(bound)) {
      return false;
    }
    for (size_t j = 0; j < p->n; j++) {
      k[size * STRIDE + j] = k[j * STRIDE + size] = entry(p, i, j);
    }
    b[size++] = bound;
  }
  if (!eliminate(k, b, size, STRIDE)) {
    return false;
  }
  memcpy(x, b, p->n * sizeof *x);
  return true;
}

static bool is_inside(const problem *p, const double *x, double tolerance) {
  bool inside = true;
  for (size_t i = 0; i < p->m; i++) {
    const double v = value_of(p, i, x);
    inside = inside && v >= p->rows[i].lower - tolerance && v <= p->rows[i].upper + tolerance;
  }
  return inside;
}

/* The best of all sets of active bounds whose minimum is inside. @return false if there is none */
static bool enumerate(const problem *p, double *cost) {
  int side[SMALL_M] = {0};
  bool is_found = false;
  *cost = INFINITY;
  for (bool more = true; more;) {
    double x[SMALL_N];
    if (with_active(p, side, x) && is_inside(p, x, 1e-7)) {
      *cost = fmin(*cost, cost_of(p, x));
      is_found = true;
    }
    size_t i = 0;
    while (i < p->m && side[i] == 2) {
      side[i++] = 0;
    }
    more = i < p->m;
    if (more) {
      side[i]++;
    }
  }
  return is_found;
}

static sn__qp_task task_of(const problem *p, bool *hints) {
  return (sn__qp_task){p->n, p->m, p->hessian, p->gradient, p->rows, hints};
}

SN_TEST(small_programmes_have_the_solution_of_an_enumeration) {
  sn_random random;
  sn_random_init(&random, 7);
  size_t infeasible = 0;
  for (int round = 0; round < 1500; round++) {
    static problem p;
    double x[N_MAX], cost;
    sn__qp_result result;
    make(&p, &random, 1 + sn_random_below(&random, SMALL_N), sn_random_below(&random, SMALL_M + 1),
         round % 3 == 0 ? 0.05 : 0.6);
    const sn__qp_task task = task_of(&p, NULL);
    const bool is_solved = sn__qp_solve(qp, &task, x, NULL, &result);
    const bool is_possible = enumerate(&p, &cost);
    if (is_solved != is_possible) {
      print_message("round %d: outcome %d, possible %d\n", round, result.outcome, is_possible);
    }
    assert_int_equal(is_solved, is_possible);
    assert_int_equal(result.outcome, is_possible ? SN__QP_SOLVED : SN__QP_INFEASIBLE);
    infeasible += !is_possible;
    if (is_solved) {
      assert_true(is_inside(&p, x, 1e-7));
      sn_assert_near(cost_of(&p, x), cost, 1e-7 * (1.0 + fabs(cost)));
    }
  }
  assert_in_range(infeasible, 20, 1200); /* both kinds occur */
}

/* Hx + g = A' lambda, lambda of the right sign and only at bounds. */
static void check_optimal(const problem *p, const double *x, const double *lambda) {
  assert_true(is_inside(p, x, 1e-7));
  for (size_t i = 0; i < p->n; i++) {
    double sum = p->gradient[i];
    for (size_t j = 0; j < p->n; j++) {
      sum += p->hessian[i * p->n + j] * x[j];
    }
    for (size_t k = 0; k < p->m; k++) {
      sum -= lambda[k] * entry(p, k, i);
    }
    sn_assert_near(sum, 0.0, 1e-6);
  }
  for (size_t k = 0; k < p->m; k++) {
    const double v = value_of(p, k, x);
    const bool is_equal = p->rows[k].lower == p->rows[k].upper;
    if (lambda[k] != 0.0 && !is_equal) {
      sn_assert_near(v, lambda[k] > 0.0 ? p->rows[k].lower : p->rows[k].upper, 1e-7);
    }
  }
}

SN_TEST(large_programmes_satisfy_the_conditions_of_a_minimum) {
  sn_random random;
  sn_random_init(&random, 8);
  size_t solved = 0;
  for (int round = 0; round < 60; round++) {
    static problem p;
    double x[N_MAX], lambda[M_MAX];
    sn__qp_result result;
    make(&p, &random, 5 + sn_random_below(&random, N_MAX - 4), sn_random_below(&random, M_MAX + 1),
         1.5);
    const sn__qp_task task = task_of(&p, NULL);
    if (sn__qp_solve(qp, &task, x, lambda, &result)) {
      check_optimal(&p, x, lambda);
      solved++;
    }
    assert_int_not_equal(result.outcome, SN__QP_TOO_LONG);
  }
  assert_true(solved > 20);
}

/* As those of splines: entries far from the diagonal are 0. */
static void make_banded(problem *p, sn_random *random, size_t band) {
  make(p, random, N_MAX, M_MAX / 2, 1.5);
  for (size_t i = 0; i < p->n; i++) {
    for (size_t j = 0; j < p->n; j++) {
      const size_t apart = i > j ? i - j : j - i;
      p->hessian[i * p->n + j] = apart > band ? 0.0 : 0.5 * p->hessian[i * p->n + j];
    }
    p->hessian[i * p->n + i] += 10.0 * (double)band; /* diagonally dominant enough */
  }
}

SN_TEST(programmes_with_a_banded_hessian_satisfy_the_conditions_of_a_minimum) {
  sn_random random;
  sn_random_init(&random, 10);
  static problem p;
  size_t solved = 0;
  for (int round = 0; round < 100; round++) {
    double x[N_MAX], lambda[M_MAX];
    sn__qp_result result;
    make_banded(&p, &random, sn_random_below(&random, 12));
    const sn__qp_task task = task_of(&p, NULL);
    if (sn__qp_solve(qp, &task, x, lambda, &result)) {
      check_optimal(&p, x, lambda);
      solved++;
    }
  }
  assert_true(solved > 20);
}

SN_TEST(a_warm_start_has_the_same_solution_and_touches_no_heap) {
  sn_random random;
  sn_random_init(&random, 9);
  static problem p;
  for (int round = 0; round < 20; round++) {
    double cold[N_MAX], warm[N_MAX];
    bool hints[M_MAX] = {false};
    sn__qp_result first, second;
    make(&p, &random, 30, 60, 1.5);
    sn__qp_task task = task_of(&p, hints);
    const bool is_solved = sn__qp_solve(qp, &task, cold, NULL, &first);
    for (size_t i = 0; i < p.n; i++) {
      p.gradient[i] += 0.01 * sn_random_normal(&random);
    }
    sn_assert_no_heap((void)sn__qp_solve(qp, &task, warm, NULL, &second));
    task.hints = NULL;
    (void)sn__qp_solve(qp, &task, cold, NULL, &first);
    assert_int_equal(first.outcome, second.outcome);
    for (size_t i = 0; is_solved && i < p.n; i++) {
      sn_assert_near(warm[i], cold[i], 1e-7);
    }
  }
}

SN_TEST(a_hessian_that_is_not_positive_definite_is_reported) {
  const double hessian[4] = {1.0, 2.0, 2.0, 1.0}, gradient[2] = {0.0, 0.0};
  const sn__qp_task task = {.variable_count = 2, .hessian = hessian, .gradient = gradient};
  double x[2];
  sn__qp_result result;
  assert_false(sn__qp_solve(qp, &task, x, NULL, &result));
  assert_int_equal(result.outcome, SN__QP_NOT_CONVEX);
}
