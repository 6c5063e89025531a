#include "foxglove/http/health.h"

#include <stdio.h>

#include "sinew/activity.h"
#include "sinew/component.h"
#include "sinew/estop.h"

#define MS_NS INT64_C(1000000)
#define UPDATE_EVERY_NS (200 * MS_NS)
#define STALL_NS (500 * MS_NS) /* without a cycle, or ten periods if those are longer */

static void update_components(sn__health *h, const sn_system *system) {
  h->idle_count = 0;
  for (size_t i = 0; i < sn_system_component_count(system); i++) {
    const sn_component *component = sn_system_component_at(system, i);
    if (component->type->step != NULL && sn_component_state_now(component) != SN_STATE_RUNNING) {
      if (h->idle_count < SN__HEALTH_NAMES_MAX) {
        snprintf(h->idle[h->idle_count], sizeof h->idle[0], "%s", component->name);
      }
      h->idle_count++;
    }
  }
}

static void find_activities(sn__health *h, const sn_system *system, int64_t now_ns) {
  for (size_t i = h->activity_count;
       i < sn_system_activity_count(system) && i < SN__HEALTH_ACTIVITIES_MAX; i++) {
    h->activities[i] =
        (sn__health_activity){.activity = sn_system_activity_at(system, i), .since_ns = now_ns};
    h->activity_count = i + 1;
  }
}

void sn__health_update(sn__health *h, sn_system *system, int64_t now_ns) {
  if (now_ns >= h->update_ns && sn_system_hold_within(system, 0)) {
    find_activities(h, system, now_ns);
    update_components(h, system);
    sn_system_release(system);
    h->update_ns = now_ns + UPDATE_EVERY_NS;
  }
  for (size_t i = 0; i < h->activity_count; i++) {
    sn__health_activity *activity = &h->activities[i];
    const uint64_t cycles =
        __atomic_load_n(&sn_activity_timing_of(activity->activity)->cycles, __ATOMIC_RELAXED);
    if (cycles != activity->cycles) {
      activity->cycles = cycles;
      activity->since_ns = now_ns;
    }
  }
  sn_estop_state stop;
  sn_estop_look(system, 0, &stop);
  const uint64_t number = stop.is_latched ? stop.number : 0;
  if (number != h->stop_number) {
    h->stop_number = number;
    h->stop_ns = now_ns;
  }
}

static bool is_stalled(const sn__health_activity *activity, int64_t now_ns) {
  const int64_t period_ns = sn_activity_config_of(activity->activity)->period_ns;
  const int64_t limit_ns = 10 * period_ns > STALL_NS ? 10 * period_ns : STALL_NS;
  return period_ns > 0 && now_ns - activity->since_ns > limit_ns;
}

const char *sn__health_state(const sn__health *h, const sn_system *system, int64_t now_ns) {
  if (h->stop_number != 0) {
    sn_estop_state stop;
    sn_estop_look(system, h->stop_number, &stop);
    return stop.is_obeyed                               ? "stopped"
           : now_ns - h->stop_ns <= SN_ESTOP_TIMEOUT_NS ? "stopping"
                                                        : "stop not obeyed";
  }
  for (size_t i = 0; i < h->activity_count; i++) {
    if (is_stalled(&h->activities[i], now_ns)) {
      return "stalled";
    }
  }
  return h->idle_count > 0 ? "degraded" : "running";
}

static void write_not_obeyed(const sn_system *system, sn__buffer *reply) {
  sn_estop_state stop;
  sn_estop_look(system, 0, &stop);
  sn__json_open(reply, "not_obeyed", '[');
  for (size_t i = 0; stop.is_latched && i < stop.party_count; i++) {
    if (!stop.parties[i].has_obeyed) {
      sn__json_text(reply, NULL, stop.parties[i].name);
    }
  }
  sn__json_close(reply, ']');
}

void sn__health_write(const sn__health *h, const sn_system *system, int64_t now_ns,
                      sn__buffer *reply) {
  sn__json_text(reply, "state", sn__health_state(h, system, now_ns));
  sn__json_open(reply, "stalled", '[');
  for (size_t i = 0; i < h->activity_count; i++) {
    if (is_stalled(&h->activities[i], now_ns)) {
      sn__json_text(reply, NULL, sn_activity_config_of(h->activities[i].activity)->name);
    }
  }
  sn__json_close(reply, ']');
  sn__json_open(reply, "not_running", '[');
  for (size_t i = 0; i < h->idle_count && i < SN__HEALTH_NAMES_MAX; i++) {
    sn__json_text(reply, NULL, h->idle[i]);
  }
  sn__json_close(reply, ']');
  write_not_obeyed(system, reply);
}
