/** @file
 *  Internal: a spatial vector with its angular and linear parts side by side in vector registers,
 *  so that one instruction works on both: the first vector is angular, the second linear.
 */
#ifndef SN_IK_SPATIAL_SIMD_H
#define SN_IK_SPATIAL_SIMD_H

#include "math/pair.h"
#include "sinew/spatial.h"

static inline sn__vec3_pair sn__vec3_pair_zero(void) {
  const sn__vec3_pair t = {{0, 0}, {0, 0}, {0, 0}};
  return t;
}

static inline sn_spatial sn__vec3_pair_spatial(sn__vec3_pair t) {
  const sn_spatial s = {{t.x[0], t.y[0], t.z[0]}, {t.x[1], t.y[1], t.z[1]}};
  return s;
}

static inline sn__vec3_pair sn__vec3_pair_scale(sn__vec3_pair a, double k) {
  const sn__vec3_pair t = {a.x * k, a.y * k, a.z * k};
  return t;
}

/** a + k b */
static inline sn__vec3_pair sn__vec3_pair_add_scaled(sn__vec3_pair a, double k, sn__vec3_pair b) {
  const sn__vec3_pair t = {a.x + k * b.x, a.y + k * b.y, a.z + k * b.z};
  return t;
}

/** The products of the angular parts and of the linear parts. */
static inline sn__pair sn__vec3_pair_products(sn__vec3_pair a, sn__vec3_pair b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline double sn__vec3_pair_dot(sn__vec3_pair a, sn__vec3_pair b) {
  const sn__pair p = sn__vec3_pair_products(a, b);
  return p[0] + p[1];
}

#endif
