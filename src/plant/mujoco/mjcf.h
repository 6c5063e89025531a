/** @file
 *  Internal: export of a robot to MuJoCo. */
#ifndef SN_PLANT_MUJOCO_MJCF_H
#define SN_PLANT_MUJOCO_MJCF_H

#include <stddef.h>

#include "plant/physics.h"

/** Write MJCF: the bodies of the compiled tree, so that both engines simulate the same robot. Body
 * i is called `b` and i, its joint `j` and i, a floating base and its joint `base`; contact point i
 *  is a sphere `p` and i, and the ground is that of the contacts. No joint friction; stops where
 *  the axles have two.
 *  @param out  @p size bytes, always ends with a NUL if size > 0; truncated if too short
 *  @return the size of the whole text, without the NUL */
size_t sn__mjcf_write(const sn__physics_setup *setup, char *out, size_t size);

#endif
