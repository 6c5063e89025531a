/** @file
 *  Internal: the nominal stance: the pose that a robot walks from and to. */
#ifndef SN_GAIT_NOMINAL_H
#define SN_GAIT_NOMINAL_H

#include "legs/legs.h"
#include "steps/step_plan.h"

/** The zero pose if the robot stands in it and can bend and stretch its legs there, as the designer
 *  of a walking robot chooses it; else the stance of sn__legs_find().
 *  @param limbs  [chains] solvers
 *  @param out    its `stance` is in the arena
 *  @return as sn__legs_find().  RT: no */
sn_status sn__nominal_find(sn_arena *arena, const sn_model *model, sn__limb_ik *limbs,
                           sn__legs *out, sn_error *err);

#endif
