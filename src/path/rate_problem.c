/* The grid of a path, and its rows. */
#include "path/rate_problem.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"

/* How many intervals a segment has: by how far it turns, more at both ends, where the motion
   changes most. With these numbers motions take at most 1 % longer than on a much finer grid. */
static const double INTERVALS_PER_RAD = 8.0;
static const size_t END_INTERVALS = 16;
static const size_t PATH_INTERVALS = 64;

static sn__pair *set_rows_memory(sn__rate_rows *rows, size_t pairs, size_t jerk_pairs,
                                 sn__pair *memory) {
  rows->a = memory;
  rows->b = rows->a + pairs;
  rows->off = rows->b + pairs;
  rows->j1 = rows->off + pairs;
  rows->j2 = rows->j1 + jerk_pairs;
  return rows->j2 + jerk_pairs;
}

static void set_pointers(sn__rate_problem *self, sn__pair *rows) {
  const size_t n = self->pair_count;
  const size_t m = self->jerk_pair_count;
  for (size_t k = 0; k <= self->interval_max; k++) {
    sn__rate_node *node = &self->nodes[k];
    sn__rate_interval *interval = &self->intervals[k];
    rows = set_rows_memory(&node->rows, n, m, rows);
    interval->j3_a = rows;
    interval->j3_b = rows + m;
    rows += 2 * m;
  }
  rows = set_rows_memory(&self->rows, n, m, rows);
  self->rows.j3 = rows;
}

sn_status sn__rate_problem_create(sn_arena *arena, size_t joint_count, size_t interval_max,
                                  const sn__rate_limits *limits, sn__rate_problem *out,
                                  sn_error *err) {
  const size_t jerk_pairs = (joint_count + 1) / 2;
  const size_t pairs = jerk_pairs + (limits->torque_max == NULL ? 0 : jerk_pairs) +
                       (limits->tool_acceleration < INFINITY ? SN__RATE_TOOL_PAIRS : 0);
  *out = (sn__rate_problem){.interval_max = interval_max,
                            .pair_count = pairs,
                            .jerk_pair_count = jerk_pairs,
                            .nodes = SN_NEW(arena, sn__rate_node, interval_max + 1),
                            .intervals = SN_NEW(arena, sn__rate_interval, interval_max + 1)};
  sn__pair *rows = SN_NEW(arena, sn__pair, 7 * pairs * (interval_max + 2));
  double *point = SN_NEW(arena, double, 4 * joint_count);
  out->samples = SN_NEW(arena, double, SN__RATE_SAMPLES *(1 + joint_count + 4 * pairs));
  if (out->nodes == NULL || out->intervals == NULL || rows == NULL || point == NULL ||
      out->samples == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for a path of %zu intervals", interval_max);
  }
  for (size_t i = 0; i < 4; i++) {
    out->point.d[i] = point + i * joint_count;
  }
  set_pointers(out, rows);
  return SN_OK;
}

/* ---- grid ---- */

size_t sn__rate_intervals_max(size_t waypoint_count) {
  return SN__SEGMENT_INTERVALS * waypoint_count + 2 * END_INTERVALS + 2 * PATH_INTERVALS;
}

/* How far the direction of the path turns in a segment, rad, roughly: the integral of its
   curvature. */
static double turn_of(const sn__rate_problem *self, size_t segment) {
  const sn__joint_path *path = self->path;
  const size_t n = path->joint_count;
  const double width = path->width[segment];
  const double *c = path->coef + 4 * segment * n;
  double start = 0.0;
  double end = 0.0;
  for (size_t j = 0; j < n; j++) {
    const double unit = 1.0 / self->limits->joints[j].velocity;
    const double a = 2.0 * c[2 * n + j] * unit;
    const double b = a + 6.0 * width * c[3 * n + j] * unit;
    start += a * a;
    end += b * b;
  }
  return 0.5 * width * (sqrt(start) + sqrt(end));
}

static size_t intervals_of(const sn__rate_problem *self, size_t segment) {
  const size_t segments = self->path->segment_count;
  const bool is_end = segment == 0 || segment + 1 == segments;
  const size_t least = is_end ? END_INTERVALS : 1;
  const size_t share = (PATH_INTERVALS + segments - 1) / segments;
  const double by_turn = fmin(INTERVALS_PER_RAD * turn_of(self, segment), SN__SEGMENT_INTERVALS);
  return (size_t)ceil(fmax(by_turn, (double)(share > least ? share : least)));
}

static void build_grid(sn__rate_problem *self, const sn__joint_path *path) {
  size_t i = 0;
  for (size_t segment = 0; segment < path->segment_count; segment++) {
    const size_t count = intervals_of(self, segment);
    const double width = sn__joint_path_width(path, segment) / (double)count;
    for (size_t k = 0; k < count; k++, i++) {
      self->intervals[i].segment = segment;
      self->intervals[i].begin = width * (double)k;
      self->intervals[i].width = width;
    }
  }
  self->interval_count = i;
}

