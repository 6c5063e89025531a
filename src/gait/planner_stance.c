/* The stance of a robot on level ground, from its joints alone: the ground is the plane through the
   soles. */
#include <math.h>
#include <string.h>

#include "gait/planner_internal.h"
#include "steps/step_solve.h"

/* Steeper than this the robot does not stand. */
static const double TILT_MAX = 0.5;

/* The sole of a leg in the base: the mean of the highest points of its contact, since contacts that
   state freedoms only have points below the ground. */
static sn_vec3 sole_of(const sn__planner *p, const sn__plan_leg *leg, sn_pose end) {
  static const double LEVEL_M = 1e-3;
  if (leg->contact < 0) {
    return end.pos;
  }
  const sn_contact *contact = sn_model_contact(p->model, (size_t)leg->contact);
  const sn_chain *chain = sn_model_chain(p->model, leg->leg.chain, false);
  const sn_link *link = sn_model_link(p->model, (size_t)chain->last_link);
  const sn_pose pose = sn_kin_link_pose(p->kin, link);
  double highest = -INFINITY;
  for (size_t i = 0; i < contact->point_count; i++) {
    highest = fmax(highest, sn_pose_apply(pose, contact->points[i]).z);
  }
  sn_vec3 sum = {0, 0, 0};
  double count = 0.0;
  for (size_t i = 0; i < contact->point_count; i++) {
    const sn_vec3 at = sn_pose_apply(pose, contact->points[i]);
    if (at.z >= highest - LEVEL_M) {
      sum = sn_vec3_add(sum, at);
      count += 1.0;
    }
  }
  return sn_vec3_scale(sum, 1.0 / count);
}

/* The upward direction of the plane z = a x + b y + c nearest to the soles. */
static bool find_up(const sn_vec3 *soles, size_t count, sn_vec3 *up) {
  sn_vec3 mean = {0, 0, 0};
  double xx = 0.0, xy = 0.0, yy = 0.0, xz = 0.0, yz = 0.0;
  *up = sn_vec3_make(0, 0, 1);
  for (size_t i = 0; i < count; i++) {
    mean = sn_vec3_add_scaled(mean, 1.0 / (double)count, soles[i]);
  }
  for (size_t i = 0; i < count; i++) {
    const sn_vec3 d = sn_vec3_sub(soles[i], mean);
    xx += d.x * d.x;
    xy += d.x * d.y;
    yy += d.y * d.y;
    xz += d.x * d.z;
    yz += d.y * d.z;
  }
  if (count < 3) {
    return true;
  }
  const double det = xx * yy - xy * xy;
  if (!(det > 1e-6 * (xx + yy) * (xx + yy))) {
    return false;
  }
  const double a = (xz * yy - yz * xy) / det, b = (yz * xx - xz * xy) / det;
  *up = sn_vec3_scale(sn_vec3_make(-a, -b, 1.0), 1.0 / sqrt(1.0 + a * a + b * b));
  return up->z > cos(TILT_MAX);
}

/* The rotation of a base with heading 0 in which this direction is upward. */
static sn_mat3 rotation_with(sn_vec3 up) {
  const sn_vec3 x = {1.0 - up.x * up.x, -up.x * up.y, -up.x * up.z};
  const sn_vec3 ex = sn_vec3_scale(x, 1.0 / sn_vec3_norm(x));
  return sn_mat3_transpose((sn_mat3){ex, sn_vec3_cross(up, ex), up});
}

bool sn__planner_stance(sn__planner *p, const double *q, sn__stance_feet *out) {
  sn_vec3 soles[SN__GAIT_LEGS_MAX], up;
  sn_pose ends[SN__GAIT_LEGS_MAX];
  sn_kin_update(p->kin, q);
  for (size_t i = 0; i < p->leg_count; i++) {
    ends[i] = sn__step_leg_end(&p->legs[i].leg, q);
    soles[i] = sole_of(p, &p->legs[i], ends[i]);
  }
  if (!find_up(soles, p->leg_count, &up)) {
    return false;
  }
  out->tilt = rotation_with(up);
  out->height_m = 0.0;
  for (size_t i = 0; i < p->leg_count; i++) {
    out->off_m[i] = sn_mat3_apply(out->tilt, soles[i]).z;
    out->height_m -= out->off_m[i] / (double)p->leg_count;
  }
  const sn_pose base = {out->tilt, {0.0, 0.0, out->height_m}};
  for (size_t i = 0; i < p->leg_count; i++) {
    out->off_m[i] += out->height_m;
    out->feet[i] = sn_pose_mul(base, ends[i]);
  }
  return out->height_m > 0.0;
}

/* ---- reach ---- */

static bool reaches(sn__planner *p, size_t leg, sn_vec3 by, double *q) {
  const sn_pose base = {sn_mat3_identity(), {0.0, 0.0, p->nominal_height_m}};
  sn_pose foot = p->legs[leg].nominal;
  foot.pos = sn_vec3_add(foot.pos, by);
  return sn__step_leg_solve(&p->legs[leg].leg, sn_pose_between(base, foot), q);
}

/* Go outwards in small steps, so that the solver follows. */
static double reach_along(sn__planner *p, size_t leg, sn_vec3 direction, const double *nominal) {
  enum { STEPS = 40 };
  const double most_m = p->nominal_height_m;
  memcpy(p->tau, nominal, p->joint_count * sizeof *p->tau);
  for (int k = 1; k <= STEPS; k++) {
    const double distance_m = most_m * k / STEPS;
    if (!reaches(p, leg, sn_vec3_scale(direction, distance_m), p->tau)) {
      return distance_m - most_m / STEPS;
    }
  }
  return most_m;
}

void sn__planner_find_reach(sn__planner *p, const double *nominal) {
  static const sn_vec3 directions[] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}};
  for (size_t i = 0; i < p->leg_count; i++) {
    for (size_t k = 0; k < 4; k++) {
      p->legs[i].reach[k] = reach_along(p, i, directions[k], nominal);
    }
  }
}
