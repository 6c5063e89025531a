/** @file
 *  Following references: the pure part of the controller `FollowJointState`.
 *
 *  It keeps a reference for every joint of the sorted pose and publishes those of the joints that
 * it owns. A joint that is newly owned stays where it is for the activation delay, during which
 * what the source says is not listened to: the source is told the pose, and adopts it. After that
 * the joint does what the source says. A joint that the source never mentions stays. */
#ifndef SINEW_FOLLOW_H
#define SINEW_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/model.h"
#include "sinew/msg_types.h"
#include "sinew/smooth.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/** Opaque. Lives in the arena it was created from. */
typedef struct sn_follow sn_follow;

/** Zero-initialise, then set what differs. */
typedef struct sn_follow_config {
  const sn_model *model;      /**< must outlive it */
  const double *pose;         /**< [pose size] where the robot is; the caller keeps it up to date */
  double activation_delay_s;  /**< >= 0 */
  double reference_timeout_s; /**< a source that is silent for so long stands still; 0 means 0.5 */
  /** Positions without velocities that come at most so far apart are joined by lines, if the filter
   *  forms a motion of them: each is reached a little after the next one is expected. 0: each is a
   * step */
  double source_interval_s;
  sn_smooth *smooth; /**< filters the reference, one joint for each of the pose; NULL: none */
} sn_follow_config;

/** What was wrong with a message, or done to it. */
typedef enum sn_follow_fault {
  SN_FOLLOW_GOOD,
  SN_FOLLOW_CLAMPED, /**< taken; `joint` was beyond its limits */
  SN_FOLLOW_LENGTHS, /**< refused: an array is neither empty nor as long as the names */
  SN_FOLLOW_NOT_FINITE,
  SN_FOLLOW_DUPLICATE, /**< refused: `joint` stands twice */
  SN_FOLLOW_OLD,       /**< refused: its stamp is older than that of the last one */
  SN_FOLLOW_EARLY      /**< not listened to: nothing is past its activation delay */
} sn_follow_fault;

typedef struct sn_follow_verdict {
  sn_follow_fault fault;
  int joint; /**< place in the sorted pose; -1: none in particular */
} sn_follow_verdict;

/** @return SN_OK, SN_EINVAL (a time that is negative or not finite) or SN_ENOMEM
 *  RT: no, allocates.  Threads: one owner. */
SN_API sn_status sn_follow_create(sn_arena *arena, const sn_follow_config *config, sn_follow **out,
                                  sn_error *err);

/** These joints are owned from now on: [pose size]. Those that are new begin their activation, at
 *  the pose that is known; the others are not disturbed. A reference that is
 *  taken before the next step is from before the activation, and is not for the new ones, also
 *  without a delay. RT: yes, O(joints).  Threads: owner. */
SN_API void sn_follow_own(sn_follow *follow, const bool *owned, double period_s,
                          int64_t now_ns) SN_RT;

/** A reference from above: any order, any subset; unknown joints, and those that are not owned, are
 *  left out. A bad one is refused whole. RT: yes, O(joints).  Threads: owner. */
SN_API sn_follow_verdict sn_follow_take(sn_follow *follow, const sn_joint_state *reference,
                                        int64_t now_ns) SN_RT;

/** One cycle: the reference of each joint that is owned.
 *  @param q, qd  [pose size] out; of joints that are not owned the pose, at rest
 *  @return whether some joint is in its activation: the source should be told the pose
 *  RT: yes, O(joints).  Threads: owner. */
SN_API bool sn_follow_step(sn_follow *follow, int64_t now_ns, double *q, double *qd) SN_RT;

/** A joint whose last reference had a velocity when its source fell silent, if that is noticed in
 * the cycle that was stepped last; else -1. From then on the joint stands still. RT: yes.  Threads:
 * owner. */
SN_API int sn_follow_silent_joint(const sn_follow *follow) SN_RT;

SN_END_DECLS

#endif
