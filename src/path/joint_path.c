#include "path/joint_path.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"

sn_status sn__joint_path_create(sn_arena *arena, size_t joint_count, size_t waypoint_max,
                                sn__joint_path *out, sn_error *err) {
  const size_t points = waypoint_max + 1; /* one is added to a path of two */
  *out = (sn__joint_path){.joint_count = joint_count,
                          .waypoint_max = waypoint_max,
                          .width = SN_NEW(arena, double, points),
                          .coef = SN_NEW(arena, double, 4 * points * joint_count),
                          .q = SN_NEW(arena, double, points *joint_count),
                          .work = SN_NEW(arena, double, points *(joint_count + 1))};
  if (out->width == NULL || out->coef == NULL || out->q == NULL || out->work == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for a path of %zu waypoints", waypoint_max);
  }
  return SN_OK;
}

/* ---- waypoints ---- */

/* In the unit of distance; from the origin if there is no start. */
static double distance(const double *from, const double *to, const double *speed, size_t n) {
  double sum = 0.0;
  for (size_t j = 0; j < n; j++) {
    const double step = (to[j] - (from == NULL ? 0.0 : from[j])) / speed[j];
    sum += step * step;
  }
  return sqrt(sum);
}

/* Copy the distinct waypoints; the last one always counts. */
static size_t copy_distinct(sn__joint_path *self, const sn__waypoints *points) {
  const size_t n = self->joint_count;
  const size_t bytes = n * sizeof(double);
  size_t count = 1;
  memcpy(self->q, points->q, bytes);
  for (size_t k = 1; k < points->count; k++) {
    const double *from = points->q + k * n;
    const double step = distance(self->q + (count - 1) * n, from, points->speed, n);
    const bool is_new = step > SN__PATH_MERGE;
    if (is_new) {
      self->width[count - 1] = step;
      count++;
    }
    if (is_new || (k + 1 == points->count && count > 1)) {
      memcpy(self->q + (count - 1) * n, from, bytes);
    }
  }
  return count;
}

/* Both ends need a segment of their own: the middle of the only one becomes a waypoint. */
static size_t split_only_segment(sn__joint_path *self) {
  const size_t n = self->joint_count;
  memcpy(self->q + 2 * n, self->q + n, n * sizeof(double));
  for (size_t j = 0; j < n; j++) {
    self->q[n + j] = 0.5 * (self->q[j] + self->q[2 * n + j]);
  }
  self->width[0] *= 0.5;
  self->width[1] = self->width[0];
  return 3;
}

/* ---- spline ---- */

/* The right side at a waypoint: six times the change of the secants. */
static double secant(const sn__joint_path *self, size_t k, size_t j) {
  const double *q = self->q + k * self->joint_count + j;
  return (q[self->joint_count] - q[0]) / self->width[k];
}

/* The slope by s at one end: the direction with a speed of one in the unit of distance. */
static double end_slope(const sn__waypoints *points, size_t n, size_t end, size_t j) {
  const double *slope = points->slope + end * n;
  return slope[j] / distance(NULL, slope, points->speed, n);
}

/* Row k of the tridiagonal system of second derivatives m: below, diagonal, above. */
static void row_of(const sn__joint_path *self, bool is_clamped, size_t k, double row[3]) {
  const size_t last = self->segment_count;
  const double before = k > 0 ? self->width[k - 1] : 0.0;
  const double after = k < last ? self->width[k] : 0.0;
  const bool is_end = k == 0 || k == last;
  row[0] = is_end && !is_clamped ? 0.0 : before;
  row[1] = is_end && !is_clamped ? 1.0 : 2.0 * (before + after);
  row[2] = is_end && !is_clamped ? 0.0 : after;
}

static double right_side(const sn__joint_path *self, const sn__waypoints *points, size_t k,
                         size_t j) {
  const size_t last = self->segment_count;
  const bool is_end = k == 0 || k == last;
  if (is_end && points->slope == NULL) {
    return 0.0;
  }
  const double before = k > 0 ? secant(self, k - 1, j) : end_slope(points, self->joint_count, 0, j);
  const double after = k < last ? secant(self, k, j) : end_slope(points, self->joint_count, 1, j);
  return 6.0 * (after - before);
}

/* Second derivatives at all waypoints into `work`, [waypoints][joints]: elimination without
   pivots, since the diagonal dominates. */
static void solve_curvatures(sn__joint_path *self, const sn__waypoints *points) {
  const size_t n = self->joint_count;
  const size_t count = self->segment_count + 1;
  double *m = self->work;
  double *above = self->work + count * n;
  for (size_t k = 0; k < count; k++) {
    double row[3];
    row_of(self, points->slope != NULL, k, row);
    const double over = 1.0 / (row[1] - (k > 0 ? row[0] * above[k - 1] : 0.0)); /* the pivot */
    above[k] = row[2] * over;
    for (size_t j = 0; j < n; j++) {
      const double below = k > 0 ? row[0] * m[(k - 1) * n + j] : 0.0;
      m[k * n + j] = (right_side(self, points, k, j) - below) * over;
    }
  }
  for (size_t k = count - 1; k-- > 0;) {
    for (size_t j = 0; j < n; j++) {
      m[k * n + j] -= above[k] * m[(k + 1) * n + j];
    }
  }
}

