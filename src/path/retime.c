#include "sinew/retime.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "path/rate_problem.h"
#include "path/time_law.h"

/* The squared rate is this much below what the check between the nodes found: that check samples.
 */
static const double MARGIN = 1e-5;
/* An excess between nodes that is worth another round; a lesser one slows the whole motion. */
static const double EXCESS_MAX = 1.004;
static const int ROUNDS_MAX = 6;
/* By which share the motion may be longer than the fastest on its grid, about. */
static const double GAP = 5e-4;

struct sn_retimer {
  size_t joint_count;
  size_t waypoint_max;
  const double *lower, *upper; /* [joints] */
  double *speed;               /* [joints] */
  sn__rate_limits limits;
  sn__joint_path path;
  sn__rate_problem problem;
  sn__rate_search search;
  sn__time_law law;
  bool is_timed;
  double *scratch[4]; /* [joints] */
};

/* ---- creation ---- */

static bool is_limit(double value) {
  return value >= 1.0 / SN_OTG_VALUE_MAX && value <= SN_OTG_VALUE_MAX;
}

static sn_status check_config(const sn_retimer_config *config, sn_error *err) {
  const size_t n = config->joint_count;
  if (n == 0 || n > SN_OTG_JOINTS_MAX || config->waypoint_max < 2 ||
      config->waypoint_max > SN_RETIME_WAYPOINTS_MAX || config->limits == NULL) {
    return sn__fail(err, SN_EINVAL,
                    "%zu joints and up to %zu waypoints: expected 1 .. %d and 2 .. %d", n,
                    config->waypoint_max, SN_OTG_JOINTS_MAX, SN_RETIME_WAYPOINTS_MAX);
  }
  const bool needs_chain = config->torque_max != NULL || config->tool_speed_max != 0.0 ||
                           config->tool_acceleration_max != 0.0 || config->tool_jerk_max != 0.0;
  if (needs_chain && (config->chain == NULL || config->chain->joint_count != n)) {
    return sn__fail(err, SN_EINVAL, "limits of torque or tool need the chain of the %zu joints", n);
  }
  if (!(config->tool_speed_max >= 0.0) || !(config->tool_acceleration_max >= 0.0) ||
      !(config->tool_jerk_max >= 0.0)) {
    return sn__fail(err, SN_EINVAL,
                    "limits of the tool of %g m/s, %g m/s^2 and %g m/s^3: expected more than 0, or "
                    "0 for none",
                    config->tool_speed_max, config->tool_acceleration_max, config->tool_jerk_max);
  }
  for (size_t j = 0; j < n; j++) {
    const sn_otg_limits *limit = &config->limits[j];
    if (!is_limit(limit->velocity) || !is_limit(limit->acceleration) || !is_limit(limit->jerk)) {
      return sn__fail(err, SN_EINVAL,
                      "joint %zu: limits of velocity %g, acceleration %g, jerk %g: expected more "
                      "than 0 and finite",
                      j, limit->velocity, limit->acceleration, limit->jerk);
    }
    if (config->lower != NULL && config->upper != NULL && !(config->lower[j] <= config->upper[j])) {
      return sn__fail(err, SN_EINVAL, "joint %zu: its lower limit %g is above its upper one, %g", j,
                      config->lower[j], config->upper[j]);
    }
    if (config->torque_max != NULL && !(config->torque_max[j] > 0.0)) {
      return sn__fail(err, SN_EINVAL, "joint %zu: a greatest torque of %g: expected more than 0", j,
                      config->torque_max[j]);
    }
  }
  return SN_OK;
}

static double *copy(sn_arena *arena, const double *values, size_t count, double otherwise) {
  double *out = SN_NEW(arena, double, count);
  for (size_t i = 0; out != NULL && i < count; i++) {
    out[i] = values == NULL ? otherwise : values[i];
  }
  return out;
}

static double or_none(double limit) {
  return limit == 0.0 ? INFINITY : limit;
}

