/* A system: creating and destroying it, its lock, and finding components and activities. */
#define _GNU_SOURCE /* recursive mutexes */

#include "sinew/system.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/text.h"
#include "rt/component_runtime.h"
#include "rt/futex.h"
#include "rt/system_internal.h"

sn_system *sn_system_create(const sn_system_config *config) {
  sn_system *system = malloc(sizeof *system);
  if (system == NULL) {
    return NULL;
  }
  *system = (sn_system){.config = *config, .latency_file = -1, .time_ns = INT64_MIN};
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
  sn__estop_leave(&system->estop);
  for (size_t i = 0; i < system->runtime_count; i++) {
    sn__runtime_disconnect(system->runtimes[i]);
  }
  sn__system_reclaim(system);
  for (size_t i = 0; i < system->runtime_count; i++) {
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

sn_status sn__system_set_description(sn_system *system, const char *text) {
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

const char *sn__system_description(const sn_system *system) {
  return system->description;
}

sn_msg_capacity sn__system_capacity(const sn_system *system) {
  return system->config.capacity;
}

sn_clock *sn_system_clock(const sn_system *system) {
  return system->config.clock;
}

void sn__system_log(const sn_system *system, sn_log_level level, const char *source,
                    const char *format, size_t arg_count, const sn_log_arg *args) {
  sn_component speaker = {.name = source, .system = (sn_system *)system};
  sn_component_log(&speaker, sn_clock_now_ns(system->config.clock), level, format, arg_count, args);
}

/* ---- the lock of management calls ---- */

/* The lock is not part of the system's logical state. */
void sn_system_hold(const sn_system *system) {
  pthread_mutex_lock((pthread_mutex_t *)&system->mutex);
}

bool sn_system_hold_within(const sn_system *system, int64_t timeout_ns) {
  pthread_mutex_t *mutex = (pthread_mutex_t *)&system->mutex;
  const int64_t until_ns = timeout_ns > 0 ? sn__real_now_ns() + timeout_ns : 0;
  bool is_held = pthread_mutex_trylock(mutex) == 0;
  while (!is_held && until_ns != 0 && sn__real_now_ns() < until_ns) {
    sn__real_pause();
    is_held = pthread_mutex_trylock(mutex) == 0;
  }
  return is_held;
}

void sn_system_release(const sn_system *system) {
  pthread_mutex_unlock((pthread_mutex_t *)&system->mutex);
}

/* ---- finding ---- */

sn__component_runtime *sn__system_find_part(const sn_system *system, const char *name,
                                            size_t length) {
  const uint32_t hash = sn__text_hash(name, length);
  for (size_t i = 0; i < system->runtime_count; i++) {
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
  const size_t count = system->runtime_count;
  sn_system_release(system);
  return count;
}

sn_component *sn_system_component_at(const sn_system *system, size_t index) {
  sn_system_hold(system);
  sn_component *component =
      index < system->runtime_count ? system->runtimes[index]->component : NULL;
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
