#include "estimation/fall.h"

#include <math.h>

static const double AHEAD_S = 0.1;   /* the tilt is extrapolated by this time */
static const double RATE_MAX = 5.0;  /* rad/s, likewise at most with this rate */
static const double LEAN_MIN = 0.2;  /* rad: less does not count as leaning */
static const double LEAN_RATE = 0.2; /* rad/s: it must grow */
static const double LEAN_S = 0.02;
static const double SIDE_M = 0.01;    /* a foot this far on the other side does not help */
static const double FREE_SHARE = 0.4; /* of the weight: less is free fall */
static const double FLIGHT_S = 0.3;   /* a flight that is meant is not longer */
static const double UPRIGHT_S = 1.0;
enum { FEET_MAX = 16 }; /* further ones are not looked at */

/* Rate at which the tilt grows. The axis z of the base moves with ang x z; the tilt grows with its
   part away from the vertical. */
static double tilt_rate(const sn__base_state *base, sn_vec3 axis, double sine) {
  const sn_vec3 moves = sn_vec3_cross(base->twist.ang, axis);
  return sine > 1e-6 ? -moves.z / sine : sn_vec3_norm(moves);
}

/* Of the feet that touch: how far the farthest is on the side to which the robot leans, and how low
   the lowest is, relative to the base. */
typedef struct footing {
  double farthest, lowest;
} footing;

static footing footing_of(const sn__fall_input *in, sn_vec3 side, const sn_vec3 *arms) {
  footing out = {.farthest = -INFINITY, .lowest = INFINITY};
  for (size_t i = 0; i < in->foot_count && i < FEET_MAX; i++) {
    if (in->feet[i].is_touching && sn__foot_is_valid(&in->feet[i])) {
      out.farthest = fmax(out.farthest, sn_vec3_dot(arms[i], side));
      out.lowest = fmin(out.lowest, arms[i].z);
    }
  }
  return out;
}

/* Does no foot stand on the side to which the robot leans, and does none come down there before the
   tilt is too large? In a trot a robot leans until the swinging feet touch down. */
static bool lacks_feet(const sn__fall_input *in, sn_vec3 side, double tilt_left) {
  const sn_mat3 rot = in->base->pose_world_base.rot;
  const sn_vec3 up = {rot.x.z, rot.y.z, rot.z.z}; /* in the base */
  sn_vec3 arms[FEET_MAX];
  for (size_t i = 0; i < in->foot_count && i < FEET_MAX; i++) {
    arms[i] = sn_mat3_apply(rot, sn__foot_middle(&in->feet[i], up, NULL));
  }
  const footing on = footing_of(in, side, arms);
  bool is_alone = on.farthest < -SIDE_M;
  for (size_t i = 0; is_alone && i < in->foot_count && i < FEET_MAX; i++) {
    const double lever = sn_vec3_dot(arms[i], side) - on.farthest;
    const bool catches = !in->feet[i].is_touching && sn__foot_is_valid(&in->feet[i]) &&
                         lever > SIDE_M && arms[i].z - on.lowest < lever * tan(tilt_left);
    is_alone = !catches;
  }
  return is_alone;
}

static sn__fall_reason judge(sn__fall_watch *w, const sn__fall_input *in,
                             const sn__fall_settings *s) {
  const sn_vec3 axis = in->base->pose_world_base.rot.z;
  const double sine = hypot(axis.x, axis.y);
  const size_t touching = sn__feet_touching(in->feet, in->foot_count);
  w->tilt_rad = atan2(sine, axis.z);
  const double rate = fmin(tilt_rate(in->base, axis, sine), RATE_MAX);
  const sn_vec3 side = sine > 1e-6 ? sn_vec3_make(axis.x / sine, axis.y / sine, 0) : axis;
  const bool leans = w->tilt_rad > LEAN_MIN && rate > LEAN_RATE && touching > 0 &&
                     lacks_feet(in, side, fmax(0.0, fmin(s->tilt_max - w->tilt_rad, 1.0)));
  const bool is_free = in->has_force && touching == 0 && in->force < FREE_SHARE * in->gravity;
  w->lean_s = leans ? w->lean_s + in->dt_s : 0.0;
  w->free_s = is_free ? w->free_s + in->dt_s : 0.0;
  if (w->tilt_rad > s->tilt_max ||
      (w->tilt_rad > LEAN_MIN && w->tilt_rad + AHEAD_S * rate > s->tilt_max)) {
    return SN__FALL_TILT;
  }
  if (w->lean_s > LEAN_S) {
    return SN__FALL_NO_FEET;
  }
  return w->free_s > (in->is_flight ? FLIGHT_S : s->free_fall_s) ? SN__FALL_FREE : SN__FALL_NONE;
}

bool sn__fall_watch_step(sn__fall_watch *w, const sn__fall_input *in, const sn__fall_settings *s) {
  const sn__fall_reason reason = judge(w, in, s);
  if (w->reason == SN__FALL_NONE) {
    w->reason = reason;
    w->upright_s = 0.0;
    return reason != SN__FALL_NONE;
  }
  const bool in_stance = reason == SN__FALL_NONE && w->tilt_rad < 0.5 * s->tilt_max &&
                         sn__feet_touching(in->feet, in->foot_count) > 0;
  w->upright_s = in_stance ? w->upright_s + in->dt_s : 0.0;
  w->reason = w->upright_s > UPRIGHT_S ? SN__FALL_NONE : w->reason;
  return false;
}

const char *sn__fall_reason_text(sn__fall_reason reason) {
  static const char *const texts[] = {[SN__FALL_NONE] = "stands",
                                      [SN__FALL_TILT] = "tilts too far",
                                      [SN__FALL_NO_FEET] = "leans to a side without feet",
                                      [SN__FALL_FREE] = "falls freely"};
  return texts[reason];
}
