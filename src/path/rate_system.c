/* The linear system of Newton's method: derivatives by x, x' and x'' at the nodes become
   derivatives by the coefficients of the spline. Two nodes side by side; a node k depends on four
   coefficients, c[k-1] .. c[k+2]. */
#include <math.h>

#include "base/fail.h"
#include "math/pair.h"
#include "path/rate_problem.h"

/* The least pivot, as share of its diagonal: a lesser one is rounding. */
static const double PIVOT_MIN = 1e-12;

/* What a node adds to the derivatives by its four coefficients: by each, and by each two but the
   outermost ones, which share no row. */
enum { G0, G1, G2, G3, H00, H01, H02, H11, H12, H13, H22, H23, H33 };

_Static_assert((int)H33 + 1 == (int)SN__RATE_PARTS, "a part for each derivative");

/* ---- memory ---- */

static double *padded(sn_arena *arena, size_t count) {
  double *numbers = SN_NEW(arena, double, count + 2 * SN__RATE_PADDING);
  return numbers == NULL ? NULL : numbers + SN__RATE_PADDING;
}

sn_status sn__rate_search_create(sn_arena *arena, size_t interval_max, sn__rate_search *out,
                                 sn_error *err) {
  double **const arrays[] = {&out->c,         &out->step,      &out->gradient,
                             &out->factor[0], &out->factor[1], &out->factor[2]};
  bool is_there = true;
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
    *arrays[i] = padded(arena, interval_max + 2);
    is_there = is_there && *arrays[i] != NULL;
  }
  for (size_t i = 0; i < SN__RATE_PARTS; i++) {
    out->part[i] = padded(arena, interval_max + 2);
    is_there = is_there && out->part[i] != NULL;
  }
  return is_there ? SN_OK
                  : sn__fail(err, SN_ENOMEM, "no memory for a path of %zu intervals", interval_max);
}

/* ---- nodes ---- */

/* A lane behind the last node is always at the number behind its coefficients, which is one. */
static void set_stencil(const sn__rate_problem *self, size_t k) {
  const size_t count = self->interval_count;
  sn__rate_stencil *out = &self->stencils[k / 2];
  const size_t at = k % 2;
  if (k > count) {
    out->right[at] = 1.0;
    return;
  }
  const sn__rate_node *node = &self->nodes[k];
  const double inverse = 1.0 / node->unit;
  out->left[at] = node->left * inverse;
  out->right[at] = node->right * inverse;
  out->slope[at] = node->slope * inverse;
  for (size_t i = 0; i < 3; i++) {
    out->before[i][at] = k > 0 ? self->intervals[k - 1].bend[i] * inverse : 0.0;
    out->after[i][at] = k < count ? self->intervals[k].bend[i] * inverse : 0.0;
  }
}

void sn__rate_stencils_build(sn__rate_problem *problem) {
  for (size_t k = 0; k < SN__LANES * problem->lanes.block_count; k++) {
    if (k % 2 == 0) {
      problem->stencils[k / 2] = (sn__rate_stencil){.left = sn__pair_both(0.0)};
    }
    set_stencil(problem, k);
  }
}

/* x, x' and x'' at two nodes. */
typedef struct pair_state {
  sn__pair x, y, z[2];
} pair_state;

/* @param c  from the coefficient before the first of them on */
static inline pair_state place_pair(const sn__rate_stencil *s, const double *c) {
  const sn__pair c0 = sn__pair_load(c);
  const sn__pair c1 = sn__pair_load(c + 1);
  const sn__pair c2 = sn__pair_load(c + 2);
  const sn__pair c3 = sn__pair_load(c + 3);
  const pair_state out = {.x = s->left * c1 + s->right * c2,
                          .y = s->slope * (c2 - c1),
                          .z = {s->before[0] * c0 + s->before[1] * c1 + s->before[2] * c2,
                                s->after[0] * c1 + s->after[1] * c2 + s->after[2] * c3}};
  return out;
}

void sn__rate_place(sn__rate_problem *problem, const double *c, bool is_step) {
  for (size_t i = 0; i < problem->lanes.block_count; i++) {
    sn__rate_block *block = &problem->lanes.blocks[i];
    sn__rate_state *out = is_step ? &block->step : &block->at;
    const double *from = c + SN__LANES * i - 1;
    const pair_state low = place_pair(&problem->stencils[2 * i], from);
    const pair_state high = place_pair(&problem->stencils[2 * i + 1], from + 2);
    out->x = sn__quad_of_pairs(low.x, high.x);
    out->y = sn__quad_of_pairs(low.y, high.y);
    out->z[0] = sn__quad_of_pairs(low.z[0], high.z[0]);
    out->z[1] = sn__quad_of_pairs(low.z[1], high.z[1]);
  }
}

