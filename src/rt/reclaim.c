/* How management takes things out of use without the real-time path ever waiting: it takes them out
   of the lists that a cycle reads, then waits until every activity has been seen outside of a
   cycle. A cycle that begins later reads the new lists; both sides use sequentially consistent
   accesses, so that one of them sees the other. */
#include "rt/component_runtime.h"
#include "rt/futex.h"

static const int64_t patience_ns = INT64_C(2000000000);

bool sn__activity_quiet(const sn_activity *activity) {
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

void sn__system_sweep(sn_system *system) {
  for (size_t i = 0; i < system->activity_count && system->retired != NULL; i++) {
    if (!sn__activity_quiet(system->activities[i])) {
      return; /* a cycle that hangs: keep all of it until it ends */
    }
  }
  while (system->retired != NULL) {
    sn__retired *what = system->retired;
    system->retired = what->next;
    what->dispose(what);
  }
}
