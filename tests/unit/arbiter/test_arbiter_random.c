/* Random events into the arbiter and into a second one that was written from the text: the same
   state and the same answers after each. */
#include "arbiter_oracle.h"
#include "rig.h"
#include "sinew/random.h"

enum { CONTROLLERS = 8, RESOURCES = 16, WAIT_NS = 100 };

typedef struct twins {
  rig rig;
  sn_arbiter_oracle oracle;
  uint32_t view[CONTROLLERS]; /* what each controller owns, by its actions */
  int owners[RESOURCES];      /* by the log of changes */
  uint64_t cursor;
  sn_random random;
} twins;

static int below(twins *t, int count) {
  return (int)sn_random_below(&t->random, (uint64_t)count);
}

static void twins_open(twins *t, uint64_t seed) {
  memset(t, 0, sizeof *t);
  sn_random_init(&t->random, seed);
  const bool full = seed % 2 == 0;
  const int controllers = full ? CONTROLLERS : 2 + below(t, CONTROLLERS - 1);
  const int resources = full ? RESOURCES : 1 + below(t, RESOURCES);
  rig_init(&t->rig, (size_t)controllers, (size_t)resources);
  const bool some_need_time = below(t, 2) == 0;
  for (int c = 0; c < controllers; c++) {
    t->rig.policies[c].keep_subset = below(t, 2) == 0;
    t->rig.policies[c].acknowledge_ns = some_need_time && below(t, 2) == 0 ? 1 + below(t, 50) : 0;
  }
  for (int r = 0; r < resources; r++) {
    const int c = below(t, controllers);
    t->rig.fallbacks[r] = t->rig.policies[c].keep_subset && below(t, 2) == 0 ? c : NONE;
    t->owners[r] = NONE;
  }
  rig_open(&t->rig);
  t->rig.now_ns = 1000; /* the oracle takes the time 0 for none */
  sn_arbiter_oracle_init(&t->oracle, &t->rig.config);
}

static uint32_t random_mask(twins *t) {
  const uint32_t all = (1u << t->oracle.resources) - 1;
  uint32_t mask = (uint32_t)sn_random_bits(&t->random) & all;
  for (int i = below(t, 4); i > 0; i--) { /* mostly small sets */
    mask &= (uint32_t)sn_random_bits(&t->random);
  }
  return mask;
}

static void random_request(twins *t, int c) {
  const uint32_t mask = random_mask(t);
  const int32_t priority = below(t, 3);
  const int64_t wait_ns = below(t, 3) == 0   ? 0
                          : below(t, 2) == 0 ? 1 + below(t, WAIT_NS)
                                             : SN_ARBITER_FOREVER;
  sn_arbiter_action answer;
  const uint32_t before = sn_arbiter_oracle_owned(&t->oracle, c);
  const uint64_t changes = sn__arbiter_count(t->rig.arbiter).changes;
  const sn_arbiter_answer expected = sn_arbiter_oracle_request(
      &t->oracle, c, mask, priority, wait_ns, t->rig.id + 1, t->rig.now_ns);
  assert_int_equal(rig_ask(&t->rig, c, mask, priority, wait_ns, &answer), expected);
  assert_int_equal(answer.answer, expected);
  assert_true(answer.request_id == t->rig.id);
  if (expected == SN_ARBITER_GRANTED) {
    assert_int_equal(rig_mask(answer.owned) & mask, mask); /* or more, if it is a fallback */
    assert_int_equal(rig_mask(answer.gained), rig_mask(answer.owned) & ~t->view[c]);
  }
  if (expected == SN_ARBITER_REFUSED || expected == SN_ARBITER_INVALID) {
    assert_int_equal(rig_owned(&t->rig, c), before);
    assert_true(sn__arbiter_count(t->rig.arbiter).changes == changes);
    assert_int_equal(sn_resource_set_is_empty(&answer.blocked), expected == SN_ARBITER_INVALID);
  }
  t->view[c] = (uint32_t)rig_mask(answer.owned);
}

