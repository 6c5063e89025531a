/** @file
 *  Internal: futexes: sleep until a number changes, and wake the sleepers. The kernel checks the
 *  number again before it sleeps, so that no wake-up is lost. */
#ifndef SN_RT_FUTEX_H
#define SN_RT_FUTEX_H

#include <stdatomic.h>
#include <stdint.h>

/** Sleep while *word is @p seen, until woken or until the monotonic clock shows @p until_ns
 *  (INT64_MAX: no time-out). May return early: check again. */
void sn__futex_wait(_Atomic uint32_t *word, uint32_t seen, int64_t until_ns);

/** Wake all sleepers on the word. */
void sn__futex_wake(_Atomic uint32_t *word);

/** The monotonic clock of the operating system, used for time-outs and sleeps. */
int64_t sn__real_now_ns(void);

/** Sleep briefly, while waiting for a cycle to end. */
void sn__real_pause(void);

#endif
