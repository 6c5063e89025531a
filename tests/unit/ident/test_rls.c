#include "allocation.h"
#include "ident/online/rls.h"
#include "sinew/dense.h"
#include "sinew/random.h"
#include "sn_test.h"

enum { N = 4 };

static sn_rls create(double forgetting, double spread) {
  sn_rls_config config = {.count = N, .forgetting = forgetting};
  for (size_t i = 0; i < N; i++) {
    config.start[i] = 0.5 * (double)i;
    config.start_spread[i] = spread;
  }
  sn_rls rls;
  assert_int_equal(sn__rls_init(&rls, &config, NULL), SN_OK);
  return rls;
}

static void random_row(sn_random *r, double row[N]) {
  for (size_t i = 0; i < N; i++) {
    row[i] = sn_random_normal(r);
  }
  row[1] += 0.9 * row[0]; /* correlated, as velocity and its sign are */
}

/* Gauss with pivots in long double: the normal equations of a batch, with the start as a prior. */
static void solve_normal(long double a[N][N + 1], double *x) {
  for (size_t k = 0; k < N; k++) {
    size_t pivot = k;
    for (size_t i = k + 1; i < N; i++) {
      pivot = fabsl(a[i][k]) > fabsl(a[pivot][k]) ? i : pivot;
    }
    for (size_t j = 0; j <= N; j++) {
      const long double swap = a[k][j];
      a[k][j] = a[pivot][j];
      a[pivot][j] = swap;
    }
    for (size_t i = 0; i < N; i++) {
      const long double factor = i == k ? 0.0L : a[i][k] / a[k][k];
      for (size_t j = k; j <= N; j++) {
        a[i][j] -= factor * a[k][j];
      }
    }
  }
  for (size_t i = 0; i < N; i++) {
    x[i] = (double)(a[i][N] / a[i][i]);
  }
}

SN_TEST(without_forgetting_it_is_the_batch_solution) {
  sn_random r;
  sn_random_init(&r, 1);
  for (size_t k = 0; k < sn_test_cases(100); k++) {
    const double spread = pow(10.0, sn_random_between(&r, -1.0, 3.0));
    sn_rls rls = create(1.0, spread);
    long double a[N][N + 1] = {{0}};
    for (size_t i = 0; i < N; i++) {
      a[i][i] = 1.0L / ((long double)spread * (long double)spread);
      a[i][N] = a[i][i] * 0.5L * (long double)i;
    }
    for (size_t s = 0; s < 300; s++) {
      double row[N];
      random_row(&r, row);
      const double y = row[0] - 2.0 * row[2] + 30.0 * row[3] + sn_random_normal(&r);
      assert_true(sn__rls_step(&rls, row, y));
      for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < N; j++) {
          a[i][j] += (long double)row[i] * (long double)row[j];
        }
        a[i][N] += (long double)row[i] * (long double)y;
      }
    }
    /* The covariance is the inverse of the normal matrix. */
    double p[N * N];
    sn__rls_covariance(&rls, p);
    for (size_t i = 0; i < N; i++) {
      for (size_t j = 0; j < N; j++) {
        long double sum = 0.0L;
        for (size_t m = 0; m < N; m++) {
          sum += a[i][m] * (long double)p[m * N + j];
        }
        sn_assert_near((double)sum, i == j ? 1.0 : 0.0, 1e-9);
      }
    }
    double x[N];
    solve_normal(a, x);
    for (size_t i = 0; i < N; i++) {
      sn_assert_near(sn__rls_estimate(&rls)[i], x[i], 1e-9 * (1.0 + fabs(x[i])));
    }
  }
}

/* The samples' own noise: the standard deviations hold the truth as often as they say. */
SN_TEST(standard_deviations_cover_the_truth) {
  static const double truth[N] = {40.0, 8.0, 5.0, 200.0};
  sn_random r;
  sn_random_init(&r, 2);
  const size_t trials = sn_test_cases(1000);
  size_t covered = 0;
  for (size_t k = 0; k < trials; k++) {
    sn_rls rls = create(1.0, 1e4);
    for (size_t s = 0; s < 200; s++) {
      double row[N];
      random_row(&r, row);
      double y = 0.3 * sn_random_normal(&r);
      for (size_t i = 0; i < N; i++) {
        y += row[i] * truth[i];
      }
      sn__rls_step(&rls, row, y);
    }
    double std[N];
    sn__rls_std(&rls, std);
    for (size_t i = 0; i < N; i++) {
      covered += fabs(sn__rls_estimate(&rls)[i] - truth[i]) <= 1.96 * std[i];
    }
  }
  sn_assert_near((double)covered / (double)(N * trials), 0.95, 0.02);
}

SN_TEST(forgetting_follows_a_change) {
  sn_random r;
  sn_random_init(&r, 3);
  sn_rls rls = create(0.98, 1e4);
  for (size_t s = 0; s < 4000; s++) {
    double row[N];
    random_row(&r, row);
    const double scale = s < 2000 ? 1.0 : 3.0;
    sn__rls_step(&rls, row, scale * (row[0] + 2.0 * row[1] - row[2] + 5.0 * row[3]));
  }
  static const double expected[N] = {3.0, 6.0, -3.0, 15.0};
  for (size_t i = 0; i < N; i++) {
    sn_assert_near(sn__rls_estimate(&rls)[i], expected[i], 1e-6);
  }
}

