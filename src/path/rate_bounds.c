/* Bounds of the rows of an interval that hold at every point of it.
 *
 * Between the ends of the path, each joint is a cubic of the path parameter and x a quadratic. So
 * acceleration is a cubic, whose derivative times sqrt(x) is the jerk, and a polynomial is never
 * outside of its Bernstein coefficients. The root is bounded by a polynomial, too:
 * sqrt(x) <= (x + m^2) / 2m, with equality where x = m^2. */
#include <math.h>

#include "path/rate_problem.h"

/* By how much x may differ from its middle value for that bound of the root to be close: 0.5 %. */
static const double SPREAD_MAX = 0.2;

/* A quadratic by its three Bernstein coefficients. */
typedef struct quadratic {
  double b[3];
} quadratic;

/* x in an interval: its coefficients, those of the bound of its root, and its slopes at the ends.
 */
typedef struct rate {
  quadratic x, root;
  double slope[2];
  double bend;
} rate;

static rate rate_of(const sn__rate_problem *self, size_t i, const double *c) {
  const sn__rate_node *start = &self->nodes[i];
  const sn__rate_node *end = &self->nodes[i + 1];
  rate r = {.x = {{start->left * c[i] + start->right * c[i + 1], c[i + 1],
                   end->left * c[i + 1] + end->right * c[i + 2]}},
            .slope = {start->slope * (c[i + 1] - c[i]), end->slope * (c[i + 2] - c[i + 1])}};
  r.bend = (r.slope[1] - r.slope[0]) / self->intervals[i].width;
  const double middle = 0.25 * (r.x.b[0] + 2.0 * r.x.b[1] + r.x.b[2]);
  const double scale = 0.5 / sqrt(middle);
  for (int k = 0; k < 3; k++) {
    r.root.b[k] = (r.x.b[k] + middle) * scale;
  }
  return r;
}

static bool is_close(const rate *r) {
  const double middle = 0.25 * (r->x.b[0] + 2.0 * r->x.b[1] + r->x.b[2]);
  double spread = 0.0;
  for (int k = 0; k < 3; k++) {
    spread = fmax(spread, fabs(r->x.b[k] - middle));
  }
  return spread <= SPREAD_MAX * middle;
}

static double greater(double a, double b) {
  return a > b ? a : b; /* fmax() is a call, since it treats NaN */
}

/* The greatest size of a product of quadratics, at most. */
static double product_bound(const quadratic *f, const quadratic *g) {
  const double inner = fabs(f->b[0] * g->b[2] + 4.0 * f->b[1] * g->b[1] + f->b[2] * g->b[0]);
  double most = greater(fabs(f->b[0] * g->b[0]), fabs(f->b[2] * g->b[2]));
  most = greater(most, 0.5 * fabs(f->b[0] * g->b[1] + f->b[1] * g->b[0]));
  most = greater(most, 0.5 * fabs(f->b[1] * g->b[2] + f->b[2] * g->b[1]));
  return greater(most, inner * (1.0 / 6.0));
}

/* The greatest velocity, acceleration and jerk of a joint. */
typedef struct extremes {
  double velocity, acceleration, jerk;
} extremes;

/* @param c  the cubic of the joint: coefficients `stride` apart
   @param at where the interval begins in its segment */
static extremes extremes_of(const rate *r, const double *c, size_t stride, double at,
                            double width) {
  const double third = 6.0 * c[3 * stride];
  const double second[2] = {2.0 * c[2 * stride] + third * at,
                            2.0 * c[2 * stride] + third * (at + width)};
  const double first = c[stride] + at * (2.0 * c[2 * stride] + 0.5 * third * at);
  const quadratic slope = {
      {first, first + 0.5 * width * second[0], first + 0.5 * width * (second[0] + second[1])}};
  const double *y = r->slope;
  const double half = 0.5 * r->bend;
  const quadratic change = {
      {third * r->x.b[0] + 1.5 * second[0] * y[0] + half * slope.b[0],
       third * r->x.b[1] + 0.75 * (second[0] * y[1] + second[1] * y[0]) + half * slope.b[1],
       third * r->x.b[2] + 1.5 * second[1] * y[1] + half * slope.b[2]}};
  const double start = second[0] * r->x.b[0] + 0.5 * slope.b[0] * y[0];
  const double end = second[1] * r->x.b[2] + 0.5 * slope.b[2] * y[1];
  const double step = width / 3.0;
  return (extremes){.velocity = product_bound(&slope, &r->root),
                    .acceleration = greater(
                        greater(fabs(start), fabs(end)),
                        greater(fabs(start + step * change.b[0]), fabs(end - step * change.b[2]))),
                    .jerk = product_bound(&change, &r->root)};
}

bool sn__rate_bound(sn__rate_problem *problem, size_t i, const double *c) {
  const sn__rate_problem *self = problem;
  const sn__joint_path *path = self->path;
  sn__rate_interval *interval = &problem->intervals[i];
  const size_t segment = interval->segment;
  const rate r = rate_of(self, i, c);
  if (self->limits->torque_max != NULL || sn__rate_limits_tool(self->limits) || segment == 0 ||
      segment + 1 == path->segment_count || !is_close(&r)) {
    return false;
  }
  const double *coef = path->coef + 4 * segment * path->joint_count;
  double second = 0.0;
  double third = 0.0;
  for (size_t j = 0; j < path->joint_count; j++) {
    const sn_otg_limits *limit = &self->limits->joints[j];
    const extremes most =
        extremes_of(&r, coef + j, path->joint_count, interval->begin, interval->width);
    const double share = most.velocity / limit->velocity;
    second = greater(second, greater(share * share, most.acceleration / limit->acceleration));
    third = greater(third, most.jerk / limit->jerk);
  }
  interval->strain[0] = second;
  interval->strain[1] = cbrt(third * third);
  return true;
}
