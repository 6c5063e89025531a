/** @file
 *  Internal: objects of the world in messages. */
#ifndef SN_GATE_WORLD_MESSAGE_H
#define SN_GATE_WORLD_MESSAGE_H

#include "collision/objects.h"
#include "msg/types/msg_collision.h"

/** The object that a message describes, which may come from anyone.
 *  @param out  its corners stay in the message
 *  @return SN_OK, or SN_EINVAL with the reason.  RT: yes. */
sn_status sn__world_message_read(const sn_world_object *msg, sn__object *out, sn_error *err) SN_RT;

#endif
