#include "traj/trajectory.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"

/* Knot 0 is where the joints are at the start, knot k > 0 a point that was given. */
struct sn_trajectory {
  size_t joint_count;
  size_t knot_count;
  double *time_s;              /* [knots] */
  double *q, *qd, *qdd;        /* [knots × joints]; qdd NULL: cubics */
  double *shift;               /* [joints] full turns, added to every given point */
  double *begin;               /* [joints] the point at time 0; NULL: there is none */
  bool has_slopes;             /* velocities are chosen here */
  sn_trajectory_motion motion; /* with `at`: knot 0 is how far the joints are from its start */
};

/* ---- checks ---- */

static sn_status check_numbers(const sn_trajectory_points *points, const double *values,
                               const char *what, sn_error *err) {
  const size_t count = values == NULL ? 0 : points->point_count * points->joint_count;
  for (size_t i = 0; i < count; i++) {
    if (!(fabs(values[i]) <= SN_OTG_VALUE_MAX)) {
      return sn__fail(err, SN_EINVAL,
                      "point %zu: %s of joint %zu is %g, which is not a valid number",
                      i / points->joint_count, what, i % points->joint_count, values[i]);
    }
  }
  return SN_OK;
}

static sn_status check_times(const sn_trajectory_points *points, sn_error *err) {
  for (size_t k = 0; k < points->point_count; k++) {
    const double t = points->time_s[k];
    if (!(t >= 0.0 && t <= SN_OTG_VALUE_MAX)) {
      return sn__fail(err, SN_EINVAL, "point %zu is at %g s: expected 0 or later", k, t);
    }
    if (k > 0 && t <= points->time_s[k - 1]) {
      return sn__fail(err, SN_EINVAL, "point %zu is at %g s, not later than the one before (%g s)",
                      k, t, points->time_s[k - 1]);
    }
  }
  return points->time_s[points->point_count - 1] > 0.0
             ? SN_OK
             : sn__fail(err, SN_EINVAL, "the only point is at 0 s: no time to reach it");
}

static sn_status check(const sn_trajectory_points *points, sn_error *err) {
  if (points->joint_count == 0 || points->point_count == 0) {
    return sn__fail(err, SN_EINVAL, "a trajectory of %zu points for %zu joints",
                    points->point_count, points->joint_count);
  }
  if (points->point_count > SN_TRAJECTORY_POINTS_MAX) {
    return sn__fail(err, SN_EINVAL, "%zu points, at most %d", points->point_count,
                    SN_TRAJECTORY_POINTS_MAX);
  }
  if (points->qdd != NULL && points->qd == NULL) {
    return sn__fail(err, SN_EINVAL, "accelerations are given, but no velocities");
  }
  sn_status status = check_times(points, err);
  status = status == SN_OK ? check_numbers(points, points->q, "position", err) : status;
  status = status == SN_OK ? check_numbers(points, points->qd, "velocity", err) : status;
  return status == SN_OK ? check_numbers(points, points->qdd, "acceleration", err) : status;
}

/* ---- slopes ---- */

/* The velocity at a knot between two secants, for a motion that does not turn back on either side:
   their harmonic mean, weighted by the durations. */
static double slope(double before, double h_before, double after, double h_after) {
  if (before * after <= 0.0) {
    return 0.0;
  }
  const double w_before = 2.0 * h_after + h_before;
  const double w_after = h_after + 2.0 * h_before;
  return (w_before + w_after) / (w_before / before + w_after / after);
}

static void choose_slopes(sn_trajectory *self, size_t knot) {
  const size_t n = self->joint_count;
  const double *t = self->time_s + knot;
  for (size_t j = 0; j < n; j++) {
    const double *q = self->q + knot * n + j;
    const double here = q[0] + self->shift[j];
    const double before = knot == 1 ? q[-(ptrdiff_t)n] : q[-(ptrdiff_t)n] + self->shift[j];
    const double h_before = t[0] - t[-1];
    const double h_after = t[1] - t[0];
    self->qd[knot * n + j] = slope((here - before) / h_before, h_before,
                                   (q[n] + self->shift[j] - here) / h_after, h_after);
  }
}

/* ---- creation ---- */

