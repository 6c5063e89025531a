/** @file
 *  Internal: which motions of a tool its joints can do now.
 *
 *  Half-spaces bound the twist of a tool: a joint close to its limit must be able to stop before
 * it, a direction that is lost in a singular pose can only be followed as fast as the joints can
 * stop where it is lost, and what is near is approached slowly. A twist beyond a bound is projected
 * onto it: the tool slides along, and goes on in every direction that is free. Only what was
 * commanded is changed: a pure rotation remains one, and a pure translation, too.
 *
 *  Twists are dimensionless here: lengths are divided by half of the reach of the chain. */
#ifndef SN_CONTROLLERS_JOG_TOOL_BOUNDS_H
#define SN_CONTROLLERS_JOG_TOOL_BOUNDS_H

#include <stdbool.h>

#include "controllers/jog/joint_follow.h"
#include "math/qp.h"
#include "sinew/arena.h"
#include "sinew/model.h"
#include "sinew/pose.h"
#include "sinew/spatial.h"
#include "sinew/status.h"

/** What holds a motion back. */
typedef enum sn__jog_reason {
  SN__JOG_FREE,
  SN__JOG_LIMIT,    /**< a joint close to its limit */
  SN__JOG_SINGULAR, /**< a direction that is lost */
  SN__JOG_OBSTACLE, /**< something that is near */
  SN__JOG_SPEED     /**< a joint that is as fast as it may be */
} sn__jog_reason;

typedef struct sn__tool_bound {
  double normal[6]; /**< normal . twist <= most */
  double most;      /**< >= 0 */
  sn__jog_reason reason;
  int joint; /**< of a limit; else -1 */
} sn__tool_bound;

/** Zero-initialise; sn__tool_bounds_create() does the rest. */
typedef struct sn__tool_bounds {
  const sn_chain *chain;
  double length_m;
  bool is_positional; /**< with less than six joints rotations are not controlled */
  double *q;          /**< [joints] of the last update */
  double *jac;        /**< [6][joints] at the last update, dimensionless */
  double *jac_ahead, *direction, *place; /**< scratch: [6][joints], [joints] */
  double singular[6];                    /**< its singular values, and */
  double axes[36];        /**< columns: the directions of the tool that they belong to */
  const double *approach; /**< [joints] how they approach an obstacle, m/s; NULL: none */
  double approach_max;    /**< m/s */
  sn__tool_bound *bounds; /**< [2 (6 + joints) + 1] both ways of each, and the obstacle */
  size_t count;
  sn__qp *qp;          /**< projects */
  sn__qp_row *rows;    /**< scratch, like bounds */
  double *multipliers; /**< likewise */
} sn__tool_bounds;

/** @return SN_OK or SN_ENOMEM.  RT: no, allocates. */
sn_status sn__tool_bounds_create(sn_arena *arena, const sn_chain *chain, sn__tool_bounds *out,
                                 sn_error *err);

/** Jacobian and singular values at a pose of the joints.
 *  @param pose  out: of the tool in the first link.  RT: yes, O(joints). */
void sn__tool_bounds_update(sn__tool_bounds *bounds, const double *q, sn_pose *pose) SN_RT;

/** A twist that the joints can do, after an update.
 *  @param joints  [joints] where they are
 *  @param twist   in the axes of the first link: rad/s, m/s; in and out
 *  @param may_turn, may_shift  which parts may change
 *  @return the bound that took most, valid until the next call, or NULL.  RT: yes. */
const sn__tool_bound *sn__tool_bounds_apply(sn__tool_bounds *bounds, const sn__jog_joint *joints,
                                            sn_spatial *twist, bool may_turn, bool may_shift) SN_RT;

/** Velocities of the joints for a twist, after an update: the least ones. Directions without any
 *  motion are left out.
 *  @param qd  [joints] out.  RT: yes. */
void sn__tool_bounds_solve(const sn__tool_bounds *bounds, sn_spatial twist, double *qd) SN_RT;

/** The twist of the tool for velocities of the joints, after an update. RT: yes. */
sn_spatial sn__tool_bounds_twist(const sn__tool_bounds *bounds, const sn__jog_joint *joints) SN_RT;

#endif
