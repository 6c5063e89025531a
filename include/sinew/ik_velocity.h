/** @file
 *  Velocity inverse kinematics: joint velocities that move the tip of a chain with a given twist.
 *
 *  Near a singular pose, motion in some direction needs ever faster joints. Only that direction is
 * damped: the tip lags behind in it and follows all others exactly. If a joint would be too fast,
 * the whole motion is scaled down, so the tip keeps its direction. A joint on a limit moves only
 * inwards. */
#ifndef SINEW_IK_VELOCITY_H
#define SINEW_IK_VELOCITY_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/model.h"
#include "sinew/spatial.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/** Opaque. Lives in the arena it was created from. */
typedef struct sn_ik_velocity sn_ik_velocity;

/** Zero-initialise, then set the fields that differ from their default. Vectors have
 *  chain->joint_count entries and are copied; the chain is not, and must outlive the instance. */
typedef struct sn_ik_velocity_config {
  const sn_chain *chain;      /**< no default; revolute or prismatic joints, at least one */
  const double *lower;        /**< rad or m; NULL means the chain's */
  const double *upper;        /**< likewise */
  const double *velocity_max; /**< rad/s or m/s, > 0, infinite if none; NULL means none */
  /** Directions in which unit joint velocities move the tip by less than this are damped: rad/s, or
   *  half reaches of the chain per second; 0 means 0.05. */
  double singular_min;
  double damping_max;     /**< in the same unit, at a singular pose; 0 means 0.05 */
  double nominal_gain_Hz; /**< how fast the nominal pose is approached; 0 means 1 */
} sn_ik_velocity_config;

/** The axes that a twist is given in. Its linear part is always the velocity of the tip's origin.
 */
typedef enum sn_ik_frame {
  SN_IK_FRAME_BASE, /**< of the chain's first link */
  SN_IK_FRAME_TIP   /**< of the chain's last link */
} sn_ik_frame;

/** A query. */
typedef struct sn_ik_velocity_query {
  const double *q;    /**< joint_count positions; the entries of mimic joints are not read */
  sn_spatial twist;   /**< wanted: rad/s, m/s */
  sn_ik_frame frame;  /**< axes of twist and free_axes */
  unsigned free_axes; /**< SN_IK_FREE_... (ik_solver.h): velocities that do not matter */
  const double
      *nominal; /**< joint_count positions to approach in the null space; NULL means none */
} sn_ik_velocity_query;

/** Details about the result. */
typedef struct sn_ik_velocity_result {
  double scale;          /**< 0 .. 1: the fraction of the twist that velocity limits allow */
  double singular_value; /**< the smallest, over the axes that are not free; in the unit of
                              singular_min */
  double missing; /**< norm of scale * twist minus the tip's actual twist, in rad/s and m/s: not
                       0 where damped, at limits, or with too few joints */
  size_t limited_count; /**< joints held at a position limit */
} sn_ik_velocity_result;

/** Create an instance.
 *  @param out  set on success, untouched on failure
 *  @param err  receives the reason on failure; may be NULL
 *  @return SN_OK, SN_EINVAL (bad configuration), SN_EUNSUPPORTED (a floating or planar joint) or
 *          SN_ENOMEM
 *  RT: no, allocates.  Threads: one owner. */
SN_API sn_status sn_ik_velocity_create(sn_arena *arena, const sn_ik_velocity_config *config,
                                       sn_ik_velocity **out, sn_error *err);

/** Answer one query.
 *  @param qd      out: joint_count velocities, those of mimic joints included; may alias query->q
 *  @param result  out; may be NULL
 *  @return SN_OK, or SN_EINVAL if some number of the query is not finite; qd is then all zero and
 *          the result untouched
 *  RT: yes, O(joint_count) and a 6 x 6 eigenproblem.  Threads: one at a time per instance. */
SN_API sn_status sn_ik_velocity_solve(sn_ik_velocity *velocity, const sn_ik_velocity_query *query,
                                      double *qd, sn_ik_velocity_result *result) SN_RT;

SN_END_DECLS

#endif
