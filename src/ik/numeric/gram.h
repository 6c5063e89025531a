/** @file
 *  Internal: J J^T + lambda 1 of a 6 x n Jacobian and its solution, the innermost loop of numeric
 * inverse kinematics. */
#ifndef SN_IK_NUMERIC_GRAM_H
#define SN_IK_NUMERIC_GRAM_H

#include "ik/spatial_simd.h"
#include "sinew/vec3.h"

/** A symmetric 6 x 6 matrix in 3 x 3 blocks. */
typedef struct sn__gram {
  sn__pair xx, yy, zz, xy, xz, yz; /**< the angular block and the linear block, side by side */
  /** The block of linear rows and angular columns: its diagonal, and its entries (y x, x y), (z x,
   *  x z), (z y, y z). */
  double mixed_xx, mixed_yy, mixed_zz;
  sn__pair mixed_xy, mixed_xz, mixed_yz;
} sn__gram;

static inline sn__gram sn__gram_damping(double lambda) {
  const sn__pair both = {lambda, lambda}, zero = {0.0, 0.0};
  const sn__gram g = {both, both, both, zero, zero, zero, 0.0, 0.0, 0.0, zero, zero, zero};
  return g;
}

static inline sn__pair sn__pair_swap(sn__pair p) {
  const sn__pair swapped = {p[1], p[0]};
  return swapped;
}

/** Add c c^T. */
static inline void sn__gram_add(sn__gram *g, sn__vec3_pair c) {
  const sn__pair y = sn__pair_swap(c.y), z = sn__pair_swap(c.z);
  g->xx += c.x * c.x;
  g->yy += c.y * c.y;
  g->zz += c.z * c.z;
  g->xy += c.x * c.y;
  g->xz += c.x * c.z;
  g->yz += c.y * c.z;
  g->mixed_xy += c.x * y;
  g->mixed_xz += c.x * z;
  g->mixed_yz += c.y * z;
  g->mixed_xx += c.x[0] * c.x[1];
  g->mixed_yy += c.y[0] * c.y[1];
  g->mixed_zz += c.z[0] * c.z[1];
}

/** By cofactors: one division, where elimination needs several in sequence. */
static inline sn_sym3 sn__sym3_inverse(sn_sym3 s) {
  const double xx = s.yy * s.zz - s.yz * s.yz;
  const double xy = s.xz * s.yz - s.xy * s.zz;
  const double xz = s.xy * s.yz - s.xz * s.yy;
  const double scale = 1.0 / (s.xx * xx + s.xy * xy + s.xz * xz);
  const sn_sym3 inverse = {xx * scale,
                           (s.xx * s.zz - s.xz * s.xz) * scale,
                           (s.xx * s.yy - s.xy * s.xy) * scale,
                           xy * scale,
                           xz * scale,
                           (s.xy * s.xz - s.xx * s.yz) * scale};
  return inverse;
}

/** Solve G x = b by the Schur complement of the angular block. Rounding is that of cofactors, worse
 *  than Cholesky's: good for a step of an iteration, which corrects itself. */
static inline sn__vec3_pair sn__gram_solve(const sn__gram *g, sn__vec3_pair b) {
  const sn_sym3 ang = {g->xx[0], g->yy[0], g->zz[0], g->xy[0], g->xz[0], g->yz[0]};
  const sn_vec3 row_x = {g->mixed_xx, g->mixed_xy[1], g->mixed_xz[1]};
  const sn_vec3 row_y = {g->mixed_xy[0], g->mixed_yy, g->mixed_yz[1]};
  const sn_vec3 row_z = {g->mixed_xz[0], g->mixed_yz[0], g->mixed_zz};
  const sn_vec3 b_ang = {b.x[0], b.y[0], b.z[0]};
  const sn_sym3 inverse = sn__sym3_inverse(ang);
  const sn_vec3 wx = sn_sym3_apply(inverse, row_x);
  const sn_vec3 wy = sn_sym3_apply(inverse, row_y);
  const sn_vec3 wz = sn_sym3_apply(inverse, row_z);
  const sn_sym3 schur = {g->xx[1] - sn_vec3_dot(wx, row_x), g->yy[1] - sn_vec3_dot(wy, row_y),
                         g->zz[1] - sn_vec3_dot(wz, row_z), g->xy[1] - sn_vec3_dot(wx, row_y),
                         g->xz[1] - sn_vec3_dot(wx, row_z), g->yz[1] - sn_vec3_dot(wy, row_z)};
  const sn_vec3 rest = {b.x[1] - sn_vec3_dot(wx, b_ang), b.y[1] - sn_vec3_dot(wy, b_ang),
                        b.z[1] - sn_vec3_dot(wz, b_ang)};
  const sn_vec3 lin = sn_sym3_apply(sn__sym3_inverse(schur), rest);
  sn_vec3 left = sn_vec3_add_scaled(b_ang, -lin.x, row_x);
  left = sn_vec3_add_scaled(left, -lin.y, row_y);
  left = sn_vec3_add_scaled(left, -lin.z, row_z);
  return sn__vec3_pair_make(sn_sym3_apply(inverse, left), lin);
}

#endif
