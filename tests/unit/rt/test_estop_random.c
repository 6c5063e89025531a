/* Random calls of the emergency stop, one after the other, compared with a table that is written
   from the text of estop.h. */
#include "rt/estop/estop.h"
#include "sinew/random.h"
#include "sn_test.h"

typedef struct party {
  sn__estop_role role;
  uint64_t obeyed, rest, resumed;
  bool is_limp, is_frozen;
  char name[32];
} party;

typedef struct table {
  uint64_t requested, released, limp;
  uint64_t texts[SN__ESTOP_TEXTS]; /* of which stop */
  party parties[SN__ESTOP_PARTIES];
} table;

typedef struct bench {
  sn__estop e;
  table t;
  sn__estop_snapshot snapshot;
  sn_random random;
} bench;

static uint64_t below(bench *b, uint64_t count) {
  return sn_random_below(&b->random, count);
}

static void release(table *t, uint64_t number) {
  number = number > t->requested ? t->requested : number;
  t->released = number > t->released ? number : t->released;
}

/* The texts of stops have the number of the stop in them. */
static void request(bench *b) {
  table *t = &b->t;
  char who[32], why[32];
  const bool limp = below(b, 4) == 0;
  const uint64_t number = ++t->requested;
  (void)snprintf(who, sizeof who, "who%llu", (unsigned long long)number);
  (void)snprintf(why, sizeof why, "why%llu", (unsigned long long)number);
  assert_int_equal((limp ? sn__estop_request_limp : sn__estop_request)(&b->e, who, why), number);
  t->limp = limp ? number : t->limp;
  uint64_t *slot = &t->texts[number % SN__ESTOP_TEXTS];
  *slot = *slot <= t->released ? number : *slot; /* else the text is lost */
}

static void enter_or_leave(bench *b) {
  table *t = &b->t;
  const int at = (int)below(b, 6);
  if (t->parties[at].role != SN__ESTOP_NOBODY) {
    sn__estop_unregister(&b->e, at);
    t->parties[at].role = SN__ESTOP_NOBODY;
    return;
  }
  int first = 0;
  while (t->parties[first].role != SN__ESTOP_NOBODY) {
    first++;
  }
  party *p = &t->parties[first];
  *p = (party){.role = below(b, 2) == 0 ? SN__ESTOP_GATE : SN__ESTOP_ACTUATOR};
  (void)snprintf(p->name, sizeof p->name, "p%llu", (unsigned long long)below(b, 1000));
  assert_int_equal(sn__estop_register(&b->e, p->role, p->name), first);
}

static uint64_t least_resumed(const table *t, uint64_t number) {
  for (int i = 0; i < SN__ESTOP_PARTIES; i++) {
    const party *p = &t->parties[i];
    if (p->role == SN__ESTOP_GATE && p->obeyed > t->released && p->resumed < number) {
      number = p->resumed;
    }
  }
  return number;
}

/* What a gate or an actuator says about a stop. Those that are gone may still speak. */
static void speak(bench *b) {
  const int at = (int)below(b, 6);
  party *p = &b->t.parties[at];
  const uint64_t number = b->t.requested - below(b, b->t.requested < 3 ? b->t.requested + 1 : 3);
  if (p->role == SN__ESTOP_NOBODY) {
    return;
  }
  switch (below(b, 4)) {
    case 0: {
      const sn__estop_order order = SN__ORDER_FOLLOW + (sn__estop_order)below(b, 3);
      sn__estop_confirm(&b->e, at, number, order);
      p->is_frozen = order == SN__ORDER_FREEZE;
      break;
    }
    case 1: {
      const bool rests = below(b, 2) == 0;
      sn__estop_gate_ack(&b->e, at, number, rests);
      p->rest = rests ? number : 0;
      break;
    }
    case 2:
      p->is_limp = below(b, 2) == 0;
      sn__estop_gate_set_limp(&b->e, at, p->is_limp);
      return;
    default:
      sn__estop_gate_resume(&b->e, at, number);
      p->resumed = number > p->resumed ? number : p->resumed;
      release(&b->t, least_resumed(&b->t, number));
      return;
  }
  p->obeyed = number > p->obeyed ? number : p->obeyed;
}

static sn__estop_view expected_view(const table *t) {
  sn__estop_view view = {.gates = SN__GATES_NONE};
  if (t->requested == t->released) {
    return view;
  }
  int count[SN__GATES_AT_REST + 1] = {0};
  view.number = t->requested;
  view.first = t->released + 1;
  view.is_limp = view.wants_limp = t->limp > t->released;
  for (int i = 0; i < SN__ESTOP_PARTIES; i++) {
    const party *p = &t->parties[i];
    if (p->role == SN__ESTOP_ACTUATOR && p->is_frozen && p->obeyed > t->released) {
      view.is_frozen = true;
    }
    if (p->role == SN__ESTOP_GATE) {
      view.is_limp = view.is_limp || p->is_limp;
      count[p->obeyed <= t->released ? SN__GATES_SILENT
            : p->rest <= t->released ? SN__GATES_BRAKING
                                     : SN__GATES_AT_REST]++;
    }
  }
  view.gates = count[SN__GATES_BRAKING] > 0   ? SN__GATES_BRAKING
               : count[SN__GATES_AT_REST] > 0 ? SN__GATES_AT_REST
               : count[SN__GATES_SILENT] > 0  ? SN__GATES_SILENT
                                              : SN__GATES_NONE;
  return view;
}

