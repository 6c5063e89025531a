#include "movements/pace.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "traj/otg_limits.h"
#include "traj/trajectory.h"

enum { SAMPLES = 20 };               /* of a segment, whose polynomials are smooth */
static const double MISSED = 1.0005; /* what may be between two samples */

/* ---- messages as points ---- */

static size_t count_of(const sn_joint_trajectory_point *point, size_t which) {
  return which == 0   ? point->positions.count
         : which == 1 ? point->velocities.count
                      : point->accelerations.count;
}

static const double *data_of(const sn_joint_trajectory_point *point, size_t which) {
  return which == 0   ? point->positions.data
         : which == 1 ? point->velocities.data
                      : point->accelerations.data;
}

/* Positions, velocities or accelerations of all points.
   @return NULL: not all points have them, or no memory */
static double *collect(sn_arena *arena, const sn_joint_trajectory *t, size_t which) {
  const size_t n = t->joint_names.count;
  double *out = SN_NEW(arena, double, t->points.count *n);
  for (size_t k = 0; out != NULL && k < t->points.count; k++) {
    if (count_of(&t->points.data[k], which) != n) {
      return NULL;
    }
    memcpy(out + k * n, data_of(&t->points.data[k], which), n * sizeof *out);
  }
  return out;
}

static sn_status read_points(sn_arena *arena, const sn_joint_trajectory *t,
                             sn_trajectory_points *out, sn_error *err) {
  double *time_s = SN_NEW(arena, double, t->points.count);
  *out = (sn_trajectory_points){.joint_count = t->joint_names.count,
                                .point_count = t->points.count,
                                .time_s = time_s,
                                .q = collect(arena, t, 0),
                                .qd = collect(arena, t, 1),
                                .qdd = collect(arena, t, 2)};
  if (time_s == NULL || out->q == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu points", t->points.count);
  }
  for (size_t k = 0; k < t->points.count; k++) {
    time_s[k] = 1e-9 * (double)t->points.data[k].time_from_start_ns;
  }
  out->qdd = out->qd == NULL ? NULL : out->qdd;
  return SN_OK;
}

/* ---- limits ---- */

typedef struct limits {
  sn_otg_limits *of; /* [joints] */
  sn_smooth_state state;
} limits;

static bool find_limits(sn_arena *arena, const sn_model *model, const sn_msg_names *names,
                        limits *out) {
  static const sn__otg_defaults defaults = {
      .velocity = 10.0, .acceleration_time_s = 0.25, .jerk_time_s = 0.1};
  const size_t n = names->count;
  *out = (limits){.of = SN_NEW(arena, sn_otg_limits, n),
                  .state = {.q = SN_NEW(arena, double, n),
                            .qd = SN_NEW(arena, double, n),
                            .qdd = SN_NEW(arena, double, n)}};
  if (out->of == NULL || out->state.q == NULL || out->state.qd == NULL || out->state.qdd == NULL) {
    return false;
  }
  for (size_t i = 0; i < n; i++) {
    const int joint = sn_model_joint_index(model, sn_msg_names_at(names, i));
    out->of[i] = joint < 0 ? (sn_otg_limits){.velocity = INFINITY, .acceleration = INFINITY}
                           : sn__otg_limits_of(sn_model_joint(model, (size_t)joint), &defaults);
  }
  return true;
}

static double factor_at(const limits *l, const sn_trajectory *t, size_t joint_count, double t_s) {
  double factor = 0.0;
  sn__trajectory_at(t, t_s, &l->state);
  for (size_t i = 0; i < joint_count; i++) {
    factor = fmax(factor, fabs(l->state.qd[i]) / l->of[i].velocity);
    factor = fmax(factor, sqrt(fabs(l->state.qdd[i]) / l->of[i].acceleration));
  }
  return factor;
}

sn_status sn__pace_limit(const sn_model *model, const sn_joint_trajectory *trajectory,
                         sn_arena *scratch, double *factor, sn_error *err) {
  *factor = 0.0;
  const size_t n = trajectory->joint_names.count, count = trajectory->points.count;
  if (count < 2 || n == 0 || trajectory->points.data[count - 1].time_from_start_ns == 0) {
    return SN_OK;
  }
  sn_trajectory_points points;
  sn_trajectory *t = NULL;
  limits l;
  sn_status status = read_points(scratch, trajectory, &points, err);
  status = status == SN_OK ? sn__trajectory_create(scratch, &points, &t, err) : status;
  if (status == SN_OK && !find_limits(scratch, model, &trajectory->joint_names, &l)) {
    status = sn__fail(err, SN_ENOMEM, "no memory for %zu joints", n);
  }
  if (status != SN_OK) {
    return status;
  }
  memcpy(l.state.q, points.q, n * sizeof *l.state.q);
  sn__trajectory_start(t, &l.state, NULL);
  for (size_t k = 0; k + 1 < count; k++) {
    const double length_s = points.time_s[k + 1] - points.time_s[k];
    for (int i = 0; i <= SAMPLES; i++) {
      const double at_s = points.time_s[k] + length_s * i / SAMPLES;
      *factor = fmax(*factor, MISSED * factor_at(&l, t, n, at_s));
    }
  }
  return SN_OK;
}

/* ---- changes ---- */

void sn__pace_change(sn_joint_trajectory *trajectory, double factor) {
  for (size_t k = 0; k < trajectory->points.count; k++) {
    sn_joint_trajectory_point *point = &trajectory->points.data[k];
    point->time_from_start_ns = llround(factor * (double)point->time_from_start_ns);
    for (size_t i = 0; i < point->velocities.count; i++) {
      point->velocities.data[i] /= factor;
    }
    for (size_t i = 0; i < point->accelerations.count; i++) {
      point->accelerations.data[i] /= factor * factor;
    }
  }
}

static void remove_times(sn_joint_trajectory *trajectory) {
  for (size_t k = 0; k < trajectory->points.count; k++) {
    sn_joint_trajectory_point *point = &trajectory->points.data[k];
    point->time_from_start_ns = 0;
    point->velocities.count = point->accelerations.count = 0;
  }
}

sn_status sn__pace_set(const sn_model *model, sn__movement *movement, double speed, bool fastest,
                       sn_arena *scratch, sn_error *err) {
  static const double SLOWEST = 0.1, FASTEST = 10.0;
  if (!fastest && speed == 0.0) {
    return SN_OK;
  }
  if (!fastest && !(speed >= SLOWEST && speed <= FASTEST)) {
    return sn__fail(err, SN_EINVAL, "speed is %g, must be %g .. %g", speed, SLOWEST, FASTEST);
  }
  if (movement->kind == SN__MOVEMENT_JOINT_STATE) {
    return SN_OK;
  }
  if (movement->kind != SN__MOVEMENT_JOINT_TRAJECTORY) {
    return sn__fail(err, SN_EUNSUPPORTED, "'%s' is a %s: only joint trajectories have other speeds",
                    movement->name, sn__movement_kind_name(movement->kind));
  }
  sn_joint_trajectory *trajectory = &movement->trajectory->trajectory;
  if (fastest) {
    remove_times(trajectory);
    return SN_OK;
  }
  double limit = 0.0;
  const sn_status status = sn__pace_limit(model, trajectory, scratch, &limit, err);
  if (status == SN_OK) {
    sn__pace_change(trajectory, fmax(1.0 / speed, limit));
  }
  return status;
}
