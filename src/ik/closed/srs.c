#include "ik/closed/srs.h"

#include "math/rotation.h"
#include "sinew/quat.h"

bool sn__srs_init(sn__srs *srs, const sn__arm *arm, sn__tolerance tol) {
  if (arm->count != 7 || !sn__arm_is_spherical(arm, 0, tol, &srs->shoulder) ||
      !sn__arm_is_spherical(arm, 4, tol, &srs->wrist)) {
    return false;
  }
  srs->arm = *arm;
  for (int i = 0; i < 3; i++) {
    srs->arm.r[i] = srs->shoulder;
    srs->arm.r[4 + i] = srs->wrist;
  }
  sn__spherical_joint_init(&srs->spherical[0], srs->arm.h);
  sn__spherical_joint_init(&srs->spherical[1], srs->arm.h + 4);
  srs->tip_inverse = sn_pose_inverse(arm->tip);
  srs->length = sn__arm_length(&srs->arm);
  return true;
}

/* The shortest turn from unit vector a to unit vector b, applied to r. */
static sn_mat3 turn_over(sn_vec3 a, sn_vec3 b, sn_mat3 r) {
  const double c = sn_vec3_dot(a, b);
  const sn_vec3 w = sn_vec3_cross(a, b);
  if (c < -0.999999) { /* opposite: half a turn about anything across */
    const sn_vec3 k = sn__mat3_with_z(a).x;
    const sn__turn half = {-1.0, 0.0};
    return (sn_mat3){sn__turn_apply(half, k, r.x), sn__turn_apply(half, k, r.y),
                     sn__turn_apply(half, k, r.z)};
  }
  const double f = 1.0 / (1.0 + c);
  sn_vec3 *column[3] = {&r.x, &r.y, &r.z};
  for (int i = 0; i < 3; i++) {
    const sn_vec3 v = *column[i];
    const sn_vec3 wv = sn_vec3_cross(w, v);
    *column[i] = sn_vec3_add(sn_vec3_add(v, wv), sn_vec3_scale(sn_vec3_cross(w, wv), f));
  }
  return r;
}

/* The upper arm at the preferred pose. */
static sn_mat3 upper_arm(const sn__srs *srs, const sn__turn prefer[7]) {
  sn_mat3 r = sn_mat3_identity();
  for (int i = 2; i >= 0; i--) {
    r.x = sn__turn_apply(prefer[i], srs->arm.h[i], r.x);
    r.y = sn__turn_apply(prefer[i], srs->arm.h[i], r.y);
  }
  r.z = sn_vec3_cross(r.x, r.y);
  return r;
}

int sn__srs_reach(const sn__srs *srs, sn_pose target, double slack, const sn__turn prefer[7],
                  sn__srs_elbow elbow[2]) {
  const sn_pose move = sn_pose_mul(target, srs->tip_inverse);
  const sn_vec3 reach = sn_vec3_sub(sn_pose_apply(move, srs->wrist), srs->shoulder);
  const double distance = sn_vec3_norm(reach);
  if (distance < 1e-9 * srs->length) {
    return 0; /* folded: the direction of the arm is undefined */
  }
  const double unit = 1.0 / srs->length;
  const sn_vec3 upper = sn_vec3_scale(sn_vec3_sub(srs->arm.r[3], srs->shoulder), unit);
  const sn_vec3 lower = sn_vec3_scale(sn_vec3_sub(srs->wrist, srs->arm.r[3]), unit);
  sn__turn hinge[2];
  const int count =
      sn__sp3(lower, sn_vec3_neg(upper), srs->arm.h[3], distance * unit, 2.0 * slack, hinge);
  if (count <= 0) {
    return 0;
  }
  const sn_mat3 start = upper_arm(srs, prefer);
  for (int i = 0; i < count; i++) {
    const sn_vec3 u = sn_vec3_add(upper, sn__turn_apply(hinge[i], srs->arm.h[3], lower));
    const sn_vec3 now = sn_mat3_apply(start, sn_vec3_scale(u, 1.0 / sn_vec3_norm(u)));
    elbow[i].hinge = hinge[i];
    elbow[i].swing = sn_vec3_scale(reach, 1.0 / distance);
    elbow[i].reference = turn_over(now, elbow[i].swing, start);
    elbow[i].rot_last = move.rot;
    elbow[i].last = sn_mat3_apply(move.rot, srs->spherical[1].h[2]);
    elbow[i].side = sn_mat3_apply(move.rot, srs->spherical[1].side);
  }
  return count;
}

/* From the base's frame into that behind the elbow. */
static sn_vec3 behind_elbow(const sn__srs *srs, const sn__srs_elbow *e, sn__turn swing, sn_vec3 v) {
  const sn_vec3 upper =
      sn_mat3_apply_transposed(e->reference, sn__turn_unapply(swing, e->swing, v));
  return sn__turn_unapply(e->hinge, srs->arm.h[3], upper);
}

static bool admits_three(const sn__branches *out, int first, const sn__turn t[3]) {
  return sn__branches_admit(out, first, t[0]) && sn__branches_admit(out, first + 1, t[1]) &&
         sn__branches_admit(out, first + 2, t[2]);
}

