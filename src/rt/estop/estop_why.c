#include "rt/estop/estop_why.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "rt/component_runtime.h"

/* A cycle that takes longer than this is said not to end. */
static const int64_t hang_ns = INT64_C(50000000);

/* A cycle that began long ago and has not ended. While it has not, its components cannot go: the
   name is good if the cycle is still the same after it was read. */
static bool describe_hang(const sn_activity *activity, char *out, size_t size) {
  const uint64_t cycle = atomic_load(&activity->cycle);
  const int64_t begun_ns = __atomic_load_n(&activity->due_ns, __ATOMIC_RELAXED);
  const int64_t now_ns = sn_clock_now_ns(activity->system->config.clock);
  const sn__component_runtime *runtime = atomic_load(&activity->stepping);
  if (cycle % 2 == 0 || runtime == NULL || now_ns - begun_ns < hang_ns) {
    return false;
  }
  (void)snprintf(out, size, "the step of '%.40s' does not end", runtime->component->name);
  return atomic_load(&activity->cycle) == cycle;
}

/* The system is held. */
static void describe_cell(const sn__component_runtime *runtime, char *out, size_t size) {
  const sn_component_state state = sn__runtime_state(runtime);
  if (state == SN_STATE_ERROR) {
    (void)snprintf(out, size, "in error: %s",
                   sn_step_fault_text((sn_step_fault)atomic_load(&runtime->trouble)));
  } else if (state != SN_STATE_RUNNING) {
    (void)snprintf(out, size, "%s", sn_component_state_text(state));
  } else if (runtime->activity == NULL || !atomic_load(&runtime->activity->is_live)) {
    (void)snprintf(out, size, "no activity steps it");
  } else if (!describe_hang(runtime->activity, out, size)) {
    (void)snprintf(out, size, "%s",
                   runtime->has_events && !atomic_load(&runtime->triggered)
                       ? "nothing triggers its step"
                       : "it did not step in time");
  }
}

/* Without waiting for management, which may be what hangs. */
static void describe(sn_system *system, const char *name, char *out, size_t size) {
  if (!sn_system_hold_within(system, 0)) {
    (void)snprintf(out, size, "no confirmation; a call that configures the system is under way");
    return;
  }
  const size_t length = strcspn(name, " "); /* behind it: which bus of the component */
  const bool is_bus = name[length] != '\0';
  const sn__component_runtime *runtime = sn__system_find_part(system, name, length);
  if (runtime != NULL && !(is_bus && sn__runtime_state(runtime) == SN_STATE_RUNNING)) {
    describe_cell(runtime, out, size);
  } else {
    (void)snprintf(out, size, is_bus ? "no confirmation by its bus" : "no confirmation");
  }
  sn_system_release(system);
}

static bool has_actuator(const sn_estop_state *state) {
  bool has_one = false;
  for (size_t i = 0; i < state->party_count; i++) {
    has_one = has_one || !state->parties[i].is_gate;
  }
  return has_one;
}

sn_status sn__estop_explain(sn_system *system, const sn_estop_state *state, sn_error *err) {
  char text[sizeof err->message - 64] = "";
  size_t used = 0, left_out = 0;
  const bool only_actuators = has_actuator(state);
  for (size_t i = 0; i < state->party_count; i++) {
    const sn_estop_party *party = &state->parties[i];
    if (party->has_obeyed || (party->is_gate && only_actuators)) {
      continue;
    }
    char why[96], one[sizeof text];
    describe(system, party->name, why, sizeof why);
    const int length =
        snprintf(one, sizeof one, "%s'%s' (%s)", used == 0 ? "" : ", ", party->name, why);
    if (used + (size_t)length < sizeof text) {
      memcpy(text + used, one, (size_t)length + 1);
      used += (size_t)length;
    } else {
      left_out++;
    }
  }
  return left_out == 0 ? sn__fail(err, SN_ETIMEDOUT, "not stopped, did not obey: %s", text)
                       : sn__fail(err, SN_ETIMEDOUT, "not stopped, did not obey: %s and %zu more",
                                  text, left_out);
}
