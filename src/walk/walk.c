#include "walk/walk.h"

#include "math/rotation.h"
#include "steps/step_solve.h"
#include "walk/walk_internal.h"

static const double LANDING_S = 0.05; /* within which a foot takes its share of the body */
static const double SETTLE_S = 0.08;  /* time constant of the height of a foot in stance */
static const double HOME_M = 0.008;   /* a foot this near to its place need not step */

static const double EARLY =
    0.95; /* share of the swing; a touch before it is a stumble, not a landing */

/* ---- begin ---- */

void sn__walk_begin(sn__walk *w, const double *q) {
  static const sn__walk_velocity rest = {0, 0, 0};
  w->mode = SN__WALK_STANDS;
  w->command = w->wanted = w->speed = w->carried = rest;
  w->clock = 0.0;
  w->is_halting = w->has_base = w->has_slope = false;
  w->tilt_command = w->tilt_seen = sn_mat3_identity();
  w->tilt_sum = w->velocity = sn_vec3_make(0, 0, 0);
  w->slope_x = w->slope_y = w->height_now_m = 0.0;
  for (size_t i = 0; i < w->leg_count; i++) {
    const sn_vec3 end = sn__step_leg_end(&w->legs[i].leg, q).pos;
    w->feet[i] = (sn__walk_foot){.in_stance = true, .pos = end, .foothold = end};
    w->height_now_m -= end.z / (double)w->leg_count;
  }
}

void sn__walk_halt(sn__walk *w, const bool *lost) {
  w->is_halting = true;
  for (size_t i = 0; i < w->leg_count; i++) {
    w->lost[i] = lost[i];
  }
}

/* ---- steps ---- */

static void lift(sn__walk *w, size_t leg) {
  sn__walk_foot *foot = &w->feet[leg];
  foot->in_stance = foot->has_left = false;
  foot->swing = 0.0;
  foot->lift = foot->pos;
  foot->lift_yaw = foot->yaw;
  w->wanted = w->command;
}

static double smooth(double u) {
  return u <= 0.0 ? 0.0 : u >= 1.0 ? 1.0 : u * u * u * (10.0 - 15.0 * u + 6.0 * u * u);
}

/* The body moves on: what rests in the world moves back in the level frame. */
static sn_vec3 moved_back(const sn__walk *w, sn_vec3 at, double dt_s) {
  const sn_vec3 back = {at.x - w->carried.x * dt_s, at.y - w->carried.y * dt_s, at.z};
  return sn__walk_turned(back, -w->carried.turn * dt_s);
}

static void stand_on(sn__walk *w, size_t leg, double dt_s) {
  sn__walk_foot *foot = &w->feet[leg];
  foot->pos = moved_back(w, foot->pos, dt_s);
  foot->yaw -= w->carried.turn * dt_s;
  foot->pos.z += (sn__walk_ground(w, foot->pos) - foot->pos.z) * dt_s / (SETTLE_S + dt_s);
  foot->freedom = fmax(0.0, foot->freedom - dt_s / LANDING_S);
  foot->foothold = foot->pos;
}

static void swing(sn__walk *w, size_t leg, double dt_s) {
  sn__walk_foot *foot = &w->feet[leg];
  const double u = foot->swing, left_s = (1.0 - u) * sn__walk_swing_s(w);
  foot->lift = moved_back(w, foot->lift, dt_s);
  foot->lift_yaw -= w->carried.turn * dt_s;
  const sn_vec3 goal = sn__walk_landing(w, leg);
  foot->foothold = sn__walk_turned(
      sn_vec3_make(goal.x + w->carried.x * left_s, goal.y + w->carried.y * left_s, goal.z),
      w->carried.turn * left_s);
  const double share = smooth(u), up = 16.0 * u * u * (1.0 - u) * (1.0 - u);
  foot->pos = sn_vec3_add_scaled(foot->lift, share, sn_vec3_sub(foot->foothold, foot->lift));
  const double floor_z = foot->lift.z + share * (sn__walk_ground(w, foot->pos) - foot->lift.z);
  foot->pos.z = floor_z + w->settings.clearance_m * up;
  const double yaw = w->speed.turn * 0.5 * sn__walk_stance_s(w) + w->carried.turn * left_s;
  foot->yaw = foot->lift_yaw + share * (yaw - foot->lift_yaw);
  foot->freedom = fmax(foot->freedom, smooth(2.0 * u));
}

static bool is_home(const sn__walk *w, size_t leg) {
  const sn_vec3 off = sn_vec3_sub(w->feet[leg].pos, sn__walk_home(w, leg));
  return hypot(off.x, off.y) <= HOME_M;
}

static bool must_lift(const sn__walk *w, size_t leg, double dt_s) {
  const double before = w->clock - w->gait.lift[leg];
  const double now = before + dt_s / w->settings.period_s;
  return w->mode == SN__WALK_WALKS && !w->is_halting && w->feet[leg].in_stance &&
         floor(now) > floor(before) && !(w->is_ending && is_home(w, leg));
}

