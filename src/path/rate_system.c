/* The linear system of Newton's method: derivatives by x, x' and x'' at the nodes become
   derivatives by the coefficients of the spline. */
#include <math.h>
#include <string.h>

#include "math/pair.h"
#include "path/rate_problem.h"

static const double PIVOT_MIN = 1e-300;

static double bend_along(const sn__rate_problem *self, size_t i, const double *c) {
  const double *bend = self->intervals[i].bend;
  return bend[0] * c[i] + bend[1] * c[i + 1] + bend[2] * c[i + 2];
}

void sn__rate_place(sn__rate_problem *problem, const double *c, bool is_step) {
  const sn__rate_problem *self = problem;
  double before = 0.0;
  for (size_t k = 0; k <= self->interval_count; k++) {
    const sn__rate_node *node = &self->nodes[k];
    sn__rate_block *block = &self->lanes.blocks[k / SN__LANES];
    sn__rate_state *out = is_step ? &block->step : &block->at;
    const size_t at = k % SN__LANES;
    const double inverse = node->inverse;
    const double after = k < self->interval_count ? bend_along(self, k, c) : 0.0;
    out->x[at] = (float)((node->left * c[k] + node->right * c[k + 1]) * inverse);
    out->y[at] = (float)(node->slope * (c[k + 1] - c[k]) * inverse);
    out->z[0][at] = (float)(before * inverse);
    out->z[1][at] = (float)(after * inverse);
    before = after;
  }
}

/* ---- the linear system ---- */

/* The part of the matrix and of the gradient that two neighbouring coefficients have. */
typedef struct corner {
  sn__pair gradient, diagonal;
  double beside;
} corner;

/* Derivatives by x'' of interval i, to which node k belongs: two of its coefficients are those of
   x and x' at the node, the third is farther away. */
static void scatter_side(const sn__rate_problem *self, size_t k, int side, sn__pair x, sn__pair y,
                         corner *out, sn__rate_search *search) {
  const sn__rate_sums *s = &self->lanes.blocks[k / SN__LANES].sums;
  const size_t at = k % SN__LANES;
  const double *bend = self->intervals[side == 0 ? k - 1 : k].bend;
  const double inverse = self->nodes[k].inverse;
  const sn__pair z =
      sn__pair_make(bend[side == 0 ? 1 : 0], bend[side == 0 ? 2 : 1]) * sn__pair_both(inverse);
  const double far = bend[side == 0 ? 0 : 2] * inverse;
  const double gz = (double)s->z[side][at];
  const double zz = (double)s->zz[side][at];
  const sn__pair mixed =
      sn__pair_both((double)s->xz[side][at]) * x + sn__pair_both((double)s->yz[side][at]) * y;
  const sn__pair both = mixed + sn__pair_both(zz) * z;
  out->gradient += sn__pair_both(gz) * z;
  out->diagonal += (mixed + both) * z;
  out->beside += both[0] * z[1] + mixed[1] * z[0];
  const size_t other = side == 0 ? k - 1 : k + 2;
  search->gradient[other] += gz * far;
  search->band[0][other] += zz * far * far;
  if (side == 0) {
    search->band[1][k] += both[0] * far;
    search->band[2][k + 1] += both[1] * far;
  } else {
    search->band[2][k + 2] += both[0] * far;
    search->band[1][k + 2] += both[1] * far;
  }
}

