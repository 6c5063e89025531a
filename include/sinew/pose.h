/** @file
 *  Rigid transforms. `pose_base_tool` is the tool expressed in base;
 *  `sn_pose_mul(pose_base_tool, pose_tool_tip)` is pose_base_tip.
 *  RT: yes, all of it.  Threads: any. */
#ifndef SINEW_POSE_H
#define SINEW_POSE_H

#include "sinew/api.h"
#include "sinew/quat.h"
#include "sinew/vec3.h"

SN_BEGIN_DECLS

typedef struct sn_pose {
  sn_mat3 rot; /**< rotation; columns are the axes of the inner frame */
  sn_vec3 pos; /**< origin of the inner frame, m */
} sn_pose;

static inline sn_pose sn_pose_identity(void) {
  const sn_pose p = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
  return p;
}

/** A point of the inner frame, expressed in the outer one. */
static inline sn_vec3 sn_pose_apply(sn_pose p, sn_vec3 v) {
  return sn_vec3_add(p.pos, sn_mat3_apply(p.rot, v));
}

static inline sn_pose sn_pose_mul(sn_pose a, sn_pose b) {
  const sn_pose p = {sn_mat3_mul(a.rot, b.rot), sn_pose_apply(a, b.pos)};
  return p;
}

static inline sn_pose sn_pose_inverse(sn_pose a) {
  const sn_pose p = {sn_mat3_transpose(a.rot), sn_vec3_neg(sn_mat3_apply_transposed(a.rot, a.pos))};
  return p;
}

/** a^-1 b: b expressed in a. */
static inline sn_pose sn_pose_between(sn_pose a, sn_pose b) {
  const sn_pose p = {
      {sn_mat3_apply_transposed(a.rot, b.rot.x), sn_mat3_apply_transposed(a.rot, b.rot.y),
       sn_mat3_apply_transposed(a.rot, b.rot.z)},
      sn_mat3_apply_transposed(a.rot, sn_vec3_sub(b.pos, a.pos))};
  return p;
}

SN_END_DECLS

#endif
