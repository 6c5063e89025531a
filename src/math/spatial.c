#include "sinew/spatial.h"

#include "math/inertia.h"
#include "math/sym3.h"

/* The symmetric part of [a]x^T [b]x; for a = b it is |a|^2 1 - a a^T. */
static sn_sym3 parallel_axis(sn_vec3 a, sn_vec3 b) {
  const double ab = sn_vec3_dot(a, b);
  return (sn_sym3){
      .xx = ab - a.x * b.x,
      .yy = ab - a.y * b.y,
      .zz = ab - a.z * b.z,
      .xy = -0.5 * (a.x * b.y + a.y * b.x),
      .xz = -0.5 * (a.x * b.z + a.z * b.x),
      .yz = -0.5 * (a.y * b.z + a.z * b.y),
  };
}

sn_inertia sn__inertia_from_com(double mass_kg, sn_vec3 com, sn_sym3 about_com) {
  const sn_vec3 h = sn_vec3_scale(com, mass_kg);
  return (sn_inertia){
      .mass_kg = mass_kg, .h = h, .tensor = sn_sym3_add(about_com, parallel_axis(com, h))};
}

sn_inertia sn__inertia_add(sn_inertia a, sn_inertia b) {
  return (sn_inertia){.mass_kg = a.mass_kg + b.mass_kg,
                      .h = sn_vec3_add(a.h, b.h),
                      .tensor = sn_sym3_add(a.tensor, b.tensor)};
}

sn_inertia sn__inertia_out(sn_pose p, sn_inertia inertia) {
  /* About a point displaced by p: with d(a, b) the symmetric part of [a]x^T [b]x,
     I' = R I R^T + 2 d(p, R h) + m d(p, p). */
  const sn_vec3 h = sn_mat3_apply(p.rot, inertia.h);
  const sn_sym3 turned = sn__sym3_rotate(p.rot, inertia.tensor);
  const sn_sym3 cross = parallel_axis(p.pos, h);
  const sn_sym3 shift = parallel_axis(p.pos, sn_vec3_scale(p.pos, inertia.mass_kg));
  return (sn_inertia){
      .mass_kg = inertia.mass_kg,
      .h = sn_vec3_add_scaled(h, inertia.mass_kg, p.pos),
      .tensor = sn_sym3_add(sn_sym3_add(turned, shift), sn_sym3_add(cross, cross)),
  };
}
