/* The rules of arbiter.h, one by one. */
#include "rig.h"

enum { A = 1, B = 2, C = 4, D = 8 };

/* Three controllers and four resources; the mask selects those that keep subsets. */
static void open_rig(rig *r, unsigned keep_subset) {
  rig_init(r, 3, 4);
  for (int c = 0; c < 3; c++) {
    r->policies[c].keep_subset = (keep_subset >> c & 1) != 0;
  }
  rig_open(r);
}

SN_TEST(a_free_resource_is_granted) {
  rig r;
  open_rig(&r, 0);
  sn_arbiter_action answer;
  assert_int_equal(rig_ask(&r, 1, A | C, 0, 0, &answer), SN_ARBITER_GRANTED);
  assert_int_equal(answer.controller, 1);
  assert_true(answer.request_id == r.id);
  assert_int_equal(rig_mask(answer.gained), A | C);
  assert_int_equal(rig_mask(answer.owned), A | C);
  assert_int_equal(answer.gained_why, SN_ARBITER_REQUEST);
  assert_int_equal(sn__arbiter_owner(r.arbiter, 0), 1);
  assert_int_equal(sn__arbiter_owner(r.arbiter, 1), NONE);
  rig_expect_silence(&r); /* the requester has its answer, no other is affected */
  rig_close(&r);
}

SN_TEST(the_latest_of_equals_wins_and_the_loser_knows_what_is_left) {
  rig r;
  open_rig(&r, 1);
  rig_take(&r, 0, A | B);
  assert_int_equal(rig_take(&r, 1, B | C), SN_ARBITER_GRANTED);
  const sn_arbiter_action action = rig_expect(&r, 0);
  assert_int_equal(rig_mask(action.lost), B);
  assert_int_equal(rig_mask(action.owned), A);
  assert_int_equal(rig_mask(action.wanted), A | B);
  assert_int_equal(action.lost_why, SN_ARBITER_REQUEST);
  assert_int_equal(action.cause, 1);
  assert_int_equal(action.answer, SN_ARBITER_NO_ANSWER);
  rig_expect_silence(&r);
  rig_close(&r);
}

SN_TEST(all_or_nothing_drops_everything_and_the_rest_goes_to_earlier_owners) {
  rig r;
  open_rig(&r, 1);
  rig_take(&r, 0, A | B | C);
  rig_take(&r, 1, B | C | D); /* all or nothing */
  rig_drain(&r);
  rig_take(&r, 2, B);
  assert_int_equal(rig_owned(&r, 0), A | C); /* C came back */
  assert_int_equal(rig_owned(&r, 1), 0);
  assert_int_equal(rig_owned(&r, 2), B);
  assert_int_equal(sn__arbiter_owner(r.arbiter, 3), NONE); /* D had no earlier owner */
  sn_arbiter_action action = rig_expect(&r, 1);            /* losers first */
  assert_int_equal(rig_mask(action.lost), B | C | D);
  assert_int_equal(rig_mask(action.owned), 0);
  assert_int_equal(rig_mask(action.wanted), 0); /* is not active any more */
  action = rig_expect(&r, 0);
  assert_int_equal(rig_mask(action.gained), C);
  assert_int_equal(action.gained_why, SN_ARBITER_RETURN);
  rig_expect_silence(&r);

  sn__arbiter_release_all(r.arbiter, 2, 0); /* B: 1 does not want it, 0 does */
  assert_int_equal(rig_owned(&r, 0), A | B | C);
  rig_close(&r);
}

SN_TEST(returns_go_to_the_most_recent_earlier_owner_that_still_wants_it) {
  rig r;
  rig_init(&r, 5, 1);
  for (int c = 0; c < 5; c++) {
    r.policies[c].keep_subset = true;
  }
  rig_open(&r);
  for (int c = 0; c < 5; c++) {
    rig_take(&r, c, A);
  }
  int former[8];
  assert_int_equal(sn__arbiter_former_owners(r.arbiter, 0, former, 2), 4); /* more than asked for */
  assert_int_equal(former[0], 3);
  assert_int_equal(former[1], 2);
  rig_disown(&r, 3, A); /* not the owner: just does not want it back */
  sn__arbiter_release_all(r.arbiter, 4, 0);
  assert_int_equal(sn__arbiter_owner(r.arbiter, 0), 2);
  rig_fail(&r, 1, SN_ARBITER_DIED);
  rig_fail(&r, 2, SN_ARBITER_DIED);
  assert_int_equal(sn__arbiter_owner(r.arbiter, 0), 0);
  rig_disown(&r, 0, A);
  assert_int_equal(sn__arbiter_owner(r.arbiter, 0), NONE);
  rig_close(&r);
}

