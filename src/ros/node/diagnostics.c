/* The state of every component and activity on /diagnostics, once a second. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "msg/node/status_msgs.h"
#include "ros/node/node_interfaces.h"
#include "sinew/estop.h"
#include "sinew/system.h"

#define PERIOD_NS INT64_C(1000000000)
#define VALUES_MAX 6

sn_status sn__node_add_diagnostics(sn__bridge *bridge, sn_error *err) {
  struct sn__node_interfaces *interfaces = bridge->interfaces;
  snprintf(interfaces->hardware_id, sizeof interfaces->hardware_id, "%s",
           sn_model_name(bridge->model));
  interfaces->diagnostics =
      bridge->transport->advertise(bridge->node, "/diagnostics", &sn__diagnostic_array_type, 0);
  return interfaces->diagnostics != NULL
             ? SN_OK
             : sn__fail(err, SN_ENOMEM, "out of memory for /diagnostics");
}

static void begin(sn__node_answer *answer, sn__diagnostic_status *out, const char *name,
                  sn__diagnostic_level level, const char *message) {
  char whole[2 * SN__GRAPH_NAME_SIZE];
  snprintf(whole, sizeof whole, "%s: %s", answer->bridge->node_name, name);
  out->level = (uint8_t)level;
  out->name = sn__answer_text(answer, whole);
  out->message = sn__answer_text(answer, message);
  out->hardware_id = sn__answer_text(answer, answer->bridge->interfaces->hardware_id);
  out->values.data = sn__answer_alloc(answer, VALUES_MAX, sizeof *out->values.data);
  out->values.capacity = out->values.data == NULL ? 0 : VALUES_MAX;
}

static void add_value(sn__node_answer *answer, sn__diagnostic_status *out, const char *key,
                      const char *value) {
  if (out->values.count < out->values.capacity) {
    out->values.data[out->values.count++] = (sn__key_value){
        .key = sn__answer_text(answer, key), .value = sn__answer_text(answer, value)};
  }
}

static void add_count(sn__node_answer *answer, sn__diagnostic_status *out, const char *key,
                      uint64_t count) {
  char text[32];
  snprintf(text, sizeof text, "%" PRIu64, count);
  add_value(answer, out, key, text);
}

static void add_duration(sn__node_answer *answer, sn__diagnostic_status *out, const char *key,
                         int64_t duration_ns) {
  char text[32];
  snprintf(text, sizeof text, "%.1f", 1e-3 * (double)duration_ns);
  add_value(answer, out, key, text);
}

static sn__diagnostic_level level_of(sn_component_state state) {
  return state == SN_STATE_RUNNING ? SN__DIAGNOSTIC_OK
         : state == SN_STATE_ERROR ? SN__DIAGNOSTIC_ERROR
                                   : SN__DIAGNOSTIC_WARN;
}

static void describe_component(sn__node_answer *answer, const sn_component *component,
                               sn__diagnostic_status *out) {
  const sn_component_info info = sn_component_info_of(component);
  char message[128];
  snprintf(message, sizeof message, "%s%s%s", sn_component_state_text(info.state),
           info.state == SN_STATE_ERROR ? ": " : "",
           info.state == SN_STATE_ERROR ? sn_step_fault_text(info.fault) : "");
  begin(answer, out, component->name, level_of(info.state), message);
  add_value(answer, out, "type", component->type->name);
  add_count(answer, out, "steps", info.steps);
  add_count(answer, out, "faults", info.fault_count);
  if (info.duration != NULL) {
    add_duration(answer, out, "longest step, us", info.duration->max_ns);
  }
}

/* Cycles that were late in the last second are a warning. */
static void describe_activity(sn__node_answer *answer, const sn_activity *activity,
                              sn__diagnostic_status *out) {
  const sn_activity_timing *timing = sn_activity_timing_of(activity);
  const bool is_late = timing->overran_last > 0 || timing->lost_last > 0;
  char name[SN__GRAPH_NAME_SIZE];
  snprintf(name, sizeof name, "activity %s", sn_activity_config_of(activity)->name);
  begin(answer, out, name, is_late ? SN__DIAGNOSTIC_WARN : SN__DIAGNOSTIC_OK,
        is_late ? "cycles were late in the last second" : "in time");
  add_count(answer, out, "cycles", timing->cycles);
  add_count(answer, out, "overruns", timing->overruns);
  add_count(answer, out, "skipped cycles", timing->skipped);
  add_duration(answer, out, "longest cycle, us", timing->duration.max_ns);
  add_duration(answer, out, "latest start, us", timing->lateness.max_ns);
}

static void describe_stop(sn__node_answer *answer, sn__diagnostic_status *out) {
  sn_estop_state state;
  sn_estop_look(answer->bridge->component.system, 0, &state);
  begin(answer, out, "emergency stop", state.is_latched ? SN__DIAGNOSTIC_ERROR : SN__DIAGNOSTIC_OK,
        state.is_latched ? "stopped" : "not stopped");
}

static void describe_all(sn__node_answer *answer, sn__seq_diagnostic_status *out) {
  const sn_system *system = answer->bridge->component.system;
  const size_t component_count = sn_system_component_count(system);
  const size_t activity_count = sn_system_activity_count(system);
  out->data = sn__answer_alloc(answer, component_count + activity_count + 1, sizeof *out->data);
  if (out->data == NULL) {
    return;
  }
  describe_stop(answer, &out->data[out->count++]);
  for (size_t i = 0; i < activity_count; i++) {
    describe_activity(answer, sn_system_activity_at(system, i), &out->data[out->count++]);
  }
  for (size_t i = 0; i < component_count; i++) {
    describe_component(answer, sn_system_component_at(system, i), &out->data[out->count++]);
  }
}

void sn__node_publish_diagnostics(sn__bridge *bridge, int64_t now_ns) {
  struct sn__node_interfaces *interfaces = bridge->interfaces;
  if ((interfaces->has_diagnosed && now_ns - interfaces->diagnosed_ns < PERIOD_NS) ||
      bridge->transport->subscriber_count(interfaces->diagnostics) == 0 ||
      !sn__bridge_hold(bridge)) {
    return;
  }
  sn_arena arena;
  sn_arena_init_growing(&arena, "diagnostics", 0);
  sn__node_answer answer = {.bridge = bridge, .arena = &arena};
  sn__diagnostic_array msg = {
      .header = {.stamp_ns = sn_clock_now_ns(sn_system_clock(bridge->component.system)),
                 .frame_id = sn__answer_text(&answer, "")}};
  describe_all(&answer, &msg.status);
  sn__bridge_release(bridge);
  if (!answer.is_out_of_memory) {
    sn__bridge_publish(bridge, interfaces->diagnostics, &sn__diagnostic_array_type, &msg);
  }
  sn_arena_release(&arena);
  interfaces->diagnosed_ns = now_ns;
  interfaces->has_diagnosed = true;
}
