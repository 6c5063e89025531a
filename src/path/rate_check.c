/* Limits between the nodes of the grid: bounds where there are, otherwise samples. */
#include <math.h>

#include "path/rate_problem.h"

/* Samples get closer until parabolas through them rise by no more than this, where a row is close
   to its limit. */
static const double BEND_MAX = 1e-4;
static const double CLOSE = 0.9;

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
    const double share = self->point.d[1][j] / self->limits->joints[j].velocity;
    out[count++] = share * share * x;
  }
  for (size_t k = 0; k < 2 * self->pair_count; k++) {
    const double row = rows->a[k / 2][k % 2] * x + rows->b[k / 2][k % 2] * y;
    const double held = rows->off[k / 2][k % 2]; /* by which the limit is nearer on one side */
    out[count++] = row / (1.0 - (row < 0.0 ? -held : held));
  }
  for (size_t k = 0; k < 2 * self->jerk_pair_count; k++) {
    out[count++] = root * (rows->j3[k / 2][k % 2] * x + rows->j2[k / 2][k % 2] * y +
                           rows->j1[k / 2][k % 2] * z);
  }
}

/* The greatest size of a row between samples: that of a sample, and what a parabola through three
   neighbours can be above them, which goes to `bend`; twice that, since rows are not parabolas. */
static double peak(const double *samples, size_t sample_count, size_t stride, double *bend) {
  double most = 0.0;
  *bend = 0.0;
  for (size_t s = 0; s < sample_count; s++) {
    const double *at = samples + s * stride;
    most = fmax(most, fabs(*at));
    if (s > 0 && s + 1 < sample_count) {
      *bend = fmax(*bend, 0.125 * fabs(*(at - stride) - 2.0 * *at + *(at + stride)));
    }
  }
  return most + 2.0 * *bend;
}

/* @return whether a row that matters is too bent for so few samples */
static bool check_interval(sn__rate_problem *self, size_t i, const double *c, size_t samples) {
  const size_t second = 1 + self->path->joint_count + 2 * self->pair_count;
  const size_t count = second + 2 * self->jerk_pair_count;
  double *strain = self->intervals[i].strain;
  bool is_bent = false;
  strain[0] = strain[1] = 0.0;
  for (size_t s = 0; s < samples; s++) {
    const double part = (double)s / (double)(samples - 1);
    sample_rows(self, i, c, part, self->samples + s * count);
  }
  for (size_t row = 0; row < count; row++) {
    double bend = 0.0;
    const double most = peak(self->samples + row, samples, count, &bend);
    double *worst = &strain[row < second ? 0 : 1];
    *worst = fmax(*worst, most);
    is_bent = is_bent || (most > CLOSE && bend > BEND_MAX);
  }
  strain[1] = cbrt(strain[1] * strain[1]);
  return is_bent;
}

double sn__rate_check(sn__rate_problem *problem, const double *c) {
  double worst = 0.0;
  for (size_t i = 0; i < problem->interval_count; i++) {
    size_t samples = 5;
    while (!sn__rate_bound(problem, i, c) && check_interval(problem, i, c, samples) &&
           samples < SN__RATE_SAMPLES) {
      samples = 2 * samples - 1;
    }
    const double *strain = problem->intervals[i].strain;
    worst = fmax(worst, fmax(strain[0], strain[1]));
  }
  return worst;
}

static void scale_pairs(sn__pair *rows, size_t count, double factor) {
  for (size_t i = 0; i < count; i++) {
    rows[i] *= sn__pair_both(factor);
  }
}

void sn__rate_tighten(sn__rate_problem *problem) {
  const size_t count = problem->interval_count;
  for (size_t k = 0; k <= count; k++) {
    const double *left = problem->intervals[k > 0 ? k - 1 : 0].strain;
    const double *right = problem->intervals[k < count ? k : count - 1].strain;
    const double second = fmax(left[0], right[0]);
    const double third = fmax(left[1], right[1]);
    sn__rate_rows *rows = &problem->nodes[k].rows;
    if (second > 1.0) {
      scale_pairs(rows->a, problem->pair_count, second);
      scale_pairs(rows->b, problem->pair_count, second);
      rows->x_max /= second;
    }
    if (third > 1.0) { /* rows of jerk grow with x^3/2 */
      const double factor = third * sqrt(third);
      scale_pairs(rows->j1, problem->jerk_pair_count, factor);
      scale_pairs(rows->j2, problem->jerk_pair_count, factor);
      for (size_t side = 0; side < 2; side++) {
        const size_t i = k - 1 + side;
        if (i < count) {
          sn__rate_interval *at = &problem->intervals[i];
          scale_pairs(side == 0 ? at->j3_b : at->j3_a, problem->jerk_pair_count, factor);
        }
      }
    }
  }
}