static bool copy_limits(sn_arena *arena, const sn_retimer_config *config, sn_retimer *self) {
  const size_t n = config->joint_count;
  sn_otg_limits *limits = SN_NEW(arena, sn_otg_limits, 2 * n);
  double *torque_max = NULL;
  if (config->torque_max != NULL) {
    torque_max = copy(arena, config->torque_max, n, 0.0);
  }
  self->lower = copy(arena, config->lower, n, -INFINITY);
  self->upper = copy(arena, config->upper, n, INFINITY);
  self->speed = SN_NEW(arena, double, n);
  for (size_t j = 0; limits != NULL && self->speed != NULL && j < n; j++) {
    limits[j] = config->limits[j];
    limits[n + j] = (sn_otg_limits){1.0 / limits[j].velocity, 1.0 / limits[j].acceleration,
                                    1.0 / limits[j].jerk};
    self->speed[j] = limits[j].velocity;
  }
  self->limits = (sn__rate_limits){.joints = limits,
                                   .inverse = limits + n,
                                   .chain = config->chain,
                                   .torque_max = torque_max,
                                   .tool_speed = or_none(config->tool_speed_max),
                                   .tool_acceleration = or_none(config->tool_acceleration_max),
                                   .tool_jerk = or_none(config->tool_jerk_max),
                                   .work = SN_NEW(arena, double, 7 * n)};
  return limits != NULL && self->lower != NULL && self->upper != NULL && self->speed != NULL &&
         self->limits.work != NULL && (config->torque_max == NULL || torque_max != NULL);
}

static bool create_vectors(sn_arena *arena, sn_retimer *self) {
  double *scratch = SN_NEW(arena, double, 4 * self->joint_count);
  if (scratch == NULL) {
    return false;
  }
  for (size_t i = 0; i < 4; i++) {
    self->scratch[i] = scratch + i * self->joint_count;
  }
  return true;
}

sn_status sn_retimer_create(sn_arena *arena, const sn_retimer_config *config, sn_retimer **out,
                            sn_error *err) {
  sn_status status = check_config(config, err);
  if (status != SN_OK) {
    return status;
  }
  const size_t n = config->joint_count;
  const size_t intervals = sn__rate_intervals_max(config->waypoint_max);
  const bool has_torque = config->torque_max != NULL;
  sn_retimer *self = SN_NEW(arena, sn_retimer, 1);
  if (self == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for a path of %zu waypoints", config->waypoint_max);
  }
  self->joint_count = n;
  self->waypoint_max = config->waypoint_max;
  if (!copy_limits(arena, config, self) || !create_vectors(arena, self)) {
    return sn__fail(err, SN_ENOMEM, "no memory for a path of %zu waypoints", config->waypoint_max);
  }
  status = sn__joint_path_create(arena, n, config->waypoint_max, &self->path, err);
  if (status == SN_OK) {
    status = sn__rate_problem_create(arena, n, intervals, &self->limits, &self->problem, err);
  }
  if (status == SN_OK) {
    status = sn__rate_search_create(arena, intervals, &self->search, err);
  }
  if (status == SN_OK) {
    status = sn__time_law_create(arena, intervals, &self->law, err);
  }
  if (status == SN_OK && has_torque) {
    status = sn_dyn_create(arena, &config->chain->tree, &self->limits.dyn, err);
  }
  if (status == SN_OK) {
    *out = self;
  }
  return status;
}

/* ---- checks of a path ---- */