/* A quadratic spline: between the middles of two intervals x is on the line through their
   coefficients where they meet, and has its slope. At both ends of the path the slope is zero: the
   motion begins and ends with constant jerk; the outermost coefficients do not count. */
static void build_spline(sn__rate_problem *self) {
  const size_t count = self->interval_count;
  for (size_t k = 0; k <= count; k++) {
    const double before = self->intervals[k > 0 ? k - 1 : 0].width;
    const double after = self->intervals[k < count ? k : count - 1].width;
    sn__rate_node *node = &self->nodes[k];
    node->left = k == 0 ? 0.0 : k == count ? 1.0 : after / (before + after);
    node->right = 1.0 - node->left;
    node->slope = k == 0 || k == count ? 0.0 : 2.0 / (before + after);
    node->weight = 0.25 * ((k > 0 ? before : 0.0) + (k < count ? after : 0.0));
  }
  for (size_t i = 0; i < count; i++) {
    sn__rate_interval *interval = &self->intervals[i];
    interval->bend[0] = self->nodes[i].slope / interval->width;
    interval->bend[2] = self->nodes[i + 1].slope / interval->width;
    interval->bend[1] = -interval->bend[0] - interval->bend[2];
  }
}

/* ---- rows ---- */

static void set_row(sn__pair *rows, size_t row, double value) {
  rows[row / 2][row % 2] = value;
}

/* Torque is gravity, and inertia times acceleration with the forces of the motion, both of which
   inverse dynamics has for a rate of 1. */
static void set_torques(const sn__rate_problem *self, sn__rate_rows *out) {
  const sn__rate_limits *limits = self->limits;
  const sn__path_point *point = &self->point;
  const size_t n = self->path->joint_count;
  const size_t first = 2 * self->jerk_pair_count;
  double *gravity = limits->work;
  double *along = gravity + n;
  double *across = along + n;
  sn_dyn_inverse(limits->dyn, NULL, point->d[0], NULL, NULL, gravity, NULL);
  sn_dyn_inverse(limits->dyn, NULL, point->d[0], NULL, point->d[1], along, NULL);
  sn_dyn_inverse(limits->dyn, NULL, point->d[0], point->d[1], point->d[2], across, NULL);
  for (size_t j = 0; j < n; j++) {
    const double unit = 1.0 / limits->torque_max[j];
    set_row(out->a, first + j, (across[j] - gravity[j]) * unit);
    set_row(out->b, first + j, 0.5 * (along[j] - gravity[j]) * unit);
    set_row(out->off, first + j, gravity[j] * unit);
  }
}

void sn__rate_rows_at(const sn__rate_problem *problem, size_t segment, double at,
                      sn__rate_rows *out) {
  const sn__rate_problem *self = problem;
  const sn__path_point *point = &self->point;
  sn__joint_path_at(self->path, segment, at, point);
  sn__rate_tool_rows(self, out);
  double v_max = 1.0 / out->tool;
  for (size_t j = 0; j < self->path->joint_count; j++) {
    const sn_otg_limits *limit = &self->limits->joints[j];
    v_max = fmin(v_max, limit->velocity / fabs(point->d[1][j]));
    set_row(out->a, j, point->d[2][j] / limit->acceleration);
    set_row(out->b, j, 0.5 * point->d[1][j] / limit->acceleration);
    set_row(out->j1, j, 0.5 * point->d[1][j] / limit->jerk);
    set_row(out->j2, j, 1.5 * point->d[2][j] / limit->jerk);
    set_row(out->j3, j, point->d[3][j] / limit->jerk);
  }
  out->x_max = v_max * v_max;
  if (self->limits->torque_max != NULL) {
    set_torques(self, out);
  }
}

/* The rows of a node, with the third derivative for one side of it. */
static void set_node(sn__rate_problem *self, size_t k, size_t segment, double at, sn__pair *j3) {
  sn__rate_rows *rows = &self->nodes[k].rows;
  rows->j3 = j3;
  sn__rate_rows_at(self, segment, at, rows);
}

/* Everything but the intervals themselves. */
static void fill_grid(sn__rate_problem *self) {
  build_spline(self);
  for (size_t i = 0; i < self->interval_count; i++) {
    const sn__rate_interval *at = &self->intervals[i];
    const bool is_new = i == 0 || self->intervals[i - 1].segment != at->segment;
    if (is_new) { /* the third derivative jumps between segments */
      set_node(self, i, at->segment, at->begin, at->j3_a);
    } else {
      memcpy(at->j3_a, self->intervals[i - 1].j3_b, self->jerk_pair_count * sizeof *at->j3_a);
    }
    set_node(self, i + 1, at->segment, at->begin + at->width, at->j3_b);
  }
}

void sn__rate_problem_build(sn__rate_problem *problem, const sn__joint_path *path,
                            const sn__rate_limits *limits) {
  problem->path = path;
  problem->limits = limits;
  build_grid(problem, path);
  fill_grid(problem);
}
