/** @file
 *  Internal: gaits: when which leg is in the air.
 *
 *  A gait divides a stride, in which every leg steps once, between the legs by their places in the
 *  body: left or right, and from the hind to the front. It fits any number of legs: a trot of six
 *  legs is the tripod gait. */
#ifndef SN_GAIT_GAIT_H
#define SN_GAIT_GAIT_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/api.h"
#include "sinew/vec3.h"

enum { SN__GAIT_LEGS_MAX = 16 };

typedef enum sn__gait_kind {
  SN__GAIT_FREE,         /**< the planner chooses the gait; as a table it is a walk */
  SN__GAIT_STAND,        /**< no foot moves */
  SN__GAIT_WALK,         /**< one leg at a time: hind to front on one side, then on the other */
  SN__GAIT_WALK_OVERLAP, /**< the same; a side begins before the other one has ended */
  SN__GAIT_TROT,         /**< diagonal pairs; each leg and its neighbours alternate */
  SN__GAIT_PACE,         /**< the sides alternate */
  SN__GAIT_PRONK,        /**< all at once */
  SN__GAIT_KINDS
} sn__gait_kind;

typedef struct sn__gait {
  sn__gait_kind kind;
  bool is_right; /**< the right side begins */
  size_t leg_count;
  double lift[SN__GAIT_LEGS_MAX]; /**< when each leg lifts, as a share of the stride, 0 .. 1 */
  double swing;                   /**< how long it is in the air, as a share of the stride */
} sn__gait;

/** `walk`, `walk_overlap`, …; with `_right` at its end the right side begins.
 *  @return false: unknown gait. RT: yes */
bool sn__gait_read(const char *name, sn__gait_kind *kind, bool *is_right) SN_RT;

/** All names, one after the other, for messages. */
const char *sn__gait_names(void) SN_RT;

/** Divide a stride between legs.
 *  @param feet   places of the feet in the body, x to the front, y to the left
 *  @param count  at most SN__GAIT_LEGS_MAX
 *  RT: yes, O(count^2) */
void sn__gait_make(sn__gait_kind kind, bool is_right, const sn_vec3 *feet, size_t count,
                   sn__gait *out) SN_RT;

/** How far a leg is in its swing at a phase of the stride, 0 .. 1; negative: it is on the ground.
 *  @param phase  in strides; strides repeat.  RT: yes */
double sn__gait_swing_share(const sn__gait *gait, size_t leg, double phase) SN_RT;

#endif
