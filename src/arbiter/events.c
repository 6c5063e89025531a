#include "arbiter/arbiter.h"
#include "sinew/fault.h"

static sn__controller *controller_at(sn_arbiter *arbiter, int controller) {
  SN_ASSERT(controller >= 0);
  SN_ASSERT(controller < arbiter->controller_count);
  return &arbiter->controllers[controller];
}

/* A controller that releases something, or fails, does not get it back as a fallback in the same
   event. */
static void decline(sn_arbiter *arbiter, int controller, const sn_resource_set *resources) {
  const sn_resource_set orphans = sn_resource_set_common(arbiter->orphans, *resources);
  for (SN__EACH(i, &orphans)) {
    if (arbiter->resources[i].fallback == controller) {
      sn_resource_set_remove(&arbiter->orphans, (size_t)i);
    }
  }
}

/* Owns nothing, wants nothing, waits for nothing. */
static void clear(sn_arbiter *arbiter, int controller, sn_arbiter_why why) {
  decline(arbiter, controller, &arbiter->all);
  sn__request_remove(arbiter, controller);
  sn__arbiter_forget(arbiter, controller, &arbiter->all, why);
}

/* The end of an event by which a controller released something: it needs no notice. */
static void finish_own(sn_arbiter *arbiter, int controller, sn_resource_set given) {
  sn__controller *c = &arbiter->controllers[controller];
  given = sn_resource_set_without(given, c->owned);
  c->notice.owned = sn_resource_set_without(c->notice.owned, given);
  sn__arbiter_finish(arbiter);
}

static void release_all(sn_arbiter *arbiter, int controller) {
  clear(arbiter, controller, SN_ARBITER_RELEASE);
  arbiter->controllers[controller].notice.answer = SN_ARBITER_NO_ANSWER;
  sn__arbiter_settle(arbiter);
}

/* The request is valid, and is granted or waits: it replaces the earlier one. */
static sn_arbiter_answer accept(sn_arbiter *arbiter, int controller, const sn_arbiter_claim *claim,
                                bool start) {
  sn__controller *c = &arbiter->controllers[controller];
  sn__request_remove(arbiter, controller);
  c->notice.answer = SN_ARBITER_NO_ANSWER;
  sn__request_add(arbiter, controller, claim);
  if (start) {
    sn__request_start(arbiter, controller);
  }
  sn__arbiter_settle(arbiter);
  sn__arbiter_finish(arbiter);
  if (c->request.state != SN__REQUEST_NONE) {
    arbiter->counts.waited++;
    return SN_ARBITER_WAITING;
  }
  if (c->notice.answer == SN_ARBITER_REFUSED) { /* REFUSED would mean that nothing has changed */
    c->notice.answer = SN_ARBITER_LOST;
  }
  return c->notice.answer;
}

static sn_arbiter_answer decide(sn_arbiter *arbiter, int controller, const sn_arbiter_claim *claim,
                                sn_resource_set *blocked, int *blocker) {
  const sn__controller *c = &arbiter->controllers[controller];
  arbiter->counts.requests++;
  if (!c->connected || !sn_resource_set_includes(&arbiter->all, &claim->resources)) {
    arbiter->counts.invalid++;
    return SN_ARBITER_INVALID;
  }
  if (sn_resource_set_is_empty(&claim->resources)) {
    release_all(arbiter, controller);
    sn__arbiter_finish(arbiter);
    arbiter->counts.granted++;
    return SN_ARBITER_GRANTED;
  }
  *blocked = sn__arbiter_blocked(arbiter, controller, claim, UINT64_MAX, blocker);
  const bool start = sn_resource_set_is_empty(blocked);
  if (!start && claim->wait_ns <= 0) {
    arbiter->counts.refused++;
    return SN_ARBITER_REFUSED;
  }
  return accept(arbiter, controller, claim, start);
}

sn_arbiter_answer sn__arbiter_request(sn_arbiter *arbiter, int controller,
                                      const sn_arbiter_claim *claim, int64_t now_ns,
                                      sn_arbiter_action *answer) {
  controller_at(arbiter, controller);
  sn_resource_set blocked = sn_resource_set_none();
  int blocker = SN__NONE;
  sn__arbiter_begin(arbiter, controller, now_ns);
  const sn_arbiter_answer result = decide(arbiter, controller, claim, &blocked, &blocker);
  if (result == SN_ARBITER_GRANTED || result == SN_ARBITER_LOST) {
    sn__notice_fill(arbiter, controller, answer);
  } else {
    sn__arbiter_read_state(arbiter, controller, answer);
  }
  if (answer->answer == SN_ARBITER_NO_ANSWER) { /* not LOST, which comes with a notice only */
    answer->answer = result;
    answer->request_id = claim->request_id;
    answer->blocked = blocked;
    answer->blocker = blocker;
  }
  return answer->answer;
}

