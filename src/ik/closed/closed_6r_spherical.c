/* Arms with three axes that meet: the other three joints bring the point where they meet to its
   place (subproblem 5), then the three turn the rest. */
#include "ik/closed/closed_6r.h"

/* Turn two vectors back through joints 0 .. last-1, base first. */
static sn__vec3_pair turn_back(const sn__arm *arm, const sn__turn *t, int last, sn__vec3_pair v) {
  for (int i = 0; i < last; i++) {
    const sn__turn back = sn__turn_inverse(t[i]);
    v = sn__turn_pair_apply(sn__turn_pair_make(back, back), arm->h[i], v);
  }
  return v;
}

/* Append the branches of a spherical joint at joints first .. first+2 of a branch whose others are
 * known. @p wanted: the vectors along and side of sn__spherical_joint_solve() */
static void add_spherical(const sn__closed_6r *closed, const sn__turn known[6], int first,
                          sn__vec3_pair wanted, double slack, sn__turn any_first,
                          sn__branches *out) {
  const sn_vec3 along = {wanted.x[0], wanted.y[0], wanted.z[0]};
  const sn_vec3 side = {wanted.x[1], wanted.y[1], wanted.z[1]};
  sn__turn t[2][3];
  unsigned any = 0;
  const int count =
      sn__spherical_joint_solve(&closed->spherical, along, side, slack, any_first, &any, t);
  out->any |= any << first;
  for (int i = 0; i < count; i++) {
    if (!sn__branches_admit(out, first, t[i][0]) || !sn__branches_admit(out, first + 1, t[i][1]) ||
        !sn__branches_admit(out, first + 2, t[i][2])) {
      continue;
    }
    sn__turn *turn = out->turn[out->count++];
    for (int j = 0; j < 6; j++) {
      turn[j] = j < first || j > first + 2 ? known[j] : t[i][j - first];
    }
  }
}

void sn__closed_6r_solve_wrist(const sn__closed_6r *closed, sn_pose move, double slack,
                               const sn__turn any_turn[6], sn__branches *out) {
  const sn__arm *arm = &closed->arm;
  const sn__sp5_in in = {.p0 = sn_vec3_sub(arm->r[0], arm->r[1]),
                         .p1 = sn_vec3_sub(sn_pose_apply(move, closed->centre), arm->r[0]),
                         .p2 = sn_vec3_sub(arm->r[2], arm->r[1]),
                         .p3 = sn_vec3_sub(closed->centre, arm->r[2]),
                         .k1 = sn_vec3_neg(arm->h[0]),
                         .k2 = arm->h[1],
                         .k3 = arm->h[2],
                         .length = closed->length};
  sn__turn t[4][3] = {{any_turn[0], any_turn[1], any_turn[2]}};
  const int count = sn__sp5(&in, slack, &out->any, t);
  const sn__vec3_pair wanted = sn__vec3_pair_make(sn_mat3_apply(move.rot, closed->spherical.h[2]),
                                                  sn_mat3_apply(move.rot, closed->spherical.side));
  for (int i = 0; i < count; i++) {
    const sn__turn known[6] = {t[i][0], t[i][1], t[i][2]};
    if (!sn__branches_admit(out, 0, known[0]) || !sn__branches_admit(out, 1, known[1]) ||
        !sn__branches_admit(out, 2, known[2])) {
      continue;
    }
    add_spherical(closed, known, 3, turn_back(arm, known, 3, wanted), slack, any_turn[3], out);
  }
}

/* The loop is opened at joint 6: seen from the base, the centre is where joints 1 and 2 bring it;
   seen through the target, where joint 6 leaves it. */
void sn__closed_6r_solve_middle(const sn__closed_6r *closed, sn_pose move, double slack,
                                const sn__turn any_turn[6], sn__branches *out) {
  const sn__arm *arm = &closed->arm;
  const sn__sp5_in in = {
      .p0 = sn_vec3_sub(sn_pose_apply(move, arm->r[5]), arm->r[0]),
      .p1 = sn_mat3_apply(move.rot, sn_vec3_sub(closed->centre, arm->r[5])),
      .p2 = sn_vec3_sub(arm->r[1], arm->r[0]),
      .p3 = sn_vec3_sub(closed->centre, arm->r[1]),
      .k1 = sn_vec3_neg(sn_mat3_apply(move.rot, arm->h[5])),
      .k2 = arm->h[0],
      .k3 = arm->h[1],
      .length = closed->length,
  };
  sn__turn t[4][3] = {{any_turn[5], any_turn[0], any_turn[1]}};
  unsigned any = 0;
  const int count = sn__sp5(&in, slack, &any, t);
  out->any |= (any & 1u) << 5 | (any & 6u) >> 1;
  for (int i = 0; i < count; i++) {
    const sn__turn known[6] = {t[i][1], t[i][2], {1, 0}, {1, 0}, {1, 0}, t[i][0]};
    if (!sn__branches_admit(out, 0, known[0]) || !sn__branches_admit(out, 1, known[1]) ||
        !sn__branches_admit(out, 5, known[5])) {
      continue;
    }
    const sn_vec3 along =
        sn_mat3_apply(move.rot, sn__turn_unapply(known[5], arm->h[5], closed->spherical.h[2]));
    const sn_vec3 side =
        sn_mat3_apply(move.rot, sn__turn_unapply(known[5], arm->h[5], closed->spherical.side));
    add_spherical(closed, known, 2, turn_back(arm, known, 2, sn__vec3_pair_make(along, side)),
                  slack, any_turn[2], out);
  }
}
