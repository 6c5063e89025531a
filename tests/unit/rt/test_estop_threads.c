#include <pthread.h>

#include "rt/estop/estop.h"
#include "sn_test.h"

enum { CALLERS = 4 };
#define MS INT64_C(1000000)

SN_TEST(a_stop_is_latched_until_it_is_released) {
  sn__estop e = {0};
  assert_false(sn__estop_is_latched(&e));
  assert_int_equal(sn__estop_request(&e, "operator", "a\x1b[31mred reason"), 1);
  assert_int_equal(sn__estop_request(&e, "other", "later"), 2);
  assert_int_equal(sn__estop_latched(&e), 2);
  sn__stop_text text;
  assert_true(sn__estop_text(&e, 1, &text));
  assert_string_equal(text.who, "operator");
  assert_string_equal(text.why, "a\\x1b[31mred reason");
  assert_true(sn__estop_text(&e, 1, &text)); /* as often as wanted */
  assert_true(sn__estop_text(&e, 2, &text));
  assert_string_equal(text.who, "other");
  assert_false(sn__estop_text(&e, 3, &text));
  assert_false(sn__estop_text(&e, 0, &text));
  sn__estop_release(&e, 2);
  assert_false(sn__estop_is_latched(&e));
  assert_int_equal(sn__estop_number(&e), 2);
}

SN_TEST(a_release_ends_no_newer_stop) {
  sn__estop e = {0};
  (void)sn__estop_request(&e, "a", "");
  (void)sn__estop_request(&e, "b", "");
  sn__estop_release(&e, 1);
  assert_int_equal(sn__estop_look(&e).number, 2);
  assert_int_equal(sn__estop_look(&e).first, 2);
  sn__estop_release(&e, 100); /* nor one that has not come yet */
  assert_false(sn__estop_is_latched(&e));
  (void)sn__estop_request(&e, "c", "");
  assert_true(sn__estop_is_latched(&e));
  sn__estop_release(&e, 1); /* and an old one ends nothing */
  assert_true(sn__estop_is_latched(&e));
}

SN_TEST(the_text_of_the_first_stop_stays_until_its_release) {
  sn__estop e = {0};
  sn__stop_text text;
  (void)sn__estop_request(&e, "first", "y");
  for (int i = 0; i < 100; i++) {
    (void)sn__estop_request(&e, "w", "y");
  }
  assert_int_equal(sn__estop_number(&e), 101);
  assert_true(sn__estop_text(&e, 1, &text));
  assert_string_equal(text.who, "first");
  sn__estop_release(&e, 101);
  const uint64_t number = sn__estop_request(&e, "new", "one");
  assert_true(sn__estop_text(&e, number, &text));
  assert_string_equal(text.who, "new");
}

SN_TEST(parties_that_did_not_confirm_are_listed) {
  sn__estop e = {0};
  sn__estop_party_info list[SN__ESTOP_PARTIES];
  assert_int_equal(sn__estop_parties(&e, 1, list), 0);
  const int arm = sn__estop_register(&e, SN__ESTOP_ACTUATOR, "arm");
  const int gate = sn__estop_register(&e, SN__ESTOP_GATE, "gate");
  const int leg = sn__estop_register(&e, SN__ESTOP_ACTUATOR, "leg");
  const uint64_t number = sn__estop_request(&e, "", "");
  sn__estop_confirm(&e, leg, number, SN__ORDER_FOLLOW);
  assert_false(sn__estop_look(&e).is_frozen);
  assert_int_equal(sn__estop_parties(&e, number, list), 3);
  assert_string_equal(list[0].name, "arm");
  assert_int_equal(list[0].role, SN__ESTOP_ACTUATOR);
  assert_false(list[0].has_obeyed);
  assert_string_equal(list[1].name, "gate");
  assert_int_equal(list[1].role, SN__ESTOP_GATE);
  assert_false(list[1].has_obeyed);
  assert_true(list[2].has_obeyed);
  sn__estop_confirm(&e, leg, number, SN__ORDER_FREEZE);
  assert_true(sn__estop_look(&e).is_frozen);
  sn__estop_gate_ack(&e, gate, number, false);
  sn__estop_unregister(&e, arm);
  assert_int_equal(sn__estop_parties(&e, number, list), 2);
  assert_true(list[0].has_obeyed && list[1].has_obeyed);
  const int hand =
      sn__estop_register(&e, SN__ESTOP_ACTUATOR, "hand"); /* knows nothing of the past */
  assert_int_equal(hand, arm);
  assert_int_equal(sn__estop_parties(&e, number, list), 3);
  assert_false(list[0].has_obeyed);
}

