/* Building a system: adding and removing components and activities. */
#define _POSIX_C_SOURCE 200809L /* strdup() */

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "base/text.h"
#include "rt/component_runtime.h"
#include "rt/system_internal.h"

/* ---- adding ---- */

/* Grow the list by one component. */
static bool grow_runtimes(sn_system *system) {
  size_t capacity = system->runtime_capacity;
  sn__component_runtime **runtimes =
      sn__list_grow(system->runtimes, &capacity, system->runtime_count + 1, sizeof *runtimes);
  system->runtimes = runtimes == NULL ? system->runtimes : runtimes;
  capacity = system->runtime_capacity; /* both lists have the same capacity */
  uint32_t *hashes =
      sn__list_grow(system->name_hashes, &capacity, system->runtime_count + 1, sizeof *hashes);
  system->name_hashes = hashes == NULL ? system->name_hashes : hashes;
  if (runtimes == NULL || hashes == NULL) {
    return false;
  }
  system->runtime_capacity = capacity;
  return true;
}

static bool grow_activities(sn_system *system) {
  sn_activity **activities = sn__list_grow(system->activities, &system->activity_capacity,
                                           system->activity_count + 1, sizeof *activities);
  system->activities = activities == NULL ? system->activities : activities;
  return activities != NULL;
}

static bool is_name(const char *name, size_t length) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  return length > 0 && length < 64 && strspn(name, letters) >= length;
}

static sn_status check_activity(const sn_system *system, const sn_activity_config *config,
                                sn_error *err) {
  if (config->name == NULL || !is_name(config->name, strlen(config->name))) {
    return sn__fail(err, SN_EINVAL,
                    "'%s' is not a valid name of an activity: use letters, digits and _",
                    config->name == NULL ? "" : config->name);
  }
  if (sn_system_find_activity(system, config->name) != NULL) {
    return sn__fail(err, SN_EINVAL, "there is an activity '%s' already", config->name);
  }
  if (config->period_ns != 0 && config->period_ns < 10000) {
    return sn__fail(err, SN_EINVAL, "activity '%s': a period of %g s, at least 1e-05 is possible",
                    config->name, 1e-9 * (double)config->period_ns);
  }
  if (config->priority < 0 || config->priority > 99) {
    return sn__fail(err, SN_EINVAL, "activity '%s': priority is %d, must be 0 .. 99", config->name,
                    config->priority);
  }
  if (config->cpu < 0) {
    return sn__fail(err, SN_EINVAL, "activity '%s': processor %d, they are counted from 1",
                    config->name, config->cpu);
  }
  if (!(config->max_lost >= 0.0 && config->max_lost <= 1.0)) {
    return sn__fail(err, SN_EINVAL, "activity '%s': max_lost is %g, must be 0 .. 1", config->name,
                    config->max_lost);
  }
  return SN_OK;
}

static sn_activity *create_activity(sn_system *system, const sn_activity_config *config) {
  sn_activity *activity = calloc(1, sizeof *activity);
  char *name = strdup(config->name);
  if (activity == NULL || name == NULL || !grow_activities(system)) {
    free(activity);
    free(name);
    return NULL;
  }
  activity->config = *config;
  activity->config.name = name;
  activity->system = system;
  activity->due_ns = sn_clock_now_ns(system->config.clock);
  sn__overruns_begin(activity, activity->due_ns);
  activity->index = (uint32_t)system->activity_count;
  system->activities[system->activity_count++] = activity;
  return activity;
}

sn_status sn_system_add_activity(sn_system *system, const sn_activity_config *config,
                                 sn_activity **out, sn_error *err) {
  sn_system_hold(system);
  sn_status status = check_activity(system, config, err);
  sn_activity *activity = status == SN_OK ? create_activity(system, config) : NULL;
  if (status == SN_OK && activity == NULL) {
    status = sn__fail(err, SN_ENOMEM, "no memory for activity '%s'", config->name);
  }
  if (status == SN_OK && out != NULL) {
    *out = activity;
  }
  sn_system_release(system);
  return status;
}

/* The component that a service `host.service` is in; NULL if the name has no dot. */
static sn_status find_host(const sn_system *system, const char *name, sn__component_runtime **host,
                           sn_error *err) {
  const char *dot = strrchr(name, '.');
  const char *last = dot == NULL ? name : dot + 1;
  if (!is_name(last, strlen(last))) {
    return sn__fail(err, SN_EINVAL,
                    "'%s' is not a valid name of a component: use letters, digits and _", name);
  }
  *host = dot == NULL ? NULL : sn__system_find_part(system, name, (size_t)(dot - name));
  if (dot != NULL && *host == NULL) {
    return sn__fail(err, SN_ENOENT, "unknown component '%.*s' for the service '%s'",
                    (int)(dot - name), name, last);
  }
  return SN_OK;
}

sn_status sn_system_add(sn_system *system, const sn_component_type *type, const char *name,
                        sn_component **out, sn_error *err) {
  sn_system_hold(system);
  sn__component_runtime *host = NULL;
  sn_status status = find_host(system, name, &host, err);
  if (status == SN_OK && sn__system_find_part(system, name, strlen(name)) != NULL) {
    status = sn__fail(err, SN_EINVAL, "there is a component '%s' already", name);
  }
  if (status == SN_OK) {
    sn__component_runtime *runtime =
        grow_runtimes(system) ? sn__runtime_create(system, type, name) : NULL;
    if (runtime == NULL) {
      status = sn__fail(err, SN_ENOMEM, "no memory for component '%s'", name);
    } else {
      runtime->host = host;
      runtime->activity = host == NULL ? NULL : host->activity;
      system->name_hashes[system->runtime_count] = sn__text_hash(name, SIZE_MAX);
      system->runtimes[system->runtime_count++] = runtime;
      if (out != NULL) {
        *out = runtime->component;
      }
    }
  }
  sn_system_release(system);
  return status;
}

