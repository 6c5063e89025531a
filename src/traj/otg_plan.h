/** @file
 *  Internal: plans of one joint in steps, for planning several joints together. */
#ifndef SN_TRAJ_OTG_PLAN_H
#define SN_TRAJ_OTG_PLAN_H

#include <stdbool.h>

#include "sinew/otg.h"
#include "traj/otg_brake.h"
#include "traj/otg_family.h"

/** The limits, and the units in which those of jerk and acceleration are 1. */
typedef struct sn__otg_scale {
  sn_otg_limits limits;
  double time_unit, v_unit, q_unit;     /**< s, m/s, m */
  double per_time, per_a, per_v, per_q; /**< their inverses */
  double v_max;                         /**< velocity limit, in its unit */
} sn__otg_scale;

/** Facts about a joint between start and target that do not depend on the duration. */
typedef struct sn__otg_task {
  const sn__otg_scale *scale;
  sn_otg_state start, target;
  sn_otg_state inside; /**< after the way back inside the limits */
  sn__otg_brake brake;
  double brake_time;     /**< s */
  bool is_followed;      /**< the target moves on while the joint is on its way */
  double frame;          /**< velocity of the frame in which it is planned, in units */
  double v_max;          /**< in units, widened by the rounding of the start */
  double distance;       /**< from inside to target, in the frame, in units */
  double vt;             /**< target's velocity in the frame, in units */
  double direction;      /**< 1 or -1: where the fastest motion gets further than the direct one */
  sn__otg_family family; /**< in that direction */
  sn__otg_point optimum; /**< on it */
  double duration_s;     /**< the shortest */
} sn__otg_task;

/** Are these limits within their range? */
bool sn__otg_are_limits(const sn_otg_limits *limits);

/** Is this a number within SN_OTG_VALUE_MAX? */
bool sn__otg_is_value(double x);

/** Is this a velocity within the limits, but for rounding? */
bool sn__otg_is_velocity(const sn_otg_limits *limits, double qd);

void sn__otg_scale_init(sn__otg_scale *scale, const sn_otg_limits *limits);

/** Find the fastest motion; the numbers have been checked. A target that is followed moves with its
 *  velocity from now on, which must be below the limit: seen from it, it rests. Otherwise it is a
 *  place to be passed with that velocity. */
void sn__otg_task_init(sn__otg_task *task, const sn__otg_scale *scale, sn_otg_state start,
                       sn_otg_state target, bool is_followed);

/** The shortest possible duration of at least this, s. */
double sn__otg_task_next_duration(const sn__otg_task *task, double duration_s);

/** Write the fastest motion. */
void sn__otg_task_write(const sn__otg_task *task, sn_otg_profile *out);

/** Write a motion of a duration that sn__otg_task_next_duration() gave. */
void sn__otg_task_write_for(const sn__otg_task *task, double duration_s, sn_otg_profile *out);

/** Write the fastest change to a velocity. */
void sn__otg_write_velocity(const sn__otg_scale *scale, sn_otg_state start, double qd,
                            sn_otg_profile *out);

#endif
