/* The grid of a path, and its rows. */
#include "path/rate_problem.h"

#include <math.h>

#include "base/fail.h"

/* How many intervals a segment has: by how far it turns, more at both ends, where the motion
   changes most. */
static const double INTERVALS_PER_RAD = 26.0;
/* In each segment at an end; more where these segments are a large part of the path. */
static const size_t END_INTERVALS = 16;
static const size_t END_INTERVALS_MAX = 32;
static const double END_INTERVALS_PATH = 480.0;
static const size_t PATH_INTERVALS = 290;
/* A long path has memory for so many intervals in the mean of its segments, and for these beside.
 */
static const size_t WAYPOINT_INTERVALS = 16;
static const size_t ROUGH_INTERVALS = 1024;
/* One over the greatest unit of x. */
static const double X_INVERSE_MIN = 1e-30;

static bool create_rows(sn_arena *arena, size_t second, size_t third, sn__rate_rows *out) {
  double *numbers = SN_NEW(arena, double, 3 * (second + third));
  if (numbers == NULL) {
    return false;
  }
  double **const parts[6] = {&out->a, &out->b, &out->off, &out->j1, &out->j2, &out->j3};
  for (size_t i = 0; i < 6; i++) {
    *parts[i] = numbers;
    numbers += i < 3 ? second : third;
  }
  return true;
}

sn_status sn__rate_problem_create(sn_arena *arena, size_t joint_count, size_t interval_max,
                                  const sn__rate_limits *limits, sn__rate_problem *out,
                                  sn_error *err) {
  const size_t third = joint_count + (limits->tool_jerk < INFINITY ? SN__RATE_TOOL_JERK_ROWS : 0);
  const size_t second = joint_count + (limits->torque_max == NULL ? 0 : joint_count) +
                        (limits->tool_acceleration < INFINITY ? SN__RATE_TOOL_ROWS : 0);
  *out = (sn__rate_problem){.interval_max = interval_max,
                            .second_count = second,
                            .third_count = third,
                            .nodes = SN_NEW(arena, sn__rate_node, interval_max + 1),
                            .intervals = SN_NEW(arena, sn__rate_interval, interval_max + 1),
                            .stencils = SN_NEW(arena, sn__rate_stencil, interval_max / 2 + 4)};
  double *point = SN_NEW(arena, double, 4 * joint_count);
  out->samples = SN_NEW(arena, double, SN__RATE_SAMPLES *(2 + joint_count + second + third));
  if (out->nodes == NULL || out->intervals == NULL || out->stencils == NULL || point == NULL ||
      out->samples == NULL || !create_rows(arena, second, third, &out->rows) ||
      !create_rows(arena, second, third, &out->rows_after) ||
      !sn__rate_lanes_create(arena, interval_max + 2, second, third, &out->lanes)) {
    return sn__fail(err, SN_ENOMEM, "no memory for a path of %zu intervals", interval_max);
  }
  for (size_t i = 0; i < 4; i++) {
    out->point.d[i] = point + i * joint_count;
  }
  return SN_OK;
}

/* ---- grid ---- */

