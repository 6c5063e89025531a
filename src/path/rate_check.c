/* Limits between the nodes of the grid: bounds where there are, otherwise samples. */
#include <math.h>

#include "math/pair.h"
#include "path/rate_problem.h"

/* A row that is closer to its limit than this matters. */
static const double CLOSE = 0.9;
/* How precisely it is known then: samples get closer, and hulls smaller, until it is. */
static const double PRECISION = 1e-4;
/* Four of five samples of a stretch are new. */
enum { STRETCH = 4, HALVINGS_MAX = 3 };

/* All rows at a sample of an interval, each to be at most 1 in size: squared velocities, second
   order, third order. */
static void sample_rows(sn__rate_problem *self, size_t i, const double *c, double part,
                        double *out) {
  const sn__rate_interval *interval = &self->intervals[i];
  const sn__rate_node *node = &self->nodes[i];
  const double u = interval->width * part;
  const double z =
      interval->bend[0] * c[i] + interval->bend[1] * c[i + 1] + interval->bend[2] * c[i + 2];
  const double y0 = node->slope * (c[i + 1] - c[i]);
  const double y = y0 + z * u;
  const double x = node->left * c[i] + node->right * c[i + 1] + u * (y0 + 0.5 * z * u);
  const double root = sqrt(x);
  const sn__rate_rows *rows = &self->rows;
  sn__rate_rows_at(self, interval->segment, interval->begin + u, &self->rows);
  size_t count = 0;
  out[count++] = rows->tool * rows->tool * x;
  for (size_t j = 0; j < self->path->joint_count; j++) { /* one by one: their maximum has kinks */
    const double share = self->point.d[1][j] * self->limits->inverse[j].velocity;
    out[count++] = share * share * x;
  }
  for (size_t k = 0; k < self->second_count; k++) {
    const double row = rows->a[k] * x + rows->b[k] * y;
    const double held = rows->off[k]; /* by which the limit is nearer on one side */
    out[count++] = held == 0.0 ? row : row / (1.0 - (row < 0.0 ? -held : held));
  }
  for (size_t k = 0; k < self->third_count; k++) {
    out[count++] = root * (rows->j3[k] * x + rows->j2[k] * y + rows->j1[k] * z);
  }
}

/* Polynomials of fourth degree of two rows by their Bernstein coefficients, whose hull they never
   leave. */
typedef struct quartic {
  sn__pair b[STRETCH + 1];
} quartic;

static inline sn__pair times(double factor, sn__pair p) {
  return sn__pair_both(factor) * p;
}

/* Through five samples at equal distances. */
static inline quartic quartic_through(const sn__pair f[STRETCH + 1]) {
  const quartic q = {
      {f[0],
       times(1.0 / 12.0, times(-13.0, f[0]) + times(48.0, f[1]) - times(36.0, f[2]) +
                             times(16.0, f[3]) - times(3.0, f[4])),
       times(1.0 / 18.0, times(13.0, f[0] + f[4]) - times(64.0, f[1] + f[3]) + times(120.0, f[2])),
       times(1.0 / 12.0, times(-13.0, f[4]) + times(48.0, f[3]) - times(36.0, f[2]) +
                             times(16.0, f[1]) - times(3.0, f[0])),
       f[4]}};
  return q;
}

/* The first half, by de Casteljau's algorithm; `rest` gets the second. */
static quartic first_half(const quartic *whole, quartic *rest) {
  quartic half;
  *rest = *whole;
  for (int k = 0; k <= STRETCH; k++) {
    half.b[k] = rest->b[0];
    for (int i = 0; i + k < STRETCH; i++) {
      rest->b[i] = times(0.5, rest->b[i] + rest->b[i + 1]);
    }
  }
  return half;
}

static inline bool is_precise(double hull, double ends) {
  return hull < CLOSE || hull - ends < PRECISION;
}

