/* Checking, starting and stopping all components of a system. */
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/report_internal.h"
#include "rt/component_runtime.h"
#include "rt/journal/journal.h"
#include "rt/system_internal.h"

/* ---- check ---- */

typedef struct checking {
  sn_component_place *place;
  void *context;
  sn_report *report;
} checking;

static sn_place place_of(const checking *c, const sn__component_runtime *runtime) {
  return c->place == NULL ? (sn_place){.file = ""} : c->place(c->context, runtime->component);
}

static void check_properties(const checking *c, const sn__component_runtime *runtime) {
  const sn_property *properties = runtime->component->type->properties;
  for (size_t i = 0; properties != NULL && properties[i].name != NULL; i++) {
    if ((properties[i].flags & SN_PROPERTY_REQUIRED) != 0 && runtime->property_changes[i] == 0) {
      sn__report_add(c->report, SN_SEVERITY_ERROR, place_of(c, runtime), NULL,
                     "component '%s': property '%s' has no initial value and must be set",
                     runtime->component->name, properties[i].name);
    }
  }
}

static void check_needs(const checking *c, const sn__component_runtime *runtime) {
  const sn_need *needs = runtime->component->type->needs;
  for (size_t i = 0; needs != NULL && needs[i].name != NULL; i++) {
    if (runtime->providers[i] == NULL && !needs[i].is_optional) {
      sn__report_add(c->report, SN_SEVERITY_ERROR, place_of(c, runtime), NULL,
                     "component '%s' needs '%s' (%s), which is not connected",
                     runtime->component->name, needs[i].name,
                     needs[i].interface != NULL ? needs[i].interface : needs[i].operation);
    }
  }
}

static void check_ports(const checking *c, const sn__component_runtime *runtime) {
  const sn_port *ports = runtime->component->type->ports;
  for (const sn_port *port = ports; port != NULL && port->name != NULL; port++) {
    if ((port->flags & SN_PORT_REQUIRED) != 0 && !sn__port_is_connected(runtime, port)) {
      sn__report_add(c->report, SN_SEVERITY_ERROR, place_of(c, runtime), NULL,
                     "port '%s.%s' has no writer but requires one", runtime->component->name,
                     port->name);
    }
  }
}

static void check_rings(const checking *c, sn_system *system) {
  for (size_t i = 0; i < system->activity_count; i++) {
    sn_error err;
    if (sn__activity_sort(system->activities[i], &err) != SN_OK) {
      const sn__component_runtime *first = NULL; /* of the activity: a loop has no place */
      for (size_t k = 0; k < system->runtime_count && first == NULL; k++) {
        first = system->runtimes[k]->walk.state == SN__WALK_OPEN ? system->runtimes[k] : NULL;
      }
      sn__report_add(c->report, SN_SEVERITY_ERROR,
                     first == NULL ? (sn_place){.file = ""} : place_of(c, first), NULL,
                     "activity '%s': %s", system->activities[i]->config.name, err.message);
    }
  }
}

sn_status sn__system_check(sn_system *system, sn_component_place *place, void *context,
                           sn_report *report) {
  const checking c = {place, context, report};
  const size_t before = sn_report_error_count(report);
  sn_system_hold(system);
  for (size_t i = 0; i < system->runtime_count; i++) {
    const sn__component_runtime *runtime = system->runtimes[i];
    check_properties(&c, runtime);
    check_needs(&c, runtime);
    check_ports(&c, runtime);
    if (runtime->component->type->step != NULL && runtime->activity == NULL) {
      sn__report_add(report, SN_SEVERITY_ERROR, place_of(&c, runtime), NULL,
                     "component '%s' has no activity to step it", runtime->component->name);
    }
  }
  check_rings(&c, system);
  sn__system_reclaim(system);
  sn_system_release(system);
  return sn_report_error_count(report) == before ? SN_OK : SN_EINVAL;
}

/* ---- begin ---- */

