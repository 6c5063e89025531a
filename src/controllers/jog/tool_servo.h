/** @file
 *  Internal: jogging of a tool, by a twist, by velocities of joints or towards a pose.
 *
 *  The twist is limited in acceleration and jerk and moves a commanded pose, which the joints
 *  follow: what the integration of joint velocities loses is put right, so errors do not add up,
 *  and what is not commanded does not move. Only commanded values are used, so that a tool that is
 *  not commanded stays exactly. Where the joints cannot follow (tool_bounds.h, joint_follow.h), the
 *  commanded pose goes on with them: nothing is caught up later. */
#ifndef SN_CONTROLLERS_JOG_TOOL_SERVO_H
#define SN_CONTROLLERS_JOG_TOOL_SERVO_H

#include "controllers/jog/tool_bounds.h"
#include "sinew/arena.h"
#include "sinew/model.h"
#include "sinew/otg.h"
#include "sinew/pose.h"
#include "sinew/spatial.h"
#include "sinew/status.h"

/** What is commanded. */
typedef enum sn__servo_kind {
  SN__SERVO_STILL, /**< stop and stay */
  SN__SERVO_TWIST, /**< twist of the tool, in the axes of the chain's first link */
  SN__SERVO_TOOL,  /**< the same in the axes of the tool */
  SN__SERVO_JOINTS,
  SN__SERVO_POSE
} sn__servo_kind;

typedef struct sn__servo_command {
  sn__servo_kind kind;
  sn_spatial twist; /**< TWIST, TOOL: rad/s, m/s of the tool's origin */
  const double *qd; /**< JOINTS: [joints] rad/s or m/s */
  sn_pose pose;     /**< POSE: of the tool in the first link */
  double speed;     /**< 0 .. 1: share of the greatest speeds that counts */
} sn__servo_command;

typedef struct sn__tool_servo_config {
  const sn_chain *chain;         /**< must outlive it */
  const sn_otg_limits *joints;   /**< [joints] copied */
  sn_otg_limits linear, angular; /**< of the tool: m, rad */
} sn__tool_servo_config;

/** What became of a command in the last cycle. */
typedef struct sn__servo_outcome {
  double share;          /**< 0 .. 1 of the wanted speed */
  sn__jog_reason reason; /**< why not all */
  int joint;             /**< of the chain; -1: none in particular */
  sn_pose pose;          /**< of the tool in the first link, commanded */
  sn_spatial twist;      /**< likewise */
  bool is_still;         /**< nothing moves any more */
} sn__servo_outcome;

/** Opaque. Lives in the arena it was created from. */
typedef struct sn__tool_servo sn__tool_servo;

/** @return SN_OK; SN_EUNSUPPORTED: a chain without joints, or with floating ones; SN_ENOMEM
 *  RT: no, allocates.  Threads: one owner. */
sn_status sn__tool_servo_create(sn_arena *arena, const sn__tool_servo_config *config,
                                sn__tool_servo **out, sn_error *err);

/** The greatest speeds of the tool from now on: m/s, rad/s, > 0. RT: yes. */
void sn__tool_servo_set_speeds(sn__tool_servo *servo, double linear, double angular) SN_RT;

/** Begin at a pose, at rest. @param q  [joints].  RT: yes. */
void sn__tool_servo_begin(sn__tool_servo *servo, const double *q) SN_RT;

/** Somebody else has moved the joints differently: go on from there. Joints that were slowed down
 *  bound the tool from now on, so that it slides. What the tool had to keep, its place or its
 *  orientation, is still kept.
 *  @param q, qd  [joints].  RT: yes. */
void sn__tool_servo_go_on_from(sn__tool_servo *servo, const double *q, const double *qd) SN_RT;

/** Something is near: from the next cycle on the joints approach it at most so fast.
 *  @param approach   [joints] m/s for unit velocities of the joints, not copied; NULL: nothing is
 *                    near
 *  @param speed_max  m/s, >= 0.  RT: yes. */
void sn__tool_servo_set_obstacle(sn__tool_servo *servo, const double *approach,
                                 double speed_max) SN_RT;

/** One cycle.
 *  @param dt_s     > 0
 *  @param q, qd    [joints] out: the command for its end
 *  @return what became of the command; valid until the next call
 *  RT: yes, O(joints^2) and a 6 x 6 eigenproblem. */
const sn__servo_outcome *sn__tool_servo_step(sn__tool_servo *servo, double dt_s,
                                             const sn__servo_command *command, double *q,
                                             double *qd) SN_RT;

#endif
