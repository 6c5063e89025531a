/** @file
 *  Internal: the base of the robot in the world as a RigidBodyState. */
#ifndef SN_MSG_BASE_MESSAGE_H
#define SN_MSG_BASE_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "sinew/msg_types.h"
#include "sinew/status.h"

/** Is it finite, with a quaternion of about unit length? RT: yes. */
bool sn__msg_pose_is_valid(sn_msg_pose pose) SN_RT;

/** Set the parts that do not change: frame, name of the root link, lengths.
 *  @return SN_OK or SN_ENOSPC.  RT: no. */
sn_status sn__base_message_prepare(sn_rigid_body_state *msg, const char *frame, const char *root,
                                   sn_error *err);

/** RT: yes. */
void sn__base_message_fill(sn_rigid_body_state *msg, int64_t stamp_ns, sn_pose pose_world_base,
                           sn_spatial twist) SN_RT;

/** Find the root link in a message.
 *  @param root             its name
 *  @param pose_world_base  out
 *  @param twist            out; zero if the message has none
 *  @param has_twist        out; may be NULL
 *  @return false: it is missing, or its numbers are not valid.  RT: yes. */
bool sn__base_message_read(const sn_rigid_body_state *msg, const char *root,
                           sn_pose *pose_world_base, sn_spatial *twist, bool *has_twist) SN_RT;

#endif
