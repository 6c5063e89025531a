/* Where feet are put. */
#include "walk/walk_internal.h"

/* Deviations of the velocity up to this share of √(g h) belong to the gait: to correct them makes
   every other step longer. Pushes deviate by far more. */
static const double GAIT_SHARE = 0.1;

sn_vec3 sn__walk_home(const sn__walk *w, size_t leg) {
  sn_vec3 middle = {0, 0, 0};
  for (size_t i = 0; i < w->leg_count; i++) {
    middle = sn_vec3_add_scaled(middle, 1.0 / (double)w->leg_count, w->legs[i].nominal.pos);
  }
  const sn_vec3 own = sn_vec3_sub(w->legs[leg].nominal.pos, middle);
  sn_vec3 home = sn_vec3_add(own, sn_mat3_apply(w->tilt_seen, w->com));
  home.z = sn__walk_ground(w, home);
  return home;
}

/* How far a foot lands from where it would without a disturbance. */
static sn_vec3 capture_step(const sn__walk *w) {
  const sn_vec3 off = {w->velocity.x - w->speed.x, w->velocity.y - w->speed.y, 0.0};
  const double size = sn_vec3_norm(off), fall_s = sn__walk_fall_s(w);
  const double rest = fmax(0.0, size - GAIT_SHARE * 9.81 * fall_s);
  return sn_vec3_scale(off, size > 0.0 ? w->settings.capture * fall_s * rest / size : 0.0);
}

sn_vec3 sn__walk_landing(const sn__walk *w, size_t leg) {
  const sn__walk_settings *s = &w->settings;
  const double half_s = 0.5 * sn__walk_stance_s(w);
  const sn_vec3 home = sn__walk_home(w, leg);
  const sn_vec3 ahead = sn__walk_turned(home, half_s * w->speed.turn);
  const sn_vec3 capture = capture_step(w);
  sn_vec3 move = {ahead.x - home.x + half_s * w->speed.x + capture.x,
                  ahead.y - home.y + half_s * w->speed.y + capture.y, 0.0};
  const double far = sn_vec3_norm(move);
  move = far > s->reach_m ? sn_vec3_scale(move, s->reach_m / far) : move;
  sn_vec3 landing = sn_vec3_add(home, move);
  landing.z = sn__walk_ground(w, landing);
  return landing;
}
