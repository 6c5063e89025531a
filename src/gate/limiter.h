/** @file
 *  Internal: one joint that is moved towards a target and never leaves its limits.
 *
 *  In every step a velocity is chosen and kept for the step, so position and velocity are each
 *  other's difference. The speed is such that the joint can always stop before its end:
 *  qd^2 / (2 brake) never exceeds the way that is left. Braking step by step, each with the
 *  velocity of its end, takes less way than braking continuously, so this holds for any sequence of
 *  periods.
 */
#ifndef SN_GATE_LIMITER_H
#define SN_GATE_LIMITER_H

#include <stdbool.h>

#include "sinew/api.h"

/** All finite and positive, but for the ends of a joint that has none. */
typedef struct sn__limits {
  double lower, upper; /**< rad or m; infinite if none */
  double speed;        /**< rad/s or m/s */
  double accel;        /**< rad/s^2 or m/s^2, while the speed grows */
  double brake;        /**< likewise, while it shrinks */
} sn__limits;

/** What is commanded: position, velocity of the last step, and how that changed. */
typedef struct sn__motion {
  double q, qd, qdd;
} sn__motion;

/** Move towards a target for one step.
 *  @param way     from the position to where the target is at the end of the step; finite
 *  @param drift   velocity of the target itself; a target that stays within the limits of speed and
 *                 acceleration is followed exactly
 *  @param dt_s    > 0
 *  RT: yes. */
void sn__limiter_follow(const sn__limits *limits, double way, double drift, double dt_s,
                        sn__motion *motion) SN_RT;

/** Set position and velocity; each is clamped to its limits. RT: yes. */
void sn__limiter_place(const sn__limits *limits, double q, double qd, sn__motion *motion) SN_RT;

/** Slow down as hard as is allowed, then stay. RT: yes. */
void sn__limiter_brake(const sn__limits *limits, double dt_s, sn__motion *motion) SN_RT;

#endif