SN_TEST(a_full_table_refuses_and_a_missing_place_does_no_harm) {
  sn__estop e = {0};
  for (int i = 0; i < SN__ESTOP_PARTIES; i++) {
    assert_int_equal(sn__estop_register(&e, SN__ESTOP_ACTUATOR, "x"), i);
  }
  assert_int_equal(sn__estop_register(&e, SN__ESTOP_ACTUATOR, "x"), -1);
  sn__estop_confirm(&e, -1, 1, SN__ORDER_FREEZE);
  sn__estop_gate_ack(&e, -1, 1, true);
  sn__estop_unregister(&e, -1);
}

SN_TEST(gates_are_silent_then_brake_then_rest) {
  sn__estop e = {0};
  assert_int_equal(sn__estop_request(&e, "", ""), 1);
  assert_int_equal(sn__estop_look(&e).gates, SN__GATES_NONE);
  const int a = sn__estop_register(&e, SN__ESTOP_GATE, "a");
  const int b = sn__estop_register(&e, SN__ESTOP_GATE, "b");
  assert_int_equal(sn__estop_look(&e).gates, SN__GATES_SILENT);
  sn__estop_gate_ack(&e, a, 1, false);
  assert_int_equal(sn__estop_look(&e).gates, SN__GATES_BRAKING);
  sn__estop_gate_ack(&e, a, 1, true);
  assert_int_equal(sn__estop_look(&e).gates, SN__GATES_AT_REST); /* b may not be running at all */
  sn__estop_gate_ack(&e, b, 1, false);
  assert_int_equal(sn__estop_look(&e).gates, SN__GATES_BRAKING);
  assert_false(sn__estop_look(&e).is_limp);
  sn__estop_gate_set_limp(&e, b, true);
  assert_true(sn__estop_look(&e).is_limp);
  (void)sn__estop_request(&e, "", ""); /* a second stop does not undo what was acknowledged */
  assert_int_equal(sn__estop_look(&e).gates, SN__GATES_BRAKING);
  sn__estop_release(&e, 1);
  assert_int_equal(sn__estop_look(&e).gates, SN__GATES_SILENT);
}

SN_TEST(the_latch_opens_when_every_gate_that_stopped_resumed) {
  sn__estop e = {0};
  const int a = sn__estop_register(&e, SN__ESTOP_GATE, "a");
  const int b = sn__estop_register(&e, SN__ESTOP_GATE, "b");
  (void)sn__estop_register(&e, SN__ESTOP_GATE, "does not run");
  const uint64_t number = sn__estop_request(&e, "", "");
  sn__estop_gate_ack(&e, a, number, true);
  sn__estop_gate_ack(&e, b, number, true);
  sn__estop_gate_resume(&e, a, number);
  assert_true(sn__estop_is_latched(&e));
  const uint64_t newer = sn__estop_request(&e, "", "");
  sn__estop_gate_resume(&e, b, number);
  assert_int_equal(sn__estop_latched(&e), newer);
  assert_int_equal(sn__estop_look(&e).gates, SN__GATES_SILENT);
  sn__estop_gate_ack(&e, a, newer, true);
  sn__estop_gate_resume(&e, a, newer);
  assert_false(sn__estop_is_latched(&e)); /* b never stopped for this one */
}

