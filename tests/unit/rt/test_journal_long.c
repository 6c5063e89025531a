/* Entries of the journal that are longer than an entry is: in parts, and whole again. */
#include <stdlib.h>
#include <string.h>

#include "allocation.h"
#include "journal_rig.h"
#include "sinew/msg_wire.h"
#include "sinew/random.h"

enum { MS = 1000000, ITEMS = 20000, BYTES_MAX = 4 << 20 };

typedef struct swallow {
  sn_component component;
  sn_texts texts;
} swallow;

static sn_status take(sn_component *component, const void *request, void *response, sn_error *err) {
  (void)component, (void)request, (void)response, (void)err;
  return SN_OK;
}

static const sn_operation operations[] = {
    {"take", SN_CLIENT_THREAD, &sn_joint_state_type, NULL, take, "Anything."}, {0}};

static const sn_property properties[] = {SN_PROPERTY(swallow, "texts", texts, .doc = "Anything."),
                                         {0}};

static const sn_component_type swallow_type = {.abi = SN_COMPONENT_ABI,
                                               .name = "swallow",
                                               .doc = "Takes what comes.",
                                               .size = sizeof(swallow),
                                               .properties = properties,
                                               .operations = operations};

static journal_rig j;
static swallow *taker;
static sn_joint_state *msg;
static uint8_t *expected, *found;

/* A system with room for long messages. */
static int set_up(void **state) {
  (void)state;
  sn_clock_init_simulated(&j.r.clock, 0);
  sn_arena_init_growing(&j.r.arena, "rig", 0);
  assert_int_equal(sn_log_create(&j.r.arena, 64, &j.r.log, NULL), SN_OK);
  const sn_system_config config = {
      .clock = &j.r.clock, .log = j.r.log, .capacity = {.item_count = ITEMS, .text_size = 16}};
  j.r.system = sn_system_create(&config);
  assert_non_null(j.r.system);
  j.r.activity = rig_activity(&j.r, "main", MS);
  taker = rig_add(&j.r, &swallow_type, "taker");
  rig_add(&j.r, &part_sink_type, "sink");
  const sn_msg_capacity whole = {.item_count = SN_MSG_ITEMS_MAX, .text_size = 8};
  msg = sn_msg_create(&j.r.arena, &sn_joint_state_type, &whole);
  expected = malloc(BYTES_MAX);
  found = malloc(BYTES_MAX);
  assert_true(msg != NULL && expected != NULL && found != NULL);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  journal_rig_close(&j);
  free(expected);
  free(found);
  return 0;
}

static void open_journal(size_t room) {
  journal_rig_make_room(&j, room);
  assert_int_equal(sn__journal_open(j.r.system, &j.journal, &j.r.err), SN_OK);
}

static void begin(size_t room) {
  open_journal(room);
  rig_begin(&j.r);
}

/* Fill a message with so many numbers. @return its bytes, which are in `expected` */
static size_t fill(sn_joint_state *m, sn_random *random, size_t count) {
  sn_seq_f64 *const all[] = {&m->position, &m->velocity, &m->effort};
  for (size_t k = 0; k < 3; k++) {
    all[k]->count = count / 3 + (k < count % 3);
    for (size_t i = 0; i < all[k]->count; i++) {
      all[k]->data[i] = sn_random_between(random, -1.0, 1.0);
    }
  }
  size_t size = 0;
  assert_int_equal(sn_cdr_write(&sn_joint_state_type, m, expected, BYTES_MAX, &size), SN_OK);
  return size;
}

static void call_take(void) {
  sn_caller caller = {0};
  assert_int_equal(sn_caller_open(j.r.system, "taker.take", &caller, &j.r.err), SN_OK);
  assert_int_equal(sn_call(&caller, msg, NULL, &j.r.err), SN_OK);
  sn_caller_close(&caller);
}

/* The next entry of this kind, its parts put together: those of one come one behind the other.
   @return bytes in `found` */
static size_t read_whole(sn_journal_kind kind, const char *name, size_t *parts) {
  size_t size = 0;
  *parts = 0;
  while (sn__journal_read(j.journal, j.entry)) {
    if (*parts == 0 && j.entry->kind != kind && j.entry->kind != SN_JOURNAL_PART) {
      continue;
    }
    assert_true(size + j.entry->data.count <= BYTES_MAX);
    memcpy(found + size, j.entry->data.data, j.entry->data.count);
    size += j.entry->data.count;
    assert_string_equal(j.entry->name.data, name);
    if (j.entry->kind == kind) {
      return size;
    }
    assert_int_equal(j.entry->kind, SN_JOURNAL_PART);
    assert_int_equal(j.entry->data.count,
                     j.entry->data.capacity); /* none is shorter than need be */
    ++*parts;
  }
  fail_msg("no entry of kind %d", (int)kind);
  return 0;
}

