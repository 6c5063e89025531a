/* The state of the second arbiter: its beginning, from an arbiter, compared with an arbiter. */
#include <string.h>

#include "arbiter/arbiter.h"
#include "arbiter_oracle.h"

void sn_arbiter_oracle_init(sn_arbiter_oracle *o, const sn_arbiter_config *config) {
  memset(o, 0, sizeof *o);
  o->controllers = (int)sn_names_count(config->controllers);
  o->resources = (int)sn_names_count(config->resources);
  for (int c = 0; c < o->controllers; c++) {
    if (config->policies != NULL) {
      o->keep_subset[c] = config->policies[c].keep_subset;
      o->acknowledge_ns[c] = config->policies[c].acknowledge_ns;
    }
  }
  for (int r = 0; r < o->resources; r++) {
    o->owner[r] = SN_ARBITER_NONE;
    o->fallback[r] = config->fallbacks != NULL ? config->fallbacks[r] : SN_ARBITER_NONE;
  }
}

static uint32_t mask_of(sn_resource_set set) {
  return (uint32_t)set.words[0];
}

static void load_resource(sn_arbiter_oracle *o, const sn_arbiter *arbiter, int r) {
  int former[SN_ARBITER_ORACLE_CONTROLLERS];
  const size_t count = sn__arbiter_former_owners(arbiter, r, former, SN_ARBITER_ORACLE_CONTROLLERS);
  memset(o->lost_at[r], 0, sizeof o->lost_at[r]);
  for (size_t i = 0; i < count; i++) {
    o->lost_at[r][former[i]] = count - i; /* the most recent is the first */
  }
  const int64_t deadline_ns = arbiter->resources[r].deadline_ns;
  o->owner[r] = arbiter->resources[r].owner;
  o->orphan[r] = sn_resource_set_has(&arbiter->orphans, (size_t)r);
  o->let_go_by[r] = deadline_ns == SN_ARBITER_FOREVER ? 0 : deadline_ns;
}

void sn_arbiter_oracle_load(sn_arbiter_oracle *o, const sn_arbiter *arbiter) {
  for (int r = 0; r < o->resources; r++) {
    load_resource(o, arbiter, r);
  }
  for (int i = 0; i < o->controllers; i++) {
    const sn__controller *c = &arbiter->controllers[i];
    const sn__request *request = &c->request;
    o->dead[i] = !c->connected;
    o->priority[i] = c->priority;
    o->granted_at[i] = c->ticket;
    o->answer[i] = SN_ARBITER_NO_ANSWER;
    memset(&o->request[i], 0, sizeof o->request[i]);
    if (request->state != SN__REQUEST_NONE) {
      o->request[i].mask = mask_of(request->claim.resources);
      o->request[i].priority = request->claim.priority;
      o->request[i].made_at = request->ticket;
      o->request[i].id = request->claim.request_id;
      o->request[i].expires = request->deadline_ns;
      o->request[i].patient = request->claim.wait_ns > 0;
      o->request[i].reserved = request->state == SN__REQUEST_HANDING_OVER;
    }
  }
  o->time = arbiter->ticket + (uint64_t)o->controllers; /* later than all of these */
}

static const char *differs_at(const sn_arbiter_oracle *o, const sn_arbiter *arbiter, int r) {
  int former[SN_ARBITER_ORACLE_CONTROLLERS];
  const size_t count = sn__arbiter_former_owners(arbiter, r, former, SN_ARBITER_ORACLE_CONTROLLERS);
  size_t expected = 0;
  for (int c = 0; c < o->controllers; c++) {
    expected += o->lost_at[r][c] != 0;
  }
  if (sn__arbiter_owner(arbiter, r) != o->owner[r]) {
    return "an owner differs";
  }
  if (count != expected) {
    return "the number of earlier owners differs";
  }
  for (size_t i = 0; i < count; i++) {
    const uint64_t at = o->lost_at[r][former[i]];
    if (at == 0 || (i > 0 && at > o->lost_at[r][former[i - 1]])) {
      return "the order of earlier owners differs";
    }
  }
  return sn_arbiter_oracle_reserved_for(o, r) != arbiter->resources[r].reserved
             ? "a reservation differs"
             : NULL;
}

const char *sn_arbiter_oracle_differs(const sn_arbiter_oracle *o, const sn_arbiter *arbiter) {
  for (int r = 0; r < o->resources; r++) {
    const char *what = differs_at(o, arbiter, r);
    if (what != NULL) {
      return what;
    }
  }
  for (int c = 0; c < o->controllers; c++) {
    sn_arbiter_claim claim = {.priority = 0};
    const bool waits = sn__arbiter_waiting(arbiter, c, &claim);
    uint32_t asked = 0;
    for (int r = 0; r < o->resources; r++) {
      asked |= o->owner[r] == c && o->let_go_by[r] != 0 ? 1u << r : 0;
    }
    if (mask_of(sn__arbiter_owned(arbiter, c)) != sn_arbiter_oracle_owned(o, c) ||
        mask_of(sn__arbiter_wanted(arbiter, c)) != sn_arbiter_oracle_wanted(o, c)) {
      return "what a controller owns or wants differs";
    }
    if (waits != (o->request[c].mask != 0) || mask_of(claim.resources) != o->request[c].mask ||
        (waits && claim.request_id != o->request[c].id)) {
      return "a waiting request differs";
    }
    if (asked != mask_of(arbiter->controllers[c].asked)) {
      return "what a controller must let go of differs";
    }
    if (sn__arbiter_is_connected(arbiter, c) == o->dead[c]) {
      return "whether a controller is connected differs";
    }
  }
  return NULL;
}
