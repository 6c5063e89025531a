#include "arbiter_oracle.h"

#include <string.h>

#include "arbiter/arbiter.h"

enum { NO_OWNER = SN_ARBITER_NONE };

static bool in(uint32_t mask, int r) {
  return (mask >> r & 1) != 0;
}

uint32_t sn_arbiter_oracle_owned(const sn_arbiter_oracle *o, int c) {
  uint32_t mask = 0;
  for (int r = 0; r < o->resources; r++) {
    mask |= o->owner[r] == c ? 1u << r : 0;
  }
  return mask;
}

uint32_t sn_arbiter_oracle_wanted(const sn_arbiter_oracle *o, int c) {
  uint32_t mask = sn_arbiter_oracle_owned(o, c);
  for (int r = 0; r < o->resources; r++) {
    mask |= o->lost_at[r][c] != 0 ? 1u << r : 0;
  }
  return mask;
}

static int most_recent(const sn_arbiter_oracle *o, int r) {
  int best = NO_OWNER;
  for (int c = 0; c < o->controllers; c++) {
    if (o->lost_at[r][c] != 0 && (best == NO_OWNER || o->lost_at[r][c] > o->lost_at[r][best])) {
      best = c;
    }
  }
  return best;
}

int sn_arbiter_oracle_reserved_for(const sn_arbiter_oracle *o, int r) {
  for (int c = 0; c < o->controllers; c++) {
    if (o->request[c].reserved && in(o->request[c].mask, r)) {
      return c;
    }
  }
  return NO_OWNER;
}

/* May a request of c with this priority, made at this time, take r? */
static bool may_take(const sn_arbiter_oracle *o, int c, int r, int32_t priority, uint64_t made_at) {
  const int q = sn_arbiter_oracle_reserved_for(o, r);
  if (q != NO_OWNER && q != c && o->request[q].priority >= priority) {
    return false;
  }
  const int holder = o->owner[r] != NO_OWNER ? o->owner[r] : most_recent(o, r);
  if (holder == NO_OWNER || holder == c) {
    return true;
  }
  int32_t defence = o->priority[holder];
  if (o->request[holder].mask != 0 && o->request[holder].priority < defence) {
    defence = o->request[holder].priority;
  }
  return defence != priority ? defence < priority : o->granted_at[holder] < made_at;
}

static bool may_take_all(const sn_arbiter_oracle *o, int c, uint32_t mask, int32_t priority,
                         uint64_t made_at) {
  for (int r = 0; r < o->resources; r++) {
    if (in(mask, r) && !may_take(o, c, r, priority, made_at)) {
      return false;
    }
  }
  return true;
}

static void set_free(sn_arbiter_oracle *o, int r) {
  o->owner[r] = NO_OWNER;
  o->let_go_by[r] = 0;
}

static void own(sn_arbiter_oracle *o, int r, int c) {
  o->owner[r] = c;
  o->let_go_by[r] = 0;
  o->lost_at[r][c] = 0;
  o->orphan[r] = false;
}

static void unwant(sn_arbiter_oracle *o, int c, uint32_t mask) {
  for (int r = 0; r < o->resources; r++) {
    if (in(mask, r)) {
      o->lost_at[r][c] = 0;
      if (o->owner[r] == c) {
        set_free(o, r);
      }
    }
  }
}

/* c releases these voluntarily: it does not want them back. */
static void give_up(sn_arbiter_oracle *o, int c, uint32_t mask) {
  for (int r = 0; r < o->resources; r++) {
    o->orphan[r] &= !(in(mask, r) && o->fallback[r] == c);
  }
  unwant(o, c, mask);
}

/* c loses r: the policy decides about the rest. */
static void lose(sn_arbiter_oracle *o, int c, int r) {
  set_free(o, r);
  if (o->keep_subset[c]) {
    o->lost_at[r][c] = ++o->time;
  } else {
    unwant(o, c, ~0u);
  }
}

static void end_request(sn_arbiter_oracle *o, int c, sn_arbiter_answer answer) {
  if (o->request[c].mask != 0) {
    o->answer[c] = answer;
    o->answer_id[c] = o->request[c].id;
    o->answer_mask[c] = o->request[c].mask;
    memset(&o->request[c], 0, sizeof o->request[c]);
  }
}

static bool must_let_go(const sn_arbiter_oracle *o, int c, int r) {
  const int owner = o->owner[r];
  return in(o->request[c].mask, r) && owner != NO_OWNER && owner != c &&
         o->acknowledge_ns[owner] > 0;
}

static void ask_owner(sn_arbiter_oracle *o, int r, int64_t now_ns) {
  const int owner = o->owner[r];
  for (int i = 0; i < o->resources; i++) {
    if (o->owner[i] == owner && (i == r || !o->keep_subset[owner]) && o->let_go_by[i] == 0) {
      o->let_go_by[i] = now_ns + o->acknowledge_ns[owner];
    }
  }
}

