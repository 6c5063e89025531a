/** @file
 *  Internal: as near to a target as a chain can get from where it is. No search: the tip goes
 *  straight downhill, so that a target that moves slowly is followed without a jump.
 *
 *  What is minimised is half the squared error of rotation, rad, plus that of position in lengths
 * of the chain; beyond a tenth of the length position counts in proportion only (Huber's loss): a
 *  target far away pulls in its direction, but not the tip's orientation to pieces. */
#ifndef SN_IK_NUMERIC_APPROACH_H
#define SN_IK_NUMERIC_APPROACH_H

#include <stdbool.h>

#include "sinew/arena.h"
#include "sinew/model.h"

typedef struct sn__approach {
  const sn_chain *chain;
  double length_m;
  double *jac;         /**< 6 x joint_count */
  double *step, *next; /**< [joint_count] */
} sn__approach;

/** @return false: no memory */
bool sn__approach_create(sn_arena *arena, const sn_chain *chain, sn__approach *out);

/** @param target     in the frame of the chain's first link
 *  @param free_axes  SN_IK_FREE_..., of the target
 *  @param lower      [joint_count] bounds; @p q lies between them
 *  @param q          in: where it is; out: where it gets, not farther from the target
 *  @return what is left of what is minimised
 *  RT: yes, a bounded number of evaluations. */
double sn__approach_run(sn__approach *approach, const sn_pose *target, unsigned free_axes,
                        const double *lower, const double *upper, double *q) SN_RT;

#endif
