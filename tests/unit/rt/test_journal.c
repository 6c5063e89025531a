/* The journal: what came from outside, and in which cycle. */
#include <string.h>

#include "allocation.h"
#include "journal_rig.h"
#include "sinew/msg_wire.h"

enum { MS = 1000000 };

static journal_rig j;

static int set_up(void **state) {
  (void)state;
  rig_open(&j.r, MS);
  journal_rig_make_room(&j, SN_JOURNAL_ENTRY_MAX);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  journal_rig_close(&j);
  return 0;
}

static void open_journal(void) {
  assert_int_equal(sn__journal_open(j.r.system, &j.journal, &j.r.err), SN_OK);
}

/* The next entry that is not a cycle. @return false at the end */
static bool next(void) {
  while (sn__journal_read(j.journal, j.entry)) {
    if (j.entry->kind != SN_JOURNAL_CYCLE) {
      return true;
    }
  }
  return false;
}

static void expect(sn_journal_kind kind, const char *name, uint64_t cycle, bool is_exact) {
  assert_true(next());
  assert_int_equal(j.entry->kind, kind);
  assert_string_equal(j.entry->name.data, name);
  assert_int_equal(j.entry->cycle, cycle);
  assert_int_equal(j.entry->is_exact, is_exact);
}

SN_TEST(every_cycle_is_there_with_its_time) {
  rig_add(&j.r, &part_source_type, "source");
  open_journal();
  rig_begin(&j.r);
  rig_run(&j.r, 5 * MS);
  assert_true(sn__journal_read(j.journal, j.entry));
  assert_int_equal(j.entry->kind, SN_JOURNAL_BEGIN);
  for (uint64_t cycle = 1; cycle <= 5; cycle++) {
    assert_true(sn__journal_read(j.journal, j.entry));
    assert_int_equal(j.entry->kind, SN_JOURNAL_CYCLE);
    assert_string_equal(j.entry->activity.data, "main");
    assert_int_equal(j.entry->cycle, cycle);
    assert_int_equal(j.entry->stamp_ns, (int64_t)(cycle - 1) * MS);
  }
  assert_false(sn__journal_read(j.journal, j.entry));
  assert_int_equal(sn__journal_lost(j.journal), 0);
}

SN_TEST(a_message_is_recorded_in_the_cycle_that_reads_it) {
  rig_add(&j.r, &part_gain_type, "gain");
  sn_source *source = NULL;
  assert_int_equal(sn_source_open(j.r.system, "gain.in", NULL, &source, &j.r.err), SN_OK);
  open_journal();
  rig_begin(&j.r);
  rig_run(&j.r, 3 * MS);
  sn_joint_state *msg = sn_source_msg(source);
  msg->position.count = 2;
  msg->position.data[1] = 0.1;
  assert_int_equal(sn_source_write(source), SN_OK);
  msg->position.data[1] = 0.7; /* the first one is never read */
  assert_int_equal(sn_source_write(source), SN_OK);
  rig_run(&j.r, 2 * MS);
  sn_source_close(source);
  expect(SN_JOURNAL_OPEN, "gain.in", 1, false);
  const uint64_t number = j.entry->source;
  assert_true(next());
  assert_int_equal(j.entry->kind, SN_JOURNAL_BEGIN);
  expect(SN_JOURNAL_CLOSE, "gain.in", 6, false); /* threads outside of cycles have their own ring */
  expect(SN_JOURNAL_INPUT, "gain.in", 4, true);
  assert_int_equal(j.entry->source, number);
  sn_joint_state *read = sn_msg_create(&j.r.arena, &sn_joint_state_type, NULL);
  assert_int_equal(
      sn_cdr_read(&sn_joint_state_type, j.entry->data.data, j.entry->data.count, read, &j.r.err),
      SN_OK);
  assert_true(read->position.data[1] == 0.7);
  assert_false(next());
}

