/* Where feet are put. */
#include "walk/walk_internal.h"

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

sn_vec3 sn__walk_landing(const sn__walk *w, size_t leg) {
  const sn__walk_settings *s = &w->settings;
  const double half_s = 0.5 * sn__walk_stance_s(w);
  const sn_vec3 home = sn__walk_home(w, leg);
  const sn_vec3 ahead = sn__walk_turned(home, half_s * w->speed.turn);
  const double fall_s = s->capture * sn__walk_fall_s(w);
  sn_vec3 move = {ahead.x - home.x + half_s * w->speed.x + fall_s * (w->velocity.x - w->speed.x),
                  ahead.y - home.y + half_s * w->speed.y + fall_s * (w->velocity.y - w->speed.y),
                  0.0};
  const double far = sn_vec3_norm(move);
  move = far > s->reach_m ? sn_vec3_scale(move, s->reach_m / far) : move;
  sn_vec3 landing = sn_vec3_add(home, move);
  landing.z = sn__walk_ground(w, landing);
  return landing;
}