SN_TEST(a_request_names_all_that_is_wanted_and_the_rest_is_released) {
  rig r;
  open_rig(&r, 3);
  rig_take(&r, 0, A | B);
  rig_take(&r, 1, A | C);
  rig_take(&r, 1, C | D);
  assert_int_equal(rig_owned(&r, 1), C | D);
  assert_int_equal(rig_owned(&r, 0), A | B); /* A went back */
  rig_close(&r);
}

SN_TEST(an_empty_request_releases_all) {
  rig r;
  open_rig(&r, 0);
  rig_take(&r, 0, A | B);
  rig_ask(&r, 1, A, 1, 0, NULL);
  rig_ask(&r, 2, A, 0, SN_ARBITER_FOREVER, NULL);
  assert_int_equal(rig_take(&r, 2, 0), SN_ARBITER_GRANTED);
  assert_false(sn__arbiter_waiting(r.arbiter, 2, NULL));
  sn_arbiter_action answer;
  assert_int_equal(rig_ask(&r, 1, 0, -5, 0, &answer), SN_ARBITER_GRANTED);
  assert_int_equal(rig_mask(answer.lost), A);
  assert_int_equal(rig_owned(&r, 1), 0);
  rig_close(&r);
}

SN_TEST(a_lower_priority_is_refused_and_changes_nothing) {
  rig r;
  open_rig(&r, 0);
  rig_ask(&r, 0, A | B, 5, 0, NULL);
  rig_take(&r, 1, C);
  const uint64_t changes = sn__arbiter_count(r.arbiter).changes;
  sn_arbiter_action answer;
  assert_int_equal(rig_ask(&r, 1, B | C | D, 4, 0, &answer), SN_ARBITER_REFUSED);
  assert_int_equal(rig_mask(answer.blocked), B); /* exactly this one is in the way */
  assert_int_equal(answer.blocker, 0);
  assert_int_equal(rig_mask(answer.owned), C);
  assert_int_equal(rig_owned(&r, 1), C);
  assert_int_equal(rig_owned(&r, 0), A | B);
  assert_true(sn__arbiter_count(r.arbiter).changes == changes);
  rig_expect_silence(&r);
  assert_int_equal(rig_ask(&r, 1, B | C | D, 6, 0, &answer), SN_ARBITER_GRANTED);
  rig_close(&r);
}

SN_TEST(a_refused_request_leaves_the_one_that_waits) {
  rig r;
  open_rig(&r, 0);
  rig_ask(&r, 0, A | B, 5, 0, NULL);
  assert_int_equal(rig_ask(&r, 1, A, 1, SN_ARBITER_FOREVER, NULL), SN_ARBITER_WAITING);
  const uint64_t id = r.id;
  assert_int_equal(rig_ask(&r, 1, B, 1, 0, NULL), SN_ARBITER_REFUSED);
  sn_arbiter_claim claim;
  assert_true(sn__arbiter_waiting(r.arbiter, 1, &claim));
  assert_true(claim.request_id == id);
  assert_int_equal(rig_mask(claim.resources), A);
  rig_close(&r);
}

SN_TEST(waiting_requests_are_served_by_priority_then_by_age) {
  rig r;
  rig_init(&r, 5, 1);
  rig_open(&r);
  rig_ask(&r, 0, A, 9, 0, NULL);
  rig_ask(&r, 1, A, 1, SN_ARBITER_FOREVER, NULL);
  rig_ask(&r, 2, A, 2, SN_ARBITER_FOREVER, NULL);
  rig_ask(&r, 3, A, 2, SN_ARBITER_FOREVER, NULL);
  rig_ask(&r, 4, A, 1, SN_ARBITER_FOREVER, NULL);
  static const int order[] = {0, 2, 3, 1, 4};
  for (int i = 0; i < 5; i++) {
    assert_int_equal(sn__arbiter_owner(r.arbiter, 0), order[i]);
    rig_drain(&r);
    sn__arbiter_release_all(r.arbiter, order[i], 0);
    if (i < 4) {
      const sn_arbiter_action action = rig_expect(&r, order[i + 1]);
      assert_int_equal(action.answer, SN_ARBITER_GRANTED);
      assert_int_equal(rig_mask(action.gained), A);
      assert_true(action.request_id != 0);
    }
  }
  assert_int_equal(sn__arbiter_owner(r.arbiter, 0), NONE);
  rig_close(&r);
}

