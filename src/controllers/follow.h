/** @file
 *  Following references: the pure part of the controller `FollowJointState`.
 *
 *  It keeps a reference for every joint of the sorted pose and publishes those of the joints that
 *  it owns. A newly owned joint stays where it is for the activation delay, in which references are
 *  ignored: the source receives the pose, and adopts it. After that the joint follows the source. A
 *  joint that the source never names stays. */
#ifndef SN_CONTROLLERS_FOLLOW_H
#define SN_CONTROLLERS_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/model.h"
#include "sinew/msg_types.h"
#include "sinew/status.h"
#include "traj/smooth.h"

SN_BEGIN_DECLS

/** Opaque. Lives in the arena it was created from. */
typedef struct sn_follow sn_follow;

/** Zero-initialise, then set what differs. */
typedef struct sn_follow_config {
  const sn_model *model;      /**< must outlive it */
  const double *pose;         /**< [pose size] where the robot is; the caller keeps it up to date */
  double activation_delay_s;  /**< >= 0 */
  double reference_timeout_s; /**< the joints are held when the source is silent for longer; 0 means
                                 0.5 */
  /** Positions without velocities that arrive at most this far apart are joined by lines, if the
   * filter forms a motion: each is reached a little after the next one is expected. 0: each is a
   * step */
  double source_interval_s;
  sn_smooth *smooth; /**< filters the reference of every joint of the pose; NULL: none */
} sn_follow_config;

/** What happened to a message. */
typedef enum sn_follow_fault {
  SN_FOLLOW_GOOD,
  SN_FOLLOW_CLAMPED, /**< taken; `joint` was beyond its limits */
  SN_FOLLOW_LENGTHS, /**< refused: arrays and names differ in number */
  SN_FOLLOW_NOT_FINITE,
  SN_FOLLOW_DUPLICATE, /**< refused: `joint` appears twice */
  SN_FOLLOW_OLD,       /**< refused: its stamp is older than that of the last one */
  SN_FOLLOW_EARLY      /**< ignored: no joint is past its activation delay */
} sn_follow_fault;

typedef struct sn_follow_verdict {
  sn_follow_fault fault;
  int joint; /**< index in the sorted pose; -1: none */
} sn_follow_verdict;

/** @return SN_OK, SN_EINVAL (a time that is negative or not finite) or SN_ENOMEM
 *  RT: no, allocates.  Threads: one owner. */
sn_status sn__follow_create(sn_arena *arena, const sn_follow_config *config, sn_follow **out,
                            sn_error *err);

/** These joints are owned from now on: [pose size]. New ones begin their activation at the pose;
 * the others continue. References before the next step do not count for new ones, even without a
 * delay. RT: yes, O(joints).  Threads: owner. */
void sn__follow_own(sn_follow *follow, const bool *owned, double period_s, int64_t now_ns) SN_RT;

/** A reference: any order, any subset; joints that are unknown or not owned are ignored. An invalid
 * one is refused as a whole. RT: yes, O(joints).  Threads: owner. */
sn_follow_verdict sn__follow_take(sn_follow *follow, const sn_joint_state *reference,
                                  int64_t now_ns) SN_RT;

/** One cycle: the reference of each joint that is owned.
 *  @param q, qd  [pose size] out; for joints that are not owned the pose, at rest
 *  @return whether a joint is in its activation: send the pose to the source
 *  RT: yes, O(joints).  Threads: owner. */
bool sn__follow_step(sn_follow *follow, int64_t now_ns, double *q, double *qd) SN_RT;

/** A joint that was moving when its source fell silent, if that was noticed in the last step; else
 * -1. From then on the joint is held. RT: yes.  Threads: owner. */
int sn__follow_silent_joint(const sn_follow *follow) SN_RT;

SN_END_DECLS

#endif
