/** @file
 *  Internal: forces at the ends of limbs, from joint efforts: what the joints exert minus what the
 *  motion of the robot needs is what pushes on the limb's end. */
#ifndef SN_ESTIMATION_LIMB_WRENCH_H
#define SN_ESTIMATION_LIMB_WRENCH_H

#include <stddef.h>

#include "sinew/api.h"
#include "sinew/spatial.h"

enum { SN__WRENCH_JOINTS_MAX = 16 };

/** Solve J^T w = residual for the wrench w on the end of a limb. With fewer than six joints, or in
 * a singular pose, it is not unique: the one with the least force, and torques as if they were
 * forces at @p arm_m, is taken.
 *  @param jac       6 x count, row-major: angular rows first, of the limb's joints
 *  @param residual  count efforts: needed without the wrench, minus measured
 *  @param count     1 .. SN__WRENCH_JOINTS_MAX
 *  @return torque and force in the axes of the Jacobian, about its origin.  RT: yes. */
sn_spatial sn__limb_wrench(const double *jac, const double *residual, size_t count,
                           double arm_m) SN_RT;

#endif
