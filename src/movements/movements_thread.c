/* Runs the scripts of `movements` in real time: their steps load files and wait for other
   components, which the cycle must not. */
#include "movements/movements_component.h"
#include "rt/futex.h"

static const int64_t PERIOD_NS = 10000000;

static void *run_scripts(void *context) {
  sn__movements *self = context;
  while (atomic_load(&self->must_end) == 0) {
    pthread_mutex_lock(&self->lock);
    if (self->mode == SN__MOVEMENTS_SCRIPT) {
      sn__movements_update(self, sn_clock_now_ns(sn_system_clock(self->component.system)));
    }
    pthread_mutex_unlock(&self->lock);
    sn__futex_wait(&self->must_end, 0, sn__real_now_ns() + PERIOD_NS);
  }
  return NULL;
}

bool sn__movements_start_thread(sn__movements *self) {
  atomic_store(&self->must_end, 0);
  self->has_thread = pthread_create(&self->thread, NULL, run_scripts, self) == 0;
  return self->has_thread;
}

void sn__movements_end_thread(sn__movements *self) {
  atomic_store(&self->must_end, 1);
  sn__futex_wake(&self->must_end);
  if (self->has_thread) {
    pthread_join(self->thread, NULL);
    self->has_thread = false;
  }
}
