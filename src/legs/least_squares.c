#include "legs/least_squares.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "sinew/dense.h"

enum { N = SN__LEAST_SQUARES_MAX, ROUNDS = 60 };

/* One round: the normal equations at x. */
typedef struct state {
  size_t rows;
  double cost;
  double gradient[N], normal[N * N];
  double lambda;
} state;

static double clamp(double x, double lower, double upper) {
  return fmin(fmax(x, lower), upper);
}

static double cost_at(const sn__least_squares *t, const double *x, size_t *rows) {
  *rows = t->evaluate(t->context, x, t->rows);
  double sum = 0.0;
  for (size_t i = 0; i < *rows; i++) {
    sum += t->rows[i] * t->rows[i];
  }
  return sum;
}

/* Column by column, by a step that stays inside the bounds. t->rows has the residuals at x. */
static void differentiate(const sn__least_squares *t, double *x, state *s) {
  static const double step = 1e-7;
  const size_t n = t->count;
  for (size_t j = 0; j < n; j++) {
    const double kept = x[j];
    const double h = kept + step <= t->upper[j] ? step : -step;
    x[j] = kept + h;
    t->evaluate(t->context, x, t->rows);
    x[j] = kept;
    for (size_t i = 0; i < s->rows; i++) {
      t->jac[i * n + j] = t->rows[i] / h;
    }
  }
  s->cost = cost_at(t, x, &s->rows);
  for (size_t i = 0; i < s->rows; i++) {
    for (size_t j = 0; j < n; j++) {
      const double h = x[j] + step <= t->upper[j] ? step : -step;
      t->jac[i * n + j] -= t->rows[i] / h;
    }
  }
}

static void make_normal(const sn__least_squares *t, state *s) {
  const size_t n = t->count;
  memset(s->gradient, 0, sizeof s->gradient);
  memset(s->normal, 0, sizeof s->normal);
  for (size_t i = 0; i < s->rows; i++) {
    const double *row = &t->jac[i * n];
    for (size_t j = 0; j < n; j++) {
      s->gradient[j] += row[j] * t->rows[i];
      for (size_t k = 0; k <= j; k++) {
        s->normal[j * n + k] += row[j] * row[k];
      }
    }
  }
}

/* Fix the variables that the gradient pushes out of their range. */
static void fix_bound(const sn__least_squares *t, const double *x, state *s) {
  const size_t n = t->count;
  for (size_t j = 0; j < n; j++) {
    const bool is_fixed = (x[j] <= t->lower[j] && s->gradient[j] > 0.0) ||
                          (x[j] >= t->upper[j] && s->gradient[j] < 0.0);
    for (size_t k = 0; is_fixed && k < n; k++) {
      s->normal[k <= j ? j * n + k : k * n + j] = 0.0;
    }
    s->normal[j * n + j] = is_fixed ? 1.0 : s->normal[j * n + j];
    s->gradient[j] = is_fixed ? 0.0 : s->gradient[j];
  }
}

/* @return the length of the step; 0: none improves */
static double improve(const sn__least_squares *t, double *x, state *s) {
  enum { TRIES = 12 };
  const size_t n = t->count;
  double factor[N * N], step[N], next[N];
  for (int k = 0; k < TRIES; k++, s->lambda *= 5.0) {
    memcpy(factor, s->normal, sizeof factor);
    for (size_t j = 0; j < n; j++) {
      factor[j * n + j] += s->lambda * (1.0 + factor[j * n + j]);
      step[j] = -s->gradient[j];
    }
    if (!sn_cholesky_factor(n, factor)) {
      continue;
    }
    sn_cholesky_solve(n, factor, step);
    double most = 0.0;
    for (size_t j = 0; j < n; j++) {
      next[j] = clamp(x[j] + clamp(step[j], -0.5, 0.5), t->lower[j], t->upper[j]);
      most = fmax(most, fabs(next[j] - x[j]));
    }
    size_t rows = 0;
    if (cost_at(t, next, &rows) < s->cost) {
      memcpy(x, next, n * sizeof *x);
      s->lambda = fmax(0.1 * s->lambda, 1e-12);
      return most;
    }
  }
  return 0.0;
}

double sn__least_squares_solve(const sn__least_squares *t, double *x) {
  state s = {.lambda = 1e-3};
  for (size_t j = 0; j < t->count; j++) {
    x[j] = clamp(x[j], t->lower[j], t->upper[j]);
  }
  (void)cost_at(t, x, &s.rows);
  for (int round = 0; round < ROUNDS; round++) {
    differentiate(t, x, &s);
    make_normal(t, &s);
    fix_bound(t, x, &s);
    if (improve(t, x, &s) < 1e-9) {
      break;
    }
  }
  return cost_at(t, x, &s.rows);
}
