/** @file
 *  Internal: the check behind sinew/ik_avoid.h, for limbs that share one collision checker. */
#ifndef SN_AVOID_IK_AVOID_H
#define SN_AVOID_IK_AVOID_H

#include "collision/collision.h"
#include "sinew/ik_avoid.h"

/** A check for the solutions of @p ik with a checker that others use, too.
 *  @param collision  must outlive it; of the same thread
 *  @param margin_m   finite, >= 0
 *  @return SN_OK or SN_ENOMEM
 *  RT: no, allocates.  Threads: one owner of the arena. */
SN_API sn_status sn__ik_avoid_create(sn_arena *arena, const sn_model *model, const sn_ik *ik,
                                     sn__collision *collision, double margin_m, sn_ik_avoid **out,
                                     sn_error *err);

/** Objects of the checker were added or removed. RT: yes, O(pairs).  Threads: owner. */
SN_API void sn__ik_avoid_world_changed(sn_ik_avoid *avoid) SN_RT;

/** Where the joints outside the group are. @param q  sorted pose, finite. RT: yes.  Threads: owner.
 */
SN_API void sn__ik_avoid_place(sn_ik_avoid *avoid, const double *q) SN_RT;

/** Is the robot free with these joints of the group? RT: yes.  Threads: owner. */
SN_API bool sn__ik_avoid_is_free(sn_ik_avoid *avoid, const double *solution) SN_RT;

#endif
