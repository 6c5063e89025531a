/* For recursive mutexes. */
#define _GNU_SOURCE

#include "sinew/system.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "base/hash.h"
#include "rt/component_runtime.h"

sn_system *sn_system_create(const sn_system_config *config) {
  sn_system *system = malloc(sizeof *system);
  if (system == NULL) {
    return NULL;
  }
  *system = (sn_system){.config = *config, .latency_file = -1};
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&system->mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
  pthread_mutex_init(&system->journal_lock, NULL);
  return system;
}

static void free_activity(sn_activity *activity) {
  free(atomic_load(&activity->order));
  free((char *)activity->config.name);
  free(activity);
}

void sn_system_destroy(sn_system *system) {
  if (system == NULL) {
    return;
  }
  sn_system_end(system);
  for (size_t i = 0; i < system->cell_count; i++) {
    sn__runtime_disconnect(system->runtimes[i]);
  }
  sn__system_sweep(system);
  for (size_t i = 0; i < system->cell_count; i++) {
    sn__runtime_destroy(system->runtimes[i]);
  }
  for (size_t i = 0; i < system->activity_count; i++) {
    free_activity(system->activities[i]);
  }
  free(system->runtimes);
  free(system->name_hashes);
  free(system->activities);
  free(system->description);
  pthread_mutex_destroy(&system->journal_lock);
  pthread_mutex_destroy(&system->mutex);
  free(system);
}

sn_status sn_system_set_description(sn_system *system, const char *text) {
  char *copy = malloc(strlen(text) + 1);
  if (copy == NULL) {
    return SN_ENOMEM;
  }
  memcpy(copy, text, strlen(text) + 1);
  sn_system_hold(system);
  free(system->description);
  system->description = copy;
  sn_system_release(system);
  return SN_OK;
}

const char *sn_system_description(const sn_system *system) {
  return system->description;
}

sn_clock *sn_system_clock(const sn_system *system) {
  return system->config.clock;
}

void sn__system_log(const sn_system *system, sn_log_level level, const char *source,
                    const char *format, size_t arg_count, const sn_log_arg *args) {
  sn_component speaker = {.name = source, .system = (sn_system *)system};
  sn_component_log(&speaker, sn_clock_now_ns(system->config.clock), level, format, arg_count, args);
}

/* ---- finding ---- */

sn__component_runtime *sn__system_find_part(const sn_system *system, const char *name,
                                            size_t length) {
  const uint32_t hash = sn__hash_text(name, length);
  for (size_t i = 0; i < system->cell_count; i++) {
    if (system->name_hashes[i] == hash) {
      const char *other = system->runtimes[i]->component->name;
      if (strncmp(other, name, length) == 0 && other[length] == '\0') {
        return system->runtimes[i];
      }
    }
  }
  return NULL;
}

sn_component *sn_system_find(const sn_system *system, const char *name) {
  sn_system_hold(system);
  const sn__component_runtime *runtime = sn__system_find_part(system, name, strlen(name));
  sn_system_release(system);
  return runtime == NULL ? NULL : runtime->component;
}

size_t sn_system_component_count(const sn_system *system) {
  sn_system_hold(system);
  const size_t count = system->cell_count;
  sn_system_release(system);
  return count;
}

sn_component *sn_system_component_at(const sn_system *system, size_t index) {
  sn_system_hold(system);
  sn_component *component = index < system->cell_count ? system->runtimes[index]->component : NULL;
  sn_system_release(system);
  return component;
}

size_t sn_system_activity_count(const sn_system *system) {
  sn_system_hold(system);
  const size_t count = system->activity_count;
  sn_system_release(system);
  return count;
}

sn_activity *sn_system_activity_at(const sn_system *system, size_t index) {
  sn_system_hold(system);
  sn_activity *activity = index < system->activity_count ? system->activities[index] : NULL;
  sn_system_release(system);
  return activity;
}

sn_activity *sn_system_find_activity(const sn_system *system, const char *name) {
  sn_activity *found = NULL;
  sn_system_hold(system);
  for (size_t i = 0; i < system->activity_count && found == NULL; i++) {
    found = strcmp(system->activities[i]->config.name, name) == 0 ? system->activities[i] : NULL;
  }
  sn_system_release(system);
  return found;
}

/* ---- adding ---- */

