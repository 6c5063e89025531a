/** @file
 *  Internal: joints that move a tool together.
 *
 *  The motion of the joints has two parts. One follows the curve on which they keep what must be
 *  kept (jog_kept.h). The other one changes the motion along this curve: all joints accelerate by
 *  the same share of the way to the wanted velocities, so this part never changes what is kept.
 *  Accelerations and jerks have room for both parts.
 *
 *  After each cycle all joints must still be able to stop in this way, within their limits of
 *  position and velocity. If they could not, the cycle is the first one of the stop, which was
 *  possible after the cycle before. So no joint ever has to brake alone. */
#ifndef SN_CONTROLLERS_JOG_JOINT_COMMON_H
#define SN_CONTROLLERS_JOG_JOINT_COMMON_H

#include "controllers/jog/jog_kept.h"
#include "controllers/jog/joint_follow.h"

/** The greatest share of wanted velocities with which the joints can follow the curve, by the last
 *  cycle. @return <= 1.  RT: yes. */
double sn__jog_bend_share(const sn__jog_joint *joints, size_t count, const double *wanted) SN_RT;

/** Move on for one cycle with the wanted velocities, as far as the limits allow.
 *  @param wanted  [count] that change what is kept with its rate
 *  @param choices [count] scratch
 *  @param dt_s    > 0.  RT: yes, O(count^2). */
void sn__jog_follow(sn__jog_joint *joints, size_t count, const double *wanted,
                    const sn__jog_kept *kept, sn__jog_choice *choices, double dt_s) SN_RT;

#endif