static void assert_view(const sn__estop_view *a, const sn__estop_view *b) {
  assert_int_equal(a->number, b->number);
  assert_int_equal(a->first, b->first);
  assert_int_equal(a->gates, b->gates);
  assert_int_equal(a->is_limp, b->is_limp);
  assert_int_equal(a->wants_limp, b->wants_limp);
  assert_int_equal(a->is_frozen, b->is_frozen);
}

static bool views_differ(const sn__estop_view *a, const sn__estop_view *b) {
  return a->number != b->number || a->first != b->first || a->gates != b->gates ||
         a->is_limp != b->is_limp || a->wants_limp != b->wants_limp || a->is_frozen != b->is_frozen;
}

static bool has_text(const table *t, uint64_t number) {
  return number != 0 && t->texts[number % SN__ESTOP_TEXTS] == number;
}

static void assert_text(const sn__stop_text *text, uint64_t number) {
  char who[32];
  (void)snprintf(who, sizeof who, "who%llu", (unsigned long long)number);
  assert_string_equal(text->who, who);
  sn_assert_contains(text->why, who + 3);
}

static void compare_snapshot(bench *b) {
  const sn__estop_snapshot before = b->snapshot;
  const sn__estop_view view = expected_view(&b->t);
  const bool is_new = view.first != before.view.first;
  const bool had_text = !is_new && before.has_text;
  const bool expected =
      views_differ(&view, &before.view) || (!had_text && has_text(&b->t, view.first));
  assert_int_equal(sn__estop_snapshot_update(&b->snapshot, &b->e), expected);
  assert_view(&b->snapshot.view, &view);
  assert_int_equal(b->snapshot.has_text, had_text || has_text(&b->t, view.first));
  if (b->snapshot.has_text) {
    assert_text(&b->snapshot.text, view.first);
  } else {
    assert_string_equal(b->snapshot.text.who, "");
    assert_string_equal(b->snapshot.text.why, "");
  }
}

static void compare(bench *b) {
  const sn__estop_view view = sn__estop_look(&b->e), expected = expected_view(&b->t);
  assert_view(&view, &expected);
  assert_int_equal(sn__estop_number(&b->e), b->t.requested);
  assert_int_equal(sn__estop_latched(&b->e), b->t.requested > b->t.released ? b->t.requested : 0);
  for (uint64_t n = b->t.requested < 10 ? 0 : b->t.requested - 10; n <= b->t.requested + 1; n++) {
    sn__stop_text text;
    assert_int_equal(sn__estop_text(&b->e, n, &text), has_text(&b->t, n));
    if (has_text(&b->t, n)) {
      assert_text(&text, n);
    }
  }
  sn__estop_party_info list[SN__ESTOP_PARTIES];
  const uint64_t asked = b->t.requested;
  const size_t count = sn__estop_parties(&b->e, asked, list);
  size_t k = 0;
  for (int i = 0; i < SN__ESTOP_PARTIES; i++) {
    const party *p = &b->t.parties[i];
    if (p->role != SN__ESTOP_NOBODY) {
      assert_int_equal(list[k].party, i);
      assert_int_equal(list[k].role, p->role);
      assert_int_equal(list[k].has_obeyed, p->obeyed >= asked);
      assert_string_equal(list[k++].name, p->name);
    }
  }
  assert_int_equal(count, k);
}

static void do_something(bench *b) {
  const uint64_t kind = below(b, 20);
  if (kind < 4) {
    request(b);
  } else if (kind < 6) {
    const uint64_t number = below(b, b->t.requested + 3);
    sn__estop_release(&b->e, number);
    release(&b->t, number);
  } else if (kind < 9) {
    enter_or_leave(b);
  } else {
    speak(b);
  }
}

SN_TEST(the_emergency_stop_agrees_with_a_table) {
  static bench b;
  const size_t cases = sn_test_cases(200);
  for (uint64_t seed = 0; seed < cases; seed++) {
    memset(&b, 0, sizeof b);
    sn_random_init(&b.random, sn_test_seed(0) + seed);
    for (int i = 0; i < 500; i++) {
      do_something(&b);
      compare(&b);
      if (below(&b, 3) == 0) {
        compare_snapshot(&b);
      }
    }
  }
}

SN_TEST(a_place_that_is_full_or_missing_does_no_harm) {
  static sn__estop e;
  for (int i = 0; i < SN__ESTOP_PARTIES; i++) {
    assert_int_equal(sn__estop_register(&e, SN__ESTOP_GATE, "x"), i);
  }
  assert_int_equal(sn__estop_register(&e, SN__ESTOP_GATE, "x"), -1);
  assert_int_equal(sn__estop_request(&e, "a", "b"), 1);
  const sn__estop before = e;
  sn__estop_confirm(&e, -1, 1, SN__ORDER_FREEZE);
  sn__estop_gate_ack(&e, -1, 1, true);
  sn__estop_gate_set_limp(&e, -1, true);
  sn__estop_gate_resume(&e, -1, 1);
  sn__estop_unregister(&e, -1);
  assert_memory_equal(&e, &before, sizeof e);
}
