/* The emergency stop of a system, as its components and programs use it. */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "rt/component_runtime.h"
#include "rt/futex.h"
#include "sinew/estop.h"

_Static_assert((int)SN_ESTOP_PARTIES_MAX == (int)SN__ESTOP_PARTIES, "one table");
_Static_assert(sizeof((sn_estop_party *)NULL)->name == sizeof((sn__estop_party_info *)NULL)->name,
               "names of the same length");

static const int64_t look_every_ns = 500000;

sn__estop *sn__estop_of(sn_system *system) {
  return &system->estop;
}

sn__estop_snapshot sn__estop_snapshot_of(const sn_component *component) {
  const sn_activity *activity = component->runtime->activity;
  if (activity != NULL &&
      (activity == sn__activity_current || component->system->is_stop_replayed)) {
    return activity->stop;
  }
  sn__estop_snapshot snapshot = {.has_text = false};
  (void)sn__estop_snapshot_update(&snapshot, &component->system->estop);
  return snapshot;
}

uint64_t sn_estop_request(sn_system *system, const char *who, const char *why) {
  return sn__estop_request(&system->estop, who, why);
}

sn_status sn__estop_refuse(sn_system *system, sn_error *err) {
  const uint64_t number = sn__estop_latched(&system->estop);
  sn__stop_text text = {.who = ""};
  if (number == 0) {
    return SN_OK;
  }
  const bool has_text = sn__estop_text(&system->estop, number, &text);
  return sn__fail(err, SN_ESTOPPED, "the emergency stop is set%s%s%s%s: resume first",
                  has_text ? " by " : "", text.who, has_text ? ", " : "", text.why);
}

static bool is_obeyed(const sn_estop_state *state) {
  bool has_actuators = false, by_actuators = true, by_gates = state->party_count > 0;
  for (size_t i = 0; i < state->party_count; i++) {
    const sn_estop_party *party = &state->parties[i];
    has_actuators = has_actuators || !party->is_gate;
    by_actuators = by_actuators && (party->is_gate || party->has_obeyed);
    by_gates = by_gates && party->has_obeyed;
  }
  return has_actuators ? by_actuators : by_gates;
}

void sn_estop_look(const sn_system *system, uint64_t number, sn_estop_state *out) {
  const sn__estop *e = &system->estop;
  const sn__estop_view view = sn__estop_look(e);
  sn__estop_party_info list[SN__ESTOP_PARTIES];
  *out = (sn_estop_state){.is_latched = view.number != 0, .number = sn__estop_number(e)};
  const uint64_t asked = number == 0 ? out->number : number;
  out->party_count = sn__estop_parties(e, asked, list);
  for (size_t i = 0; i < out->party_count; i++) {
    sn_estop_party *party = &out->parties[i];
    memcpy(party->name, list[i].name, sizeof party->name);
    party->is_gate = list[i].role == SN__ESTOP_GATE;
    party->has_obeyed = list[i].has_obeyed;
  }
  const bool is_over = asked <= out->number && (!out->is_latched || asked < view.first);
  out->is_obeyed = is_over || is_obeyed(out);
}

/* ---- why a stop was not obeyed ---- */

/* A cycle that takes longer than this is reported as hanging. */
static const int64_t hang_ns = INT64_C(50000000);

/* Describe a cycle that hangs. Components are not removed during a cycle, so the name is valid if
   the cycle is still the same afterwards. */
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

/* The caller holds the system. */
static void describe_component(const sn__component_runtime *runtime, char *out, size_t size) {
  const sn_component_state state = sn__runtime_state(runtime);
  if (state == SN_STATE_ERROR) {
    (void)snprintf(out, size, "in error: %s",
                   sn_step_fault_text((sn_step_fault)atomic_load(&runtime->fault)));
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

/* Does not wait for the lock of management, which may be what hangs. */
static void describe(sn_system *system, const char *name, char *out, size_t size) {
  if (!sn_system_hold_within(system, 0)) {
    (void)snprintf(out, size, "no confirmation; a call that configures the system is under way");
    return;
  }
  const size_t length = strcspn(name, " "); /* after it: the bus of the component */
  const bool is_bus = name[length] != '\0';
  const sn__component_runtime *runtime = sn__system_find_part(system, name, length);
  if (runtime != NULL && !(is_bus && sn__runtime_state(runtime) == SN_STATE_RUNNING)) {
    describe_component(runtime, out, size);
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

static sn_status explain(sn_system *system, const sn_estop_state *state, sn_error *err) {
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

/* ---- waiting and resuming ---- */

sn_status sn_estop_check(sn_system *system, uint64_t number, sn_error *err) {
  sn_estop_state state;
  sn_estop_look(system, number, &state);
  if (state.is_obeyed) {
    return SN_OK;
  }
  if (state.party_count == 0) {
    return sn__fail(err, SN_ENOENT,
                    "not stopped: this system has no component that could stop, neither a driver "
                    "nor a plant nor an aggregator");
  }
  return explain(system, &state, err);
}

sn_status sn_estop_wait(sn_system *system, uint64_t number, int64_t timeout_ns, sn_error *err) {
  if (sn__activity_current != NULL) {
    return sn__fail(err, SN_EDEADLOCK,
                    "the stop is requested; a component cannot wait for it in its own cycle");
  }
  const int64_t until_ns = sn__real_now_ns() + (timeout_ns > 0 ? timeout_ns : SN_ESTOP_TIMEOUT_NS);
  sn_estop_state state;
  sn_estop_look(system, number, &state);
  while (!state.is_obeyed && state.party_count > 0 && sn__real_now_ns() < until_ns) {
    _Atomic uint32_t nothing = 0;
    sn__futex_wait(&nothing, 0, sn__real_now_ns() + look_every_ns);
    sn_estop_look(system, number, &state);
  }
  return sn_estop_check(system, number, err);
}

sn_status sn_estop_resume(sn_system *system, sn_error *err) {
  sn_estop_state state;
  sn_estop_look(system, 0, &state);
  if (!state.is_latched) {
    return sn__fail(err, SN_EINVAL, "the emergency stop is not active");
  }
  for (size_t i = 0; i < state.party_count; i++) {
    if (state.parties[i].is_gate) {
      return sn__fail(err, SN_EBUSY, "'%s' ends the stop: call its operation resume",
                      state.parties[i].name);
    }
  }
  sn__estop_release(&system->estop, state.number);
  return SN_OK;
}
