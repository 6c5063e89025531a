/** @file
 *  Internal: angles as cosine and sine. The closed forms below never need the angle itself: a
 *  subproblem yields a point of the unit circle, the next one turns vectors by it, and only what
 *  is offered in the end passes through atan2(). */
#ifndef SN_IK_TURN_H
#define SN_IK_TURN_H

#include "sinew/vec3.h"

typedef struct sn__turn {
  double c, s;
} sn__turn;

static inline sn__turn sn__turn_of(double angle_rad) {
  return (sn__turn){cos(angle_rad), sin(angle_rad)};
}

static inline sn__turn sn__turn_inverse(sn__turn t) {
  return (sn__turn){t.c, -t.s};
}

/** The sum of two angles. */
static inline sn__turn sn__turn_add(sn__turn a, sn__turn b) {
  return (sn__turn){a.c * b.c - a.s * b.s, a.s * b.c + a.c * b.s};
}

/** On the unit circle again; (x, y) must not be zero. */
static inline sn__turn sn__turn_normalize(double x, double y) {
  const double factor = 1.0 / sqrt(x * x + y * y);
  return (sn__turn){x * factor, y * factor};
}

/** Turn @p v about the unit vector @p k (Rodrigues). */
static inline sn_vec3 sn__turn_apply(sn__turn t, sn_vec3 k, sn_vec3 v) {
  const double along = (1.0 - t.c) * sn_vec3_dot(k, v);
  return sn_vec3_make(t.c * v.x + t.s * (k.y * v.z - k.z * v.y) + along * k.x,
                      t.c * v.y + t.s * (k.z * v.x - k.x * v.z) + along * k.y,
                      t.c * v.z + t.s * (k.x * v.y - k.y * v.x) + along * k.z);
}

/** The same, backwards. */
static inline sn_vec3 sn__turn_unapply(sn__turn t, sn_vec3 k, sn_vec3 v) {
  return sn__turn_apply(sn__turn_inverse(t), k, v);
}

#endif
