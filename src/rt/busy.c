#include "rt/busy.h"

#include "rt/component_runtime.h"

static sn_busy busy_of(const sn_activity *activity) {
  const sn__component_runtime *runtime =
      atomic_load_explicit(&activity->stepping, memory_order_relaxed);
  return (sn_busy){
      .component = runtime == NULL ? NULL : runtime->component->name,
      .what = atomic_load_explicit(&activity->is_calling, memory_order_relaxed) ? "call" : "step",
      .activity = activity->config.name,
      .cycle = (atomic_load_explicit(&activity->cycle, memory_order_relaxed) + 1) / 2};
}

bool sn__busy_here(sn_busy *out) {
  const sn_activity *activity = sn__activity_current;
  if (activity != NULL) {
    *out = busy_of(activity);
  }
  return activity != NULL;
}

bool sn__busy_at(const sn_system *system, size_t index, sn_busy *out) {
  if (index == 0) {
    const sn_component *component = atomic_load(&system->hooked);
    if (component != NULL) {
      *out = (sn_busy){.component = component->name, .what = atomic_load(&system->hook)};
    }
    return component != NULL;
  }
  if (index > system->activity_count) { /* without the lock: the list no longer changes */
    return false;
  }
  const sn_activity *activity = system->activities[index - 1];
  if (atomic_load(&activity->cycle) % 2 == 0) {
    return false;
  }
  *out = busy_of(activity);
  return true;
}

const sn_component *sn__hook_begin(sn__component_runtime *runtime, const char *hook) {
  const sn_component *outer = atomic_load(&runtime->system->hooked);
  atomic_store(&runtime->system->hook, hook);
  atomic_store(&runtime->system->hooked, runtime->component);
  return outer;
}

void sn__hook_end(sn__component_runtime *runtime, const sn_component *outer) {
  atomic_store(&runtime->system->hooked, outer);
}
