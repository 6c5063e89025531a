/* Several systems in one process: activities of the same kind share a thread. */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "rt/component_runtime.h"

/* Clocks that agree; each system has its own. */
static bool has_clock_of(const sn_activity *a, const sn_activity *b) {
  const sn_clock *one = a->system->config.clock, *other = b->system->config.clock;
  return one == other || (one->kind == SN_CLOCK_MONOTONIC && other->kind == SN_CLOCK_MONOTONIC);
}

static bool are_alike(const sn_activity *a, const sn_activity *b) {
  const sn_activity_config *x = &a->config, *y = &b->config;
  return strcmp(x->name, y->name) == 0 && x->period_ns == y->period_ns && x->period_ns > 0 &&
         x->priority == y->priority && x->cpu == y->cpu && x->lock_memory == y->lock_memory &&
         has_clock_of(a, b);
}

/* The activity and those of later systems that are like it and have no thread yet. */
static sn__round *find_round(sn_system *const *systems, size_t count, sn_activity *first) {
  sn__round *round = malloc(sizeof *round + count * sizeof *round->members);
  if (round == NULL) {
    return NULL;
  }
  *round = (sn__round){.count = 0};
  for (size_t s = 0; s < count; s++) {
    for (size_t i = 0; i < systems[s]->activity_count; i++) {
      sn_activity *activity = systems[s]->activities[i];
      if (activity == first || (!activity->has_thread && are_alike(first, activity))) {
        activity->round = round;
        round->members[round->count++] = activity;
        break; /* names are unique in a system */
      }
    }
  }
  return round;
}

static sn_status launch_from(sn_system *const *systems, size_t count, sn_error *err) {
  const sn_system *system = systems[0];
  for (size_t i = 0; i < system->activity_count; i++) {
    sn_activity *activity = system->activities[i];
    if (activity->has_thread) {
      continue;
    }
    sn__round *round = find_round(systems, count, activity);
    if (round == NULL) {
      return sn__fail(err, SN_ENOMEM, "no memory for the threads of %zu systems", count);
    }
    const sn_status status = sn__activity_launch(activity, err);
    if (status != SN_OK) {
      for (size_t k = 0; k < round->count; k++) {
        round->members[k]->round = NULL;
      }
      free(round);
      return status;
    }
  }
  return SN_OK;
}

static sn_status prepare(sn_system *system, sn_error *err) {
  if (system->config.clock->kind == SN_CLOCK_SIMULATED) {
    return sn__fail(err, SN_EINVAL, "threads cannot wait for a simulated clock: run instead");
  }
  sn_status status = SN_OK;
  for (size_t i = 0; status == SN_OK && i < system->activity_count; i++) {
    status = system->activities[i]->has_thread ? sn__fail(err, SN_EBUSY, "the system is running")
                                               : sn__activity_sort(system->activities[i], err);
  }
  return status;
}

/* All or none. */
static sn_status launch_all(sn_system *const *systems, size_t count, sn_error *err) {
  sn_status status = SN_OK;
  for (size_t s = 0; status == SN_OK && s < count; s++) {
    status = launch_from(systems + s, count - s, err);
  }
  for (size_t s = 0; status != SN_OK && s < count; s++) {
    for (size_t i = 0; i < systems[s]->activity_count; i++) {
      sn__activity_join(systems[s]->activities[i]);
    }
  }
  return status;
}

sn_status sn_systems_launch(sn_system *const *systems, size_t count, sn_error *err) {
  sn_status status = SN_OK;
  for (size_t s = 0; s < count; s++) {
    sn_system_hold(systems[s]);
  }
  for (size_t s = 0; status == SN_OK && s < count; s++) {
    status = prepare(systems[s], err);
  }
  status = status == SN_OK ? launch_all(systems, count, err) : status;
  for (size_t s = count; s-- > 0;) {
    sn__system_reclaim(systems[s]);
    sn_system_release(systems[s]);
  }
  return status;
}

sn_status sn_systems_stop_together(sn_system *const *systems, size_t count, sn_error *err) {
  sn__estop **latches = malloc((count + 1) * sizeof *latches);
  for (size_t s = 0; latches != NULL && s < count; s++) {
    latches[s] = &systems[s]->estop;
  }
  const bool is_joined = latches != NULL && sn__estop_join(latches, count);
  free(latches);
  return is_joined ? SN_OK
                   : sn__fail(err, SN_EINVAL, "no memory, or a system stops with others already");
}
