/** @file
 *  Internal: the parts of walk.h. */
#ifndef SN_WALK_WALK_INTERNAL_H
#define SN_WALK_WALK_INTERNAL_H

#include <math.h>

#include "walk/walk.h"

/** A vector turned about z. */
static inline sn_vec3 sn__walk_turned(sn_vec3 v, double angle) {
  const double c = cos(angle), s = sin(angle);
  return sn_vec3_make(c * v.x - s * v.y, s * v.x + c * v.y, v.z);
}

static inline double sn__walk_clamp(double value, double most) {
  return fmin(fmax(value, -most), most);
}

/** Duration of stance and swing, s. */
static inline double sn__walk_stance_s(const sn__walk *w) {
  return (1.0 - w->gait.swing) * w->settings.period_s;
}
static inline double sn__walk_swing_s(const sn__walk *w) {
  return w->gait.swing * w->settings.period_s;
}

/** Time constant with which the body falls over its feet, s. */
static inline double sn__walk_fall_s(const sn__walk *w) {
  return sqrt((w->height_m + w->com.z) / 9.81);
}

/** The tilt of the ground. */
static inline sn_vec3 sn__walk_slope(const sn__walk *w) {
  return sn_vec3_make(atan(w->slope_y), -atan(w->slope_x), 0.0);
}

/** Read the estimate: tilt, velocity, heading. */
void sn__walk_sense(sn__walk *walk, const sn__walk_input *input) SN_RT;

/** Bring the speed towards the wanted one; set the velocity with which the stance carries. */
void sn__walk_carry(sn__walk *walk, const sn__walk_input *input) SN_RT;

/** Correct the tilt. */
void sn__walk_level(sn__walk *walk, const sn__walk_input *input) SN_RT;

/** Find the slope of the ground from feet that stand on it. */
void sn__walk_feel_ground(sn__walk *walk, const sn__walk_input *input) SN_RT;

/** Height of the ground in the level frame, at limbs' ends. */
double sn__walk_ground(const sn__walk *walk, sn_vec3 at) SN_RT;

/** Where a foot stands when the robot does, in the level frame. */
sn_vec3 sn__walk_home(const sn__walk *walk, size_t leg) SN_RT;

/** Where a foot should land, in the level frame at landing. */
sn_vec3 sn__walk_landing(const sn__walk *walk, size_t leg) SN_RT;

#endif