/* ---- the linear system ---- */

/* Derivatives at two nodes, as sn__rate_sums. */
typedef struct pair_sums {
  sn__pair x, y, z[2];
  sn__pair xx, xy, yy, xz[2], yz[2], zz[2];
} pair_sums;

static inline pair_sums low_sums(const sn__rate_sums *s) {
  const pair_sums out = {.x = sn__quad_low(s->x),
                         .y = sn__quad_low(s->y),
                         .z = {sn__quad_low(s->z[0]), sn__quad_low(s->z[1])},
                         .xx = sn__quad_low(s->xx),
                         .xy = sn__quad_low(s->xy),
                         .yy = sn__quad_low(s->yy),
                         .xz = {sn__quad_low(s->xz[0]), sn__quad_low(s->xz[1])},
                         .yz = {sn__quad_low(s->yz[0]), sn__quad_low(s->yz[1])},
                         .zz = {sn__quad_low(s->zz[0]), sn__quad_low(s->zz[1])}};
  return out;
}

static inline pair_sums high_sums(const sn__rate_sums *s) {
  const pair_sums out = {.x = sn__quad_high(s->x),
                         .y = sn__quad_high(s->y),
                         .z = {sn__quad_high(s->z[0]), sn__quad_high(s->z[1])},
                         .xx = sn__quad_high(s->xx),
                         .xy = sn__quad_high(s->xy),
                         .yy = sn__quad_high(s->yy),
                         .xz = {sn__quad_high(s->xz[0]), sn__quad_high(s->xz[1])},
                         .yz = {sn__quad_high(s->yz[0]), sn__quad_high(s->yz[1])},
                         .zz = {sn__quad_high(s->zz[0]), sn__quad_high(s->zz[1])}};
  return out;
}

/* The parts of nodes k and k + 1. */
static inline void set_parts(double *const part[SN__RATE_PARTS], size_t k,
                             const sn__rate_stencil *s, const pair_sums *d) {
  const sn__pair l = s->left;
  const sn__pair r = s->right;
  const sn__pair e = s->slope;
  const sn__pair *p = s->before;
  const sn__pair *q = s->after;
  /* by x or x' of the inner two coefficients, and by x'' */
  const sn__pair before1 = d->xz[0] * l - d->yz[0] * e;
  const sn__pair before2 = d->xz[0] * r + d->yz[0] * e;
  const sn__pair after1 = d->xz[1] * l - d->yz[1] * e;
  const sn__pair after2 = d->xz[1] * r + d->yz[1] * e;
  const sn__pair both1 = before1 + d->zz[0] * p[1];
  const sn__pair both2 = before2 + d->zz[0] * p[2];
  const sn__pair next1 = after1 + d->zz[1] * q[0];
  const sn__pair next2 = after2 + d->zz[1] * q[1];
  const sn__pair x1 = d->xx * l - d->xy * e;
  const sn__pair y1 = d->xy * l - d->yy * e;
  const sn__pair x2 = d->xx * r + d->xy * e;
  const sn__pair y2 = d->xy * r + d->yy * e;
  sn__pair_store(part[G0] + k, d->z[0] * p[0]);
  sn__pair_store(part[G1] + k, d->x * l - d->y * e + d->z[0] * p[1] + d->z[1] * q[0]);
  sn__pair_store(part[G2] + k, d->x * r + d->y * e + d->z[0] * p[2] + d->z[1] * q[1]);
  sn__pair_store(part[G3] + k, d->z[1] * q[2]);
  sn__pair_store(part[H00] + k, d->zz[0] * p[0] * p[0]);
  sn__pair_store(part[H01] + k, both1 * p[0]);
  sn__pair_store(part[H02] + k, both2 * p[0]);
  sn__pair_store(part[H11] + k,
                 x1 * l - y1 * e + (before1 + both1) * p[1] + (after1 + next1) * q[0]);
  sn__pair_store(part[H12] + k,
                 x1 * r + y1 * e + both1 * p[2] + before2 * p[1] + next1 * q[1] + after2 * q[0]);
  sn__pair_store(part[H13] + k, next1 * q[2]);
  sn__pair_store(part[H22] + k,
                 x2 * r + y2 * e + (before2 + both2) * p[2] + (after2 + next2) * q[1]);
  sn__pair_store(part[H23] + k, next2 * q[2]);
  sn__pair_store(part[H33] + k, d->zz[1] * q[2] * q[2]);
}