/* Bounds of their sizes that are precise where that matters. */
static sn__pair bound_of(const quartic *q, int halvings) {
  const sn__pair inner = sn__pair_max(sn__pair_abs(q->b[1]),
                                      sn__pair_max(sn__pair_abs(q->b[2]), sn__pair_abs(q->b[3])));
  const sn__pair ends = sn__pair_max(sn__pair_abs(q->b[0]), sn__pair_abs(q->b[4]));
  const sn__pair hull = sn__pair_max(inner, ends);
  if ((is_precise(hull[0], ends[0]) && is_precise(hull[1], ends[1])) || halvings == 0) {
    return hull;
  }
  quartic rest;
  const quartic half = first_half(q, &rest);
  return sn__pair_max(bound_of(&half, halvings - 1), bound_of(&rest, halvings - 1));
}

/* The greatest sizes of two rows between samples, by polynomials through five of them each; `doubt`
   gets how far the rows may be from these: their next difference is a fraction of their last. */
static sn__pair peak(const double *samples, size_t sample_count, size_t stride, sn__pair *doubt) {
  sn__pair most = sn__pair_both(0.0);
  *doubt = most;
  for (size_t s = 0; s + STRETCH < sample_count; s += STRETCH) {
    sn__pair f[STRETCH + 1];
    for (size_t i = 0; i <= STRETCH; i++) {
      f[i] = sn__pair_load(samples + (s + i) * stride);
    }
    const quartic q = quartic_through(f);
    const sn__pair last = f[0] - times(4.0, f[1] + f[3]) + times(6.0, f[2]) + f[4];
    *doubt = sn__pair_max(*doubt, times(1.0 / 32.0, sn__pair_abs(last)));
    most = sn__pair_max(most, bound_of(&q, HALVINGS_MAX));
  }
  return most + *doubt;
}

/* @return whether a row that matters is not known precisely by so few samples */
static bool check_interval(sn__rate_problem *self, size_t i, const double *c, size_t samples) {
  const size_t second = 1 + self->path->joint_count + self->second_count;
  const size_t count = second + self->third_count;
  const size_t stride = count + count % 2; /* the last row may have a zero beside it */
  double *strain = self->intervals[i].strain;
  bool is_vague = false;
  strain[0] = strain[1] = 0.0;
  for (size_t s = 0; s < samples; s++) {
    const double part = (double)s / (double)(samples - 1);
    double *rows = self->samples + s * stride;
    rows[stride - 1] = 0.0;
    sample_rows(self, i, c, part, rows);
  }
  for (size_t row = 0; row < count; row += 2) {
    sn__pair doubt;
    const sn__pair most = peak(self->samples + row, samples, stride, &doubt);
    for (size_t k = 0; k < 2; k++) {
      double *worst = &strain[row + k < second ? 0 : 1];
      *worst = sn__rate_greater(*worst, most[k]);
      is_vague = is_vague || (most[k] > CLOSE && doubt[k] > PRECISION);
    }
  }
  return is_vague;
}

double sn__rate_check(sn__rate_problem *problem, const double *c) {
  double second = 0.0;
  double third = 0.0;
  for (size_t i = 0; i < problem->interval_count; i++) {
    if (!(c[i + 1] > 0.0 && c[i + 1] < INFINITY)) { /* comparisons below would drop a NaN */
      return INFINITY;
    }
    size_t samples = STRETCH + 1;
    while (!sn__rate_bound(problem, i, c) && check_interval(problem, i, c, samples) &&
           samples < SN__RATE_SAMPLES) {
      samples = 2 * samples - 1;
    }
    second = sn__rate_greater(second, problem->intervals[i].strain[0]);
    third = sn__rate_greater(third, problem->intervals[i].strain[1]);
  }
  return sn__rate_greater(second, cbrt(third * third)); /* rows of jerk grow with x^3/2 */
}

void sn__rate_tighten(sn__rate_problem *problem) {
  const size_t count = problem->interval_count;
  for (size_t k = 0; k <= count; k++) {
    const double *left = problem->intervals[k > 0 ? k - 1 : 0].strain;
    const double *right = problem->intervals[k < count ? k : count - 1].strain;
    sn__rate_lanes_scale(&problem->lanes, k,
                         sn__rate_greater(sn__rate_greater(left[0], right[0]), 1.0),
                         sn__rate_greater(sn__rate_greater(left[1], right[1]), 1.0));
  }
}
