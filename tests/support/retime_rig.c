#include "retime_rig.h"

#include <math.h>
#include <string.h>

#include "sn_test.h"
#include "traj/otg_offline.h"

/* ---- random paths ---- */

static void draw_limits(retime_rig *rig, sn_random *random) {
  rig->joint_count = 1 + sn_random_below(random, RETIME_JOINTS);
  for (size_t j = 0; j < rig->joint_count; j++) {
    const double v = exp(sn_random_between(random, -1.5, 1.5));
    const double a = v * exp(sn_random_between(random, 0.0, 2.5));
    rig->limits[j] = (sn_otg_limits){v, a, a * exp(sn_random_between(random, 0.5, 4.0))};
  }
}

/* Waypoints anywhere, close to each other, or on waves. */
static void draw_waypoints(retime_rig *rig, sn_random *random, unsigned kind) {
  const double step = exp(sn_random_between(random, -7.0, 0.0));
  double frequency[RETIME_JOINTS];
  for (size_t j = 0; j < rig->joint_count; j++) {
    frequency[j] = sn_random_between(random, 0.05, 0.4);
  }
  for (size_t k = 0; k < rig->count; k++) {
    for (size_t j = 0; j < rig->joint_count; j++) {
      double *q = &rig->q[k * rig->joint_count + j];
      const double noise = sn_random_between(random, -1.0, 1.0);
      *q = kind == 0   ? 3.0 * noise
           : kind == 1 ? (k > 0 ? q[-(ptrdiff_t)rig->joint_count] : 0.0) + step * noise
                       : sin(frequency[j] * (double)k + (double)j);
    }
  }
}

static void time_path(retime_rig *rig) {
  sn_arena_init_growing(&rig->arena, "retime", 1u << 20);
  const sn_retimer_config config = {
      .joint_count = rig->joint_count, .waypoint_max = RETIME_WAYPOINTS, .limits = rig->limits};
  const sn_retime_path path = {.q = rig->q, .count = rig->count};
  assert_int_equal(sn_retimer_create(&rig->arena, &config, &rig->retimer, NULL), SN_OK);
  assert_int_equal(sn_retime(rig->retimer, &path, &rig->duration_s, NULL), SN_OK);
}

void retime_rig_open_with(retime_rig *rig, sn_random *random, size_t count) {
  rig->count = count;
  draw_limits(rig, random);
  draw_waypoints(rig, random, (unsigned)sn_random_below(random, 3));
  time_path(rig);
}

void retime_rig_open_quick(retime_rig *rig, sn_random *random) {
  rig->count = 4 + sn_random_below(random, RETIME_WAYPOINTS - 4);
  draw_limits(rig, random);
  for (size_t j = 0; j < rig->joint_count; j++) {
    rig->limits[j].jerk = 20000.0 * rig->limits[j].acceleration;
  }
  draw_waypoints(rig, random, 2 * (unsigned)sn_random_below(random, 2));
  time_path(rig);
}

void retime_rig_open_leading(retime_rig *rig, sn_random *random) {
  rig->count = 3 + sn_random_below(random, RETIME_WAYPOINTS - 3);
  draw_limits(rig, random);
  rig->joint_count = 2 + sn_random_below(random, RETIME_JOINTS - 1);
  const double step = exp(sn_random_between(random, -4.0, 0.0));
  const double beside = step * sn_random_between(random, 0.0, 0.8);
  const sn_otg_limits *first = &rig->limits[0];
  for (size_t j = 1; j < rig->joint_count; j++) {
    rig->limits[j] =
        (sn_otg_limits){1e3 * first->velocity, 1e3 * first->acceleration, 1e3 * first->jerk};
  }
  for (size_t k = 0; k < rig->count; k++) {
    double *q = &rig->q[k * rig->joint_count];
    q[0] =
        k == 0 ? 0.0 : q[-(ptrdiff_t)rig->joint_count] + step * sn_random_between(random, 0.7, 1.3);
    for (size_t j = 1; j < rig->joint_count; j++) {
      q[j] = beside * sn_random_between(random, -1.0, 1.0);
    }
  }
  time_path(rig);
}

