#include "controllers/jog/twist_ramp.h"

#include "controllers/jog/joint_follow.h"

sn_vec3 sn__vec3_at_most(sn_vec3 v, double length) {
  const double norm = sn_vec3_norm(v);
  return norm > length ? sn_vec3_scale(v, length / norm) : v;
}

void sn__vec3_ramp_step(sn__vec3_ramp *ramp, sn_vec3 wanted, double dt_s) {
  const sn_otg_limits *limits = &ramp->limits;
  const sn_vec3 goal = sn__vec3_at_most(wanted, limits->velocity);
  const sn_vec3 way = sn_vec3_sub(goal, ramp->v);
  const double length = sn_vec3_norm(way);
  const double step = limits->jerk * dt_s;
  const sn_vec3 at_once = sn_vec3_scale(way, 1.0 / dt_s);
  if (sn_vec3_norm(at_once) <= step && sn_vec3_norm(sn_vec3_sub(at_once, ramp->a)) <= step) {
    ramp->v = goal; /* not by adding up, which would leave a rest */
    ramp->a = at_once;
    return;
  }
  const double most = sn__jog_approach(length, limits->acceleration, limits->jerk, dt_s);
  const sn_vec3 wanted_a =
      length > 0.0 ? sn_vec3_scale(way, most / length) : sn_vec3_make(0.0, 0.0, 0.0);
  ramp->a = sn_vec3_add(ramp->a, sn__vec3_at_most(sn_vec3_sub(wanted_a, ramp->a), step));
  ramp->v = sn_vec3_add_scaled(ramp->v, dt_s, ramp->a);
}

bool sn__vec3_ramp_is_still(const sn__vec3_ramp *ramp) {
  return !(sn_vec3_dot(ramp->v, ramp->v) + sn_vec3_dot(ramp->a, ramp->a) > 0.0);
}
