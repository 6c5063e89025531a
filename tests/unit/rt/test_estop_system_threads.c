/* The emergency stop of a system: who has obeyed, why not, waiting and resuming. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "rig.h"
#include "rt/component_runtime.h"
#include "rt/estop/estop.h"
#include "sinew/estop.h"
#include "sinew/tap.h"
#include "sn_test.h"

#define MS INT64_C(1000000)

static sn__estop *latch_of(const rig *r) {
  return sn__estop_of(r->system);
}

/* ---- who has obeyed ---- */

enum { PARTIES = 3, KINDS = 5 };

/* What there may be in a place of the table. */
typedef enum kind { NOTHING, DEAF_GATE, GATE, DEAF_ACTUATOR, ACTUATOR } kind;

static bool is_gate(kind k) {
  return k == DEAF_GATE || k == GATE;
}

static bool is_deaf(kind k) {
  return k == DEAF_GATE || k == DEAF_ACTUATOR;
}

static size_t count_kind(const kind *kinds, kind wanted) {
  size_t count = 0;
  for (size_t i = 0; i < PARTIES; i++) {
    count += kinds[i] == wanted;
  }
  return count;
}

/* Gates count only where no actuator is. */
static bool decides(const kind *kinds, size_t i) {
  const size_t actuators = count_kind(kinds, ACTUATOR) + count_kind(kinds, DEAF_ACTUATOR);
  return kinds[i] != NOTHING && (actuators == 0 || !is_gate(kinds[i]));
}

static void expect_answer(const rig *r, uint64_t number, const kind *kinds) {
  char list[200] = "", text[300];
  size_t deaf = 0;
  for (size_t i = 0; i < PARTIES; i++) {
    if (decides(kinds, i) && is_deaf(kinds[i])) {
      snprintf(list + strlen(list), sizeof list - strlen(list), "%s'p%zu' (no confirmation)",
               deaf++ == 0 ? "" : ", ", i);
    }
  }
  const bool is_empty = count_kind(kinds, NOTHING) == PARTIES;
  sn_error err = {.message = ""};
  sn_estop_state state;
  sn_estop_look(r->system, number, &state);
  assert_int_equal(state.is_obeyed, deaf == 0 && !is_empty);
  assert_int_equal(state.party_count, PARTIES - count_kind(kinds, NOTHING));
  const sn_status status = sn_estop_check(r->system, number, &err);
  if (is_empty) {
    assert_int_equal(status, SN_ENOENT);
  } else if (deaf == 0) {
    assert_int_equal(status, SN_OK);
  } else {
    assert_int_equal(status, SN_ETIMEDOUT);
    snprintf(text, sizeof text, "not stopped, did not obey: %s", list);
    assert_string_equal(err.message, text);
  }
}

static void try_kinds(const rig *r, const kind *kinds) {
  sn__estop *e = latch_of(r);
  int places[PARTIES];
  const uint64_t number = sn_estop_request(r->system, "test", "");
  for (size_t i = 0; i < PARTIES; i++) {
    char name[8];
    snprintf(name, sizeof name, "p%zu", i);
    places[i] =
        kinds[i] == NOTHING
            ? -1
            : sn__estop_register(e, is_gate(kinds[i]) ? SN__ESTOP_GATE : SN__ESTOP_ACTUATOR, name);
    if (kinds[i] == GATE) {
      sn__estop_gate_ack(e, places[i], number, true);
    } else if (kinds[i] == ACTUATOR) {
      sn__estop_confirm(e, places[i], number, SN__ORDER_FOLLOW);
    }
  }
  expect_answer(r, number, kinds);
  expect_answer(r, 0, kinds);
  for (size_t i = 0; i < PARTIES; i++) {
    sn__estop_unregister(e, places[i]);
  }
  sn__estop_release(e, number);
}

SN_TEST(a_stop_is_obeyed_by_all_actuators_or_without_any_by_all_gates) {
  rig r;
  rig_open(&r, MS);
  for (int k = 0; k < KINDS * KINDS * KINDS; k++) {
    const kind kinds[PARTIES] = {(kind)(k % KINDS), (kind)(k / KINDS % KINDS),
                                 (kind)(k / KINDS / KINDS)};
    try_kinds(&r, kinds);
  }
  rig_close(&r);
}

