/** @file
 *  The state of an arbiter from inside: what must always hold in it, and its shortest form, from
 *  which it can be restored. */
#ifndef SN_ARBITER_STATE_H
#define SN_ARBITER_STATE_H

#include "arbiter/arbiter_core.h"

/** NULL if all that must hold in every state holds, else what does not. */
const char *sn_arbiter_broken(const sn_arbiter *arbiter);

/** Bytes of a saved state are at most this, up to 4 controllers and 4 resources. */
enum { SN_ARBITER_STATE_SIZE = 56 };

/** The state in bytes, equal for states that no event can distinguish: of tickets only the order
 * counts, where it matters. All notifications must have been delivered, and the time must not have
 *  passed since the creation: deadlines are not stored.
 *  @return the size */
size_t sn_arbiter_state_save(const sn_arbiter *arbiter, uint8_t bytes[SN_ARBITER_STATE_SIZE]);

/** The same state with other numbers for controllers and resources: what c and r were is
 *  @p controllers[c] and @p resources[r]. */
void sn_arbiter_state_rename(const uint8_t from[SN_ARBITER_STATE_SIZE], const uint8_t *controllers,
                             size_t controller_count, const uint8_t *resources,
                             size_t resource_count, uint8_t to[SN_ARBITER_STATE_SIZE]);

/** Into an arbiter of the same configuration. It is time 0; patient requests wait for @p wait_ns.
 */
void sn_arbiter_state_load(sn_arbiter *arbiter, const uint8_t bytes[SN_ARBITER_STATE_SIZE],
                           int64_t wait_ns);

#endif
