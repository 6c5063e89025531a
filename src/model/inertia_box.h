/** @file
 *  Internal: the box with the mass and inertia of a link, in place of a mesh that is not read. */
#ifndef SN_MODEL_INERTIA_BOX_H
#define SN_MODEL_INERTIA_BOX_H

#include "sinew/model.h"

/** The box with the mass, centre of mass and inertia of a link, whose mass is above 0: its edges
 *  are from I = m (b^2 + c^2) / 12.  RT: yes. */
sn_shape sn__inertia_box(const sn_link *link) SN_RT;

/** A corner of a box, 0 .. 7, in the frame of the box; 7 - i is opposite to i. */
sn_vec3 sn__box_corner(sn_vec3 size, int i) SN_RT;

#endif