SN_TEST(a_wait_ends_at_its_deadline) {
  rig r;
  open_rig(&r, 0);
  rig_ask(&r, 0, A, 9, 0, NULL);
  r.now_ns = 1000;
  rig_take(&r, 1, B);
  assert_int_equal(rig_ask(&r, 1, A | B, 0, 50, NULL), SN_ARBITER_WAITING);
  const uint64_t id = r.id;
  assert_true(sn__arbiter_deadline_ns(r.arbiter) == 1050);
  rig_tick(&r, 1049);
  assert_true(sn__arbiter_waiting(r.arbiter, 1, NULL));
  rig_tick(&r, 1050);
  assert_false(sn__arbiter_waiting(r.arbiter, 1, NULL));
  const sn_arbiter_action action = rig_expect(&r, 1);
  assert_int_equal(action.answer, SN_ARBITER_EXPIRED);
  assert_true(action.request_id == id);
  assert_int_equal(rig_mask(action.owned), B); /* nothing has changed */
  assert_true(sn__arbiter_deadline_ns(r.arbiter) == SN_ARBITER_FOREVER);
  r.now_ns = INT64_MAX - 10; /* and the sum does not overflow */
  assert_int_equal(rig_ask(&r, 1, A, 0, 50, NULL), SN_ARBITER_WAITING);
  rig_tick(&r, INT64_MAX);
  assert_int_equal(rig_owned(&r, 0), A);
  assert_true(sn__arbiter_waiting(r.arbiter, 1, NULL));
  rig_close(&r);
}

SN_TEST(a_stronger_waiting_request_comes_before_the_return) {
  rig r;
  open_rig(&r, 1);
  rig_ask(&r, 0, A, 1, 0, NULL); /* keeps subsets */
  rig_ask(&r, 1, A, 9, 0, NULL);
  rig_ask(&r, 2, A, 1, SN_ARBITER_FOREVER, NULL);
  rig_drain(&r);
  sn__arbiter_release_all(r.arbiter, 1, 0);
  assert_int_equal(sn__arbiter_owner(r.arbiter, 0), 2);
  rig_expect(&r, 2);
  rig_expect_silence(&r); /* 0 did not get it for a moment */
  sn__arbiter_release_all(r.arbiter, 2, 0);
  assert_int_equal(sn__arbiter_owner(r.arbiter, 0), 0);

  rig_ask(&r, 1, A, 9, 0, NULL);
  rig_ask(&r, 2, A, 0, SN_ARBITER_FOREVER, NULL); /* weaker than the earlier owner */
  sn__arbiter_release_all(r.arbiter, 1, 0);
  assert_int_equal(sn__arbiter_owner(r.arbiter, 0), 0);
  assert_true(sn__arbiter_waiting(r.arbiter, 2, NULL));
  rig_close(&r);
}

SN_TEST(two_that_hold_and_wait_do_not_deadlock) {
  rig r;
  open_rig(&r, 0);
  rig_ask(&r, 0, A, 5, 0, NULL);
  rig_ask(&r, 1, B, 3, 0, NULL);
  assert_int_equal(rig_ask(&r, 0, A | B, 1, SN_ARBITER_FOREVER, NULL), SN_ARBITER_WAITING);
  assert_int_equal(rig_ask(&r, 1, A | B, 4, SN_ARBITER_FOREVER, NULL), SN_ARBITER_GRANTED);
  assert_true(sn__arbiter_waiting(r.arbiter, 0, NULL)); /* and will be next */
  sn__arbiter_release_all(r.arbiter, 1, 0);
  assert_int_equal(rig_owned(&r, 0), A | B);
  rig_close(&r);
}

SN_TEST(a_grant_that_is_overtaken_at_once_is_reported_as_lost) {
  rig r;
  open_rig(&r, 0);
  rig_ask(&r, 0, A, 9, 0, NULL);
  rig_ask(&r, 1, A | B, 5, SN_ARBITER_FOREVER, NULL);
  /* 0 releases A by asking for B alone, with less than 1 has waited with. */
  sn_arbiter_action answer;
  assert_int_equal(rig_ask(&r, 0, B, 1, 0, &answer), SN_ARBITER_LOST);
  assert_int_equal(rig_mask(answer.owned), 0);
  assert_int_equal(rig_owned(&r, 1), A | B);
  rig_close(&r);
}

