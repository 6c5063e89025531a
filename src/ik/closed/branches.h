/** @file
 *  Internal: the solutions of a closed form. */
#ifndef SN_IK_CLOSED_BRANCHES_H
#define SN_IK_CLOSED_BRANCHES_H

#include <stdbool.h>
#include <stddef.h>

#include "ik/closed/geometry/arm.h"
#include "ik/closed/geometry/turn.h"

#define SN__BRANCHES_MAX 64

/** The range of a joint, to be tested without knowing the angle: cos(angle - middle) >= least. */
typedef struct sn__window {
  double c, s; /**< of the middle */
  double least;
} sn__window;

/** All solutions for a pose, joints from base to tip. Start with sn__branches_start(). */
typedef struct sn__branches {
  const sn__window *window; /**< of each joint: branches outside are dropped; NULL: none are */
  int count;
  unsigned any; /**< bit i: joint i did not matter in some branch and is as the caller preferred */
  sn__turn turn[SN__BRANCHES_MAX][SN__ARM_JOINTS_MAX];
} sn__branches;

static inline void sn__branches_start(sn__branches *branches, const sn__window *window) {
  branches->window = window;
  branches->count = 0;
  branches->any = 0;
}

/** May joint @p i be at @p t? */
static inline bool sn__branches_admit(const sn__branches *branches, int i, sn__turn t) {
  const sn__window *w = branches->window;
  return w == NULL || w[i].c * t.c + w[i].s * t.s >= w[i].least;
}

#endif
