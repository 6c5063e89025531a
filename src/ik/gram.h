/** @file
 *  Internal: J J^T + lambda 1 of a 6 x n Jacobian, and its solve, by hand: the innermost loop of
 *  numeric inverse kinematics. */
#ifndef SN_IK_GRAM_H
#define SN_IK_GRAM_H

#include <stddef.h>

#include "sinew/spatial.h"
#include "sinew/vec3.h"

/** A symmetric 6 x 6 matrix in 3 x 3 blocks. */
typedef struct sn__gram {
  sn_sym3 ang;     /**< upper left */
  sn_sym3 lin;     /**< lower right */
  sn_mat3 lin_ang; /**< lower left, by columns */
} sn__gram;

static inline sn__gram sn__gram_damping(double lambda) {
  const sn__gram g = {.ang = {lambda, lambda, lambda, 0, 0, 0},
                      .lin = {lambda, lambda, lambda, 0, 0, 0}};
  return g;
}

static inline void sn__sym3_add_outer(sn_sym3 *s, sn_vec3 v) {
  s->xx += v.x * v.x;
  s->yy += v.y * v.y;
  s->zz += v.z * v.z;
  s->xy += v.x * v.y;
  s->xz += v.x * v.z;
  s->yz += v.y * v.z;
}

/** Add c c^T. */
static inline void sn__gram_add(sn__gram *g, sn_spatial c) {
  sn__sym3_add_outer(&g->ang, c.ang);
  sn__sym3_add_outer(&g->lin, c.lin);
  g->lin_ang.x = sn_vec3_add_scaled(g->lin_ang.x, c.ang.x, c.lin);
  g->lin_ang.y = sn_vec3_add_scaled(g->lin_ang.y, c.ang.y, c.lin);
  g->lin_ang.z = sn_vec3_add_scaled(g->lin_ang.z, c.ang.z, c.lin);
}

/** By cofactors: one division, where elimination would wait for one after the other. */
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
static inline sn_spatial sn__gram_solve(const sn__gram *g, sn_spatial b) {
  const sn_sym3 inverse = sn__sym3_inverse(g->ang);
  /* rows of lin_ang, times the inverse: W = B A^-1 */
  const sn_mat3 rows = sn_mat3_transpose(g->lin_ang);
  const sn_vec3 wx = sn_sym3_apply(inverse, rows.x);
  const sn_vec3 wy = sn_sym3_apply(inverse, rows.y);
  const sn_vec3 wz = sn_sym3_apply(inverse, rows.z);
  const sn_sym3 schur = {g->lin.xx - sn_vec3_dot(wx, rows.x), g->lin.yy - sn_vec3_dot(wy, rows.y),
                         g->lin.zz - sn_vec3_dot(wz, rows.z), g->lin.xy - sn_vec3_dot(wx, rows.y),
                         g->lin.xz - sn_vec3_dot(wx, rows.z), g->lin.yz - sn_vec3_dot(wy, rows.z)};
  const sn_vec3 rest = {b.lin.x - sn_vec3_dot(wx, b.ang), b.lin.y - sn_vec3_dot(wy, b.ang),
                        b.lin.z - sn_vec3_dot(wz, b.ang)};
  sn_spatial x;
  x.lin = sn_sym3_apply(sn__sym3_inverse(schur), rest);
  x.ang = sn_sym3_apply(inverse, sn_vec3_sub(b.ang, sn_mat3_apply_transposed(g->lin_ang, x.lin)));
  return x;
}

#endif
