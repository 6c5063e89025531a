/* The emergency stop: requested in any thread, carried out in that of the component. */
#include "base/fail.h"
#include "gate/gate_component.h"
#include "sinew/msg_calls.h"

enum { DRAINS_MAX = SN_BUFFER_MAX / SN_INPUT_BURST_MAX };

static const char *text_or(const char *text, const char *otherwise) {
  return text[0] == '\0' ? otherwise : text;
}

static void log_stop(const sn__gate_component *a, int64_t now_ns) {
  const sn_log_arg args[] = {
      {.kind = SN_LOG_TEXT, .value.text = text_or(a->stop_text.who, "unknown")},
      {.kind = SN_LOG_TEXT, .value.text = text_or(a->stop_text.why, "no reason given")},
      {.kind = SN_LOG_TEXT, .value.text = a->component.name},
  };
  sn_component_log(&a->component, now_ns, SN_LOG_ERROR,
                   "emergency stop by {}: {}; to go on: sinew call {}.resume name=WHO", 3, args);
}

sn_status sn__gate_component_join_stop(sn__gate_component *a, sn_error *err) {
  sn__estop *e = sn__estop_of(a->component.system);
  a->party = sn__estop_register(e, SN__ESTOP_GATE, a->component.name);
  sn__estop_gate_set_limp(e, a->party, a->stop_limp);
  return a->party >= 0
             ? SN_OK
             : sn__fail(err, SN_ELIMIT, "more than %d components take part in the emergency stop",
                        SN__ESTOP_PARTIES);
}

static void begin_stop(sn__gate_component *a, const sn__estop_view *view, int64_t now_ns) {
  sn__gate_stop(a->gate, "", "", now_ns);
  a->stop_number = view->first > a->stops_seen ? view->first : a->stops_seen + 1;
  a->stop_text = (sn__stop_text){.who = ""};
  a->is_stopped = a->wants_text = true;
}

void sn__gate_component_check_stop(sn__gate_component *a, int64_t now_ns) {
  const sn__estop_snapshot snapshot = sn__estop_snapshot_of(&a->component);
  bool is_new = false;
  sn__gate_set_stop_limp(a->gate, a->stop_limp || snapshot.view.wants_limp);
  if (snapshot.view.number > a->stops_seen) {
    if (!sn__gate_stop_now(a->gate)->is_stopped) {
      begin_stop(a, &snapshot.view, now_ns);
      is_new = true;
    }
    a->stops_seen = snapshot.view.number;
    a->stop_changed = true;
  }
  if (a->wants_text && snapshot.has_text && snapshot.view.first == a->stop_number) {
    sn__gate_stop_explain(a->gate, snapshot.text.who, snapshot.text.why);
    a->stop_text = snapshot.text;
    a->wants_text = false;
    a->stop_changed = is_new = true;
  }
  if (is_new) {
    log_stop(a, now_ns);
  }
}

void sn__gate_component_acknowledge_stop(sn__gate_component *a) {
  if (a->is_stopped) {
    sn__estop_gate_ack(sn__estop_of(a->component.system), a->party, a->stops_seen,
                       sn__gate_is_at_rest(a->gate));
  }
}

static void describe_stop(sn__gate_component *a, int64_t now_ns, sn_stop_state *out) {
  const sn_gate_stop_state *stop = sn__gate_stop_now(a->gate);
  out->header.stamp_ns = now_ns;
  out->stopped = stop->is_stopped;
  out->at_rest = sn__gate_is_at_rest(a->gate);
  out->since_ns = stop->since_ns;
  out->resumed_ns = stop->resumed_ns;
  out->count = a->stops_seen;
  sn__gate_component_set_text(&out->who, stop->who);
  sn__gate_component_set_text(&out->why, stop->why);
  sn__gate_component_set_text(&out->resumed_by, stop->resumed_by);
}

void sn__gate_component_publish_stop(sn__gate_component *a, int64_t now_ns) {
  const bool is_at_rest = sn__gate_is_at_rest(a->gate);
  if (!a->stop_changed && is_at_rest == a->was_at_rest) {
    return;
  }
  a->stop_changed = false;
  a->was_at_rest = is_at_rest;
  describe_stop(a, now_ns, a->stop.msg);
  (void)sn_output_write(&a->stop);
}

sn_status sn__gate_component_emergency_stop(sn_component *component, const void *request,
                                            void *response, sn_error *err) {
  const sn_call_stop *call = request;
  (void)response;
  (void)err;
  (void)sn__estop_request(sn__estop_of(component->system), call->who.data, call->why.data);
  return SN_OK;
}

sn_status sn__gate_component_resume(sn_component *component, const void *request, void *response,
                                    sn_error *err) {
  sn__gate_component *a = (sn__gate_component *)component;
  (void)response;
  const sn__estop_view view = sn__estop_snapshot_of(component).view;
  /* A stop since the last cycle is not the one the caller means to end. */
  if (view.number > a->stops_seen) {
    return sn__fail(err, SN_EBUSY, "another emergency stop has just been requested");
  }
  /* Right after the last cycle: references written from now on count. */
  const int64_t now_ns = a->now_ns + 1;
  /* Queued references were written during the stop: they are refused and counted. */
  for (int i = 0; i < DRAINS_MAX && sn__gate_component_read(a, now_ns); i++) {
  }
  const sn_status status =
      sn__gate_resume(a->gate, ((const sn_call_name *)request)->name.data, now_ns);
  if (status != SN_OK) {
    return sn__fail(
        err, status,
        status == SN_EBUSY ? "the robot still brakes" : "the emergency stop is not active");
  }
  a->is_stopped = a->wants_text = false;
  a->stop_changed = true;
  sn__estop_gate_resume(sn__estop_of(component->system), a->party, a->stops_seen);
  if (view.is_frozen) { /* the robot is not where the gate left it */
    sn__gate_restart(a->gate, sn_input_is_connected(&a->measured), now_ns);
  }
  const sn_log_arg arg = {.kind = SN_LOG_TEXT,
                          .value.text = text_or(sn__gate_stop_now(a->gate)->resumed_by, "unknown")};
  sn_component_log(component, now_ns, SN_LOG_WARNING, "{} ended the emergency stop", 1, &arg);
  return SN_OK;
}

sn_status sn__gate_component_get_stop(sn_component *component, const void *request, void *response,
                                      sn_error *err) {
  (void)request;
  (void)err;
  sn__gate_component *a = (sn__gate_component *)component;
  describe_stop(a, a->now_ns, response);
  return SN_OK;
}
