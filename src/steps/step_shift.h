/** @file
 *  Internal: a path of the body that keeps the zero-moment point above the feet. */
#ifndef SN_STEPS_STEP_SHIFT_H
#define SN_STEPS_STEP_SHIFT_H

#include "steps/step_plan.h"

/** Fill plan->shift, and plan->q for it; a shift that a limb does not reach is reduced there.
 *  @return SN_OK or SN_ENOMEM */
sn_status sn__step_shift(sn_arena *arena, sn__step_plan *plan, const sn__step_plan_config *config,
                         sn_error *err);

#endif
