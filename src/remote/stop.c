#include "remote/stop.h"

#include <string.h>

#include "remote/stop_line.h"
#include "remote/verbs.h"
#include "sinew/clock.h"
#include "sinew/estop.h"

static int64_t machine_now_ns(void) {
  sn_clock clock;
  sn_clock_init_monotonic(&clock);
  return sn_clock_now_ns(&clock);
}

sn__remote_stop sn__remote_stop_hear(sn_system *system, const char *who, const char *why) {
  const uint64_t number = sn_estop_request(system, who, why);
  return (sn__remote_stop){.number = number, .heard_ns = machine_now_ns()};
}

sn_status sn__remote_stop_wait(sn_system *system, const sn__remote_stop *stop, sn_error *err) {
  const int64_t left_ns = stop->heard_ns + SN_ESTOP_TIMEOUT_NS - machine_now_ns();
  return left_ns > 0 ? sn_estop_wait(system, stop->number, left_ns, err)
                     : sn_estop_check(system, stop->number, err);
}

/* ---- lines of the control socket ---- */

static void write_parties(sn__buffer *reply, sn_system *system, uint64_t number) {
  sn_estop_state state;
  sn_estop_look(system, number, &state);
  sn__json_open(reply, "parties", '[');
  for (size_t i = 0; i < state.party_count; i++) {
    const sn_estop_party *party = &state.parties[i];
    sn__json_open(reply, NULL, '{');
    sn__json_text(reply, "name", party->name);
    sn__json_text(reply, "role", party->is_gate ? "gate" : "actuator");
    sn__json_bool(reply, "obeyed", party->has_obeyed);
    sn__json_close(reply, '}');
  }
  sn__json_close(reply, ']');
}

static void write_result(sn__buffer *reply, const char *name, sn_system *system, uint64_t number) {
  sn__json_open(reply, name, '{');
  sn__json_count(reply, "number", number);
  write_parties(reply, system, number);
  sn__json_close(reply, '}');
}

void sn__remote_stop_answer(sn_system *system, const sn__remote_stop *stop, const char *id,
                            bool is_call, sn__remote_answer *answer) {
  sn_error err = {SN_OK, ""};
  const sn_status status = sn__remote_stop_wait(system, stop, &err);
  sn__buffer *reply = &answer->reply;
  sn__buffer_clear(reply);
  sn__json_open(reply, NULL, '{');
  sn__json_raw(reply, "id", id, strlen(id));
  sn__json_bool(reply, "ok", status == SN_OK);
  if (status != SN_OK) {
    sn__json_text(reply, "status", sn__remote_status_name(status));
    sn__json_text(reply, "error", err.message);
    write_parties(reply, system, stop->number);
  } else if (is_call) {
    sn__json_null(reply, "result");
  } else {
    write_result(reply, "result", system, stop->number);
  }
  sn__json_close(reply, '}');
  sn__buffer_append(reply, "\n", 1);
}

/* Where lines are not looked at beforehand. */
sn_status sn__remote_stop_system(sn__remote_request *request, sn__remote_answer *answer,
                                 sn_error *err) {
  sn_system *system = request->context->system;
  const json_t *arguments = json_object_get(request->json, "arguments");
  const bool is_call = strcmp(request->verb->name, "call") == 0;
  const json_t *from = is_call ? arguments : request->json;
  const char *who = json_string_value(json_object_get(from, "who"));
  const char *why = json_string_value(json_object_get(from, "why"));
  const sn__remote_stop stop =
      sn__remote_stop_hear(system, who == NULL ? "" : who, why == NULL ? "" : why);
  const sn_status status = sn__remote_stop_wait(system, &stop, err);
  if (is_call) {
    sn__json_null(&answer->reply, NULL);
  } else {
    write_result(&answer->reply, NULL, system, stop.number);
  }
  return status;
}
