/** @file
 *  Internal: the state of a guard. guard.c decides which pairs need a closer look, guard_safe.c
 *  takes it, guard_shares.c slows down. */
#ifndef SN_GUARD_GUARD_INTERNAL_H
#define SN_GUARD_GUARD_INTERNAL_H

#include <stdint.h>

#include "collision/path.h"
#include "guard/guard.h"

/** A pair at the commanded pose. */
typedef struct sn__guard_pair {
  double margin;   /**< that it keeps, m */
  uint64_t cycle;  /**< of the two below; of an earlier one: farther apart than the margin */
  double distance; /**< m */
  double floor;    /**< it may not come nearer than this: the margin, or less if it is inside */
} sn__guard_pair;

/** What is known of a pair in the list of the present cycle. */
typedef enum sn__guard_verdict {
  SN__GUARD_FAR,   /**< safe whatever share the joints get */
  SN__GUARD_SAFE,  /**< the wanted motion is safe */
  SN__GUARD_UNSAFE /**< the wanted motion, or one that was tried, is not */
} sn__guard_verdict;

struct sn__guard {
  sn__collision *collision;
  size_t joint_count, pair_capacity;
  double margin, lag_s;
  sn__guard_limits *limits;
  double *still;      /**< [joint] how far it may still move, at most */
  double *q, *qd;     /**< [joint] a motion that is tried */
  double *probe;      /**< [joint] a pose on its way to a stop */
  double *share;      /**< [joint] */
  double *slope;      /**< [joint] how fast it moves the links of a pair apart, m per unit */
  bool *is_limited;   /**< [joint] between the links of a pair that is not safe */
  const double *from; /**< the pose of the last cycle */
  sn__guard_pair *pairs;
  uint64_t cycle;
  /* of the present cycle */
  const sn__near *near;
  size_t near_count;
  sn__guard_verdict *verdicts; /**< [near_count] */
  double *distances;           /**< [near_count] at the motion that was tried last */
  size_t looks;                /**< distances that were calculated */
  bool is_settled;             /**< the last motion was safe */
  sn__guard_block block;
};

/** guard_safe.c: whether all joints can stop from a motion before the pair comes too near.
 *  @param distance  out: at the pose of the motion, or a lower bound above the margin, m */
bool sn__guard_is_safe(sn__guard *guard, size_t pair, const sn__guard_motion *motion,
                       double *distance) SN_RT;

/** guard.c: the commanded pose is known: remember how near the pairs of the list are. */
void sn__guard_remember(sn__guard *guard) SN_RT;

/** A pair as it was at the last commanded pose. */
static inline sn__guard_pair sn__guard_pair_now(const sn__guard *guard, size_t pair) {
  sn__guard_pair now = guard->pairs[pair];
  if (now.cycle != guard->cycle) {
    now.distance = now.floor = now.margin;
  }
  return now;
}

#endif