void retime_rig_open(retime_rig *rig, sn_random *random) {
  retime_rig_open_with(rig, random, 2 + sn_random_below(random, RETIME_WAYPOINTS - 1));
}

void retime_rig_close(retime_rig *rig) {
  sn_arena_release(&rig->arena);
}

/* ---- limits ---- */

typedef struct state {
  double q[RETIME_JOINTS], qd[RETIME_JOINTS], qdd[RETIME_JOINTS];
} state;

static state state_at(const retime_rig *rig, double t_s) {
  state s;
  assert_int_equal(sn_retimer_at(rig->retimer, t_s, s.q, s.qd, s.qdd), SN_OK);
  return s;
}

static void check_below(double value, double limit, const char *what, double t_s) {
  if (!(fabs(value) <= limit * (1.0 + 1e-9))) {
    fail_msg("%s %.12g at %.9g s, limit %.12g", what, value, t_s, limit);
  }
}

void retime_rig_check(const retime_rig *rig) {
  const size_t samples = 3000;
  const double dt = rig->duration_s / (double)samples;
  state before = state_at(rig, 0.0);
  for (size_t j = 0; j < rig->joint_count; j++) {
    sn_assert_near(before.q[j], rig->q[j], 0.0);
  }
  for (size_t k = 1; k <= samples; k++) {
    const double t = k == samples ? rig->duration_s : dt * (double)k;
    const state at = state_at(rig, t);
    for (size_t j = 0; j < rig->joint_count; j++) {
      const sn_otg_limits *limit = &rig->limits[j];
      check_below(at.qd[j], limit->velocity, "velocity", t);
      check_below(at.qdd[j], limit->acceleration, "acceleration", t);
      /* The mean of a rate over an interval is not beyond its limit either; 1e-13 for rounding. */
      const double rounding = 1e-13 * limit->acceleration / dt;
      check_below((at.qdd[j] - before.qdd[j]) / dt, limit->jerk + rounding, "jerk", t);
      const double mean = 0.5 * (at.qd[j] + before.qd[j]);
      const double bend = dt * dt * limit->jerk / 12.0;
      sn_assert_near((at.q[j] - before.q[j]) / dt, mean, bend + 1e-12 * (1.0 + fabs(at.q[j]) / dt));
    }
    before = at;
  }
  for (size_t j = 0; j < rig->joint_count; j++) {
    sn_assert_near(before.q[j], rig->q[(rig->count - 1) * rig->joint_count + j], 0.0);
  }
}

/* ---- optima ---- */

/* From rest to rest along a way. */
static double rest_to_rest_s(const sn_otg_limits *limits, double way) {
  sn_otg_profile profile;
  const sn_otg_state start = {0};
  const sn_otg_state target = {.q = way};
  assert_int_equal(sn__otg_plan(limits, start, target, &profile), SN_OK);
  return profile.duration_s;
}

double retime_rig_leading_optimum(const retime_rig *rig) {
  const double *last = &rig->q[(rig->count - 1) * rig->joint_count];
  return rest_to_rest_s(&rig->limits[0], last[0] - rig->q[0]);
}

bool retime_rig_leads(const retime_rig *rig) {
  const size_t samples = 2000;
  for (size_t k = 0; k <= samples; k++) {
    const state at = state_at(rig, rig->duration_s * (double)k / (double)samples);
    if (at.qd[0] < 0.0) {
      return false;
    }
  }
  return true;
}

double retime_rig_line_optimum(const retime_rig *rig) {
  const size_t n = rig->joint_count;
  sn_otg_limits line = {INFINITY, INFINITY, INFINITY};
  for (size_t j = 0; j < n; j++) {
    const double way = fabs(rig->q[n + j] - rig->q[j]);
    line.velocity = fmin(line.velocity, rig->limits[j].velocity / way);
    line.acceleration = fmin(line.acceleration, rig->limits[j].acceleration / way);
    line.jerk = fmin(line.jerk, rig->limits[j].jerk / way);
  }
  return rest_to_rest_s(&line, 1.0);
}
