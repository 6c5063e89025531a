/* Boxes on the ground: the robot stops before it reaches one. */
#include "walk/walk_internal.h"

static const double CLEAR_M = 0.02; /* that it keeps from a box */
static const double NEARER_M =
    0.001; /* a robot that is too near may go, but not nearer than this */
enum { WAY_PARTS = 6 };

/* Where the robot is, on the ground, after going on with a velocity for a time. */
static sn_pose path_after(const sn__walk *w, sn__walk_velocity v, double time_s) {
  const double heading = atan2(w->base.rot.x.y, w->base.rot.x.x);
  const sn_vec3 way = {v.x * time_s, v.y * time_s, 0.0};
  const sn_vec3 moved = sn__walk_turned(way, heading + 0.5 * v.turn * time_s);
  return (sn_pose){sn_mat3_from_rpy(0.0, 0.0, heading + v.turn * time_s),
                   {w->base.pos.x + moved.x, w->base.pos.y + moved.y, 0.0}};
}

/* Until it stands: two strides, in which the feet come home, and the time to slow down. */
static double stop_time(const sn__walk *w, sn__walk_velocity v) {
  const double slow_s =
      fmax(hypot(v.x, v.y) / w->settings.accel, fabs(v.turn) / w->settings.turn_accel);
  return 2.0 * w->settings.period_s + slow_s;
}

bool sn__walk_meets(const sn__walk *w, const sn__outline *outline, const sn__obstacle *box,
                    sn__walk_velocity v) {
  const double now = sn__outline_gap(outline, box, path_after(w, v, 0.0));
  const double allowed = fmin(CLEAR_M, now - NEARER_M);
  const double time_s = stop_time(w, v);
  for (int k = 1; k <= WAY_PARTS; k++) {
    const sn_pose path = path_after(w, v, time_s * (double)k / WAY_PARTS);
    if (sn__outline_gap(outline, box, path) < allowed) {
      return true;
    }
  }
  return false;
}
