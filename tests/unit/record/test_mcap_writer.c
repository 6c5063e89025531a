/* What the MCAP writer writes: index, notes, limits. */
#include "allocation.h"
#include "mcap_rig.h"
#include "record/coding/crc32.h"
#include "record/mcap_format.h"
#include "sn_test.h"

/* A number of the file. */
static uint64_t number_at(uint64_t at, size_t size) {
  sn__mcap_in in = {mcap_rig_file.data + at, mcap_rig_file.size - (size_t)at, 0, false};
  const uint64_t value = sn__mcap_take_number(&in, size);
  assert_false(in.is_short);
  return value;
}

typedef struct index_walk {
  size_t chunks, messages;
} index_walk;

/* A chunk index points at a chunk, at its message indexes, and those at messages of their time. */
static void check_chunk_index(uint64_t at, index_walk *walk) {
  sn__crc32_table table;
  sn__crc32_init(&table);
  const uint64_t chunk = number_at(at + 16, 8);
  const uint64_t length = number_at(at + 24, 8);
  const uint64_t map_size = number_at(at + 32, 4);
  assert_int_equal(number_at(chunk, 1), SN__MCAP_CHUNK);
  assert_int_equal(number_at(chunk + 1, 8), length - SN__MCAP_PREFIX);
  const uint64_t head = chunk + SN__MCAP_PREFIX;
  assert_int_equal(number_at(head, 8), number_at(at, 8));
  assert_int_equal(number_at(head + 8, 8), number_at(at + 8, 8));
  const uint64_t size = number_at(head + 16, 8);
  const uint64_t records = head + 40;
  assert_int_equal(number_at(head + 32, 8), size);
  assert_int_equal(records + size, chunk + length);
  assert_int_equal(number_at(head + 24, 4),
                   sn__crc32(&table, 0, mcap_rig_file.data + records, size));
  uint64_t expected_index = chunk + length;
  for (uint64_t entry = at + 36; entry < at + 36 + map_size; entry += 10) {
    const uint64_t channel = number_at(entry, 2);
    const uint64_t index = number_at(entry + 2, 8);
    assert_int_equal(index, expected_index);
    assert_int_equal(number_at(index, 1), SN__MCAP_MESSAGE_INDEX);
    assert_int_equal(number_at(index + 9, 2), channel);
    const uint64_t entries = number_at(index + 11, 4);
    for (uint64_t e = index + 15; e < index + 15 + entries; e += 16) {
      const uint64_t message = records + number_at(e + 8, 8);
      assert_int_equal(number_at(message, 1), SN__MCAP_MESSAGE);
      assert_int_equal(number_at(message + 9, 2), channel);
      assert_int_equal(number_at(message + 15, 8), number_at(e, 8));
      walk->messages++;
    }
    expected_index = index + 9 + number_at(index + 1, 8);
  }
  assert_int_equal(number_at(at + 36 + map_size, 8), expected_index - (chunk + length));
  walk->chunks++;
}