SN_TEST(disowned_resources_are_neither_owned_nor_wanted_nor_waited_for) {
  rig r;
  open_rig(&r, 0);
  rig_ask(&r, 1, C, 9, 0, NULL);
  rig_take(&r, 0, A | B);
  rig_ask(&r, 0, A | B | C, 0, SN_ARBITER_FOREVER, NULL);
  rig_disown(&r, 0, B);
  assert_int_equal(rig_owned(&r, 0), A); /* all or nothing is about losing, not about giving */
  sn_arbiter_claim claim;
  assert_true(sn__arbiter_waiting(r.arbiter, 0, &claim));
  assert_int_equal(rig_mask(claim.resources), A | C);
  rig_disown(&r, 0, A | C);
  assert_false(sn__arbiter_waiting(r.arbiter, 0, NULL));
  assert_int_equal(rig_owned(&r, 0), 0);
  rig_disown(&r, 0, ~UINT64_C(0)); /* nothing to give: nothing happens */
  rig_close(&r);
}

SN_TEST(the_log_holds_who_what_why_and_when) {
  rig r;
  rig_init(&r, 3, 4);
  r.policies[0].keep_subset = true;
  r.config.log_capacity = 3; /* becomes 4 */
  rig_open(&r);
  r.now_ns = 7;
  rig_take(&r, 0, A);
  r.now_ns = 8;
  rig_take(&r, 1, A | B);
  const uint64_t id = r.id;
  r.now_ns = 9;
  rig_fail(&r, 1, SN_ARBITER_DIED);
  static const sn_arbiter_change expected[] = {
      {0, 7, 1, 0, NONE, 0, 0, SN_ARBITER_UNCHANGED, SN_ARBITER_REQUEST},
      {1, 8, 2, 0, 0, 1, 1, SN_ARBITER_REQUEST, SN_ARBITER_REQUEST},
      {2, 8, 2, 1, NONE, 1, 1, SN_ARBITER_UNCHANGED, SN_ARBITER_REQUEST},
      {3, 9, 0, 0, 1, 0, 1, SN_ARBITER_DIED, SN_ARBITER_RETURN},
      {4, 9, 0, 1, 1, NONE, 1, SN_ARBITER_DIED, SN_ARBITER_UNCHANGED},
  };
  assert_true(id == 2);
  uint64_t cursor = 0;
  sn_arbiter_change change;
  for (size_t i = 1; i < 5; i++) { /* the first was overwritten */
    assert_true(sn__arbiter_read_change(r.arbiter, &cursor, &change));
    assert_true(change.number == expected[i].number && change.now_ns == expected[i].now_ns);
    assert_true(change.request_id == expected[i].request_id);
    assert_int_equal(change.resource, expected[i].resource);
    assert_int_equal(change.from, expected[i].from);
    assert_int_equal(change.to, expected[i].to);
    assert_int_equal(change.cause, expected[i].cause);
    assert_int_equal(change.lost_why, expected[i].lost_why);
    assert_int_equal(change.gained_why, expected[i].gained_why);
  }
  assert_false(sn__arbiter_read_change(r.arbiter, &cursor, &change));
  rig_close(&r);
}

SN_TEST(bad_configurations_are_refused) {
  rig r;
  rig_init(&r, 2, 2);
  sn_arbiter *arbiter = NULL;
  sn_error err;
  sn_arbiter_config config = r.config;
  config.controllers = NULL;
  assert_int_equal(sn__arbiter_create(&r.arena, &config, &arbiter, &err), SN_EINVAL);
  sn_assert_contains(err.message, "0 controllers, must be 1 .. 256");
  config = r.config;
  config.resources = NULL;
  assert_int_equal(sn__arbiter_create(&r.arena, &config, &arbiter, &err), SN_EINVAL);
  config = r.config;
  config.log_capacity = SIZE_MAX;
  assert_int_equal(sn__arbiter_create(&r.arena, &config, &arbiter, &err), SN_EINVAL);
  r.policies[1].acknowledge_ns = -1;
  assert_int_equal(sn__arbiter_create(&r.arena, &r.config, &arbiter, &err), SN_EINVAL);
  sn_assert_contains(err.message, "controller 'c1': -1 ns");
  r.policies[1].acknowledge_ns = 0;
  r.fallbacks[1] = 2;
  assert_int_equal(sn__arbiter_create(&r.arena, &r.config, &arbiter, &err), SN_EINVAL);
  sn_assert_contains(err.message, "resource 'r1': fallback 2");
  r.fallbacks[1] = 0;
  assert_int_equal(sn__arbiter_create(&r.arena, &r.config, &arbiter, &err), SN_EINVAL);
  sn_assert_contains(err.message, "fallback 'c0' keeps all or nothing");
  r.policies[0].keep_subset = true;
  r.policies[0].acknowledge_ns = -1; /* the first of a table counts, too */
  assert_int_equal(sn__arbiter_create(&r.arena, &r.config, &arbiter, &err), SN_EINVAL);
  sn_assert_contains(err.message, "controller 'c0': -1 ns");
  r.policies[0].acknowledge_ns = 0;
  r.fallbacks[0] = -2;
  assert_int_equal(sn__arbiter_create(&r.arena, &r.config, &arbiter, &err), SN_EINVAL);
  sn_assert_contains(err.message, "resource 'r0': fallback -2");
  rig_close(&r);
}

