/** @file
 *  Internal: MuJoCo moves the joints. */
#ifndef SN_PLANT_MUJOCO_PHYSICS_H
#define SN_PLANT_MUJOCO_PHYSICS_H

#include "plant/plant_state.h"

/** Opens MuJoCo's library, which nothing else of Sinew needs.
 *  @return NULL with the reason: Sinew was built without it, it is not installed, it is another
 *          version, it refuses the robot */
sn__physics *sn__mujoco_create(sn_arena *arena, const sn_model *model, const sn__axle *axles,
                               sn_error *err);

#endif
