/** @file
 *  A start pose from which every limb can move in all directions. Many robots cannot do so at zero:
 * arms are stretched, legs are straight, and zero may be outside limits. */
#ifndef SN_IK_START_POSE_H
#define SN_IK_START_POSE_H

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/model.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/** Choose a pose, chain by chain. Zero stays where it is good: away from limits, and not singular.
 *  Otherwise it is the best of a fixed set of samples, by the smallest singular value of the
 * chain's Jacobian (its position rows if it has fewer than six joints), the distance to the limits
 * and the distance to zero. A limb that is another one shifted or mirrored, such as the other legs,
 * gets the same pose if its limits allow it. The same robot gives the same pose.
 *
 *  Every joint is inside its effective limits. If its range allows, it keeps a distance of a
 * quarter of the half range, at most 0.35 rad or m. Mimic joints follow their masters; undriven
 * joints are at zero.
 *  @param scratch  memory for the search; restored before the function returns
 *  @param q        out: the sorted pose, rad or m
 *  @param err      receives the reason on failure; may be NULL
 *  @return SN_OK or SN_ENOMEM
 *  RT: no, some milliseconds.  Threads: one owner of the arena. */
sn_status sn__start_pose(sn_arena *scratch, const sn_model *model, double *q, sn_error *err);

SN_END_DECLS

#endif