static void assert_bounded_and_positive(const sn_rls *rls, double spread) {
  double p[N * N];
  sn__rls_covariance(rls, p);
  for (size_t i = 0; i < N; i++) {
    assert_true(isfinite(p[i * N + i]) && p[i * N + i] <= spread * spread * (1.0 + 1e-9));
    for (size_t j = 0; j < N; j++) {
      assert_true(p[i * N + j] == p[j * N + i]);
    }
  }
  assert_true(sn_cholesky_factor(N, p));
}

/* Motion at one speed identifies one combination of the parameters only; then comes real motion. CI
   runs fewer samples than the 1e8 of SINEW_TEST_SCALE=50. */
SN_TEST(lack_of_excitation_does_no_harm) {
  static const double truth[N] = {40.0, 8.0, 5.0, 200.0};
  const double spread = 1e4;
  for (int noise = 0; noise < 2; noise++) {
    sn_random r;
    sn_random_init(&r, 4);
    sn_rls rls = create(0.995, spread);
    const size_t count = sn_test_cases(2000000);
    for (size_t s = 0; s < count; s++) {
      double row[N] = {0.7, 1.0, 0.001, 0.1};
      double y = 0.0;
      for (size_t i = 0; i < N; i++) {
        y += row[i] * truth[i];
      }
      if (noise == 1) { /* of the regressors too */
        row[0] += 0.02 * (sn_random_unit(&r) - 0.5);
        row[3] += 0.002 * (sn_random_unit(&r) - 0.5);
        y += sn_random_unit(&r) - 0.5;
      }
      assert_true(sn__rls_step(&rls, row, y));
    }
    assert_bounded_and_positive(&rls, spread);
    assert_true(noise == 1 || sn__rls_excitation(&rls) < 1e-3);
    for (size_t s = 0; s < 500; s++) { /* 5 s at 100 Hz */
      double row[N];
      random_row(&r, row);
      double y = 0.0;
      for (size_t i = 0; i < N; i++) {
        y += row[i] * truth[i];
      }
      sn__rls_step(&rls, row, y);
    }
    assert_bounded_and_positive(&rls, spread);
    for (size_t i = 0; i < N; i++) {
      /* What noise taught before is not quite forgotten: exp(-2.5) of it is left. */
      sn_assert_near(sn__rls_estimate(&rls)[i], truth[i], (noise == 1 ? 1e-2 : 1e-6) * truth[i]);
    }
    assert_true(sn__rls_excitation(&rls) > 0.2);
  }
}

/* The factors against the plain formula of Kulhavy, on the matrix itself. */
SN_TEST(factors_follow_the_plain_formula) {
  sn_random r;
  sn_random_init(&r, 5);
  const double lambda = 0.7; /* of one direction of N */
  sn_rls rls = create(pow(lambda, 1.0 / N), 100.0);
  double p[N * N];
  sn__rls_covariance(&rls, p);
  for (size_t s = 0; s < 500; s++) {
    double row[N];
    random_row(&r, row);
    double pv[N] = {0};
    double q = 0.0;
    for (size_t i = 0; i < N; i++) {
      for (size_t j = 0; j < N; j++) {
        pv[i] += p[i * N + j] * row[j];
      }
      q += row[i] * pv[i];
    }
    const double epsilon = lambda - (1.0 - lambda) / q;
    for (size_t i = 0; i < N; i++) {
      for (size_t j = 0; j < N; j++) {
        p[i * N + j] -= pv[i] * pv[j] / (1.0 / epsilon + q);
      }
    }
    sn__rls_step(&rls, row, 0.0);
    double actual[N * N];
    sn__rls_covariance(&rls, actual);
    for (size_t i = 0; i < N * N; i++) {
      sn_assert_near(actual[i], p[i], 1e-9 * (1.0 + fabs(p[i])));
      p[i] = actual[i];
    }
  }
}

SN_TEST(excitation_is_the_smallest_singular_value) {
  sn_rls rls = create(1.0, 1e6);
  for (size_t s = 0; s < 400; s++) { /* unit vectors in turn: perpendicular */
    double row[N] = {0};
    row[s % N] = 3.0 + (double)(s % N);
    sn__rls_step(&rls, row, 1.0);
  }
  sn_assert_near(sn__rls_excitation(&rls), 1.0, 1e-6);
  /* Two columns with the cosine c have singular values sqrt(1 + c) and sqrt(1 - c). */
  rls = create(1.0, 1e6);
  const double angle = 0.3;
  for (size_t s = 0; s < 400; s++) {
    double row[N] = {0};
    row[0] = s % 4 == 0 ? 1.0 : 0.0;
    row[1] = s % 4 == 0 ? cos(angle) : s % 4 == 1 ? sin(angle) : 0.0;
    row[2] = s % 4 == 2;
    row[3] = s % 4 == 3;
    sn__rls_step(&rls, row, 1.0);
  }
  sn_assert_near(sn__rls_excitation(&rls), sqrt(1.0 - cos(angle)), 1e-6);
  rls = create(1.0, 1e6);
  assert_true(sn__rls_excitation(&rls) == 0.0);
}

