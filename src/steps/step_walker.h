/** @file
 *  Internal: executes a step plan in a closed loop with the estimated base.
 *
 *  Legs in contact move the body about their footholds to where the plan wants it, beyond by a
 *  bounded correction of what is missing. Legs in the air go to the planned footholds in the
 *  world, wherever the body is. */
#ifndef SN_STEPS_STEP_WALKER_H
#define SN_STEPS_STEP_WALKER_H

#include "steps/step_plan.h"

enum { SN__STEP_LIMBS_MAX = 16 };

/** Zero-initialise for the defaults. */
typedef struct sn__step_gains {
  double kp, ki; /**< of the base's error, and 1/s of its integral */
  double kp_tilt, ki_tilt;
  double smoothing_s;  /**< time constant of the filter of the error */
  double shift_max_m;  /**< bound of the correction */
  double turn_max_rad; /**< likewise */
} sn__step_gains;

/** What is measured. */
typedef struct sn__step_feedback {
  const double *q; /**< sorted pose; NULL: unknown */
  bool has_base;
  sn_pose base; /**< in the world */
} sn__step_feedback;

typedef struct sn__step_foot {
  double freedom; /**< 0: moves the body, 1: finds its own foothold */
  bool contact;
  bool failed;    /**< its last pose was out of reach */
  sn_pose target; /**< in the base */
} sn__step_foot;

typedef struct sn__step_walker {
  const sn_model *model;
  const sn__step_plan *plan;
  const sn__step_leg *legs;
  sn__step_gains gains;
  sn_pose pose_world_plan;
  sn_vec3 moved, turned; /**< integrals of the correction */
  sn_pose base_wanted, base_command;
  sn_vec3 error_pos, error_rot; /**< wanted minus estimated base, filtered */
  sn_vec3 error_pos_rate, error_rot_rate;
  sn_pose base_seen; /**< the estimated base, filtered */
  sn__step_foot feet[SN__STEP_LIMBS_MAX];
} sn__step_walker;

/** @param pose_world_plan  the frame of the sequence in the world. RT: yes */
void sn__step_walker_begin(sn__step_walker *walker, const sn__step_plan *plan,
                           const sn__step_leg *legs, sn_pose pose_world_plan) SN_RT;

/** One cycle.
 *  @param time_s  since the start, stretched; beyond the end it goes on correcting
 *  @param q       sorted pose: the command before, then the new one
 *  RT: yes */
void sn__step_walker_step(sn__step_walker *walker, double time_s, double dt_s,
                          const sn__step_feedback *feedback, double *q) SN_RT;

#endif