/* Without tables of policies and fallbacks all have the defaults: all or nothing, no fallback. */
SN_TEST(policies_and_fallbacks_may_be_left_out) {
  rig r;
  rig_init(&r, 2, 2);
  r.config.policies = NULL;
  r.fallbacks[0] = 0;
  sn_arbiter *arbiter = NULL;
  assert_int_equal(sn__arbiter_create(&r.arena, &r.config, &arbiter, NULL), SN_EINVAL);
  r.config.fallbacks = NULL;
  rig_open(&r);
  assert_int_equal(rig_take(&r, 0, A | B), SN_ARBITER_GRANTED);
  assert_int_equal(rig_take(&r, 1, A), SN_ARBITER_GRANTED);
  assert_int_equal(rig_owned(&r, 0), 0);
  rig_fail(&r, 1, SN_ARBITER_DIED);
  assert_int_equal(sn__arbiter_owner(r.arbiter, 0), NONE);
  rig_close(&r);
}

SN_TEST(no_more_controllers_and_resources_than_there_is_room_for) {
  rig r;
  sn_error err = {.message = ""};
  sn_arbiter *arbiter = NULL;
  rig_init(&r, RIG_MAX, RIG_MAX);
  char texts[RIG_MAX + 1][8];
  const char *pointers[RIG_MAX + 1];
  for (size_t i = 0; i <= RIG_MAX; i++) {
    (void)snprintf(texts[i], sizeof texts[i], "n%zu", i);
    pointers[i] = texts[i];
  }
  const sn_names *many = NULL;
  assert_int_equal(sn_names_create(&r.arena, pointers, RIG_MAX + 1, &many, NULL), SN_OK);
  sn_arbiter_config config = r.config;
  config.controllers = many;
  assert_int_equal(sn__arbiter_create(&r.arena, &config, &arbiter, &err), SN_EINVAL);
  sn_assert_contains(err.message, "257 controllers, must be 1 .. 256");
  config = r.config;
  config.resources = many;
  assert_int_equal(sn__arbiter_create(&r.arena, &config, &arbiter, &err), SN_EINVAL);
  sn_assert_contains(err.message, "257 resources, must be 1 .. 256");
  rig_open(&r);
  rig_close(&r);
}

SN_TEST(an_arbiter_needs_all_of_its_memory) {
  rig r;
  rig_init(&r, 2, 2);
  static _Alignas(16) unsigned char memory[1 << 16];
  sn_arbiter *arbiter = NULL;
  for (size_t size = 0; arbiter == NULL; size += 8) {
    sn_arena small;
    assert_true(size <= sizeof memory);
    sn_arena_init(&small, "small", memory, size);
    const sn_status status = sn__arbiter_create(&small, &r.config, &arbiter, NULL);
    assert_int_equal(status, arbiter == NULL ? SN_ENOMEM : SN_OK);
    assert_true(arbiter != NULL || sn_arena_used(&small) == 0);
  }
  rig_close(&r);
}

/* As many changes as are promised are remembered, rounded up to a power of two. */
SN_TEST(the_log_remembers_as_much_as_it_should) {
  static const struct {
    size_t capacity, remembered;
  } cases[] = {{0, 256}, {1, 1}, {5, 8}, {8, 8}, {9, 16}, {(size_t)1 << 20, (size_t)1 << 20}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    rig r;
    rig_init(&r, 1, 1);
    r.config.log_capacity = cases[i].capacity;
    rig_open(&r);
    const size_t changes = cases[i].remembered > 256 ? 300 : 2 * cases[i].remembered + 1;
    for (size_t k = 0; k < changes; k++) {
      if (k % 2 == 0) {
        assert_int_equal(rig_take(&r, 0, A), SN_ARBITER_GRANTED);
      } else {
        sn__arbiter_release_all(r.arbiter, 0, 0);
      }
    }
    uint64_t cursor = 0;
    size_t read = 0;
    sn_arbiter_change change;
    while (sn__arbiter_read_change(r.arbiter, &cursor, &change)) {
      read++;
    }
    assert_int_equal(read, changes < cases[i].remembered ? changes : cases[i].remembered);
    rig_close(&r);
  }
}

