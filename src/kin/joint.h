/** @file
 *  Internal: what the joints of a compiled tree do at a joint vector. */
#ifndef SN_KIN_JOINT_H
#define SN_KIN_JOINT_H

#include "math/pair.h"
#include "math/sincos.h"
#include "sinew/arena.h"
#include "sinew/model.h"
#include "sinew/pose.h"

/** The joints at one joint vector; arrays of body_count entries. */
typedef struct sn__joints {
  bool direct;         /**< entry i moves body i alone: no gathering */
  const double *value; /**< the joint vector itself if direct: valid during the call only */
  double *gathered, *sine, *cosine;
} sn__joints;

/** @return false if the arena is full. */
bool sn__joints_create(sn_arena *arena, const sn_tree *tree, sn__joints *joints);

/** Evaluate at @p q. Sine and cosine of prismatic joints are computed too: skipping them costs
 * more. */
void sn__joints_update(const sn_tree *tree, const double *q, sn__joints *joints);

/** Frames of all bodies in the base. */
void sn__tree_poses(const sn_tree *tree, const sn__joints *joints, sn_pose *pose);

/** Value of the joint of body @p i. */
static inline double sn__joint_value(const sn_tree *tree, size_t i, const double *q) {
  return tree->q_scale[i] * q[tree->coord[i]] + tree->q_offset[i];
}

/** Rotation about z: only two columns change. @p s is (sine, -sine), @p c twice the cosine. */
static inline sn__row sn__row_turn(sn__row row, sn__pair s, sn__pair c) {
  const sn__pair yx = {row.xy[1], row.xy[0]};
  const sn__row turned = {row.xy * c + yx * s, row.zp};
  return turned;
}

/** Translation along z. @p slide is (0, displacement). */
static inline sn__row sn__row_slide(sn__row row, sn__pair slide) {
  const sn__row moved = {row.xy, row.zp + sn__pair_both(row.zp[0]) * slide};
  return moved;
}

/** Frame of a body in its parent's frame: the constant transform, then the joint.
 *  @param sine, cosine  of the value; not read if the joint slides */
static inline sn__rows sn__joint_rows(const sn_pose *pose_parent_joint, bool slides, double value,
                                      double sine, double cosine) {
  sn__rows rows = sn__rows_from_pose(pose_parent_joint);
  if (slides) {
    const sn__pair slide = {0.0, value};
    rows.x = sn__row_slide(rows.x, slide);
    rows.y = sn__row_slide(rows.y, slide);
    rows.z = sn__row_slide(rows.z, slide);
  } else {
    const sn__pair s = {sine, -sine}, c = {cosine, cosine};
    rows.x = sn__row_turn(rows.x, s, c);
    rows.y = sn__row_turn(rows.y, s, c);
    rows.z = sn__row_turn(rows.z, s, c);
  }
  return rows;
}

/** Frame of body @p i in the base, from those of the bodies before.
 *  @param last  frame of body i - 1: most often the parent, and then still in registers
 *  @param all   frames of all bodies before */
static inline sn__rows sn__tree_step(const sn_tree *tree, const sn__joints *joints, size_t i,
                                     const sn__rows *last, const sn__rows *all) {
  const int parent = tree->parent[i];
  const sn__rows joint = sn__joint_rows(&tree->pose_parent_joint[i], tree->prismatic[i],
                                        joints->value[i], joints->sine[i], joints->cosine[i]);
  if (parent < 0) {
    return joint;
  }
  return sn__rows_mul(parent == (int)i - 1 ? last : &all[parent], &joint);
}

#endif
