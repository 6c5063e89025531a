#include "steps/step_walker.h"

#include <math.h>

#include "math/rotation.h"
#include "steps/step_solve.h"

/* After landing a foot takes its share of the body within this time. */
static const double LANDING_S = 0.1;

void sn__step_walker_begin(sn__step_walker *w, const sn__step_plan *plan, const sn__step_leg *legs,
                           sn_pose pose_world_plan, bool joined) {
  w->plan = plan;
  w->limb_count = plan->path.limb_count;
  w->pose_world_plan = pose_world_plan;
  for (size_t i = 0; i < w->limb_count; i++) {
    w->feet[i] = (sn__step_foot){.leg = legs[i]};
  }
  if (!joined) {
    const sn_vec3 zero = {0, 0, 0};
    w->error_pos = w->error_rot = w->error_pos_rate = w->error_rot_rate = zero;
    w->moved = w->turned = zero;
  }
}

void sn__step_walker_stand(sn__step_walker *w) {
  w->plan = NULL;
  w->base_twist = sn_spatial_zero();
}

static sn_vec3 bounded(sn_vec3 v, double most) {
  const double length = sn_vec3_norm(v);
  return length > most ? sn_vec3_scale(v, most / length) : v;
}

static sn_vec3 bounded_turn(sn_vec3 v, const sn__step_gains *gains) {
  const sn_vec3 tilt = bounded(sn_vec3_make(v.x, v.y, 0.0), gains->tilt_max_rad);
  return sn_vec3_make(tilt.x, tilt.y, fmin(fmax(v.z, -gains->yaw_max_rad), gains->yaw_max_rad));
}

static sn_pose moved_by(sn_pose pose, sn_vec3 move, sn_vec3 turn) {
  return (sn_pose){sn_mat3_mul(sn__mat3_exp(turn), pose.rot), sn_vec3_add(pose.pos, move)};
}

static sn_vec3 turn_between(sn_mat3 from, sn_mat3 to) {
  return sn_mat3_log(sn_mat3_mul(to, sn_mat3_transpose(from)));
}

/* Second order, critically damped; implicit, so stable at any period. */
static void filter(sn_vec3 input, double tau_s, double dt_s, sn_vec3 *value, sn_vec3 *rate) {
  const double w = 1.0 / tau_s, d = 1.0 + 2.0 * w * dt_s + w * w * dt_s * dt_s;
  const sn_vec3 pull = sn_vec3_scale(sn_vec3_sub(input, *value), w * w * dt_s);
  *rate = sn_vec3_scale(sn_vec3_add(*rate, pull), 1.0 / d);
  *value = sn_vec3_add_scaled(*value, dt_s, *rate);
}

/* The height of the base above the feet that bear weight: estimates of the height in the world
   drift, and the ground need not be where the world begins. */
static double height_of(const sn__step_walker *w, const sn__step_feedback *feedback) {
  double sum = 0.0, weight = 0.0;
  for (size_t i = 0; feedback->q != NULL && i < w->limb_count; i++) {
    const sn__step_foot *foot = &w->feet[i];
    const double share = foot->contact ? 1.0 - foot->freedom : 0.0;
    const sn_vec3 end = sn__step_leg_end(&foot->leg, feedback->q).pos;
    sum += share * (foot->foothold.pos.z - sn_mat3_apply(feedback->base.rot, end).z);
    weight += share;
  }
  return weight > 0.0 ? sum / weight : feedback->base.pos.z;
}

static void find_error(sn__step_walker *w, double dt_s, const sn__step_feedback *feedback) {
  const double tau_s = w->gains.smoothing_s;
  sn_vec3 pos = feedback->base.pos;
  pos.z = height_of(w, feedback);
  filter(sn_vec3_sub(w->base_wanted.pos, pos), tau_s, dt_s, &w->error_pos, &w->error_pos_rate);
  filter(turn_between(feedback->base.rot, w->base_wanted.rot), tau_s, dt_s, &w->error_rot,
         &w->error_rot_rate);
  w->base_seen = moved_by(w->base_wanted, sn_vec3_neg(w->error_pos), sn_vec3_neg(w->error_rot));
}

