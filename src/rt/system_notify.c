/* Notifies components that the system has started or is stopping. The hooks run without the
   system's lock, since they may wait for threads that want it. */
#define _POSIX_C_SOURCE 200809L

#include <time.h>

#include "base/fail.h"
#include "rt/component_runtime.h"

static bool change(sn__component_runtime *runtime, int from, sn__notify_state to) {
  return atomic_compare_exchange_strong(&runtime->notify_state, &from, (int)to);
}

sn_status sn__component_on_system_started(sn__component_runtime *runtime, sn_error *err) {
  const sn_component *component = runtime->component;
  if (component->type->on_system_started == NULL ||
      !change(runtime, SN__NOTIFY_NONE, SN__NOTIFY_STARTING)) {
    return SN_OK;
  }
  if (sn__runtime_state(runtime) !=
      SN_STATE_RUNNING) { /* stopped in the meantime, or never started */
    atomic_store(&runtime->notify_state, SN__NOTIFY_NONE);
    return SN_OK;
  }
  sn_error reason = {.message = ""};
  const sn_component *outer = sn__hook_begin(runtime, "attend");
  const sn_status status = component->type->on_system_started(runtime->component, &reason);
  sn__hook_end(runtime, outer);
  atomic_store(&runtime->notify_state, status == SN_OK ? SN__NOTIFY_STARTED : SN__NOTIFY_NONE);
  return status == SN_OK
             ? SN_OK
             : sn__fail(err, status, "%s did not start: %s", component->name,
                        reason.message[0] != '\0' ? reason.message : sn_status_text(status));
}

sn_status sn__component_on_system_stopping(sn__component_runtime *runtime, sn_error *err) {
  if (change(runtime, SN__NOTIFY_STARTED, SN__NOTIFY_STOPPING)) {
    if (runtime->component->type->on_system_stopping != NULL) {
      const sn_component *outer = sn__hook_begin(runtime, "leave");
      runtime->component->type->on_system_stopping(runtime->component);
      sn__hook_end(runtime, outer);
    }
    atomic_store(&runtime->notify_state, SN__NOTIFY_NONE);
  }
  return atomic_load(&runtime->notify_state) == SN__NOTIFY_NONE
             ? SN_OK
             : sn__fail(err, SN_EBUSY, "%s is being started or stopped by another thread",
                        runtime->component->name);
}

/* Call the hook of each component; none can be removed in the meantime. @return the first
   failure, after which the others are called only if @p is_for_all */
static sn_status for_each(sn_system *system,
                          sn_status (*hook)(sn__component_runtime *runtime, sn_error *err),
                          bool is_for_all, sn_error *err) {
  sn_status first = SN_OK;
  sn_system_hold(system);
  for (size_t i = 0; i < system->runtime_count && (first == SN_OK || is_for_all); i++) {
    sn__component_runtime *runtime = system->runtimes[i];
    runtime->holders++;
    sn_system_release(system);
    const sn_status status = hook(runtime, err);
    first = first == SN_OK ? status : first;
    sn_system_hold(system);
    runtime->holders--;
  }
  sn_system_release(system);
  return first;
}

sn_status sn__system_notify_started(sn_system *system, sn_error *err) {
  return for_each(system, sn__component_on_system_started, false, err);
}

/* A thread of one component may be starting or stopping another one. It ends when its component
   is notified, so notify all that can be notified, then try the rest again. */
void sn__system_notify_stopping(sn_system *system) {
  const struct timespec nap = {.tv_nsec = 1000000};
  while (for_each(system, sn__component_on_system_stopping, true, NULL) != SN_OK) {
    nanosleep(&nap, NULL);
  }
}
