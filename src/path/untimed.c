#include "path/untimed.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "sinew/retime.h"

static const double TURN = 6.283185307179586;

bool sn__untimed_is(const double *time_s, size_t count) {
  for (size_t k = 0; k < count; k++) {
    if (time_s[k] != 0.0) {
      return false;
    }
  }
  return true;
}

static sn_status check_numbers(const sn__untimed *points, sn_error *err) {
  const size_t n = points->joint_count;
  for (size_t i = 0; i < points->point_count * n; i++) {
    if (!isfinite(points->q[i])) {
      return sn__fail(err, SN_EINVAL, "point %zu: position of joint '%s' is %g", i / n,
                      sn_model_joint(points->model, (size_t)points->joints[i % n])->name,
                      points->q[i]);
    }
  }
  return SN_OK;
}

/* Limits of the goal's joints, in its order. */
typedef struct bounds {
  sn_otg_limits *limits;
  double *lower, *upper;
} bounds;

static bool find_bounds(sn_arena *arena, const sn__untimed *points, bounds *out) {
  const size_t n = points->joint_count;
  *out =
      (bounds){SN_NEW(arena, sn_otg_limits, n), SN_NEW(arena, double, n), SN_NEW(arena, double, n)};
  if (out->limits == NULL || out->lower == NULL || out->upper == NULL) {
    return false;
  }
  for (size_t i = 0; i < n; i++) {
    const sn_joint *joint = sn_model_joint(points->model, (size_t)points->joints[i]);
    out->limits[i] = sn__otg_limits_of(joint, &points->defaults);
    /* The joint may be a little beyond its limit now; it never gets farther. */
    const double now =
        atomic_load_explicit(&points->pose_now[points->joints[i]], memory_order_relaxed);
    out->lower[i] = fmin(joint->lower, now);
    out->upper[i] = fmax(joint->upper, now);
  }
  return true;
}

/* The present pose, then the points; those of continuous joints in the nearest turn. */
static double *find_waypoints(sn_arena *arena, const sn__untimed *points) {
  const size_t n = points->joint_count;
  double *q = SN_NEW(arena, double, (points->point_count + 1) * n);
  for (size_t i = 0; q != NULL && i < n; i++) {
    const sn_joint *joint = sn_model_joint(points->model, (size_t)points->joints[i]);
    q[i] = atomic_load_explicit(&points->pose_now[points->joints[i]], memory_order_relaxed);
    const double shift =
        joint->type == SN_JOINT_CONTINUOUS ? TURN * rint((q[i] - points->q[i]) / TURN) : 0.0;
    for (size_t k = 0; k < points->point_count; k++) {
      q[(k + 1) * n + i] = points->q[k * n + i] + shift;
    }
  }
  return q;
}

static void motion_at(const void *context, double t_s, double *q, double *qd, double *qdd) {
  (void)sn_retimer_at(context, t_s, q, qd, qdd); /* it was timed */
}

sn_status sn__untimed_trajectory(sn_arena *arena, const sn__untimed *points, sn_trajectory **out,
                                 sn_error *err) {
  const size_t n = points->joint_count;
  sn_status status = check_numbers(points, err);
  if (status != SN_OK) {
    return status;
  }
  bounds limits;
  double *q = find_waypoints(arena, points);
  if (q == NULL || !find_bounds(arena, points, &limits)) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu points", points->point_count);
  }
  const sn_retimer_config config = {.joint_count = n,
                                    .waypoint_max = points->point_count + 1,
                                    .limits = limits.limits,
                                    .lower = limits.lower,
                                    .upper = limits.upper};
  const sn_retime_path path = {.q = q, .count = points->point_count + 1};
  sn_retimer *retimer = NULL;
  sn_trajectory_motion motion = {.joint_count = n, .at = motion_at};
  sn_error why;
  status = sn_retimer_create(arena, &config, &retimer, &why);
  if (status == SN_OK) {
    status = sn_retime(retimer, &path, &motion.duration_s, &why);
  }
  if (status != SN_OK) {
    return sn__fail(err, status,
                    "its points have no times, and no path leads through the present pose and "
                    "them: %s",
                    why.message);
  }
  motion.context = retimer;
  return sn__trajectory_create_motion(arena, &motion, out, err);
}