SN_TEST(state_names_each_party_and_the_newest_stop) {
  rig r;
  sn_estop_state stop;
  rig_open(&r, MS);
  (void)sn__estop_register(latch_of(&r), SN__ESTOP_GATE, "gate");
  const int arm = sn__estop_register(latch_of(&r), SN__ESTOP_ACTUATOR, "arm");
  sn_estop_look(r.system, 0, &stop);
  assert_false(stop.is_latched);
  assert_int_equal(stop.number, 0);
  assert_true(stop.is_obeyed); /* there was none */
  (void)sn_estop_request(r.system, "test", "");
  (void)sn_estop_request(r.system, "test", "");
  sn__estop_confirm(latch_of(&r), arm, 1, SN__ORDER_HOLD);
  sn_estop_look(r.system, 0, &stop);
  assert_true(stop.is_latched);
  assert_int_equal(stop.number, 2);
  assert_int_equal(stop.party_count, 2);
  assert_string_equal(stop.parties[0].name, "gate");
  assert_string_equal(stop.parties[1].name, "arm");
  assert_true(stop.parties[0].is_gate && !stop.parties[1].is_gate);
  assert_false(stop.parties[0].has_obeyed || stop.parties[1].has_obeyed);
  sn_estop_look(r.system, 1, &stop);
  assert_true(stop.parties[1].has_obeyed && stop.is_obeyed);
  rig_close(&r);
}

static bool is_obeyed(const rig *r, uint64_t number) {
  sn_estop_state state;
  sn_estop_look(r->system, number, &state);
  return state.is_obeyed;
}

SN_TEST(a_stop_that_was_ended_counts_as_obeyed_and_one_to_come_does_not) {
  rig r;
  rig_open(&r, MS);
  (void)sn__estop_register(latch_of(&r), SN__ESTOP_ACTUATOR, "deaf");
  (void)sn_estop_request(r.system, "test", "");
  assert_false(is_obeyed(&r, 1));
  sn__estop_release(latch_of(&r), 1);
  assert_true(is_obeyed(&r, 1));
  assert_false(is_obeyed(&r, 2));
  (void)sn_estop_request(r.system, "test", "");
  (void)sn_estop_request(r.system, "test", "");
  assert_true(is_obeyed(&r, 1));
  assert_false(is_obeyed(&r, 2)); /* the oldest in force */
  assert_false(is_obeyed(&r, 3));
  assert_false(is_obeyed(&r, 4));
  sn__estop_release(latch_of(&r), 3);
  assert_true(is_obeyed(&r, 3));
  assert_false(is_obeyed(&r, 4));
  rig_close(&r);
}

SN_TEST(a_refusal_says_who_stopped_and_why_if_that_is_known) {
  rig r;
  rig_open(&r, MS);
  assert_int_equal(sn__estop_refuse(r.system, &r.err), SN_OK);
  (void)sn_estop_request(r.system, "a test", "the button");
  assert_int_equal(sn__estop_refuse(r.system, &r.err), SN_ESTOPPED);
  assert_string_equal(r.err.message,
                      "the emergency stop is set by a test, the button: resume first");
  for (int i = 0; i < SN__ESTOP_TEXTS; i++) { /* texts of stops in force are not overwritten */
    (void)sn_estop_request(r.system, "more", "");
  }
  assert_int_equal(sn__estop_refuse(r.system, &r.err), SN_ESTOPPED);
  assert_string_equal(r.err.message, "the emergency stop is set: resume first");
  rig_close(&r);
}

/* ---- why it was not obeyed ---- */

/* The reason that is given for a party of this name. */
static const char *reason_of(sn_system *system, const char *name) {
  static char reason[240];
  sn_error err = {.message = ""};
  sn__estop *e = sn__estop_of(system);
  const int party = sn__estop_register(e, SN__ESTOP_ACTUATOR, name);
  const uint64_t number = sn_estop_request(system, "test", "");
  assert_int_equal(sn_estop_check(system, number, &err), SN_ETIMEDOUT);
  sn__estop_unregister(e, party);
  sn__estop_release(e, number);
  char start[100];
  snprintf(start, sizeof start, "not stopped, did not obey: '%s' (", name);
  const size_t length = strlen(start), all = strlen(err.message);
  assert_memory_equal(err.message, start, length);
  assert_true(err.message[all - 1] == ')');
  snprintf(reason, sizeof reason, "%.*s", (int)(all - length - 1), err.message + length);
  return reason;
}

