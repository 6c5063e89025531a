/** @file
 *  Internal: the base as a RigidBodyState. */
#ifndef SN_ESTIMATION_BASE_MESSAGE_H
#define SN_ESTIMATION_BASE_MESSAGE_H

#include "estimation/odometry.h"
#include "sinew/model.h"
#include "sinew/msg_types.h"
#include "sinew/status.h"

/** Is it finite, with a quaternion of about unit length? RT: yes. */
bool sn__msg_pose_is_valid(sn_msg_pose pose) SN_RT;

/** Set the parts that do not change: frame, name of the root link, lengths.
 *  @return SN_OK or SN_ENOSPC.  RT: no. */
sn_status sn__base_message_prepare(sn_rigid_body_state *msg, const char *frame,
                                   const sn_model *model, sn_error *err);

/** RT: yes. */
void sn__base_message_fill(sn_rigid_body_state *msg, int64_t stamp_ns,
                           const sn__base_state *base) SN_RT;

/** The root link of a message.
 *  @param base       out; without a twist in the message, that is zero
 *  @param has_twist  out; may be NULL
 *  @return false: it is not in it, or its numbers are not valid.  RT: yes. */
bool sn__base_message_read(const sn_rigid_body_state *msg, const sn_model *model,
                           sn__base_state *base, bool *has_twist) SN_RT;

#endif
