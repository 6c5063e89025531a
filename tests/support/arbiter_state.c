#include "arbiter_state.h"

#include <string.h>

#include "arbiter/arbiter.h"

static const char *check_owner(const sn_arbiter *a, int r) {
  const int owner = a->resources[r].owner;
  const size_t bit = (size_t)r;
  for (int c = 0; c < a->controller_count; c++) {
    if (sn_resource_set_has(&a->controllers[c].owned, bit) != (c == owner)) {
      return owner >= 0 ? "two controllers own a resource, or its owner does not know"
                        : "a free resource is in a set";
    }
  }
  const bool asked = owner >= 0 && sn_resource_set_has(&a->controllers[owner].asked, bit);
  if (asked != (a->resources[r].deadline_ns != SN_ARBITER_FOREVER)) {
    return "a deadline without a question, or the other way round";
  }
  if (asked && a->controllers[owner].policy.acknowledge_ns == 0) {
    return "a controller that needs no time was asked";
  }
  return NULL;
}

static const char *check_former(const sn_arbiter *a, int r) {
  const sn__resource *resource = &a->resources[r];
  int former[SN_ARBITER_CONTROLLERS_MAX];
  const size_t count = sn__arbiter_former_owners(a, r, former, SN_ARBITER_CONTROLLERS_MAX);
  if (count > (size_t)a->controller_count) {
    return "more earlier owners than controllers";
  }
  sn__controller_set listed = sn_resource_set_none();
  for (size_t i = 0; i < count; i++) {
    sn_resource_set_add(&listed, (size_t)former[i]);
  }
  if (sn_resource_set_count(&listed) != count) {
    return "an earlier owner appears twice";
  }
  for (int c = 0; c < a->controller_count; c++) {
    const bool wants_back =
        sn_resource_set_has(&a->controllers[c].wanted, (size_t)r) && resource->owner != c;
    if (wants_back != sn_resource_set_has(&listed, (size_t)c)) {
      return "who wants it back and the list of earlier owners do not agree";
    }
  }
  if (resource->owner == SN__NONE && resource->reserved == SN__NONE) {
    if (count > 0) {
      return "a free resource did not go back";
    }
    if (sn_resource_set_has(&a->orphans, (size_t)r) &&
        a->controllers[resource->fallback].connected) {
      return "a fallback did not take a resource";
    }
  }
  return NULL;
}

static const char *check_controller(const sn_arbiter *a, int i) {
  const sn__controller *c = &a->controllers[i];
  const bool has_request = c->request.state != SN__REQUEST_NONE;
  if (!sn_resource_set_includes(&c->wanted, &c->owned)) {
    return "owns what it does not want";
  }
  if (!c->policy.keep_subset && !sn_resource_set_equal(&c->wanted, &c->owned)) {
    return "keeps all or nothing, and wants something back";
  }
  if (!sn_resource_set_includes(&c->owned, &c->asked)) {
    return "is asked for what it does not own";
  }
  if (!c->policy.keep_subset && !sn_resource_set_is_empty(&c->asked) &&
      !sn_resource_set_equal(&c->asked, &c->owned)) {
    return "keeps all or nothing, and is asked for a part";
  }
  if (!c->connected && (has_request || !sn_resource_set_is_empty(&c->wanted))) {
    return "is dead, and wants something";
  }
  if (has_request && sn_resource_set_is_empty(&c->request.claim.resources)) {
    return "waits for nothing";
  }
  if (has_request && c->request.deadline_ns < a->deadline_ns) {
    return "a request would expire unseen";
  }
  return NULL;
}

/* A request that waits must have a reason to. */
static const char *check_request(const sn_arbiter *a, int i) {
  const sn__request *request = &a->controllers[i].request;
  int blocker;
  const sn_resource_set blocked =
      sn__arbiter_blocked(a, i, &request->claim, request->ticket, &blocker);
  if (request->state == SN__REQUEST_BLOCKED) {
    if (sn_resource_set_is_empty(&blocked)) {
      return "a request waits although nothing blocks it";
    }
    return request->claim.wait_ns <= 0 ? "a request waits that would not wait" : NULL;
  }
  bool waits = false;
  for (SN__EACH(r, &request->claim.resources)) {
    const int owner = a->resources[r].owner;
    if (a->resources[r].reserved != i) {
      return "a request that is being handed over lacks a reservation";
    }
    if (owner >= 0 && owner != i && a->controllers[owner].policy.acknowledge_ns > 0) {
      waits = true;
      if (!sn_resource_set_has(&a->controllers[owner].asked, (size_t)r)) {
        return "the owner was not asked to release";
      }
    }
  }
  return waits ? NULL : "a hand-over is ready and does not happen";
}

