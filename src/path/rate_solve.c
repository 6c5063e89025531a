/* Newton's method on the barrier function. */
#include <math.h>
#include <string.h>

#include "path/rate_problem.h"

/* The sum of the barrier's weights at the end, and by how much they fall each time, as share of the
   duration: about what the motion takes longer than the fastest. */
static const double WEIGHT_END = 2e-3;
static const double WEIGHT_FALL = 0.1;
/* A step that gains less than this share of the weights is not worth it. */
static const double GAIN_MIN = 0.05;
/* Newton's method takes about 20 steps; these bound it. */
enum { STEPS_MAX = 100, HALVINGS_MAX = 30 };

double sn__rate_constant(const sn__rate_problem *problem) {
  double x = INFINITY;
  for (size_t k = 0; k <= problem->interval_count; k++) {
    const sn__rate_node *node = &problem->nodes[k];
    x = fmin(x, node->rows.x_max);
    for (size_t i = 0; i < 2 * problem->pair_count; i++) {
      const double a = node->rows.a[i / 2][i % 2];
      x = fmin(x, (1.0 - fabs(node->rows.off[i / 2][i % 2])) / fabs(a));
    }
    for (size_t i = 0; k < problem->interval_count && i < 2 * problem->jerk_pair_count; i++) {
      const sn__rate_interval *at = &problem->intervals[k];
      const double j3 = fmax(fabs(at->j3_a[i / 2][i % 2]), fabs(at->j3_b[i / 2][i % 2]));
      x = fmin(x, 1.0 / cbrt(j3 * j3));
    }
  }
  return x;
}

/* Solve H step = -gradient by L D L^T, in place of H. */
static void solve_step(sn__rate_model *model, size_t count, double *step) {
  double *d = model->band[0];
  double *l1 = model->band[1];
  double *l2 = model->band[2];
  for (size_t i = 0; i < count; i++) {
    const double two = i > 1 ? l2[i] : 0.0;
    const double one = i > 0 ? l1[i] - (i > 1 ? two * l1[i - 1] : 0.0) : 0.0;
    double pivot = d[i];
    step[i] = -model->gradient[i];
    if (i > 1) {
      l2[i] = two / d[i - 2];
      pivot -= two * l2[i];
      step[i] -= l2[i] * step[i - 2];
    }
    if (i > 0) {
      l1[i] = one / d[i - 1];
      pivot -= one * l1[i];
      step[i] -= l1[i] * step[i - 1];
    }
    d[i] = fmax(pivot, 1e-300);
  }
  for (size_t i = count; i-- > 0;) {
    step[i] /= d[i];
    step[i] -= i + 1 < count ? l1[i + 1] * step[i + 1] : 0.0;
    step[i] -= i + 2 < count ? l2[i + 2] * step[i + 2] : 0.0;
  }
}

static double dot(const double *a, const double *b, size_t count) {
  double sum = 0.0;
  for (size_t i = 0; i < count; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

/* Go along a step until the function falls; from then on the model is that of the new point.
   @return whether it does */
static bool search(const sn__rate_problem *problem, double *c, const double *step, double weight,
                   double slope, sn__rate_model *model) {
  const size_t count = problem->interval_count + 2;
  const double before = model->value;
  double length = 1.0;
  double last = 0.0;
  for (int tries = 0; tries < HALVINGS_MAX; tries++) {
    for (size_t i = 0; i < count; i++) {
      c[i] += (length - last) * step[i];
    }
    sn__rate_evaluate(problem, c, weight, model);
    if (model->value <= before + 1e-4 * length * slope) {
      return true;
    }
    last = length;
    length *= 0.5;
  }
  for (size_t i = 0; i < count; i++) {
    c[i] -= last * step[i];
  }
  return false;
}

void sn__rate_solve(const sn__rate_problem *problem, double weight, double *c, double *step,
                    sn__rate_model *model) {
  const size_t count = problem->interval_count + 2;
  sn__rate_evaluate(problem, c, 0.0, model);
  double sum = weight * model->duration_s; /* of the weights of all coefficients */
  sn__rate_evaluate(problem, c, sum / (double)count, model);
  for (int steps = 0; steps < STEPS_MAX; steps++) {
    solve_step(model, count, step);
    const double slope = dot(model->gradient, step, count);
    if (-slope >= GAIN_MIN * sum) {
      if (!search(problem, c, step, sum / (double)count, slope, model)) {
        return;
      }
    } else if (sum >= WEIGHT_END * model->duration_s) {
      sum *= WEIGHT_FALL;
      sn__rate_evaluate(problem, c, sum / (double)count, model);
    } else {
      return;
    }
  }
}
