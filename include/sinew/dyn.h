/** @file
 *  Rigid-body dynamics on the compiled robot: inverse and forward dynamics, mass matrix, centre of
 *  mass, momentum; with a fixed or a floating base.
 *
 *  The equation of motion is M(q) qdd + bias(q, qd) = tau + (external forces), rigid bodies only:
 * friction, damping and motors are left to the caller. Joint vectors have tree->coord_count
 * entries. A mimic joint acts on the entry of its master. Entries that move no mass (of virtual
 * links, of joints that are not driven) have tau 0, qdd 0, and 1 on the diagonal of the mass
 * matrix, so that it stays invertible.
 *
 *  Forces and motions are spatial vectors, angular part first, in the frame of the base or of the
 *  body as said; their linear part is about the origin of that frame.
 *
 *  RT: yes, all but the creation.  Threads: a workspace has one owner; any number of workspaces may
 *  share a tree. */
#ifndef SINEW_DYN_H
#define SINEW_DYN_H

#include <stddef.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/model.h"
#include "sinew/pose.h"
#include "sinew/spatial.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/** Pose, motion and external wrench of the base. */
typedef struct sn_base_state {
  sn_pose pose_world_base;
  sn_spatial twist;        /**< relative to the world, in the frame of the base */
  sn_spatial acceleration; /**< rate of change of the six numbers of `twist` (the spatial
                                acceleration); read where the base is not solved for */
  sn_spatial force;        /**< external wrench on the base, in the frame of the base */
} sn_base_state;

/** External influences on the robot. NULL means gravity of 9.81 m/s^2 downwards (-z), a base fixed
 * at the origin of the world, and no forces. */
typedef struct sn_dyn_world {
  sn_vec3 gravity;           /**< m/s^2, in the frame of the world */
  const sn_base_state *base; /**< NULL: fixed at the origin of the world, at rest */
  const sn_spatial *forces;  /**< body_count external forces on the bodies, each in the frame of its
                                body; NULL: none */
} sn_dyn_world;

/** Workspace over a tree. Opaque; lives in the arena it was created in. */
typedef struct sn_dyn_data sn_dyn_data;

/** @param tree  must outlive the workspace
 *  @param out   set on success, untouched on failure
 *  @param err   receives the reason on failure; may be NULL
 *  @return SN_OK, SN_EMODEL (a moving link has no inertia) or SN_ENOMEM (arena full)
 *  RT: no, allocates.  Threads: one owner. */
SN_API sn_status sn_dyn_create(sn_arena *arena, const sn_tree *tree, sn_dyn_data **out,
                               sn_error *err);

/** Inverse dynamics: the joint forces that cause an acceleration (recursive Newton-Euler).
 *  @param world         may be NULL
 *  @param qd            velocities; NULL means at rest
 *  @param qdd           accelerations; NULL means none. With both NULL, tau holds the robot up
 *                       against gravity.
 *  @param tau           out, N·m or N; may be qd or qdd, must not overlap q
 *  @param base_wrench   out: force on the base, in its frame, needed to move it as `world->base`
 *                       says; may be NULL
 *  RT: yes, O(bodies). */
SN_API void sn_dyn_inverse(sn_dyn_data *data, const sn_dyn_world *world, const double *q,
                           const double *qd, const double *qdd, double *tau,
                           sn_spatial *base_wrench) SN_RT;

/** Forward dynamics: the acceleration that joint forces cause, the base moving as `world->base`
 *  says. Articulated bodies; with mimic joints by the mass matrix.
 *  @param world  may be NULL
 *  @param qd     velocities; NULL means at rest
 *  @param tau    joint forces; NULL means none
 *  @param qdd    out; may be tau
 *  @return SN_OK, or SN_EMODEL if the mass matrix is not positive definite (a joint that moves
 *          nothing with mass); qdd is then undefined
 *  RT: yes, O(bodies), with mimic joints O(entries^3). */
SN_API sn_status sn_dyn_forward(sn_dyn_data *data, const sn_dyn_world *world, const double *q,
                                const double *qd, const double *tau, double *qdd) SN_RT;

/** The same for a robot with a floating base.
 *  @param world              must have a base; its acceleration is not read
 *  @param base_acceleration  out: spatial acceleration of the base, in its frame
 *  RT: yes, O(bodies), with mimic joints O(entries^3). */
SN_API sn_status sn_dyn_forward_floating(sn_dyn_data *data, const sn_dyn_world *world,
                                         const double *q, const double *qd, const double *tau,
                                         double *qdd, sn_spatial *base_acceleration) SN_RT;

/** Mass matrix (composite rigid bodies).
 *  @param mass  out: coord_count x coord_count, both triangles
 *  RT: yes, O(entries^2 + bodies * depth). */
SN_API void sn_dyn_mass_matrix(sn_dyn_data *data, const double *q, double *mass) SN_RT;

/** Mass matrix with the base: its six motions (angular, linear, in the frame of the base) come
 *  first, then the entries.
 *  @param mass  out: (6 + coord_count) x (6 + coord_count), both triangles
 *  RT: yes. */
SN_API void sn_dyn_mass_matrix_floating(sn_dyn_data *data, const double *q, double *mass) SN_RT;

/** Mass of the whole robot, base included, kg. RT: yes. */
SN_API double sn_dyn_total_mass(const sn_dyn_data *data) SN_RT;

/** Centre of mass of the whole robot, base included, in the frame of the base, m; the origin if it
 *  has no mass. RT: yes, O(bodies). */
SN_API sn_vec3 sn_dyn_com(sn_dyn_data *data, const double *q) SN_RT;

/** The same together with its Jacobian relative to the base, in its axes.
 *  @param com  out
 *  @param jac  out: 3 x coord_count
 *  RT: yes, O(bodies + entries). */
SN_API void sn_dyn_com_jacobian(sn_dyn_data *data, const double *q, sn_vec3 *com,
                                double *jac) SN_RT;

/** Momentum of the whole robot relative to the world, in the axes of the base: angular about the
 *  centre of mass (N·m·s), linear (N·s).
 *  @param base  its twist is read; NULL means at rest
 *  RT: yes, O(bodies). */
SN_API sn_spatial sn_dyn_momentum(sn_dyn_data *data, const sn_base_state *base, const double *q,
                                  const double *qd) SN_RT;

SN_END_DECLS

#endif
