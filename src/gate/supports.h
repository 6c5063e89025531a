/** @file
 *  Internal: which chains carry the robot, as set by their owners.
 *
 *  A chain belongs to the source that owns all of its joints. The last value of its owner stays
 *  while it owns the chain, even if it falls silent: the chain is held then, and a leg that bears
 *  weight still does. With a new owner it starts at 0. */
#ifndef SN_GATE_SUPPORTS_H
#define SN_GATE_SUPPORTS_H

#include "gate/gate.h"
#include "sinew/arena.h"
#include "sinew/model.h"
#include "sinew/msg_types.h"

typedef struct sn__supports sn__supports;

/** @return NULL if memory runs out */
sn__supports *sn__supports_create(sn_arena *arena, const sn_model *model);

/** @param owners  of each joint of the sorted pose; -1: none. RT: yes */
void sn__supports_own(sn__supports *supports, const int *owners) SN_RT;

/** Take a message of a source: refused as a whole if it is malformed, else chain by chain.
 *  @param chain  the chain that was refused last; -1: none
 *  @return the last reason of a refusal; SN_GATE_REASON_COUNT: there was none. RT: yes */
sn_gate_reason sn__supports_take(sn__supports *supports, int source, const sn_support_state *msg,
                                 int *chain) SN_RT;

/** Fill a message with all chains in the order of the model. @return SN_OK, SN_ENOSPC. RT: yes */
sn_status sn__supports_write(sn__supports *supports, sn_support_state *msg) SN_RT;

#endif
