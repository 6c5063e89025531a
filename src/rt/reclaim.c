/* Reclaiming memory without making the real-time path wait, as in RCU: an object is removed from
   the lists that cycles read, and freed once every activity has been observed outside of a cycle. A
   cycle that starts later reads the new lists; both sides use sequentially consistent accesses, so
   that at least one of them sees the other. A model is in tests/models/quiescence.pml: change both.
 */
#include "rt/component_runtime.h"
#include "rt/futex.h"

static const int64_t patience_ns = INT64_C(2000000000);

bool sn__activity_wait_quiescent(const sn_activity *activity) {
  if (activity == NULL) {
    return true;
  }
  if (activity == sn__activity_current) {
    return false;
  }
  const uint64_t seen = atomic_load(&activity->cycle);
  if (seen % 2 == 0) {
    return true;
  }
  const int64_t until_ns = sn__real_now_ns() + patience_ns;
  while (atomic_load(&activity->cycle) == seen) {
    if (sn__real_now_ns() >= until_ns) {
      return false;
    }
    sn__real_pause();
  }
  return true;
}

void sn__system_retire(sn_system *system, sn__retired *what) {
  if (what != NULL) {
    what->next = system->retired;
    system->retired = what;
  }
}

void sn__system_reclaim(sn_system *system) {
  for (size_t i = 0; i < system->activity_count && system->retired != NULL; i++) {
    if (!sn__activity_wait_quiescent(system->activities[i])) {
      return; /* a cycle hangs: keep everything until it ends */
    }
  }
  while (system->retired != NULL) {
    sn__retired *what = system->retired;
    system->retired = what->next;
    what->dispose(what);
  }
}