SN_TEST(a_ring_without_one_that_has_left_still_stops_together) {
  sn__estop e[4] = {{0}};
  sn__estop *const three[] = {&e[0], &e[1], &e[2]}, *const others[] = {&e[1], &e[3]};
  assert_true(sn__estop_join(three, 3));
  assert_false(sn__estop_join(others, 2)); /* one of them is in a ring, whichever place it has */
  assert_false(sn__estop_join(three, 3));
  sn__estop_leave(&e[1]);
  assert_int_equal(sn__estop_request(&e[0], "a", "b"), 1);
  assert_true(sn__estop_is_latched(&e[0]) && sn__estop_is_latched(&e[2]));
  assert_false(sn__estop_is_latched(&e[1]) || sn__estop_is_latched(&e[3]));
  assert_int_equal(sn__estop_request(&e[1], "a", "b"), 1);
  assert_int_equal(sn__estop_number(&e[0]), 1);
  assert_true(sn__estop_join(others, 2)); /* now both are free */
  assert_int_equal(sn__estop_request(&e[3], "a", "b"), 1);
  assert_int_equal(sn__estop_number(&e[1]), 2);
  for (int i = 0; i < 4; i++) {
    sn__estop_leave(&e[i]);
    sn__estop_leave(&e[i]); /* it is in none */
  }
}

/* A cycle writes a change to the journal: each of them, and no other. */
SN_TEST(a_snapshot_changes_with_everything_that_is_seen_of_a_stop) {
  sn__estop e = {0};
  sn__estop_snapshot s = {.has_text = false};
  const int gate = sn__estop_register(&e, SN__ESTOP_GATE, "gate");
  const int arm = sn__estop_register(&e, SN__ESTOP_ACTUATOR, "arm");
  for (int round = 0; round < 2; round++) {
    assert_false(sn__estop_snapshot_update(&s, &e));
    const uint64_t number = sn__estop_request(&e, "first", "why");
    assert_true(sn__estop_snapshot_update(&s, &e));
    assert_int_equal(s.view.first, number);
    assert_true(s.has_text);
    assert_string_equal(s.text.who, "first");
    for (int step = 0; step < 6; step++) {
      assert_false(sn__estop_snapshot_update(&s, &e)); /* nothing new */
      switch (step) {
        case 0:
          sn__estop_gate_ack(&e, gate, number, false);
          break;
        case 1:
          sn__estop_gate_set_limp(&e, gate, true);
          break;
        case 2:
          (void)sn__estop_request_limp(&e, "second", "");
          break;
        case 3:
          sn__estop_confirm(&e, arm, number, SN__ORDER_FREEZE);
          break;
        case 4:
          (void)sn__estop_request(&e, "third", "");
          break;
        default:
          sn__estop_gate_set_limp(&e, gate, false);
          sn__estop_gate_ack(&e, gate, number, true);
          break;
      }
      assert_true(sn__estop_snapshot_update(&s, &e));
      assert_string_equal(s.text.who, "first"); /* of the oldest in force */
    }
    sn__estop_release(&e, sn__estop_number(&e));
    assert_true(sn__estop_snapshot_update(&s, &e));
    assert_int_equal(s.view.number, 0);
    assert_false(s.has_text);
    assert_string_equal(s.text.who, "");
  }
}

/* The same stop, and only the reason of its torque is another one. */
SN_TEST(a_snapshot_knows_who_wants_the_torque_off) {
  sn__estop e = {0};
  sn__estop_snapshot s = {.has_text = false};
  const int gate = sn__estop_register(&e, SN__ESTOP_GATE, "gate");
  sn__estop_gate_set_limp(&e, gate, true);
  const uint64_t number = sn__estop_request_limp(&e, "limp", "");
  assert_true(sn__estop_snapshot_update(&s, &e));
  assert_true(s.view.is_limp && s.view.wants_limp);
  atomic_store(&e.limp, 0); /* as before the stop asked for it */
  assert_true(sn__estop_snapshot_update(&s, &e));
  assert_int_equal(s.view.number, number);
  assert_true(s.view.is_limp && !s.view.wants_limp);
  sn__estop_gate_set_limp(&e, gate, false);
  assert_true(sn__estop_snapshot_update(&s, &e));
  assert_false(s.view.is_limp);
}