/* Are all providers of the component's interfaces configured? */
static bool has_providers(const sn__component_runtime *runtime) {
  const sn_need *needs = runtime->component->type->needs;
  for (size_t i = 0; needs != NULL && needs[i].name != NULL; i++) {
    if (needs[i].interface != NULL && runtime->providers[i] != NULL &&
        sn__runtime_state(runtime->providers[i]) == SN_STATE_UNCONFIGURED) {
      return false;
    }
  }
  return true;
}

static bool has_services(const sn__component_runtime *host) {
  for (size_t i = 0; i < host->system->runtime_count; i++) {
    const sn__component_runtime *runtime = host->system->runtimes[i];
    if (runtime->host == host && sn__runtime_state(runtime) == SN_STATE_UNCONFIGURED) {
      return false;
    }
  }
  return true;
}

/* Configure in passes over all components until each is configured; a pass without progress
   means that some need each other. */
static sn_status configure_all(sn_system *system, sn_error *err) {
  bool is_moving = true;
  const sn__component_runtime *waiting = NULL;
  while (is_moving) {
    is_moving = false;
    waiting = NULL;
    for (size_t i = 0; i < system->runtime_count; i++) {
      sn__component_runtime *runtime = system->runtimes[i];
      if (sn__runtime_state(runtime) != SN_STATE_UNCONFIGURED) {
        continue;
      }
      if (!has_providers(runtime) || !has_services(runtime)) {
        waiting = runtime;
        continue;
      }
      const sn_status status = sn__runtime_configure(runtime, err);
      if (status != SN_OK) {
        return status;
      }
      is_moving = true;
    }
  }
  return waiting == NULL
             ? SN_OK
             : sn__fail(err, SN_EINVAL, "%s and a component whose service it needs need each other",
                        waiting->component->name);
}

/* Users before their providers: passes again, from the last added to the first. */
static void cleanup_all(sn_system *system) {
  bool is_moving = true;
  while (is_moving) {
    is_moving = false;
    for (size_t i = system->runtime_count; i-- > 0;) {
      if (sn__runtime_state(system->runtimes[i]) == SN_STATE_STOPPED) {
        is_moving |= sn__runtime_cleanup(system->runtimes[i], NULL) == SN_OK;
      }
    }
  }
}

/* ---- rehearse ---- */

/* Configure what can be configured. Each failure is reported, and components that need a failed
   one are skipped. @return whether there was one to configure */
static bool rehearse_round(const checking *c, sn_system *system, bool *is_refused) {
  bool is_moving = false;
  for (size_t i = 0; i < system->runtime_count; i++) {
    sn__component_runtime *runtime = system->runtimes[i];
    if (is_refused[i] || sn__runtime_state(runtime) != SN_STATE_UNCONFIGURED ||
        !has_providers(runtime) || !has_services(runtime)) {
      continue;
    }
    sn_error err = {.message = ""};
    is_moving = true;
    if (sn__runtime_configure(runtime, &err) != SN_OK) {
      is_refused[i] = true;
      sn__report_add(c->report, SN_SEVERITY_ERROR, place_of(c, runtime), NULL, "%s", err.message);
    }
  }
  return is_moving;
}

/* Components that need each other, without a failure among them. */
static void report_ring(const checking *c, const sn_system *system, const bool *is_refused) {
  bool any_refused = false;
  for (size_t i = 0; i < system->runtime_count; i++) {
    any_refused = any_refused || is_refused[i];
  }
  for (size_t i = 0; !any_refused && i < system->runtime_count; i++) {
    if (sn__runtime_state(system->runtimes[i]) == SN_STATE_UNCONFIGURED) {
      sn__report_add(c->report, SN_SEVERITY_ERROR, place_of(c, system->runtimes[i]), NULL,
                     "%s and a component whose service it needs need each other",
                     system->runtimes[i]->component->name);
      return;
    }
  }
}