/* Add the derivatives of one node as derivatives by the four coefficients that it depends on. */
static void scatter(const sn__rate_problem *self, size_t k, sn__rate_search *out) {
  const sn__rate_node *node = &self->nodes[k];
  const sn__rate_sums *s = &self->lanes.blocks[k / SN__LANES].sums;
  const size_t at = k % SN__LANES;
  const double d = node->slope * node->inverse;
  const sn__pair x = sn__pair_make(node->left, node->right) * sn__pair_both(node->inverse);
  const sn__pair y = sn__pair_make(-d, d);
  const sn__pair xy = sn__pair_both((double)s->xy[at]);
  const sn__pair px = sn__pair_both((double)s->xx[at]) * x + xy * y;
  const sn__pair py = xy * x + sn__pair_both((double)s->yy[at]) * y;
  corner sum = {
      .gradient = sn__pair_both((double)s->x[at]) * x + sn__pair_both((double)s->y[at]) * y,
      .diagonal = x * px + y * py,
      .beside = x[1] * px[0] + y[1] * py[0]};
  if (k > 0) {
    scatter_side(self, k, 0, x, y, &sum, out);
  }
  if (k < self->interval_count) {
    scatter_side(self, k, 1, x, y, &sum, out);
  }
  out->gradient[k] += sum.gradient[0];
  out->gradient[k + 1] += sum.gradient[1];
  out->band[0][k] += sum.diagonal[0];
  out->band[0][k + 1] += sum.diagonal[1];
  out->band[1][k + 1] += sum.beside;
}

/* Half of the duration is counted at the nodes, half by the coefficients, each the middle control
   point of an interval: their errors of second order cancel, and no coefficient gets to zero. */
static void add_coefficients(const sn__rate_problem *self, sn__rate_search *out) {
  double sum = 0.0;
  for (size_t k = 1; k <= self->interval_count; k++) {
    const double inverse = 1.0 / out->c[k];
    const double pace = 0.5 * self->intervals[k - 1].width * sqrt(inverse);
    const double first = 0.5 * pace * inverse;
    sum += pace;
    out->gradient[k] -= first;
    out->band[0][k] += 1.5 * first * inverse;
  }
  out->duration_s = 2.0 * sum;
}

static void assemble(sn__rate_problem *self, sn__rate_search *out) {
  const size_t bytes = (self->interval_count + 2) * sizeof(double);
  memset(out->gradient, 0, bytes);
  for (int i = 0; i < 3; i++) {
    memset(out->band[i], 0, bytes);
  }
  for (size_t i = 0; i < self->lanes.block_count; i++) {
    sn__rate_block_derive(&self->lanes.blocks[i], &self->lanes, &out->aim);
  }
  for (size_t k = 0; k <= self->interval_count; k++) {
    scatter(self, k, out);
  }
  add_coefficients(self, out);
}

/* Solve H step = -gradient by L D L^T, in place of H. The outermost coefficients have rows of
   zeros. */
static void solve_step(sn__rate_search *search, size_t count) {
  double *inverse = search->band[0];
  double *l1 = search->band[1];
  double *l2 = search->band[2];
  double *step = search->step;
  step[0] = step[count - 1] = 0.0;
  for (size_t i = 1; i + 1 < count; i++) {
    const double two = i > 2 ? l2[i] : 0.0;
    const double one = i > 1 ? l1[i] - two * l1[i - 1] : 0.0;
    const double by_two = i > 2 ? two * inverse[i - 2] : 0.0;
    const double by_one = i > 1 ? one * inverse[i - 1] : 0.0;
    const double pivot = inverse[i] - two * by_two - one * by_one;
    inverse[i] = 1.0 / (pivot > PIVOT_MIN ? pivot : PIVOT_MIN);
    step[i] = -search->gradient[i] - (i > 2 ? by_two * step[i - 2] : 0.0) -
              (i > 1 ? by_one * step[i - 1] : 0.0);
    l1[i] = by_one;
    l2[i] = by_two;
  }
  for (size_t i = count - 1; i-- > 1;) {
    step[i] = step[i] * inverse[i] - (i + 2 < count ? l1[i + 1] * step[i + 1] : 0.0) -
              (i + 3 < count ? l2[i + 2] * step[i + 2] : 0.0);
  }
}

double sn__rate_newton(sn__rate_problem *problem, sn__rate_search *search) {
  const size_t count = problem->interval_count + 2;
  assemble(problem, search);
  solve_step(search, count);
  double gain = 0.0;
  for (size_t i = 0; i < count; i++) {
    gain -= search->gradient[i] * search->step[i];
  }
  return gain;
}