static sn__estop_order ask(sn__estop_guard *guard, sn__estop_gates gates, int64_t now_ns,
                           int64_t goal_ns) {
  const sn__estop_view view = {.number = 3, .first = 3, .gates = gates};
  return sn__estop_guard_step(guard, &view, now_ns, goal_ns);
}

SN_TEST(an_actuator_follows_a_gate_that_brakes) {
  sn__estop_guard g = {0};
  const sn__estop_view open = {.number = 0};
  assert_int_equal(sn__estop_guard_step(&g, &open, 0, INT64_MIN), SN__ORDER_NONE);
  assert_int_equal(ask(&g, SN__GATES_SILENT, 100 * MS, 99 * MS), SN__ORDER_WAIT);
  for (int64_t t = 101; t < 400; t++) {
    assert_int_equal(ask(&g, SN__GATES_BRAKING, t * MS, t * MS), SN__ORDER_FOLLOW);
  }
  assert_int_equal(ask(&g, SN__GATES_AT_REST, 400 * MS, 400 * MS), SN__ORDER_FOLLOW);
  assert_int_equal(ask(&g, SN__GATES_BRAKING, 410 * MS, 410 * MS), SN__ORDER_FOLLOW);
  assert_int_equal(ask(&g, SN__GATES_AT_REST, 460 * MS, 410 * MS), SN__ORDER_FOLLOW);
  assert_int_equal(ask(&g, SN__GATES_AT_REST, 460 * MS + 1, 410 * MS), SN__ORDER_HOLD);
  assert_int_equal(ask(&g, SN__GATES_BRAKING, 470 * MS, 470 * MS), SN__ORDER_HOLD);
  assert_int_equal(sn__estop_guard_step(&g, &open, 471 * MS, INT64_MIN), SN__ORDER_NONE);
}

SN_TEST(an_actuator_freezes_when_no_gate_brakes_or_goals_stop) {
  sn__estop_guard g = {0};
  assert_int_equal(ask(&g, SN__GATES_SILENT, 100 * MS, 100 * MS), SN__ORDER_WAIT);
  assert_int_equal(ask(&g, SN__GATES_SILENT, 150 * MS, 150 * MS), SN__ORDER_WAIT);
  assert_int_equal(ask(&g, SN__GATES_SILENT, 150 * MS + 1, 150 * MS), SN__ORDER_FREEZE);

  g = (sn__estop_guard){0};
  assert_int_equal(ask(&g, SN__GATES_BRAKING, 100 * MS, 98 * MS), SN__ORDER_WAIT);
  assert_int_equal(ask(&g, SN__GATES_BRAKING, 120 * MS, 110 * MS), SN__ORDER_FOLLOW);
  assert_int_equal(ask(&g, SN__GATES_BRAKING, 160 * MS, 110 * MS), SN__ORDER_FOLLOW);
  assert_int_equal(ask(&g, SN__GATES_BRAKING, 160 * MS + 1, 110 * MS), SN__ORDER_FREEZE);
  assert_int_equal(ask(&g, SN__GATES_AT_REST, 500 * MS, 500 * MS), SN__ORDER_FREEZE);

  /* The gate brakes, but its goals do not arrive: not confirmed. */
  g = (sn__estop_guard){0};
  for (int64_t t = 100; t <= 150; t++) {
    assert_int_equal(ask(&g, SN__GATES_BRAKING, t * MS, 20 * MS), SN__ORDER_WAIT);
  }
  assert_int_equal(ask(&g, SN__GATES_BRAKING, 151 * MS, 20 * MS), SN__ORDER_FREEZE);

  g = (sn__estop_guard){0};
  assert_int_equal(ask(&g, SN__GATES_NONE, 100 * MS, 100 * MS), SN__ORDER_FREEZE);
}