/* Asks in its own step, which has lasted for a while. */
typedef struct asker {
  sn_component component;
  int64_t lasts_ns;
  const char *who;
  char reason[240];
} asker;

static sn_status asker_step(sn_component *component, int64_t now_ns) {
  asker *self = (asker *)component;
  (void)now_ns;
  sn_clock_advance(sn_system_clock(component->system), self->lasts_ns);
  snprintf(self->reason, sizeof self->reason, "%s", reason_of(component->system, self->who));
  return SN_OK;
}

static const sn_component_type asker_type = {.abi = SN_COMPONENT_ABI,
                                             .name = "asker",
                                             .doc = "Asks.",
                                             .size = sizeof(asker),
                                             .step = asker_step};

SN_TEST(a_step_of_fifty_milliseconds_hangs) {
  static const struct {
    int64_t lasts_ns;
    const char *reason;
  } cases[] = {{50 * MS, "the step of 'slow' does not end"},
               {50 * MS - 1, "it did not step in time"}};
  for (size_t i = 0; i < 2; i++) {
    rig r;
    rig_open(&r, MS);
    asker *slow = rig_add(&r, &asker_type, "slow");
    (void)rig_add(&r, &part_source_type, "behind"); /* waits for it */
    slow->who = "behind";
    rig_begin(&r);
    rig_run(&r, 100 * MS);
    slow->lasts_ns = cases[i].lasts_ns;
    rig_run(&r, MS);
    assert_string_equal(slow->reason, cases[i].reason);
    rig_close(&r);
  }
}

/* The activity between two cycles: nothing hangs, however long ago the last one was. */
static bool ask_between(void *context, int64_t now_ns) {
  const rig *r = context;
  (void)now_ns;
  sn_clock_advance(sn_system_clock(r->system), 100 * MS);
  assert_string_equal(reason_of(r->system, "source"), "it did not step in time");
  assert_string_equal(reason_of(r->system, "gain"), "nothing triggers its step");
  return false;
}

/* The gain waits for a message. One that has arrived and was not handled is another reason. */
static bool ask_triggered(void *context, int64_t now_ns) {
  const rig *r = context;
  (void)now_ns;
  sn_source *source = NULL;
  sn_error err = {.message = ""};
  assert_int_equal(sn_source_open(r->system, "gain.in", NULL, &source, &err), SN_OK);
  assert_int_equal(sn_source_write(source), SN_OK);
  assert_string_equal(reason_of(r->system, "gain"), "it did not step in time");
  sn_source_close(source);
  return false;
}

/* Has no step, and so no activity. */
static const sn_component_type idle_type = {
    .abi = SN_COMPONENT_ABI, .name = "idle", .doc = "Does nothing.", .size = sizeof(sn_component)};

SN_TEST(a_component_that_is_not_stepped_gives_the_reason) {
  rig r;
  rig_open(&r, MS);
  (void)rig_add(&r, &part_source_type, "source");
  (void)rig_add(&r, &part_gain_type, "gain");
  (void)rig_add_to(&r, &idle_type, "alone", NULL, 0);
  part_faulty *faulty = rig_add(&r, &part_faulty_type, "faulty");
  rig_set(&r, faulty, "kind", "1");
  assert_string_equal(reason_of(r.system, "source"),
                      sn_component_state_text(sn_component_state_now(&faulty->component)));
  rig_begin(&r);
  assert_string_equal(reason_of(r.system, "alone"), "no activity steps it");
  assert_string_equal(reason_of(r.system, "source"), "no activity steps it"); /* it does not run */
  faulty->fail_at = 0;
  assert_int_equal(sn_system_run(r.system, 10 * MS, ask_between, &r, &r.err), SN_OK);
  char text[100];
  snprintf(text, sizeof text, "in error: %s", sn_step_fault_text(SN_STEP_FAULT_STATUS));
  assert_string_equal(reason_of(r.system, "faulty"), text);
  assert_string_equal(reason_of(r.system, "faulty (/dev/x)"), text);
  assert_int_equal(sn_system_run(r.system, 1000 * MS, ask_triggered, &r, &r.err), SN_OK);
  assert_string_equal(reason_of(r.system, "nothing"), "no confirmation");
  assert_string_equal(reason_of(r.system, "sourc"), "no confirmation");
  assert_string_equal(reason_of(r.system, "nothing (/dev/x)"), "no confirmation by its bus");
  assert_string_equal(reason_of(r.system, "source (/dev/x)"), "no confirmation by its bus");
  rig_close(&r);
}