void sn__arbiter_release_all(sn_arbiter *arbiter, int controller, int64_t now_ns) {
  controller_at(arbiter, controller);
  sn__arbiter_begin(arbiter, controller, now_ns);
  release_all(arbiter, controller);
  finish_own(arbiter, controller, arbiter->all);
}

/* A disowned resource is removed from the waiting request, too. */
static void narrow_request(sn_arbiter *arbiter, int controller, const sn_resource_set *unwanted) {
  sn__request *request = &arbiter->controllers[controller].request;
  if (request->state == SN__REQUEST_NONE) {
    return;
  }
  const sn_resource_set left = sn_resource_set_without(request->claim.resources, *unwanted);
  if (sn_resource_set_is_empty(&left)) {
    sn__request_remove(arbiter, controller);
    return;
  }
  for (SN__EACH(i, unwanted)) {
    if (arbiter->resources[i].reserved == controller) {
      arbiter->resources[i].reserved = SN__NONE;
      sn_resource_set_add(&arbiter->loose, (size_t)i);
    }
  }
  request->claim.resources = left;
}

void sn__arbiter_disown(sn_arbiter *arbiter, int controller, const sn_resource_set *resources,
                        int64_t now_ns) {
  controller_at(arbiter, controller);
  const sn_resource_set given = sn_resource_set_common(*resources, arbiter->all);
  sn__arbiter_begin(arbiter, controller, now_ns);
  decline(arbiter, controller, &given);
  narrow_request(arbiter, controller, &given);
  sn__arbiter_forget(arbiter, controller, &given, SN_ARBITER_DISOWN);
  sn__arbiter_settle(arbiter);
  finish_own(arbiter, controller, given);
}

void sn__arbiter_want(sn_arbiter *arbiter, int controller, const sn_resource_set *resources,
                      int32_t priority, int64_t now_ns) {
  sn__controller *c = controller_at(arbiter, controller);
  const sn_resource_set known = sn_resource_set_common(*resources, arbiter->all);
  const sn_resource_set more = sn_resource_set_without(known, c->wanted);
  sn__arbiter_begin(arbiter, controller, now_ns);
  if (!c->connected || !c->policy.keep_subset || sn_resource_set_is_empty(&more) ||
      c->request.state != SN__REQUEST_NONE) {
    return; /* a claim that is newer than its waiting request could close a cycle of waits */
  }
  if (sn_resource_set_is_empty(&c->wanted)) {
    c->priority = priority;
    c->ticket = ++arbiter->ticket;
  }
  for (SN__EACH(i, &more)) {
    sn__former_append(arbiter, i, controller);
    sn_resource_set_add(&c->wanted, (size_t)i);
    sn_resource_set_add(&arbiter->loose, (size_t)i);
  }
  sn__arbiter_settle(arbiter);
  sn__arbiter_finish(arbiter);
}

sn_status sn__arbiter_set_policy(sn_arbiter *arbiter, int controller,
                                 const sn_arbiter_controller *policy) {
  sn__controller *c = controller_at(arbiter, controller);
  if (c->request.state != SN__REQUEST_NONE || !sn_resource_set_is_empty(&c->wanted)) {
    return SN_EBUSY;
  }
  bool is_fallback = false;
  for (int i = 0; i < arbiter->resource_count; i++) {
    is_fallback = is_fallback || arbiter->resources[i].fallback == controller;
  }
  if (policy->acknowledge_ns < 0 || (is_fallback && !policy->keep_subset)) {
    return SN_EINVAL;
  }
  c->policy = *policy;
  arbiter->some_need_time = arbiter->some_need_time || policy->acknowledge_ns > 0;
  return SN_OK;
}

void sn__arbiter_acknowledge(sn_arbiter *arbiter, int controller, const sn_resource_set *resources,
                             int64_t now_ns) {
  sn__controller *c = controller_at(arbiter, controller);
  sn_resource_set given = sn_resource_set_common(*resources, c->asked);
  sn__arbiter_begin(arbiter, controller, now_ns);
  if (sn_resource_set_is_empty(&given)) {
    return;
  }
  if (c->policy.keep_subset) {
    for (SN__EACH(i, &given)) {
      sn__arbiter_lose(arbiter, i, SN__NONE, SN_ARBITER_ACKNOWLEDGED);
    }
  } else {
    given = arbiter->all;
    sn__arbiter_forget(arbiter, controller, &given, SN_ARBITER_ACKNOWLEDGED);
  }
  /* It has released them: if it gets one back at once, it needs a notice. */
  c->notice.owned = sn_resource_set_without(c->notice.owned, given);
  sn__arbiter_settle(arbiter);
  sn__arbiter_finish(arbiter);
  sn__notice_queue(arbiter, controller);
}

