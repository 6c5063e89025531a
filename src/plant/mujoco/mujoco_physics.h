/** @file
 *  Internal: physics by MuJoCo. */
#ifndef SN_PLANT_MUJOCO_MUJOCO_PHYSICS_H
#define SN_PLANT_MUJOCO_MUJOCO_PHYSICS_H

#include "plant/physics.h"

/** Load MuJoCo's library.
 *  @return NULL with the reason: Sinew was built without it, it is not installed, has another
 *  version, or rejects the robot */
sn__physics *sn__mujoco_create(sn_arena *arena, const sn__physics_setup *setup, sn_error *err);

#endif
