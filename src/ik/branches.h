/** @file
 *  Internal: what the closed forms return. */
#ifndef SN_IK_BRANCHES_H
#define SN_IK_BRANCHES_H

#include "ik/geometry.h"
#include "ik/turn.h"

#define SN__BRANCHES_MAX 64

/** Every way to reach a pose, joints from base to tip. */
typedef struct sn__branches {
  int count;
  unsigned any; /**< bit i: joint i did not matter in some branch and is as the caller preferred */
  sn__turn turn[SN__BRANCHES_MAX][SN__ARM_JOINTS_MAX];
} sn__branches;

#endif
