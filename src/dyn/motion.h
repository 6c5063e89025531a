/** @file
 *  Internal: the motion of a body and the force that causes it. */
#ifndef SN_DYN_MOTION_H
#define SN_DYN_MOTION_H

#include "dyn/moments.h"

/** Motion of a body in some frame. The point r accelerates by lin + field r. Each number is stored
 * twice in its pair, ready to multiply pairs. */
typedef struct sn__motion {
  sn__vec3_pair turn; /**< angular velocity and angular acceleration; not twice */
  sn__rot_pair field;
  sn__vec3_pair lin; /**< less gravity */
} sn__motion;

/** The acceleration of the points of a body that turns: angular acceleration cross, and
 *  centripetal. */
static inline sn__rot_pair sn__motion_field(sn__vec3_pair turn) {
  const sn__pair wx = sn__pair_both(turn.x[0]), ax = sn__pair_both(turn.x[1]);
  const sn__pair wy = sn__pair_both(turn.y[0]), ay = sn__pair_both(turn.y[1]);
  const sn__pair wz = sn__pair_both(turn.z[0]), az = sn__pair_both(turn.z[1]);
  const sn__pair xx = wx * wx, yy = wy * wy, zz = wz * wz;
  const sn__pair xy = wx * wy, xz = wx * wz, yz = wy * wz;
  const sn__rot_pair field = {{-(yy + zz), xy + az, xz - ay},
                              {xy - az, -(xx + zz), yz + ax},
                              {xz + ay, yz - ax, -(xx + yy)}};
  return field;
}

/** Torque and force that make a body accelerate so: of the product of field and moments, the skew
 *  part and the last column.
 *  @param lean  as in sn__moments_mix() */
static inline sn__vec3_pair sn__motion_force(const sn__moments *moments, const sn__motion *m,
                                             bool lean) {
  const sn__rot_pair *f = &m->field;
  const sn__row x = sn__moments_mix(f->x.x, f->y.x, f->z.x, m->lin.x, moments, lean);
  const sn__row y = sn__moments_mix(f->x.y, f->y.y, f->z.y, m->lin.y, moments, lean);
  const sn__row z = sn__moments_mix(f->x.z, f->y.z, f->z.z, m->lin.z, moments, lean);
  const sn__vec3_pair force = {
      {z.xy[1] - y.zp[0], x.zp[1]}, {x.zp[0] - z.xy[0], y.zp[1]}, {y.xy[0] - x.xy[1], z.zp[1]}};
  return force;
}

#endif