static void random_failure(twins *t, int c) {
  static const sn_arbiter_why whys[] = {SN_ARBITER_DIED, SN_ARBITER_HUNG, SN_ARBITER_MALFORMED};
  const sn_arbiter_why why = whys[below(t, 3)];
  rig_fail(&t->rig, c, why);
  sn_arbiter_oracle_fail(&t->oracle, c, why == SN_ARBITER_DIED, t->rig.now_ns);
  t->view[c] = why == SN_ARBITER_DIED ? 0 : t->view[c];
}

static void random_acknowledgement(twins *t, int c) {
  const uint32_t asked = below(t, 4) == 0 ? random_mask(t) : ~0u >> (32 - t->oracle.resources);
  uint32_t given = 0; /* what it releases */
  for (int r = 0; r < t->oracle.resources; r++) {
    given |= t->oracle.owner[r] == c && t->oracle.let_go_by[r] != 0 ? asked & 1u << r : 0;
  }
  sn_arbiter_oracle_acknowledge(&t->oracle, c, asked, t->rig.now_ns);
  rig_acknowledge(&t->rig, c, asked);
  t->view[c] = given != 0 && !t->oracle.keep_subset[c] ? 0 : t->view[c] & ~given;
}

static void random_policy(twins *t, int c) {
  const sn_arbiter_controller policy = {.keep_subset = below(t, 2) == 0,
                                        .acknowledge_ns = below(t, 3) == 0 ? below(t, 50) - 2 : 0};
  const sn_status expected = sn_arbiter_oracle_set_policy(&t->oracle, c, &policy);
  assert_int_equal(sn__arbiter_set_policy(t->rig.arbiter, c, &policy), expected);
}

static void random_event(twins *t) {
  const int c = below(t, t->oracle.controllers);
  const int kind = below(t, 100);
  if (kind < 50) {
    random_request(t, c);
  } else if (kind < 60) {
    const uint32_t mask = random_mask(t);
    sn_arbiter_oracle_disown(&t->oracle, c, mask, t->rig.now_ns);
    rig_disown(&t->rig, c, mask);
    t->view[c] &= ~mask | sn_arbiter_oracle_owned(&t->oracle, c);
  } else if (kind < 63) {
    const uint32_t mask = random_mask(t);
    const int32_t priority = below(t, 3);
    const sn_resource_set set = rig_set(mask);
    sn_arbiter_oracle_want(&t->oracle, c, mask, priority, t->rig.now_ns);
    sn__arbiter_want(t->rig.arbiter, c, &set, priority, t->rig.now_ns);
    rig_check(&t->rig);
  } else if (kind < 65) {
    sn_arbiter_oracle_release_all(&t->oracle, c, t->rig.now_ns);
    sn__arbiter_release_all(t->rig.arbiter, c, t->rig.now_ns);
    t->view[c] = 0;
  } else if (kind < 80) {
    random_acknowledgement(t, c);
  } else if (kind < 85) {
    random_failure(t, c);
  } else if (kind < 87) {
    random_policy(t, c);
  } else if (kind < 90) {
    sn_arbiter_oracle_connect(&t->oracle, c, t->rig.now_ns);
    sn__arbiter_connect(t->rig.arbiter, c, t->rig.now_ns);
  } else {
    t->rig.now_ns += below(t, 60);
    sn_arbiter_oracle_tick(&t->oracle, t->rig.now_ns);
    rig_tick(&t->rig, t->rig.now_ns);
  }
}

