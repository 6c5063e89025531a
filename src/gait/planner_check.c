/* A plan against the robot: inverse kinematics of all points, speeds and torques of the drives, and
   the zero-moment point by inverse dynamics. */
#include <math.h>
#include <string.h>

#include "dyn/support_polygon.h"
#include "gait/planner_internal.h"
#include "steps/step_solve.h"

static const sn_plane GROUND = {{0, 0, 1}, 0.0};

bool sn__planner_solve_legs(sn__planner *p, size_t stride, size_t *leg, double *time_s) {
  const size_t n = p->joint_count;
  for (size_t k = 0; k < p->point_count; k += stride) {
    double *q = &p->q[k * n];
    const sn_pose base = sn__planner_base(p, p->times[k]).pose;
    memcpy(q, k == 0 ? p->start : q - stride * n, n * sizeof *q);
    for (size_t i = 0; i < p->leg_count; i++) {
      const sn_pose foot = sn__planner_foot(p, i, p->times[k]).pose;
      if (!sn__step_leg_solve(&p->legs[i].leg, sn_pose_between(base, foot), q)) {
        *leg = i;
        *time_s = p->times[k];
        return false;
      }
    }
  }
  return true;
}

/* Velocities and accelerations of a point from its neighbours; at rest at both ends. */
static void find_rates(sn__planner *p, size_t point, size_t stride) {
  const size_t n = p->joint_count;
  const double h = p->grid_s * (double)stride;
  const double *q = &p->q[point * n];
  const double *before = point == 0 ? q : q - stride * n;
  const double *after = point + stride < p->point_count ? q + stride * n : q;
  for (size_t j = 0; j < n; j++) {
    p->qd[j] = 0.5 * (after[j] - before[j]) / h;
    p->qdd[j] = (after[j] - 2.0 * q[j] + before[j]) / (h * h);
  }
}

void sn__planner_measure_speeds(sn__planner *p, size_t stride) {
  const size_t n = p->joint_count;
  p->speed_peak = p->speed_ratio = 0.0;
  for (size_t k = 0; k + stride < p->point_count; k += stride) {
    const double *q = &p->q[k * n], *after = q + stride * n;
    for (size_t j = 0; j < n; j++) {
      const double speed = fabs(after[j] - q[j]) / (p->grid_s * (double)stride);
      const double ratio = speed / p->drives[j].speed_max;
      p->speed_peak = isfinite(p->drives[j].speed_max) ? fmax(p->speed_peak, speed) : p->speed_peak;
      if (ratio > p->speed_ratio) {
        p->speed_ratio = ratio;
        p->speed_joint = j;
      }
    }
  }
}

static void find_load(sn__planner *p) {
  for (size_t j = 0; j < p->joint_count; j++) {
    const sn__step_drive *d = &p->drives[j];
    const double dry = p->qd[j] == 0.0 ? 0.0 : copysign(d->dry, p->qd[j]);
    const double need = p->tau[j] + d->viscous * p->qd[j] + dry + d->inertia * p->qdd[j];
    p->load_peak = fmax(p->load_peak, fabs(need) / d->torque_max);
  }
}

/* Of three feet and more; infinite otherwise. */
static double margin_of(const sn__planner *p, sn_vec3 zmp, double time_s) {
  sn_vec3 feet[SN__GAIT_LEGS_MAX], corners[SN__GAIT_LEGS_MAX];
  size_t count = 0;
  for (size_t i = 0; i < p->leg_count; i++) {
    if (sn__planner_is_down(p, i, time_s)) {
      feet[count++] = sn__planner_foot(p, i, time_s).pose.pos;
    }
  }
  count = sn__support_polygon(GROUND, feet, count, corners);
  return count < 3 ? INFINITY : sn__support_margin(GROUND, corners, count, zmp);
}

/* Rates are differences over two intervals: a foot that moves in one of them moves. */
static bool is_at_rest(const sn__planner *p, size_t leg, double time_s, double step_s) {
  return sn__planner_is_down(p, leg, time_s - step_s) &&
         sn__planner_is_down(p, leg, time_s + step_s);
}

static void measure_point(sn__planner *p, size_t point, size_t stride) {
  sn_support supports[SN__GAIT_LEGS_MAX];
  sn_balance_result result;
  sn_vec3 vel, acc;
  size_t count = 0;
  const double time_s = p->times[point];
  const sn__plan_motion base = sn__planner_base(p, time_s);
  for (size_t i = 0; i < p->leg_count; i++) {
    if (is_at_rest(p, i, time_s, p->grid_s * (double)stride)) {
      supports[count++] = (sn_support){p->legs[i].leg.chain, p->legs[i].contact, 1.0};
    }
  }
  if (count == 0) {
    return; /* in flight nothing bears weight */
  }
  const sn_balance_input input = {
      .q = &p->q[point * p->joint_count],
      .qd = p->qd,
      .qdd = p->qdd,
      .supports = supports,
      .support_count = count,
      .gravity = sn_mat3_apply_transposed(base.pose.rot, sn_vec3_make(0, 0, -SN__GRAVITY)),
      .friction = p->friction};
  sn__balance_step(p->balance, &input, p->tau, &result);
  find_load(p);
  if (result.has_zmp) {
    const sn_vec3 zmp = sn_plane_project(GROUND, sn_pose_apply(base.pose, result.zmp));
    const sn_vec3 at = sn__planner_path(p, time_s, &vel, &acc);
    const sn_vec3 cart = sn_vec3_add_scaled(at, -p->com_height_m / SN__GRAVITY, acc);
    p->offset[point] = sn_vec3_sub(zmp, cart);
    p->margin = fmin(p->margin, margin_of(p, zmp, time_s));
  }
}

void sn__planner_measure(sn__planner *p, size_t stride) {
  p->margin = INFINITY;
  p->load_peak = 0.0;
  for (size_t k = 0; k < p->point_count; k += stride) {
    find_rates(p, k, stride);
    measure_point(p, k, stride);
  }
  for (size_t k = 0; k + stride < p->point_count; k += stride) {
    const sn_vec3 from = p->offset[k], way = sn_vec3_sub(p->offset[k + stride], from);
    for (size_t i = 1; i < stride; i++) {
      p->offset[k + i] = sn_vec3_add_scaled(from, (double)i / (double)stride, way);
    }
  }
}
