#include "sinew/quat.h"

#include <math.h>

#include "math/rotation.h"

sn_mat3 sn_mat3_from_quat(sn_quat q) {
  const double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
  const double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
  const double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
  return (sn_mat3){
      .x = {1 - 2 * (yy + zz), 2 * (xy + wz), 2 * (xz - wy)},
      .y = {2 * (xy - wz), 1 - 2 * (xx + zz), 2 * (yz + wx)},
      .z = {2 * (xz + wy), 2 * (yz - wx), 1 - 2 * (xx + yy)},
  };
}

sn_quat sn_quat_normalize(sn_quat q) {
  const double norm = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  if (norm == 0.0) {
    return q;
  }
  return (sn_quat){q.x / norm, q.y / norm, q.z / norm, q.w / norm};
}

/* Shepperd's method: divide by the largest of the four, so nothing is lost to cancellation. */
sn_quat sn_quat_from_mat3(sn_mat3 r) {
  const double trace = r.x.x + r.y.y + r.z.z;
  sn_quat q;
  if (trace > r.x.x && trace > r.y.y && trace > r.z.z) {
    q = (sn_quat){r.y.z - r.z.y, r.z.x - r.x.z, r.x.y - r.y.x, 1 + trace};
  } else if (r.x.x >= r.y.y && r.x.x >= r.z.z) {
    q = (sn_quat){1 + 2 * r.x.x - trace, r.x.y + r.y.x, r.x.z + r.z.x, r.y.z - r.z.y};
  } else if (r.y.y >= r.z.z) {
    q = (sn_quat){r.x.y + r.y.x, 1 + 2 * r.y.y - trace, r.y.z + r.z.y, r.z.x - r.x.z};
  } else {
    q = (sn_quat){r.x.z + r.z.x, r.y.z + r.z.y, 1 + 2 * r.z.z - trace, r.x.y - r.y.x};
  }
  q = sn_quat_normalize(q);
  return q.w < 0.0 ? (sn_quat){-q.x, -q.y, -q.z, -q.w} : q;
}

sn_mat3 sn_mat3_from_rpy(double roll_rad, double pitch_rad, double yaw_rad) {
  const double sr = sin(roll_rad), cr = cos(roll_rad);
  const double sp = sin(pitch_rad), cp = cos(pitch_rad);
  const double sy = sin(yaw_rad), cy = cos(yaw_rad);
  return (sn_mat3){
      .x = {cy * cp, sy * cp, -sp},
      .y = {cy * sp * sr - sy * cr, sy * sp * sr + cy * cr, cp * sr},
      .z = {cy * sp * cr + sy * sr, sy * sp * cr - cy * sr, cp * cr},
  };
}

sn_mat3 sn_mat3_from_axis_angle(sn_vec3 axis, double angle_rad) {
  const double s = sin(angle_rad);
  const double half_sine = sin(0.5 * angle_rad);
  const double v = 2.0 * half_sine * half_sine; /* 1 - cos, without cancellation */
  const double x = axis.x, y = axis.y, z = axis.z;
  return (sn_mat3){
      .x = {1 - v * (y * y + z * z), v * x * y + s * z, v * x * z - s * y},
      .y = {v * x * y - s * z, 1 - v * (x * x + z * z), v * y * z + s * x},
      .z = {v * x * z + s * y, v * y * z - s * x, 1 - v * (x * x + y * y)},
  };
}

sn_vec3 sn_mat3_log(sn_mat3 r) {
  /* Through the quaternion: |(x, y, z)| = sin(angle/2) and w = cos(angle/2) >= 0 are both accurate
     over the whole range, near 0 and near pi alike. */
  const sn_quat q = sn_quat_from_mat3(r);
  const double sine = sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
  const double factor = sine < 1e-12 ? 2.0 : 2.0 * atan2(sine, q.w) / sine;
  return sn_vec3_make(factor * q.x, factor * q.y, factor * q.z);
}

sn_mat3 sn__mat3_exp(sn_vec3 v) {
  const double angle_rad = sn_vec3_norm(v);
  if (angle_rad == 0.0) {
    return sn_mat3_identity();
  }
  return sn_mat3_from_axis_angle(sn_vec3_scale(v, 1.0 / angle_rad), angle_rad);
}

sn_mat3 sn__mat3_with_z(sn_vec3 axis) {
  const double planar = axis.x * axis.x + axis.y * axis.y;
  if (axis.z < 0.0 && planar < 1e-300) { /* straight down: every horizontal axis is equally short */
    return (sn_mat3){.x = {1, 0, 0}, .y = {0, -1, 0}, .z = axis};
  }
  /* The shortest turn from z to the axis, about z cross axis. 1 + z is computed from x and y where
     it would cancel. */
  const double one_plus_z = axis.z < 0.0 ? planar / (1.0 - axis.z) : 1.0 + axis.z;
  const double k = 1.0 / one_plus_z;
  return (sn_mat3){
      .x = {1.0 - k * axis.x * axis.x, -k * axis.x * axis.y, -axis.x},
      .y = {-k * axis.x * axis.y, 1.0 - k * axis.y * axis.y, -axis.y},
      .z = axis,
  };
}
