#include "ik/numeric/spherical_joint.h"

#include "sinew/quat.h"

void sn__spherical_joint_init(sn__spherical_joint *ball, const sn_vec3 h[3]) {
  for (int i = 0; i < 3; i++) {
    ball->h[i] = h[i];
  }
  ball->side = sn_mat3_with_z(h[2]).x;
  ball->third = sn_vec3_cross(h[2], ball->side);
  sn__cone_init(&ball->cone, h[0], h[1], h[2]);
}

int sn__spherical_joint_solve(const sn__spherical_joint *ball, sn_vec3 along, sn_vec3 side,
                              double slack, sn__turn any_first, unsigned *any, sn__turn t[2][3]) {
  sn__turn middle[2];
  const int count = sn__cone_solve(&ball->cone, along, slack, middle);
  if (count <= 0) {
    return 0;
  }
  for (int i = 0; i < count; i++) {
    t[i][0] = any_first;
    t[i][1] = middle[i];
    const sn_vec3 bent = sn__turn_apply(middle[i], ball->h[1], ball->h[2]);
    if (sn__sp1(bent, along, ball->h[0], &t[i][0]) == SN__ANY) {
      *any |= 1u;
    }
    const sn_vec3 back = sn__turn_unapply(t[i][0], ball->h[0], side);
    const sn_vec3 local = sn__turn_unapply(middle[i], ball->h[1], back);
    t[i][2] = sn__turn_normalize(sn_vec3_dot(local, ball->side), sn_vec3_dot(local, ball->third));
  }
  return count;
}
