/* What went wrong with ownership in earlier systems, as far as the arbiter decides it. Whether the
   aggregator obeys, and whether a new owner starts without a jump, is tested there. */
#include "allocation.h"
#include "arbiter/arbiter_msg.h"
#include "consumers.h"
#include "sinew/random.h"

enum { A = 1, B = 2, C = 4, D = 8 };

/* Identity was a 16-bit hash of a name: here two names that collide in any hash are two. */
SN_TEST(identity_is_the_connection_and_not_the_name_in_a_message) {
  rig r;
  rig_init(&r, 3, 2);
  sn_arena messages;
  sn_arena_init_growing(&messages, "messages", 0);
  sn_resource_request *request = sn_msg_create(&messages, &sn_resource_request_type, NULL);
  rig_open(&r);
  rig_take(&r, 0, A);
  sn_msg_names_add(&request->resources, "r0", 2);
  sn_msg_text_set(&request->name, "c0");
  sn_arbiter_action answer;
  sn_error err;
  assert_int_equal(sn__arbiter_handle_request(r.arbiter, 1, request, 0, 0, &answer, &err),
                   SN_EINVAL);
  sn_assert_contains(err.message, "'c1' uses the name of 'c0'");
  assert_int_equal(answer.answer, SN_ARBITER_INVALID);
  assert_int_equal(sn__arbiter_owner(r.arbiter, 0), 0);
  rig_check(&r);
  sn_arena_release(&messages);
  rig_close(&r);
}

/* Request counters overflowed, and a client waited for ever. */
SN_TEST(counters_do_not_wrap) {
  group g;
  member m[2];
  rig_init(&g.rig, 2, 1);
  group_open(&g, m);
  m[0].consumer.last_request_id = (uint64_t)UINT32_MAX;
  assert_int_equal(member_ask(&m[1], A, 5, 0), SN_ARBITER_GRANTED);
  assert_int_equal(member_ask(&m[0], A, 0, SN_ARBITER_FOREVER), SN_ARBITER_WAITING);
  assert_int_equal(member_ask(&m[1], 0, 0, 0), SN_ARBITER_GRANTED);
  assert_int_equal(m[0].answer, SN_ARBITER_GRANTED);
  assert_true(m[0].answer_id == (uint64_t)UINT32_MAX + 1);
  rig_close(&g.rig);
}

SN_TEST(a_holder_that_never_acknowledges_loses_the_limb_to_the_waiting_request) {
  rig r;
  rig_init(&r, 3, 1);
  r.policies[0].acknowledge_ns = 10;
  rig_open(&r);
  rig_ask(&r, 0, A, 1, 0, NULL);
  assert_int_equal(rig_ask(&r, 1, A, 0, SN_ARBITER_FOREVER, NULL), SN_ARBITER_WAITING);
  assert_int_equal(rig_ask(&r, 2, A, 2, 0, NULL), SN_ARBITER_WAITING);
  rig_tick(&r, 10);
  assert_int_equal(sn__arbiter_owner(r.arbiter, 0), 2);
  rig_fail(&r, 2, SN_ARBITER_DIED);
  assert_int_equal(sn__arbiter_owner(r.arbiter, 0), 1);
  rig_close(&r);
}

SN_TEST(a_mistyped_resource_is_refused_by_name) {
  rig r;
  rig_init(&r, 1, 3);
  sn_arena messages;
  sn_arena_init_growing(&messages, "messages", 0);
  sn_resource_request *request = sn_msg_create(&messages, &sn_resource_request_type, NULL);
  rig_open(&r);
  sn_msg_names_add(&request->resources, "r0", 2);
  sn_msg_names_add(&request->resources, "r_1", 3);
  sn_arbiter_action answer;
  sn_error err;
  assert_int_equal(sn__arbiter_handle_request(r.arbiter, 0, request, 0, 0, &answer, &err),
                   SN_ENOENT);
  sn_assert_contains(err.message, "unknown resource 'r_1'");
  assert_int_equal(rig_owned(&r, 0), 0);
  assert_int_equal(rig_take(&r, 0, D), SN_ARBITER_INVALID); /* nor by an index too high */
  const char *const texts[] = {"r2", "r0", "r2"};
  sn_resource_set set;
  assert_int_equal(sn__resource_set_find(r.config.resources, texts, 3, &set, &err), SN_OK);
  assert_int_equal(rig_mask(set), A | C); /* twice counts once */
  sn_arena_release(&messages);
  rig_close(&r);
}

