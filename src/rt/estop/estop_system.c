/* The emergency stop of a system, as its components and programs use it. */
#include <string.h>

#include "base/fail.h"
#include "rt/component_runtime.h"
#include "rt/estop/estop_why.h"
#include "rt/futex.h"
#include "sinew/estop.h"

_Static_assert((int)SN_ESTOP_PARTIES_MAX == (int)SN__ESTOP_PARTIES, "one table");
_Static_assert(sizeof((sn_estop_party *)NULL)->name == sizeof((sn__estop_party_info *)NULL)->name,
               "names of the same length");

static const int64_t look_every_ns = 500000;

sn__estop *sn__estop_of(sn_system *system) {
  return &system->estop;
}

sn__estop_sight sn__estop_sight_of(const sn_component *component) {
  const sn_activity *activity = component->runtime->activity;
  if (activity != NULL && activity == sn__activity_current) {
    return activity->stop;
  }
  sn__estop_sight sight = {.has_text = false};
  (void)sn__estop_sight_update(&sight, &component->system->estop);
  return sight;
}

uint64_t sn_estop_request(sn_system *system, const char *who, const char *why) {
  return sn__estop_request(&system->estop, who, why);
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
  return sn__estop_explain(system, &state, err);
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
    return sn__fail(err, SN_EINVAL, "there is no emergency stop");
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
