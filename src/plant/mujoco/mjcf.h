/** @file
 *  Internal: export of a robot to MuJoCo. */
#ifndef SN_PLANT_MUJOCO_MJCF_H
#define SN_PLANT_MUJOCO_MJCF_H

#include <stddef.h>

#include "plant/contacts.h"
#include "sinew/model.h"

/** Write MJCF: the bodies of the compiled tree, so that both engines simulate the same robot. Body i
 *  is called `b` and i, its joint `j` and i. No joint friction; stops where the file has hard
 *  limits.
 *  @param contacts  the base is a body `base` with a free joint, on this ground; contact point i is
 *                   a sphere `p` and i of 1 µm. NULL: the base is fixed, without ground
 *  @param out       @p size bytes, always ends with a NUL if size > 0; truncated if too short
 *  @return the size of the whole text, without the NUL */
size_t sn__mjcf_write(const sn_model *model, const sn__contacts *contacts, char *out, size_t size);

#endif
