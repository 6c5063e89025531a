/** @file
 *  Internal: which chains carry the robot, as their owners say.
 *
 *  A chain belongs to the source that owns all of its joints. What its owner said last stays while
 *  it owns the chain, also if it falls silent: the chain is held then, and a leg that stands goes
 * on standing. With a new owner it starts at 0. */
#ifndef SN_GATE_SUPPORTS_H
#define SN_GATE_SUPPORTS_H

#include "sinew/arena.h"
#include "sinew/gate.h"
#include "sinew/model.h"
#include "sinew/msg_types.h"

typedef struct sn__supports sn__supports;

/** @return NULL if there is no room */
sn__supports *sn__supports_create(sn_arena *arena, const sn_model *model);

/** @param owners  of each joint of the sorted pose; -1: nobody. RT: yes */
void sn__supports_own(sn__supports *supports, const int *owners) SN_RT;

/** Take what a source says: refused as a whole if it is malformed, else chain by chain.
 *  @param chain  of what was refused last; -1: none in particular
 *  @return the last reason of a refusal; SN_GATE_REASON_COUNT: there was none. RT: yes */
sn_gate_reason sn__supports_take(sn__supports *supports, int source, const sn_support_state *msg,
                                 int *chain) SN_RT;

/** Fill a message with all chains in the order of the model. @return SN_OK, SN_ENOSPC. RT: yes */
sn_status sn__supports_write(sn__supports *supports, sn_support_state *msg) SN_RT;

#endif
