/** @file
 *  Internal: what the joints of a compiled tree do at a joint vector. */
#ifndef SN_KIN_JOINT_H
#define SN_KIN_JOINT_H

#include "math/sincos.h"
#include "sinew/pose.h"
#include "sinew/tree.h"

/** Joints worked on together: enough for every arm in one go, few enough for the stack. */
#define SN__JOINT_BLOCK 8

/** Of SN__JOINT_BLOCK joints: sine and cosine of the angle (0 and 1 if it slides), and the
 *  displacement along z (0 if it turns). */
typedef struct sn__joint_block {
  double sine[SN__JOINT_BLOCK], cosine[SN__JOINT_BLOCK], slide[SN__JOINT_BLOCK];
} sn__joint_block;

/** Value of the joint of body @p i. */
static inline double sn__joint_value(const sn_tree *tree, size_t i, const double *q) {
  return tree->q_scale[i] * q[tree->coord[i]] + tree->q_offset[i];
}

/** Evaluate the joints of bodies first .. first + count - 1, count <= SN__JOINT_BLOCK. */
static inline void sn__joint_block_eval(const sn_tree *tree, const double *q, size_t first,
                                        size_t count, sn__joint_block *block) {
  double angle[SN__JOINT_BLOCK] = {0};
  for (size_t k = 0; k < count; k++) {
    const double value = sn__joint_value(tree, first + k, q);
    const bool slides = tree->prismatic[first + k];
    angle[k] = slides ? 0.0 : value;
    block->slide[k] = slides ? value : 0.0;
  }
  for (size_t k = 0; k < count; k += SN__SINCOS_LANES) {
    sn__sincos_lanes(angle + k, block->sine + k, block->cosine + k);
  }
}

/** Frame of a body in its parent's frame: first the constant transform, then the joint. Turning
 *  about z mixes two columns only. */
static inline sn_pose sn__joint_pose(const sn_pose *p, double sine, double cosine, double slide) {
  const sn_pose pose = {
      {sn_vec3_add_scaled(sn_vec3_scale(p->rot.x, cosine), sine, p->rot.y),
       sn_vec3_add_scaled(sn_vec3_scale(p->rot.y, cosine), -sine, p->rot.x), p->rot.z},
      sn_vec3_add_scaled(p->pos, slide, p->rot.z)};
  return pose;
}

#endif
