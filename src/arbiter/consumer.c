#include "arbiter/consumer.h"

#include "sinew/fault.h"

void sn__consumer_init(sn_consumer *consumer, const sn_consumer_config *config) {
  SN_ASSERT(config->name != NULL);
  SN_ASSERT(config->resources != NULL);
  SN_ASSERT(sn_names_count(config->resources) <= SN_RESOURCES_MAX);
  *consumer = (sn_consumer){.config = *config};
}

sn_resource_set sn__consumer_held(const sn_consumer *consumer) {
  return consumer->held;
}

bool sn__consumer_has(const sn_consumer *consumer, int resource) {
  return resource >= 0 && resource < SN_RESOURCES_MAX &&
         sn_resource_set_has(&consumer->held, (size_t)resource);
}

sn_resource_set sn__consumer_requested(const sn_consumer *consumer) {
  return sn_resource_set_join(consumer->wanted, consumer->waiting);
}

bool sn__consumer_is_operational(const sn_consumer *consumer) {
  const sn_resource_set requested = sn__consumer_requested(consumer);
  return !sn_resource_set_is_empty(&requested);
}

/* Report changes of the held set to the hooks. A hook may change it again and re-enter this
   function, so the difference is computed anew after each call. */
static void announce(sn_consumer *consumer) {
  const sn_consumer_hooks *hooks = &consumer->config.hooks;
  const sn_resource_set lost = sn_resource_set_without(consumer->announced, consumer->held);
  if (!sn_resource_set_is_empty(&lost)) {
    const sn_resource_set held = consumer->held;
    consumer->announced = sn_resource_set_without(consumer->announced, lost);
    if (hooks->released != NULL) {
      hooks->released(hooks->context, &lost, &held);
    }
  }
  const sn_resource_set gained = sn_resource_set_without(consumer->held, consumer->announced);
  if (!sn_resource_set_is_empty(&gained)) {
    const sn_resource_set held = consumer->held;
    consumer->announced = sn_resource_set_join(consumer->announced, gained);
    if (hooks->acquired != NULL) {
      hooks->acquired(hooks->context, &gained, &held);
    }
  }
}

/* Adopt the state of the arbiter, unless it is out of date. */
static void adopt(sn_consumer *consumer, const sn_arbiter_action *action) {
  if (action->event < consumer->event) {
    return;
  }
  consumer->event = action->event;
  consumer->held = sn_resource_set_without(action->owned, action->release);
  /* With the policy all or nothing, a controller that releases something wants nothing back. */
  consumer->wanted = consumer->config.keep_subset ? action->wanted : consumer->held;
  consumer->waiting = action->waiting;
  consumer->waiting_id = action->waiting_id;
  announce(consumer);
  if (!sn_resource_set_is_empty(&action->release) && consumer->config.link.acknowledge != NULL) {
    consumer->config.link.acknowledge(consumer->config.link.context, &action->release);
  }
}

/* The request no longer waits: a hook that ran meanwhile received the answer, or made another
   request. */
static sn_arbiter_answer late_answer(const sn_consumer *consumer, uint64_t request_id) {
  return consumer->answered_id == request_id ? consumer->answer : SN_ARBITER_LOST;
}

sn_arbiter_answer sn__consumer_request(sn_consumer *consumer, const sn_resource_set *resources,
                                       int32_t priority, int64_t wait_ns) {
  const sn_consumer_link *link = &consumer->config.link;
  if (link->request == NULL) {
    return SN_ARBITER_INVALID;
  }
  const sn_arbiter_claim claim = {.resources = *resources,
                                  .priority = priority,
                                  .wait_ns = wait_ns,
                                  .request_id = ++consumer->last_request_id};
  sn_arbiter_action action = {.controller = SN_ARBITER_NONE};
  consumer->blocked = sn_resource_set_none();
  sn_arbiter_answer answer = link->request(link->context, &claim, &action);
  if (action.controller != SN_ARBITER_NONE) {
    consumer->blocked = action.blocked;
    adopt(consumer, &action);
    if (answer == SN_ARBITER_WAITING && consumer->waiting_id != claim.request_id) {
      answer = late_answer(consumer, claim.request_id);
    }
  } else if (answer == SN_ARBITER_WAITING) {
    consumer->waiting = claim.resources;
    consumer->waiting_id = claim.request_id;
  }
  const bool has_all = sn_resource_set_includes(&consumer->held, &claim.resources);
  return answer == SN_ARBITER_GRANTED && !has_all ? SN_ARBITER_LOST : answer;
}

sn_resource_set sn__consumer_blocked(const sn_consumer *consumer) {
  return consumer->blocked;
}

sn_arbiter_answer sn__consumer_request_available(sn_consumer *consumer,
                                                 const sn_resource_set *resources, int32_t priority,
                                                 sn_resource_set *missing) {
  const sn_consumer_link *link = &consumer->config.link;
  *missing = sn_resource_set_none();
  sn_arbiter_answer answer = sn__consumer_request(consumer, resources, priority, 0);
  if (answer != SN_ARBITER_REFUSED || link->want == NULL || !consumer->config.keep_subset) {
    return answer;
  }
  const sn_resource_set blocked = consumer->blocked;
  const sn_resource_set rest = sn_resource_set_without(*resources, blocked);
  answer = sn__consumer_request(consumer, &rest, priority, 0); /* an empty request releases all */
  if (answer == SN_ARBITER_GRANTED) {
    sn_arbiter_action state = {.controller = SN_ARBITER_NONE};
    link->want(link->context, &blocked, priority, &state);
    if (state.controller != SN_ARBITER_NONE) {
      adopt(consumer, &state);
    }
    *missing = sn_resource_set_without(*resources, consumer->held);
  }
  return answer;
}

bool sn__consumer_request_exclusive(sn_consumer *consumer, const sn_resource_set *resources) {
  return sn__consumer_request(consumer, resources, 0, 0) == SN_ARBITER_GRANTED;
}

sn_arbiter_answer sn__consumer_request_more(sn_consumer *consumer, const sn_resource_set *resources,
                                            int32_t priority, int64_t wait_ns) {
  const sn_resource_set all = sn_resource_set_join(consumer->held, *resources);
  return sn__consumer_request(consumer, &all, priority, wait_ns);
}

void sn__consumer_disown(sn_consumer *consumer, const sn_resource_set *resources) {
  const sn_resource_set given = *resources; /* a hook may change the caller's set */
  sn_arbiter_action state = {.controller = SN_ARBITER_NONE};
  if (consumer->config.link.disown != NULL) {
    consumer->config.link.disown(consumer->config.link.context, &given, &state);
  }
  if (state.controller != SN_ARBITER_NONE) {
    adopt(consumer, &state);
    return;
  }
  consumer->held = sn_resource_set_without(consumer->held, given);
  consumer->wanted = sn_resource_set_without(consumer->wanted, given);
  consumer->waiting = sn_resource_set_without(consumer->waiting, given);
  if (sn_resource_set_is_empty(&consumer->waiting)) {
    consumer->waiting_id = 0;
  }
  announce(consumer);
}

void sn__consumer_handle(sn_consumer *consumer, const sn_arbiter_action *action) {
  const sn_consumer_hooks *hooks = &consumer->config.hooks;
  if (action->answer != SN_ARBITER_NO_ANSWER) {
    consumer->answered_id = action->request_id;
    consumer->answer = action->answer;
  }
  adopt(consumer, action);
  if (action->answer != SN_ARBITER_NO_ANSWER && hooks->answered != NULL) {
    hooks->answered(hooks->context, action->request_id, action->answer);
  }
}