size_t sn__rate_intervals_max(size_t waypoint_count) {
  const size_t rough = SN__SEGMENT_INTERVALS * waypoint_count;
  const size_t long_one = ROUGH_INTERVALS + WAYPOINT_INTERVALS * waypoint_count;
  return (rough < long_one ? rough : long_one) + waypoint_count + 2 * END_INTERVALS_MAX +
         PATH_INTERVALS;
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

static double intervals_by_turn(const sn__rate_problem *self, size_t segment) {
  return fmin(INTERVALS_PER_RAD * turn_of(self, segment), SN__SEGMENT_INTERVALS);
}

/* The share of these that there is memory for, if the path is long and rough. */
static double share_of_turn(const sn__rate_problem *self) {
  const size_t segments = self->path->segment_count;
  const size_t others = 2 * END_INTERVALS_MAX + PATH_INTERVALS + segments;
  const double most = (double)(self->interval_max - others);
  if ((double)(SN__SEGMENT_INTERVALS * segments) <= most) {
    return 1.0;
  }
  double sum = 0.0;
  for (size_t k = 0; k < segments; k++) {
    sum += intervals_by_turn(self, k);
  }
  return sum > most ? most / sum : 1.0;
}

static double end_intervals(size_t segments) {
  const double share = END_INTERVALS_PATH / (double)segments;
  return fmax((double)END_INTERVALS, fmin((double)END_INTERVALS_MAX, share));
}

static size_t intervals_of(const sn__rate_problem *self, size_t segment, double share_turn) {
  const size_t segments = self->path->segment_count;
  const bool is_end = segment == 0 || segment + 1 == segments;
  const double least = is_end ? end_intervals(segments) : 1.0;
  const double share = (double)PATH_INTERVALS / (double)segments - 1.0;
  const double by_turn = share_turn * intervals_by_turn(self, segment);
  return (size_t)fmax(fmax(by_turn, share), least);
}

static void build_grid(sn__rate_problem *self, const sn__joint_path *path) {
  const double share = share_of_turn(self);
  size_t i = 0;
  for (size_t segment = 0; segment < path->segment_count; segment++) {
    const size_t count = intervals_of(self, segment, share);
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

/* Torque is gravity, and inertia times acceleration with the forces of the motion, both of which
   inverse dynamics has for a rate of 1. */
static void set_torques(const sn__rate_problem *self, sn__rate_rows *out) {
  const sn__rate_limits *limits = self->limits;
  const sn__path_point *point = &self->point;
  const size_t n = self->path->joint_count;
  const size_t first = n;
  double *gravity = limits->work;
  double *along = gravity + n;
  double *across = along + n;
  sn_dyn_inverse(limits->dyn, NULL, point->d[0], NULL, NULL, gravity, NULL);
  sn_dyn_inverse(limits->dyn, NULL, point->d[0], NULL, point->d[1], along, NULL);
  sn_dyn_inverse(limits->dyn, NULL, point->d[0], point->d[1], point->d[2], across, NULL);
  for (size_t j = 0; j < n; j++) {
    const double unit = 1.0 / limits->torque_max[j];
    out->a[first + j] = (across[j] - gravity[j]) * unit;
    out->b[first + j] = 0.5 * (along[j] - gravity[j]) * unit;
    out->off[first + j] = gravity[j] * unit;
  }
}

void sn__rate_rows_at(const sn__rate_problem *problem, size_t segment, double at,
                      sn__rate_rows *out) {
  const sn__rate_problem *self = problem;
  const sn__path_point *point = &self->point;
  sn__joint_path_at(self->path, segment, at, point);
  sn__rate_tool_rows(self, out);
  double v = out->tool;
  for (size_t j = 0; j < self->path->joint_count; j++) {
    const sn_otg_limits *inverse = &self->limits->inverse[j];
    v = sn__rate_greater(v, fabs(point->d[1][j]) * inverse->velocity);
    out->a[j] = point->d[2][j] * inverse->acceleration;
    out->b[j] = 0.5 * point->d[1][j] * inverse->acceleration;
    out->j1[j] = 0.5 * point->d[1][j] * inverse->jerk;
    out->j2[j] = 1.5 * point->d[2][j] * inverse->jerk;
    out->j3[j] = point->d[3][j] * inverse->jerk;
  }
  out->x_max = 1.0 / (v * v);
  if (self->limits->torque_max != NULL) {
    set_torques(self, out);
  }
}

/* The greatest x at a node without x' and x''. */
static double unit_of(const sn__rate_problem *self, const sn__rate_rows *rows,
                      const double *j3_after) {
  double second = 1.0 / rows->x_max;
  double third = 0.0;
  for (size_t i = 0; i < self->second_count; i++) {
    second = sn__rate_greater(second, fabs(rows->a[i]) / (1.0 - fabs(rows->off[i])));
  }
  for (size_t i = 0; i < self->third_count; i++) {
    third = sn__rate_greater(third, sn__rate_greater(fabs(rows->j3[i]), fabs(j3_after[i])));
  }
  if (third * third > second * second * second) {
    second = cbrt(third * third);
  }
  return 1.0 / sn__rate_greater(second, X_INVERSE_MIN);
}

/* The rows of node k into the lanes. */
static void set_node(sn__rate_problem *self, size_t k) {
  const size_t count = self->interval_count;
  const sn__rate_interval *before = &self->intervals[k > 0 ? k - 1 : 0];
  const sn__rate_interval *after = &self->intervals[k < count ? k : count - 1];
  const double *j3_after = self->rows.j3;
  sn__rate_rows_at(self, before->segment, k > 0 ? before->begin + before->width : 0.0, &self->rows);
  if (before->segment != after->segment) {
    sn__rate_rows_at(self, after->segment, after->begin, &self->rows_after);
    j3_after = self->rows_after.j3; /* the third derivative jumps between segments */
  }
  sn__rate_node *node = &self->nodes[k];
  node->unit = unit_of(self, &self->rows, j3_after);
  const sn__rate_lane lane = {.unit = node->unit,
                              .weight = node->weight,
                              .x_max = self->rows.x_max,
                              .a = self->rows.a,
                              .b = self->rows.b,
                              .off = self->rows.off,
                              .j1 = self->rows.j1,
                              .j2 = self->rows.j2,
                              .j3 = {k == 0 ? NULL : self->rows.j3, k == count ? NULL : j3_after}};
  sn__rate_lanes_set(&self->lanes, k, &lane);
}

void sn__rate_problem_build(sn__rate_problem *problem, const sn__joint_path *path,
                            const sn__rate_limits *limits) {
  problem->path = path;
  problem->limits = limits;
  build_grid(problem, path);
  build_spline(problem);
  sn__rate_lanes_clear(&problem->lanes, problem->interval_count + 2); /* one that has no rows */
  for (size_t k = 0; k <= problem->interval_count; k++) {
    set_node(problem, k);
  }
  sn__rate_stencils_build(problem);
}
