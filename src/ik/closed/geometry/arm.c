#include "ik/closed/geometry/arm.h"

#include "sinew/fault.h"

void sn__arm_init(sn__arm *arm, const sn_chain *chain) {
  SN_ASSERT(chain->tree.body_count <= SN__ARM_JOINTS_MAX);
  *arm = (sn__arm){.count = (int)chain->tree.body_count};
  sn_pose pose = sn_pose_identity();
  for (int i = 0; i < arm->count; i++) {
    pose = sn_pose_mul(pose, chain->tree.pose_parent_joint[i]);
    arm->h[i] = pose.rot.z;
    arm->r[i] = pose.pos;
  }
  arm->tip = sn_pose_mul(pose, chain->pose_body_tip);
}

/* T = T_1 ... T_n M gives T^-1 = (M^-1 T_n^-1 M) ... (M^-1 T_1^-1 M) M^-1: lines seen from M,
   turned the other way, which is their axis turned round. */
void sn__arm_reverse(const sn__arm *arm, sn__arm *out) {
  const int n = arm->count;
  out->count = n;
  out->tip = sn_pose_inverse(arm->tip);
  for (int i = 0; i < n; i++) {
    out->h[n - 1 - i] = sn_vec3_neg(sn_mat3_apply(out->tip.rot, arm->h[i]));
    out->r[n - 1 - i] = sn_pose_apply(out->tip, arm->r[i]);
  }
}

void sn__arm_lock(const sn__arm *arm, int index, sn__turn t, sn__arm *out) {
  const sn_vec3 k = arm->h[index];
  const sn_vec3 centre = arm->r[index];
  out->count = arm->count - 1;
  for (int i = 0; i < index; i++) {
    out->h[i] = arm->h[i];
    out->r[i] = arm->r[i];
  }
  for (int i = index + 1; i < arm->count; i++) {
    out->h[i - 1] = sn__turn_apply(t, k, arm->h[i]);
    out->r[i - 1] = sn_vec3_add(centre, sn__turn_apply(t, k, sn_vec3_sub(arm->r[i], centre)));
  }
  out->tip.rot.x = sn__turn_apply(t, k, arm->tip.rot.x);
  out->tip.rot.y = sn__turn_apply(t, k, arm->tip.rot.y);
  out->tip.rot.z = sn_vec3_cross(out->tip.rot.x, out->tip.rot.y);
  out->tip.pos = sn_vec3_add(centre, sn__turn_apply(t, k, sn_vec3_sub(arm->tip.pos, centre)));
}

static double sine_between(const sn__arm *arm, int i, int j) {
  return sn_vec3_norm(sn_vec3_cross(arm->h[i], arm->h[j]));
}

bool sn__arm_is_parallel(const sn__arm *arm, int i, int j, sn__tolerance tol) {
  return sine_between(arm, i, j) <= tol.angle_rad;
}

/* Lines closer to parallel than this have no usable intersection. */
#define SINE_MIN 0.05

/* Feet of the common perpendicular of two lines that are not parallel. */
static void nearest_points(const sn__arm *arm, int i, int j, sn_vec3 *on_i, sn_vec3 *on_j) {
  const sn_vec3 between = sn_vec3_sub(arm->r[j], arm->r[i]);
  const double cosine = sn_vec3_dot(arm->h[i], arm->h[j]);
  const double along_i = sn_vec3_dot(arm->h[i], between);
  const double along_j = sn_vec3_dot(arm->h[j], between);
  const double factor = 1.0 / (1.0 - cosine * cosine);
  *on_i = sn_vec3_add_scaled(arm->r[i], (along_i - cosine * along_j) * factor, arm->h[i]);
  *on_j = sn_vec3_add_scaled(arm->r[j], (cosine * along_i - along_j) * factor, arm->h[j]);
}

bool sn__arm_is_intersecting(const sn__arm *arm, int i, int j, sn__tolerance tol, sn_vec3 *point) {
  if (sine_between(arm, i, j) < SINE_MIN) {
    return false;
  }
  sn_vec3 on_i, on_j;
  nearest_points(arm, i, j, &on_i, &on_j);
  if (sn_vec3_norm(sn_vec3_sub(on_i, on_j)) > tol.length_m) {
    return false;
  }
  if (point != NULL) {
    *point = sn_vec3_scale(sn_vec3_add(on_i, on_j), 0.5);
  }
  return true;
}

static double distance_to_line(const sn__arm *arm, int i, sn_vec3 point) {
  return sn_vec3_norm(sn_vec3_cross(arm->h[i], sn_vec3_sub(point, arm->r[i])));
}

bool sn__arm_is_spherical(const sn__arm *arm, int i, sn__tolerance tol, sn_vec3 *centre) {
  sn_vec3 first, second;
  if (!sn__arm_is_intersecting(arm, i, i + 1, tol, &first) ||
      !sn__arm_is_intersecting(arm, i + 1, i + 2, tol, &second)) {
    return false;
  }
  const sn_vec3 middle = sn_vec3_scale(sn_vec3_add(first, second), 0.5);
  for (int j = i; j < i + 3; j++) {
    if (distance_to_line(arm, j, middle) > tol.length_m) {
      return false;
    }
  }
  if (centre != NULL) {
    *centre = middle;
  }
  return sn_vec3_norm(sn_vec3_sub(first, second)) <= 2.0 * tol.length_m;
}

void sn__arm_snap_parallel(sn__arm *arm, int i, int j) {
  const double sense = sn_vec3_dot(arm->h[i], arm->h[j]) < 0.0 ? -1.0 : 1.0;
  const sn_vec3 sum = sn_vec3_add_scaled(arm->h[i], sense, arm->h[j]);
  arm->h[i] = sn_vec3_scale(sum, 1.0 / sn_vec3_norm(sum));
  arm->h[j] = sn_vec3_scale(arm->h[i], sense);
}

void sn__arm_snap_intersecting(sn__arm *arm, int i, int j) {
  sn_vec3 on_i, on_j;
  nearest_points(arm, i, j, &on_i, &on_j);
  arm->r[i] = arm->r[j] = sn_vec3_scale(sn_vec3_add(on_i, on_j), 0.5);
}

double sn__arm_length(const sn__arm *arm) {
  double length = 0.0;
  for (int i = 1; i < arm->count; i++) {
    length += sn_vec3_norm(sn_vec3_sub(arm->r[i], arm->r[i - 1]));
  }
  length += sn_vec3_norm(sn_vec3_sub(arm->tip.pos, arm->r[arm->count - 1]));
  return length > 0.0 ? length : 1.0;
}
