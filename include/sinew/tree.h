/** @file
 *  The compiled form of a robot, used by the kernels of kinematics and dynamics.
 *
 *  Every movable joint moves one *body*. The frame of a body sits at its joint with the joint's
 * axis as z axis, so every joint rotates about or translates along z. Links behind fixed joints are
 * folded into the body that carries them, and their masses are merged. Bodies are in topological
 * order: a parent comes before its children. Body -1 is the base: the fixed root link, or the trunk
 * of a floating robot. */
#ifndef SINEW_TREE_H
#define SINEW_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/pose.h"
#include "sinew/spatial.h"

SN_BEGIN_DECLS

/** Immutable; arrays have body_count entries unless said otherwise.
 *
 *  A joint vector (q, qd, qdd, tau) of the tree has `coord_count` entries. Entry `coord[i]` moves
 *  body i: its joint value is `q_scale[i] * q[coord[i]] + q_offset[i]`. That is q[coord[i]] itself
 *  unless the joint mimics another; then coord[i] is the entry of its master. An entry that no body
 *  names (of a mimic joint, or of a floating or planar joint, which is not driven) is ignored. */
typedef struct sn_tree {
  size_t body_count;
  size_t coord_count;
  const int *parent;                /**< -1 .. i-1 */
  const bool *prismatic;            /**< translates along z instead of rotating about it */
  const sn_pose *pose_parent_joint; /**< frame of body i at joint value 0, in the parent's frame */
  const sn_inertia *inertia;        /**< in the frame of the body */
  const int *coord;
  const double *q_scale;
  const double *q_offset;
  bool has_mimic;            /**< some q_scale, q_offset is not 1, 0, or a coord is shared */
  bool is_serial;            /**< parent[i] == i-1 for all i */
  sn_inertia base_inertia;   /**< of body -1, in the frame of the base */
  const char *massless_link; /**< a moving link without an inertial, which makes dynamics
                                impossible; NULL if there is none */
} sn_tree;

SN_END_DECLS

#endif
