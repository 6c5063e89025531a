/* Which holders block a request, and how a request gets its resources.

   Every edge of the waits-for graph climbs. Let (p, t) be the priority and ticket of a waiting
   request. The holder that blocks it defends with d > p, or with d = p and a claim granted after t.
   If the holder waits too, with (p', t'), then d is the lower of its two priorities, so d <= p',
   and t' is later than its grant: (p, t) < (p', t') in lexicographic order. A cycle would have to
   descend somewhere, so there is none. */
#include "arbiter/arbiter.h"

/* The priority with which a controller defends what it holds. */
static int32_t defence(const sn__controller *c) {
  const bool waits = c->request.state != SN__REQUEST_NONE;
  return waits && c->request.claim.priority < c->priority ? c->request.claim.priority : c->priority;
}

/* The controller that blocks this one at this resource, or SN__NONE. A free resource counts as held
   by the earlier owner it would return to. */
static int opponent(const sn_arbiter *arbiter, int controller, int resource, int32_t priority,
                    uint64_t ticket) {
  const sn__resource *r = &arbiter->resources[resource];
  if (r->reserved != SN__NONE && r->reserved != controller &&
      arbiter->controllers[r->reserved].request.claim.priority >= priority) {
    return r->reserved;
  }
  const int holder = r->owner != SN__NONE ? r->owner : r->former;
  if (holder == SN__NONE || holder == controller) {
    return SN__NONE;
  }
  const sn__controller *h = &arbiter->controllers[holder];
  const int32_t d = defence(h);
  return d > priority || (d == priority && h->ticket > ticket) ? holder : SN__NONE;
}

sn_resource_set sn__arbiter_blocked(const sn_arbiter *arbiter, int controller,
                                    const sn_arbiter_claim *claim, uint64_t ticket, int *blocker) {
  sn_resource_set blocked = sn_resource_set_none();
  *blocker = SN__NONE;
  for (SN__EACH(i, &claim->resources)) {
    const int other = opponent(arbiter, controller, i, claim->priority, ticket);
    if (other != SN__NONE) {
      *blocker = *blocker == SN__NONE ? other : *blocker;
      sn_resource_set_add(&blocked, (size_t)i);
    }
  }
  return blocked;
}

/* Is the request blocked? The blocker of the last check usually still blocks it, so a check of all
   waiting requests costs no more than their number. */
static bool is_blocked(const sn_arbiter *arbiter, int controller, sn__request *request) {
  const sn_arbiter_claim *claim = &request->claim;
  if (sn_resource_set_has(&claim->resources, (size_t)request->witness) &&
      opponent(arbiter, controller, request->witness, claim->priority, request->ticket) !=
          SN__NONE) {
    return true;
  }
  for (SN__EACH(i, &claim->resources)) {
    if (opponent(arbiter, controller, i, claim->priority, request->ticket) != SN__NONE) {
      request->witness = i;
      return true;
    }
  }
  return false;
}

void sn__request_add(sn_arbiter *arbiter, int controller, const sn_arbiter_claim *claim) {
  sn__request *request = &arbiter->controllers[controller].request;
  const int64_t room_ns = SN_ARBITER_FOREVER - (arbiter->now_ns > 0 ? arbiter->now_ns : 0);
  const bool patient = claim->wait_ns > 0;
  *request = (sn__request){.state = SN__REQUEST_BLOCKED,
                           .claim = *claim,
                           .ticket = ++arbiter->ticket,
                           .deadline_ns = patient && claim->wait_ns < room_ns
                                              ? arbiter->now_ns + claim->wait_ns
                                              : SN_ARBITER_FOREVER,
                           .witness = 0};
  if (request->deadline_ns < arbiter->deadline_ns) {
    arbiter->deadline_ns = request->deadline_ns;
  }
  int *place = &arbiter->waiting; /* behind all of the same priority: they are older */
  while (*place != SN__NONE &&
         arbiter->controllers[*place].request.claim.priority >= claim->priority) {
    place = &arbiter->controllers[*place].request.next;
  }
  request->next = *place;
  *place = controller;
}