static void differentiate(sn__rate_problem *self, sn__rate_search *out) {
  for (size_t i = 0; i < self->lanes.block_count; i++) {
    sn__rate_block *block = &self->lanes.blocks[i];
    sn__rate_block_derive(block, &self->lanes, &out->aim);
    const pair_sums low = low_sums(&block->sums);
    set_parts(out->part, SN__LANES * i, &self->stencils[2 * i], &low);
    const pair_sums high = high_sums(&block->sums);
    set_parts(out->part, SN__LANES * i + 2, &self->stencils[2 * i + 1], &high);
  }
}

/* The derivative by coefficient k of what the nodes have. */
static inline double gradient_of(double *const part[SN__RATE_PARTS], size_t k) {
  return (part[G3] + k)[-2] + (part[G2] + k)[-1] + part[G1][k] + part[G0][k + 1];
}

/* Second derivatives by coefficients k - 2, k - 1 and k, and by k. */
static inline void row_of(double *const part[SN__RATE_PARTS], size_t k, double row[3]) {
  row[0] = (part[H13] + k)[-2] + (part[H02] + k)[-1];
  row[1] = (part[H23] + k)[-2] + (part[H12] + k)[-1] + part[H01][k];
  row[2] = (part[H33] + k)[-2] + (part[H22] + k)[-1] + part[H11][k] + part[H00][k + 1];
}

/* Factor H = L D L^T and solve L D y = -gradient with y into `step`; sets gradient and duration,
   too. Half of the duration is counted at the nodes, half by the coefficients, each the middle
   control point of an interval: their errors of second order cancel, and no coefficient gets to
   zero. The outermost coefficients have rows of zeros. */
static void factor(const sn__rate_problem *self, sn__rate_search *search) {
  double *const *part = search->part;
  double inverse[2] = {0.0, 0.0}; /* of the last two pivots, the last one first */
  double step[2] = {0.0, 0.0};
  double beside = 0.0;
  double sum = 0.0;
  for (size_t i = 1; i <= self->interval_count; i++) {
    const double over = 1.0 / search->c[i];
    const double pace = 0.5 * self->intervals[i - 1].width * sqrt(over);
    const double first = 0.5 * pace * over;
    sum += pace;
    double row[3];
    row_of(part, i, row);
    const double one = row[1] - row[0] * beside;
    const double by_two = row[0] * inverse[1];
    const double by_one = one * inverse[0];
    const double diagonal = row[2] + 1.5 * first * over;
    const double pivot = diagonal - row[0] * by_two - one * by_one;
    const double gradient = gradient_of(part, i) - first;
    const double rest = -gradient - by_two * step[1] - by_one * step[0];
    inverse[1] = inverse[0];
    inverse[0] = 1.0 / sn__rate_greater(pivot, PIVOT_MIN * diagonal);
    step[1] = step[0];
    step[0] = rest;
    beside = by_one;
    search->gradient[i] = gradient;
    search->factor[0][i] = inverse[0];
    search->factor[1][i] = by_one;
    search->factor[2][i] = by_two;
    search->step[i] = rest * inverse[0];
  }
  search->duration_s = 2.0 * sum;
}

/* Solve L^T step = y in place of y.
   @return how much the step gains */
static double solve(sn__rate_search *search, size_t count) {
  double *step = search->step;
  double *one = search->factor[1];
  double *two = search->factor[2];
  double gain = 0.0;
  one[count + 1] = two[count + 1] = two[count + 2] = 0.0;
  step[0] = step[count + 1] = 0.0;
  for (size_t i = count; i > 0; i--) {
    step[i] -= one[i + 1] * step[i + 1] + two[i + 2] * step[i + 2];
    gain -= search->gradient[i] * step[i];
  }
  return gain;
}

double sn__rate_newton(sn__rate_problem *problem, sn__rate_search *search) {
  differentiate(problem, search);
  factor(problem, search);
  return solve(search, problem->interval_count);
}
