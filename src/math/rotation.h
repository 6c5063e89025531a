/** @file
 *  Internal: further rotations. */
#ifndef SN_MATH_ROTATION_H
#define SN_MATH_ROTATION_H

#include "sinew/quat.h"

/** The rotation of a rotation vector; inverse of sn_mat3_log(). */
sn_mat3 sn__mat3_exp(sn_vec3 v) SN_RT;

/** A rotation whose z axis is the unit vector @p axis; the identity for (0, 0, 1), and exactly a
 *  signed permutation for every coordinate axis. */
sn_mat3 sn__mat3_with_z(sn_vec3 axis) SN_RT;

#endif