void sn__arbiter_fail(sn_arbiter *arbiter, int controller, sn_arbiter_why why, int64_t now_ns) {
  sn__controller *c = controller_at(arbiter, controller);
  SN_ASSERT(why == SN_ARBITER_DIED || why == SN_ARBITER_HUNG || why == SN_ARBITER_MALFORMED);
  sn__arbiter_begin(arbiter, controller, now_ns);
  if (!c->connected) {
    return;
  }
  arbiter->counts.failures++;
  if (c->request.state != SN__REQUEST_NONE) {
    sn__notice_answer(arbiter, controller, SN_ARBITER_CANCELLED);
    arbiter->counts.cancelled++;
  }
  if (!sn_resource_set_is_empty(&c->wanted)) {
    c->notice.failed = true;
    sn_resource_set_add(&arbiter->notified, (size_t)controller);
  }
  c->connected = why != SN_ARBITER_DIED;
  const sn_resource_set owned = c->owned;
  clear(arbiter, controller, why);
  for (SN__EACH(i, &owned)) {
    const int fallback = arbiter->resources[i].fallback;
    if (fallback != SN__NONE && fallback != controller) {
      sn_resource_set_add(&arbiter->orphans, (size_t)i);
    }
  }
  sn__arbiter_settle(arbiter);
  sn__arbiter_finish(arbiter);
  if (why == SN_ARBITER_DIED) {
    sn__notice_drop(arbiter, controller);
  }
}

void sn__arbiter_connect(sn_arbiter *arbiter, int controller, int64_t now_ns) {
  controller_at(arbiter, controller)->connected = true;
  sn__arbiter_begin(arbiter, controller, now_ns);
  sn__arbiter_settle(arbiter); /* it may be a fallback that was not connected */
  sn__arbiter_finish(arbiter);
}

static void expire(sn_arbiter *arbiter, int controller, int64_t now_ns) {
  sn__arbiter_begin(arbiter, controller, now_ns);
  sn__notice_answer(arbiter, controller, SN_ARBITER_EXPIRED);
  sn__request_remove(arbiter, controller);
  arbiter->counts.expired++;
  sn__arbiter_settle(arbiter);
  sn__arbiter_finish(arbiter);
}

/* The earliest of all deadlines. */
static int64_t next_deadline(const sn_arbiter *arbiter) {
  int64_t first_ns = SN_ARBITER_FOREVER;
  for (int i = 0; i < arbiter->resource_count; i++) {
    const int64_t deadline_ns = arbiter->resources[i].deadline_ns;
    first_ns = deadline_ns < first_ns ? deadline_ns : first_ns;
  }
  for (int i = arbiter->waiting; i != SN__NONE; i = arbiter->controllers[i].request.next) {
    const int64_t deadline_ns = arbiter->controllers[i].request.deadline_ns;
    first_ns = deadline_ns < first_ns ? deadline_ns : first_ns;
  }
  return first_ns;
}

/* SN_ARBITER_FOREVER never expires. */
static bool is_over(int64_t deadline_ns, int64_t now_ns) {
  return deadline_ns <= now_ns && deadline_ns != SN_ARBITER_FOREVER;
}

void sn__arbiter_tick(sn_arbiter *arbiter, int64_t now_ns) {
  if (!is_over(arbiter->deadline_ns, now_ns)) {
    return;
  }
  /* Holders that are late fail first: what that frees may be in time for waiting requests. */
  for (int i = 0; i < arbiter->resource_count; i++) {
    if (is_over(arbiter->resources[i].deadline_ns, now_ns)) {
      sn__arbiter_fail(arbiter, arbiter->resources[i].owner, SN_ARBITER_HUNG, now_ns);
    }
  }
  for (int i = 0; i < arbiter->controller_count; i++) {
    const sn__request *request = &arbiter->controllers[i].request;
    if (request->state != SN__REQUEST_NONE && is_over(request->deadline_ns, now_ns)) {
      expire(arbiter, i, now_ns);
    }
  }
  arbiter->deadline_ns = next_deadline(arbiter);
}