static void step_leg(sn__walk *w, size_t leg, const sn__walk_input *in) {
  sn__walk_foot *foot = &w->feet[leg];
  const double dt_s = in->dt_s;
  const bool touches = in->touches != NULL && in->touches[leg];
  if (must_lift(w, leg, dt_s)) {
    lift(w, leg);
  }
  if (foot->in_stance) {
    stand_on(w, leg, dt_s);
    return;
  }
  foot->swing = fmin(1.0, foot->swing + dt_s / sn__walk_swing_s(w));
  swing(w, leg, dt_s);
  foot->has_left = foot->has_left || !touches;
  foot->in_stance = foot->swing >= 1.0 || (touches && foot->has_left && foot->swing > EARLY);
}

/* ---- modes ---- */

static bool is_zero(sn__walk_velocity v) {
  return v.x == 0.0 && v.y == 0.0 && v.turn == 0.0;
}

static bool is_at_rest(const sn__walk *w) {
  bool rests = true;
  for (size_t i = 0; i < w->leg_count; i++) {
    rests = rests && w->feet[i].in_stance && is_home(w, i);
  }
  return rests;
}

/* Does the body move so fast that it leaves its feet? The capture point is compared with the width
   of the stance. */
static bool is_pushed(const sn__walk *w, double share) {
  double width = INFINITY;
  for (size_t i = 0; i < w->leg_count; i++) {
    width = fmin(width, fabs(w->legs[i].nominal.pos.y));
  }
  const double ahead = sn__walk_fall_s(w) * hypot(w->velocity.x, w->velocity.y);
  return w->has_base && w->settings.capture > 0.0 && ahead > share * width;
}

static void choose_mode(sn__walk *w, const sn__walk_input *in) {
  if (w->is_halting) {
    w->command = w->wanted = (sn__walk_velocity){0, 0, 0};
    return;
  }
  const bool goes = !is_zero(w->command) || is_pushed(w, w->mode == SN__WALK_STANDS ? 0.3 : 0.15);
  if (w->mode == SN__WALK_STANDS && goes) {
    w->mode = SN__WALK_WALKS;
    w->clock = -1e-9; /* the first legs of the gait lift now */
    w->place = in->base.pos;
    w->heading = atan2(in->base.rot.x.y, in->base.rot.x.x);
  }
  w->is_ending = !goes && is_zero(w->speed);
  if (w->is_ending && is_at_rest(w)) {
    w->mode = SN__WALK_STANDS;
  }
  if (is_zero(w->command)) {
    w->wanted = w->command;
  }
}

/* ---- joints ---- */

static sn_pose target_of(const sn__walk *w, size_t leg) {
  const sn__walk_foot *foot = &w->feet[leg];
  const sn_vec3 gap = sn_mat3_log(sn_mat3_mul(w->tilt_seen, sn_mat3_transpose(w->tilt_command)));
  const sn_mat3 tilt =
      sn_mat3_mul(sn__mat3_exp(sn_vec3_scale(gap, foot->freedom)), w->tilt_command);
  const sn_mat3 sole = sn__mat3_exp(sn__walk_slope(w));
  const sn_mat3 turned = sn_mat3_mul(sole, sn_mat3_from_rpy(0.0, 0.0, foot->yaw));
  const sn_pose in_level = {sn_mat3_mul(turned, w->legs[leg].nominal.rot), foot->pos};
  return sn_pose_between((sn_pose){tilt, {0, 0, 0}}, in_level);
}

/* Joints do not exceed their speed: what they cannot do in this cycle they do later. */
static void solve_leg(sn__walk *w, size_t leg, double dt_s, double *q) {
  const sn__limb_ik *limb = w->legs[leg].leg.limb;
  double before[SN__WALK_JOINTS_MAX];
  for (size_t k = 0; k < limb->count; k++) {
    before[k] = q[limb->joints[k]];
  }
  w->feet[leg].failed = !sn__step_leg_solve(&w->legs[leg].leg, target_of(w, leg), q);
  for (size_t k = 0; k < limb->count; k++) {
    const int j = limb->joints[k];
    q[j] = before[k] + sn__walk_clamp(q[j] - before[k], w->speed_max[j] * dt_s);
  }
}

static bool is_lost(const sn__walk *w, size_t leg) {
  return w->is_halting && w->lost[leg];
}

void sn__walk_step(sn__walk *w, const sn__walk_input *in, double *q) {
  sn__walk_sense(w, in);
  sn__walk_feel_ground(w, in);
  choose_mode(w, in);
  sn__walk_carry(w, in);
  sn__walk_level(w, in);
  for (size_t i = 0; i < w->leg_count; i++) {
    if (!is_lost(w, i)) {
      step_leg(w, i, in);
    }
  }
  w->clock += w->mode == SN__WALK_WALKS ? in->dt_s / w->settings.period_s : 0.0;
  for (size_t i = 0; i < w->leg_count; i++) {
    if (!is_lost(w, i)) {
      solve_leg(w, i, in->dt_s, q);
    }
  }
}
