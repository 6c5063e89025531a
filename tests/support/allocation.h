/** @file
 *  Watches the heap: counts calls, and simulates a lack of memory.
 *
 *  Wraps malloc, calloc, realloc and free of the whole program (including expat, libyaml and libc).
 *  Counts are per thread. Under a sanitizer, which replaces the heap, and without glibc nothing is
 *  counted and nothing fails: see sn_test_heap_is_watched(). */
#ifndef SN_ALLOCATION_H
#define SN_ALLOCATION_H

#include <stdbool.h>
#include <stddef.h>

/** Does this build count? */
bool sn_test_heap_is_watched(void);

/** Calls of malloc, calloc, realloc and free by this thread so far. */
size_t sn_test_heap_calls(void);

/** Blocks that this thread has allocated and not freed. */
long sn_test_heap_live(void);

/** Let the @p first-th allocation of this thread from now on (1 is the next one) return NULL, and
 *  the following ones, up to @p count in all. A count of 0 disables it. */
void sn_test_heap_fail(size_t first, size_t count);

/** How many allocations have failed since the last sn_test_heap_fail(). */
size_t sn_test_heap_failures(void);

/** The statements must not touch the heap. Always true in a build that does not count. */
#define sn_assert_no_heap(...)                                                              \
  do {                                                                                      \
    const size_t sn_heap_calls_before = sn_test_heap_calls();                               \
    __VA_ARGS__;                                                                            \
    sn_test_heap_check(sn_test_heap_calls() - sn_heap_calls_before, #__VA_ARGS__, __FILE__, \
                       __LINE__);                                                           \
  } while (0)

void sn_test_heap_check(size_t calls, const char *what, const char *file, int line);

#endif
