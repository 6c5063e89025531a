/* The end of a run: what was broken is mended, and the robot has to come back to life. A system
   that waits for itself, or a limb that no one can have any more, is found here. */
#include <stdio.h>
#include <string.h>

#include "sinew/msg_types.h"
#include "storm/storm_faults.h"

#define TRY_NS INT64_C(500000000)
enum { TRIES = 12 };

static void tame(storm_run *run) {
  for (size_t i = 0; i < sn_system_component_count(run->app.system); i++) {
    const sn_component *component = sn_system_component_at(run->app.system, i);
    char name[160];
    if (strcmp(component->type->name, "storm_rogue") == 0) {
      snprintf(name, sizeof name, "%s.tame", component->name);
      storm_set(run, name, json_true());
    }
  }
}

static bool all_run(storm_run *run) {
  for (size_t i = 0; i < sn_system_component_count(run->app.system); i++) {
    const sn_component *component = sn_system_component_at(run->app.system, i);
    const sn_component_state state = sn_component_state_now(component);
    if (state != SN_STATE_RUNNING) {
      return storm_violate(run, "after the storm '%s' is %s and cannot be started", component->name,
                           sn_component_state_text(state));
    }
  }
  return true;
}

/* `hold` gets back what others release. */
static bool all_owned(storm_run *run) {
  const sn_resource_assignment *a = sn_tap_read(run->assignment, NULL);
  for (size_t i = 0; a != NULL && i < a->owners.count; i++) {
    const char *name = sn_msg_names_at(&a->resources, i);
    if (sn_msg_names_at(&a->owners, i)[0] == '\0' && sn_model_chain_index(run->model, name) >= 0) {
      return storm_violate(run, "after the storm limb '%s' has no owner", name);
    }
  }
  return true;
}

static bool is_commanded(storm_run *run) {
  const int64_t age_ns = sn_clock_now_ns(&run->app.clock) - run->before.stamp_ns;
  return age_ns <= 3 * run->period_ns ||
         storm_violate(run, "after the storm there was no command for %.3f s",
                       1e-9 * (double)age_ns);
}

bool storm_calm(storm_run *run) {
  sn_random none;
  sn_random_init(&none, 1);
  storm_all_go(run);
  tame(run);
  for (int i = 0; i < TRIES; i++) {
    storm_start_all(run, &none);
    storm_mend(run);
    (void)storm_call(run, "plant.reset", NULL);
    storm_resume(run, &none);
    (void)storm_call(run, "hold.rosSetOperational", json_pack("{s:b}", "data", 1));
    run->fault_count++;
    if (!storm_run_for(run, TRY_NS)) {
      return false;
    }
  }
  return all_run(run) && all_owned(run) && is_commanded(run);
}