/* Earlier owners beyond the room of the list are counted only. */
SN_TEST(earlier_owners_are_listed_as_far_as_there_is_room) {
  rig r;
  rig_init(&r, 4, 1);
  for (int c = 0; c < 4; c++) {
    r.policies[c].keep_subset = true;
  }
  rig_open(&r);
  for (int c = 0; c < 4; c++) {
    assert_int_equal(rig_take(&r, c, A), SN_ARBITER_GRANTED);
  }
  int list[4] = {-7, -7, -7, -7};
  assert_int_equal(sn__arbiter_former_owners(r.arbiter, 0, list, 2), 3);
  assert_int_equal(list[0], 2);
  assert_int_equal(list[1], 1);
  assert_int_equal(list[2], -7);
  rig_close(&r);
}

/* At the end of time a deadline is never, not in the past. */
SN_TEST(deadlines_do_not_overflow) {
  rig r;
  rig_init(&r, 2, 1);
  r.policies[0].keep_subset = true;
  r.policies[0].acknowledge_ns = 100;
  rig_open(&r);
  r.now_ns = INT64_MAX - 50;
  assert_int_equal(rig_take(&r, 0, A), SN_ARBITER_GRANTED);
  const sn_arbiter_claim claim = {.resources = rig_set(A), .priority = 1, .wait_ns = 100};
  sn_arbiter_action answer;
  assert_int_equal(sn__arbiter_request(r.arbiter, 1, &claim, r.now_ns, &answer),
                   SN_ARBITER_WAITING);
  assert_true(sn__arbiter_deadline_ns(r.arbiter) == SN_ARBITER_FOREVER);
  sn__arbiter_tick(r.arbiter, INT64_MAX - 1);
  assert_int_equal(sn__arbiter_owner(r.arbiter, 0), 0);
  assert_true(sn__arbiter_waiting(r.arbiter, 1, NULL));
  rig_close(&r);
}

SN_TEST(texts_beyond_the_last_are_unknown) {
  for (int i = 0; i <= SN_ARBITER_INVALID; i++) {
    assert_string_not_equal(sn__arbiter_answer_text((sn_arbiter_answer)i), "unknown answer");
  }
  for (int i = 0; i <= SN_ARBITER_FALLBACK; i++) {
    assert_string_not_equal(sn__arbiter_why_text((sn_arbiter_why)i), "unknown cause");
  }
  assert_string_equal(sn__arbiter_answer_text((sn_arbiter_answer)(SN_ARBITER_INVALID + 1)),
                      "unknown answer");
  assert_string_equal(sn__arbiter_why_text((sn_arbiter_why)(SN_ARBITER_FALLBACK + 1)),
                      "unknown cause");
  assert_string_equal(sn__arbiter_why_text((sn_arbiter_why)40), "unknown cause");
}

SN_TEST(a_controller_that_does_not_exist_is_a_fault) {
  rig r;
  open_rig(&r, 0);
  sn_assert_fault(sn__arbiter_release_all(r.arbiter, 3, 0), "controller");
  sn_assert_fault(sn__arbiter_owner(r.arbiter, 4), "resource");
  sn_assert_fault(sn__arbiter_fail(r.arbiter, 0, SN_ARBITER_RELEASE, 0), "why");
  rig_close(&r);
}

SN_TEST(every_answer_and_cause_has_a_text) {
  assert_string_equal(sn__arbiter_answer_text(SN_ARBITER_GRANTED), "granted");
  assert_string_equal(sn__arbiter_answer_text(SN_ARBITER_INVALID), "invalid");
  assert_string_equal(sn__arbiter_answer_text((sn_arbiter_answer)99), "unknown answer");
  assert_string_equal(sn__arbiter_why_text(SN_ARBITER_HUNG), "hung");
  assert_string_equal(sn__arbiter_why_text(SN_ARBITER_FALLBACK), "fallback");
  assert_string_equal(sn__arbiter_why_text((sn_arbiter_why)-1), "unknown cause");
}
