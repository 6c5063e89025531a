/** @file
 *  Vectors of three numbers and 3x3 matrices, by value. RT: yes, all of it.  Threads: any. */
#ifndef SINEW_VEC3_H
#define SINEW_VEC3_H

#include <math.h>

#include "sinew/api.h"

SN_BEGIN_DECLS

typedef struct sn_vec3 {
  double x, y, z;
} sn_vec3;

/** A matrix by its columns. Of a rotation, the columns are the axes of the rotated frame. */
typedef struct sn_mat3 {
  sn_vec3 x, y, z;
} sn_mat3;

/** A symmetric matrix by its six entries. */
typedef struct sn_sym3 {
  double xx, yy, zz, xy, xz, yz;
} sn_sym3;

static inline sn_vec3 sn_vec3_make(double x, double y, double z) {
  const sn_vec3 v = {x, y, z};
  return v;
}

static inline sn_vec3 sn_vec3_add(sn_vec3 a, sn_vec3 b) {
  return sn_vec3_make(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline sn_vec3 sn_vec3_sub(sn_vec3 a, sn_vec3 b) {
  return sn_vec3_make(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline sn_vec3 sn_vec3_neg(sn_vec3 a) {
  return sn_vec3_make(-a.x, -a.y, -a.z);
}

static inline sn_vec3 sn_vec3_scale(sn_vec3 a, double s) {
  return sn_vec3_make(a.x * s, a.y * s, a.z * s);
}

/** a + s b */
static inline sn_vec3 sn_vec3_add_scaled(sn_vec3 a, double s, sn_vec3 b) {
  return sn_vec3_make(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

static inline double sn_vec3_dot(sn_vec3 a, sn_vec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline sn_vec3 sn_vec3_cross(sn_vec3 a, sn_vec3 b) {
  return sn_vec3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline double sn_vec3_norm(sn_vec3 a) {
  return sqrt(sn_vec3_dot(a, a));
}

static inline sn_mat3 sn_mat3_identity(void) {
  const sn_mat3 m = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  return m;
}

static inline sn_vec3 sn_mat3_apply(sn_mat3 m, sn_vec3 v) {
  return sn_vec3_make(m.x.x * v.x + m.y.x * v.y + m.z.x * v.z,
                      m.x.y * v.x + m.y.y * v.y + m.z.y * v.z,
                      m.x.z * v.x + m.y.z * v.y + m.z.z * v.z);
}

/** The transpose applied: of a rotation, the inverse. */
static inline sn_vec3 sn_mat3_apply_transposed(sn_mat3 m, sn_vec3 v) {
  return sn_vec3_make(sn_vec3_dot(m.x, v), sn_vec3_dot(m.y, v), sn_vec3_dot(m.z, v));
}

static inline sn_mat3 sn_mat3_mul(sn_mat3 a, sn_mat3 b) {
  const sn_mat3 m = {sn_mat3_apply(a, b.x), sn_mat3_apply(a, b.y), sn_mat3_apply(a, b.z)};
  return m;
}

static inline sn_mat3 sn_mat3_transpose(sn_mat3 a) {
  const sn_mat3 m = {{a.x.x, a.y.x, a.z.x}, {a.x.y, a.y.y, a.z.y}, {a.x.z, a.y.z, a.z.z}};
  return m;
}

static inline sn_vec3 sn_sym3_apply(sn_sym3 s, sn_vec3 v) {
  return sn_vec3_make(s.xx * v.x + s.xy * v.y + s.xz * v.z, s.xy * v.x + s.yy * v.y + s.yz * v.z,
                      s.xz * v.x + s.yz * v.y + s.zz * v.z);
}

static inline sn_sym3 sn_sym3_add(sn_sym3 a, sn_sym3 b) {
  const sn_sym3 s = {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
  return s;
}

SN_END_DECLS

#endif
