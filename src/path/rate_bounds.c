/* Bounds of the rows of an interval that hold at every point of it.
 *
 * Between the ends of the path, each joint is a cubic of the path parameter and x a quadratic. So
 * acceleration is a cubic, whose derivative times sqrt(x) is the jerk, and a polynomial is never
 * outside of its Bernstein coefficients. The root is bounded by a polynomial, too:
 * sqrt(x) <= (x + m^2) / 2m, with equality where x = m^2. */
#include <math.h>

#include "math/pair.h"
#include "path/rate_problem.h"

/* By how much x may differ from its middle value for that bound of the root to be close: 0.5 %. */
static const double SPREAD_MAX = 0.2;

/* A quadratic of each of two joints by its three Bernstein coefficients. */
typedef struct quadratic {
  sn__pair b[3];
} quadratic;

/* x in an interval: its coefficients, those of the bound of its root, and its slopes at the ends.
 */
typedef struct rate {
  double x[3];
  double slope[2];
  double bend;
  sn__pair root[3];
} rate;

static rate rate_of(const sn__rate_problem *self, size_t i, const double *c) {
  const sn__rate_node *start = &self->nodes[i];
  const sn__rate_node *end = &self->nodes[i + 1];
  rate r = {.x = {start->left * c[i] + start->right * c[i + 1], c[i + 1],
                  end->left * c[i + 1] + end->right * c[i + 2]},
            .slope = {start->slope * (c[i + 1] - c[i]), end->slope * (c[i + 2] - c[i + 1])}};
  r.bend = (r.slope[1] - r.slope[0]) / self->intervals[i].width;
  const double middle = 0.25 * (r.x[0] + 2.0 * r.x[1] + r.x[2]);
  const double scale = 0.5 / sqrt(middle);
  for (int k = 0; k < 3; k++) {
    r.root[k] = sn__pair_both((r.x[k] + middle) * scale);
  }
  return r;
}

static bool is_close(const rate *r) {
  const double middle = 0.25 * (r->x[0] + 2.0 * r->x[1] + r->x[2]);
  double spread = 0.0;
  for (int k = 0; k < 3; k++) {
    spread = sn__rate_greater(spread, fabs(r->x[k] - middle));
  }
  return spread <= SPREAD_MAX * middle;
}

/* The greatest size of a product with the root of x, at most. */
static inline sn__pair product_bound(const quadratic *f, const sn__pair g[3]) {
  const sn__pair half = sn__pair_both(0.5);
  const sn__pair inner = f->b[0] * g[2] + sn__pair_both(4.0) * f->b[1] * g[1] + f->b[2] * g[0];
  sn__pair most = sn__pair_max(sn__pair_abs(f->b[0] * g[0]), sn__pair_abs(f->b[2] * g[2]));
  most = sn__pair_max(most, half * sn__pair_abs(f->b[0] * g[1] + f->b[1] * g[0]));
  most = sn__pair_max(most, half * sn__pair_abs(f->b[1] * g[2] + f->b[2] * g[1]));
  return sn__pair_max(most, sn__pair_both(1.0 / 6.0) * sn__pair_abs(inner));
}

/* The greatest velocity, acceleration and jerk of two joints. */
typedef struct extremes {
  sn__pair velocity, acceleration, jerk;
} extremes;

/* @param c   coefficients of the powers of the way
   @param at  where the interval begins in its segment */
static inline extremes extremes_of(const rate *r, const sn__pair c[4], double at, double width) {
  const sn__pair h = sn__pair_both(0.5 * width);
  const sn__pair third = sn__pair_both(6.0) * c[3];
  const sn__pair twice = c[2] + c[2];
  const sn__pair second[2] = {twice + third * sn__pair_both(at),
                              twice + third * sn__pair_both(at + width)};
  const sn__pair first = c[1] + sn__pair_both(at) * (twice + sn__pair_both(0.5 * at) * third);
  const quadratic slope = {{first, first + h * second[0], first + h * (second[0] + second[1])}};
  const sn__pair y[2] = {sn__pair_both(r->slope[0]), sn__pair_both(r->slope[1])};
  const sn__pair half = sn__pair_both(0.5 * r->bend);
  const sn__pair x[3] = {sn__pair_both(r->x[0]), sn__pair_both(r->x[1]), sn__pair_both(r->x[2])};
  const quadratic change = {
      {third * x[0] + sn__pair_both(1.5) * second[0] * y[0] + half * slope.b[0],
       third * x[1] + sn__pair_both(0.75) * (second[0] * y[1] + second[1] * y[0]) +
           half * slope.b[1],
       third * x[2] + sn__pair_both(1.5) * second[1] * y[1] + half * slope.b[2]}};
  const sn__pair start = second[0] * x[0] + sn__pair_both(0.5) * slope.b[0] * y[0];
  const sn__pair end = second[1] * x[2] + sn__pair_both(0.5) * slope.b[2] * y[1];
  const sn__pair step = sn__pair_both(width / 3.0);
  const sn__pair ends = sn__pair_max(sn__pair_abs(start), sn__pair_abs(end));
  const sn__pair inner = sn__pair_max(sn__pair_abs(start + step * change.b[0]),
                                      sn__pair_abs(end - step * change.b[2]));
  return (extremes){.velocity = product_bound(&slope, r->root),
                    .acceleration = sn__pair_max(ends, inner),
                    .jerk = product_bound(&change, r->root)};
}

bool sn__rate_bound(sn__rate_problem *problem, size_t i, const double *c) {
  const sn__rate_problem *self = problem;
  const sn__joint_path *path = self->path;
  const size_t n = path->joint_count;
  sn__rate_interval *interval = &problem->intervals[i];
  const size_t segment = interval->segment;
  const rate r = rate_of(self, i, c);
  if (self->limits->torque_max != NULL || sn__rate_limits_tool(self->limits) || segment == 0 ||
      segment + 1 == path->segment_count || !is_close(&r)) {
    return false;
  }
  const double *coef = path->coef + 4 * segment * n;
  sn__pair second = sn__pair_both(0.0);
  sn__pair third = sn__pair_both(0.0);
  for (size_t j = 0; j < n; j += 2) {
    const size_t k = j + 1 < n ? j + 1 : j; /* the last one may count twice */
    const sn_otg_limits *one = &self->limits->inverse[j];
    const sn_otg_limits *two = &self->limits->inverse[k];
    sn__pair powers[4];
    for (size_t power = 0; power < 4; power++) {
      powers[power] = sn__pair_make(coef[power * n + j], coef[power * n + k]);
    }
    const extremes most = extremes_of(&r, powers, interval->begin, interval->width);
    const sn__pair share = most.velocity * sn__pair_make(one->velocity, two->velocity);
    second = sn__pair_max(second, share * share);
    second = sn__pair_max(second,
                          most.acceleration * sn__pair_make(one->acceleration, two->acceleration));
    third = sn__pair_max(third, most.jerk * sn__pair_make(one->jerk, two->jerk));
  }
  interval->strain[0] = sn__rate_greater(second[0], second[1]);
  interval->strain[1] = sn__rate_greater(third[0], third[1]);
  return true;
}
