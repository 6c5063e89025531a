/** @file
 *  Analytic derivatives of the dynamics of sinew/dyn.h: of inverse and forward dynamics with a
 * fixed or a floating base, of the motion of the centre of mass, and of forces on points of the
 * robot.
 *
 *  Matrices are row-major, one row for each entry of the result and one column for each entry of
 *  the argument. A mimic joint adds to the row and the column of its master. The forces of
 *  `world->forces` are constant in the frames of their bodies and turn with them; forces that keep
 *  their direction in the world are those of sn_dyn_contact_derivatives().
 *
 *  With a floating base the first six rows belong to the wrench on the base (or its acceleration),
 *  the first six columns to its motion, angular before linear, all in the frame of the base: a
 *  column of the velocities is one number of `twist`, a column of the positions is the displacement
 *  d for which pose_world_base becomes pose_world_base * exp(d).
 *
 *  RT: yes, all but the creation.  Threads: a workspace has one owner; any number of workspaces may
 *  share a tree. */
#ifndef SINEW_DYN_DERIVATIVES_H
#define SINEW_DYN_DERIVATIVES_H

#include <stddef.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/dyn.h"
#include "sinew/model.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/** Workspace over a tree. Opaque; lives in the arena it was created in. */
typedef struct sn_dyn_derivatives sn_dyn_derivatives;

/** @param tree  must outlive the workspace
 *  @param out   set on success, untouched on failure
 *  @param err   receives the reason on failure; may be NULL
 *  @return SN_OK, SN_EMODEL (a moving link has no inertia) or SN_ENOMEM (arena full)
 *  RT: no, allocates.  Threads: one owner. */
SN_API sn_status sn_dyn_derivatives_create(sn_arena *arena, const sn_tree *tree,
                                           sn_dyn_derivatives **out, sn_error *err);

/** Results of inverse dynamics. The matrices are n x n, n = coord_count, or n = 6 + coord_count
 * with a floating base. Each pointer may be NULL if that result is not wanted; they must not
 * overlap each other or the inputs. */
typedef struct sn_inverse_derivatives {
  double *tau;             /**< coord_count joint forces, as of sn_dyn_inverse() */
  sn_spatial *base_wrench; /**< likewise; set with a floating base only */
  double *by_q;            /**< d tau / d q */
  double *by_qd;           /**< d tau / d qd */
  double *by_qdd;          /**< d tau / d qdd: the mass matrix, with 1 on the diagonal of entries
                                that move no mass */
} sn_inverse_derivatives;

/** Derivatives of sn_dyn_inverse(), the base moving as `world->base` says.
 *  @param world  may be NULL
 *  @param qd     velocities; NULL means at rest
 *  @param qdd    accelerations; NULL means none
 *  RT: yes, O(entries^2 + bodies * depth). */
SN_API void sn_dyn_inverse_derivatives(sn_dyn_derivatives *data, const sn_dyn_world *world,
                                       const double *q, const double *qd, const double *qdd,
                                       const sn_inverse_derivatives *out) SN_RT;

/** The same with the motion of the base among the arguments and its wrench among the results.
 *  @param world  must have a base
 *  RT: yes. */
SN_API void sn_dyn_inverse_derivatives_floating(sn_dyn_derivatives *data, const sn_dyn_world *world,
                                                const double *q, const double *qd,
                                                const double *qdd,
                                                const sn_inverse_derivatives *out) SN_RT;

/** Results of forward dynamics; sizes and rules as for sn_inverse_derivatives. Rows and columns of
 *  entries that move no mass are 0 in `by_tau`. */
typedef struct sn_forward_derivatives {
  double *qdd;                   /**< coord_count accelerations, as of sn_dyn_forward() */
  sn_spatial *base_acceleration; /**< likewise; set with a floating base only */
  double *by_q;                  /**< d qdd / d q */
  double *by_qd;                 /**< d qdd / d qd */
  double *by_tau;                /**< d qdd / d tau: the inverse of the mass matrix; with a floating
                                      base the first six columns belong to `world->base->force` */
} sn_forward_derivatives;

/** Derivatives of sn_dyn_forward().
 *  @param world  may be NULL
 *  @param qd     velocities; NULL means at rest
 *  @param tau    joint forces; NULL means none
 *  @return SN_OK, or SN_EMODEL if the mass matrix is not positive definite (a joint that moves
 *          nothing with mass); the results are then undefined
 *  RT: yes, O(entries^2 * depth), with mimic joints O(entries^3). */
SN_API sn_status sn_dyn_forward_derivatives(sn_dyn_derivatives *data, const sn_dyn_world *world,
                                            const double *q, const double *qd, const double *tau,
                                            const sn_forward_derivatives *out) SN_RT;

/** Derivatives of sn_dyn_forward_floating().
 *  @param world  must have a base; its acceleration is not read
 *  @return as sn_dyn_forward_derivatives()
 *  RT: yes. */
SN_API sn_status sn_dyn_forward_derivatives_floating(sn_dyn_derivatives *data,
                                                     const sn_dyn_world *world, const double *q,
                                                     const double *qd, const double *tau,
                                                     const sn_forward_derivatives *out) SN_RT;

/** Motion of the centre of mass relative to the base, in its axes. Matrices are 3 x coord_count;
 *  each may be NULL. The velocity's derivative with respect to qd and the acceleration's with
 *  respect to qdd are the Jacobian; the acceleration's with respect to qd is twice velocity_by_q.
 */
typedef struct sn_com_derivatives {
  sn_vec3 position;          /**< m; the origin if the robot has no mass */
  sn_vec3 velocity;          /**< m/s */
  sn_vec3 acceleration;      /**< m/s^2 */
  double *jac;               /**< d position / d q */
  double *velocity_by_q;     /**< d velocity / d q */
  double *acceleration_by_q; /**< d acceleration / d q */
} sn_com_derivatives;

/** @param qd   velocities; NULL means at rest
 *  @param qdd  accelerations; NULL means none
 *  @param out  its pointers are read, the rest is written
 *  RT: yes, O(bodies + entries). */
SN_API void sn_dyn_com_derivatives(sn_dyn_derivatives *data, const double *q, const double *qd,
                                   const double *qdd, sn_com_derivatives *out) SN_RT;

/** A force on a point of the robot. */
typedef struct sn_point_force {
  int body;      /**< -1: the base */
  sn_vec3 point; /**< in the frame of the body, m */
  sn_vec3 force; /**< on the robot, in the axes of the world, N; does not turn with the body */
} sn_point_force;

/** Joint forces J^T f of forces on points, and their derivative: what contacts add to the right
 *  side of the equation of motion. For a fixed base the axes of the world are those of the base.
 *  @param tau   out: coord_count numbers; may be NULL
 *  @param by_q  out: coord_count square, symmetric
 *  RT: yes, O(entries^2 + bodies * depth + forces). */
SN_API void sn_dyn_contact_derivatives(sn_dyn_derivatives *data, const double *q,
                                       const sn_point_force *forces, size_t force_count,
                                       double *tau, double *by_q) SN_RT;

/** The same with a floating base.
 *  @param rot_world_base  attitude of the base
 *  @param tau   out: 6 + coord_count numbers, the wrench on the base first; may be NULL
 *  @param by_q  out: (6 + coord_count) square; not symmetric, since the wrench is in the turning
 *               frame of the base
 *  RT: yes. */
SN_API void sn_dyn_contact_derivatives_floating(sn_dyn_derivatives *data, sn_mat3 rot_world_base,
                                                const double *q, const sn_point_force *forces,
                                                size_t force_count, double *tau,
                                                double *by_q) SN_RT;

SN_END_DECLS

#endif
