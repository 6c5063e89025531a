/** @file
 *  Internal: whole profiles of one joint, planned ahead. */
#ifndef SN_TRAJ_OTG_OFFLINE_H
#define SN_TRAJ_OTG_OFFLINE_H

#include "sinew/otg.h"

/** The fastest motion from @p start to @p target.
 *  @param limits  of the joint
 *  @param start   any state, inside the limits or not
 *  @param target  its velocity inside the limits, its acceleration 0
 *  @param out     the motion; untouched on failure
 *  @return SN_OK, or SN_EINVAL (a number that is not finite or out of range, see the types)
 *  RT: yes, some 0.2 us.  Threads: any. */
sn_status sn__otg_plan(const sn_otg_limits *limits, sn_otg_state start, sn_otg_state target,
                       sn_otg_profile *out) SN_RT;

/** A motion of a given duration, for joints that arrive together. It is a convex combination of the
 * two extreme motions of that duration, the one that gets furthest and the one that gets least far,
 * and so keeps every limit that both keep.
 *
 *  To a target at rest every duration from the shortest on is possible. To a moving target some are
 *  not, because the joint cannot wait; then the next longer possible one is used; see
 * out->duration_s.
 *  @param duration_s  0 .. SN_OTG_VALUE_MAX; the shortest duration if that is longer
 *  @return as sn__otg_plan()
 *  RT: yes, some 0.3 us.  Threads: any. */
sn_status sn__otg_plan_for(const sn_otg_limits *limits, sn_otg_state start, sn_otg_state target,
                           double duration_s, sn_otg_profile *out) SN_RT;

/** The fastest change to a velocity, wherever that ends; to 0 it is the fastest stop.
 *  @param qd  inside the limits
 *  @return as sn__otg_plan()
 *  RT: yes.  Threads: any. */
sn_status sn__otg_plan_velocity(const sn_otg_limits *limits, sn_otg_state start, double qd,
                                sn_otg_profile *out) SN_RT;

/** How long the motion takes, s. RT: yes.  Threads: any. */
double sn__otg_profile_duration(const sn_otg_profile *profile) SN_RT;

/** The state at a time since the start; before it, the start. RT: yes.  Threads: any. */
sn_otg_state sn__otg_profile_at(const sn_otg_profile *profile, double t_s) SN_RT;

#endif