SN_TEST(index_leads_to_every_message) {
  const sn_mcap_writer *writer =
      mcap_rig_write_two_topics(5000, (sn_mcap_writer_config){.chunk_size = 1 << 14});
  const uint64_t footer = mcap_rig_file.size - 37;
  assert_int_equal(number_at(footer, 1), SN__MCAP_FOOTER);
  const uint64_t summary = number_at(footer + 9, 8);
  const uint64_t offsets = number_at(footer + 17, 8);
  sn__crc32_table table;
  sn__crc32_init(&table);
  assert_int_equal(number_at(footer + 25, 4),
                   sn__crc32(&table, 0, mcap_rig_file.data + summary, footer + 25 - summary));
  assert_int_equal(number_at(summary - 13, 1), SN__MCAP_DATA_END);
  assert_int_equal(number_at(summary - 4, 4),
                   sn__crc32(&table, 0, mcap_rig_file.data, summary - 13));
  index_walk walk = {0, 0};
  uint64_t end = summary;
  for (uint64_t at = offsets; at < footer; at += 26) {
    assert_int_equal(number_at(at, 1), SN__MCAP_SUMMARY_OFFSET);
    const uint64_t opcode = number_at(at + 9, 1);
    const uint64_t start = number_at(at + 10, 8);
    assert_int_equal(start, end); /* group by group, without gaps */
    end = start + number_at(at + 18, 8);
    for (uint64_t record = start; record < end; record += 9 + number_at(record + 1, 8)) {
      assert_int_equal(number_at(record, 1), opcode);
      if (opcode == SN__MCAP_CHUNK_INDEX) {
        check_chunk_index(record + 9, &walk);
      } else if (opcode == SN__MCAP_STATISTICS) {
        assert_int_equal(number_at(record + 9, 8), 5000);
        assert_int_equal(number_at(record + 17, 2), 1);
        assert_int_equal(number_at(record + 19, 4), 2);
        assert_int_equal(number_at(record + 31, 4), sn__mcap_writer_counts(writer).chunks);
        assert_int_equal(number_at(record + 35, 8), 0);
        assert_int_equal(number_at(record + 43, 8), 4999 * MS);
      }
    }
  }
  assert_int_equal(end, offsets);
  assert_int_equal(walk.messages, 5000);
  assert_int_equal(walk.chunks, sn__mcap_writer_counts(writer).chunks);
}

/* Half an index would hide messages from readers that trust it. */
SN_TEST(index_without_room_is_left_out_whole) {
  const sn_mcap_writer *writer = mcap_rig_write_two_topics(
      5000, (sn_mcap_writer_config){.chunk_size = 1 << 14, .index_size = 500});
  assert_false(sn__mcap_writer_counts(writer).is_indexed);
  const uint64_t offsets = number_at(mcap_rig_file.size - 37 + 17, 8);
  for (uint64_t at = offsets; at < mcap_rig_file.size - 37; at += 26) {
    assert_int_not_equal(number_at(at + 9, 1), SN__MCAP_CHUNK_INDEX);
  }
  sn_mcap_reader *reader = mcap_rig_create_reader(NULL);
  for (size_t i = 0; i < 5000; i++) {
    sn_mcap_message message;
    mcap_rig_read_next(reader, &message);
  }
  mcap_rig_expect_end(reader);
}

SN_TEST(index_can_be_left_out) {
  mcap_rig_write_two_topics(1000, (sn_mcap_writer_config){.chunk_size = 1 << 14});
  const size_t indexed = mcap_rig_file.size;
  mcap_rig_file.size = 0;
  const sn_mcap_writer_config config = {.chunk_size = 1 << 14, .is_without_index = true};
  assert_false(sn__mcap_writer_counts(mcap_rig_write_two_topics(1000, config)).is_indexed);
  assert_true(mcap_rig_file.size + 1000 * 16 < indexed);
  sn_mcap_reader *reader = mcap_rig_create_reader(NULL);
  sn_mcap_message message;
  for (size_t i = 0; i < 1000; i++) {
    mcap_rig_read_next(reader, &message);
  }
  mcap_rig_expect_end(reader);
}

