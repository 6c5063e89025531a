/* The forces of a plan by inverse dynamics: torques of the drives, friction, the zero-moment point.
 */
#include <math.h>

#include "dyn/support_polygon.h"
#include "gait/planner_internal.h"

static const sn_plane GROUND = {{0, 0, 1}, 0.0};

/* Velocities and accelerations of a point from its neighbours; at rest at both ends. */
static void find_rates(sn__planner *p, size_t point, double pace) {
  const size_t n = p->joint_count;
  const double h = p->grid_s * pace;
  const double *q = &p->q[point * n];
  const double *before = point == 0 ? q : q - n;
  const double *after = point + 1 < p->point_count ? q + n : q;
  for (size_t j = 0; j < n; j++) {
    p->qd[j] = 0.5 * (after[j] - before[j]) / h;
    p->qdd[j] = (after[j] - 2.0 * q[j] + before[j]) / (h * h);
  }
}

static void find_load(sn__planner *p) {
  for (size_t j = 0; j < p->joint_count; j++) {
    const sn__step_drive *d = &p->drives[j];
    const double dry = p->qd[j] == 0.0 ? 0.0 : copysign(d->dry, p->qd[j]);
    const double need = p->tau[j] + d->viscous * p->qd[j] + dry + d->inertia * p->qdd[j];
    const double load = fabs(need) / d->torque_max;
    if (load > p->load_peak) {
      p->load_peak = load;
      p->load_joint = j;
    }
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
static bool is_at_rest(const sn__planner *p, size_t leg, double time_s) {
  return sn__planner_is_down(p, leg, time_s - p->grid_s) &&
         sn__planner_is_down(p, leg, time_s + p->grid_s);
}

/* Horizontal over vertical force of the ground, all feet together. Two points of contact do not
   determine the motion of the base: there the path of the body does. */
static double grip_of(const sn__planner *p, const sn_balance_result *result, sn_vec3 gravity,
                      double time_s, double pace) {
  const sn_vec3 up = sn_vec3_scale(gravity, -1.0 / SN__GRAVITY), force = result->needed.lin;
  const double press = sn_vec3_dot(up, force);
  if (result->carrying_count < 3 || !(press > 0.0)) {
    sn_vec3 vel, acc;
    (void)sn__planner_path(p, time_s, &vel, &acc);
    return hypot(acc.x, acc.y) / (SN__GRAVITY * pace * pace);
  }
  return sn_vec3_norm(sn_vec3_add_scaled(force, -press, up)) / press;
}

static void measure_point(sn__planner *p, size_t point, double pace) {
  sn_support supports[SN__GAIT_LEGS_MAX];
  sn_balance_result result;
  sn_vec3 vel, acc;
  size_t count = 0;
  const double time_s = p->times[point];
  const sn_pose base = p->base[point];
  for (size_t i = 0; i < p->leg_count; i++) {
    if (is_at_rest(p, i, time_s)) {
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
      .gravity = sn_mat3_apply_transposed(base.rot, sn_vec3_make(0, 0, -SN__GRAVITY)),
      .friction = p->friction};
  sn__balance_step(p->balance, &input, p->tau, &result);
  find_load(p);
  p->grip_peak = fmax(p->grip_peak, grip_of(p, &result, input.gravity, time_s, pace));
  if (result.has_zmp) {
    const sn_vec3 zmp = sn_plane_project(GROUND, sn_pose_apply(base, result.zmp));
    const sn_vec3 at = sn__planner_path(p, time_s, &vel, &acc);
    const sn_vec3 cart =
        sn_vec3_add_scaled(at, -p->com_height_m / (SN__GRAVITY * pace * pace), acc);
    p->offset[point] = sn_vec3_sub(zmp, cart);
    p->margin = fmin(p->margin, margin_of(p, zmp, time_s));
  }
}

void sn__planner_begin_measure(sn__planner *p) {
  p->margin = INFINITY;
  p->load_peak = p->grip_peak = 0.0;
}

void sn__planner_measure_pass(sn__planner *p, int pass, double pace) {
  const size_t spacing = sn__planner_spacing(pass);
  const size_t first = pass == 0 ? 0 : spacing, stride = pass == 0 ? spacing : 2 * spacing;
  for (size_t k = first; k < p->point_count; k += stride) {
    find_rates(p, k, pace);
    measure_point(p, k, pace);
  }
}

void sn__planner_spread_offset(sn__planner *p, int pass) {
  const size_t spacing = sn__planner_spacing(pass);
  for (size_t k = 0; k + spacing < p->point_count; k += spacing) {
    const sn_vec3 from = p->offset[k], way = sn_vec3_sub(p->offset[k + spacing], from);
    for (size_t i = 1; i < spacing; i++) {
      p->offset[k + i] = sn_vec3_add_scaled(from, (double)i / (double)spacing, way);
    }
  }
}
