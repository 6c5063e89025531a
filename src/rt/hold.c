/* Holding a system: the lock of management. */
#include "rt/component_runtime.h"
#include "rt/futex.h"

/* A lock is not part of what a system is. */
void sn_system_hold(const sn_system *system) {
  pthread_mutex_lock((pthread_mutex_t *)&system->mutex);
}

bool sn_system_hold_within(const sn_system *system, int64_t timeout_ns) {
  pthread_mutex_t *mutex = (pthread_mutex_t *)&system->mutex;
  const int64_t until_ns = timeout_ns > 0 ? sn__real_now_ns() + timeout_ns : 0;
  bool is_held = pthread_mutex_trylock(mutex) == 0;
  while (!is_held && until_ns != 0 && sn__real_now_ns() < until_ns) {
    sn__real_pause();
    is_held = pthread_mutex_trylock(mutex) == 0;
  }
  return is_held;
}

void sn_system_release(const sn_system *system) {
  pthread_mutex_unlock((pthread_mutex_t *)&system->mutex);
}
