/* Replaces mujoco_physics.c if MuJoCo's headers were not found. */
#include "base/fail.h"
#include "plant/mujoco/mujoco_physics.h"

sn__physics *sn__mujoco_create(sn_arena *arena, const sn__physics_setup *setup, sn_error *err) {
  (void)arena;
  (void)setup;
  (void)sn__fail(err, SN_EUNSUPPORTED,
                 "Sinew was built without MuJoCo: install libmujoco-dev and build again, or use "
                 "the type plant");
  return NULL;
}