/* Is there a cycle through i in the wait-for graph? Breadth first. */
static bool waits_for_itself(const sn_arbiter *a, int start) {
  sn__controller_set seen = sn_resource_set_none();
  sn__controller_set todo = sn_resource_set_none();
  sn_resource_set_add(&todo, (size_t)start);
  int i;
  while ((i = sn_resource_set_next(&todo, 0)) >= 0) {
    sn_resource_set_remove(&todo, (size_t)i);
    const sn__request *request = &a->controllers[i].request;
    if (request->state != SN__REQUEST_BLOCKED) {
      continue; /* it proceeds on its own, or by a deadline */
    }
    for (SN__EACH(r, &request->claim.resources)) {
      sn_arbiter_claim one = request->claim;
      one.resources = sn_resource_set_none();
      sn_resource_set_add(&one.resources, (size_t)r);
      int blocker;
      sn__arbiter_blocked(a, i, &one, request->ticket, &blocker);
      if (blocker == start) {
        return true;
      }
      if (blocker >= 0 && !sn_resource_set_has(&seen, (size_t)blocker)) {
        sn_resource_set_add(&seen, (size_t)blocker);
        sn_resource_set_add(&todo, (size_t)blocker);
      }
    }
  }
  return false;
}

const char *sn_arbiter_broken(const sn_arbiter *a) {
  const char *broken = NULL;
  for (int r = 0; r < a->resource_count && broken == NULL; r++) {
    broken = check_owner(a, r);
    if (broken == NULL) {
      broken = check_former(a, r);
    }
    const int reserved = a->resources[r].reserved;
    if (broken == NULL && reserved >= 0 &&
        a->controllers[reserved].request.state != SN__REQUEST_HANDING_OVER) {
      broken = "a reservation without a request";
    }
  }
  for (int i = 0; i < a->controller_count && broken == NULL; i++) {
    broken = check_controller(a, i);
    if (broken == NULL && a->controllers[i].request.state != SN__REQUEST_NONE) {
      broken = check_request(a, i);
      if (broken == NULL && waits_for_itself(a, i)) {
        broken = "controllers wait for each other";
      }
    }
  }
  return broken;
}

/* How many of the requests are older than this ticket. */
static uint8_t ticket_rank(const sn_arbiter *a, uint64_t ticket) {
  uint8_t rank = 0;
  for (int i = a->waiting; i != SN__NONE; i = a->controllers[i].request.next) {
    rank = (uint8_t)(rank + (a->controllers[i].request.ticket < ticket));
  }
  return rank;
}

size_t sn_arbiter_state_save(const sn_arbiter *a, uint8_t bytes[SN_ARBITER_STATE_SIZE]) {
  uint8_t *at = bytes;
  memset(bytes, 0, SN_ARBITER_STATE_SIZE);
  for (int r = 0; r < a->resource_count; r++) {
    const sn__resource *resource = &a->resources[r];
    int former[4];
    const size_t count = sn__arbiter_former_owners(a, r, former, 4);
    *at = (uint8_t)(resource->owner + 1);
    *at = (uint8_t)(*at | (sn_resource_set_has(&a->orphans, (size_t)r) ? 16 : 0));
    *at = (uint8_t)(*at | (resource->deadline_ns != SN_ARBITER_FOREVER ? 32 : 0));
    at++;
    for (size_t i = 0; i < count; i++) {
      at[i / 2] = (uint8_t)(at[i / 2] | (former[i] + 1) << (i % 2 * 4));
    }
    at += 2;
  }
  for (int i = 0; i < a->controller_count; i++) {
    const sn__controller *c = &a->controllers[i];
    const bool active = !sn_resource_set_is_empty(&c->wanted);
    *at++ = (uint8_t)((c->connected ? 1 : 0) | (int)c->request.state << 1 |
                      (active ? ticket_rank(a, c->ticket) : 0) << 4);
    const int32_t priority = active ? c->priority : 0;
    memcpy(at, &priority, sizeof priority);
    at += sizeof priority;
    if (c->request.state != SN__REQUEST_NONE) {
      at[0] = (uint8_t)c->request.claim.resources.words[0];
      at[1] = (uint8_t)(c->request.claim.priority);
      at[2] = (uint8_t)((c->request.claim.wait_ns > 0 ? 1 : 0) | ticket_rank(a, c->request.ticket)
                                                                     << 4);
    }
    at += 3;
  }
  return (size_t)(at - bytes);
}

/* Of a nibble that holds the number of a controller plus one. */
static uint8_t rename_nibble(uint8_t nibble, const uint8_t *controllers) {
  return nibble == 0 ? 0 : (uint8_t)(controllers[nibble - 1] + 1);
}

