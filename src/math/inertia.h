/** @file
 *  Internal: sums of spatial inertia. */
#ifndef SN_MATH_INERTIA_H
#define SN_MATH_INERTIA_H

#include "sinew/spatial.h"

/** Of a mass with centre @p com and inertia @p about_com (about the centre, in the frame's axes).
 */
sn_inertia sn__inertia_from_com(double mass_kg, sn_vec3 com, sn_sym3 about_com) SN_RT;

/** Two bodies as one, in one frame. */
sn_inertia sn__inertia_add(sn_inertia a, sn_inertia b) SN_RT;

/** Of the inner frame, expressed in the outer frame of pose_outer_inner. */
sn_inertia sn__inertia_out(sn_pose p, sn_inertia inertia) SN_RT;

#endif
