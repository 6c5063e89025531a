/** @file
 *  Internal: a spatial vector with its angular and linear parts side by side in vector registers,
 *  so that one instruction works on both: a twin whose first vector is angular, its second linear.
 */
#ifndef SN_IK_SPATIAL_SIMD_H
#define SN_IK_SPATIAL_SIMD_H

#include "math/pair.h"
#include "sinew/spatial.h"

static inline sn__twin sn__twin_zero(void) {
  const sn__twin t = {{0, 0}, {0, 0}, {0, 0}};
  return t;
}

static inline sn_spatial sn__twin_spatial(sn__twin t) {
  const sn_spatial s = {{t.x[0], t.y[0], t.z[0]}, {t.x[1], t.y[1], t.z[1]}};
  return s;
}

static inline sn__twin sn__twin_scale(sn__twin a, double k) {
  const sn__twin t = {a.x * k, a.y * k, a.z * k};
  return t;
}

/** a + k b */
static inline sn__twin sn__twin_add_scaled(sn__twin a, double k, sn__twin b) {
  const sn__twin t = {a.x + k * b.x, a.y + k * b.y, a.z + k * b.z};
  return t;
}

/** The products of the angular parts and of the linear parts. */
static inline sn__pair sn__twin_products(sn__twin a, sn__twin b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline double sn__twin_dot(sn__twin a, sn__twin b) {
  const sn__pair p = sn__twin_products(a, b);
  return p[0] + p[1];
}

#endif