/* Take everything if no owner must release first. */
static bool try_hand_over(sn_arbiter_oracle *o, int c) {
  for (int r = 0; r < o->resources; r++) {
    if (must_let_go(o, c, r)) {
      return false;
    }
  }
  const uint32_t mask = o->request[c].mask;
  const int32_t priority = o->request[c].priority;
  end_request(o, c, SN_ARBITER_GRANTED);
  unwant(o, c, ~mask);
  for (int r = 0; r < o->resources; r++) {
    if (in(mask, r)) {
      if (o->owner[r] != NO_OWNER && o->owner[r] != c) {
        lose(o, o->owner[r], r);
      }
      own(o, r, c);
    }
  }
  o->priority[c] = priority;
  o->granted_at[c] = ++o->time;
  o->counts.granted++;
  return true;
}

static void start(sn_arbiter_oracle *o, int c, int64_t now_ns) {
  for (int q = 0; q < o->controllers; q++) {
    if (q != c && o->request[q].reserved && (o->request[q].mask & o->request[c].mask) != 0) {
      o->request[q].reserved = false;
      if (!o->request[q].patient) {
        end_request(o, q, SN_ARBITER_REFUSED);
        o->counts.refused++;
      }
    }
  }
  o->request[c].reserved = true;
  for (int r = 0; r < o->resources; r++) {
    if (must_let_go(o, c, r)) {
      ask_owner(o, r, now_ns);
    }
  }
  try_hand_over(o, c);
}

/* Does request a come before request b? */
static bool goes_before(const sn_arbiter_oracle *o, int a, int b) {
  return o->request[a].priority != o->request[b].priority
             ? o->request[a].priority > o->request[b].priority
             : o->request[a].made_at < o->request[b].made_at;
}

static bool grant_one(sn_arbiter_oracle *o, int64_t now_ns) {
  int order[SN_ARBITER_ORACLE_CONTROLLERS];
  int count = 0;
  for (int c = 0; c < o->controllers; c++) {
    if (o->request[c].mask == 0) {
      continue;
    }
    int at = count++;
    for (; at > 0 && goes_before(o, c, order[at - 1]); at--) {
      order[at] = order[at - 1];
    }
    order[at] = c;
  }
  for (int i = 0; i < count; i++) {
    const int c = order[i];
    if (o->request[c].reserved) {
      if (try_hand_over(o, c)) {
        return true;
      }
    } else if (may_take_all(o, c, o->request[c].mask, o->request[c].priority,
                            o->request[c].made_at)) {
      start(o, c, now_ns);
      return true;
    }
  }
  return false;
}

static void settle(sn_arbiter_oracle *o, int64_t now_ns) {
  while (grant_one(o, now_ns)) {
  }
  for (int r = 0; r < o->resources; r++) {
    if (o->owner[r] != NO_OWNER || sn_arbiter_oracle_reserved_for(o, r) != NO_OWNER) {
      continue;
    }
    if (most_recent(o, r) != NO_OWNER) {
      own(o, r, most_recent(o, r));
    } else if (o->orphan[r] && !o->dead[o->fallback[r]]) {
      const int f = o->fallback[r];
      if (sn_arbiter_oracle_wanted(o, f) == 0) {
        o->priority[f] = INT32_MIN;
        o->granted_at[f] = ++o->time;
      }
      own(o, r, f);
    }
  }
}

/* A resource granted in this event may be lost at its end. */
static sn_arbiter_answer answer_now(const sn_arbiter_oracle *o, int c) {
  const bool gone = (o->answer_mask[c] & ~sn_arbiter_oracle_owned(o, c)) != 0;
  return o->answer[c] == SN_ARBITER_GRANTED && gone ? SN_ARBITER_LOST : o->answer[c];
}

sn_arbiter_answer sn_arbiter_oracle_request(sn_arbiter_oracle *o, int c, uint32_t mask,
                                            int32_t priority, int64_t wait_ns, uint64_t id,
                                            int64_t now_ns) {
  o->counts.requests++;
  if (o->dead[c] || mask >> o->resources != 0) {
    o->counts.invalid++;
    return SN_ARBITER_INVALID;
  }
  if (mask == 0) {
    sn_arbiter_oracle_release_all(o, c, now_ns);
    o->counts.granted++;
    return SN_ARBITER_GRANTED;
  }
  const uint64_t made_at = o->time + 1;
  const bool free_way = may_take_all(o, c, mask, priority, made_at);
  if (!free_way && wait_ns <= 0) {
    o->counts.refused++;
    return SN_ARBITER_REFUSED;
  }
  o->time = made_at;
  o->request[c].mask = mask;
  o->request[c].priority = priority;
  o->request[c].made_at = made_at;
  o->request[c].id = id;
  o->request[c].expires =
      wait_ns > 0 && wait_ns != SN_ARBITER_FOREVER ? now_ns + wait_ns : SN_ARBITER_FOREVER;
  o->request[c].patient = wait_ns > 0;
  o->request[c].reserved = false;
  o->answer[c] = SN_ARBITER_NO_ANSWER;
  if (free_way) {
    start(o, c, now_ns);
  }
  settle(o, now_ns);
  if (o->request[c].mask != 0) {
    o->counts.waited++;
    return SN_ARBITER_WAITING;
  }
  const sn_arbiter_answer answer = answer_now(o, c);
  o->answer[c] = SN_ARBITER_NO_ANSWER;
  return answer == SN_ARBITER_REFUSED ? SN_ARBITER_LOST : answer;
}

