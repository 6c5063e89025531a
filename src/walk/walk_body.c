/* The motion of the body: velocity, tilt, the slope of the ground. */
#include "math/rotation.h"
#include "walk/walk_internal.h"

static const double VELOCITY_S = 0.03; /* time constant of the filter of the velocity */
static const double TILT_S = 0.01;     /* and of the tilt */
static const double PLACE_MAX_M = 0.05;
static const double HEADING_MAX = 0.15;
static const double HALT_S = 0.15; /* time constant of the way of a halting body, and its speed */
static const double HALT_SPEED = 0.15;
static const double TURN = 6.283185307179586; /* rad */

static double heading_of(sn_mat3 rot) {
  return atan2(rot.x.y, rot.x.x);
}

static void sense_tilt(sn__walk *w, sn_mat3 tilt, double dt_s) {
  const double gain = w->has_base ? dt_s / (TILT_S + dt_s) : 1.0;
  const sn_vec3 gap = sn_mat3_log(sn_mat3_mul(tilt, sn_mat3_transpose(w->tilt_seen)));
  w->tilt_seen = sn_mat3_mul(sn__mat3_exp(sn_vec3_scale(gap, gain)), w->tilt_seen);
}

void sn__walk_sense(sn__walk *w, const sn__walk_input *in) {
  if (!in->has_base) {
    w->tilt_seen = w->tilt_command;
    w->velocity = sn_vec3_make(w->speed.x, w->speed.y, 0.0);
    w->has_base = false;
    return;
  }
  const sn_mat3 level = sn_mat3_from_rpy(0.0, 0.0, heading_of(in->base.rot));
  const sn_vec3 arm = sn_mat3_apply(in->base.rot, w->com);
  const sn_vec3 moves = sn_vec3_add(in->twist.lin, sn_vec3_cross(in->twist.ang, arm));
  const sn_vec3 velocity = sn_mat3_apply_transposed(level, moves);
  const double gain = w->has_base ? in->dt_s / (VELOCITY_S + in->dt_s) : 1.0;
  sense_tilt(w, sn_mat3_mul(sn_mat3_transpose(level), in->base.rot), in->dt_s);
  w->velocity = sn_vec3_add_scaled(w->velocity, gain, sn_vec3_sub(velocity, w->velocity));
  w->base = in->base;
  w->has_base = true;
}

static double approach(double value, double goal, double most) {
  return value + sn__walk_clamp(goal - value, most);
}

/* Where the base should be moves on with the speed, and stays near the base. */
static void move_place(sn__walk *w, const sn__walk_input *in) {
  const double heading = heading_of(in->base.rot);
  const sn_vec3 step = {w->speed.x * in->dt_s, w->speed.y * in->dt_s, 0.0};
  w->place = sn_vec3_add(w->place, sn__walk_turned(step, w->heading));
  const sn_vec3 gap = {w->place.x - in->base.pos.x, w->place.y - in->base.pos.y, 0.0};
  const double far = sn_vec3_norm(gap);
  const double share = far > PLACE_MAX_M ? PLACE_MAX_M / far : 1.0;
  w->place = sn_vec3_add_scaled(in->base.pos, share, gap);
  w->heading += w->speed.turn * in->dt_s;
  const double off = remainder(w->heading - heading, TURN);
  w->heading = heading + sn__walk_clamp(off, HEADING_MAX);
}

/* A foot that was in the air when its leg was lost does not come down: the body moves above the
   others. */
static sn_vec3 to_other_feet(const sn__walk *w) {
  sn_vec3 middle = {0, 0, 0};
  double count = 0.0;
  bool misses_one = false;
  for (size_t i = 0; i < w->leg_count; i++) {
    const bool bears = !w->lost[i] || w->feet[i].in_stance;
    misses_one = misses_one || !bears;
    middle = bears ? sn_vec3_add(middle, w->feet[i].pos) : middle;
    count += bears;
  }
  const sn_vec3 com = sn_mat3_apply(w->tilt_seen, w->com);
  return misses_one && count > 0.0 ? sn_vec3_sub(sn_vec3_scale(middle, 1.0 / count), com)
                                   : sn_vec3_make(0, 0, 0);
}

static void carry_to_rest(sn__walk *w) {
  const sn_vec3 way = to_other_feet(w);
  w->carried = w->speed;
  w->carried.x += sn__walk_clamp(way.x / HALT_S, HALT_SPEED);
  w->carried.y += sn__walk_clamp(way.y / HALT_S, HALT_SPEED);
}

void sn__walk_carry(sn__walk *w, const sn__walk_input *in) {
  const sn__walk_settings *s = &w->settings;
  w->speed.x = approach(w->speed.x, w->wanted.x, s->accel * in->dt_s);
  w->speed.y = approach(w->speed.y, w->wanted.y, s->accel * in->dt_s);
  w->speed.turn = approach(w->speed.turn, w->wanted.turn, s->turn_accel * in->dt_s);
  w->carried = w->speed;
  if (w->is_halting) {
    carry_to_rest(w);
    return;
  }
  if (!in->has_base || w->mode == SN__WALK_STANDS) {
    return;
  }
  move_place(w, in);
  const double heading = heading_of(in->base.rot);
  const sn_vec3 gap = sn__walk_turned(sn_vec3_sub(w->place, in->base.pos), -heading);
  w->carried.x += s->track * gap.x + s->comply * (w->velocity.x - w->speed.x);
  w->carried.y += s->track * gap.y + s->comply * (w->velocity.y - w->speed.y);
  w->carried.turn += s->track * (w->heading - heading);
}

void sn__walk_level(sn__walk *w, const sn__walk_input *in) {
  const sn__walk_settings *s = &w->settings;
  const sn_vec3 wanted = sn__walk_slope(w);
  if (!in->has_base) {
    w->tilt_command = sn__mat3_exp(wanted);
    return;
  }
  const sn_mat3 back = sn_mat3_transpose(w->tilt_seen);
  sn_vec3 error = sn_mat3_log(sn_mat3_mul(sn__mat3_exp(wanted), back));
  error.z = 0.0;
  const sn_vec3 rate = sn__walk_turned(in->twist.ang, -heading_of(in->base.rot));
  w->tilt_sum = sn_vec3_add_scaled(w->tilt_sum, s->tilt_ki * in->dt_s, error);
  w->tilt_sum.x = sn__walk_clamp(w->tilt_sum.x, s->tilt_max);
  w->tilt_sum.y = sn__walk_clamp(w->tilt_sum.y, s->tilt_max);
  sn_vec3 turn = sn_vec3_add_scaled(w->tilt_sum, s->tilt_kp, error);
  turn = sn_vec3_add_scaled(turn, -s->tilt_kd, rate);
  turn.x = sn__walk_clamp(turn.x, s->tilt_max);
  turn.y = sn__walk_clamp(turn.y, s->tilt_max);
  turn.z = 0.0;
  w->tilt_command = sn__mat3_exp(sn_vec3_add(wanted, turn));
}
