/** @file
 *  Internal: the error of a tip and its derivatives. The tip is given in the frame of the target,
 * where axes can be left free one by one. */
#ifndef SN_IK_POSE_ERROR_H
#define SN_IK_POSE_ERROR_H

#include <stddef.h>

#include "ik/spatial_simd.h"
#include "sinew/pose.h"

/** The missing motion, zero along free axes. Rotation is measured by its chord,
 *  2 sin(angle / 2), unless some axis is free. */
sn__vec3_pair sn__pose_error(const sn_pose *pose_target_tip, unsigned free_axes);

/** Turn the columns of a Jacobian into derivatives of sn__pose_error() where axes are free; without
 * free axes they are left unchanged. */
void sn__pose_error_columns(const sn_pose *pose_target_tip, unsigned free_axes, size_t count,
                            sn__vec3_pair *columns);

/** The squared norm of the error over the axes that are not free, as tolerances mean it: lengths in
 *  m, the rotation vector in rad. */
double sn__pose_error_squared(const sn_pose *pose_target_tip, double length_m, unsigned free_axes);

#endif