/* ---- removing ---- */

static sn_status check_removal(const sn__component_runtime *runtime, sn_error *err) {
  const sn_system *system = runtime->system;
  const char *name = runtime->component->name;
  for (size_t i = 0; i < system->runtime_count; i++) {
    if (system->runtimes[i]->host == runtime) {
      return sn__fail(err, SN_EBUSY, "%s cannot be removed: it has the service %s", name,
                      system->runtimes[i]->component->name);
    }
  }
  if (runtime->holders > 0) {
    return sn__fail(err, SN_EBUSY, "%s cannot be removed: %zu others use it", name,
                    atomic_load(&runtime->holders));
  }
  return SN_OK;
}

static void release_providers(const sn__component_runtime *runtime) {
  const sn_need *needs = runtime->component->type->needs;
  for (size_t i = 0; needs != NULL && needs[i].name != NULL; i++) {
    if (runtime->providers[i] != NULL) {
      runtime->providers[i]->holders--;
    }
  }
}

static void remove_from_list(sn_system *system, const sn__component_runtime *runtime) {
  size_t kept = 0;
  for (size_t i = 0; i < system->runtime_count; i++) {
    if (system->runtimes[i] != runtime) {
      system->name_hashes[kept] = system->name_hashes[i];
      system->runtimes[kept++] = system->runtimes[i];
    }
  }
  system->runtime_count = kept;
}

/* Stop and clean up a component and take it out of its activity's order. */
static sn_status shut_down(sn__component_runtime *runtime, sn_error *err) {
  sn_status status = SN_OK;
  const sn_component_state state = sn__runtime_state(runtime);
  if (state == SN_STATE_RUNNING || state == SN_STATE_ERROR) {
    status = sn__runtime_stop(runtime, err);
  }
  if (status == SN_OK && sn__runtime_state(runtime) == SN_STATE_STOPPED) {
    status = sn__runtime_cleanup(runtime, err);
  }
  sn_activity *activity = runtime->activity;
  if (status == SN_OK && activity != NULL) {
    runtime->activity = NULL;
    status = sn__activity_sort(activity, err);
    if (status == SN_OK && !sn__activity_wait_quiescent(activity)) {
      status = sn__fail(err, SN_ETIMEDOUT, "%s cannot be removed: a cycle of '%s' does not end",
                        runtime->component->name, activity->config.name);
    }
  }
  return status;
}

static sn_status notify_stopping(sn__component_runtime *runtime, sn_error *err) {
  sn_system_hold(runtime->system);
  const sn_status status = check_removal(runtime, err);
  sn_system_release(runtime->system);
  return status == SN_OK ? sn__component_on_system_stopping(runtime, err) : status;
}

sn_status sn__system_remove(sn_system *system, sn_component *component, sn_error *err) {
  sn__component_runtime *runtime = component->runtime;
  sn_status status = notify_stopping(runtime, err);
  if (status != SN_OK) {
    return status;
  }
  sn_system_hold(system);
  status = check_removal(runtime, err); /* others may have connected in the meantime */
  if (status == SN_OK) {
    status = shut_down(runtime, err);
  }
  if (status == SN_OK) {
    sn__runtime_disconnect(runtime);
    release_providers(runtime);
    remove_from_list(system, runtime);
    sn__system_reclaim(system);
    sn__runtime_destroy(runtime);
  }
  sn_system_release(system);
  return status;
}

/* ---- activities and needs ---- */

/* Services inside a component run in the thread of their host. */
static void set_activity(sn__component_runtime *runtime, sn_activity *activity) {
  runtime->activity = activity;
  for (size_t i = 0; i < runtime->system->runtime_count; i++) {
    if (runtime->system->runtimes[i]->host == runtime) {
      set_activity(runtime->system->runtimes[i],
                   activity); /* as deep as names have dots, which have 64 bytes */
    }
  }
}

sn_status sn_system_assign(sn_system *system, sn_component *component, sn_activity *activity,
                           int64_t deadline_ns, sn_error *err) {
  sn_system_hold(system);
  sn__component_runtime *runtime = component->runtime;
  sn_status status = SN_OK;
  const sn_component_state state = sn__runtime_state(runtime);
  if (state == SN_STATE_RUNNING || state == SN_STATE_ERROR || runtime->activity != NULL) {
    status = sn__fail(err, SN_EBUSY, "%s has an activity or runs: it stays where it is",
                      component->name);
  } else if (deadline_ns < 0) {
    status = sn__fail(err, SN_EINVAL, "%s: a deadline of %g s", component->name,
                      1e-9 * (double)deadline_ns);
  } else {
    set_activity(runtime, activity);
    runtime->deadline_ns = deadline_ns;
    status = atomic_load(&activity->is_live) ? sn__activity_sort(activity, err) : SN_OK;
    if (status != SN_OK) {
      set_activity(runtime, NULL);
    }
    sn__system_reclaim(system);
  }
  sn_system_release(system);
  return status;
}
