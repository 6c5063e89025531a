/** @file
 *  The internal state of an arbiter: its invariants, and a compact form to save and restore it. */
#ifndef SN_ARBITER_STATE_H
#define SN_ARBITER_STATE_H

#include "arbiter/arbiter_core.h"

/** NULL if all invariants hold, else the violated one. */
const char *sn_arbiter_broken(const sn_arbiter *arbiter);

/** Maximum size of a saved state with up to 4 controllers and 4 resources. */
enum { SN_ARBITER_STATE_SIZE = 56 };

/** The state in bytes, equal for states that no event can distinguish: of tickets only the order
 *  counts, where it matters. All notifications must have been delivered, and the time must not have
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
