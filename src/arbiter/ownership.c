#include "arbiter/arbiter.h"

void sn__arbiter_begin(sn_arbiter *arbiter, int cause, int64_t now_ns) {
  arbiter->event++;
  arbiter->now_ns = now_ns;
  arbiter->cause = cause;
  arbiter->touched = sn_resource_set_none();
  arbiter->loose = sn_resource_set_none();
  arbiter->notified = sn_resource_set_none();
}

void sn__arbiter_give(sn_arbiter *arbiter, int resource, int to, sn_arbiter_why why) {
  sn__resource *r = &arbiter->resources[resource];
  const size_t bit = (size_t)resource;
  if (!sn_resource_set_has(&arbiter->touched, bit)) {
    sn_resource_set_add(&arbiter->touched, bit);
    r->before = r->owner;
    r->lost_why = SN_ARBITER_UNCHANGED;
  }
  if (r->owner != SN__NONE) {
    sn__controller *from = &arbiter->controllers[r->owner];
    sn_resource_set_remove(&from->owned, bit);
    sn_resource_set_remove(&from->asked, bit);
    r->deadline_ns = SN_ARBITER_FOREVER;
    r->lost_why = r->owner == r->before ? why : r->lost_why;
  }
  r->owner = to;
  if (to == SN__NONE) {
    sn_resource_set_add(&arbiter->loose, bit);
    return;
  }
  r->gained_why = why;
  sn_resource_set_remove(&arbiter->orphans, bit);
  sn_resource_set_add(&arbiter->controllers[to].owned, bit);
  sn_resource_set_add(&arbiter->controllers[to].wanted, bit);
}

/* Earlier owners of a resource are a list through links[resource]: O(1) in and out, and never
   longer than there are controllers, however often the resource changes hands. */

static sn__link *link_of(sn_arbiter *arbiter, int resource, int controller) {
  return &arbiter->links[resource * arbiter->controller_count + controller];
}

void sn__former_push(sn_arbiter *arbiter, int resource, int controller) {
  sn__resource *r = &arbiter->resources[resource];
  *link_of(arbiter, resource, controller) =
      (sn__link){.newer = SN__NONE, .older = (int16_t)r->former};
  if (r->former != SN__NONE) {
    link_of(arbiter, resource, r->former)->newer = (int16_t)controller;
  }
  r->former = controller;
}

void sn__former_append(sn_arbiter *arbiter, int resource, int controller) {
  int last = arbiter->resources[resource].former;
  if (last == SN__NONE) {
    sn__former_push(arbiter, resource, controller);
    return;
  }
  while (link_of(arbiter, resource, last)->older != SN__NONE) {
    last = link_of(arbiter, resource, last)->older;
  }
  link_of(arbiter, resource, last)->older = (int16_t)controller;
  *link_of(arbiter, resource, controller) = (sn__link){.newer = (int16_t)last, .older = SN__NONE};
}

void sn__former_remove(sn_arbiter *arbiter, int resource, int controller) {
  const sn__link link = *link_of(arbiter, resource, controller);
  if (link.older != SN__NONE) {
    link_of(arbiter, resource, link.older)->newer = link.newer;
  }
  if (link.newer != SN__NONE) {
    link_of(arbiter, resource, link.newer)->older = link.older;
  } else {
    arbiter->resources[resource].former = link.older;
  }
}

void sn__arbiter_lose(sn_arbiter *arbiter, int resource, int to, sn_arbiter_why why) {
  const int from = arbiter->resources[resource].owner;
  sn__arbiter_give(arbiter, resource, to, why);
  if (arbiter->controllers[from].policy.keep_subset) {
    sn__former_push(arbiter, resource, from);
  } else {
    sn_resource_set_remove(&arbiter->controllers[from].wanted, (size_t)resource);
  }
}

void sn__arbiter_forget(sn_arbiter *arbiter, int controller, const sn_resource_set *resources,
                        sn_arbiter_why why) {
  sn__controller *c = &arbiter->controllers[controller];
  const sn_resource_set unwanted = sn_resource_set_common(c->wanted, *resources);
  for (SN__EACH(i, &unwanted)) {
    if (arbiter->resources[i].owner == controller) {
      sn__arbiter_give(arbiter, i, SN__NONE, why);
    } else {
      sn__former_remove(arbiter, i, controller);
    }
  }
  c->wanted = sn_resource_set_without(c->wanted, unwanted);
}

static void log_change(sn_arbiter *arbiter, int resource) {
  const sn__resource *r = &arbiter->resources[resource];
  const bool requested = r->owner != SN__NONE && r->gained_why == SN_ARBITER_REQUEST;
  const uint64_t number = arbiter->counts.changes++;
  arbiter->log[number & (arbiter->log_capacity - 1)] = (sn_arbiter_change){
      .number = number,
      .now_ns = arbiter->now_ns,
      .request_id = requested ? arbiter->controllers[r->owner].notice.request_id : 0,
      .resource = resource,
      .from = r->before,
      .to = r->owner,
      .cause = arbiter->cause,
      .lost_why = r->lost_why,
      .gained_why = r->owner == SN__NONE ? SN_ARBITER_UNCHANGED : r->gained_why};
}

static void notify_loser(sn_arbiter *arbiter, const sn__resource *r) {
  if (r->before != SN__NONE) {
    sn__notice *news = &arbiter->controllers[r->before].notice;
    news->lost_why = r->lost_why;
    news->cause = arbiter->cause;
    sn__notice_queue(arbiter, r->before);
  }
}

/* Winners are queued after losers. */
static void note_winner(sn_arbiter *arbiter, const sn__resource *r, sn__controller_set *winners) {
  if (r->owner != SN__NONE) {
    sn__notice *news = &arbiter->controllers[r->owner].notice;
    news->gained_why = r->gained_why;
    news->cause = arbiter->cause;
    sn_resource_set_add(winners, (size_t)r->owner);
    arbiter->counts.returned += r->gained_why == SN_ARBITER_RETURN ? 1 : 0;
  }
}

void sn__arbiter_finish(sn_arbiter *arbiter) {
  sn__controller_set winners = sn_resource_set_none();
  for (SN__EACH(i, &arbiter->touched)) {
    const sn__resource *r = &arbiter->resources[i];
    if (r->owner != r->before) {
      log_change(arbiter, i);
      notify_loser(arbiter, r);
      note_winner(arbiter, r, &winners);
    }
  }
  const sn__controller_set others = sn_resource_set_join(winners, arbiter->notified);
  for (SN__EACH(i, &others)) {
    sn__notice_queue(arbiter, i);
  }
}
