/** @file
 *  Which controller may move which joint, from `resources_control`, which decides, to `aggregator`,
 *  which enforces it: a whole table at a time, so that a hand-over of several joints is one step.
 */
#ifndef SN_ARBITER_OWNERS_H
#define SN_ARBITER_OWNERS_H

#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/component.h"

SN_BEGIN_DECLS

/** The interface of the service: its interface is an `sn_owners *`. */
#define SN_OWNERS "ResourceOwners"

/** One state of ownership. */
typedef struct sn_owner_table {
  uint64_t version;            /**< grows with every commit; 0: nothing was committed yet */
  const sn_component **owners; /**< [joint of the sorted pose]; NULL: none */
  const sn_component **former; /**< [joint] the owner before that; filled by the commit */
} sn_owner_table;

/** Opaque. Lives in the arena it was created from. */
typedef struct sn_owners sn_owners;

/** All joints free. @return NULL if memory runs out.  RT: no, allocates. */
sn_owners *sn__owners_create(sn_arena *arena, size_t joint_count);

/** The next table, filled as the last one committed; change it, then commit.
 *  RT: yes, O(joints).  Threads: one writer. */
sn_owner_table *sn__owners_prepare(sn_owners *owners) SN_RT;

/** From now on the prepared table holds, for all of its joints at once. RT: yes.  Threads: as
 * above. */
void sn__owners_commit(sn_owners *owners) SN_RT;

/** The table that holds now; valid until the next call.
 *  RT: yes.  Threads: one reader. */
const sn_owner_table *sn__owners_now(sn_owners *owners) SN_RT;

SN_END_DECLS

#endif
