/** @file
 *  Kinematics on the compiled robot: where links are, how they move, how joints move them.
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
#include "sinew/model.h"
#include "sinew/pose.h"

SN_BEGIN_DECLS

/** Pose of the chain's last link in the frame of its first link. Needs no workspace.
 *  @param q  chain->joint_count positions, rad or m; a position that is not finite spoils the
 *            result and nothing else
 *  RT: yes, O(joints).  Threads: any. */
SN_API sn_pose sn_chain_fk(const sn_chain *chain, const double *q) SN_RT;

/** The same pose together with the Jacobian of the last link's origin, in the axes of the first
 *  link: the hot path of every numeric IK solver.
 *  @param q     chain->joint_count positions
 *  @param pose  out: as sn_chain_fk(), bit for bit
 *  @param jac   out: 6 x joint_count; must not overlap @p q
 *  RT: yes, O(joints).  Threads: any. */
SN_API void sn_chain_fk_jacobian(const sn_chain *chain, const double *q, sn_pose *pose,
                                 double *jac) SN_RT;

SN_END_DECLS

#endif
