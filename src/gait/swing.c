#include "gait/swing.h"

#include <math.h>

/* Share of the time at either end in which the foot does not move sideways. */
static const double VERTICAL = 0.1;

typedef struct curve {
  double value, rate, rate2; /* by the share of the time */
} curve;

/* From 0 to 1: the polynomial of fifth degree whose first and second derivatives are 0 at the ends.
 */
static curve way(double u) {
  const double length = 1.0 - 2.0 * VERTICAL;
  const double x = fmin(fmax((u - VERTICAL) / length, 0.0), 1.0), w = 1.0 - x;
  return (curve){x * x * x * (10.0 + x * (-15.0 + 6.0 * x)), 30.0 * x * x * w * w / length,
                 60.0 * x * w * (1.0 - 2.0 * x) / (length * length)};
}

/* From 0 to 1 and back, likewise. */
static curve bump(double u) {
  const double w = 1.0 - u, p = u * w, slope = 1.0 - 2.0 * u;
  return (curve){64.0 * p * p * p, 192.0 * p * p * slope,
                 384.0 * p * slope * slope - 384.0 * p * p};
}

sn__swing_point sn__swing_at(const sn__swing *swing, double time_s) {
  const double t = swing->duration_s;
  const double u = fmin(fmax(time_s / t, 0.0), 1.0);
  const curve along = way(u), up = bump(u);
  const sn_vec3 line = sn_vec3_sub(swing->to, swing->from);
  const sn_vec3 z = {0.0, 0.0, swing->height_m};
  sn__swing_point p = {.share = along.value, .share_rate = along.rate / t};
  p.pos = sn_vec3_add_scaled(sn_vec3_add_scaled(swing->from, along.value, line), up.value, z);
  p.vel = sn_vec3_add(sn_vec3_scale(line, along.rate / t), sn_vec3_scale(z, up.rate / t));
  p.acc =
      sn_vec3_add(sn_vec3_scale(line, along.rate2 / (t * t)), sn_vec3_scale(z, up.rate2 / (t * t)));
  return p;
}
