#include <float.h>

#include "math/dense_lu.h"
#include "sinew/dense.h"
#include "sinew/random.h"
#include "sn_test.h"

#define N_MAX 40

static void fill_normal(sn_random *random, size_t count, double *a) {
  for (size_t i = 0; i < count; i++) {
    a[i] = sn_random_normal(random);
  }
}

static double norm_max(size_t count, const double *a) {
  double norm = 0.0;
  for (size_t i = 0; i < count; i++) {
    if (!(fabs(a[i]) <= norm)) { /* a NaN stays */
      norm = fabs(a[i]);
    }
  }
  return norm;
}

/* out = A x - b, A of rows x columns */
static void residual(size_t rows, size_t columns, const double *a, const double *x, const double *b,
                     double *out) {
  for (size_t i = 0; i < rows; i++) {
    out[i] = -b[i];
    for (size_t k = 0; k < columns; k++) {
      out[i] += a[i * columns + k] * x[k];
    }
  }
}

/* A backward stable solver leaves a residual of rounding size, however ill-conditioned A is
   (Higham, Accuracy and Stability of Numerical Algorithms, 2002, chapters 9 and 10). */
static void assert_backward_stable(size_t n, const double *a, const double *x, const double *b) {
  double rest[N_MAX];
  residual(n, n, a, x, b, rest);
  const double scale = norm_max(n * n, a) * norm_max(n, x) * (double)n + norm_max(n, b);
  sn_assert_near(norm_max(n, rest), 0.0, 16.0 * DBL_EPSILON * scale);
}

/* G = B B^T + shift 1 with B of n x rank */
static void fill_gram(sn_random *random, size_t n, size_t rank, double shift, double *g) {
  double b[N_MAX * N_MAX];
  fill_normal(random, n * rank, b);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      g[i * n + j] = i == j ? shift : 0.0;
      for (size_t k = 0; k < rank; k++) {
        g[i * n + j] += b[i * rank + k] * b[j * rank + k];
      }
    }
  }
}

static void spoil_upper_triangle(size_t n, double *a) {
  for (size_t i = 0; i < n; i++) {
    for (size_t j = i + 1; j < n; j++) {
      a[i * n + j] = NAN;
    }
  }
}

/* Of order n, entries 1 / (i + j + 1): as ill-conditioned as matrices get, e^(3.5 n). */
static void fill_hilbert(size_t n, double *a) {
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      a[i * n + j] = 1.0 / (double)(i + j + 1);
    }
  }
}

static void cholesky_solves_and_reads_only_the_lower_triangle(void **state) {
  (void)state;
  sn_random random;
  sn_random_init(&random, 1);
  for (size_t n = 0; n <= N_MAX; n++) {
    for (int i = 0; i < 20; i++) {
      double a[N_MAX * N_MAX] = {0}, b[N_MAX] = {0}, l[N_MAX * N_MAX], x[N_MAX];
      fill_gram(&random, n, n, 0.1, a);
      fill_normal(&random, n, b);
      memcpy(l, a, sizeof l);
      memcpy(x, b, sizeof x);
      spoil_upper_triangle(n, l);
      assert_true(sn_cholesky_factor(n, l));
      for (size_t j = 0; j < n; j++) {
        for (size_t k = j + 1; k < n; k++) {
          assert_true(isnan(l[j * n + k])); /* nor written */
        }
      }
      sn_cholesky_solve(n, l, x);
      assert_backward_stable(n, a, x, b);
    }
  }
}

static void cholesky_factor_multiplies_back(void **state) {
  (void)state;
  sn_random random;
  sn_random_init(&random, 2);
  for (size_t n = 1; n <= N_MAX; n++) {
    double a[N_MAX * N_MAX] = {0}, l[N_MAX * N_MAX];
    fill_gram(&random, n, n, 0.1, a);
    memcpy(l, a, sizeof l);
    assert_true(sn_cholesky_factor(n, l));
    for (size_t i = 0; i < n; i++) {
      assert_true(l[i * n + i] > 0.0);
      for (size_t j = 0; j <= i; j++) {
        double sum = 0.0;
        for (size_t k = 0; k <= j; k++) {
          sum += l[i * n + k] * l[j * n + k];
        }
        sn_assert_near(sum, a[i * n + j], 4.0 * DBL_EPSILON * (double)n * norm_max(n * n, a));
      }
    }
  }
}

