/** @file
 *  Rotations: unit quaternions, roll-pitch-yaw and rotation vectors, to and from matrices.
 *  RT: yes, all of it.  Threads: any. */
#ifndef SINEW_QUAT_H
#define SINEW_QUAT_H

#include "sinew/api.h"
#include "sinew/vec3.h"

SN_BEGIN_DECLS

/** In text, on the wire and in arrays the order is x, y, z, w. */
typedef struct sn_quat {
  double x, y, z, w;
} sn_quat;

/** Of a unit quaternion. */
SN_API sn_mat3 sn_mat3_from_quat(sn_quat q) SN_RT;

/** Of a rotation; w >= 0, so that equal rotations give equal numbers. */
SN_API sn_quat sn_quat_from_mat3(sn_mat3 r) SN_RT;

/** Divided by its length. All zero stays all zero. */
SN_API sn_quat sn_quat_normalize(sn_quat q) SN_RT;

/** Fixed-axis roll, pitch, yaw in rad as in URDF: Rz(yaw) Ry(pitch) Rx(roll). */
SN_API sn_mat3 sn_mat3_from_rpy(double roll_rad, double pitch_rad, double yaw_rad) SN_RT;

/** By @p angle_rad about the unit vector @p axis. */
SN_API sn_mat3 sn_mat3_from_axis_angle(sn_vec3 axis, double angle_rad) SN_RT;

/** Axis times angle (0 .. pi) of a rotation, accurate for tiny angles and near pi. */
SN_API sn_vec3 sn_mat3_log(sn_mat3 r) SN_RT;

SN_END_DECLS

#endif