static void correct_base(sn__step_walker *w, double dt_s, const sn__step_feedback *feedback) {
  const sn__step_gains *g = &w->gains;
  if (feedback->has_base) {
    find_error(w, dt_s, feedback);
  } else {
    w->error_pos = w->error_rot = sn_vec3_make(0, 0, 0);
    w->error_pos_rate = w->error_rot_rate = sn_vec3_make(0, 0, 0);
    w->base_seen = w->base_wanted;
  }
  const sn_vec3 ep = w->error_pos, er = w->error_rot;
  w->moved = bounded(sn_vec3_add_scaled(w->moved, g->ki * dt_s, ep), g->shift_max_m);
  const sn_vec3 rate = {g->ki_tilt * er.x, g->ki_tilt * er.y, g->ki * er.z};
  w->turned = bounded_turn(sn_vec3_add_scaled(w->turned, dt_s, rate), g);
  const sn_vec3 part = {g->kp_tilt * er.x, g->kp_tilt * er.y, g->kp * er.z};
  const sn_vec3 to_move = sn_vec3_add_scaled(sn_vec3_scale(ep, g->kp), g->kd, w->error_pos_rate);
  const sn_vec3 to_turn = sn_vec3_add_scaled(part, g->kd, w->error_rot_rate);
  const sn_vec3 move = bounded(sn_vec3_add(w->moved, to_move), g->shift_max_m);
  const sn_vec3 turn = bounded_turn(sn_vec3_add(w->turned, to_turn), g);
  w->base_command = moved_by(w->base_wanted, move, turn);
}

/* How free a foot in the air is, 0 .. 1: it lifts as part of the body's support, and goes for its
   own foothold from the middle of its way on. */
static double freedom_at(const sn__step_walker *w, size_t limb, double time_s) {
  double lift_s, land_s;
  const double at = time_s / w->plan->stretch;
  sn__step_path_swing(&w->plan->path, limb, at, &lift_s, &land_s);
  const double u = fmin(1.0, (at - lift_s) / (0.5 * (land_s - lift_s)));
  return u * u * (3.0 - 2.0 * u);
}

static sn_pose between_poses(sn_pose a, sn_pose b, double share) {
  const sn_vec3 turn = turn_between(a.rot, b.rot);
  return moved_by(a, sn_vec3_scale(sn_vec3_sub(b.pos, a.pos), share), sn_vec3_scale(turn, share));
}

static void follow_plan(sn__step_walker *w, double time_s) {
  const sn__step_motion base = sn__step_plan_base(w->plan, time_s);
  const sn_mat3 rot = w->pose_world_plan.rot;
  w->base_wanted = sn_pose_mul(w->pose_world_plan, base.pose);
  w->base_twist =
      (sn_spatial){sn_mat3_apply(rot, base.twist.ang), sn_mat3_apply(rot, base.twist.lin)};
  for (size_t i = 0; i < w->limb_count; i++) {
    const sn__step_motion foot = sn__step_plan_foot(w->plan, i, time_s);
    w->feet[i].foothold = sn_pose_mul(w->pose_world_plan, foot.pose);
    w->feet[i].contact = foot.contact;
    if (!foot.contact && w->plan->path.has_base) {
      w->feet[i].freedom = fmax(w->feet[i].freedom, freedom_at(w, i, time_s));
    }
  }
}

static void step_foot(sn__step_walker *w, sn__step_foot *foot, double dt_s, double *q) {
  if (foot->contact) {
    foot->freedom = fmax(0.0, foot->freedom - dt_s / LANDING_S);
  }
  const sn_pose base = between_poses(w->base_command, w->base_seen, foot->freedom);
  foot->target = sn_pose_between(base, foot->foothold);
  foot->failed = !sn__step_leg_solve(&foot->leg, foot->target, q);
}

void sn__step_walker_step(sn__step_walker *w, double time_s, double dt_s,
                          const sn__step_feedback *feedback, double *q) {
  if (w->plan != NULL) {
    follow_plan(w, time_s);
  }
  correct_base(w, dt_s, feedback);
  for (size_t i = 0; i < w->limb_count; i++) {
    step_foot(w, &w->feet[i], dt_s, q);
  }
}
