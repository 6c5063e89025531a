#include "ik/pose_error.h"

#include <math.h>

#include "sinew/ik_solver.h"
#include "sinew/quat.h"

/* Axis times 2 sin(angle / 2). For small angles this is the rotation vector, for large ones it is
 * still monotonic, and it needs a square root instead of an arc function. */
static sn_vec3 rotation_missing(const sn_mat3 *rot) {
  const sn_mat3 r = *rot;
  const double four_cos2 = 1.0 + r.x.x + r.y.y + r.z.z; /* 4 cos^2(angle / 2) */
  if (four_cos2 < 1e-6) {                               /* near half a turn the axis cancels out */
    const sn_vec3 log = sn_mat3_log(r);
    const double angle = sn_vec3_norm(log);
    return sn_vec3_scale(log, -2.0 * sin(0.5 * angle) / angle);
  }
  const double scale = -1.0 / sqrt(four_cos2);
  return sn_vec3_make(scale * (r.y.z - r.z.y), scale * (r.z.x - r.x.z), scale * (r.x.y - r.y.x));
}

static sn__vec3_pair mask_axes(unsigned free_axes, sn_vec3 ang, sn_vec3 lin) {
  const sn_vec3 masked_ang = {free_axes & SN_IK_FREE_RX ? 0.0 : ang.x,
                              free_axes & SN_IK_FREE_RY ? 0.0 : ang.y,
                              free_axes & SN_IK_FREE_RZ ? 0.0 : ang.z};
  const sn_vec3 masked_lin = {free_axes & SN_IK_FREE_X ? 0.0 : lin.x,
                              free_axes & SN_IK_FREE_Y ? 0.0 : lin.y,
                              free_axes & SN_IK_FREE_Z ? 0.0 : lin.z};
  return sn__vec3_pair_make(masked_ang, masked_lin);
}

sn__vec3_pair sn__pose_error(const sn_pose *pose_target_tip, unsigned free_axes) {
  const sn_vec3 lin = sn_vec3_neg(pose_target_tip->pos);
  if (free_axes == 0) {
    return sn__vec3_pair_make(rotation_missing(&pose_target_tip->rot), lin);
  }
  return mask_axes(free_axes, sn_vec3_neg(sn_mat3_log(pose_target_tip->rot)), lin);
}

/* With some axes of rotation free, the rotation about them may be large, and the other components
   of the rotation vector v no longer follow omega: dv = V^-1 omega with V^-1 = 1 - [v]/2 + k [v]^2
   (Sola et al., "A micro Lie theory for state estimation in robotics", 2018, equation 146). */
static sn_vec3 rotation_rate(sn_vec3 v, double k, sn_vec3 omega) {
  const sn_vec3 once = sn_vec3_cross(v, omega);
  return sn_vec3_add_scaled(sn_vec3_add_scaled(omega, -0.5, once), k, sn_vec3_cross(v, once));
}

void sn__pose_error_columns(const sn_pose *pose_target_tip, unsigned free_axes, size_t count,
                            sn__vec3_pair *columns) {
  if (free_axes == 0) {
    return;
  }
  const sn_vec3 v = sn_mat3_log(pose_target_tip->rot);
  const double angle = sn_vec3_norm(v);
  const double k =
      angle < 1e-4 ? 1.0 / 12.0 : (1.0 - 0.5 * angle / tan(0.5 * angle)) / (angle * angle);
  for (size_t i = 0; i < count; i++) {
    const sn_spatial column = sn__vec3_pair_spatial(columns[i]);
    columns[i] = mask_axes(free_axes, rotation_rate(v, k, column.ang), column.lin);
  }
}

double sn__pose_error_squared(const sn_pose *pose_target_tip, double length_m, unsigned free_axes) {
  const sn__vec3_pair error = mask_axes(free_axes, sn_mat3_log(pose_target_tip->rot),
                                        sn_vec3_scale(pose_target_tip->pos, length_m));
  return sn__vec3_pair_dot(error, error);
}