/* Another thread holds the system until it may go. */
typedef struct holder {
  sn_system *system;
  _Atomic bool holds, may_go;
} holder;

static void *hold(void *context) {
  holder *h = context;
  sn_system_hold(h->system);
  h->holds = true;
  while (!h->may_go) {
    sched_yield();
  }
  sn_system_release(h->system);
  return NULL;
}

SN_TEST(a_check_neither_waits_for_management_nor_keeps_it) {
  rig r;
  rig_open(&r, MS);
  (void)rig_add(&r, &part_source_type, "source");
  for (int k = 0; k < 2; k++) { /* the second thread gets it after the first one and a check */
    holder h = {.system = r.system};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, hold, &h), 0);
    while (!h.holds) {
      sched_yield();
    }
    assert_string_equal(reason_of(r.system, "source"),
                        "no confirmation; a call that configures the system is under way");
    h.may_go = true;
    pthread_join(thread, NULL);
    assert_string_equal(reason_of(r.system, "source"),
                        sn_component_state_text(SN_STATE_UNCONFIGURED));
  }
  rig_close(&r);
}

/* As many parties are named as there is room for: of equal length, one more would not fit. */
static void expect_room_used(const rig *r, size_t name_length, size_t count) {
  static const char start[] = "not stopped, did not obey: ";
  const size_t room = sizeof((sn_error *)0)->message - 64;
  const size_t each = name_length + strlen("'' (no confirmation)");
  const size_t fits = 1 + (room - 1 - each) / (each + 2);
  const size_t named = fits < count ? fits : count;
  char more[40] = "";
  if (named < count) {
    snprintf(more, sizeof more, " and %zu more", count - named);
  }
  sn_error err = {.message = ""};
  assert_int_equal(sn_estop_check(r->system, 0, &err), SN_ETIMEDOUT);
  const size_t length = named * (each + 2) - 2;
  assert_memory_equal(err.message, start, strlen(start));
  assert_int_equal(strlen(err.message), strlen(start) + length + strlen(more));
  assert_string_equal(err.message + strlen(start) + length, more);
}

SN_TEST(parties_for_which_there_is_no_room_are_counted) {
  for (size_t length = 1; length < 64; length++) {
    rig r;
    char name[64] = "";
    rig_open(&r, MS);
    memset(name, 'x', length);
    (void)sn_estop_request(r.system, "test", "");
    for (size_t i = 1; i <= SN_ESTOP_PARTIES_MAX; i++) {
      assert_true(sn__estop_register(latch_of(&r), SN__ESTOP_ACTUATOR, name) >= 0);
      expect_room_used(&r, length, i);
    }
    rig_close(&r);
  }
}

/* Five short names, each with its reason and a comma, leave room for one of 40 bytes. */
SN_TEST(a_name_that_fills_the_room_exactly_is_named) {
  static const char end[] = "(no confirmation)";
  for (size_t length = 40; length <= 41; length++) {
    rig r;
    char name[64] = "";
    rig_open(&r, MS);
    memset(name, 'x', length);
    (void)sn_estop_request(r.system, "test", "");
    for (int i = 0; i < 5; i++) {
      (void)sn__estop_register(latch_of(&r), SN__ESTOP_ACTUATOR, "a");
    }
    (void)sn__estop_register(latch_of(&r), SN__ESTOP_ACTUATOR, name);
    assert_int_equal(sn_estop_check(r.system, 0, &r.err), SN_ETIMEDOUT);
    const char *last = r.err.message + strlen(r.err.message);
    assert_string_equal(length == 40 ? last - strlen(end) : last - strlen(" and 1 more"),
                        length == 40 ? end : " and 1 more");
    rig_close(&r);
  }
}