SN_TEST(asking_for_one_more_limb_keeps_those_that_are_held) {
  group g;
  member m[2];
  rig_init(&g.rig, 2, 3);
  group_open(&g, m);
  member_ask(&m[1], C, 5, 0);
  member_ask(&m[0], A, 0, 0);
  const sn_resource_set more = rig_set(C);
  assert_int_equal(sn__consumer_request_more(&m[0].consumer, &more, 0, SN_ARBITER_FOREVER),
                   SN_ARBITER_WAITING);
  assert_true(sn__consumer_has(&m[0].consumer, 0));
  assert_int_equal(sn__consumer_request_more(&m[0].consumer, &more, 0, 0), SN_ARBITER_REFUSED);
  assert_true(sn__consumer_has(&m[0].consumer, 0));
  assert_int_equal(m[0].released_count, 0);
  member_ask(&m[1], 0, 0, 0);
  assert_int_equal(member_held(&m[0]), A | C);
  rig_close(&g.rig);
}

/* Only ten requests per run were handled, with no re-trigger. */
enum { CROWD = 16, LIMBS = 8, REQUESTS = 1000 };

/* Anybody asks for a limb that it does not own. @return what it owns by the answer */
static uint64_t ask_for_another(rig *r, sn_random *random, int *controller) {
  const int c = (int)sn_random_below(random, CROWD);
  uint64_t mask = 0;
  do {
    mask = (uint64_t)1 << sn_random_below(random, LIMBS);
  } while ((rig_owned(r, c) & mask) != 0);
  sn_arbiter_action answer;
  assert_int_equal(rig_ask(r, c, mask, 0, 0, &answer), SN_ARBITER_GRANTED);
  assert_int_equal(rig_mask(answer.owned), mask);
  *controller = c;
  return mask;
}

/* Every request from the first to the last has changed something, one after the other. */
static void expect_all_in_order(const rig *r) {
  uint64_t last = 0, cursor = 0;
  sn_arbiter_change change;
  while (sn__arbiter_read_change(r->arbiter, &cursor, &change)) {
    if (change.request_id != 0) {
      assert_in_range(change.request_id, last, last + 1);
      last = change.request_id;
    }
  }
  assert_int_equal(last, REQUESTS);
  assert_int_equal(sn__arbiter_count(r->arbiter).granted, REQUESTS);
}

/* @param known  what each controller knows of itself
   @return how many got an action: all whose state changed, once each */
static int deliver(rig *r, const uint64_t known[CROWD]) {
  bool was_notified[CROWD] = {false};
  int count = 0;
  sn_arbiter_action action;
  while (sn__arbiter_next_action(r->arbiter, &action)) {
    const int c = action.controller;
    assert_false(was_notified[c]);
    was_notified[c] = true;
    assert_int_equal(rig_mask(action.owned), rig_owned(r, c));
    assert_int_equal(rig_mask(action.lost), known[c] & ~rig_owned(r, c));
    assert_int_equal(rig_mask(action.gained), rig_owned(r, c) & ~known[c]);
    count++;
  }
  for (int c = 0; c < CROWD; c++) {
    assert_int_equal(was_notified[c], known[c] != rig_owned(r, c));
  }
  return count;
}

SN_TEST(a_thousand_requests_between_two_deliveries_are_all_handled_in_order) {
  sn_random random;
  sn_random_init(&random, 10);
  int delivered = 0;
  for (uint64_t k = 0; k < sn_test_cases(20); k++) {
    rig r;
    rig_init(&r, CROWD, LIMBS);
    r.config.log_capacity = 4 * REQUESTS;
    rig_open(&r);
    uint64_t known[CROWD] = {0};
    for (int i = 0; i < REQUESTS; i++) {
      int c = 0;
      const uint64_t owned = ask_for_another(&r, &random, &c);
      known[c] = owned;
    }
    expect_all_in_order(&r);
    delivered += deliver(&r, known);
    rig_close(&r);
  }
  assert_true(delivered > 0); /* the last owners took their limbs from others */
}

