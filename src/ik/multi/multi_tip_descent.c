/* Descent for several tips: damped steps inside limits, as descent.c does it for one tip. */
#include <math.h>
#include <string.h>

#include "ik/multi/multi_tip.h"
#include "sinew/dense.h"

static const double damping_gain = 0.03; /* as for one tip */
static const double damping_min = 1e-10;
static const double damping_wish = 1e-6;
static const double step_max = 1.0;
enum { ROUNDS = 6 };
/* An iteration of a whole humanoid takes some ten microseconds. */
enum { ITERATIONS_PER_CLOCK = 2 };

/* J^T missing, for every joint. */
static void gradient(const sn__multi_tip *multi, double *out) {
  memset(out, 0, multi->coord_count * sizeof *out);
  for (size_t t = 0; t < multi->tip_count; t++) {
    const sn__multi_tip_tip *tip = &multi->tips[t];
    for (size_t k = 0; k < tip->serial.coord_count; k++) {
      out[tip->coord[k]] += sn__vec3_pair_dot(tip->data.column[k], tip->missing);
    }
  }
}

static size_t number_free(sn__multi_tip *multi) {
  size_t count = 0;
  for (size_t c = 0; c < multi->coord_count; c++) {
    multi->free_index[c] = multi->fixed[c] ? -1 : (int)count++;
  }
  return count;
}

/* The lower triangle of J^T J + lambda over the joints that are not fixed. */
static void assemble(sn__multi_tip *multi, size_t n, double lambda) {
  memset(multi->normal, 0, n * n * sizeof *multi->normal);
  for (size_t t = 0; t < multi->tip_count; t++) {
    const sn__multi_tip_tip *tip = &multi->tips[t];
    for (size_t k = 0; k < tip->serial.coord_count; k++) {
      const int a = multi->free_index[tip->coord[k]];
      for (size_t l = 0; a >= 0 && l <= k; l++) {
        const int b = multi->free_index[tip->coord[l]];
        if (b >= 0) {
          const size_t row = (size_t)(a > b ? a : b), column = (size_t)(a > b ? b : a);
          const double twice = a == b && k != l ? 2.0 : 1.0; /* two that mimic one joint */
          multi->normal[row * n + column] +=
              twice * sn__vec3_pair_dot(tip->data.column[k], tip->data.column[l]);
        }
      }
    }
  }
  for (size_t c = 0; c < n; c++) {
    multi->normal[c * n + c] += lambda;
  }
}

/* Minimise |missing - J d|^2 + lambda |d - pull|^2 over the joints that are not fixed.
   @param pull  NULL means zero */
static void solve_step(sn__multi_tip *multi, double lambda, const double *pull) {
  const size_t n = number_free(multi);
  assemble(multi, n, lambda);
  gradient(multi, multi->right);
  for (size_t c = 0; c < multi->coord_count; c++) { /* free_index[c] <= c: in place */
    if (multi->free_index[c] >= 0) {
      multi->right[multi->free_index[c]] =
          multi->right[c] + (pull != NULL ? lambda * pull[c] : 0.0);
    }
  }
  if (!sn_cholesky_factor(n, multi->normal)) { /* only if the values have diverged */
    memset(multi->right, 0, n * sizeof *multi->right);
  } else {
    sn_cholesky_solve(n, multi->normal, multi->right);
  }
  for (size_t c = 0; c < multi->coord_count; c++) {
    if (multi->free_index[c] >= 0) {
      multi->step[c] = multi->right[multi->free_index[c]];
    }
  }
}

static void begin_step(sn__multi_tip *multi) {
  for (size_t t = 0; t < multi->tip_count; t++) {
    multi->tips[t].missing = multi->tips[t].error;
  }
  for (size_t c = 0; c < multi->coord_count; c++) {
    multi->fixed[c] = multi->locked[c];
    multi->step[c] = 0.0;
  }
}

/* Joints on their limits that @p way pushes outwards stay there. @return true if there are any */
static bool fix_outwards(sn__multi_tip *multi, const double *y, const double *way) {
  bool some = false;
  for (size_t c = 0; c < multi->coord_count; c++) {
    const bool outwards =
        (y[c] <= multi->lower[c] && way[c] < 0.0) || (y[c] >= multi->upper[c] && way[c] > 0.0);
    if (outwards && !multi->fixed[c]) {
      multi->fixed[c] = true;
      multi->step[c] = 0.0;
      some = true;
    }
  }
  return some;
}

