/** @file
 *  Internal: room for what is asked from outside, and for what is answered. */
#ifndef SN_REMOTE_REMOTE_MSG_H
#define SN_REMOTE_REMOTE_MSG_H

#include "sinew/arena.h"
#include "sinew/msg.h"

/** A message with room for 256 items and for texts as long as 4 MB allow; a type that multiplies
 *  (lists of lists) gets the usual room. @return NULL: no memory */
void *sn__remote_msg_create(sn_arena *arena, const sn_msg_type *type);

#endif
