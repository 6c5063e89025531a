/** @file
 *  Internal to the filter: rows of its covariance, two numbers at a time. RT: yes. */
#ifndef SN_ESTIMATION_FILTER_COVARIANCE_ROWS_H
#define SN_ESTIMATION_FILTER_COVARIANCE_ROWS_H

#include <string.h>

#include "estimation/filter/base_filter.h"
#include "math/pair.h"

_Static_assert(SN__FILTER_SIZE % 2 == 0, "rows are processed in pairs");

/* to += k from */
static inline void sn__row_add(double *to, double k, const double *from, size_t pairs) {
  const sn__pair factor = sn__pair_both(k);
  for (size_t i = 0; i < pairs; i++) {
    sn__pair a, b;
    memcpy(&a, to + 2 * i, sizeof a);
    memcpy(&b, from + 2 * i, sizeof b);
    a += factor * b;
    memcpy(to + 2 * i, &a, sizeof a);
  }
}

/* to += k.x from[0] + k.y from[1] + k.z from[2] */
static inline void sn__row_add_three(double *to, sn_vec3 k, const double (*from)[SN__FILTER_SIZE],
                                     size_t pairs) {
  const sn__pair kx = sn__pair_both(k.x), ky = sn__pair_both(k.y), kz = sn__pair_both(k.z);
  for (size_t i = 0; i < pairs; i++) {
    sn__pair t, x, y, z;
    memcpy(&t, to + 2 * i, sizeof t);
    memcpy(&x, from[0] + 2 * i, sizeof x);
    memcpy(&y, from[1] + 2 * i, sizeof y);
    memcpy(&z, from[2] + 2 * i, sizeof z);
    t += kx * x + ky * y + kz * z;
    memcpy(to + 2 * i, &t, sizeof t);
  }
}

/* to += a x + b y + z */
static inline void sn__row_add_sum(double *to, double a, const double *x, double b, const double *y,
                                   const double *z, size_t pairs) {
  const sn__pair ka = sn__pair_both(a), kb = sn__pair_both(b);
  for (size_t i = 0; i < pairs; i++) {
    sn__pair t, px, py, pz;
    memcpy(&t, to + 2 * i, sizeof t);
    memcpy(&px, x + 2 * i, sizeof px);
    memcpy(&py, y + 2 * i, sizeof py);
    memcpy(&pz, z + 2 * i, sizeof pz);
    t += ka * px + kb * py + pz;
    memcpy(to + 2 * i, &t, sizeof t);
  }
}

/* Three rows: to += from x v + more. */
static inline void sn__rows_add_cross(double (*to)[SN__FILTER_SIZE],
                                      const double (*from)[SN__FILTER_SIZE], sn_vec3 v,
                                      const double (*more)[SN__FILTER_SIZE], size_t pairs) {
  sn__row_add_sum(to[0], v.z, from[1], -v.y, from[2], more[0], pairs);
  sn__row_add_sum(to[1], v.x, from[2], -v.z, from[0], more[1], pairs);
  sn__row_add_sum(to[2], v.y, from[0], -v.x, from[1], more[2], pairs);
}

static inline void sn__rows_rotate(double (*to)[SN__FILTER_SIZE], sn_mat3 r,
                                   const double (*from)[SN__FILTER_SIZE], size_t pairs) {
  memset(to, 0, 3 * sizeof *to);
  sn__row_add_three(to[0], sn_vec3_make(r.x.x, r.y.x, r.z.x), from, pairs);
  sn__row_add_three(to[1], sn_vec3_make(r.x.y, r.y.y, r.z.y), from, pairs);
  sn__row_add_three(to[2], sn_vec3_make(r.x.z, r.y.z, r.z.z), from, pairs);
}

#endif
