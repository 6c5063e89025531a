/** @file
 *  Programming errors: assertions that stay enabled in release builds, and the hook that they call.
 */
#ifndef SINEW_FAULT_H
#define SINEW_FAULT_H

#include "sinew/api.h"

SN_BEGIN_DECLS

/** Location and condition. All pointers are static texts. */
typedef struct sn_fault {
  const char *condition; /**< text of the condition that failed */
  const char *file;
  int line;
} sn_fault;

/** Called once per fault, on the thread that hit it. The process aborts when it returns. */
typedef void sn_fault_hook(const sn_fault *fault, void *context);

/** Install the hook (a daemon stops its actuators there); NULL restores the default, which
 *  writes one line to standard error.
 *  RT: no.  Threads: call before starting others. */
SN_API void sn_fault_set_hook(sn_fault_hook *hook, void *context);

/** Report a fault; does not return. Called by SN_ASSERT.
 *  RT: ends the process.  Threads: any. */
SN_API __attribute__((noreturn)) void sn_fault_raise(const char *condition, const char *file,
                                                     int line);

/** A condition that only a programming error can violate. Stays on in release builds. */
#define SN_ASSERT(condition) \
  ((condition) ? (void)0 : sn_fault_raise(#condition, __FILE__, __LINE__))

SN_END_DECLS

#endif
