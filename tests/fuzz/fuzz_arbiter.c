/* Fuzzes sequences of events: after each one the invariants hold, and the notifications to
 * controllers add up to the owner table. The first bytes choose the arbiter, each following group
 * is one event. */
#include <string.h>

#include "arbiter/arbiter_core.h"
#include "sinew/fault.h"

enum { COUNT_MAX = 8 };

typedef struct input {
  const uint8_t *at, *end;
} input;

static unsigned take(input *in) {
  return in->at < in->end ? *in->at++ : 0;
}

typedef struct world {
  sn_arbiter *arbiter;
  int controllers, resources;
  uint64_t view[COUNT_MAX]; /* what each controller owns by its notifications */
  int64_t now_ns;
} world;

static sn_arbiter *make(sn_arena *arena, input *in, world *w) {
  static const char *const texts[COUNT_MAX] = {"a", "b", "c", "d", "e", "f", "g", "h"};
  sn_arbiter_controller policies[COUNT_MAX] = {{false, 0}};
  int fallbacks[COUNT_MAX];
  const unsigned sizes = take(in);
  const unsigned keep = take(in);
  const unsigned slow = take(in);
  w->controllers = 1 + (int)(sizes % COUNT_MAX);
  w->resources = 1 + (int)(sizes / COUNT_MAX % COUNT_MAX);
  for (int i = 0; i < COUNT_MAX; i++) {
    policies[i].keep_subset = (keep >> i & 1) != 0;
    policies[i].acknowledge_ns = (slow >> i & 1) != 0 ? 10 : 0;
    const int c = i % w->controllers;
    fallbacks[i] = (keep >> c & 1) != 0 && sizes / 64 % 2 == 1 ? c : SN_ARBITER_NONE;
  }
  sn_arbiter_config config = {.policies = policies, .fallbacks = fallbacks, .log_capacity = 4};
  SN_ASSERT(sn_names_create(arena, texts, (size_t)w->controllers, &config.controllers, NULL) ==
            SN_OK);
  SN_ASSERT(sn_names_create(arena, texts, (size_t)w->resources, &config.resources, NULL) == SN_OK);
  SN_ASSERT(sn__arbiter_create(arena, &config, &w->arbiter, NULL) == SN_OK);
  sn_arena_seal(arena);
  return w->arbiter;
}

static void request(world *w, input *in, int c) {
  const unsigned how = take(in);
  sn_arbiter_claim claim = {
      .resources = {{take(in)}},
      .priority = (int32_t)(how % 4) - 1,
      .wait_ns = (how >> 2 & 3) == 3 ? SN_ARBITER_FOREVER : (int64_t)(how >> 2 & 3) * 8,
      .request_id = how};
  sn_arbiter_action answer;
  const sn_arbiter_answer result = sn__arbiter_request(w->arbiter, c, &claim, w->now_ns, &answer);
  SN_ASSERT(result == answer.answer);
  w->view[c] = answer.owned.words[0];
  if (result == SN_ARBITER_GRANTED) {
    SN_ASSERT((claim.resources.words[0] & ~answer.owned.words[0]) == 0);
  }
}

static void event(world *w, input *in) {
  const unsigned what = take(in);
  const int c = (int)(what / 8) % w->controllers;
  sn_resource_set set = sn_resource_set_none();
  sn_arbiter_action state;
  switch (what % 8) {
    case 0:
    case 1:
    case 2:
      request(w, in, c);
      break;
    case 3:
      set.words[0] = take(in);
      if (what >= 128) {
        sn__arbiter_want(w->arbiter, c, &set, (int32_t)(what % 3), w->now_ns);
        break;
      }
      sn__arbiter_disown(w->arbiter, c, &set, w->now_ns);
      w->view[c] &= ~set.words[0] | sn__arbiter_owned(w->arbiter, c).words[0];
      break;
    case 4:
      set.words[0] = take(in);
      sn__arbiter_acknowledge(w->arbiter, c, &set, w->now_ns);
      sn__arbiter_read_state(w->arbiter, c, &state);
      w->view[c] = state.owned.words[0];
      break;
    case 5:
      sn__arbiter_fail(w->arbiter, c, (sn_arbiter_why)(SN_ARBITER_DIED + what / 64 % 3), w->now_ns);
      w->view[c] = sn__arbiter_is_connected(w->arbiter, c) ? w->view[c] : 0;
      break;
    case 6:
      sn__arbiter_connect(w->arbiter, c, w->now_ns);
      break;
    default:
      w->now_ns += take(in);
      sn__arbiter_tick(w->arbiter, w->now_ns);
      break;
  }
}

/* Exactly one owner or none, and the sets agree with the table. */
static void check(const world *w) {
  for (int r = 0; r < w->resources; r++) {
    int owners = 0;
    for (int c = 0; c < w->controllers; c++) {
      const sn_resource_set owned = sn__arbiter_owned(w->arbiter, c);
      const sn_resource_set wanted = sn__arbiter_wanted(w->arbiter, c);
      SN_ASSERT(sn_resource_set_includes(&wanted, &owned));
      if (sn_resource_set_has(&owned, (size_t)r)) {
        SN_ASSERT(sn__arbiter_owner(w->arbiter, r) == c);
        SN_ASSERT(sn__arbiter_is_connected(w->arbiter, c));
        owners++;
      }
    }
    SN_ASSERT(owners == (sn__arbiter_owner(w->arbiter, r) != SN_ARBITER_NONE));
    SN_ASSERT(sn__arbiter_former_owners(w->arbiter, r, NULL, 0) <= (size_t)w->controllers);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  input in = {data, data + size};
  world w = {.now_ns = 0};
  sn_arena arena;
  sn_arena_init_growing(&arena, "fuzz", 1u << 14);
  make(&arena, &in, &w);
  while (in.at < in.end) {
    event(&w, &in);
    check(&w);
    sn_arbiter_action action;
    while ((in.at == in.end || in.at[0] % 4 != 0) && sn__arbiter_next_action(w.arbiter, &action)) {
      w.view[action.controller] = action.owned.words[0];
    }
  }
  for (int c = 0; c < w.controllers; c++) { /* all notifications were delivered in the end */
    if (size > 3 && sn__arbiter_is_connected(w.arbiter, c)) {
      SN_ASSERT(w.view[c] == sn__arbiter_owned(w.arbiter, c).words[0]);
    }
  }
  sn_arena_release(&arena);
  return 0;
}