sn_status sn__system_rehearse(sn_system *system, sn_component_place *place, void *context,
                              sn_report *report) {
  const checking c = {place, context, report};
  const size_t before = sn_report_error_count(report);
  sn_arena scratch;
  sn_arena_init_growing(&scratch, "rehearsal", 0);
  sn_system_hold(system);
  bool *is_refused = SN_NEW(&scratch, bool, system->runtime_count + 1);
  while (is_refused != NULL && rehearse_round(&c, system, is_refused)) {
  }
  if (is_refused != NULL) {
    report_ring(&c, system, is_refused);
  }
  cleanup_all(system);
  sn__system_reclaim(system);
  sn_system_release(system);
  sn_arena_release(&scratch);
  return is_refused == NULL                       ? SN_ENOMEM
         : sn_report_error_count(report) > before ? SN_EINVAL
                                                  : SN_OK;
}

/* ---- start ---- */

static sn_status start_components(sn__component_runtime *const *runtimes, size_t count,
                                  const sn_activity *activity, sn_error *err) {
  for (size_t i = 0; i < count; i++) {
    if (runtimes[i]->activity == activity && sn__runtime_state(runtimes[i]) == SN_STATE_STOPPED) {
      const sn_status status = sn__runtime_start(runtimes[i], err);
      if (status != SN_OK) {
        return status;
      }
    }
  }
  return SN_OK;
}

/* Components without an activity first: they provide services to the others. */
static sn_status start_all(sn_system *system, sn_error *err) {
  sn_status status = start_components(system->runtimes, system->runtime_count, NULL, err);
  for (size_t i = 0; status == SN_OK && i < system->activity_count; i++) {
    sn_activity *activity = system->activities[i];
    status = sn__activity_sort(activity, err);
    if (status == SN_OK) {
      const sn__order *order = atomic_load(&activity->order);
      status = start_components(order->runtimes, order->count, activity, err);
    }
  }
  return status;
}

sn_status sn_system_begin(sn_system *system, sn_error *err) {
  sn_system_hold(system);
  sn_status status = configure_all(system, err);
  if (status == SN_OK) {
    system->begun_ns = sn__system_time(system, sn_clock_now_ns(system->config.clock));
    atomic_store(&system->is_beginning, true);
    status = start_all(system, err);
    atomic_store(&system->is_beginning, false);
  }
  if (status == SN_OK) {
    sn__journal_begin(system);
  }
  atomic_store(&system->is_begun, status == SN_OK);
  sn__system_reclaim(system);
  sn_system_release(system);
  if (status == SN_OK) {
    status = sn__system_notify_started(system, err);
  }
  if (status != SN_OK) {
    sn_system_end(system);
  }
  return status;
}

bool sn__system_is_begun(const sn_system *system) {
  return atomic_load(&system->is_begun);
}

int64_t sn__system_begun_ns(const sn_system *system) {
  return system->begun_ns;
}

sn_status sn_system_launch(sn_system *system, sn_error *err) {
  if (system->config.clock->kind == SN_CLOCK_SIMULATED) {
    return sn__fail(err, SN_EINVAL, "threads cannot wait for a simulated clock: run instead");
  }
  sn_system_hold(system);
  sn_status status = SN_OK;
  for (size_t i = 0; status == SN_OK && i < system->activity_count; i++) {
    sn_activity *activity = system->activities[i];
    if (!activity->has_thread) {
      status = sn__activity_sort(activity, err);
      status = status == SN_OK ? sn__activity_launch(activity, err) : status;
    }
  }
  if (status != SN_OK) {
    for (size_t i = 0; i < system->activity_count; i++) {
      sn__activity_join(system->activities[i]);
    }
  }
  sn__system_reclaim(system);
  sn_system_release(system);
  return status;
}

/* ---- end ---- */

void sn_system_halt(sn_system *system) {
  atomic_store(&system->is_begun, false);
  sn__system_notify_stopping(system);
  sn_system_hold(system);
  for (size_t i = 0; i < system->activity_count; i++) {
    sn__activity_join(system->activities[i]);
  }
  for (size_t i = system->runtime_count; i-- > 0;) {
    (void)sn__runtime_stop(system->runtimes[i], NULL); /* fails unless it runs */
  }
  sn_system_release(system);
}

void sn_system_end(sn_system *system) {
  sn_system_halt(system);
  sn_system_hold(system);
  cleanup_all(system);
  if (system->latency_file >= 0) {
    close(system->latency_file);
    system->latency_file = -1;
  }
  sn_system_release(system);
}
