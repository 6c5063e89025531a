#include <float.h>

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

SN_TEST(cholesky_solves_and_reads_only_the_lower_triangle) {
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

SN_TEST(cholesky_factor_multiplies_back) {
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

SN_TEST(cholesky_rejects_indefinite_matrices) {
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

SN_TEST(cholesky_stays_backward_stable_on_hilbert_matrices) {
  sn_random random;
  sn_random_init(&random, 4);
  for (size_t n = 1; n <= 9; n++) { /* up to a condition of 5e11 */
    double a[N_MAX * N_MAX] = {0}, b[N_MAX] = {0};
    double l[N_MAX * N_MAX], x[N_MAX];
    fill_hilbert(n, a);
    fill_normal(&random, n, b);
    memcpy(l, a, sizeof l);
    memcpy(x, b, sizeof x);
    assert_true(sn_cholesky_factor(n, l));
    sn_cholesky_solve(n, l, x);
    assert_backward_stable(n, a, x, b);
  }
}
