/** @file
 *  Internal: the workspace of kinematics. */
#ifndef SN_KIN_DATA_H
#define SN_KIN_DATA_H

#include "kin/joint.h"
#include "sinew/kin.h"

struct sn_kin_data {
  const sn_tree *tree;
  sn__joints joints;
  sn_pose *pose;     /* [body_count] in the base */
  sn_spatial *twist; /* [body_count] of the origin of the body, in the axes of the base */
  bool has_pose, has_twist;
};

#endif
