#include "ik/closed/closed_3r.h"

bool sn__closed_3r_init(sn__closed_3r *closed, const sn__arm *arm, sn__tolerance tol) {
  sn__arm own = *arm;
  for (int i = 0; i < 2; i++) {
    if (sn__arm_is_parallel(&own, i, i + 1, tol)) {
      sn__arm_snap_parallel(&own, i, i + 1);
    } else if (sn__arm_is_intersecting(&own, i, i + 1, tol, NULL)) {
      sn__arm_snap_intersecting(&own, i, i + 1);
    }
  }
  closed->in = (sn__sp5_in){.p0 = sn_vec3_sub(own.r[0], own.r[1]),
                            .p2 = sn_vec3_sub(own.r[2], own.r[1]),
                            .p3 = sn_vec3_sub(own.tip.pos, own.r[2]),
                            .k1 = sn_vec3_neg(own.h[0]),
                            .k2 = own.h[1],
                            .k3 = own.h[2],
                            .length = sn__arm_length(&own)};
  closed->origin = own.r[0];
  const bool all_parallel =
      sn__arm_is_parallel(&own, 0, 1, tol) && sn__arm_is_parallel(&own, 1, 2, tol);
  const bool all_meet = sn__arm_is_spherical(&own, 0, tol, NULL);
  const sn_vec3 lever = sn_vec3_cross(own.h[2], closed->in.p3);
  return !all_parallel && !all_meet && sn_vec3_norm(lever) > 1e-6 * closed->in.length;
}

void sn__closed_3r_solve(const sn__closed_3r *closed, sn_vec3 point, double slack,
                         const sn__turn any_turn[3], sn__branches *out) {
  sn__sp5_in in = closed->in;
  in.p1 = sn_vec3_sub(point, closed->origin);
  sn__turn t[4][3] = {{any_turn[0], any_turn[1], any_turn[2]}};
  sn__branches_start(out, NULL);
  out->count = sn__sp5(&in, slack, &out->any, t);
  for (int i = 0; i < out->count; i++) {
    for (int j = 0; j < 3; j++) {
      out->turn[i][j] = t[i][j];
    }
  }
}
