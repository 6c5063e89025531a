#include "math/rotation_rate.h"

#include <math.h>

/* J v = v + a phi x v + b phi x (phi x v) with these, functions of the angle, and their derivatives
   over the angle divided by the angle. Series where the quotients cancel. */
typedef struct factors {
  double a, b, a_rate, b_rate;
} factors;

static factors factors_of(double angle) {
  const double t2 = angle * angle;
  if (t2 < 1e-2) {
    return (factors){.a = 0.5 - t2 / 24.0 * (1.0 - t2 / 30.0 * (1.0 - t2 / 56.0)),
                     .b = 1.0 / 6.0 - t2 / 120.0 * (1.0 - t2 / 42.0 * (1.0 - t2 / 72.0)),
                     .a_rate = -1.0 / 12.0 + t2 / 180.0 * (1.0 - 3.0 * t2 / 112.0),
                     .b_rate = -1.0 / 60.0 + t2 / 1260.0 * (1.0 - t2 / 48.0)};
  }
  const double s = sin(angle), half = sin(0.5 * angle);
  const double v = 2.0 * half * half; /* 1 - cos */
  return (factors){.a = v / t2,
                   .b = (angle - s) / (t2 * angle),
                   .a_rate = (angle * s - 2.0 * v) / (t2 * t2),
                   .b_rate = (angle * v - 3.0 * (angle - s)) / (t2 * t2 * angle)};
}

sn_vec3 sn__rotation_velocity(sn_vec3 phi, sn_vec3 rate) {
  const factors f = factors_of(sn_vec3_norm(phi));
  const sn_vec3 once = sn_vec3_cross(phi, rate);
  const sn_vec3 twice = sn_vec3_cross(phi, once);
  return sn_vec3_add_scaled(sn_vec3_add_scaled(rate, f.a, once), f.b, twice);
}

sn_vec3 sn__rotation_rate(sn_vec3 phi, sn_vec3 omega) {
  const double angle = sn_vec3_norm(phi), t2 = angle * angle;
  const double half = 0.5 * angle;
  const double c =
      angle < 1e-2 ? 1.0 / 12.0 + t2 / 720.0 : (1.0 - half * cos(half) / sin(half)) / t2;
  const sn_vec3 once = sn_vec3_cross(phi, omega);
  const sn_vec3 twice = sn_vec3_cross(phi, once);
  return sn_vec3_add_scaled(sn_vec3_add_scaled(omega, -0.5, once), c, twice);
}

/* (dJ/dt) rate. */
static sn_vec3 drift(sn_vec3 phi, sn_vec3 rate) {
  const factors f = factors_of(sn_vec3_norm(phi));
  const double growth = sn_vec3_dot(phi, rate); /* angle times its rate */
  const sn_vec3 once = sn_vec3_cross(phi, rate);
  const sn_vec3 twice = sn_vec3_cross(phi, once);
  const sn_vec3 turned = sn_vec3_scale(sn_vec3_cross(rate, once), f.b);
  return sn_vec3_add_scaled(sn_vec3_add_scaled(turned, f.a_rate * growth, once), f.b_rate * growth,
                            twice);
}

sn_vec3 sn__rotation_acceleration(sn_vec3 phi, sn_vec3 rate, sn_vec3 accel) {
  return sn_vec3_add(sn__rotation_velocity(phi, accel), drift(phi, rate));
}

sn_vec3 sn__rotation_rate_dot(sn_vec3 phi, sn_vec3 rate, sn_vec3 alpha) {
  return sn__rotation_rate(phi, sn_vec3_sub(alpha, drift(phi, rate)));
}