/* "Losing a limb was reported as success", and a conflict as "switched". */
SN_TEST(the_outcome_is_exact_for_every_resource) {
  rig r;
  rig_init(&r, 3, 4);
  r.policies[2].keep_subset = true;
  rig_open(&r);
  rig_ask(&r, 0, A, 5, 0, NULL);
  rig_ask(&r, 1, B, 0, 0, NULL);
  sn_arbiter_action answer;
  assert_int_equal(rig_ask(&r, 2, A | B | C, 1, 0, &answer), SN_ARBITER_REFUSED);
  assert_int_equal(rig_mask(answer.blocked), A);
  assert_int_equal(rig_mask(answer.owned), 0); /* not even what was free */
  assert_int_equal(rig_ask(&r, 2, A | B | C, 1, SN_ARBITER_FOREVER, &answer), SN_ARBITER_WAITING);
  assert_int_equal(rig_mask(answer.blocked), A);
  sn__arbiter_release_all(r.arbiter, 0, 0);
  rig_take(&r, 0, 0);
  rig_ask(&r, 0, B, 9, 0, NULL); /* before 2 has its action */
  rig_expect(&r, 1);
  answer = rig_expect(&r, 2);
  assert_int_equal(answer.answer, SN_ARBITER_LOST);
  assert_int_equal(rig_mask(answer.owned), A | C);
  rig_close(&r);
}

SN_TEST(activation_is_all_or_nothing_and_every_limb_has_its_own_fallback) {
  rig r;
  rig_init(&r, 4, 2);
  r.policies[2].keep_subset = true;
  r.policies[3].keep_subset = true;
  r.fallbacks[0] = 2;
  r.fallbacks[1] = 3;
  rig_open(&r);
  rig_ask(&r, 1, B, 5, 0, NULL);
  assert_int_equal(rig_take(&r, 0, A | B), SN_ARBITER_REFUSED);
  assert_int_equal(rig_owned(&r, 0), 0);
  rig_ask(&r, 0, A | B, 5, 0, NULL);
  rig_fail(&r, 0, SN_ARBITER_MALFORMED);
  assert_int_equal(rig_owned(&r, 2), A);
  assert_int_equal(rig_owned(&r, 3), B);
  rig_close(&r);
}

/* Switching in the control loop allocated. The largest arbiter there can be, 10^6 requests. */
SN_TEST(a_million_requests_use_no_heap_and_no_further_memory) {
  rig r;
  rig_init(&r, 256, 256);
  for (int c = 0; c < 256; c++) {
    r.policies[c].keep_subset = c % 2 == 0;
    r.policies[c].acknowledge_ns = c % 5 == 0 ? 100 : 0;
  }
  rig_open(&r); /* seals the arena: an allocation would be a fault */
  const size_t used = sn_arena_used(&r.arena);
  sn_random random;
  sn_random_init(&random, 9);
  const int count = sn_test_heap_is_watched() ? 1000000 : 50000; /* fewer under a sanitizer */
  sn_assert_no_heap({
    for (int i = 0; i < count; i++) {
      sn_arbiter_action action;
      sn_arbiter_claim claim = {.priority = (int32_t)sn_random_below(&random, 4),
                                .wait_ns = (int64_t)sn_random_below(&random, 2) * 1000,
                                .request_id = (uint64_t)i + 1};
      for (size_t k = sn_random_below(&random, 8); k > 0; k--) {
        sn_resource_set_add(&claim.resources, (size_t)sn_random_below(&random, 256));
      }
      const int c = (int)sn_random_below(&random, 256);
      sn__arbiter_request(r.arbiter, c, &claim, i, &action);
      sn__arbiter_tick(r.arbiter, i);
      if (sn__arbiter_next_action(r.arbiter, &action)) {
        sn__arbiter_acknowledge(r.arbiter, action.controller, &action.release, i);
      }
    }
  });
  rig_check(&r);
  assert_int_equal(sn_arena_used(&r.arena), used);
  assert_true(sn__arbiter_count(r.arbiter).requests == (uint64_t)count);
  rig_close(&r);
}
