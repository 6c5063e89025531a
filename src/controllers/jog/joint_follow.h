/** @file
 *  Internal: a joint whose commanded velocity follows a wanted one within limits of velocity,
 *  acceleration and jerk.
 *
 *  A velocity holds for a cycle, so positions, velocities and accelerations are differences of each
 *  other. joint_common.h is about joints that move a tool together. */
#ifndef SN_CONTROLLERS_JOG_JOINT_FOLLOW_H
#define SN_CONTROLLERS_JOG_JOINT_FOLLOW_H

#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/otg.h"

typedef struct sn__jog_joint {
  sn_otg_limits limits;
  double lower, upper;     /**< rad or m; infinite if none */
  double q, qd, qdd;       /**< commanded */
  double bend;             /**< the part of qdd that follows the curve of what is kept */
  double up_max, down_max; /**< speeds that others have allowed, rad/s or m/s; infinite if any */
} sn__jog_joint;

/** Velocities of the next cycle that the limits of a joint allow. */
typedef struct sn__jog_range {
  double low, high;
} sn__jog_range;

/** The acceleration with which a velocity should approach one that is @p way away, so that it
 *  arrives without acceleration: a^2 / 2j is the way in which the jerk ends it, in cycles of dt_s.
 *  @param way  >= 0.  RT: yes. */
double sn__jog_approach(double way, double acceleration, double jerk, double dt_s) SN_RT;

/** The speed from which a motion can stop within a way, with half of its acceleration. The rest is
 *  for what comes late.
 *  @param room  rad or m.  RT: yes. */
double sn__jog_stop_speed(const sn_otg_limits *limits, double room) SN_RT;

/** The greatest wanted speed in the direction of a velocity: such that the joint can stop before
 *  its limit, and no more than others allow. May be infinite. RT: yes. */
double sn__jog_speed_max(const sn__jog_joint *joint, double qd) SN_RT;

/** The greatest share of wanted velocities from which all joints can stop together before their
 *  limits, so that the tool slows down and does not leave its way: a joint that brakes as hard as
 *  it can would ask too much of one that moves faster.
 *  @param joint  out: the one whose limit is nearest, or -1
 *  @return 0 .. 1.  RT: yes. */
double sn__jog_stop_share(const sn__jog_joint *joints, size_t count, const double *wanted,
                          int *joint) SN_RT;

/** Somebody else has changed the last cycle: the joint goes on from there. Where it was slowed
 * down, it may only slowly get faster again; braking that has begun goes on. RT: yes. */
void sn__jog_go_on_from(sn__jog_joint *joint, double q, double qd) SN_RT;

/** The time that a cycle moves joints by: what has passed, at most two periods, as the gate does by
 *  default. After a pause the motion continues where it was, it does not catch up. RT: yes. */
double sn__jog_step_time_s(int64_t passed_ns, int64_t period_ns) SN_RT;

/** What the limits allow in the next cycle. RT: yes. */
sn__jog_range sn__jog_range_of(const sn__jog_joint *joint, double dt_s) SN_RT;

/** Move on for one cycle.
 *  @param qd  within the range.  RT: yes. */
void sn__jog_move(sn__jog_joint *joint, double qd, double dt_s) SN_RT;

/** Move on for one cycle with the wanted velocities, each joint alone, as far as its limits allow.
 *  @param wanted  [count]
 *  @param dt_s    > 0.  RT: yes, O(count). */
void sn__jog_follow_each(sn__jog_joint *joints, size_t count, const double *wanted,
                         double dt_s) SN_RT;

#endif