void sn_arbiter_oracle_release_all(sn_arbiter_oracle *o, int c, int64_t now_ns) {
  end_request(o, c, SN_ARBITER_NO_ANSWER);
  o->answer[c] = SN_ARBITER_NO_ANSWER;
  give_up(o, c, ~0u);
  settle(o, now_ns);
}

void sn_arbiter_oracle_disown(sn_arbiter_oracle *o, int c, uint32_t mask, int64_t now_ns) {
  if (o->request[c].mask != 0) {
    if ((o->request[c].mask & ~mask) == 0) {
      const sn_arbiter_answer before = o->answer[c];
      end_request(o, c, SN_ARBITER_NO_ANSWER);
      o->answer[c] = before;
    } else {
      o->request[c].mask &= ~mask;
    }
  }
  give_up(o, c, mask);
  settle(o, now_ns);
}

/* It lost them before all others, at time 1. */
void sn_arbiter_oracle_want(sn_arbiter_oracle *o, int c, uint32_t mask, int32_t priority,
                            int64_t now_ns) {
  mask &= ~sn_arbiter_oracle_wanted(o, c) & ((1u << o->resources) - 1);
  if (o->dead[c] || !o->keep_subset[c] || mask == 0 || o->request[c].mask != 0) {
    return;
  }
  if (sn_arbiter_oracle_wanted(o, c) == 0) {
    o->priority[c] = priority;
    o->granted_at[c] = ++o->time;
  }
  o->time++;
  for (int r = 0; r < o->resources; r++) {
    for (int i = 0; i < o->controllers && in(mask, r); i++) {
      o->lost_at[r][i] += o->lost_at[r][i] != 0;
    }
    o->lost_at[r][c] = in(mask, r) ? 1 : o->lost_at[r][c];
  }
  settle(o, now_ns);
}

void sn_arbiter_oracle_acknowledge(sn_arbiter_oracle *o, int c, uint32_t mask, int64_t now_ns) {
  bool any = false;
  for (int r = 0; r < o->resources; r++) {
    if (in(mask, r) && o->owner[r] == c && o->let_go_by[r] != 0) {
      lose(o, c, r);
      any = true;
    }
  }
  if (any) {
    settle(o, now_ns);
  }
}

void sn_arbiter_oracle_fail(sn_arbiter_oracle *o, int c, bool died, int64_t now_ns) {
  if (o->dead[c]) {
    return;
  }
  o->dead[c] = died;
  o->counts.failures++;
  o->counts.cancelled += o->request[c].mask != 0 ? 1 : 0;
  end_request(o, c, SN_ARBITER_CANCELLED);
  for (int r = 0; r < o->resources; r++) {
    o->orphan[r] |= o->owner[r] == c && o->fallback[r] != NO_OWNER && o->fallback[r] != c;
  }
  give_up(o, c, ~0u);
  settle(o, now_ns);
  if (died) {
    o->answer[c] = SN_ARBITER_NO_ANSWER;
  }
}

void sn_arbiter_oracle_connect(sn_arbiter_oracle *o, int c, int64_t now_ns) {
  o->dead[c] = false;
  settle(o, now_ns);
}

sn_status sn_arbiter_oracle_set_policy(sn_arbiter_oracle *o, int c,
                                       const sn_arbiter_controller *policy) {
  if (sn_arbiter_oracle_wanted(o, c) != 0 || o->request[c].mask != 0) {
    return SN_EBUSY;
  }
  for (int r = 0; r < o->resources; r++) {
    if (o->fallback[r] == c && !policy->keep_subset) {
      return SN_EINVAL;
    }
  }
  if (policy->acknowledge_ns < 0) {
    return SN_EINVAL;
  }
  o->keep_subset[c] = policy->keep_subset;
  o->acknowledge_ns[c] = policy->acknowledge_ns;
  return SN_OK;
}

void sn_arbiter_oracle_tick(sn_arbiter_oracle *o, int64_t now_ns) {
  for (int r = 0; r < o->resources; r++) {
    if (o->let_go_by[r] != 0 && o->let_go_by[r] <= now_ns) {
      sn_arbiter_oracle_fail(o, o->owner[r], false, now_ns);
    }
  }
  for (int c = 0; c < o->controllers; c++) {
    if (o->request[c].mask != 0 && o->request[c].expires <= now_ns) {
      end_request(o, c, SN_ARBITER_EXPIRED);
      o->counts.expired++;
      settle(o, now_ns);
    }
  }
}
