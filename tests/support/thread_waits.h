/** @file
 *  Time that threads of a process waited for a processor: the share of a busy machine in a measured
 *  time. */
#ifndef SN_THREAD_WAITS_H
#define SN_THREAD_WAITS_H

#include <stddef.h>
#include <sys/types.h>

enum { THREAD_WAITS_MAX = 64 };

typedef struct thread_waits {
  size_t count;
  long ids[THREAD_WAITS_MAX];
  double ms[THREAD_WAITS_MAX]; /**< since the thread's start */
} thread_waits;

/** All threads of a process. @param name  only those that have it; NULL: all */
thread_waits thread_waits_read(pid_t pid, const char *name);
/** Of the thread that calls. */
double thread_waits_own_ms(void);
/** Sum of the waits in between of the @p most threads that waited longest. */
double thread_waits_between(const thread_waits *before, const thread_waits *after, size_t most);

#endif
