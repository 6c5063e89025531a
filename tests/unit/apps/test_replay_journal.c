/* Parts of entries are joined, and invalid entries are detected. */
#include <string.h>

#include "replay/replay_journal.h"
#include "sinew/msg_wire.h"
#include "sinew/random.h"
#include "sn_test.h"

enum { BYTES_MAX = 300000 };

static replay_journal journal;
static sn_arena arena;
static sn_journal_entry *piece;
static uint8_t sent[BYTES_MAX], wire[SN_JOURNAL_ENTRY_MAX + 1024];
static sn_mcap_channel channel;

static int set_up(void **state) {
  (void)state;
  const sn_msg_capacity capacity = {.item_count = SN_JOURNAL_ENTRY_MAX, .text_size = 256};
  sn_arena_init_growing(&arena, "piece", 0);
  piece = sn_msg_create(&arena, &sn__journal_entry_type, &capacity);
  channel = (sn_mcap_channel){.schema = sn__journal_entry_type.ros2_name};
  assert_true(piece != NULL && replay_journal_init(&journal));
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  replay_journal_free(&journal);
  sn_arena_release(&arena);
  return 0;
}

static replay_read feed(uint8_t kind, const char *name, const uint8_t *data, size_t size) {
  size_t written = 0;
  piece->kind = kind;
  piece->cycle = 7;
  piece->data.count = size;
  memcpy(piece->data.data, data, size);
  assert_int_equal(sn_msg_text_set(&piece->name, name), SN_OK);
  assert_int_equal(sn_cdr_write(&sn__journal_entry_type, piece, wire, sizeof wire, &written),
                   SN_OK);
  const sn_mcap_message message = {.channel = &channel, .data = wire, .size = written};
  return replay_journal_read(&journal, &message);
}

SN_TEST(parts_of_any_size_make_one_entry) {
  sn_random random;
  sn_random_init(&random, 17);
  for (size_t i = 0; i < sizeof sent; i++) {
    sent[i] = (uint8_t)sn_random_below(&random, 256);
  }
  for (size_t round = 0; round < sn_test_cases(50); round++) {
    const size_t size = (size_t)sn_random_below(&random, sizeof sent);
    size_t done = 0;
    while (size - done > SN_JOURNAL_ENTRY_MAX || sn_random_below(&random, 3) > 0) {
      const size_t most = size - done < SN_JOURNAL_ENTRY_MAX ? size - done : SN_JOURNAL_ENTRY_MAX;
      const size_t next = (size_t)sn_random_below(&random, most + 1);
      assert_int_equal(feed(SN_JOURNAL_PART, "a.call", sent + done, next), REPLAY_PART);
      done += next;
    }
    assert_int_equal(feed(SN_JOURNAL_CALL, "a.call", sent + done, size - done), REPLAY_ENTRY);
    const sn_journal_entry *copy = replay_journal_copy(&arena, &journal.entry);
    assert_non_null(copy);
    assert_int_equal(copy->kind, SN_JOURNAL_CALL);
    assert_int_equal(copy->cycle, 7);
    assert_string_equal(copy->name.data, "a.call");
    assert_int_equal(copy->data.count, size);
    assert_memory_equal(copy->data.data, sent, size);
    assert_int_equal(feed(SN_JOURNAL_LIFE, "b.stop", sent, 0), REPLAY_ENTRY); /* nothing is left */
    assert_int_equal(journal.entry.data.count, 0);
  }
}

SN_TEST(parts_of_different_entries_are_rejected) {
  assert_int_equal(feed(SN_JOURNAL_PART, "a.call", sent, 10), REPLAY_PART);
  assert_int_equal(feed(SN_JOURNAL_CALL, "b.call", sent, 10), REPLAY_NONSENSE);
  replay_journal_rewind(&journal);
  assert_int_equal(feed(SN_JOURNAL_CALL, "b.call", sent, 10), REPLAY_ENTRY);
  assert_int_equal(journal.entry.data.count, 10);
  const sn_mcap_message cut = {.channel = &channel, .data = wire, .size = 5};
  assert_int_equal(replay_journal_read(&journal, &cut), REPLAY_NONSENSE);
  channel.schema = "std_msgs/msg/String";
  assert_int_equal(feed(SN_JOURNAL_CALL, "b.call", sent, 10), REPLAY_NONSENSE);
}

SN_TEST_EACH(set_up, tear_down)
