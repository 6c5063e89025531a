/* Requests by messages and calls: on whose behalf, the answer, and the log. */
#include "arbiter/arbiter_msg.h"
#include "arbiter/resources_control.h"
#include "base/fail.h"
#include "base/sink.h"

enum { REQUESTS_MAX = 256 }; /* of one connection in one cycle; the rest waits */

/* May this writer ask on behalf of this controller? A component outside of the lists asks for one
   controller, the first it names, and no other component may ask for that one. */
static sn_status check_requester(const sn__resources_control *self, const sn_component *writer,
                                 sn__member *m, sn_error *err) {
  if (m->component != NULL && m->component != writer) {
    return sn__fail(err, SN_EINVAL, "'%s' is a component and asks through its own connection",
                    m->name);
  }
  if (m->requester != NULL && m->requester != writer) {
    return sn__fail(err, SN_EINVAL, "'%s' already asks for '%s'", m->requester->name, m->name);
  }
  for (size_t i = 0; writer != NULL && i < self->member_count; i++) {
    const sn__member *other = &self->members[i];
    if (other != m && other->requester == writer) {
      return sn__fail(err, SN_EINVAL, "the connection of '%s' asks for '%s', not for '%s'",
                      writer->name, other->name, m->name);
    }
  }
  m->requester = writer;
  return SN_OK;
}

/* A request by a message or a call. Components ask through their own connection, so their names are
   refused here.
   @param action  out: the answer, also if the request is invalid */
static sn_status handle_request(sn__resources_control *self, const sn_component *writer,
                                const sn_resource_request *msg, sn_arbiter_action *action,
                                sn_error *err) {
  sn__member *m = sn__member_find(self, msg->name.data);
  *action = (sn_arbiter_action){.controller = m == NULL ? SN_ARBITER_NONE : m->index,
                                .now_ns = self->now_ns,
                                .answer = SN_ARBITER_INVALID,
                                .request_id = msg->request_id,
                                .blocker = SN_ARBITER_NONE};
  if (m == NULL) {
    return sn__fail(err, SN_ENOENT, "unknown controller '%s'", msg->name.data);
  }
  sn_status status = check_requester(self, writer, m, err);
  if (status != SN_OK) {
    return status;
  }
  m->last_request_ns = self->now_ns;
  sn__resources_deliver(self); /* what was decided in the last cycle comes first */
  status = sn__arbiter_handle_request(self->arbiter, m->index, msg, (int64_t)(1e9 * self->wait_s),
                                      self->now_ns, action, err);
  if (status == SN_OK) {
    sn__member_notify(m, action);
    sn__resources_commit(self, NULL);
    sn__resources_publish(self, action);
    sn__resources_deliver(self);
  }
  return status;
}

static void warn_refused(sn__resources_control *self, const char *name, const char *reason) {
  const sn_log_arg args[] = {
      {.kind = SN_LOG_TEXT, .value.text = name},
      {.kind = SN_LOG_TEXT, .value.text = reason},
  };
  sn_component_log_limited(&self->component, &self->refusals, self->now_ns, SN_LOG_WARNING,
                           "a request of '{}' was refused: {}", 2, args);
}

/* Log a refusal, and publish the reason of an invalid request. */
static void conclude(sn__resources_control *self, const sn_resource_request *msg,
                     const sn_arbiter_action *action, const sn_error *err) {
  if (action->answer == SN_ARBITER_INVALID) {
    sn__resources_refuse(self, msg, err->message);
    warn_refused(self, msg->name.data, err->message);
  } else if (action->answer == SN_ARBITER_REFUSED) {
    const int first = sn_resource_set_next(&action->blocked, 0);
    char reason[160];
    sn__sink sink = {.out = reason, .size = sizeof reason};
    sn__sink_text(&sink, "a stronger controller holds '");
    sn__sink_text(&sink, first < 0 ? "" : sn_names_at(self->map.resources, (size_t)first));
    sn__sink_text(&sink, "'");
    sn__sink_end(&sink);
    warn_refused(self, msg->name.data, reason);
  }
}

void sn__resources_read_requests(sn__resources_control *self) {
  for (size_t i = 0; i < self->requests.count; i++) {
    sn_input *input = &self->requests.items[i];
    size_t left = REQUESTS_MAX;
    for (const sn_resource_request *msg; (msg = sn_input_next(input, &left)) != NULL;) {
      sn_error err = {.message = ""};
      sn_arbiter_action action;
      (void)handle_request(self, sn_input_writer(input), msg, &action, &err);
      conclude(self, msg, &action, &err);
    }
  }
}

sn_status sn__resources_request(sn_component *component, const void *request_msg, void *response,
                                sn_error *err) {
  sn__resources_control *self = (sn__resources_control *)component;
  sn_call_outcome *outcome = response;
  sn_arbiter_action action;
  sn_error reason = {.message = ""};
  const sn_status status = handle_request(self, NULL, request_msg, &action, &reason);
  conclude(self, request_msg, &action, &reason);
  if (status == SN_OK) {
    outcome->success = action.answer == SN_ARBITER_GRANTED;
    (void)sn_msg_text_set(&outcome->message, sn__arbiter_answer_text(action.answer)); /* short */
  } else if (err != NULL) {
    *err = reason;
  }
  return status;
}