SN_TEST(a_newer_stop_gives_the_gate_its_time_again) {
  sn__estop_guard g = {0};
  sn__estop_view view = {.number = 1, .first = 1, .gates = SN__GATES_BRAKING};
  assert_int_equal(sn__estop_guard_step(&g, &view, 0, 0), SN__ORDER_FOLLOW);
  /* The first was ended and another one came before the actuator looked. */
  view = (sn__estop_view){.number = 2, .first = 2, .gates = SN__GATES_SILENT};
  assert_int_equal(sn__estop_guard_step(&g, &view, 90 * MS, 90 * MS), SN__ORDER_WAIT);
  assert_int_equal(sn__estop_guard_step(&g, &view, 141 * MS, 141 * MS), SN__ORDER_FREEZE);
}

typedef struct caller {
  sn__estop *e;
  size_t count;
  char who[2];
} caller;

static void *call(void *context) {
  const caller *c = context;
  for (size_t i = 0; i < c->count; i++) {
    (void)sn__estop_request(c->e, c->who, c->who);
  }
  return NULL;
}

SN_TEST(no_stop_is_lost_and_no_text_is_a_mixture) {
  static sn__estop e;
  caller callers[CALLERS];
  pthread_t threads[CALLERS];
  const size_t count = sn_test_cases(20000);
  const int actuator = sn__estop_register(&e, SN__ESTOP_ACTUATOR, "reader");
  for (int i = 0; i < CALLERS; i++) {
    callers[i] = (caller){.e = &e, .count = count, .who = {(char)('a' + i), '\0'}};
    assert_int_equal(pthread_create(&threads[i], NULL, call, &callers[i]), 0);
  }
  size_t texts = 0;
  uint64_t before = 0;
  while (sn__estop_number(&e) < CALLERS * count || sn__estop_is_latched(&e)) {
    const sn__estop_view view = sn__estop_look(&e);
    assert_true(view.number == 0 || (view.first > before && view.first <= view.number));
    sn__stop_text text;
    if (sn__estop_text(&e, view.first, &text)) {
      assert_string_equal(text.who, text.why);
      assert_int_equal(strlen(text.who), 1);
      texts++;
    }
    sn__estop_confirm(&e, actuator, view.number, SN__ORDER_FREEZE);
    sn__estop_release(&e, view.number);
    before = view.number == 0 ? before : view.number;
  }
  for (int i = 0; i < CALLERS; i++) {
    pthread_join(threads[i], NULL);
  }
  assert_int_equal(sn__estop_number(&e), CALLERS * count);
  assert_int_equal(before, CALLERS * count);
  assert_true(texts > 0);
}

static void *come_and_go(void *context) {
  const caller *c = context;
  for (size_t i = 0; i < c->count; i++) {
    const int party = sn__estop_register(c->e, SN__ESTOP_ACTUATOR, c->who);
    assert_true(party >= 0);
    sn__estop_confirm(c->e, party, sn__estop_latched(c->e), SN__ORDER_HOLD);
    sn__estop_unregister(c->e, party);
  }
  return NULL;
}

SN_TEST(parties_register_and_unregister_while_others_read) {
  static sn__estop e;
  caller callers[CALLERS];
  pthread_t threads[CALLERS];
  (void)sn__estop_request(&e, "", "");
  for (int i = 0; i < CALLERS; i++) {
    callers[i] = (caller){.e = &e, .count = sn_test_cases(20000), .who = {(char)('a' + i), '\0'}};
    assert_int_equal(pthread_create(&threads[i], NULL, come_and_go, &callers[i]), 0);
  }
  for (size_t i = 0; i < sn_test_cases(2000); i++) {
    sn__estop_party_info list[SN__ESTOP_PARTIES];
    assert_true(sn__estop_parties(&e, 1, list) <= CALLERS);
    assert_int_equal(sn__estop_look(&e).number, 1);
  }
  for (int i = 0; i < CALLERS; i++) {
    pthread_join(threads[i], NULL);
  }
}