static void end_reservation(sn_arbiter *arbiter, int controller, const sn_resource_set *set) {
  for (SN__EACH(i, set)) {
    if (arbiter->resources[i].reserved == controller) {
      arbiter->resources[i].reserved = SN__NONE;
      sn_resource_set_add(&arbiter->loose, (size_t)i);
    }
  }
}

void sn__request_remove(sn_arbiter *arbiter, int controller) {
  sn__request *request = &arbiter->controllers[controller].request;
  if (request->state == SN__REQUEST_NONE) {
    return;
  }
  if (request->state == SN__REQUEST_HANDING_OVER) {
    end_reservation(arbiter, controller, &request->claim.resources);
  }
  int *place = &arbiter->waiting;
  while (*place != controller) {
    place = &arbiter->controllers[*place].request.next;
  }
  *place = request->next;
  request->state = SN__REQUEST_NONE;
}

/* A stronger request takes the reservation of this one. */
static void overrule(sn_arbiter *arbiter, int controller) {
  sn__request *request = &arbiter->controllers[controller].request;
  if (request->claim.wait_ns > 0) {
    end_reservation(arbiter, controller, &request->claim.resources);
    request->state = SN__REQUEST_BLOCKED;
  } else {
    sn__notice_answer(arbiter, controller, SN_ARBITER_REFUSED);
    sn__request_remove(arbiter, controller);
    arbiter->counts.refused++;
  }
}

static bool needs_acknowledgement(const sn_arbiter *arbiter, int controller, int resource) {
  const int owner = arbiter->resources[resource].owner;
  return owner != SN__NONE && owner != controller &&
         arbiter->controllers[owner].policy.acknowledge_ns > 0;
}

/* Have all holders that were given time released their resources? */
static bool is_ready(const sn_arbiter *arbiter, int controller) {
  for (SN__EACH(i, &arbiter->controllers[controller].request.claim.resources)) {
    if (needs_acknowledgement(arbiter, controller, i)) {
      return false;
    }
  }
  return true;
}

/* Ask the owner to release this resource, or all of them if that is its policy. */
static void ask(sn_arbiter *arbiter, int resource) {
  const int owner = arbiter->resources[resource].owner;
  sn__controller *c = &arbiter->controllers[owner];
  sn_resource_set set = sn_resource_set_none();
  sn_resource_set_add(&set, (size_t)resource);
  set = sn_resource_set_without(c->policy.keep_subset ? set : c->owned, c->asked);
  const int64_t room_ns = SN_ARBITER_FOREVER - (arbiter->now_ns > 0 ? arbiter->now_ns : 0);
  const int64_t wait_ns = c->policy.acknowledge_ns;
  const int64_t deadline_ns = wait_ns < room_ns ? arbiter->now_ns + wait_ns : SN_ARBITER_FOREVER;
  for (SN__EACH(i, &set)) {
    arbiter->resources[i].deadline_ns = deadline_ns;
  }
  if (deadline_ns < arbiter->deadline_ns) {
    arbiter->deadline_ns = deadline_ns;
  }
  c->asked = sn_resource_set_join(c->asked, set);
  c->notice.cause = arbiter->cause;
  sn_resource_set_add(&arbiter->notified, (size_t)owner);
}

/* A controller that requests again what it was asked to release, and gets it, may keep it. */
static void keep(sn_arbiter *arbiter, int controller, int resource) {
  sn_resource_set_remove(&arbiter->controllers[controller].asked, (size_t)resource);
  arbiter->resources[resource].deadline_ns = SN_ARBITER_FOREVER;
}