static void cholesky_rejects_indefinite_matrices(void **state) {
  (void)state;
  sn_random random;
  sn_random_init(&random, 3);
  for (size_t n = 1; n <= N_MAX; n++) {
    double a[N_MAX * N_MAX];
    fill_gram(&random, n, n, 0.1, a);
    const size_t j = sn_random_below(&random, n);
    a[j * n + j] = -a[j * n + j]; /* x_j^T A x_j < 0 */
    assert_false(sn_cholesky_factor(n, a));
    memset(a, 0, sizeof a);
    assert_false(sn_cholesky_factor(n, a));
    fill_gram(&random, n, n, 0.1, a);
    a[j * n + sn_random_below(&random, j + 1)] = NAN;
    assert_false(sn_cholesky_factor(n, a));
    fill_gram(&random, n, n, 0.1, a);
    a[j * n + j] = INFINITY;
    assert_false(sn_cholesky_factor(n, a));
  }
  double integers[] = {4, 2, 2, 1}; /* singular, and every step exact */
  assert_false(sn_cholesky_factor(2, integers));
}

static void solvers_stay_backward_stable_on_hilbert_matrices(void **state) {
  (void)state;
  sn_random random;
  sn_random_init(&random, 4);
  for (size_t n = 1; n <= 9; n++) { /* up to a condition of 5e11 */
    double a[N_MAX * N_MAX] = {0}, b[N_MAX] = {0};
    double l[N_MAX * N_MAX], lu[N_MAX * N_MAX], x[N_MAX], y[N_MAX];
    size_t pivot[N_MAX];
    fill_hilbert(n, a);
    fill_normal(&random, n, b);
    memcpy(l, a, sizeof l);
    memcpy(lu, a, sizeof lu);
    memcpy(x, b, sizeof x);
    memcpy(y, b, sizeof y);
    assert_true(sn_cholesky_factor(n, l));
    sn_cholesky_solve(n, l, x);
    assert_backward_stable(n, a, x, b);
    assert_true(sn__lu_factor(n, lu, pivot));
    sn__lu_solve(n, lu, pivot, y);
    assert_backward_stable(n, a, y, b);
  }
}

static void lu_solves_random_systems(void **state) {
  (void)state;
  sn_random random;
  sn_random_init(&random, 5);
  for (size_t n = 0; n <= N_MAX; n++) {
    for (int i = 0; i < 20; i++) {
      double a[N_MAX * N_MAX] = {0}, b[N_MAX] = {0}, lu[N_MAX * N_MAX], x[N_MAX];
      size_t pivot[N_MAX];
      fill_normal(&random, n * n, a);
      fill_normal(&random, n, b);
      for (size_t j = 0; i % 2 == 0 && j < n; j++) {
        a[j * n + j] = 0.0; /* no pivoting, no solution */
      }
      if (n == 1 && i % 2 == 0) {
        continue;
      }
      memcpy(lu, a, sizeof lu);
      memcpy(x, b, sizeof x);
      assert_true(sn__lu_factor(n, lu, pivot));
      sn__lu_solve(n, lu, pivot, x);
      assert_backward_stable(n, a, x, b);
    }
  }
}

static void lu_of_a_permutation_permutes_exactly(void **state) {
  (void)state;
  sn_random random;
  sn_random_init(&random, 6);
  for (size_t n = 1; n <= N_MAX; n++) {
    double a[N_MAX * N_MAX] = {0}, b[N_MAX] = {0}, x[N_MAX];
    size_t pivot[N_MAX], column[N_MAX];
    for (size_t i = 0; i < n; i++) { /* Fisher and Yates, inside out */
      const size_t j = sn_random_below(&random, i + 1);
      column[i] = j == i ? i : column[j];
      column[j] = i;
    }
    for (size_t i = 0; i < n; i++) {
      a[i * n + column[i]] = 1.0;
    }
    fill_normal(&random, n, b);
    memcpy(x, b, sizeof x);
    assert_true(sn__lu_factor(n, a, pivot));
    sn__lu_solve(n, a, pivot, x);
    for (size_t i = 0; i < n; i++) {
      assert_true(x[column[i]] == b[i]);
    }
  }
}

