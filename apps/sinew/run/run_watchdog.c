#define _POSIX_C_SOURCE 200809L

#include "run/run_watchdog.h"

#include <time.h>

#include "run/notify.h"

static uint64_t fewest_cycles(const sn_system *system) {
  uint64_t fewest = UINT64_MAX;
  const sn_activity *activity = NULL;
  for (size_t i = 0; (activity = sn_system_activity_at(system, i)) != NULL; i++) {
    const uint64_t cycles =
        __atomic_load_n(&sn_activity_timing_of(activity)->cycles, __ATOMIC_RELAXED);
    const bool is_periodic = sn_activity_config_of(activity)->period_ns > 0;
    fewest = is_periodic && cycles < fewest ? cycles : fewest;
  }
  return fewest;
}

void run_watchdog_feed(run_watchdog *dog, const sn_system *system) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const int64_t now_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
  if (dog->period_ns == 0 || now_ns - dog->fed_ns < dog->period_ns) {
    return;
  }
  const uint64_t cycles = fewest_cycles(system);
  if (cycles != dog->cycles || cycles == UINT64_MAX) {
    notify("WATCHDOG=1");
    dog->cycles = cycles;
    dog->fed_ns = now_ns;
  }
}
