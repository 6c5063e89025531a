/** @file
 *  Load a URDF or an MJCF file into MuJoCo as rigid bodies. */
#ifndef SN_MUJOCO_LOAD_H
#define SN_MUJOCO_LOAD_H

#include <mujoco/mujoco.h>

/** Of a URDF, shapes are cut out, since their meshes may be missing; friction, damping and limits
 * too, since only rigid bodies are compared. Links without mass get next to none, or MuJoCo would
 * refuse.
 *  @param fuse  1 to let MuJoCo merge links behind fixed joints
 *  @return a model to delete, or NULL after a message on standard error */
mjModel *mujoco_load(const char *path, int fuse);

#endif