/* Around every size at which something changes, and at random. */
SN_TEST(long_calls_come_in_parts) {
  static const size_t counts[] = {0,     8170,  8180,  8181,   8182,  8190,
                                  16370, 16380, 65000, 130000, 190000};
  sn_random random;
  sn_random_init(&random, 11);
  begin(SN_JOURNAL_ENTRY_MAX);
  const size_t fixed = sizeof counts / sizeof *counts;
  for (size_t i = 0; i < fixed + sn_test_cases(30); i++) {
    const size_t count = i < fixed ? counts[i] : (size_t)sn_random_below(&random, 190000);
    const size_t size = fill(msg, &random, count);
    call_take();
    rig_run(&j.r, 2 * MS);
    size_t parts = 0;
    assert_int_equal(read_whole(SN_JOURNAL_CALL, "taker.take", &parts), size);
    assert_memory_equal(found, expected, size);
    assert_int_equal(parts, (size - 1) / SN_JOURNAL_ENTRY_MAX);
  }
  assert_int_equal(sn__journal_lost(j.journal), 0);
}

/* In a cycle nothing is allocated, and half of the ring is what an entry may take. */
SN_TEST(long_messages_that_a_cycle_reads_come_in_parts_without_heap) {
  static const size_t counts[] = {100, 8200, 20000, 50000};
  sn_random random;
  sn_random_init(&random, 12);
  sn_source *source = NULL;
  assert_int_equal(sn_source_open(j.r.system, "sink.in", NULL, &source, &j.r.err), SN_OK);
  begin(1000); /* whatever the room, it is whole again */
  for (int64_t i = 0; i < 12; i++) {
    const size_t size = fill(sn_source_msg(source), &random, counts[i % 4]);
    assert_int_equal(sn_source_write(source), SN_OK);
    sn_assert_no_heap(sn_system_cycle(j.r.system, j.r.activity, i * MS, &j.r.err););
    size_t parts = 0;
    assert_int_equal(read_whole(SN_JOURNAL_INPUT, "sink.in", &parts), size);
    assert_memory_equal(found, expected, size);
    assert_int_equal(parts, (size - 1) / 1000);
  }
  assert_int_equal(sn__journal_lost(j.journal), 0);
  sn_joint_state *longest = sn_source_msg(source);
  for (size_t i = 0; i < ITEMS; i++) {
    assert_int_equal(sn_msg_names_add(&longest->name, "as long", 7), SN_OK);
  }
  assert_true(fill(longest, &random, 3 * ITEMS) > 600000);
  assert_int_equal(sn_source_write(source), SN_OK);
  assert_int_equal(sn_system_cycle(j.r.system, j.r.activity, 100 * MS, &j.r.err), SN_OK);
  assert_int_equal(sn__journal_lost(j.journal), 1);
  sn_source_close(source);
}

SN_TEST(a_long_property_is_reported_as_a_whole) {
  open_journal(SN_JOURNAL_ENTRY_MAX);
  char *list = malloc(300000);
  assert_non_null(list);
  for (size_t count = 100; count < 20000; count *= 12) {
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
      used += (size_t)sprintf(list + used, "%s\"text %zu\"", i == 0 ? "[" : ",", i);
    }
    strcpy(list + used, "]");
    rig_set(&j.r, taker, "texts", list);
    size_t parts = 0;
    assert_int_equal(read_whole(SN_JOURNAL_SET, "taker.texts", &parts), used + 1);
    assert_memory_equal(found, list, used + 1);
  }
  assert_int_equal(sn__journal_lost(j.journal), 0);
  free(list);
}

/* Who does not read: memory is bounded, what did not fit is counted, and the rest is whole. */
SN_TEST(what_is_set_apart_is_bounded) {
  enum { CALLS = 60 };
  sn_random random;
  sn_random_init(&random, 13);
  begin(SN_JOURNAL_ENTRY_MAX);
  const size_t size = fill(msg, &random, 190000); /* 1.5 MB each: 91 MB */
  for (size_t i = 0; i < CALLS; i++) {
    call_take();
  }
  const uint64_t lost = sn__journal_lost(j.journal);
  assert_true(lost > 5 && lost < CALLS - 5);
  for (size_t i = 0; i < CALLS - lost; i++) {
    size_t parts = 0;
    assert_int_equal(read_whole(SN_JOURNAL_CALL, "taker.take", &parts), size);
    assert_memory_equal(found, expected, size);
  }
  assert_false(sn__journal_read(j.journal, j.entry));
  call_take(); /* there is room again; it is not read, and freed with the journal */
  call_take();
  assert_true(sn__journal_read(j.journal, j.entry)); /* in the midst of one */
  assert_int_equal(sn__journal_lost(j.journal), lost);
}

SN_TEST_EACH(set_up, tear_down)
