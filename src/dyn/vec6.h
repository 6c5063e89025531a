/** @file
 *  Internal: spatial vectors in three pairs, and symmetric 6 x 6 matrices over them. */
#ifndef SN_DYN_VEC6_H
#define SN_DYN_VEC6_H

#include <string.h>

#include "math/pair.h"
#include "sinew/spatial.h"

/** The six numbers of an sn_spatial, in their order. */
typedef struct sn__vec6 {
  sn__pair a, b, c;
} sn__vec6;

/** All columns although it is symmetric: unpacking one half costs more than it saves. */
typedef struct sn__sym6 {
  sn__vec6 column[6];
} sn__sym6;

_Static_assert(sizeof(sn__vec6) == sizeof(sn_spatial), "the same six numbers");

static inline sn__vec6 sn__vec6_load(const sn_spatial *s) {
  sn__vec6 v;
  memcpy(&v, s, sizeof v);
  return v;
}

static inline void sn__vec6_store(sn__vec6 v, sn_spatial *s) {
  memcpy(s, &v, sizeof v);
}

static inline sn__vec6 sn__vec6_from_pair(sn__vec3_pair t) {
  const sn__vec6 v = {{t.x[0], t.y[0]}, {t.z[0], t.x[1]}, {t.y[1], t.z[1]}};
  return v;
}

static inline sn__vec6 sn__vec6_add(sn__vec6 a, sn__vec6 b) {
  const sn__vec6 v = {a.a + b.a, a.b + b.b, a.c + b.c};
  return v;
}

/** a + k b */
static inline sn__vec6 sn__vec6_add_scaled(sn__vec6 a, double k, sn__vec6 b) {
  const sn__vec6 v = {a.a + k * b.a, a.b + k * b.b, a.c + k * b.c};
  return v;
}

static inline double sn__vec6_dot(sn__vec6 a, sn__vec6 b) {
  const sn__pair sum = a.a * b.a + a.b * b.b + a.c * b.c;
  return sum[0] + sum[1];
}

static inline sn__vec6 sn__sym6_apply(const sn__sym6 *m, sn__vec6 v) {
  const sn__vec6 *k = m->column;
  const sn__pair a0 = sn__pair_both(v.a[0]), a1 = sn__pair_both(v.a[1]);
  const sn__pair b0 = sn__pair_both(v.b[0]), b1 = sn__pair_both(v.b[1]);
  const sn__pair c0 = sn__pair_both(v.c[0]), c1 = sn__pair_both(v.c[1]);
  const sn__vec6 out = {
      (k[0].a * a0 + k[1].a * a1) + (k[2].a * b0 + k[3].a * b1) + (k[4].a * c0 + k[5].a * c1),
      (k[0].b * a0 + k[1].b * a1) + (k[2].b * b0 + k[3].b * b1) + (k[4].b * c0 + k[5].b * c1),
      (k[0].c * a0 + k[1].c * a1) + (k[2].c * b0 + k[3].c * b1) + (k[4].c * c0 + k[5].c * c1)};
  return out;
}

/** to += m - k u u^T */
static inline void sn__sym6_add_reduced(sn__sym6 *to, const sn__sym6 *m, double k, sn__vec6 u) {
  const sn__vec6 w = {u.a * -k, u.b * -k, u.c * -k};
  const double f[6] = {w.a[0], w.a[1], w.b[0], w.b[1], w.c[0], w.c[1]};
  for (int i = 0; i < 6; i++) {
    const sn__vec6 reduced = sn__vec6_add_scaled(m->column[i], f[i], u);
    to->column[i] = sn__vec6_add(to->column[i], reduced);
  }
}

static inline sn__sym6 sn__sym6_from_inertia(const sn_inertia *i) {
  const sn_sym3 t = i->tensor;
  const sn_vec3 h = i->h;
  const double m = i->mass_kg;
  const sn__sym6 s = {{{{t.xx, t.xy}, {t.xz, 0}, {-h.z, h.y}},
                       {{t.xy, t.yy}, {t.yz, h.z}, {0, -h.x}},
                       {{t.xz, t.yz}, {t.zz, -h.y}, {h.x, 0}},
                       {{0, h.z}, {-h.y, m}, {0, 0}},
                       {{-h.z, 0}, {h.x, 0}, {m, 0}},
                       {{h.y, -h.x}, {0, 0}, {0, m}}}};
  return s;
}

#endif
