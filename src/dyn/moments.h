/** @file
 *  Internal: mass of a body by its moments of order 0, 1 and 2, as one symmetric 4 x 4 matrix
 *  [second, h; h^T, mass], where second is the integral of r r^T over the mass.
 *
 *  With it, moving a body is one matrix product on each side, and the force and torque of a motion
 *  are read off one product: fewer operations than with the inertia tensor, and all in pairs.
 *  (Known as pseudo-inertia; Wensing, Kim and Slotine, "Linear matrix inequalities for physically
 *  consistent inertial parameter identification", 2018.) */
#ifndef SN_DYN_MOMENTS_H
#define SN_DYN_MOMENTS_H

#include <stdbool.h>

#include "math/pair.h"
#include "sinew/spatial.h"

/** The matrix by rows; the last is (h, mass).
 *
 *  Mass on the axis of a revolute joint is not affected by the joint and may be assigned to the
 * parent. Removing enough for mass, h.z and second.zz to vanish leaves *lean* moments, whose zp in
 * the last two rows is 0. The dynamics of the robot do not change. */
typedef struct sn__moments {
  sn__row x, y, z, w;
} sn__moments;

/** Its ten numbers, to add up. */
typedef struct sn__moment_sum {
  sn__pair xx_yy, zz_xy, xz_yz, hx_hy, hz_m;
} sn__moment_sum;

static inline sn__moments sn__moments_make(const sn_inertia *inertia) {
  const sn_sym3 t = inertia->tensor;
  const sn_vec3 h = inertia->h;
  const double half = 0.5 * (t.xx + t.yy + t.zz);
  const sn__moments m = {{{half - t.xx, -t.xy}, {-t.xz, h.x}},
                         {{-t.xy, half - t.yy}, {-t.yz, h.y}},
                         {{-t.xz, -t.yz}, {half - t.zz, h.z}},
                         {{h.x, h.y}, {h.z, inertia->mass_kg}}};
  return m;
}

/** A row of a 3 x 4 matrix, given by its entries (each twice), times the moments.
 *  @param lean  the moments are those of sn__moments_lean(): a constant, to be folded */
static inline sn__row sn__moments_mix(sn__pair x, sn__pair y, sn__pair z, sn__pair w,
                                      const sn__moments *m, bool lean) {
  const sn__pair xy = (x * m->x.xy + y * m->y.xy) + (z * m->z.xy + w * m->w.xy);
  const sn__pair zp = x * m->x.zp + y * m->y.zp;
  const sn__row row = {xy, lean ? zp : zp + (z * m->z.zp + w * m->w.zp)};
  return row;
}

static inline sn__row sn__moments_row(sn__row a, const sn__moments *m, bool lean) {
  return sn__moments_mix(sn__pair_both(a.xy[0]), sn__pair_both(a.xy[1]), sn__pair_both(a.zp[0]),
                         sn__pair_both(a.zp[1]), m, lean);
}

/** Scalar products of rows, two at a time: (a.b, c.d). */
static inline sn__pair sn__row_dots(sn__row a, sn__row b, sn__row c, sn__row d) {
  const sn__pair s = a.xy * b.xy + a.zp * b.zp;
  const sn__pair t = c.xy * d.xy + c.zp * d.zp;
  const sn__pair first = {s[0], t[0]}, second = {s[1], t[1]};
  return first + second;
}

/** Of the inner frame, expressed in the outer frame of pose_outer_inner: pose * moments * pose^T.
 */
static inline sn__moment_sum sn__moments_out(const sn__rows *pose, const sn__moments *m,
                                             bool lean) {
  const sn__rows p = *pose;
  const sn__row x = sn__moments_row(p.x, m, lean);
  const sn__row y = sn__moments_row(p.y, m, lean);
  const sn__row z = sn__moments_row(p.z, m, lean);
  const sn__moment_sum sum = {sn__row_dots(x, p.x, y, p.y),
                              sn__row_dots(z, p.z, x, p.y),
                              sn__row_dots(x, p.z, y, p.z),
                              {x.zp[1], y.zp[1]},
                              {z.zp[1], m->w.zp[1]}};
  return sum;
}

static inline sn__moment_sum sn__moment_sum_add(sn__moment_sum a, const sn__moment_sum *b) {
  const sn__moment_sum sum = {a.xx_yy + b->xx_yy, a.zz_xy + b->zz_xy, a.xz_yz + b->xz_yz,
                              a.hx_hy + b->hx_hy, a.hz_m + b->hz_m};
  return sum;
}

/** The mass on the axis z that lean moments lack, in the frame of the body. */
static inline sn_inertia sn__moments_on_axis(const sn_inertia *inertia) {
  const sn_sym3 t = inertia->tensor;
  const double zz = 0.5 * (t.xx + t.yy - t.zz);
  const sn_inertia axial = {inertia->mass_kg, {0, 0, inertia->h.z}, {zz, zz, 0, 0, 0, 0}};
  return axial;
}

/** As the matrix. */
static inline sn__moments sn__moment_sum_matrix(const sn__moment_sum *s) {
  const double xy = s->zz_xy[1], xz = s->xz_yz[0], yz = s->xz_yz[1];
  const sn__moments m = {{{s->xx_yy[0], xy}, {xz, s->hx_hy[0]}},
                         {{xy, s->xx_yy[1]}, {yz, s->hx_hy[1]}},
                         {s->xz_yz, {s->zz_xy[0], s->hz_m[0]}},
                         {s->hx_hy, s->hz_m}};
  return m;
}

/** As an inertia. */
static inline sn_inertia sn__moment_sum_inertia(const sn__moment_sum *s) {
  const double xx = s->xx_yy[0], yy = s->xx_yy[1], zz = s->zz_xy[0];
  const sn_inertia inertia = {
      s->hz_m[1],
      {s->hx_hy[0], s->hx_hy[1], s->hz_m[0]},
      {yy + zz, xx + zz, xx + yy, -s->zz_xy[1], -s->xz_yz[0], -s->xz_yz[1]}};
  return inertia;
}

#endif