static void take_off(sn__multi_tip *multi, size_t c) {
  for (size_t t = 0; t < multi->tip_count; t++) {
    sn__multi_tip_tip *tip = &multi->tips[t];
    for (size_t k = 0; k < tip->serial.coord_count; k++) {
      if (tip->coord[k] == (int)c) {
        tip->missing = sn__vec3_pair_add_scaled(tip->missing, -multi->step[c], tip->data.column[k]);
      }
    }
  }
}

/* Joints whose step leaves the limits are put on them. @return true if there were any */
static bool fix_leaving(sn__multi_tip *multi, const double *y) {
  bool some = false;
  for (size_t c = 0; c < multi->coord_count; c++) {
    const double there = y[c] + multi->step[c];
    if (!multi->fixed[c] && (there < multi->lower[c] || there > multi->upper[c])) {
      multi->step[c] = (there < multi->lower[c] ? multi->lower[c] : multi->upper[c]) - y[c];
      multi->fixed[c] = true;
      take_off(multi, c);
      some = true;
    }
  }
  return some;
}

/* Apply the step, scaled down to @p length_max. @return its largest entry before that */
static double apply_step(const sn__multi_tip *multi, double length_max, double *y) {
  double longest = 0.0;
  for (size_t c = 0; c < multi->coord_count; c++) {
    longest = fmax(longest, fabs(multi->step[c]));
  }
  const double scale = longest > length_max ? length_max / longest : 1.0;
  for (size_t c = 0; c < multi->coord_count; c++) {
    y[c] = fmin(fmax(y[c] + scale * multi->step[c], multi->lower[c]), multi->upper[c]);
  }
  return longest;
}

static void advance(sn__multi_tip *multi, double *y) {
  const double lambda = damping_gain * multi->error_squared + damping_min;
  begin_step(multi);
  gradient(multi, multi->right);
  fix_outwards(multi, y, multi->right);
  for (int round = 0; round < ROUNDS; round++) {
    solve_step(multi, lambda, NULL);
    if (!fix_leaving(multi, y)) {
      break;
    }
  }
  apply_step(multi, step_max, y);
}

static bool is_late(const sn__multi_tip *multi) {
  return sn_clock_now_ns(multi->clock) >= multi->deadline_ns;
}

sn__descent_end sn__multi_tip_run(sn__multi_tip *multi, const sn__descent_budget *budget,
                                  double *y) {
  double mark = INFINITY; /* squared error at the last progress */
  int stalled = 0;
  for (int i = 1;; i++) {
    if (sn__multi_tip_evaluate(multi, y)) {
      return SN__DESCENT_SOLVED;
    }
    if (multi->error_squared < budget->stall_ratio * mark) {
      mark = multi->error_squared;
      stalled = 0;
    } else {
      stalled++;
    }
    if (stalled >= budget->stall_max || i >= budget->iterations_max) {
      return SN__DESCENT_STALLED;
    }
    if (i % ITERATIONS_PER_CLOCK == 0 && is_late(multi)) {
      return SN__DESCENT_LATE;
    }
    advance(multi, y);
  }
}

static double distance_squared(size_t n, const double *a, const double *b) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) {
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  }
  return sum;
}

static void nullspace_step(sn__multi_tip *multi, const double *nominal, const double *y) {
  double *pull = multi->scratch;
  for (size_t c = 0; c < multi->coord_count; c++) {
    pull[c] = nominal[c] - y[c];
  }
  begin_step(multi);
  for (int round = 0; round < ROUNDS; round++) {
    solve_step(multi, damping_wish, pull);
    if (!fix_outwards(multi, y, multi->step)) {
      break;
    }
  }
}

enum { STRIDES_MAX = 48 };
static const double stride_max = 0.4;
static const double stride_min = 1e-4;

void sn__multi_tip_approach_nominal(sn__multi_tip *multi, const double *nominal, double *y) {
  static const sn__descent_budget correction = {8, 2, 0.5, INFINITY};
  const size_t n = multi->coord_count;
  const size_t bytes = n * sizeof *y;
  double distance = distance_squared(n, nominal, y);
  double stride = stride_max;
  memcpy(multi->kept, y, bytes);
  for (int i = 0; i < STRIDES_MAX && stride > stride_min && !is_late(multi); i++) {
    sn__multi_tip_evaluate(multi, y);
    nullspace_step(multi, nominal, y);
    const bool arrived = apply_step(multi, stride, y) < stride_min;
    const bool solved = sn__multi_tip_run(multi, &correction, y) == SN__DESCENT_SOLVED;
    const double distance_now = distance_squared(n, nominal, y);
    if (solved && distance_now < distance) {
      distance = distance_now;
      memcpy(multi->kept, y, bytes);
    } else {
      stride *= 0.25;
      memcpy(y, multi->kept, bytes);
    }
    if (arrived) {
      return;
    }
  }
}
