/** @file
 *  Internal: a path of the body that keeps the zero-moment point above the feet. */
#ifndef SN_STEPS_STEP_SHIFT_H
#define SN_STEPS_STEP_SHIFT_H

#include "steps/step_plan.h"

/** Fill plan->shift, and plan->q for it. @return as sn__step_plan_create() */
sn_status sn__step_shift(sn_arena *arena, sn__step_plan *plan, const sn__step_plan_config *config,
                         sn__step_trouble *trouble, sn_error *err);

#endif
