/** @file
 *  Internal: limbs that are others shifted or mirrored. */
#ifndef SN_IK_NUMERIC_SEED_MIRROR_H
#define SN_IK_NUMERIC_SEED_MIRROR_H

#include <stdbool.h>

#include "sinew/kin.h"

/** Take over the pose of another chain, if this one is that one shifted, or mirrored at a plane
 *  through the axes of the root: left and right, front and rear.
 *  @param zero   workspace of the whole robot, updated with all joints at zero
 *  @param way    0 .. 3: mirrored left to right, shifted, mirrored front to rear, turned around
 *  @param q      sorted pose: read at the joints of @p from
 *  @param out    [to->joint_count] out, if it is so
 *  @return whether it is so; limits are not looked at */
bool sn__start_mirror(const sn_kin_data *zero, const sn_model *model, const sn_chain *from,
                      const sn_chain *to, int way, const double *q, double *out);

#endif