/* A of rows x columns with one column that is a combination of the others, which are far from
   dependent: how small a rest elimination leaves depends on their condition. */
static void fill_dependent(sn_random *random, size_t rows, size_t columns, double *a) {
  for (size_t i = 0; i < rows * columns; i++) {
    const double near_one = i / columns == i % columns ? 1.0 : 0.0;
    a[i] = near_one + 0.5 * sn_random_normal(random) / (double)rows;
  }
  const size_t j = sn_random_below(random, columns);
  for (size_t i = 0; i < rows; i++) {
    a[i * columns + j] = 0.0;
  }
  for (size_t k = 0; k < columns; k++) {
    const double factor = sn_random_normal(random);
    for (size_t i = 0; k != j && i < rows; i++) {
      a[i * columns + j] += factor * a[i * columns + k];
    }
  }
}

static void lu_rejects_singular_matrices(void **state) {
  (void)state;
  sn_random random;
  sn_random_init(&random, 7);
  for (size_t n = 1; n <= N_MAX; n++) {
    double a[N_MAX * N_MAX];
    size_t pivot[N_MAX];
    for (int i = 0; i < 20; i++) {
      fill_dependent(&random, n, n, a);
      assert_false(sn__lu_factor(n, a, pivot));
    }
    memset(a, 0, sizeof a);
    assert_false(sn__lu_factor(n, a, pivot));
    fill_normal(&random, n * n, a);
    a[sn_random_below(&random, n * n)] = NAN;
    assert_false(sn__lu_factor(n, a, pivot));
    fill_normal(&random, n * n, a);
    a[sn_random_below(&random, n * n)] = INFINITY;
    assert_false(sn__lu_factor(n, a, pivot));
  }
}

static void scale_columns(sn_random *random, size_t rows, size_t columns, double *a) {
  for (size_t j = 0; j < columns; j++) {
    const double factor = ldexp(1.0, (int)sn_random_below(random, 200) - 100);
    for (size_t i = 0; i < rows; i++) {
      a[i * columns + j] *= factor;
    }
  }
}

static void units_of_the_unknowns_do_not_make_a_matrix_singular(void **state) {
  (void)state;
  sn_random random;
  sn_random_init(&random, 8);
  for (size_t n = 1; n <= N_MAX; n++) {
    double a[N_MAX * N_MAX], tau[N_MAX], b[N_MAX];
    size_t pivot[N_MAX];
    fill_normal(&random, n * n, a);
    scale_columns(&random, n, n, a);
    assert_true(sn__lu_factor(n, a, pivot));
    fill_dependent(&random, n, n, a);
    scale_columns(&random, n, n, a);
    assert_false(sn__lu_factor(n, a, pivot));

    fill_normal(&random, n * n, a);
    fill_normal(&random, n, b);
    scale_columns(&random, n, n, a);
    sn__qr_factor(n, n, a, tau);
    assert_true(sn__qr_solve(n, n, a, tau, b));
    fill_dependent(&random, n, n, a);
    scale_columns(&random, n, n, a);
    sn__qr_factor(n, n, a, tau);
    assert_false(sn__qr_solve(n, n, a, tau, b));
  }
}

/* A^T r = 0 characterises the least-squares solution. */
static void assert_is_least_squares(size_t rows, size_t columns, const double *a, const double *x,
                                    const double *b, const double *b_after) {
  double rest[2 * N_MAX];
  residual(rows, columns, a, x, b, rest);
  for (size_t j = 0; j < columns; j++) {
    double sum = 0.0;
    for (size_t i = 0; i < rows; i++) {
      sum += a[i * columns + j] * rest[i];
    }
    const double scale = (double)(rows * columns) * norm_max(rows * columns, a) *
                         (norm_max(rows, b) + norm_max(columns, x) * norm_max(rows * columns, a));
    sn_assert_near(sum, 0.0, 4.0 * DBL_EPSILON * scale);
  }
  double norm2 = 0.0;
  double norm2_after = 0.0;
  for (size_t i = 0; i < rows; i++) {
    norm2 += rest[i] * rest[i];
    norm2_after += i < columns ? 0.0 : b_after[i] * b_after[i];
  }
  sn_assert_near(sqrt(norm2_after), sqrt(norm2),
                 1e-14 * (double)rows * (norm_max(rows, b) + norm_max(columns, x)));
}

