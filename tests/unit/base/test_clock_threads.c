#include <pthread.h>

#include "sinew/clock.h"
#include "sn_test.h"

#define STEPS 200000
#define READERS 3

/* Written before the clock is advanced to the reading of the same value: plain memory, so the
   thread sanitizer sees whether the clock orders it. */
static int64_t written_at[STEPS + 1];
static sn_clock shared_clock;

static void *read_until_the_end(void *failures) {
  int64_t previous_ns = 0;
  while (previous_ns < STEPS) {
    const int64_t now_ns = sn_clock_now_ns(&shared_clock);
    *(int *)failures += now_ns < previous_ns || written_at[now_ns] != now_ns;
    previous_ns = now_ns;
  }
  return NULL;
}

SN_TEST(readers_see_time_grow_and_what_was_written_before) {
  sn_clock_init_simulated(&shared_clock, 0);
  pthread_t readers[READERS];
  int failures[READERS] = {0};
  for (int i = 0; i < READERS; i++) {
    assert_int_equal(pthread_create(&readers[i], NULL, read_until_the_end, &failures[i]), 0);
  }
  for (int64_t now_ns = 1; now_ns <= STEPS; now_ns++) {
    written_at[now_ns] = now_ns;
    sn_clock_advance(&shared_clock, 1);
  }
  for (int i = 0; i < READERS; i++) {
    assert_int_equal(pthread_join(readers[i], NULL), 0);
    assert_int_equal(failures[i], 0);
  }
}
