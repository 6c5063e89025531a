/* Runs the scripts of `movements` in real time: their steps load files and wait for other
   components, which the cycle must not. */
#include "movements/movements_component.h"
#include "rt/futex.h"

static const int64_t PERIOD_NS = 10000000;

static void *run_scripts(void *context) {
  sn__movements *self = context;
  while (!atomic_load(&self->must_end)) {
    const uint32_t seen = atomic_load(&self->wake); /* before the look: later changes wake */
    pthread_mutex_lock(&self->lock);
    const bool is_script = self->mode == SN__MOVEMENTS_SCRIPT;
    if (is_script) {
      sn__movements_update(self, sn_clock_now_ns(sn_system_clock(self->component.system)));
    }
    pthread_mutex_unlock(&self->lock);
    sn__futex_wait(&self->wake, seen, is_script ? sn__real_now_ns() + PERIOD_NS : INT64_MAX);
  }
  return NULL;
}

bool sn__movements_start_thread(sn__movements *self) {
  atomic_store(&self->must_end, false);
  self->has_thread = pthread_create(&self->thread, NULL, run_scripts, self) == 0;
  return self->has_thread;
}

void sn__movements_wake_thread(sn__movements *self) {
  atomic_fetch_add(&self->wake, 1);
  sn__futex_wake(&self->wake);
}

void sn__movements_end_thread(sn__movements *self) {
  atomic_store(&self->must_end, true);
  sn__movements_wake_thread(self);
  if (self->has_thread) {
    pthread_join(self->thread, NULL);
    self->has_thread = false;
  }
}
