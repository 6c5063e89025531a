/** @file
 *  Internal: the joints along a plan, and how fast they can be. */
#ifndef SN_STEPS_STEP_SOLVE_H
#define SN_STEPS_STEP_SOLVE_H

#include "steps/step_plan.h"

/** Inverse kinematics of one limb, near a seed.
 *  @param q  sorted pose: the seed, then the answer
 *  @return false if there is none: @p q is as near as the limb goes, or unchanged. RT: yes */
bool sn__step_leg_solve(const sn__step_leg *leg, sn_pose target, double *q) SN_RT;

/** Pose of the end of a limb in the base. @param q  sorted pose. RT: yes */
sn_pose sn__step_leg_end(const sn__step_leg *leg, const double *q) SN_RT;

/** Fill plan->q for the path with its shift.
 *  @param trouble  set if it fails
 *  @return whether all limbs reach all samples, or come near to those of plan->is_near */
bool sn__step_solve(sn__step_plan *plan, const sn__step_plan_config *config,
                    sn__step_trouble *trouble);

/** Fill plan->q for the path as planned, and plan->is_near and plan->nearest.
 *  @return as sn__step_plan_create() */
sn_status sn__step_find_near(sn__step_plan *plan, const sn__step_plan_config *config,
                             sn__step_trouble *trouble, sn_error *err);

/** Joint velocities and accelerations of a sample, stretched. RT: yes */
void sn__step_rates(const sn__step_plan *plan, size_t sample, size_t joint_count, double *qd,
                    double *qdd) SN_RT;

/** The supports of a sample. @return how many. RT: yes */
size_t sn__step_supports(const sn__step_plan *plan, const sn__step_plan_config *config,
                         size_t sample, sn_support *out) SN_RT;

/** Gravity in the base of a sample. RT: yes */
sn_vec3 sn__step_gravity(const sn__step_plan *plan, size_t sample) SN_RT;

/** Set plan->stretch: the least that the drives can follow. */
sn_status sn__step_stretch(sn_arena *arena, sn__step_plan *plan, const sn__step_plan_config *config,
                           sn_error *err);

#endif