static void copy_points(sn_trajectory *self, const sn_trajectory_points *points, size_t skipped) {
  const size_t n = self->joint_count;
  const size_t count = points->point_count - skipped;
  const size_t bytes = count * n * sizeof(double);
  memcpy(self->time_s + 1, points->time_s + skipped, count * sizeof(double));
  memcpy(self->q + n, points->q + skipped * n, bytes);
  memcpy(self->q, points->q, n * sizeof(double));
  if (points->qd != NULL) {
    memcpy(self->qd + n, points->qd + skipped * n, bytes);
  }
  if (points->qdd != NULL) {
    memcpy(self->qdd + n, points->qdd + skipped * n, bytes);
  }
  if (self->begin != NULL) {
    memcpy(self->begin, points->q, n * sizeof(double));
  }
}

sn_status sn__trajectory_create(sn_arena *arena, const sn_trajectory_points *points,
                                sn_trajectory **out, sn_error *err) {
  const sn_status status = check(points, err);
  if (status != SN_OK) {
    return status;
  }
  const size_t skipped = points->time_s[0] > 0.0 ? 0 : 1;
  const size_t n = points->joint_count;
  const size_t knots = points->point_count - skipped + 1;
  sn_trajectory *self = SN_NEW(arena, sn_trajectory, 1);
  if (self != NULL) {
    *self = (sn_trajectory){.joint_count = n,
                            .knot_count = knots,
                            .time_s = SN_NEW(arena, double, knots),
                            .q = SN_NEW(arena, double, knots *n),
                            .qd = SN_NEW(arena, double, knots *n),
                            .qdd = points->qdd == NULL ? NULL : SN_NEW(arena, double, knots *n),
                            .shift = SN_NEW(arena, double, n),
                            .begin = skipped == 0 ? NULL : SN_NEW(arena, double, n),
                            .has_slopes = points->qd == NULL};
  }
  if (self == NULL || self->time_s == NULL || self->q == NULL || self->qd == NULL ||
      self->shift == NULL || (points->qdd != NULL && self->qdd == NULL) ||
      (skipped > 0 && self->begin == NULL)) {
    return sn__fail(err, SN_ENOMEM, "no memory for a trajectory of %zu points", knots);
  }
  copy_points(self, points, skipped);
  for (size_t k = 1; self->has_slopes && k + 1 < knots; k++) {
    choose_slopes(self, k);
  }
  *out = self;
  return SN_OK;
}

sn_status sn__trajectory_create_motion(sn_arena *arena, const sn_trajectory_motion *motion,
                                       sn_trajectory **out, sn_error *err) {
  const size_t n = motion->joint_count;
  sn_trajectory *self = SN_NEW(arena, sn_trajectory, 1);
  double *numbers = SN_NEW(arena, double, 2 + 8 * n);
  if (self == NULL || numbers == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for a trajectory of %zu joints", n);
  }
  *self = (sn_trajectory){.joint_count = n,
                          .knot_count = 2,
                          .time_s = numbers,
                          .q = numbers + 2,
                          .qd = numbers + 2 + 2 * n,
                          .qdd = numbers + 2 + 4 * n,
                          .shift = numbers + 2 + 6 * n,
                          .begin = numbers + 2 + 7 * n,
                          .motion = *motion};
  self->time_s[1] = motion->duration_s;
  motion->at(motion->context, 0.0, self->begin, self->qd, self->qdd);
  motion->at(motion->context, motion->duration_s, self->q + n, self->qd + n, self->qdd + n);
  *out = self;
  return SN_OK;
}

static double full_turns(double angle) {
  const double turn = 6.283185307179586;
  return turn * rint(angle / turn);
}

void sn__trajectory_start(sn_trajectory *trajectory, const sn_smooth_state *start,
                          const bool *is_turn) {
  sn_trajectory *self = trajectory;
  const size_t n = self->joint_count;
  for (size_t j = 0; j < n; j++) {
    const double first = self->begin != NULL ? self->begin[j] : self->q[n + j];
    self->shift[j] = is_turn != NULL && is_turn[j] ? full_turns(start->q[j] - first) : 0.0;
    self->q[j] = start->q[j];
    self->qd[j] = start->qd[j];
    if (self->qdd != NULL) {
      self->qdd[j] = start->qdd[j];
    }
  }
  if (self->has_slopes && self->knot_count > 2) {
    choose_slopes(self, 1);
  }
}

/* ---- motion ---- */

/* A state of one joint at one end of a stretch. */
typedef struct knot {
  double q, qd, qdd;
} knot;

static knot cubic_at(const knot *a, const knot *b, double h, double t) {
  const double d = (b->q - a->q) / h;
  const double c2 = (3.0 * d - 2.0 * a->qd - b->qd) / h;
  const double c3 = (a->qd + b->qd - 2.0 * d) / (h * h);
  return (knot){a->q + t * (a->qd + t * (c2 + t * c3)), a->qd + t * (2.0 * c2 + 3.0 * t * c3),
                2.0 * c2 + 6.0 * t * c3};
}

