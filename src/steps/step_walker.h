/** @file
 *  Internal: executes a step plan in a closed loop with the estimated base.
 *
 *  Legs in contact move the body about their footholds to where the plan wants it, and beyond by a
 *  bounded correction of what is missing. Legs in the air go to the planned footholds in the
 *  world, wherever the body is. At the end it stands and goes on correcting. */
#ifndef SN_STEPS_STEP_WALKER_H
#define SN_STEPS_STEP_WALKER_H

#include "steps/step_plan.h"

enum { SN__STEP_LIMBS_MAX = 16 };

/** How the error of the base is corrected: its value times `kp`, plus its rate times `kd`, plus its
 *  integral times `ki`. */
typedef struct sn__step_gains {
  double kp, ki;           /**< of position and heading; 1 and 1/s */
  double kp_tilt, ki_tilt; /**< of roll and pitch */
  double kd;               /**< of all; s */
  double smoothing_s;      /**< time constant of the filter of the error; > 0 */
  double shift_max_m;      /**< bound of the correction */
  double tilt_max_rad;     /**< likewise, of roll and pitch */
  double yaw_max_rad;      /**< likewise, of the heading */
} sn__step_gains;

/** What is known of the robot. */
typedef struct sn__step_feedback {
  bool has_base;   /**< false: the last correction stays */
  sn_pose base;    /**< in the world */
  const double *q; /**< measured sorted pose; NULL: unknown */
} sn__step_feedback;

/** One limb, to read. */
typedef struct sn__step_foot {
  sn__step_leg leg;
  sn_pose foothold; /**< where the plan wants it in the world */
  sn_pose target;   /**< in the base, as commanded */
  double freedom;   /**< 0: moves the body; 1: goes to its own foothold */
  bool contact;     /**< it bears weight */
  bool failed;      /**< its target is out of reach: it stays */
} sn__step_foot;

/** Set `gains`; all else is set by begin and step. */
typedef struct sn__step_walker {
  sn__step_gains gains;
  const sn__step_plan *plan; /**< NULL: it stands */
  size_t limb_count;
  sn__step_foot feet[SN__STEP_LIMBS_MAX];
  sn_pose pose_world_plan;
  sn_spatial base_twist;        /**< wanted, in the axes of the world */
  sn_pose base_wanted;          /**< where the plan wants the base in the world */
  sn_pose base_command;         /**< the same with the correction */
  sn_pose base_seen;            /**< the estimated base, filtered */
  sn_vec3 error_pos, error_rot; /**< wanted minus estimated base, filtered; world */
  sn_vec3 error_pos_rate, error_rot_rate;
  sn_vec3 moved, turned; /**< integrals of the error */
} sn__step_walker;

/** Begin a plan. The correction stays from one plan to the next if it is @p joined to it.
 *  @param plan  must stay until sn__step_walker_stand()
 *  @param legs  of its limbs; copied
 *  RT: yes */
void sn__step_walker_begin(sn__step_walker *walker, const sn__step_plan *plan,
                           const sn__step_leg *legs, sn_pose pose_world_plan, bool joined) SN_RT;

/** The plan is over: from now on it stands where it is. RT: yes */
void sn__step_walker_stand(sn__step_walker *walker) SN_RT;

/** One cycle.
 *  @param time_s  of the plan, stretched
 *  @param q       sorted pose: the command before, then the new one
 *  RT: yes */
void sn__step_walker_step(sn__step_walker *walker, double time_s, double dt_s,
                          const sn__step_feedback *feedback, double *q) SN_RT;

#endif