/* Room for one more component. */
static bool grow_cells(sn_system *system) {
  size_t capacity = system->cell_capacity;
  sn__component_runtime **runtimes =
      sn__list_grow(system->runtimes, &capacity, system->cell_count + 1, sizeof *runtimes);
  system->runtimes = runtimes == NULL ? system->runtimes : runtimes;
  capacity = system->cell_capacity; /* the two lists grow alike */
  uint32_t *hashes =
      sn__list_grow(system->name_hashes, &capacity, system->cell_count + 1, sizeof *hashes);
  system->name_hashes = hashes == NULL ? system->name_hashes : hashes;
  if (runtimes == NULL || hashes == NULL) {
    return false;
  }
  system->cell_capacity = capacity;
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
    return sn__fail(err, SN_EINVAL, "'%s' is no name of an activity: letters, digits and _",
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
    return sn__fail(err, SN_EINVAL, "'%s' is no name of a component: letters, digits and _", name);
  }
  *host = dot == NULL ? NULL : sn__system_find_part(system, name, (size_t)(dot - name));
  if (dot != NULL && *host == NULL) {
    return sn__fail(err, SN_ENOENT, "there is no component '%.*s' for the service '%s'",
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
        grow_cells(system) ? sn__runtime_create(system, type, name) : NULL;
    if (runtime == NULL) {
      status = sn__fail(err, SN_ENOMEM, "no memory for component '%s'", name);
    } else {
      runtime->host = host;
      runtime->activity = host == NULL ? NULL : host->activity;
      system->name_hashes[system->cell_count] = sn__hash_text(name, SIZE_MAX);
      system->runtimes[system->cell_count++] = runtime;
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
  for (size_t i = 0; i < system->cell_count; i++) {
    if (system->runtimes[i]->host == runtime) {
      return sn__fail(err, SN_EBUSY, "%s cannot go: it has the service %s", name,
                      system->runtimes[i]->component->name);
    }
  }
  if (runtime->holders > 0) {
    return sn__fail(err, SN_EBUSY, "%s cannot go: %zu others use it", name,
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

static void take_out(sn_system *system, const sn__component_runtime *runtime) {
  size_t kept = 0;
  for (size_t i = 0; i < system->cell_count; i++) {
    if (system->runtimes[i] != runtime) {
      system->name_hashes[kept] = system->name_hashes[i];
      system->runtimes[kept++] = system->runtimes[i];
    }
  }
  system->cell_count = kept;
}

/* Stopped, cleaned up, and out of the order of its activity. */
static sn_status lay_down(sn__component_runtime *runtime, sn_error *err) {
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
    if (status == SN_OK && !sn__activity_quiet(activity)) {
      status = sn__fail(err, SN_ETIMEDOUT, "%s cannot go: a cycle of '%s' does not end",
                        runtime->component->name, activity->config.name);
    }
  }
  return status;
}

static sn_status leave_to_go(sn__component_runtime *runtime, sn_error *err) {
  sn_system_hold(runtime->system);
  const sn_status status = check_removal(runtime, err);
  sn_system_release(runtime->system);
  return status == SN_OK ? sn__component_on_system_stopping(runtime, err) : status;
}

sn_status sn_system_remove(sn_system *system, sn_component *component, sn_error *err) {
  sn__component_runtime *runtime = component->runtime;
  sn_status status = leave_to_go(runtime, err);
  if (status != SN_OK) {
    return status;
  }
  sn_system_hold(system);
  status = check_removal(runtime, err); /* somebody may have come meanwhile */
  if (status == SN_OK) {
    status = lay_down(runtime, err);
  }
  if (status == SN_OK) {
    sn__runtime_disconnect(runtime);
    release_providers(runtime);
    take_out(system, runtime);
    sn__system_sweep(system);
    sn__runtime_destroy(runtime);
  }
  sn_system_release(system);
  return status;
}

/* ---- activities and needs ---- */

/* Services in a component live in the thread of their host. */
static void set_activity(sn__component_runtime *runtime, sn_activity *activity) {
  runtime->activity = activity;
  for (size_t i = 0; i < runtime->system->cell_count; i++) {
    if (runtime->system->runtimes[i]->host == runtime) {
      set_activity(runtime->system->runtimes[i],
                   activity); /* as deep as names have dots: 64 bytes */
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
    sn__system_sweep(system);
  }
  sn_system_release(system);
  return status;
}
