/** @file
 *  Internal: what controllers of poses publish about the base and the ends of limbs. */
#ifndef SN_CONTROLLERS_CARTESIAN_PUBLISH_H
#define SN_CONTROLLERS_CARTESIAN_PUBLISH_H

#include <stdint.h>

#include "sinew/model.h"
#include "sinew/msg_types.h"
#include "sinew/port.h"
#include "traj/body_filter.h"

/** Set the names and frames of both outputs once; either may be NULL.
 *  @return SN_OK or SN_ENOSPC.  RT: no. */
sn_status sn__publish_prepare(const sn_model *model, sn_output *out_base, sn_output *out_limbs,
                              sn_error *err);

/** The reference of the base in the world. RT: yes. */
void sn__publish_base(sn_output *out_base, const sn__body_state *base, int64_t now_ns) SN_RT;

/** Begin the list of limbs, add each one in the base, then write it. RT: yes. */
void sn__publish_limbs_begin(sn_output *out_limbs, int64_t now_ns) SN_RT;
void sn__publish_limbs_add(sn_output *out_limbs, const char *chain,
                           const sn__body_state *end) SN_RT;

/** How a body that is at @p pose_world_end and rests in the world moves in a base that moves.
 *  RT: yes. */
sn__body_state sn__seen_from_base(const sn__body_state *base, sn_pose pose_world_end) SN_RT;

#endif
