/* For syscall(), clock_gettime() and nanosleep(). */
#define _GNU_SOURCE

#include "rt/futex.h"

#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const int64_t second_ns = INT64_C(1000000000);

void sn__futex_wait(_Atomic uint32_t *word, uint32_t seen, int64_t until_ns) {
  const struct timespec until = {.tv_sec = (time_t)(until_ns / second_ns),
                                 .tv_nsec = (long)(until_ns % second_ns)};
  /* FUTEX_WAIT_BITSET takes an absolute time of the monotonic clock. */
  syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, seen, until_ns == INT64_MAX ? NULL : &until,
          NULL, FUTEX_BITSET_MATCH_ANY);
}

void sn__futex_wake(_Atomic uint32_t *word) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

int64_t sn__real_now_ns(void) {
  struct timespec now = {0};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * second_ns + now.tv_nsec;
}

void sn__real_pause(void) {
  const struct timespec moment = {.tv_nsec = 20000};
  nanosleep(&moment, NULL);
}
