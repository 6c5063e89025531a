/* Outgoing actions. Messages are not queued: a controller is flagged, and its next action is the
   difference between the last state it received and the present one. So nothing can overflow, and
   an action that is delivered late is not out of date. */
#include "arbiter/arbiter.h"
#include "sinew/fault.h"

void sn__notice_queue(sn_arbiter *arbiter, int controller) {
  sn__notice *news = &arbiter->controllers[controller].notice;
  if (news->queued) {
    return;
  }
  news->queued = true;
  news->next = SN__NONE;
  if (arbiter->notice_first == SN__NONE) {
    arbiter->notice_first = controller;
  } else {
    arbiter->controllers[arbiter->notice_last].notice.next = controller;
  }
  arbiter->notice_last = controller;
}

void sn__notice_answer(sn_arbiter *arbiter, int controller, sn_arbiter_answer answer) {
  sn__controller *c = &arbiter->controllers[controller];
  c->notice.answer = answer;
  c->notice.request_id = c->request.claim.request_id;
  c->notice.request = c->request.claim.resources;
  c->notice.cause = arbiter->cause;
  sn_resource_set_add(&arbiter->notified, (size_t)controller);
}

/* All but the answer counts as delivered. */
static void drop_state(sn__controller *c) {
  c->notice.owned = c->owned;
  c->notice.asked = c->asked;
  c->notice.failed = false;
}

void sn__notice_drop(sn_arbiter *arbiter, int controller) {
  drop_state(&arbiter->controllers[controller]);
  arbiter->controllers[controller].notice.answer = SN_ARBITER_NO_ANSWER;
}

static int64_t first_deadline(const sn_arbiter *arbiter, const sn_resource_set *set) {
  int64_t first_ns = SN_ARBITER_FOREVER;
  for (SN__EACH(i, set)) {
    const int64_t deadline_ns = arbiter->resources[i].deadline_ns;
    first_ns = deadline_ns < first_ns ? deadline_ns : first_ns;
  }
  return first_ns;
}

/* The answer as of now: what was granted may be lost again. */
static void take_answer(const sn_arbiter *arbiter, int controller, sn_arbiter_action *action) {
  const sn__controller *c = &arbiter->controllers[controller];
  if (c->notice.answer == SN_ARBITER_NO_ANSWER) {
    return;
  }
  action->answer = c->notice.answer;
  action->request_id = c->notice.request_id;
  if (c->notice.answer == SN_ARBITER_GRANTED &&
      !sn_resource_set_includes(&c->owned, &c->notice.request)) {
    action->answer = SN_ARBITER_LOST;
  }
  if (c->notice.answer == SN_ARBITER_REFUSED) {
    action->blocked = sn__arbiter_blocked(arbiter, controller, &c->request.claim, c->request.ticket,
                                          &action->blocker);
  }
}

void sn__arbiter_read_state(sn_arbiter *arbiter, int controller, sn_arbiter_action *action) {
  SN_ASSERT(controller >= 0);
  SN_ASSERT(controller < arbiter->controller_count);
  sn__controller *c = &arbiter->controllers[controller];
  const bool waits = c->request.state != SN__REQUEST_NONE;
  *action =
      (sn_arbiter_action){.controller = controller,
                          .event = arbiter->event,
                          .now_ns = arbiter->now_ns,
                          .gained = sn_resource_set_without(c->owned, c->notice.owned),
                          .lost = sn_resource_set_without(c->notice.owned, c->owned),
                          .owned = c->owned,
                          .wanted = c->wanted,
                          .release = c->asked,
                          .release_ns = first_deadline(arbiter, &c->asked),
                          .waiting = waits ? c->request.claim.resources : sn_resource_set_none(),
                          .waiting_id = waits ? c->request.claim.request_id : 0,
                          .cause = c->notice.cause,
                          .blocker = SN__NONE};
  if (!sn_resource_set_is_empty(&action->gained)) {
    action->gained_why = c->notice.gained_why;
  }
  if (!sn_resource_set_is_empty(&action->lost)) {
    action->lost_why = c->notice.lost_why;
  }
  drop_state(c);
}

void sn__notice_fill(sn_arbiter *arbiter, int controller, sn_arbiter_action *action) {
  sn__arbiter_read_state(arbiter, controller, action);
  take_answer(arbiter, controller, action);
  sn__notice_drop(arbiter, controller);
}

static bool is_new(const sn__controller *c) {
  return c->notice.failed || c->notice.answer != SN_ARBITER_NO_ANSWER ||
         !sn_resource_set_equal(&c->owned, &c->notice.owned) ||
         !sn_resource_set_includes(&c->notice.asked, &c->asked);
}

bool sn__arbiter_next_action(sn_arbiter *arbiter, sn_arbiter_action *action) {
  while (arbiter->notice_first != SN__NONE) {
    const int controller = arbiter->notice_first;
    sn__controller *c = &arbiter->controllers[controller];
    arbiter->notice_first = c->notice.next;
    c->notice.queued = false;
    if (is_new(c)) {
      sn__notice_fill(arbiter, controller, action);
      return true;
    }
  }
  return false;
}