void sn_arbiter_state_rename(const uint8_t from[SN_ARBITER_STATE_SIZE], const uint8_t *controllers,
                             size_t controller_count, const uint8_t *resources,
                             size_t resource_count, uint8_t to[SN_ARBITER_STATE_SIZE]) {
  for (size_t r = 0; r < resource_count; r++, from += 3) {
    uint8_t *at = to + (size_t)resources[r] * 3;
    at[0] = (uint8_t)((from[0] & 0xf0) | rename_nibble(from[0] & 15, controllers));
    for (size_t i = 1; i < 3; i++) {
      at[i] = (uint8_t)(rename_nibble(from[i] & 15, controllers) |
                        rename_nibble(from[i] >> 4, controllers) << 4);
    }
  }
  for (size_t c = 0; c < controller_count; c++, from += 8) {
    uint8_t *at = to + resource_count * 3 + (size_t)controllers[c] * 8;
    memcpy(at, from, 8);
    at[5] = 0;
    for (size_t r = 0; r < resource_count; r++) {
      at[5] = (uint8_t)(at[5] | (from[5] >> r & 1) << resources[r]);
    }
  }
}

/* Reset everything but the configuration. */
static void wipe(sn_arbiter *a) {
  for (int i = 0; i < a->controller_count; i++) {
    const sn_arbiter_controller policy = a->controllers[i].policy;
    a->controllers[i] = (sn__controller){.policy = policy,
                                         .request = {.next = SN__NONE},
                                         .notice = {.cause = SN__NONE, .next = SN__NONE}};
  }
  a->orphans = sn_resource_set_none();
  a->ticket = 100;
  a->waiting = SN__NONE;
  a->notice_first = SN__NONE;
  a->now_ns = 0;
  a->deadline_ns = SN_ARBITER_FOREVER;
}

static void load_resource(sn_arbiter *a, int r, const uint8_t *at) {
  sn__resource *resource = &a->resources[r];
  const int owner = (at[0] & 15) - 1;
  resource->owner = owner;
  resource->reserved = SN__NONE;
  resource->former = SN__NONE;
  resource->deadline_ns = SN_ARBITER_FOREVER;
  if (owner >= 0) {
    sn__controller *c = &a->controllers[owner];
    sn_resource_set_add(&c->owned, (size_t)r);
    sn_resource_set_add(&c->wanted, (size_t)r);
    sn_resource_set_add(&c->notice.owned, (size_t)r);
    if ((at[0] & 32) != 0) {
      sn_resource_set_add(&c->asked, (size_t)r);
      sn_resource_set_add(&c->notice.asked, (size_t)r);
      resource->deadline_ns = c->policy.acknowledge_ns;
      a->deadline_ns = 0;
    }
  }
  if ((at[0] & 16) != 0) {
    sn_resource_set_add(&a->orphans, (size_t)r);
  }
  for (int i = 3; i >= 0; i--) {
    const int former = (at[1 + i / 2] >> (i % 2 * 4) & 15) - 1;
    if (former >= 0) {
      sn__former_push(a, r, former);
      sn_resource_set_add(&a->controllers[former].wanted, (size_t)r);
    }
  }
}

/* Requests are put into the queue in the order of their tickets. */
static void load_requests(sn_arbiter *a, const uint8_t *records, int64_t wait_ns) {
  for (int rank = 0; rank < a->controller_count; rank++) {
    for (int i = 0; i < a->controller_count; i++) {
      const uint8_t *at = records + (size_t)i * 8;
      const sn__request_state state = (sn__request_state)(at[0] >> 1 & 3);
      if (state == SN__REQUEST_NONE || at[7] >> 4 != rank) {
        continue;
      }
      const sn_arbiter_claim claim = {.resources = {{at[5]}},
                                      .priority = (int8_t)at[6],
                                      .wait_ns = (at[7] & 1) != 0 ? wait_ns : 0};
      sn__request_add(a, i, &claim);
      a->controllers[i].request.state = state;
      a->controllers[i].request.ticket = (uint64_t)(10 * rank + 10);
      if (state == SN__REQUEST_HANDING_OVER) {
        for (SN__EACH(r, &claim.resources)) {
          a->resources[r].reserved = i;
        }
      }
    }
  }
}

void sn_arbiter_state_load(sn_arbiter *a, const uint8_t bytes[SN_ARBITER_STATE_SIZE],
                           int64_t wait_ns) {
  wipe(a);
  for (int r = 0; r < a->resource_count; r++) {
    load_resource(a, r, bytes + (size_t)r * 3);
  }
  const uint8_t *records = bytes + (size_t)a->resource_count * 3;
  for (int i = 0; i < a->controller_count; i++) {
    const uint8_t *at = records + (size_t)i * 8;
    sn__controller *c = &a->controllers[i];
    c->connected = (at[0] & 1) != 0;
    c->ticket = (uint64_t)(at[0] >> 4) * 10 + 5;
    memcpy(&c->priority, at + 1, sizeof c->priority);
  }
  load_requests(a, records, wait_ns);
  a->ticket = 100;
}