SN_TEST(notes_do_not_disturb) {
  sn_mcap_writer *writer = mcap_rig_create_writer((sn_mcap_writer_config){0});
  mcap_rig_add_channel(writer, "/even", &sn_timer_event_type);
  mcap_rig_add_channel(writer, "/odd", &sn_timer_event_type);
  mcap_rig_write_ticks(writer, 0, 3);
  const char *const pairs[] = {"key", "value", "lost", "3"};
  for (size_t i = 0; i < 16; i++) {
    assert_int_equal(sn__mcap_writer_note(writer, "sinew", pairs, 2, &mcap_rig_err), SN_OK);
  }
  mcap_rig_write_ticks(writer, 3, 6);
  assert_int_equal(sn__mcap_writer_note(writer, "sinew", pairs, 2, &mcap_rig_err), SN_ELIMIT);
  assert_int_equal(sn__mcap_writer_finish(writer, &mcap_rig_err), SN_OK);
  mcap_rig_err.message[0] = '\0';
  sn_mcap_reader *reader = mcap_rig_create_reader(NULL);
  for (size_t i = 0; i < 6; i++) {
    sn_mcap_message message;
    mcap_rig_read_next(reader, &message);
    assert_int_equal(message.log_ns, (int64_t)i * MS);
  }
  mcap_rig_expect_end(reader);
}

SN_TEST(wrong_sizes_are_refused) {
  const sn_mcap_writer_config configs[] = {{.channel_max = 65536},
                                           {.chunk_size = 100},
                                           {.chunk_size = (1u << 26) + 1},
                                           {.index_size = (1u << 30) + 1},
                                           {.chunk_duration_ns = -1}};
  for (size_t i = 0; i < sizeof configs / sizeof *configs; i++) {
    sn_mcap_writer *writer = NULL;
    assert_int_equal(sn__mcap_writer_create(&mcap_rig_arena, &configs[i], &writer, &mcap_rig_err),
                     SN_EINVAL);
    assert_null(writer);
  }
  mcap_rig_write_two_topics(1, (sn_mcap_writer_config){0});
  const sn_mcap_source source = mcap_bytes_source(&mcap_rig_file, mcap_rig_file.size);
  const sn_mcap_reader_config wrong[] = {
      {.channel_max = 65536}, {.record_size = 100}, {.record_size = (1u << 30) + 1}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    sn_mcap_reader *reader = NULL;
    assert_int_equal(
        sn__mcap_reader_create(&mcap_rig_arena, &source, &wrong[i], &reader, &mcap_rig_err),
        SN_EINVAL);
    assert_null(reader);
  }
}

SN_TEST(too_small_an_arena_is_reported_and_left_as_it_was) {
  static uint8_t memory[1 << 20];
  sn_arena small;
  for (size_t size = 0; size < sizeof memory; size += 997) {
    sn_arena_init(&small, "small", memory, size);
    const sn_mcap_writer_config config = {.sink = mcap_bytes_sink(&mcap_rig_file),
                                          .chunk_size = 1 << 14};
    sn_mcap_writer *writer = NULL;
    assert_int_equal(sn__mcap_writer_create(&small, &config, &writer, &mcap_rig_err), SN_ENOMEM);
    assert_int_equal(sn_arena_used(&small), 0);
  }
}

SN_TEST(channels_have_limits) {
  sn_mcap_writer *writer = mcap_rig_create_writer((sn_mcap_writer_config){.channel_max = 2});
  size_t channel = 0;
  char topic[258];
  memset(topic, 'a', sizeof topic);
  topic[256] = '\0';
  assert_int_equal(sn__mcap_writer_add(writer, topic, &sn_header_type, &channel, &mcap_rig_err),
                   SN_EINVAL);
  assert_int_equal(sn__mcap_writer_add(writer, "", &sn_header_type, &channel, &mcap_rig_err),
                   SN_EINVAL);
  topic[255] = '\0';
  mcap_rig_add_channel(writer, topic, &sn_header_type);
  mcap_rig_add_channel(writer, "b", &sn_header_type);
  assert_int_equal(sn__mcap_writer_add(writer, "c", &sn_header_type, &channel, &mcap_rig_err),
                   SN_ELIMIT);
  sn_assert_contains(mcap_rig_err.message, "topic c: no room for more than 2 topics");
}

