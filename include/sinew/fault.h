/** @file
 *  Programmer mistakes: asserts that stay on in release, and the hook that they call. */
#ifndef SINEW_FAULT_H
#define SINEW_FAULT_H

#include "sinew/api.h"

SN_BEGIN_DECLS

/** Where and what. All pointers are static texts. */
typedef struct sn_fault {
  const char *condition; /**< the text of the condition that did not hold */
  const char *file;
  int line;
} sn_fault;

/** Called once per fault, on the thread that hit it. The process aborts when it returns. */
typedef void sn_fault_hook(const sn_fault *fault, void *context);

/** Install the hook (a daemon drives its stop sequence there); NULL restores the default, which
 *  writes one line to standard error.
 *  RT: no.  Threads: call before starting others. */
SN_API void sn_fault_set_hook(sn_fault_hook *hook, void *context);

/** Report a fault; does not return. Called by SN_ASSERT.
 *  RT: the last thing that happens.  Threads: any. */
SN_API __attribute__((noreturn)) void sn_fault_raise(const char *condition, const char *file,
                                                     int line);

/** One condition that only a mistake in the program can break. Stays on in release builds. */
#define SN_ASSERT(condition) \
  ((condition) ? (void)0 : sn_fault_raise(#condition, __FILE__, __LINE__))

SN_END_DECLS

#endif
