/** @file
 *  Internal: keeps commanded motions out of contact.
 *
 *  A motion is *safe* if all joints can brake from it to a stop, each as hard as its limits allow,
 *  without two links coming nearer than the margin. A safe motion passes unchanged. Otherwise the
 *  joints that bring the two links nearer get a share of what is wanted, between braking (0) and
 * all of it (1): the largest that is safe. The others slide along. If that is not safe whatever the
 *  share, all joints between the two links get one. Braking is safe because the motion of the last
 *  cycle was.
 *
 *  Nothing is skipped between two poses: a joint moves no point by more than its lever, so the way
 *  to the next pose that is looked at is never longer than both distances allow.
 *
 *  Links that are nearer than the margin already, or in contact, may move apart, never closer.
 * Links that are nearer than twice the margin in the zero pose keep half of that distance instead.
 *
 *  A plain state machine. Once a cycle: sn__guard_admits(), and if it returns false
 *  sn__guard_shares(). */
#ifndef SN_GUARD_GUARD_H
#define SN_GUARD_GUARD_H

#include "collision/collision.h"

/** Opaque. Lives in the arena it was created from. */
typedef struct sn__guard sn__guard;

/** What a joint can do. */
typedef struct sn__guard_limits {
  double accel, brake; /**< rad/s^2 or m/s^2; brake 0: it is not moved by commands */
} sn__guard_limits;

/** Zero-initialise, then set the fields that differ from their default. */
typedef struct sn__guard_config {
  double margin_m;                /**< 0: 5 % of the mean radius of the links, 1 to 10 mm */
  double period_max_s;            /**< longest time that one step covers */
  const sn__guard_limits *limits; /**< [pose_size], copied */
} sn__guard_config;

/** A pose and its velocity, of all joints. */
typedef struct sn__guard_motion {
  const double *q, *qd;
} sn__guard_motion;

/** What blocks, at the commanded pose. */
typedef struct sn__guard_block {
  size_t pair;
  int link_a, link_b; /**< as in sn__near */
  double distance;    /**< m; negative: how deep they overlap */
} sn__guard_block;

/** Create a guard.
 *  @param collision  must outlive it, and is used by it alone
 *  @return SN_OK; SN_EINVAL: a margin that is negative or not finite; SN_ENOMEM
 *  RT: no, allocates.  Threads: one owner. */
SN_API sn_status sn__guard_create(sn_arena *arena, const sn_model *model, sn__collision *collision,
                                  const sn__guard_config *config, sn__guard **out, sn_error *err);

/** The command is at this pose: at the start, and whenever it was placed or the world has changed.
 *  RT: yes, O(pairs).  Threads: owner. */
SN_API void sn__guard_start(sn__guard *guard, const double *q) SN_RT;

/** The robot has moved in its world, which is not its joints' doing: objects that have come too
 * near may not be approached any more.
 *  @param q  the commanded pose
 *  RT: yes, O(pairs).  Threads: owner. */
SN_API void sn__guard_world_moved(sn__guard *guard, const double *q) SN_RT;

/** Is the wanted motion safe?
 *  @param from    of the last cycle
 *  @param wanted  at the end of this cycle
 *  RT: yes, O(pairs) with a small constant, plus a bounded count of distances for each near pair.
 *  Threads: owner. */
SN_API bool sn__guard_admits(sn__guard *guard, const sn__guard_motion *from,
                             const sn__guard_motion *wanted, double dt_s) SN_RT;

/** The same without a trace: the motion will not be carried out. */
SN_API bool sn__guard_allows(sn__guard *guard, const sn__guard_motion *from,
                             const sn__guard_motion *wanted, double dt_s) SN_RT;

/** After sn__guard_admits() returned false: how much of the wanted motion is safe.
 *  @param brake  the motion at the end of this cycle if all joints brake
 *  @return for each joint its share of wanted, the rest of brake; 1: not affected. Valid until the
 *          next call
 *  RT: yes, like sn__guard_admits() a bounded count of times.  Threads: owner. */
SN_API const double *sn__guard_shares(sn__guard *guard, const sn__guard_motion *from,
                                      const sn__guard_motion *brake,
                                      const sn__guard_motion *wanted) SN_RT;

/** What the last call of sn__guard_shares() found; the nearest if there are several.
 *  RT: yes.  Threads: owner. */
SN_API sn__guard_block sn__guard_blocked_by(const sn__guard *guard) SN_RT;

/** How far a way that has not been made yet is free: straight in joint space, beginning anywhere. A
 *  pair that is inside of its margin where the command is keeps that distance, all others their
 *  margin, and a quarter of it more where they come nearer. Nothing is skipped between two poses,
 *  and the command is not changed.
 *  @param from,to  sorted poses, finite
 *  @param block    out: what is in the way; untouched if nothing is
 *  @param is_free  out: false: the way ends there. True with a share below 1: ask again from there,
 *                  which bounds what one call costs
 *  @return share of the way, 0 .. 1
 *  RT: yes, O(pairs), plus a bounded count of distances for each near pair.  Threads: owner. */
SN_API double sn__guard_follow(sn__guard *guard, const double *from, const double *to,
                               sn__guard_block *block, bool *is_free) SN_RT;

/** m */
SN_API double sn__guard_margin(const sn__guard *guard) SN_RT;

#endif