SN_TEST(numbers_that_are_none_change_nothing) {
  sn_rls rls = create(0.99, 1e4);
  double row[N] = {1, 2, 3, 4};
  sn_assert_no_heap(assert_true(sn__rls_step(&rls, row, 1.0)));
  const sn_rls before = rls;
  assert_false(sn__rls_step(&rls, row, NAN));
  row[2] = INFINITY;
  assert_false(sn__rls_step(&rls, row, 1.0));
  row[2] = 1e300;
  assert_false(sn__rls_step(&rls, row, 1.0));
  assert_memory_equal(&rls, &before, sizeof rls);
  static const double zeros[N] = {0};
  assert_true(sn__rls_step(&rls, zeros, 0.5));
  assert_memory_equal(rls.d, before.d, sizeof rls.d);
}

SN_TEST(senseless_configurations_are_refused) {
  const sn_rls_config good = {
      .count = 2, .forgetting = 0.99, .start = {1, 2}, .start_spread = {1, 1}};
  sn_rls rls;
  sn_error err;
  static const double factors[] = {0.0, -1.0, 1.0000001, NAN, INFINITY};
  for (size_t i = 0; i < 5; i++) {
    sn_rls_config config = good;
    config.forgetting = factors[i];
    assert_int_equal(sn__rls_init(&rls, &config, &err), SN_EINVAL);
    sn_assert_contains(err.message, "must be in (0, 1]");
  }
  sn_rls_config config = good;
  config.count = 0;
  assert_int_equal(sn__rls_init(&rls, &config, NULL), SN_EINVAL);
  config.count = SN_RLS_MAX + 1;
  assert_int_equal(sn__rls_init(&rls, &config, NULL), SN_EINVAL);
  config = good;
  config.start[1] = NAN;
  assert_int_equal(sn__rls_init(&rls, &config, NULL), SN_EINVAL);
  config = good;
  config.start_spread[1] = 0.0;
  assert_int_equal(sn__rls_init(&rls, &config, &err), SN_EINVAL);
  sn_assert_contains(err.message, "parameter 1");
}

/* Noise in a regressor makes its parameter look smaller, by the ratio of the squares; compensated,
   the truth comes out. The same noise is in y, as when both are made of one measurement. */
SN_TEST(noise_in_a_regressor_is_compensated) {
  static const double truth[N] = {3.0, -2.0, 0.5, 8.0};
  static const double gain[N] = {0.0, 0.0, 0.0, 1.0};
  const double noise = 0.3, y_gain = 2.0;
  sn_rls plain = create(1.0, 1e4), better = create(1.0, 1e4);
  sn_random r;
  sn_random_init(&r, 41);
  for (int k = 0; k < 200000; k++) {
    double row[N], y = 0.0;
    random_row(&r, row);
    for (size_t i = 0; i < N; i++) {
      y += truth[i] * row[i];
    }
    const double error = noise * sn_random_normal(&r);
    row[3] += error;
    y += y_gain * error;
    assert_true(sn__rls_step(&plain, row, y));
    assert_true(sn__rls_step(&better, row, y));
    sn__rls_compensate(&better, gain, y_gain, noise * noise);
  }
  const double square = noise * noise;
  const double biased = (truth[3] + y_gain * square) / (1.0 + square); /* regressors of square 1 */
  sn_assert_near(sn__rls_estimate(&plain)[3], biased, 0.02);
  for (size_t i = 0; i < N; i++) {
    sn_assert_near(sn__rls_estimate(&better)[i], truth[i], 0.03);
  }
}

/* A memory that is made shorter in between forgets as one that was so from then on. */
SN_TEST(forgetting_may_change) {
  sn_rls changed = create(1.0, 10.0);
  const sn_rls_config config = {.count = 1, .forgetting = 0.9, .start_spread = {10.0}};
  sn_rls one;
  assert_int_equal(sn__rls_init(&one, &config, NULL), SN_OK);
  sn__rls_forget(&one, 1.0);
  for (int k = 1; k <= 50; k++) {
    const double row = 1.0;
    assert_true(sn__rls_step(&one, &row, (double)k));
  }
  sn_assert_near(sn__rls_estimate(&one)[0], 25.5, 0.02); /* the mean of 1 .. 50 */
  sn__rls_forget(&one, 0.9);
  sn__rls_forget(&changed, 0.9);
  assert_true(changed.direction_forgetting == create(0.9, 10.0).direction_forgetting);
  for (int k = 0; k < 500; k++) {
    const double row = 1.0;
    assert_true(sn__rls_step(&one, &row, 7.0));
  }
  sn_assert_near(sn__rls_estimate(&one)[0], 7.0, 1e-9);
}
