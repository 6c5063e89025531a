/** @file
 *  Internal: sleep until a number changes, and wake who sleeps. What locks are made of, without the
 *  lock: the number is checked again when going to sleep, so that no wake-up is lost. */
#ifndef SN_RT_FUTEX_H
#define SN_RT_FUTEX_H

#include <stdatomic.h>
#include <stdint.h>

/** Sleep while *word is @p seen, until woken or until the monotonic clock of the system shows
 *  @p until_ns (INT64_MAX: for ever). May return early: look again. */
void sn__futex_wait(_Atomic uint32_t *word, uint32_t seen, int64_t until_ns);

/** Wake all who sleep on the word. */
void sn__futex_wake(_Atomic uint32_t *word);

/** The monotonic clock of the system, which time-outs and sleeps of threads are counted in. */
int64_t sn__real_now_ns(void);

/** Let others run for a moment: for management that waits for a cycle to end. */
void sn__real_pause(void);

#endif
