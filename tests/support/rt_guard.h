/** @file
 *  Detects operations that the real-time path forbids. For child processes: a violation ends the
 *  process. */
#ifndef SN_RT_GUARD_H
#define SN_RT_GUARD_H

enum {
  RT_GUARD_LOCKED = 41, /**< exit code: it took a lock */
  RT_GUARD_BAD = 42,    /**< exit code: reserved for the test */
  RT_GUARD_HEAP = 43,   /**< exit code: it called the heap */
};

/** From now on any system call of this thread but the end of the process kills the process by
 *  SIGSYS, and a lock ends it with RT_GUARD_LOCKED. Memory mapped by the heap would be a system
 *  call, too; rt_guard_check_heap() finds all other calls of the heap. */
void rt_guard_begin(void);

/** End the process if this thread has called the heap since rt_guard_begin(). */
void rt_guard_check_heap(void);

/** Is this thread guarded? */
_Bool rt_guard_is_on(void);

#endif
