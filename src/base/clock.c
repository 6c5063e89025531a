/* For clock_gettime(). No other file of the library reads a clock. */
#define _POSIX_C_SOURCE 200809L

#include "sinew/clock.h"

#include <math.h>
#include <time.h>

#include "base/fail.h"
#include "sinew/fault.h"

/* The simulated reading is a plain int64_t because C++ includes the header and has no _Atomic. The
 * built-in functions of GCC and Clang make its accesses atomic. Acquire and release: a thread that
 * sees a reading also sees what was written before the clock was advanced to it. */
static int64_t load_ns(const int64_t *ns) {
  return __atomic_load_n(ns, __ATOMIC_ACQUIRE);
}

static void store_ns(int64_t *ns, int64_t value) {
  __atomic_store_n(ns, value, __ATOMIC_RELEASE);
}

/* CLOCK_MONOTONIC exists on every supported system, so the status is ignored. */
static int64_t real_now_ns(void) {
  struct timespec now = {0};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* a + b for b >= 0, saturating instead of wrapping into the past. */
static int64_t add_saturated(int64_t a, int64_t b) {
  return a > INT64_MAX - b ? INT64_MAX : a + b;
}

void sn_clock_init_monotonic(sn_clock *clock) {
  *clock = (sn_clock){.kind = SN_CLOCK_MONOTONIC, .factor = 1.0};
}

void sn_clock_init_simulated(sn_clock *clock, int64_t start_ns) {
  *clock = (sn_clock){
      .kind = SN_CLOCK_SIMULATED, .factor = 1.0, .start_ns = start_ns, .now_ns = start_ns};
}

sn_status sn_clock_init_accelerated(sn_clock *clock, int64_t start_ns, double factor,
                                    sn_error *err) {
  if (!(factor >= 1e-3 && factor <= 1e6)) { /* the negated form also rejects NaN */
    return sn__fail(err, SN_EINVAL, "clock: factor is %g, must be in 0.001 .. 1000000", factor);
  }
  *clock = (sn_clock){.kind = SN_CLOCK_ACCELERATED,
                      .factor = factor,
                      .start_ns = start_ns,
                      .real_start_ns = real_now_ns()};
  return SN_OK;
}

int64_t sn_clock_now_ns(const sn_clock *clock) {
  if (clock->kind == SN_CLOCK_SIMULATED) {
    return load_ns(&clock->now_ns);
  }
  if (clock->kind == SN_CLOCK_MONOTONIC) {
    return real_now_ns();
  }
  /* Product and conversion round monotonically, so the reading never decreases. */
  const double elapsed_ns = (double)(real_now_ns() - clock->real_start_ns) * clock->factor;
  return add_saturated(clock->start_ns, elapsed_ns < 0x1p63 ? (int64_t)elapsed_ns : INT64_MAX);
}

void sn_clock_advance(sn_clock *clock, int64_t step_ns) {
  SN_ASSERT(clock->kind == SN_CLOCK_SIMULATED);
  SN_ASSERT(step_ns >= 0);
  store_ns(&clock->now_ns, add_saturated(load_ns(&clock->now_ns), step_ns));
}
