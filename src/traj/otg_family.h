/** @file
 *  Internal: the extreme motions of a joint in one direction, in units in which the limits of jerk
 *  and acceleration are 1.
 *
 *  Follow the fastest way up to the velocity limit for a while, then change to the target's
 *  velocity as fast as possible: among all motions of the same duration this one gets furthest (the
 *  maximum principle: jerk is +1, -1, +1 with stretches of constant acceleration or velocity at a
 *  limit). The later the turn, the longer the motion. So all extreme motions form one
 *  curve, distance over duration, that starts with the direct change of velocity and ends in an
 *  endless cruise. It consists of at most six pieces, each with its own polynomial:
 *
 *  - `w` is the velocity at which the branch "jerk +1" through the start has no acceleration,
 *    `vt` the target's velocity, `vp` the highest velocity, `a1` the highest acceleration, `ap` the
 *    deceleration, so that vp = w + a1^2 = vt + ap^2 where neither reaches its limit;
 *  - ramps only: with p = a1 + ap, distance = p^3/4 + (w + vt) p - (w - vt)^2 / (4 p) + base, and
 *    duration = 2 p - a0;
 *  - one of a1, ap at its limit, x the other one, u its w or vt:
 *    distance = x^4/2 + x^3 + (u + 1/2) x^2 + 2 u x + const;
 *  - both: distance = vp^2 + vp + const, reckoned by x = vp - vt; cruise: linear.
 *
 *  The fastest motion over a distance is the first point of the curve that reaches it; a motion of
 *  given duration is found without solving anything.
 *
 *  After L. Berscheid and T. Kroeger, "Jerk-limited real-time trajectory generation with arbitrary
 *  target states", RSS 2021, and R. Haschke et al., "On-line planning of time-optimal, jerk-limited
 *  trajectories", IROS 2008; the curve and its polynomials are our own. */
#ifndef SN_TRAJ_OTG_FAMILY_H
#define SN_TRAJ_OTG_FAMILY_H

#include <stddef.h>

typedef enum sn__otg_kind {
  SN__OTG_RAMPS,      /**< x = p; no limit is reached */
  SN__OTG_BRAKE_HOLD, /**< x = a1; the deceleration stays at its limit for a while */
  SN__OTG_DRIVE_HOLD, /**< x = ap; the acceleration does */
  SN__OTG_BOTH_HOLD,  /**< x = vp - vt; both do */
  SN__OTG_CRUISE      /**< x = time at the velocity limit */
} sn__otg_kind;

/** A stretch of the curve. */
typedef struct sn__otg_piece {
  sn__otg_kind kind;
  double lo, hi; /**< of x */
} sn__otg_piece;

/** A point of the curve. */
typedef struct sn__otg_point {
  sn__otg_kind kind;
  double x;
} sn__otg_point;

typedef struct sn__otg_family {
  double a0, v_max, w, vt;
  double c;               /**< w - vt */
  double room;            /**< v_max - w */
  double base;            /**< part of the distance that is the same everywhere */
  double cruise_distance; /**< where the cruise begins */
  double cruise_time;
  sn__otg_point direct; /**< where the curve begins */
  size_t count;
  sn__otg_piece pieces[6];
} sn__otg_family;

/** One extreme motion: how long jerk is +1, 0, -1, 0, -1, 0, +1. Without a cruise the two -1 are
 *  one phase, in [2]. */
typedef struct sn__otg_shape {
  double time[7];
  double a1, ap; /**< before and after the middle phases the acceleration is a1 and -ap */
  int has_cruise;
} sn__otg_shape;

/** The start of a curve: state (velocity v0, acceleration a0) inside the limits but for rounding,
 *  going up. Only for a start from which the target's velocity is reached by speeding up first
 *  (v0 + a0 |a0| / 2 <= vt), and only base and direct are set: enough to see which direction the
 *  target is in. */
void sn__otg_family_direct(sn__otg_family *family, double v0, double a0, double vt);

/** The whole curve, for any start inside the limits but for rounding. */
void sn__otg_family_init(sn__otg_family *family, double v_max, double v0, double a0, double vt);

/** The first point of duration @p time_min or more that reaches the distance, coming from below. */
sn__otg_point sn__otg_family_reach(const sn__otg_family *family, double distance, double time_min);

/** The point of a duration; the first one if that is longer. */
sn__otg_point sn__otg_family_lasting(const sn__otg_family *family, double time);

double sn__otg_family_distance(const sn__otg_family *family, sn__otg_point point);
double sn__otg_family_time(const sn__otg_family *family, sn__otg_point point);

/** The motion at a point. */
void sn__otg_family_shape(const sn__otg_family *family, sn__otg_point point, sn__otg_shape *shape);

#endif
