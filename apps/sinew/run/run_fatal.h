/** @file
 *  Abnormal end of `sinew run`: a failed assertion, a fatal signal, a component
 *  that calls exit(), an end that takes too long. Each writes a last line that says what, where and
 *  in which component; the servos go into their safe state, recordings are written out. */
#ifndef SINEW_RUN_FATAL_H
#define SINEW_RUN_FATAL_H

#include "sinew/system.h"

/** How long an end may take that a signal asked for, s. */
enum { RUN_END_MAX_S = 5 };

/** From now on; the list must last. The main thread calls it, before other threads start. */
void run_fatal_begin(const sn_system *const *systems, size_t count);

/** A signal asks for the end: it comes within RUN_END_MAX_S, or by force; at the second signal at
 *  once. Async-signal-safe. */
void run_fatal_interrupt(void);

/** The end as it should be. */
void run_fatal_end(void);

#endif