static sn_status check_waypoints(const sn_retimer *self, const sn_retime_path *path,
                                 sn_error *err) {
  const size_t n = self->joint_count;
  if (path->count == 0 || path->count > self->waypoint_max) {
    return sn__fail(err, SN_EINVAL, "a path of %zu waypoints: expected 1 .. %zu", path->count,
                    self->waypoint_max);
  }
  for (size_t i = 0; i < path->count * n; i++) {
    if (!(fabs(path->q[i]) <= SN_OTG_VALUE_MAX)) {
      return sn__fail(err, SN_EINVAL,
                      "waypoint %zu: the position of joint %zu is %g, which is not "
                      "a valid number",
                      i / n, i % n, path->q[i]);
    }
    if (path->q[i] < self->lower[i % n] || path->q[i] > self->upper[i % n]) {
      return sn__fail(err, SN_EINVAL, "waypoint %zu: joint %zu at %g, its limits are %g and %g",
                      i / n, i % n, path->q[i], self->lower[i % n], self->upper[i % n]);
    }
  }
  for (size_t end = 0; path->slope != NULL && end < 2; end++) {
    double sum = 0.0;
    for (size_t j = 0; j < n; j++) {
      sum += fabs(path->slope[end * n + j]);
    }
    if (!(sum > 0.0 && sum <= SN_OTG_VALUE_MAX) || path->count < 3) {
      return sn__fail(err, SN_EINVAL,
                      "directions of the ends of %zu waypoints: expected finite "
                      "ones that are not all zero, and three waypoints",
                      path->count);
    }
  }
  return SN_OK;
}

/* Whether a joint stays within its limits in a segment because the control points of its cubic do:
   much faster than its extremes. */
static bool is_within(const sn_retimer *self, size_t segment, size_t j) {
  const size_t n = self->joint_count;
  const double *c = self->path.coef + 4 * segment * n + j;
  const double third = self->path.width[segment] * (1.0 / 3.0);
  const double one = c[0] + third * c[n];
  const double two = one + third * (c[n] + third * 3.0 * c[2 * n]);
  return one >= self->lower[j] && one <= self->upper[j] && two >= self->lower[j] &&
         two <= self->upper[j]; /* waypoints are within */
}

/* The spline may swing out between waypoints. */
static sn_status check_range(const sn_retimer *self, sn_error *err) {
  for (size_t i = 0; i < self->path.segment_count * self->joint_count; i++) {
    const size_t k = i / self->joint_count;
    const size_t j = i % self->joint_count;
    double lower = 0.0;
    double upper = 0.0;
    if (is_within(self, k, j)) {
      continue;
    }
    sn__joint_path_range(&self->path, k, j, &lower, &upper);
    if (lower < self->lower[j] || upper > self->upper[j]) {
      return sn__fail(err, SN_EINVAL,
                      "after distinct waypoint %zu joint %zu would swing to %g, its limits are "
                      "%g and %g: add waypoints there",
                      k, j, lower < self->lower[j] ? lower : upper, self->lower[j], self->upper[j]);
    }
  }
  return SN_OK;
}

/* Gravity alone must leave some torque. */
static sn_status check_torques(const sn_retimer *self, sn_error *err) {
  const sn__rate_problem *problem = &self->problem;
  for (size_t k = 0; self->limits.torque_max != NULL && k <= problem->interval_count; k++) {
    for (size_t j = 0; j < self->joint_count; j++) {
      const sn__rate_block *block = &problem->lanes.blocks[k / SN__LANES];
      const double held = (double)block->second[self->joint_count + j].off[k % SN__LANES];
      if (!(fabs(held) < 1.0)) {
        const size_t at = k < problem->interval_count ? k : k - 1;
        return sn__fail(
            err, SN_EINVAL,
            "after distinct waypoint %zu joint %zu needs %.3g N·m or N to hold still, it "
            "has %.3g",
            problem->intervals[at].segment, j, fabs(held) * self->limits.torque_max[j],
            self->limits.torque_max[j]);
      }
    }
  }
  return SN_OK;
}

/* ---- timing ---- */

static void scale(sn_retimer *self, double factor) {
  for (size_t i = 0; i < self->problem.interval_count + 2; i++) {
    self->search.c[i] *= factor;
  }
}

/* A constant rate, which always has a scale that is within all limits. */
static double keep_constant(sn_retimer *self) {
  double least = INFINITY;
  for (size_t k = 0; k <= self->problem.interval_count; k++) {
    least = fmin(least, self->problem.nodes[k].unit);
  }
  for (size_t i = 0; i < self->problem.interval_count + 2; i++) {
    self->search.c[i] = least;
  }
  return sn__rate_check(&self->problem, self->search.c);
}

