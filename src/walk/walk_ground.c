/* The ground: a plane through the feet that stand on it. */
#include "steps/step_solve.h"
#include "walk/walk_internal.h"

static const double SLOPE_S = 0.3;      /* time constant of the filter of the slope */
static const double SLOPE_MAX = 0.4;    /* a steeper one is not believed */
static const double HEIGHT_RATE = 0.05; /* m/s, of the height of the body */

double sn__walk_ground(const sn__walk *w, sn_vec3 at) {
  return -w->height_now_m + w->slope_x * at.x + w->slope_y * at.y;
}

/* The slopes of the plane nearest to points, by the normal equations of their differences from the
   middle. @return false: the points are on a line */
static bool fit_plane(const sn_vec3 *points, size_t count, double *slope_x, double *slope_y) {
  sn_vec3 middle = {0, 0, 0};
  for (size_t i = 0; i < count; i++) {
    middle = sn_vec3_add_scaled(middle, 1.0 / (double)count, points[i]);
  }
  double xx = 0.0, xy = 0.0, yy = 0.0, xz = 0.0, yz = 0.0;
  for (size_t i = 0; i < count; i++) {
    const sn_vec3 d = sn_vec3_sub(points[i], middle);
    xx += d.x * d.x;
    xy += d.x * d.y;
    yy += d.y * d.y;
    xz += d.x * d.z;
    yz += d.y * d.z;
  }
  const double det = xx * yy - xy * xy;
  if (!(det > 1e-3 * xx * yy)) {
    return false;
  }
  *slope_x = (yy * xz - xy * yz) / det;
  *slope_y = (xx * yz - xy * xz) / det;
  return true;
}

/* Where the feet have last been on the ground, in the world. @return whether all are known */
static bool remember_feet(sn__walk *w, const sn__walk_input *in) {
  bool all = true;
  for (size_t i = 0; i < w->leg_count; i++) {
    const bool touches = in->touches == NULL || in->touches[i];
    if (w->feet[i].in_stance && touches) {
      const sn_vec3 end = sn__step_leg_end(&w->legs[i].leg, in->q).pos;
      w->feet[i].ground = sn_pose_apply(in->base, end);
      w->feet[i].has_ground = true;
    }
    all = all && w->feet[i].has_ground;
  }
  return all;
}

void sn__walk_feel_ground(sn__walk *w, const sn__walk_input *in) {
  sn_vec3 points[SN__WALK_LEGS_MAX];
  double slope_x, slope_y;
  w->height_now_m += sn__walk_clamp(w->height_m - w->height_now_m, HEIGHT_RATE * in->dt_s);
  if (in->q == NULL || !in->has_base || !remember_feet(w, in)) {
    return;
  }
  const double heading = atan2(in->base.rot.x.y, in->base.rot.x.x);
  for (size_t i = 0; i < w->leg_count; i++) {
    points[i] = sn__walk_turned(sn_vec3_sub(w->feet[i].ground, in->base.pos), -heading);
  }
  if (fit_plane(points, w->leg_count, &slope_x, &slope_y)) {
    const double gain = w->has_slope ? in->dt_s / (SLOPE_S + in->dt_s) : 1.0;
    w->slope_x += gain * (sn__walk_clamp(slope_x, SLOPE_MAX) - w->slope_x);
    w->slope_y += gain * (sn__walk_clamp(slope_y, SLOPE_MAX) - w->slope_y);
    w->has_slope = true;
  }
}