static void store_segments(sn__joint_path *self) {
  const size_t n = self->joint_count;
  for (size_t k = 0; k < self->segment_count; k++) {
    const double h = self->width[k];
    const double sixth = h / 6.0;
    const double over = 1.0 / (6.0 * h);
    const double *m = self->work + k * n;
    double *c = self->coef + 4 * k * n;
    for (size_t j = 0; j < n; j++) {
      c[j] = self->q[k * n + j];
      c[n + j] = secant(self, k, j) - sixth * (2.0 * m[j] + m[n + j]);
      c[2 * n + j] = 0.5 * m[j];
      c[3 * n + j] = (m[n + j] - m[j]) * over;
    }
  }
}

void sn__joint_path_fit(sn__joint_path *path, const sn__waypoints *points) {
  size_t count = copy_distinct(path, points);
  if (count == 2) {
    count = split_only_segment(path);
  }
  path->segment_count = count - 1;
  if (path->segment_count > 0) {
    solve_curvatures(path, points);
    store_segments(path);
  }
}

/* ---- points ---- */

static bool is_end(const sn__joint_path *self, size_t segment) {
  return segment == 0 || segment + 1 == self->segment_count;
}

double sn__joint_path_width(const sn__joint_path *path, size_t segment) {
  return is_end(path, segment) ? 2.0 * path->width[segment] : path->width[segment];
}

/* The distance and its derivatives by the path parameter. The quartic L (2 u^3 - u^4), u = at / 2L,
   has slope 1 and no curvature where it meets the next segment. */
static void distance_at(const sn__joint_path *self, size_t segment, double at, double s[4]) {
  const double length = self->width[segment];
  if (!is_end(self, segment)) {
    s[0] = at;
    s[1] = 1.0;
    s[2] = s[3] = 0.0;
    return;
  }
  const double h = 2.0 * length;
  const bool is_first = segment == 0;
  const double u = is_first ? at / h : 1.0 - at / h;
  const double way = length * u * u * u * (2.0 - u);
  s[0] = is_first ? way : length - way;
  s[1] = u * u * (3.0 - 2.0 * u);
  s[2] = (is_first ? 6.0 : -6.0) * u * (1.0 - u) / h;
  s[3] = (6.0 - 12.0 * u) / (h * h);
}

void sn__joint_path_at(const sn__joint_path *path, size_t segment, double at,
                       const sn__path_point *out) {
  const size_t n = path->joint_count;
  double s[4];
  distance_at(path, segment, at, s);
  const double *c = path->coef + 4 * segment * n;
  const double quadratic = s[1] * s[1];
  const double mixed = 3.0 * s[1] * s[2];
  const double cubic = s[1] * s[1] * s[1];
  for (size_t j = 0; j < n; j++) {
    const double c3 = c[3 * n + j];
    const double d1 = c[n + j] + s[0] * (2.0 * c[2 * n + j] + 3.0 * s[0] * c3);
    const double d2 = 2.0 * c[2 * n + j] + 6.0 * s[0] * c3;
    out->d[0][j] = c[j] + s[0] * (c[n + j] + s[0] * (c[2 * n + j] + s[0] * c3));
    out->d[1][j] = d1 * s[1];
    out->d[2][j] = d2 * quadratic + d1 * s[2];
    out->d[3][j] = 6.0 * c3 * cubic + d2 * mixed + d1 * s[3];
  }
}

static double position(const double *c, size_t n, double s) {
  return c[0] + s * (c[n] + s * (c[2 * n] + s * c[3 * n]));
}

void sn__joint_path_follow(const sn__joint_path *path, double s, double *q) {
  const size_t n = path->joint_count;
  size_t k = 0;
  while (k + 1 < path->segment_count && s > path->width[k]) {
    s -= path->width[k];
    k++;
  }
  const double *c = path->coef + 4 * k * n;
  for (size_t j = 0; j < n; j++) {
    q[j] = position(c + j, n, s);
  }
}

void sn__joint_path_range(const sn__joint_path *path, size_t segment, size_t joint, double *lower,
                          double *upper) {
  const size_t n = path->joint_count;
  const double *c = path->coef + 4 * segment * n + joint;
  const double h = path->width[segment];
  const double ends[2] = {c[0], path->q[(segment + 1) * n + joint]};
  *lower = fmin(ends[0], ends[1]);
  *upper = fmax(ends[0], ends[1]);
  /* Where the slope c1 + 2 c2 s + 3 c3 s^2 is zero, without cancellation. */
  const double root = c[2 * n] * c[2 * n] - 3.0 * c[3 * n] * c[n];
  if (!(root > 0.0)) {
    return;
  }
  const double sum = -(c[2 * n] + copysign(sqrt(root), c[2 * n]));
  const double places[2] = {c[n] / sum, sum / (3.0 * c[3 * n])};
  for (int i = 0; i < 2; i++) {
    if (places[i] > 0.0 && places[i] < h) {
      *lower = fmin(*lower, position(c, n, places[i]));
      *upper = fmax(*upper, position(c, n, places[i]));
    }
  }
}
