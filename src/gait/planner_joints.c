/* The joints along a plan by inverse kinematics of every point, and their speeds. */
#include <math.h>
#include <string.h>

#include "gait/planner_internal.h"
#include "steps/step_solve.h"

/* A leg while its joints are found. */
typedef struct walker {
  sn__planner *p;
  size_t index;
  const sn__plan_leg *leg;
} walker;

static sn_pose target_at(const walker *w, size_t point) {
  const double time_s = w->p->times[point];
  const sn_pose foot = sn__planner_foot(w->p, w->index, time_s).pose;
  return sn_pose_between(w->p->base[point], foot);
}

static double *row_of(const walker *w, size_t point) {
  return &w->p->q[point * w->p->joint_count];
}

/* @param near  the point whose joints it begins with */
static bool solve_point(const walker *w, size_t point, size_t near) {
  const sn__limb_ik *limb = w->leg->leg.limb;
  const double *from = row_of(w, near);
  double *q = row_of(w, point);
  for (size_t i = 0; i < limb->count; i++) {
    q[limb->joints[i]] = from[limb->joints[i]];
  }
  return sn__step_leg_solve(&w->leg->leg, target_at(w, point), q);
}

/* On the ground the joints of a leg change smoothly: in an estimate every other point is a cubic
   through its four neighbours. */
static bool is_between(const walker *w, size_t point) {
  const sn__planner *p = w->p;
  return point % 2 == 1 && point >= 3 && point + 3 < p->point_count &&
         sn__planner_is_down(p, w->index, p->times[point - 3]) &&
         sn__planner_is_down(p, w->index, p->times[point]) &&
         sn__planner_is_down(p, w->index, p->times[point + 3]);
}

static void interpolate_point(const walker *w, size_t point) {
  const sn__limb_ik *limb = w->leg->leg.limb;
  const double *before2 = row_of(w, point - 3), *before = row_of(w, point - 1);
  const double *after = row_of(w, point + 1), *after2 = row_of(w, point + 3);
  double *q = row_of(w, point);
  for (size_t i = 0; i < limb->count; i++) {
    const size_t j = (size_t)limb->joints[i];
    q[j] = (9.0 * (before[j] + after[j]) - before2[j] - after2[j]) / 16.0;
  }
}

/* @param time_s  out: of the point that is out of reach */
static bool solve_leg(const walker *w, bool is_near, bool is_estimate, double *time_s) {
  const size_t count = w->p->point_count;
  size_t last = 0;
  for (size_t k = 0; k < count; k++) {
    if (is_estimate && is_between(w, k)) {
      continue;
    }
    if (!solve_point(w, k, is_near ? k : last)) {
      *time_s = w->p->times[k];
      return false;
    }
    last = k;
  }
  for (size_t k = 0; is_estimate && k < count; k++) {
    if (is_between(w, k)) {
      interpolate_point(w, k);
    }
  }
  return true;
}

bool sn__planner_solve_legs(sn__planner *p, bool is_estimate, size_t *leg, double *time_s) {
  const size_t n = p->joint_count;
  const bool is_near = p->q_count == p->point_count;
  p->q_count = 0;
  for (size_t k = 0; k < p->point_count; k++) {
    if (!is_near) {
      memcpy(&p->q[k * n], p->start, n * sizeof *p->q);
    }
    p->base[k] = sn__planner_base(p, p->times[k]).pose;
  }
  for (size_t i = 0; i < p->leg_count; i++) {
    if (!solve_leg(&(walker){p, i, &p->legs[i]}, is_near, is_estimate, time_s)) {
      *leg = i;
      return false;
    }
  }
  p->q_count = p->point_count;
  return true;
}

/* ---- speeds ---- */

static void take_speed(sn__planner *p, size_t joint, double speed) {
  const double most = p->drives[joint].speed_max, ratio = speed / most;
  p->speed_peak = isfinite(most) ? fmax(p->speed_peak, speed) : p->speed_peak;
  if (ratio > p->speed_ratio) {
    p->speed_ratio = ratio;
    p->speed_joint = joint;
  }
}

void sn__planner_measure_speeds(sn__planner *p) {
  const size_t n = p->joint_count;
  p->speed_peak = p->speed_ratio = 0.0;
  for (size_t k = 0; k + 1 < p->point_count; k++) {
    const double *q = &p->q[k * n], *after = q + n;
    for (size_t j = 0; j < n; j++) {
      if (after[j] != q[j]) {
        take_speed(p, j, fabs(after[j] - q[j]) / p->grid_s);
      }
    }
  }
}

/* On the ground a few points suffice for the solver to follow. */
static bool measure_swings_of(const walker *w) {
  enum { STRIDE = SN__PLAN_COARSE, SKIP = 6 * STRIDE };
  sn__planner *p = w->p;
  const sn__limb_ik *limb = w->leg->leg.limb;
  size_t last = 0;
  for (size_t k = STRIDE; k < p->point_count; k += STRIDE) {
    if (sn__planner_is_down(p, w->index, p->times[k]) && k - last < SKIP) {
      continue;
    }
    p->base[k] = sn__planner_base(p, p->times[k]).pose;
    if (!solve_point(w, k, last)) {
      return false;
    }
    for (size_t i = 0; i < limb->count; i++) {
      const size_t j = (size_t)limb->joints[i];
      take_speed(p, j, fabs(row_of(w, k)[j] - row_of(w, last)[j]) / (p->times[k] - p->times[last]));
    }
    last = k;
  }
  return true;
}

bool sn__planner_measure_swings(sn__planner *p) {
  bool is_reached = true;
  p->speed_peak = p->speed_ratio = 0.0;
  p->q_count = 0;
  memcpy(p->q, p->start, p->joint_count * sizeof *p->q);
  for (size_t i = 0; is_reached && i < p->leg_count; i++) {
    is_reached = measure_swings_of(&(walker){p, i, &p->legs[i]});
  }
  return is_reached;
}
