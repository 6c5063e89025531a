/** @file
 *  Internal: export of a robot to MuJoCo. */
#ifndef SN_PLANT_MJCF_H
#define SN_PLANT_MJCF_H

#include <stddef.h>

#include "sinew/model.h"

/** Write MJCF: the bodies of the compiled tree, so that both engines simulate the same robot. The
 *  joint of body i is called `j` and i. No shapes, no friction; stops where the file has hard
 *  limits.
 *  @param out  @p size bytes, always ends with a NUL if size > 0; truncated if too short
 *  @return the size of the whole text, without the NUL */
size_t sn__mjcf_write(const sn_model *model, char *out, size_t size);

#endif
