/** @file
 *  Internal: a step sequence prepared for a robot before it is executed: solved along the whole
 *  way, stretched in time so that the servos can follow, and with a path of the body that keeps
 *  the zero-moment point above the feet at that speed. */
#ifndef SN_STEPS_STEP_PLAN_H
#define SN_STEPS_STEP_PLAN_H

#include "dyn/balance.h"
#include "ik/limb/limb_ik.h"
#include "sinew/model.h"
#include "sinew/status.h"
#include "steps/step_path.h"

/** Abilities of the drive of a joint. */
typedef struct sn__step_drive {
  double speed_max;  /**< rad/s or m/s; may be infinite */
  double torque_max; /**< of the motor, N·m or N; may be infinite */
  double viscous;    /**< torque of the motor by velocity, N·m·s/rad */
  double dry;        /**< and against dry friction, N·m */
  double inertia;    /**< and by acceleration, kg·m² */
} sn__step_drive;

/** A limb that steps. */
typedef struct sn__step_leg {
  size_t chain;
  sn__limb_ik *limb; /**< solves its end, with the virtual link if it has one */
} sn__step_leg;

/** Zero-initialise, then set the fields that differ from their default. */
typedef struct sn__step_plan_config {
  const sn_model *model;
  const sn__step_leg *legs;     /**< of the limbs of the sequence, in its order */
  const sn__step_drive *drives; /**< [pose_size] */
  const double *start;          /**< [pose_size] the pose that the sequence begins from */
  sn_balance *balance;          /**< NULL: torques and balance are not considered */
  double clearance_m;           /**< see sn__step_path_create() */
  double friction;              /**< of the ground; 0 means 0.6 */
  double stretch_max;           /**< 0 means 20 */
  double margin_m;              /**< of the zero-moment point; 0 means 0.01, negative: the path of
                                 *  the body stays as planned */
  double reach_m, reach_rad;    /**< a limb that comes so near to a point out of its reach goes on;
                                 *  0: every point must be reached */
} sn__step_plan_config;

/** A point that a limb does not reach. */
typedef struct sn__step_trouble {
  size_t limb;               /**< of the sequence */
  double time_s;             /**< of the sequence */
  double short_m, short_rad; /**< by which it does not */
} sn__step_trouble;

typedef struct sn__step_plan {
  sn__step_path path;
  double stretch;          /**< >= 1: duration over that of the sequence */
  double speed_ratio;      /**< of the sequence as it is: largest joint speed over its limit */
  double speed_peak;       /**< of the sequence as it is, rad/s */
  size_t joint_peak;       /**< its joint */
  bool is_slow_to_balance; /**< it is stretched by more than the drives need */
  size_t sample_count;
  double sample_s;  /**< between samples, in the time of the sequence */
  double *q;        /**< [sample_count][pose_size] */
  sn_vec3 *shift;   /**< [sample_count] of the body, m; z is 0 */
  double shift_max; /**< m */
  double lean;   /**< distance of the zero-moment point from where it should be, over the height of
                  *  the centre of mass; the largest */
  bool *is_near; /**< [sample_count] a limb comes only near to its point */
  sn__step_trouble nearest; /**< the worst of those; short_m and short_rad are 0 without any */
} sn__step_plan;

/** @param trouble  set with SN_EINVAL; may be NULL
 *  @return SN_OK, SN_EINVAL: a point is out of reach, SN_ENOMEM
 *  RT: no */
sn_status sn__step_plan_create(sn_arena *arena, const sn__step_sequence *sequence,
                               const sn__step_plan_config *config, sn__step_plan *out,
                               sn__step_trouble *trouble, sn_error *err);

/** Length in s, stretched. RT: yes */
double sn__step_plan_duration(const sn__step_plan *plan) SN_RT;

/** The base and a foot at a time since the start, stretched; twists are stretched, too. RT: yes */
sn__step_motion sn__step_plan_base(const sn__step_plan *plan, double time_s) SN_RT;
sn__step_motion sn__step_plan_foot(const sn__step_plan *plan, size_t limb, double time_s) SN_RT;

/** How long all feet bear weight from a time on, at most @p most_s; of a robot that hangs always.
 *  RT: yes */
double sn__step_plan_stance_left(const sn__step_plan *plan, double time_s, double most_s) SN_RT;

#endif
