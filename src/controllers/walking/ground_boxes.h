/** @file
 *  Internal: boxes on the ground, which a walking robot must not enter. */
#ifndef SN_CONTROLLERS_WALKING_GROUND_BOXES_H
#define SN_CONTROLLERS_WALKING_GROUND_BOXES_H

#include "gait/outline.h"
#include "sinew/component.h"

/** The boxes of another component of the system: its list `boxes`.
 *  @param ground  name of that component
 *  @param count   out
 *  @return NULL: it has none, or no memory */
const sn__obstacle *sn__ground_boxes(const sn_component *component, const char *ground,
                                     sn_arena *arena, size_t *count);

#endif
