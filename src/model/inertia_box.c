#include "model/inertia_box.h"

#include <math.h>

#include "math/eigen.h"

sn_shape sn__inertia_box(const sn_link *link) {
  const sn_sym3 t = link->inertia;
  double a[9] = {t.xx, t.xy, t.xz, t.xy, t.yy, t.yz, t.xz, t.yz, t.zz}, v[9], m[3];
  sn__eigen_symmetric(3, a, m, v);
  const double k = 6.0 / link->mass_kg;
  const sn_vec3 x = {v[0], v[3], v[6]}, y = {v[1], v[4], v[7]};
  const sn_mat3 rot = {x, y, sn_vec3_cross(x, y)};
  return (sn_shape){
      .kind = SN_SHAPE_BOX,
      .pose_link_shape = {rot, link->com},
      .size = {sqrt(fmax(k * (m[1] + m[2] - m[0]), 0.0)), sqrt(fmax(k * (m[2] + m[0] - m[1]), 0.0)),
               sqrt(fmax(k * (m[0] + m[1] - m[2]), 0.0))}};
}

sn_vec3 sn__box_corner(sn_vec3 size, int i) {
  return sn_vec3_make(i & 1 ? 0.5 * size.x : -0.5 * size.x, i & 2 ? 0.5 * size.y : -0.5 * size.y,
                      i & 4 ? 0.5 * size.z : -0.5 * size.z);
}