SN_TEST(message_that_cannot_be_written_is_left_out) {
  sn_mcap_writer *writer = mcap_rig_create_writer((sn_mcap_writer_config){.chunk_size = 1 << 14});
  const sn_msg_capacity capacity = {.item_count = 4096};
  sn_joint_state *msg = sn_msg_create(&mcap_rig_arena, &sn_joint_state_type, &capacity);
  mcap_rig_add_channel(writer, "/big", &sn_joint_state_type);
  assert_int_equal(sn__mcap_writer_write(writer, 0, 0, 0, msg, &mcap_rig_err), SN_OK);
  msg->position.count = 4096;
  assert_int_equal(sn__mcap_writer_write(writer, 0, 1, 1, msg, &mcap_rig_err), SN_ENOSPC);
  sn_assert_contains(mcap_rig_err.message,
                     "topic /big: a message of 32804 bytes is larger than a chunk");
  msg->position.count = 2000; /* fits alone */
  assert_int_equal(sn__mcap_writer_write(writer, 0, 2, 2, msg, &mcap_rig_err), SN_OK);
  assert_int_equal(sn__mcap_writer_write(writer, 0, 3, 3, msg, &mcap_rig_err), SN_OK);
  assert_int_equal(sn__mcap_writer_write(writer, 0, -1, 3, msg, &mcap_rig_err), SN_EINVAL);
  assert_int_equal(sn__mcap_writer_write(writer, 0, 3, -1, msg, &mcap_rig_err), SN_EINVAL);
  msg->header.stamp_ns = INT64_MAX;
  assert_int_equal(sn__mcap_writer_write(writer, 0, 4, 4, msg, &mcap_rig_err), SN_ELIMIT);
  assert_int_equal(sn__mcap_writer_finish(writer, &mcap_rig_err), SN_OK);
  mcap_rig_err.message[0] = '\0';
  sn_mcap_reader *reader = mcap_rig_create_reader(&(sn_mcap_reader_config){.record_size = 1 << 14});
  static const int64_t times[] = {0, 2, 3};
  for (size_t i = 0; i < 3; i++) {
    sn_mcap_message message;
    mcap_rig_read_next(reader, &message);
    assert_int_equal(message.log_ns, times[i]);
  }
  mcap_rig_expect_end(reader);
}

static sn_status count_bytes(void *context, const void *bytes, size_t size, sn_error *error) {
  (void)bytes;
  (void)error;
  *(uint64_t *)context += size;
  return SN_OK;
}

/* As much as a gigabyte if the tests are scaled up; the memory is that of the creation. */
SN_TEST(long_recording_needs_no_more_memory) {
  uint64_t bytes = 0;
  const sn_mcap_writer_config config = {.sink = {.write = count_bytes, .context = &bytes}};
  sn_mcap_writer *writer = NULL;
  assert_int_equal(sn__mcap_writer_create(&mcap_rig_arena, &config, &writer, &mcap_rig_err), SN_OK);
  assert_true(sn_arena_used(&mcap_rig_arena) < (7u << 20));
  mcap_rig_add_channel(writer, "/joints", &sn_joint_state_type);
  const sn_msg_capacity capacity = {.item_count = 200};
  sn_joint_state *msg = sn_msg_create(&mcap_rig_arena, &sn_joint_state_type, &capacity);
  msg->position.count = msg->velocity.count = msg->effort.count = 200;
  sn_arena_seal(&mcap_rig_arena);
  const size_t count = sn_test_cases(20000);
  sn_assert_no_heap(for (size_t i = 0; i < count; i++) {
    if (sn__mcap_writer_write(writer, 0, (int64_t)i * MS, 0, msg, &mcap_rig_err) != SN_OK) {
      break;
    }
  } sn__mcap_writer_finish(writer, &mcap_rig_err));
  assert_int_equal(sn__mcap_writer_counts(writer).messages, count);
  assert_int_equal(sn__mcap_writer_counts(writer).bytes, bytes);
  assert_true(bytes > count * 4800);
}

SN_TEST_EACH(mcap_rig_set_up, mcap_rig_tear_down)
