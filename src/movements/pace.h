/** @file
 *  Internal: how fast a joint trajectory may be played. */
#ifndef SN_MOVEMENTS_PACE_H
#define SN_MOVEMENTS_PACE_H

#include "movements/movement.h"
#include "sinew/arena.h"
#include "sinew/model.h"
#include "sinew/msg_calls.h"
#include "sinew/msg_types.h"

/** The smallest factor of its times with which no joint of a trajectory exceeds its limits of
 *  velocity and acceleration (of what the robot states no limit, 10 rad/s and 40 rad/s²). Joints
 * that the robot does not have are ignored, and so is the way to the first point.
 *  @param trajectory  consistent, as sn__movement_load() checks
 *  @param scratch     that grows
 *  @param factor      out; 0: it has no two points with times
 *  @return SN_OK, SN_EINVAL: times that do not increase, or SN_ENOMEM */
sn_status sn__pace_limit(const sn_model *model, const sn_joint_trajectory *trajectory,
                         sn_arena *scratch, double *factor, sn_error *err);

/** Multiply all times; velocities and accelerations change accordingly. @param factor  > 0 */
void sn__pace_change(sn_joint_trajectory *trajectory, double factor);

/** Set the speed of a movement. A pose has none; others than joint trajectories have their own
 * only.
 *  @param speed    0.1 .. 10 times that of its times, but no faster than the limits allow; 0: as it
 * is, whatever the limits are
 *  @param fastest  remove all times: the controller passes through the points as fast as the limits
 *                  allow; then @p speed is not read
 *  @return SN_OK; SN_EINVAL: a speed out of range; SN_EUNSUPPORTED: the kind of movement; what
 *          sn__pace_limit() returns */
SN_API sn_status sn__pace_set(const sn_model *model, sn__movement *movement, double speed,
                              bool fastest, sn_arena *scratch, sn_error *err);

#endif
