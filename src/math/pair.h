/** @file
 *  Internal: two doubles in one vector register, and poses made of them.
 *
 *  A pose in pairs takes half the instructions, reliably. Whether compilers vectorise the plain
 * form changes with every harmless edit (FK of seven joints: 95 to 250 ns; in pairs 95 to 108 with
 * GCC and Clang, -O2 and -O3). The vector type is an extension of GCC and Clang; on machines
 * without such registers it is lowered to scalars. No fused operations: the same bits everywhere.
 */
#ifndef SN_MATH_PAIR_H
#define SN_MATH_PAIR_H

#include <stdint.h>

#include "sinew/pose.h"

typedef double sn__pair __attribute__((vector_size(16)));
typedef uint64_t sn__pair_bits __attribute__((vector_size(16)));

static inline sn__pair sn__pair_make(double a, double b) {
  const sn__pair p = {a, b};
  return p;
}

static inline sn__pair sn__pair_both(double a) {
  const sn__pair p = {a, a};
  return p;
}

/** Two neighbours in memory, which need not be aligned as a pair. */
static inline sn__pair sn__pair_load(const double *from) {
  return sn__pair_make(from[0], from[1]);
}

static inline void sn__pair_store(double *to, sn__pair p) {
  to[0] = p[0];
  to[1] = p[1];
}

/** The greater of each two; b where one is not a number. */
static inline sn__pair sn__pair_max(sn__pair a, sn__pair b) {
#ifdef __SSE2__
  return __builtin_ia32_maxpd(a, b);
#else
  const sn__pair p = {a[0] > b[0] ? a[0] : b[0], a[1] > b[1] ? a[1] : b[1]};
  return p;
#endif
}

/** The square roots, correctly rounded. */
static inline sn__pair sn__pair_sqrt(sn__pair a) {
#ifdef __SSE2__
  return __builtin_ia32_sqrtpd(a);
#else
  const sn__pair p = {__builtin_sqrt(a[0]), __builtin_sqrt(a[1])};
  return p;
#endif
}

static inline sn__pair sn__pair_abs(sn__pair a) {
  const sn__pair_bits mask = {INT64_MAX, INT64_MAX};
  return (sn__pair)((sn__pair_bits)a & mask);
}

/** One row of the 3 x 4 matrix of a pose: `xy` are the components of the x and y axes, `zp` those
 * of the z axis and of the origin. */
typedef struct sn__row {
  sn__pair xy, zp;
} sn__row;

/** A pose by rows. */
typedef struct sn__rows {
  sn__row x, y, z;
} sn__rows;

static inline sn__rows sn__rows_from_pose(const sn_pose *p) {
  const sn__rows rows = {{{p->rot.x.x, p->rot.y.x}, {p->rot.z.x, p->pos.x}},
                         {{p->rot.x.y, p->rot.y.y}, {p->rot.z.y, p->pos.y}},
                         {{p->rot.x.z, p->rot.y.z}, {p->rot.z.z, p->pos.z}}};
  return rows;
}

static inline sn__rows sn__rows_identity(void) {
  const sn__rows rows = {{{1, 0}, {0, 0}}, {{0, 1}, {0, 0}}, {{0, 0}, {1, 0}}};
  return rows;
}

/** The z axis. */
static inline sn_vec3 sn__rows_axis(const sn__rows *r) {
  return sn_vec3_make(r->x.zp[0], r->y.zp[0], r->z.zp[0]);
}

static inline sn_vec3 sn__rows_pos(const sn__rows *r) {
  return sn_vec3_make(r->x.zp[1], r->y.zp[1], r->z.zp[1]);
}

static inline sn_pose sn__rows_to_pose(const sn__rows *r) {
  const sn_pose pose = {{{r->x.xy[0], r->y.xy[0], r->z.xy[0]},
                         {r->x.xy[1], r->y.xy[1], r->z.xy[1]},
                         sn__rows_axis(r)},
                        sn__rows_pos(r)};
  return pose;
}

/** One row of the product of two poses, from one row of the left and all of the right. */
static inline sn__row sn__row_mul(sn__row a, const sn__rows *b) {
  const sn__pair x = sn__pair_both(a.xy[0]);
  const sn__pair y = sn__pair_both(a.xy[1]);
  const sn__pair z = sn__pair_both(a.zp[0]);
  const sn__pair p = {0.0, a.zp[1]};
  const sn__row row = {x * b->x.xy + y * b->y.xy + z * b->z.xy,
                       x * b->x.zp + y * b->y.zp + z * b->z.zp + p};
  return row;
}

/** The product of poses. */
static inline sn__rows sn__rows_mul(const sn__rows *a, const sn__rows *b) {
  const sn__rows rows = {sn__row_mul(a->x, b), sn__row_mul(a->y, b), sn__row_mul(a->z, b)};
  return rows;
}

/** Two vectors side by side: each component is a pair. */
typedef struct sn__vec3_pair {
  sn__pair x, y, z;
} sn__vec3_pair;

/** A rotation of two vectors at once: every entry twice. */
typedef struct sn__rot_pair {
  sn__vec3_pair x, y, z;
} sn__rot_pair;

static inline sn__vec3_pair sn__vec3_pair_make(sn_vec3 a, sn_vec3 b) {
  const sn__vec3_pair t = {{a.x, b.x}, {a.y, b.y}, {a.z, b.z}};
  return t;
}

static inline sn__rot_pair sn__rot_pair_make(sn_mat3 r) {
  const sn__rot_pair t = {sn__vec3_pair_make(r.x, r.x), sn__vec3_pair_make(r.y, r.y),
                          sn__vec3_pair_make(r.z, r.z)};
  return t;
}

static inline sn__vec3_pair sn__vec3_pair_add(sn__vec3_pair a, sn__vec3_pair b) {
  const sn__vec3_pair t = {a.x + b.x, a.y + b.y, a.z + b.z};
  return t;
}

/** The rotation applied. */
static inline sn__vec3_pair sn__rot_pair_apply(const sn__rot_pair *r, sn__vec3_pair v) {
  const sn__vec3_pair t = {r->x.x * v.x + r->y.x * v.y + r->z.x * v.z,
                           r->x.y * v.x + r->y.y * v.y + r->z.y * v.z,
                           r->x.z * v.x + r->y.z * v.y + r->z.z * v.z};
  return t;
}

/** Its inverse applied. */
static inline sn__vec3_pair sn__rot_pair_apply_inverse(const sn__rot_pair *r, sn__vec3_pair v) {
  const sn__vec3_pair t = {r->x.x * v.x + r->x.y * v.y + r->x.z * v.z,
                           r->y.x * v.x + r->y.y * v.y + r->y.z * v.z,
                           r->z.x * v.x + r->z.y * v.y + r->z.z * v.z};
  return t;
}

#endif