static void optimise(sn_retimer *self) {
  sn__rate_begin(&self->problem, &self->search);
  double excess = 0.0;
  for (int round = 0; round < ROUNDS_MAX; round++) {
    sn__rate_solve(&self->problem, GAP, &self->search);
    excess = sn__rate_check(&self->problem, self->search.c);
    if (excess < EXCESS_MAX) {
      break;
    }
    if (round + 1 < ROUNDS_MAX) {
      sn__rate_tighten(&self->problem);
      sn__rate_resume(&self->problem, &self->search);
    }
  }
  if (!(excess < INFINITY)) { /* numbers beyond single precision */
    excess = keep_constant(self);
  }
  scale(self, (1.0 - MARGIN) / excess);
}

static void set_law(sn_retimer *self) {
  const sn__rate_problem *problem = &self->problem;
  sn__time_law *law = &self->law;
  const double *c = self->search.c;
  law->interval_count = problem->interval_count;
  for (size_t k = 0; k <= problem->interval_count; k++) {
    const sn__rate_node *node = &problem->nodes[k];
    law->rate[k] = sqrt(node->left * c[k] + node->right * c[k + 1]);
    law->slope[k] = node->slope * (c[k + 1] - c[k]);
  }
  for (size_t i = 0; i < problem->interval_count; i++) {
    law->width[i] = problem->intervals[i].width;
    law->bend[i] = (law->slope[i + 1] - law->slope[i]) / law->width[i];
  }
  sn__time_law_integrate(law);
}

sn_status sn_retime(sn_retimer *retimer, const sn_retime_path *path, double *duration_s,
                    sn_error *err) {
  sn_retimer *self = retimer;
  self->is_timed = false;
  sn_status status = check_waypoints(self, path, err);
  if (status != SN_OK) {
    return status;
  }
  const sn__waypoints points = {path->q, path->count, self->speed, path->slope};
  sn__joint_path_fit(&self->path, &points);
  status = check_range(self, err);
  self->law.interval_count = 0;
  if (status == SN_OK && self->path.segment_count > 0) {
    sn__rate_problem_build(&self->problem, &self->path, &self->limits);
    status = check_torques(self, err);
    if (status == SN_OK) {
      optimise(self);
      set_law(self);
    }
  }
  if (status != SN_OK) {
    return status;
  }
  self->is_timed = true;
  if (duration_s != NULL) {
    *duration_s = sn__time_law_duration(&self->law);
  }
  return SN_OK;
}

/* ---- motion ---- */

static void stand(const sn_retimer *self, size_t waypoint, double *q, double *qd, double *qdd) {
  const size_t bytes = self->joint_count * sizeof(double);
  if (q != NULL) {
    memcpy(q, self->path.q + waypoint * self->joint_count, bytes);
  }
  if (qd != NULL) {
    memset(qd, 0, bytes);
  }
  if (qdd != NULL) {
    memset(qdd, 0, bytes);
  }
}

sn_status sn_retimer_at(const sn_retimer *retimer, double t_s, double *q, double *qd, double *qdd) {
  const sn_retimer *self = retimer;
  if (!self->is_timed) {
    return SN_ENOTCONFIGURED;
  }
  if (!(t_s > 0.0) || !(t_s < sn__time_law_duration(&self->law))) {
    stand(self, t_s > 0.0 ? self->path.segment_count : 0, q, qd, qdd);
    return SN_OK;
  }
  const sn__law_point at = sn__time_law_at(&self->law, t_s);
  const sn__rate_interval *interval = &self->problem.intervals[at.interval];
  const sn__path_point point = {
      {self->scratch[0], self->scratch[1], self->scratch[2], self->scratch[3]}};
  sn__joint_path_at(&self->path, interval->segment, interval->begin + at.at, &point);
  for (size_t j = 0; j < self->joint_count; j++) {
    if (q != NULL) {
      q[j] = point.d[0][j];
    }
    if (qd != NULL) {
      qd[j] = point.d[1][j] * at.rate;
    }
    if (qdd != NULL) {
      qdd[j] = point.d[2][j] * at.rate * at.rate + point.d[1][j] * at.acceleration;
    }
  }
  return SN_OK;
}
