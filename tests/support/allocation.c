#include "allocation.h"

#include <errno.h>
#include <stdlib.h>

#include "sn_test.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#endif
#if defined(__GLIBC__) && !defined(HAS_SANITIZER)
#define IS_WATCHED 1
#else
#define IS_WATCHED 0
#endif

static _Thread_local size_t call_count;
static _Thread_local long live_count;
static _Thread_local size_t until_failure; /* allocations before the first that fails */
static _Thread_local size_t failures_left;
static _Thread_local size_t failure_count;

bool sn_test_heap_is_watched(void) {
  return IS_WATCHED;
}

size_t sn_test_heap_calls(void) {
  return call_count;
}

long sn_test_heap_live(void) {
  return live_count;
}

void sn_test_heap_fail(size_t first, size_t count) {
  until_failure = first == 0 ? 0 : first - 1;
  failures_left = count;
  failure_count = 0;
}

size_t sn_test_heap_failures(void) {
  return failure_count;
}

void sn_test_heap_check(size_t calls, const char *what, const char *file, int line) {
  if (calls != 0) {
    print_error("'%s' called the heap %zu times\n", what, calls);
    _fail(file, line);
  }
}

#if IS_WATCHED

/* glibc's names of the replaced functions. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void __libc_free(void *block);

/* The library is built with hidden symbols, but these must be visible. */
#define FOR_EVERYBODY __attribute__((visibility("default")))

/* Count one allocation. @return whether it has to fail */
static bool has_to_fail(void) {
  call_count++;
  if (failures_left == 0) {
    return false;
  }
  if (until_failure > 0) {
    until_failure--;
    return false;
  }
  failures_left--;
  failure_count++;
  errno = ENOMEM;
  return true;
}

static void *count_block(void *block) {
  live_count += block != NULL ? 1 : 0;
  return block;
}

FOR_EVERYBODY void *malloc(size_t size) {
  return has_to_fail() ? NULL : count_block(__libc_malloc(size));
}

FOR_EVERYBODY void *calloc(size_t count, size_t size) {
  return has_to_fail() ? NULL : count_block(__libc_calloc(count, size));
}

FOR_EVERYBODY void *realloc(void *block, size_t size) {
  if (has_to_fail()) {
    return NULL;
  }
  void *moved = __libc_realloc(block, size);
  return block == NULL ? count_block(moved) : moved;
}

FOR_EVERYBODY void free(void *block) {
  call_count++;
  live_count -= block != NULL ? 1 : 0;
  __libc_free(block);
}

#endif