static void qr_gives_the_least_squares_solution(void **state) {
  (void)state;
  sn_random random;
  sn_random_init(&random, 9);
  const size_t cases = sn_test_cases(1000);
  for (size_t i = 0; i < cases; i++) {
    const size_t columns = 1 + sn_random_below(&random, N_MAX);
    const size_t rows = columns + sn_random_below(&random, N_MAX);
    static double a[2 * N_MAX * N_MAX], qr[2 * N_MAX * N_MAX];
    double tau[N_MAX], b[2 * N_MAX] = {0}, x[2 * N_MAX];
    fill_normal(&random, rows * columns, a);
    fill_normal(&random, rows, b);
    memcpy(qr, a, sizeof qr);
    memcpy(x, b, sizeof x);
    sn__qr_factor(rows, columns, qr, tau);
    assert_true(sn__qr_solve(rows, columns, qr, tau, x));
    assert_is_least_squares(rows, columns, a, x, b, x);
  }
}

static void qr_factor_has_the_gram_matrix_of_its_matrix(void **state) {
  (void)state;
  sn_random random;
  sn_random_init(&random, 10);
  for (size_t columns = 1; columns <= N_MAX; columns++) {
    const size_t rows = columns + sn_random_below(&random, N_MAX);
    static double a[2 * N_MAX * N_MAX], r[2 * N_MAX * N_MAX];
    double tau[N_MAX];
    fill_normal(&random, rows * columns, a);
    memcpy(r, a, sizeof r);
    sn__qr_factor(rows, columns, r, tau);
    for (size_t i = 0; i < columns; i++) {
      for (size_t j = 0; j < columns; j++) {
        double of_a = 0.0;
        double of_r = 0.0;
        for (size_t k = 0; k < rows; k++) {
          of_a += a[k * columns + i] * a[k * columns + j];
          of_r += k <= i && k <= j ? r[k * columns + i] * r[k * columns + j] : 0.0;
        }
        sn_assert_near(of_r, of_a, 1e-14 * (double)rows);
      }
    }
  }
}

static void qr_rejects_dependent_columns(void **state) {
  (void)state;
  sn_random random;
  sn_random_init(&random, 11);
  for (size_t columns = 1; columns <= N_MAX; columns++) {
    for (int i = 0; i < 20; i++) {
      const size_t rows = columns + sn_random_below(&random, N_MAX);
      static double a[2 * N_MAX * N_MAX];
      double tau[N_MAX], b[2 * N_MAX];
      fill_dependent(&random, rows, columns, a);
      fill_normal(&random, rows, b);
      sn__qr_factor(rows, columns, a, tau);
      assert_false(sn__qr_solve(rows, columns, a, tau, b));
      fill_normal(&random, rows * columns, a);
      a[sn_random_below(&random, rows * columns)] = NAN;
      sn__qr_factor(rows, columns, a, tau);
      assert_false(sn__qr_solve(rows, columns, a, tau, b));
    }
  }
}

static void zero_column_does_not_break_the_factor(void **state) {
  (void)state;
  double a[] = {0, 1, 0, 1, 0, 1}; /* 3 x 2 */
  double tau[2];
  double b[] = {1, 2, 3};
  sn__qr_factor(3, 2, a, tau);
  assert_true(isfinite(tau[0]) && isfinite(tau[1]) && isfinite(norm_max(6, a)));
  assert_false(sn__qr_solve(3, 2, a, tau, b));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cholesky_solves_and_reads_only_the_lower_triangle),
      cmocka_unit_test(cholesky_factor_multiplies_back),
      cmocka_unit_test(cholesky_rejects_indefinite_matrices),
      cmocka_unit_test(solvers_stay_backward_stable_on_hilbert_matrices),
      cmocka_unit_test(lu_solves_random_systems),
      cmocka_unit_test(lu_of_a_permutation_permutes_exactly),
      cmocka_unit_test(lu_rejects_singular_matrices),
      cmocka_unit_test(units_of_the_unknowns_do_not_make_a_matrix_singular),
      cmocka_unit_test(qr_gives_the_least_squares_solution),
      cmocka_unit_test(qr_factor_has_the_gram_matrix_of_its_matrix),
      cmocka_unit_test(qr_rejects_dependent_columns),
      cmocka_unit_test(zero_column_does_not_break_the_factor),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