SN_TEST(changes_calls_and_hooks_are_recorded) {
  part_answer *answer = rig_add(&j.r, &part_answer_type, "answer");
  open_journal();
  rig_begin(&j.r);
  rig_run(&j.r, 2 * MS);
  rig_set(&j.r, answer, "number", "4.5");
  sn_caller caller = {0};
  assert_int_equal(sn_caller_open(j.r.system, "answer.twice", &caller, &j.r.err), SN_OK);
  const part_number request = {3.0};
  assert_int_equal(sn_caller_post(&caller, &request, &j.r.err), SN_OK);
  rig_run(&j.r, 1 * MS);
  assert_int_equal(answer->twice_count, 1);
  sn_caller_close(&caller);
  assert_int_equal(sn_caller_open(j.r.system, "answer.here", &caller, &j.r.err), SN_OK);
  part_number response = {0.0};
  assert_int_equal(sn_call(&caller, &request, &response, &j.r.err), SN_OK);
  assert_int_equal(sn_caller_post(&caller, &request, &j.r.err),
                   SN_EINVAL); /* its response would be lost */
  sn_caller_close(&caller);
  assert_int_equal(sn_system_stop(j.r.system, (sn_component *)answer, &j.r.err), SN_OK);
  assert_true(next()); /* begin */
  expect(SN_JOURNAL_SET, "answer.number", 3, false);
  assert_memory_equal(j.entry->data.data, "4.5", 3);
  expect(SN_JOURNAL_CALL, "answer.here", 4, false);
  expect(SN_JOURNAL_LIFE, "answer.stop", 4, false);
  expect(SN_JOURNAL_CALL, "answer.twice", 3, true);
  part_number read = {0.0};
  assert_int_equal(
      sn_cdr_read(&part_number_type, j.entry->data.data, j.entry->data.count, &read, &j.r.err),
      SN_OK);
  assert_true(read.value == 3.0);
  assert_false(next());
}

SN_TEST(there_is_one_journal_at_a_time) {
  rig_add(&j.r, &part_source_type, "source");
  open_journal();
  sn_journal *other = NULL;
  assert_int_equal(sn__journal_open(j.r.system, &other, &j.r.err), SN_EBUSY);
  assert_string_equal(j.r.err.message, "there is a journal already");
  sn__journal_close(j.journal);
  open_journal();
  rig_begin(&j.r);
  rig_run(&j.r, 1 * MS);
}

/* Entries that are not read are lost and counted; the others are in order. */
SN_TEST(a_full_journal_counts_what_is_lost) {
  enum { CYCLES = 40000 };
  rig_add(&j.r, &part_source_type, "source");
  open_journal();
  rig_begin(&j.r);
  rig_run(&j.r, (int64_t)CYCLES * MS);
  uint64_t count = 0;
  uint64_t last = 0;
  while (sn__journal_read(j.journal, j.entry)) {
    if (j.entry->kind == SN_JOURNAL_CYCLE) {
      assert_int_equal(j.entry->cycle, last + 1);
      last = j.entry->cycle;
      count++;
    }
  }
  assert_true(count > 10000 && count < CYCLES);
  assert_int_equal(sn__journal_lost(j.journal), CYCLES - count);
  rig_run(&j.r, 10 * MS); /* there is room again, also around the end of the ring */
  assert_true(sn__journal_read(j.journal, j.entry));
  assert_int_equal(j.entry->cycle, CYCLES + 1);
}

SN_TEST(cycles_touch_no_heap) {
  rig_add(&j.r, &part_gain_type, "gain");
  sn_source *source = NULL;
  assert_int_equal(sn_source_open(j.r.system, "gain.in", NULL, &source, &j.r.err), SN_OK);
  open_journal();
  rig_begin(&j.r);
  rig_run(&j.r, 1 * MS);
  assert_int_equal(sn_source_write(source), SN_OK);
  sn_assert_no_heap(for (int64_t i = 1; i <= 20;
                         i++) { sn_system_cycle(j.r.system, j.r.activity, i * MS, &j.r.err); });
  assert_int_equal(sn__journal_lost(j.journal), 0);
  sn_source_close(source);
}

/* Cycles one by one, at times that are given: what a replay does. */
SN_TEST(single_cycles_see_the_time_that_is_given) {
  part_source *source = rig_add(&j.r, &part_source_type, "source");
  rig_begin(&j.r);
  assert_int_equal(sn_system_cycle(j.r.system, j.r.activity, 7 * MS, &j.r.err), SN_OK);
  assert_int_equal(sn_system_cycle(j.r.system, j.r.activity, 7 * MS, &j.r.err), SN_OK);
  assert_int_equal(sn_system_cycle(j.r.system, j.r.activity, 9 * MS, &j.r.err), SN_OK);
  assert_int_equal(source->steps, 3);
  assert_int_equal(sn_clock_now_ns(&j.r.clock), 9 * MS);
  assert_int_equal(sn_system_cycle(j.r.system, j.r.activity, 8 * MS, &j.r.err), SN_EINVAL);
  assert_int_equal(source->steps, 3);
}

SN_TEST_EACH(set_up, tear_down)
