#include <string.h>

#include "arbiter/arbiter_msg.h"
#include "base/fail.h"

sn_status sn__consumer_fill_request(const sn_consumer *consumer, const sn_arbiter_claim *claim,
                                    int64_t now_ns, sn_resource_request *request) {
  request->header.stamp_ns = now_ns;
  request->request_id = claim->request_id;
  request->priority = claim->priority;
  request->wait = claim->wait_ns > 0;
  const sn_status status = sn_msg_text_set(&request->name, consumer->config.name);
  return status != SN_OK ? status
                         : sn__resource_set_to_msg(consumer->config.resources, &claim->resources,
                                                   &request->resources);
}

sn_status sn__consumer_fill_state(const sn_consumer *consumer, int64_t now_ns,
                                  sn_controller_state *state) {
  const sn_names *resources = consumer->config.resources;
  const sn_resource_set requested = sn__consumer_requested(consumer);
  state->header.stamp_ns = now_ns;
  state->request_id = consumer->last_request_id;
  state->operational = sn__consumer_is_operational(consumer);
  sn_status status = sn_msg_text_set(&state->name, consumer->config.name);
  if (status == SN_OK) {
    status = sn__resource_set_to_msg(resources, &consumer->held, &state->resources);
  }
  if (status == SN_OK) {
    status = sn__resource_set_to_msg(resources, &requested, &state->requested);
  }
  return status;
}

/* What this controller owns according to the table. */
static sn_status find_own(const sn_consumer *consumer, const sn_resource_assignment *assignment,
                          sn_resource_set *owned, sn_error *err) {
  *owned = sn_resource_set_none();
  if (assignment->owners.count != assignment->resources.count) {
    return sn__fail(err, SN_EINVAL, "assignment: %zu owners of %zu resources",
                    assignment->owners.count, assignment->resources.count);
  }
  for (size_t i = 0; i < assignment->resources.count; i++) {
    if (strcmp(sn_msg_names_at(&assignment->owners, i), consumer->config.name) != 0) {
      continue;
    }
    const char *name = sn_msg_names_at(&assignment->resources, i);
    sn_resource_set one = sn_resource_set_none();
    const sn_status status = sn__resource_set_find(consumer->config.resources, &name, 1, &one, err);
    if (status != SN_OK) {
      return status;
    }
    *owned = sn_resource_set_join(*owned, one);
  }
  return SN_OK;
}

/* The answer of an assignment to the waiting request. */
static sn_arbiter_answer find_answer(const sn_consumer *consumer,
                                     const sn_resource_assignment *assignment) {
  if (assignment->request_id == 0 || assignment->request_id != consumer->waiting_id ||
      assignment->name.count == 0 || assignment->reason.count == 0 ||
      strcmp(assignment->name.data, consumer->config.name) != 0) {
    return SN_ARBITER_NO_ANSWER;
  }
  for (int i = SN_ARBITER_GRANTED; i <= SN_ARBITER_INVALID; i++) {
    const sn_arbiter_answer answer = (sn_arbiter_answer)i;
    const char *text = sn__arbiter_answer_text(answer);
    const size_t length = strcspn(assignment->reason.data, ":"); /* details follow it */
    if (answer != SN_ARBITER_WAITING && strlen(text) == length &&
        strncmp(assignment->reason.data, text, length) == 0) {
      return answer;
    }
  }
  return SN_ARBITER_NO_ANSWER;
}

sn_status sn__consumer_handle_assignment(sn_consumer *consumer,
                                         const sn_resource_assignment *assignment, sn_error *err) {
  sn_arbiter_action action = {.controller = SN_ARBITER_NONE,
                              .event = consumer->event, /* messages arrive in order */
                              .now_ns = assignment->header.stamp_ns,
                              .request_id = assignment->request_id,
                              .answer = find_answer(consumer, assignment)};
  const sn_status status = find_own(consumer, assignment, &action.owned, err);
  if (status != SN_OK) {
    return status;
  }
  const bool is_granted = action.answer == SN_ARBITER_GRANTED || action.answer == SN_ARBITER_LOST;
  const sn_resource_set before = is_granted ? consumer->waiting : consumer->wanted;
  action.wanted =
      consumer->config.keep_subset ? sn_resource_set_join(before, action.owned) : action.owned;
  if (action.answer == SN_ARBITER_NO_ANSWER) {
    action.waiting = consumer->waiting;
    action.waiting_id = consumer->waiting_id;
  }
  sn__consumer_handle(consumer, &action);
  return SN_OK;
}

sn_status sn__consumer_handle_release(sn_consumer *consumer, const sn_resource_request *request,
                                      sn_error *err) {
  sn_resource_set set;
  const sn_status status =
      sn__resource_set_from_msg(consumer->config.resources, &request->resources, &set, err);
  if (status == SN_OK) {
    sn__consumer_release(consumer, &set);
  }
  return status;
}
