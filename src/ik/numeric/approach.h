/** @file
 *  Internal: moves a chain as near to a target as possible from where it is. It descends
 *  without a search, so a slowly moving target is followed without a jump.
 *
 *  What is minimised is half the squared error of rotation, rad, plus that of position in lengths
 * of the chain, plus the squared distance of the joints from a nominal pose, each times its weight;
 * beyond a tenth of the length, position counts linearly (Huber's loss), so that a target far away
 * does not destroy the orientation of the tip. */
#ifndef SN_IK_NUMERIC_APPROACH_H
#define SN_IK_NUMERIC_APPROACH_H

#include <stdbool.h>

#include "sinew/arena.h"
#include "sinew/model.h"

/** Weights of squared errors, >= 0. */
typedef struct sn__approach_weights {
  double position;    /**< of lengths of the chain */
  double rotation;    /**< of rad */
  double nominal;     /**< of the distance of each joint from `pose`, rad or m */
  const double *pose; /**< [joint_count] the nominal pose, not copied; NULL: `nominal` is 0 */
} sn__approach_weights;

typedef struct sn__approach {
  const sn_chain *chain;
  sn__approach_weights weights;
  double length_m;
  double scale_rotation,
      scale_position;  /**< of the error: roots of the weights; of position in 1/m */
  double *jac;         /**< 6 x joint_count */
  double *step, *next; /**< [joint_count] */
} sn__approach;

/** @return false: no memory */
bool sn__approach_create(sn_arena *arena, const sn_chain *chain,
                         const sn__approach_weights *weights, sn__approach *out);

/** @param target     in the frame of the chain's first link
 *  @param free_axes  SN_IK_FREE_..., of the target
 *  @param lower      [joint_count] bounds; @p q lies between them
 *  @param q          in: current pose; out: result, not farther from the target
 *  @return the remaining cost
 *  RT: yes, a bounded number of evaluations. */
double sn__approach_run(sn__approach *approach, const sn_pose *target, unsigned free_axes,
                        const double *lower, const double *upper, double *q) SN_RT;

#endif
