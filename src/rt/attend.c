/* Components that attend to the system as a whole. Their hooks run without the system's lock, since
   threads of theirs may want it while they are waited for. */
#define _POSIX_C_SOURCE 200809L

#include <time.h>

#include "base/fail.h"
#include "rt/cell.h"

static bool change(sn__cell *cell, int from, sn__attendance to) {
  return atomic_compare_exchange_strong(&cell->attendance, &from, (int)to);
}

sn_status sn__cell_attend(sn__cell *cell, sn_error *err) {
  const sn_component *component = cell->component;
  if (component->type->attend == NULL || !change(cell, SN__ABSENT, SN__COMING)) {
    return SN_OK;
  }
  if (sn__cell_state(cell) != SN_STATE_RUNNING) { /* stopped meanwhile, or never started */
    atomic_store(&cell->attendance, SN__ABSENT);
    return SN_OK;
  }
  sn_error reason = {.message = ""};
  const sn_component *outer = sn__hook_begin(cell, "attend");
  const sn_status status = component->type->attend(cell->component, &reason);
  sn__hook_end(cell, outer);
  atomic_store(&cell->attendance, status == SN_OK ? SN__PRESENT : SN__ABSENT);
  return status == SN_OK
             ? SN_OK
             : sn__fail(err, status, "%s did not begin: %s", component->name,
                        reason.message[0] != '\0' ? reason.message : sn_status_text(status));
}

sn_status sn__cell_leave(sn__cell *cell, sn_error *err) {
  if (change(cell, SN__PRESENT, SN__LEAVING)) {
    if (cell->component->type->leave != NULL) {
      const sn_component *outer = sn__hook_begin(cell, "leave");
      cell->component->type->leave(cell->component);
      sn__hook_end(cell, outer);
    }
    atomic_store(&cell->attendance, SN__ABSENT);
  }
  return atomic_load(&cell->attendance) == SN__ABSENT
             ? SN_OK
             : sn__fail(err, SN_EBUSY, "%s is being started or stopped by somebody else",
                        cell->component->name);
}

/* The hook's turn for each component, none of which can be removed meanwhile.
   @return the first refusal, after which others have their turn only if @p is_for_all */
static sn_status for_each(sn_system *system, sn_status (*hook)(sn__cell *cell, sn_error *err),
                          bool is_for_all, sn_error *err) {
  sn_status first = SN_OK;
  sn_system_hold(system);
  for (size_t i = 0; i < system->cell_count && (first == SN_OK || is_for_all); i++) {
    sn__cell *cell = system->cells[i];
    cell->holders++;
    sn_system_release(system);
    const sn_status status = hook(cell, err);
    first = first == SN_OK ? status : first;
    sn_system_hold(system);
    cell->holders--;
  }
  sn_system_release(system);
  return first;
}

sn_status sn__system_attend(sn_system *system, sn_error *err) {
  return for_each(system, sn__cell_attend, false, err);
}

/* Threads of one that attends may be about to start or stop another one: these end when it leaves,
   so all that can leave do, and then those that could not are looked at again. */
void sn__system_leave(sn_system *system) {
  const struct timespec nap = {.tv_nsec = 1000000};
  while (for_each(system, sn__cell_leave, true, NULL) != SN_OK) {
    nanosleep(&nap, NULL);
  }
}
