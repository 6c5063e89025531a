/** @file
 *  Kinematics on the compiled robot: poses, velocities and Jacobians of links.
 *
 *  Jacobians are 6 x n, row-major, n the entries of the joint vector; the angular rows come first.
 *  Entry j of a row is what joint entry j at unit velocity adds, so that jac times qd is a twist.
 *  A mimic joint adds to the column of its master; entries that move nothing have columns of zeros.
 *
 *  RT: yes, all but the creation; time is linear in the bodies.  Threads: a workspace has one
 *  owner; any number of workspaces may share a tree. */
#ifndef SINEW_KIN_H
#define SINEW_KIN_H

#include <stddef.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/model.h"
#include "sinew/pose.h"
#include "sinew/spatial.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/** Pose of the chain's last link in the frame of its first link. Needs no workspace.
 *  @param q  chain->joint_count positions, rad or m; a position that is not finite gives an
 * undefined result and has no other effect RT: yes, O(joints).  Threads: any. */
SN_API sn_pose sn_chain_fk(const sn_chain *chain, const double *q) SN_RT;

/** The same pose together with the Jacobian of the last link's origin, in the axes of the first
 *  link: the hot path of every numeric IK solver.
 *  @param q     chain->joint_count positions
 *  @param pose  out: as sn_chain_fk(), bit for bit
 *  @param jac   out: 6 x joint_count; must not overlap @p q
 *  RT: yes, O(joints).  Threads: any. */
SN_API void sn_chain_fk_jacobian(const sn_chain *chain, const double *q, sn_pose *pose,
                                 double *jac) SN_RT;

/** Workspace over a tree: poses of all bodies, and their velocities. Opaque; lives in the arena it
 *  was created in. */
typedef struct sn_kin_data sn_kin_data;

/** @param tree  must outlive the workspace
 *  @param out   set on success, untouched on failure
 *  @param err   receives the reason on failure; may be NULL
 *  @return SN_OK or SN_ENOMEM (arena full)
 *  RT: no, allocates.  Threads: one owner. */
SN_API sn_status sn_kin_create(sn_arena *arena, const sn_tree *tree, sn_kin_data **out,
                               sn_error *err);

/** Forward kinematics of all bodies.
 *  @param q  tree->coord_count positions, rad or m
 *  RT: yes. */
SN_API void sn_kin_update(sn_kin_data *data, const double *q) SN_RT;

/** The same, and the velocities of all bodies.
 *  @param qd  tree->coord_count velocities, rad/s or m/s
 *  RT: yes. */
SN_API void sn_kin_update_velocity(sn_kin_data *data, const double *q, const double *qd) SN_RT;

/** Frame of a body (-1 for the base itself, which gives the identity) in the frame of the base, at
 *  the last update. A fault before the first update. RT: yes. */
SN_API sn_pose sn_kin_body_pose(const sn_kin_data *data, int body) SN_RT;

/** Frame of a link in the frame of the base. The link must belong to the model of the tree
 *  (the tree of the whole robot, not of a chain). RT: yes. */
SN_API sn_pose sn_kin_link_pose(const sn_kin_data *data, const sn_link *link) SN_RT;

/** Angular velocity of a body and linear velocity of the origin of its frame, both relative to the
 *  base and in its axes, at the last sn_kin_update_velocity(); a fault after another kind of
 * update. RT: yes. */
SN_API sn_spatial sn_kin_body_twist(const sn_kin_data *data, int body) SN_RT;

/** The same for a link and the origin of its frame. RT: yes. */
SN_API sn_spatial sn_kin_link_twist(const sn_kin_data *data, const sn_link *link) SN_RT;

/** The frame of a Jacobian. */
typedef enum sn_jac_frame {
  SN_JAC_ALIGNED, /**< motion of the tip's origin, in the axes of the base ("world-aligned") */
  SN_JAC_BASE,    /**< motion of the point of the tip's body that is at the origin of the base, in
                       its axes: the spatial velocity in the frame of the base */
  SN_JAC_TIP      /**< motion of the tip's origin, in the axes of the tip: the spatial velocity in
                       the frame of the tip */
} sn_jac_frame;

/** Jacobian of a frame fixed to a body, at the last update; that of a link has its `body` and
 *  `pose_body_link`.
 *  @param pose_body_tip  the frame in the frame of the body
 *  @param jac            out: 6 x tree->coord_count
 *  RT: yes, O(bodies between base and tip, plus entries). */
SN_API void sn_kin_jacobian(const sn_kin_data *data, int body, sn_pose pose_body_tip,
                            sn_jac_frame frame, double *jac) SN_RT;

/** Its rate of change, entry by entry, at the last sn_kin_update_velocity(): the acceleration of
 * the tip is jac times qdd plus jac_dot times qd (for SN_JAC_BASE and SN_JAC_TIP: the spatial
 *  acceleration).
 *  @param jac_dot  out: 6 x tree->coord_count
 *  RT: yes. */
SN_API void sn_kin_jacobian_dot(const sn_kin_data *data, int body, sn_pose pose_body_tip,
                                sn_jac_frame frame, double *jac_dot) SN_RT;

SN_END_DECLS

#endif