/* The actions must add up to the present state. */
static void take_actions(twins *t) {
  sn_arbiter_action action;
  while (sn__arbiter_next_action(t->rig.arbiter, &action)) {
    const int c = action.controller;
    assert_int_equal(rig_mask(action.lost) & ~t->view[c], 0);
    assert_int_equal(rig_mask(action.gained) & t->view[c], 0);
    t->view[c] =
        (t->view[c] | (uint32_t)rig_mask(action.gained)) & ~(uint32_t)rig_mask(action.lost);
    assert_int_equal(rig_mask(action.owned), sn_arbiter_oracle_owned(&t->oracle, c));
    assert_int_equal(rig_mask(action.wanted), sn_arbiter_oracle_wanted(&t->oracle, c));
    sn_arbiter_answer expected = t->oracle.answer[c];
    if (expected == SN_ARBITER_GRANTED &&
        (t->oracle.answer_mask[c] & ~sn_arbiter_oracle_owned(&t->oracle, c)) != 0) {
      expected = SN_ARBITER_LOST;
    }
    assert_int_equal(action.answer, expected);
    assert_true(expected == SN_ARBITER_NO_ANSWER || action.request_id == t->oracle.answer_id[c]);
    t->oracle.answer[c] = SN_ARBITER_NO_ANSWER;
  }
  for (int c = 0; c < t->oracle.controllers; c++) {
    assert_int_equal(t->view[c], sn_arbiter_oracle_owned(&t->oracle, c));
    assert_int_equal(t->oracle.answer[c], SN_ARBITER_NO_ANSWER);
  }
}

/* The log alone must lead to the owner table. */
static void follow_log(twins *t) {
  sn_arbiter_change change;
  while (sn__arbiter_read_change(t->rig.arbiter, &t->cursor, &change)) {
    assert_int_equal(t->owners[change.resource], change.from);
    assert_int_not_equal(change.from, change.to);
    assert_int_equal(change.from == NONE, change.lost_why == SN_ARBITER_UNCHANGED);
    assert_int_equal(change.to == NONE, change.gained_why == SN_ARBITER_UNCHANGED);
    t->owners[change.resource] = change.to;
  }
  for (int r = 0; r < t->oracle.resources; r++) {
    assert_int_equal(t->owners[r], t->oracle.owner[r]);
  }
}

static void compare_counts(twins *t) {
  sn_arbiter_counts counts = sn__arbiter_count(t->rig.arbiter);
  counts.changes = counts.returned = 0;
  assert_memory_equal(&counts, &t->oracle.counts, sizeof counts);
}

/* Those that do not wait release everything, and time passes: in each round a waiting controller
   gets what it waits for, and lets it go in the next one. */
static void end_all_waits(twins *t) {
  bool somebody_waits = true;
  for (int round = 0; round <= t->oracle.controllers && somebody_waits; round++) {
    t->rig.now_ns += 1000;
    sn_arbiter_oracle_tick(&t->oracle, t->rig.now_ns);
    rig_tick(&t->rig, t->rig.now_ns);
    somebody_waits = false;
    for (int c = 0; c < t->oracle.controllers; c++) {
      if (sn__arbiter_waiting(t->rig.arbiter, c, NULL)) {
        somebody_waits = true;
        continue;
      }
      sn_arbiter_oracle_release_all(&t->oracle, c, t->rig.now_ns);
      sn__arbiter_release_all(t->rig.arbiter, c, t->rig.now_ns);
      t->view[c] = sn_arbiter_oracle_owned(&t->oracle, c);
    }
    take_actions(t);
  }
  assert_false(somebody_waits);
}

static void run(uint64_t seed, int events) {
  twins t;
  twins_open(&t, seed);
  const bool tells_late = seed % 3 == 0; /* many events between two deliveries */
  for (int i = 0; i < events; i++) {
    random_event(&t);
    const char *differs = sn_arbiter_oracle_differs(&t.oracle, t.rig.arbiter);
    if (differs != NULL) {
      fail_msg("seed %llu, event %d: %s", (unsigned long long)seed, i, differs);
    }
    compare_counts(&t);
    if (!tells_late || below(&t, 10) == 0) {
      take_actions(&t);
    }
    if (i % 16 == 15) { /* sixteen changes of sixteen resources fit into the log */
      follow_log(&t);
    }
  }
  take_actions(&t);
  end_all_waits(&t);
  rig_close(&t.rig);
}

SN_TEST(the_arbiter_agrees_with_a_second_one_after_every_event_and_every_wait_ends) {
  const size_t count = sn_test_cases(10000);
  for (size_t seed = 0; seed < count; seed++) {
    run(seed, 10 + (int)(seed % 81)); /* 50 on average */
  }
}

SN_TEST(it_agrees_after_very_many_events_too) {
  for (uint64_t seed = 1; seed <= 3; seed++) {
    run(1000000007 * seed, 150000);
  }
}
