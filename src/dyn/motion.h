/** @file
 *  Internal: how a body moves, and the force it takes. */
#ifndef SN_DYN_MOTION_H
#define SN_DYN_MOTION_H

#include "dyn/moments.h"

/** Motion of a body in some frame. The point r accelerates by lin + field r. */
typedef struct sn__motion {
  sn__twin turn; /**< angular velocity and angular acceleration */
  sn_mat3 field;
  sn_vec3 lin; /**< less gravity */
} sn__motion;

/** The acceleration of the points of a body that turns: angular acceleration cross, and
 *  centripetal. */
static inline sn_mat3 sn__motion_field(sn__twin turn) {
  const sn_vec3 w = {turn.x[0], turn.y[0], turn.z[0]};
  const sn_vec3 a = {turn.x[1], turn.y[1], turn.z[1]};
  const double xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
  const double xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
  const sn_mat3 field = {{-(yy + zz), xy + a.z, xz - a.y},
                         {xy - a.z, -(xx + zz), yz + a.x},
                         {xz + a.y, yz - a.x, -(xx + yy)}};
  return field;
}

/** Torque and force that make a body accelerate so: of the product of field and moments, the skew
 *  part and the last column.
 *  @param lean  as in sn__moments_mix() */
static inline sn__twin sn__motion_force(const sn__moments *moments, const sn__motion *m,
                                        bool lean) {
  const sn_mat3 f = m->field;
  const sn__row x = sn__moments_mix(f.x.x, f.y.x, f.z.x, m->lin.x, moments, lean);
  const sn__row y = sn__moments_mix(f.x.y, f.y.y, f.z.y, m->lin.y, moments, lean);
  const sn__row z = sn__moments_mix(f.x.z, f.y.z, f.z.z, m->lin.z, moments, lean);
  const sn__twin force = {
      {z.xy[1] - y.zp[0], x.zp[1]}, {x.zp[0] - z.xy[0], y.zp[1]}, {y.xy[0] - x.xy[1], z.zp[1]}};
  return force;
}

#endif