static knot quintic_at(const knot *a, const knot *b, double h, double t) {
  const double c2 = 0.5 * a->qdd;
  /* What is left for the three highest orders at the end: position, velocity, acceleration. */
  const double p = (b->q - a->q - h * (a->qd + h * c2)) / (h * h * h);
  const double v = (b->qd - a->qd - h * a->qdd) / (h * h);
  const double w = (b->qdd - a->qdd) / h;
  const double c3 = 10.0 * p - 4.0 * v + 0.5 * w;
  const double c4 = (-15.0 * p + 7.0 * v - w) / h;
  const double c5 = (6.0 * p - 3.0 * v + 0.5 * w) / (h * h);
  return (knot){a->q + t * (a->qd + t * (c2 + t * (c3 + t * (c4 + t * c5)))),
                a->qd + t * (2.0 * c2 + t * (3.0 * c3 + t * (4.0 * c4 + 5.0 * t * c5))),
                2.0 * c2 + t * (6.0 * c3 + t * (12.0 * c4 + 20.0 * t * c5))};
}

static knot knot_of(const sn_trajectory *self, size_t k, size_t j) {
  const size_t i = k * self->joint_count + j;
  return (knot){self->q[i] + (k > 0 ? self->shift[j] : 0.0), self->qd[i],
                self->qdd == NULL ? 0.0 : self->qdd[i]};
}

/* What is left of the distance from the start of a motion. */
static knot rest_of(const sn_trajectory *self, size_t j, double t) {
  const knot start = {self->q[j] - self->shift[j] - self->begin[j], self->qd[j], self->qdd[j]};
  const knot end = {0.0, 0.0, 0.0};
  return quintic_at(&start, &end, self->time_s[1], t);
}

static void motion_at(const sn_trajectory *self, double t, const sn_smooth_state *state) {
  self->motion.at(self->motion.context, t, state->q, state->qd, state->qdd);
  for (size_t j = 0; j < self->joint_count; j++) {
    const knot rest = rest_of(self, j, t);
    state->q[j] += self->shift[j] + rest.q;
    state->qd[j] += rest.qd;
    state->qdd[j] += rest.qdd;
  }
}

/* The last knot that is not later than t. */
static size_t stretch_at(const sn_trajectory *self, double t) {
  size_t low = 0;
  size_t high = self->knot_count - 1;
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    if (self->time_s[middle] <= t) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

void sn__trajectory_at(const sn_trajectory *trajectory, double t_s, const sn_smooth_state *state) {
  const sn_trajectory *self = trajectory;
  const size_t last = self->knot_count - 1;
  const bool is_over = t_s >= self->time_s[last];
  const size_t k = stretch_at(self, t_s);
  const double h = self->time_s[k + 1] - self->time_s[k];
  const double t = fmin(fmax(t_s - self->time_s[k], 0.0), h);
  if (self->motion.at != NULL && !is_over) {
    motion_at(self, t, state);
    return;
  }
  for (size_t j = 0; j < self->joint_count; j++) {
    const knot a = knot_of(self, k, j);
    const knot b = knot_of(self, k + 1, j);
    knot at = b;
    if (is_over) {
      at.qd = at.qdd = 0.0;
    } else {
      at = self->qdd == NULL ? cubic_at(&a, &b, h, t) : quintic_at(&a, &b, h, t);
    }
    state->q[j] = at.q;
    state->qd[j] = at.qd;
    state->qdd[j] = at.qdd;
  }
}

/* ---- access ---- */

double sn__trajectory_duration(const sn_trajectory *trajectory) {
  return trajectory->time_s[trajectory->knot_count - 1];
}

size_t sn__trajectory_joint_count(const sn_trajectory *trajectory) {
  return trajectory->joint_count;
}

double sn__trajectory_first(const sn_trajectory *trajectory, size_t joint) {
  const double first = trajectory->begin != NULL ? trajectory->begin[joint]
                                                 : trajectory->q[trajectory->joint_count + joint];
  return first + trajectory->shift[joint];
}

bool sn__trajectory_has_begin(const sn_trajectory *trajectory) {
  return trajectory->begin != NULL;
}

double sn__trajectory_last(const sn_trajectory *trajectory, size_t joint) {
  return trajectory->q[(trajectory->knot_count - 1) * trajectory->joint_count + joint] +
         trajectory->shift[joint];
}