void sn__srs_solve(const sn__srs *srs, const sn__srs_elbow *elbow, sn__turn swing, double slack,
                   const sn__turn prefer[7], sn__branches *out) {
  if (!sn__branches_admit(out, 3, elbow->hinge)) {
    return;
  }
  const sn__spherical_joint *shoulder = &srs->spherical[0];
  const sn_vec3 along = sn_mat3_apply(elbow->reference, shoulder->h[2]);
  const sn_vec3 side = sn_mat3_apply(elbow->reference, shoulder->side);
  sn__turn upper[2][3], hand[2][3];
  unsigned any_upper = 0, any_hand = 0;
  const int upper_count = sn__spherical_joint_solve(
      shoulder, sn__turn_apply(swing, elbow->swing, along),
      sn__turn_apply(swing, elbow->swing, side), slack, prefer[0], &any_upper, upper);
  const int hand_count = sn__spherical_joint_solve(
      &srs->spherical[1], behind_elbow(srs, elbow, swing, elbow->last),
      behind_elbow(srs, elbow, swing, elbow->side), slack, prefer[4], &any_hand, hand);
  out->any |= any_upper | any_hand << 4;
  for (int i = 0; i < upper_count; i++) {
    for (int j = 0; j < hand_count; j++) {
      if (!admits_three(out, 0, upper[i]) || !admits_three(out, 4, hand[j])) {
        continue;
      }
      sn__turn *turn = out->turn[out->count++];
      for (int k = 0; k < 3; k++) {
        turn[k] = upper[i][k];
        turn[4 + k] = hand[j][k];
      }
      turn[3] = elbow->hinge;
    }
  }
}

/* Where left . R right = d, with R the rotation of a spherical joint. At the shoulder R = S
   reference, with S the swing; at the wrist R = hinge^-1 reference^-1 S^-1 rot_last, and S goes
   over to the other side of the product. */
static int bounds_where(const sn__srs *srs, const sn__srs_elbow *elbow, int spherical, sn_vec3 left,
                        sn_vec3 right, double d, sn__turn *bound) {
  sn_vec3 fixed = left, swung = sn_mat3_apply(elbow->reference, right);
  if (spherical == 1) {
    fixed = sn_mat3_apply(elbow->rot_last, right);
    swung = sn_mat3_apply(elbow->reference, sn__turn_apply(elbow->hinge, srs->arm.h[3], left));
  }
  const int count = sn__sp4(fixed, swung, elbow->swing, d, 0.0, bound);
  return count == SN__ANY ? 0 : count;
}

/* With h0, h1, h2 the axes of a spherical joint and R its rotation, joint 0 is at L where
   (R0(L) h1) . R h2 = h1 . h2, joint 1 where h0 . R h2 = h0 . R1(L) h2, and joint 2 where
   h0 . R R2(-L) h1 = h0 . h1. */
static int bounds_at(const sn__srs *srs, const sn__srs_elbow *elbow, int spherical, int joint,
                     double at, sn__turn *bound) {
  const sn_vec3 *h = srs->spherical[spherical].h;
  const sn__turn t = sn__turn_of(at);
  sn_vec3 left = h[0];
  sn_vec3 right = h[2];
  double d = 0.0;
  if (joint == 0) {
    left = sn__turn_apply(t, h[0], h[1]);
    d = sn_vec3_dot(h[1], h[2]);
  } else if (joint == 1) {
    d = sn_vec3_dot(h[0], sn__turn_apply(t, h[1], h[2]));
  } else {
    right = sn__turn_unapply(t, h[2], h[1]);
    d = sn_vec3_dot(h[0], h[1]);
  }
  return bounds_where(srs, elbow, spherical, left, right, d, bound);
}

/* A spherical joint reaches every R if its axes are perpendicular; otherwise h0 . R h2 has two
 * ends. */
static int bounds_of_reach(const sn__srs *srs, const sn__srs_elbow *elbow, int spherical,
                           sn__turn *bound) {
  const sn_vec3 *h = srs->spherical[spherical].h;
  const double middle = sn_vec3_dot(h[0], h[1]) * sn_vec3_dot(h[1], h[2]);
  const double amplitude = 0.25 * srs->spherical[spherical].cone.amplitude;
  if (amplitude > 1.0 - 1e-9) {
    return 0;
  }
  int count = bounds_where(srs, elbow, spherical, h[0], h[2], middle + amplitude, bound);
  count += bounds_where(srs, elbow, spherical, h[0], h[2], middle - amplitude, bound + count);
  return count;
}

int sn__srs_bounds(const sn__srs *srs, const sn__srs_elbow *elbow, const double lower[7],
                   const double upper[7], sn__turn bound[SN__SRS_BOUNDS_MAX]) {
  int count = 0;
  for (int spherical = 0; spherical < 2; spherical++) {
    count += bounds_of_reach(srs, elbow, spherical, bound + count);
    for (int joint = 0; joint < 3; joint++) {
      const int i = 4 * spherical + joint;
      if (isfinite(lower[i])) {
        count += bounds_at(srs, elbow, spherical, joint, lower[i], bound + count);
      }
      if (isfinite(upper[i])) {
        count += bounds_at(srs, elbow, spherical, joint, upper[i], bound + count);
      }
    }
  }
  return count;
}
