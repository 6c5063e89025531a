/* Components that attend to the system as a whole. Their hooks run without the system's lock, since
   threads of theirs may want it while they are waited for. */
#define _POSIX_C_SOURCE 200809L

#include <time.h>

#include "base/fail.h"
#include "rt/component_runtime.h"

static bool change(sn__component_runtime *runtime, int from, sn__attendance to) {
  return atomic_compare_exchange_strong(&runtime->attendance, &from, (int)to);
}

sn_status sn__component_on_system_started(sn__component_runtime *runtime, sn_error *err) {
  const sn_component *component = runtime->component;
  if (component->type->attend == NULL || !change(runtime, SN__ABSENT, SN__COMING)) {
    return SN_OK;
  }
  if (sn__runtime_state(runtime) != SN_STATE_RUNNING) { /* stopped meanwhile, or never started */
    atomic_store(&runtime->attendance, SN__ABSENT);
    return SN_OK;
  }
  sn_error reason = {.message = ""};
  const sn_component *outer = sn__hook_begin(runtime, "attend");
  const sn_status status = component->type->attend(runtime->component, &reason);
  sn__hook_end(runtime, outer);
  atomic_store(&runtime->attendance, status == SN_OK ? SN__PRESENT : SN__ABSENT);
  return status == SN_OK
             ? SN_OK
             : sn__fail(err, status, "%s did not begin: %s", component->name,
                        reason.message[0] != '\0' ? reason.message : sn_status_text(status));
}

sn_status sn__component_on_system_stopping(sn__component_runtime *runtime, sn_error *err) {
  if (change(runtime, SN__PRESENT, SN__LEAVING)) {
    if (runtime->component->type->leave != NULL) {
      const sn_component *outer = sn__hook_begin(runtime, "leave");
      runtime->component->type->leave(runtime->component);
      sn__hook_end(runtime, outer);
    }
    atomic_store(&runtime->attendance, SN__ABSENT);
  }
  return atomic_load(&runtime->attendance) == SN__ABSENT
             ? SN_OK
             : sn__fail(err, SN_EBUSY, "%s is being started or stopped by somebody else",
                        runtime->component->name);
}

/* The hook's turn for each component, none of which can be removed meanwhile.
   @return the first refusal, after which others have their turn only if @p is_for_all */
static sn_status for_each(sn_system *system,
                          sn_status (*hook)(sn__component_runtime *runtime, sn_error *err),
                          bool is_for_all, sn_error *err) {
  sn_status first = SN_OK;
  sn_system_hold(system);
  for (size_t i = 0; i < system->cell_count && (first == SN_OK || is_for_all); i++) {
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

/* Threads of one that attends may be about to start or stop another one: these end when it leaves,
   so all that can leave do, and then those that could not are looked at again. */
void sn__system_leave(sn_system *system) {
  const struct timespec nap = {.tv_nsec = 1000000};
  while (for_each(system, sn__component_on_system_stopping, true, NULL) != SN_OK) {
    nanosleep(&nap, NULL);
  }
}