/* The hand-over: all resources of the request at once. */
static void commit(sn_arbiter *arbiter, int controller) {
  sn__controller *c = &arbiter->controllers[controller];
  const sn_resource_set wanted = c->request.claim.resources;
  const sn_resource_set released = sn_resource_set_without(c->wanted, wanted);
  sn__notice_answer(arbiter, controller, SN_ARBITER_GRANTED);
  sn__request_remove(arbiter, controller);
  sn__arbiter_forget(arbiter, controller, &released, SN_ARBITER_RELEASE);

  sn__controller_set dropping = sn_resource_set_none();
  for (SN__EACH(i, &wanted)) {
    const int owner = arbiter->resources[i].owner;
    if (owner == controller) {
      keep(arbiter, controller, i);
      continue;
    }
    if (sn_resource_set_has(&c->wanted, (size_t)i)) {
      sn__former_remove(arbiter, i, controller);
    }
    if (owner == SN__NONE) {
      sn__arbiter_give(arbiter, i, controller, SN_ARBITER_REQUEST);
    } else {
      sn__arbiter_lose(arbiter, i, controller, SN_ARBITER_REQUEST);
      if (!arbiter->controllers[owner].policy.keep_subset) {
        sn_resource_set_add(&dropping, (size_t)owner);
      }
    }
  }
  for (SN__EACH(i, &dropping)) {
    sn__arbiter_forget(arbiter, i, &arbiter->all, SN_ARBITER_DROP);
  }
  c->priority = c->request.claim.priority;
  c->ticket = ++arbiter->ticket;
  arbiter->counts.granted++;
}

/* Reserve everything for this request until all holders have released it. */
static void reserve(sn_arbiter *arbiter, int controller) {
  sn__request *request = &arbiter->controllers[controller].request;
  request->state = SN__REQUEST_HANDING_OVER;
  for (SN__EACH(i, &request->claim.resources)) {
    arbiter->resources[i].reserved = controller;
    if (needs_acknowledgement(arbiter, controller, i)) {
      ask(arbiter, i);
    }
  }
}

void sn__request_start(sn_arbiter *arbiter, int controller) {
  const sn__request *request = &arbiter->controllers[controller].request;
  if (!arbiter->some_need_time) { /* the usual case saves a pass */
    commit(arbiter, controller);
    return;
  }
  bool must_ask = false;
  for (SN__EACH(i, &request->claim.resources)) {
    const int other = arbiter->resources[i].reserved;
    if (other != SN__NONE && other != controller) {
      overrule(arbiter, other);
    }
    must_ask = must_ask || needs_acknowledgement(arbiter, controller, i);
  }
  if (must_ask) {
    reserve(arbiter, controller);
  } else {
    commit(arbiter, controller);
  }
}

/* Advance the first request of the queue that is not blocked. */
static bool advance(sn_arbiter *arbiter) {
  for (int i = arbiter->waiting; i != SN__NONE; i = arbiter->controllers[i].request.next) {
    sn__request *request = &arbiter->controllers[i].request;
    if (request->state == SN__REQUEST_BLOCKED && !is_blocked(arbiter, i, request)) {
      sn__request_start(arbiter, i);
      return true;
    }
    if (request->state == SN__REQUEST_HANDING_OVER && is_ready(arbiter, i)) {
      commit(arbiter, i);
      return true;
    }
  }
  return false;
}

static void give_back(sn_arbiter *arbiter) {
  const sn_resource_set loose = arbiter->loose;
  for (SN__EACH(i, &loose)) {
    const sn__resource *r = &arbiter->resources[i];
    if (r->owner == SN__NONE && r->reserved == SN__NONE && r->former != SN__NONE) {
      const int to = r->former;
      sn__former_remove(arbiter, i, to);
      sn__arbiter_give(arbiter, i, to, SN_ARBITER_RETURN);
    }
  }
}

static void fall_back(sn_arbiter *arbiter) {
  const sn_resource_set orphans = arbiter->orphans;
  for (SN__EACH(i, &orphans)) {
    const sn__resource *r = &arbiter->resources[i];
    sn__controller *c = &arbiter->controllers[r->fallback];
    if (r->reserved != SN__NONE || !c->connected) {
      continue;
    }
    if (sn_resource_set_is_empty(&c->wanted)) {
      c->priority = INT32_MIN; /* any request may take it from a fallback */
      c->ticket = ++arbiter->ticket;
    }
    sn__arbiter_give(arbiter, i, r->fallback, SN_ARBITER_FALLBACK);
  }
}

void sn__arbiter_settle(sn_arbiter *arbiter) {
  /* Each round grants a request or reserves for one, and only a stronger one takes a reservation
     away, so the loop ends. */
  while (arbiter->waiting != SN__NONE && advance(arbiter)) {
  }
  give_back(arbiter);
  fall_back(arbiter);
}
