/** @file
 *  Internal: sealing of arenas by the runtime. */
#ifndef SN_BASE_ARENA_INTERNAL_H
#define SN_BASE_ARENA_INTERNAL_H

#include "sinew/arena.h"

/** As sn_arena_seal(), but an allocation returns NULL and increments @p refused. The runtime seals
 * the memory of running components this way and puts a component that allocates into the error
 * state. RT: yes.  Threads: owner; the counter is written atomically by the thread that allocates.
 */
void sn__arena_seal_counting(sn_arena *arena, size_t *refused) SN_RT;

/** Allow allocations again. RT: yes.  Threads: owner. */
void sn__arena_unseal(sn_arena *arena) SN_RT;

#endif
