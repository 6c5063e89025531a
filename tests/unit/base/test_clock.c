#define _POSIX_C_SOURCE 200809L /* clock_gettime() */

#include <time.h>

#include "sinew/clock.h"
#include "sn_test.h"

static int64_t system_ns(void) {
  struct timespec now;
  assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &now), 0);
  return (int64_t)now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

SN_TEST(monotonic_clock_reads_the_monotonic_clock_of_the_system) {
  sn_clock clock;
  sn_clock_init_monotonic(&clock);
  for (int i = 0; i < 10000; i++) { /* each reading lies between its neighbours */
    const int64_t before_ns = system_ns();
    const int64_t now_ns = sn_clock_now_ns(&clock);
    assert_true(before_ns <= now_ns);
    assert_true(now_ns <= system_ns());
  }
}

SN_TEST(accelerated_clock_runs_by_its_factor) {
  static const double factors[] = {1e-3, 0.5, 1.0, 10.0, 1e6};
  for (size_t i = 0; i < 5; i++) {
    const double factor = factors[i];
    const int64_t start_ns = INT64_C(-123456789);
    sn_clock clock;
    const int64_t init_from_ns = system_ns();
    assert_int_equal(sn_clock_init_accelerated(&clock, start_ns, factor, NULL), SN_OK);
    const int64_t init_to_ns = system_ns();
    int64_t previous_ns = start_ns;
    for (int j = 0; j < 10000; j++) {
      const int64_t from_ns = system_ns();
      const int64_t now_ns = sn_clock_now_ns(&clock);
      const int64_t to_ns = system_ns();
      assert_true(now_ns >= previous_ns);
      const double elapsed_ns = (double)(now_ns - start_ns); /* rounded down to whole ones */
      assert_true(elapsed_ns >= (double)(from_ns - init_to_ns) * factor - 1.0);
      assert_true(elapsed_ns <= (double)(to_ns - init_from_ns) * factor);
      previous_ns = now_ns;
    }
  }
}

SN_TEST(accelerated_clock_stops_at_the_last_reading) {
  sn_clock clock;
  assert_int_equal(sn_clock_init_accelerated(&clock, INT64_MAX - 1, 1e6, NULL), SN_OK);
  const int64_t from_ns = system_ns();
  while (system_ns() < from_ns + 2) {
  }
  assert_true(sn_clock_now_ns(&clock) == INT64_MAX);
  clock.real_start_ns = 0; /* as if it had run since the machine's start, at ages per second */
  clock.start_ns = INT64_MIN;
  clock.factor = 1e300;
  assert_true(sn_clock_now_ns(&clock) ==
              -1); /* the longest time there is, from the first reading */
}

SN_TEST(bad_factor_is_rejected) {
  static const double factors[] = {0.0, -1.0, 0.9e-3, 1.1e6, INFINITY, -INFINITY, NAN};
  for (size_t i = 0; i < 7; i++) {
    sn_clock clock;
    sn_clock_init_simulated(&clock, 77);
    sn_error err = {0};
    assert_int_equal(sn_clock_init_accelerated(&clock, 0, factors[i], &err), SN_EINVAL);
    sn_assert_contains(err.message, "must be in 0.001 .. 1000000");
    assert_true(sn_clock_now_ns(&clock) == 77);
  }
}

SN_TEST(simulated_clock_moves_only_by_its_steps) {
  sn_clock clock;
  sn_clock_init_simulated(&clock, -5);
  assert_true(sn_clock_now_ns(&clock) == -5);
  sn_clock_advance(&clock, 0);
  assert_true(sn_clock_now_ns(&clock) == -5);
  sn_clock_advance(&clock, 1000005);
  assert_true(sn_clock_now_ns(&clock) == 1000000);
  sn_clock_advance(&clock, INT64_MAX);
  assert_true(sn_clock_now_ns(&clock) == INT64_MAX);
}

SN_TEST(wrong_use_is_a_fault) {
  sn_clock clock;
  sn_clock_init_simulated(&clock, 0);
  sn_assert_fault(sn_clock_advance(&clock, -1), "step_ns >= 0");
  sn_clock_init_monotonic(&clock);
  sn_assert_fault(sn_clock_advance(&clock, 1), "SN_CLOCK_SIMULATED");
}
