/* What the writer writes, the reader reads; and the file is what the specification says, as far as
   that can be seen without another reader (tests/interop has one). */
#include <stdlib.h>

#include "allocation.h"
#include "mcap_bytes.h"
#include "msg/msg_text.h"
#include "msg/wire/msg_ros1.h"
#include "random_msg.h"
#include "record/crc32.h"
#include "record/mcap.h"
#include "record/mcap_format.h"
#include "sinew/msg_types.h"
#include "sinew/msg_wire.h"
#include "sn_test.h"

#define MS INT64_C(1000000)

static sn_arena arena;
static mcap_bytes file;
static sn_error err;

static int set_up(void **state) {
  (void)state;
  sn_arena_init_growing(&arena, "mcap", 0);
  mcap_bytes_init(&file);
  err = (sn_error){SN_OK, ""};
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  mcap_bytes_free(&file);
  sn_arena_release(&arena);
  return 0;
}

static sn_mcap_writer *create_writer(sn_mcap_writer_config config) {
  sn_mcap_writer *writer = NULL;
  config.sink = mcap_bytes_sink(&file);
  assert_int_equal(sn__mcap_writer_create(&arena, &config, &writer, &err), SN_OK);
  return writer;
}

static size_t add_channel(sn_mcap_writer *writer, const char *topic, const sn_msg_type *type) {
  size_t channel = SIZE_MAX;
  assert_int_equal(sn__mcap_writer_add(writer, topic, type, &channel, &err), SN_OK);
  return channel;
}

static sn_mcap_reader *create_reader(const sn_mcap_reader_config *config) {
  sn_mcap_reader *reader = NULL;
  const sn_mcap_source source = mcap_bytes_source(&file, file.size);
  const sn_status status = sn__mcap_reader_create(&arena, &source, config, &reader, &err);
  assert_string_equal(err.message, "");
  assert_int_equal(status, SN_OK);
  return reader;
}

static void read_next(sn_mcap_reader *reader, sn_mcap_message *message) {
  const sn_status status = sn__mcap_reader_next(reader, message, &err);
  assert_string_equal(err.message, "");
  assert_int_equal(status, SN_OK);
}

static void expect_end(sn_mcap_reader *reader) {
  sn_mcap_message message;
  assert_int_equal(sn__mcap_reader_next(reader, &message, &err), SN_ENOENT);
  assert_int_equal(sn__mcap_reader_next(reader, &message, &err), SN_ENOENT);
  assert_true(sn__mcap_reader_info(reader).is_complete);
  assert_int_equal(sn__mcap_reader_info(reader).damaged, 0);
}

/* A number of the file. */
static uint64_t number_at(uint64_t at, size_t size) {
  sn__mcap_in in = {file.data + at, file.size - (size_t)at, 0, false};
  const uint64_t value = sn__mcap_take_number(&in, size);
  assert_false(in.is_short);
  return value;
}

/* ---- round trips ---- */

#define TYPES_MAX 64

/* Every type has a channel; messages of all of them come in random order. */
SN_TEST(every_type_survives_a_round_trip) {
  const sn_msg_capacity capacity = {.item_count = 6, .text_size = 10};
  const sn_random_msg_config config = {.is_valid_time = true};
  const size_t types = sn_msg_type_count();
  const size_t count = sn_test_cases(3000);
  sn_mcap_writer *writer = create_writer((sn_mcap_writer_config){.chunk_size = 1 << 15});
  sn_random random;
  sn_random_init(&random, 81);
  void *msgs[TYPES_MAX];
  void *others[TYPES_MAX];
  assert_true(types <= TYPES_MAX);
  for (size_t t = 0; t < types; t++) {
    msgs[t] = sn_msg_create(&arena, sn_msg_type_at(t), &capacity);
    others[t] = sn_msg_create(&arena, sn_msg_type_at(t), &capacity);
    assert_int_equal(add_channel(writer, sn_msg_type_at(t)->name, sn_msg_type_at(t)), t);
  }
  for (size_t i = 0; i < count; i++) {
    const size_t t = sn_random_below(&random, types);
    sn_random_msg_fill(sn_msg_type_at(t), msgs[t], &config, &random);
    assert_int_equal(sn__mcap_writer_write(writer, t, (int64_t)i * MS, (int64_t)i, msgs[t], &err),
                     SN_OK);
  }
  assert_int_equal(sn__mcap_writer_finish(writer, &err), SN_OK);
  assert_true(sn__mcap_writer_counts(writer).chunks > 10);
  assert_int_equal(sn__mcap_writer_counts(writer).messages, count);
  assert_int_equal(sn__mcap_writer_counts(writer).bytes, file.size);

  sn_mcap_reader *reader = create_reader(NULL);
  sn_random_init(&random, 81); /* the same messages once more */
  uint32_t sequences[TYPES_MAX] = {0};
  for (size_t i = 0; i < count; i++) {
    const size_t t = sn_random_below(&random, types);
    sn_random_msg_fill(sn_msg_type_at(t), msgs[t], &config, &random);
    sn_mcap_message message;
    read_next(reader, &message);
    assert_ptr_equal(message.channel->type, sn_msg_type_at(t));
    assert_string_equal(message.channel->topic, sn_msg_type_at(t)->name);
    assert_string_equal(message.channel->schema, sn_msg_type_at(t)->ros2_name);
    assert_string_equal(message.channel->schema_encoding, "ros2msg");
    assert_string_equal(message.channel->encoding, "cdr");
    assert_int_equal(message.log_ns, (int64_t)i * MS);
    assert_int_equal(message.publish_ns, i);
    assert_int_equal(message.sequence, sequences[t]++);
    assert_int_equal(sn__mcap_decode(&message, others[t], &err), SN_OK);
    assert_true(sn__msg_equal(sn_msg_type_at(t), msgs[t], others[t]));
  }
  expect_end(reader);
  assert_string_equal(sn__mcap_reader_info(reader).profile, "ros2");
  assert_string_equal(sn__mcap_reader_info(reader).library, "sinew");
  assert_int_equal(sn__mcap_reader_info(reader).chunks, sn__mcap_writer_counts(writer).chunks);
}

/* A message with this number in it. */
static sn_timer_event tick(uint64_t cycle) {
  return (sn_timer_event){.stamp_ns = (int64_t)cycle * MS, .period_ns = MS, .cycle = cycle};
}

/* Messages of two channels in turn, one a millisecond. */
static void write_ticks(sn_mcap_writer *writer, size_t from, size_t to) {
  for (size_t i = from; i < to; i++) {
    const sn_timer_event event = tick(i);
    assert_int_equal(
        sn__mcap_writer_write(writer, i % 2, (int64_t)i * MS, (int64_t)i * MS, &event, &err),
        SN_OK);
  }
}

static sn_mcap_writer *write_two_topics(size_t count, sn_mcap_writer_config config) {
  sn_mcap_writer *writer = create_writer(config);
  add_channel(writer, "/even", &sn_timer_event_type);
  add_channel(writer, "/odd", &sn_timer_event_type);
  write_ticks(writer, 0, count);
  assert_int_equal(sn__mcap_writer_finish(writer, &err), SN_OK);
  return writer;
}

SN_TEST(messages_of_one_topic_are_chosen) {
  write_two_topics(101, (sn_mcap_writer_config){0});
  sn_mcap_reader *reader = create_reader(&(sn_mcap_reader_config){.topic = "/odd"});
  for (size_t round = 0; round < 2; round++) {
    for (size_t i = 1; i < 101; i += 2) {
      sn_mcap_message message;
      sn_timer_event event;
      read_next(reader, &message);
      assert_string_equal(message.channel->topic, "/odd");
      assert_int_equal(sn__mcap_decode(&message, &event, &err), SN_OK);
      assert_int_equal(event.cycle, i);
    }
    expect_end(reader);
    /* Those that were passed over are known, too. */
    assert_int_equal(sn__mcap_reader_channel_count(reader), 2);
    const sn_mcap_channel *even = sn__mcap_reader_channel_at(reader, 0);
    assert_string_equal(even->topic, "/even");
    assert_int_equal(even->count, 51);
    assert_int_equal(even->first_ns, 0);
    assert_int_equal(even->last_ns, 100 * MS);
    assert_int_equal(sn__mcap_reader_channel_at(reader, 1)->count, 50);
    sn__mcap_reader_rewind(reader);
    assert_int_equal(sn__mcap_reader_channel_at(reader, 1)->count, 0);
  }
}

SN_TEST(file_without_messages_is_complete) {
  sn_mcap_writer *writer = create_writer((sn_mcap_writer_config){0});
  assert_int_equal(sn__mcap_writer_finish(writer, &err), SN_OK);
  expect_end(create_reader(NULL));
  mcap_bytes_free(&file);
  mcap_bytes_init(&file);
  write_two_topics(0, (sn_mcap_writer_config){0});
  sn_mcap_reader *reader = create_reader(NULL);
  expect_end(reader);
  assert_int_equal(sn__mcap_reader_channel_count(reader), 2);
}

SN_TEST(channels_may_come_later) {
  sn_mcap_writer *writer = create_writer((sn_mcap_writer_config){0});
  add_channel(writer, "/even", &sn_timer_event_type);
  add_channel(writer, "/odd", &sn_timer_event_type);
  write_ticks(writer, 0, 10);
  const size_t late = add_channel(writer, "/late", &sn_header_type);
  sn_header *header = sn_msg_create(&arena, &sn_header_type, NULL);
  assert_int_equal(sn__mcap_writer_write(writer, late, 10 * MS, 0, header, &err), SN_OK);
  assert_int_equal(sn__mcap_writer_finish(writer, &err), SN_OK);
  sn_mcap_reader *reader = create_reader(&(sn_mcap_reader_config){.topic = "/late"});
  sn_mcap_message message;
  read_next(reader, &message);
  assert_ptr_equal(message.channel->type, &sn_header_type);
  expect_end(reader);
}

SN_TEST(same_messages_give_the_same_bytes) {
  write_two_topics(5000, (sn_mcap_writer_config){.chunk_size = 1 << 14});
  mcap_bytes first = file;
  mcap_bytes_init(&file);
  write_two_topics(5000, (sn_mcap_writer_config){.chunk_size = 1 << 14});
  assert_int_equal(first.size, file.size);
  assert_memory_equal(first.data, file.data, file.size);
  mcap_bytes_free(&first);
}

/* The buffered messages span at most the duration of a chunk. */
SN_TEST(chunk_ends_with_its_time) {
  sn_mcap_writer *writer =
      write_two_topics(1000, (sn_mcap_writer_config){.chunk_duration_ns = 100 * MS});
  assert_int_equal(sn__mcap_writer_counts(writer).chunks, 10);
}

/* ---- the file as the specification has it ---- */

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
  assert_int_equal(number_at(head + 24, 4), sn__crc32(&table, 0, file.data + records, size));
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
      write_two_topics(5000, (sn_mcap_writer_config){.chunk_size = 1 << 14});
  const uint64_t footer = file.size - 37;
  assert_int_equal(number_at(footer, 1), SN__MCAP_FOOTER);
  const uint64_t summary = number_at(footer + 9, 8);
  const uint64_t offsets = number_at(footer + 17, 8);
  sn__crc32_table table;
  sn__crc32_init(&table);
  assert_int_equal(number_at(footer + 25, 4),
                   sn__crc32(&table, 0, file.data + summary, footer + 25 - summary));
  assert_int_equal(number_at(summary - 13, 1), SN__MCAP_DATA_END);
  assert_int_equal(number_at(summary - 4, 4), sn__crc32(&table, 0, file.data, summary - 13));
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
  const sn_mcap_writer *writer =
      write_two_topics(5000, (sn_mcap_writer_config){.chunk_size = 1 << 14, .index_size = 500});
  assert_false(sn__mcap_writer_counts(writer).is_indexed);
  const uint64_t offsets = number_at(file.size - 37 + 17, 8);
  for (uint64_t at = offsets; at < file.size - 37; at += 26) {
    assert_int_not_equal(number_at(at + 9, 1), SN__MCAP_CHUNK_INDEX);
  }
  sn_mcap_reader *reader = create_reader(NULL);
  for (size_t i = 0; i < 5000; i++) {
    sn_mcap_message message;
    read_next(reader, &message);
  }
  expect_end(reader);
}

SN_TEST(notes_do_not_disturb) {
  sn_mcap_writer *writer = create_writer((sn_mcap_writer_config){0});
  add_channel(writer, "/even", &sn_timer_event_type);
  add_channel(writer, "/odd", &sn_timer_event_type);
  write_ticks(writer, 0, 3);
  const char *const pairs[] = {"key", "value", "lost", "3"};
  for (size_t i = 0; i < 16; i++) {
    assert_int_equal(sn__mcap_writer_note(writer, "sinew", pairs, 2, &err), SN_OK);
  }
  write_ticks(writer, 3, 6);
  assert_int_equal(sn__mcap_writer_note(writer, "sinew", pairs, 2, &err), SN_ELIMIT);
  assert_int_equal(sn__mcap_writer_finish(writer, &err), SN_OK);
  err.message[0] = '\0';
  sn_mcap_reader *reader = create_reader(NULL);
  for (size_t i = 0; i < 6; i++) {
    sn_mcap_message message;
    read_next(reader, &message);
    assert_int_equal(message.log_ns, (int64_t)i * MS);
  }
  expect_end(reader);
}

/* ---- limits ---- */

SN_TEST(wrong_sizes_are_refused) {
  const sn_mcap_writer_config configs[] = {{.channel_max = 65536},
                                           {.chunk_size = 100},
                                           {.chunk_size = (1u << 26) + 1},
                                           {.index_size = (1u << 30) + 1},
                                           {.chunk_duration_ns = -1}};
  for (size_t i = 0; i < sizeof configs / sizeof *configs; i++) {
    sn_mcap_writer *writer = NULL;
    assert_int_equal(sn__mcap_writer_create(&arena, &configs[i], &writer, &err), SN_EINVAL);
    assert_null(writer);
  }
  write_two_topics(1, (sn_mcap_writer_config){0});
  const sn_mcap_source source = mcap_bytes_source(&file, file.size);
  const sn_mcap_reader_config wrong[] = {
      {.channel_max = 65536}, {.record_size = 100}, {.record_size = (1u << 30) + 1}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    sn_mcap_reader *reader = NULL;
    assert_int_equal(sn__mcap_reader_create(&arena, &source, &wrong[i], &reader, &err), SN_EINVAL);
    assert_null(reader);
  }
}

SN_TEST(too_small_an_arena_is_reported_and_left_as_it_was) {
  static uint8_t memory[1 << 20];
  sn_arena small;
  for (size_t size = 0; size < sizeof memory; size += 997) {
    sn_arena_init(&small, "small", memory, size);
    const sn_mcap_writer_config config = {.sink = mcap_bytes_sink(&file), .chunk_size = 1 << 14};
    sn_mcap_writer *writer = NULL;
    assert_int_equal(sn__mcap_writer_create(&small, &config, &writer, &err), SN_ENOMEM);
    assert_int_equal(sn_arena_used(&small), 0);
  }
}

SN_TEST(channels_have_limits) {
  sn_mcap_writer *writer = create_writer((sn_mcap_writer_config){.channel_max = 2});
  size_t channel = 0;
  char topic[258];
  memset(topic, 'a', sizeof topic);
  topic[256] = '\0';
  assert_int_equal(sn__mcap_writer_add(writer, topic, &sn_header_type, &channel, &err), SN_EINVAL);
  assert_int_equal(sn__mcap_writer_add(writer, "", &sn_header_type, &channel, &err), SN_EINVAL);
  topic[255] = '\0';
  add_channel(writer, topic, &sn_header_type);
  add_channel(writer, "b", &sn_header_type);
  assert_int_equal(sn__mcap_writer_add(writer, "c", &sn_header_type, &channel, &err), SN_ELIMIT);
  sn_assert_contains(err.message, "topic c: no room for more than 2 topics");
}

SN_TEST(message_that_cannot_be_written_is_left_out) {
  sn_mcap_writer *writer = create_writer((sn_mcap_writer_config){.chunk_size = 1 << 14});
  const sn_msg_capacity capacity = {.item_count = 4096};
  sn_joint_state *msg = sn_msg_create(&arena, &sn_joint_state_type, &capacity);
  add_channel(writer, "/big", &sn_joint_state_type);
  assert_int_equal(sn__mcap_writer_write(writer, 0, 0, 0, msg, &err), SN_OK);
  msg->position.count = 4096;
  assert_int_equal(sn__mcap_writer_write(writer, 0, 1, 1, msg, &err), SN_ENOSPC);
  sn_assert_contains(err.message, "topic /big: a message of 32804 bytes is larger than a chunk");
  msg->position.count = 2000; /* fits alone */
  assert_int_equal(sn__mcap_writer_write(writer, 0, 2, 2, msg, &err), SN_OK);
  assert_int_equal(sn__mcap_writer_write(writer, 0, 3, 3, msg, &err), SN_OK);
  assert_int_equal(sn__mcap_writer_write(writer, 0, -1, 3, msg, &err), SN_EINVAL);
  assert_int_equal(sn__mcap_writer_write(writer, 0, 3, -1, msg, &err), SN_EINVAL);
  msg->header.stamp_ns = INT64_MAX;
  assert_int_equal(sn__mcap_writer_write(writer, 0, 4, 4, msg, &err), SN_ELIMIT);
  assert_int_equal(sn__mcap_writer_finish(writer, &err), SN_OK);
  err.message[0] = '\0';
  sn_mcap_reader *reader = create_reader(&(sn_mcap_reader_config){.record_size = 1 << 14});
  static const int64_t times[] = {0, 2, 3};
  for (size_t i = 0; i < 3; i++) {
    sn_mcap_message message;
    read_next(reader, &message);
    assert_int_equal(message.log_ns, times[i]);
  }
  expect_end(reader);
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
  const sn_mcap_writer_config config = {.sink = {count_bytes, &bytes}};
  sn_mcap_writer *writer = NULL;
  assert_int_equal(sn__mcap_writer_create(&arena, &config, &writer, &err), SN_OK);
  assert_true(sn_arena_used(&arena) < (7u << 20));
  add_channel(writer, "/joints", &sn_joint_state_type);
  const sn_msg_capacity capacity = {.item_count = 200};
  sn_joint_state *msg = sn_msg_create(&arena, &sn_joint_state_type, &capacity);
  msg->position.count = msg->velocity.count = msg->effort.count = 200;
  sn_arena_seal(&arena);
  const size_t count = sn_test_cases(20000);
  sn_assert_no_heap(for (size_t i = 0; i < count; i++) {
    if (sn__mcap_writer_write(writer, 0, (int64_t)i * MS, 0, msg, &err) != SN_OK) {
      break;
    }
  } sn__mcap_writer_finish(writer, &err));
  assert_int_equal(sn__mcap_writer_counts(writer).messages, count);
  assert_int_equal(sn__mcap_writer_counts(writer).bytes, bytes);
  assert_true(bytes > count * 4800);
}

/* ---- files of others ---- */

static void put_schema(sn__mcap_out *out, uint16_t id, const char *name, const char *encoding) {
  const size_t record = sn__mcap_begin(out, SN__MCAP_SCHEMA);
  sn__mcap_put_number(out, id, 2);
  sn__mcap_put_text(out, name);
  sn__mcap_put_text(out, encoding);
  sn__mcap_put_text(out, "some text");
  sn__mcap_end(out, record);
}

static void put_channel(sn__mcap_out *out, uint16_t id, uint16_t schema, const char *topic,
                        const char *encoding) {
  const size_t record = sn__mcap_begin(out, SN__MCAP_CHANNEL);
  sn__mcap_put_number(out, id, 2);
  sn__mcap_put_number(out, schema, 2);
  sn__mcap_put_text(out, topic);
  sn__mcap_put_text(out, encoding);
  sn__mcap_put_number(out, 0, 4);
  sn__mcap_end(out, record);
}

static void put_message(sn__mcap_out *out, uint16_t channel, const void *data, size_t size) {
  const size_t record = sn__mcap_begin(out, SN__MCAP_MESSAGE);
  sn__mcap_put_number(out, channel, 2);
  sn__mcap_put_number(out, 7, 4);
  sn__mcap_put_number(out, UINT64_MAX, 8);
  sn__mcap_put_number(out, 9, 8);
  sn__mcap_put(out, data, size);
  sn__mcap_end(out, record);
}

static void put_record(sn__mcap_out *out, uint8_t opcode, size_t size) {
  const size_t record = sn__mcap_begin(out, opcode);
  for (size_t i = 0; i < size; i++) {
    sn__mcap_put_number(out, 0xab, 1);
  }
  sn__mcap_end(out, record);
}

static void put_start(sn__mcap_out *out) {
  sn__mcap_put(out, SN__MCAP_MAGIC, SN__MCAP_MAGIC_SIZE);
  const size_t record = sn__mcap_begin(out, SN__MCAP_HEADER);
  sn__mcap_put_text(out, "");
  sn__mcap_put_text(out, "another");
  sn__mcap_put_number(out, 1, 8); /* a field of a later version */
  sn__mcap_end(out, record);
}

static void put_end(sn__mcap_out *out) {
  const size_t record = sn__mcap_begin(out, SN__MCAP_FOOTER);
  sn__mcap_put_number(out, 0, 8);
  sn__mcap_put_number(out, 0, 8);
  sn__mcap_put_number(out, 0, 4);
  sn__mcap_end(out, record);
  sn__mcap_put(out, SN__MCAP_MAGIC, SN__MCAP_MAGIC_SIZE);
}

static void take_file(const sn__mcap_out *out) {
  assert_true(sn__mcap_fits(out));
  const sn_mcap_sink sink = mcap_bytes_sink(&file);
  assert_int_equal(sink.write(sink.context, out->bytes, out->used, &err), SN_OK);
}

static uint8_t room[1 << 14];

/* Without chunks, with unknown records, in three known encodings and an unknown one. */
SN_TEST(plain_files_of_others_are_read) {
  uint8_t cdr[64];
  uint8_t ros1[64];
  size_t cdr_size = 0;
  size_t ros1_size = 0;
  const sn_timer_event event = tick(5);
  assert_int_equal(sn_cdr_write(&sn_timer_event_type, &event, cdr, sizeof cdr, &cdr_size), SN_OK);
  assert_int_equal(sn__ros1_write(&sn_timer_event_type, &event, ros1, sizeof ros1, &ros1_size),
                   SN_OK);
  char json[256];
  const size_t json_size = sn_msg_to_json(&sn_timer_event_type, &event, json, sizeof json);
  sn__mcap_out out = {room, sizeof room, 0};
  put_start(&out);
  put_record(&out, 0x90, 33);
  put_record(&out, 0x09, 50);                  /* an attachment */
  put_schema(&out, 0, "invalid", "to ignore"); /* by the specification */
  put_schema(&out, 9, "sinew_msgs/msg/TimerEvent", "ros2msg");
  put_schema(&out, 3, "sinew_msgs/TimerEvent", "ros1msg");
  put_schema(&out, 9, "sinew_msgs/msg/TimerEvent", "ros2msg"); /* once more is allowed */
  put_channel(&out, 500, 9, "/cdr", "cdr");
  put_channel(&out, 20, 3, "/ros1", "ros1");
  put_channel(&out, 30, 9, "/json", "json");
  put_channel(&out, 10, 0, "/other", "protobuf");
  put_channel(&out, 20, 3, "/ros1", "ros1");
  put_message(&out, 500, cdr, cdr_size);
  put_message(&out, 20, ros1, ros1_size);
  put_record(&out, 0x10, 0);
  put_message(&out, 30, json, json_size);
  put_message(&out, 10, "?", 1);
  put_end(&out);
  take_file(&out);
  sn_mcap_reader *reader = create_reader(NULL);
  sn_mcap_message message;
  for (size_t i = 0; i < 3; i++) {
    sn_timer_event other = {0};
    read_next(reader, &message);
    assert_int_equal(sn__mcap_decode(&message, &other, &err), SN_OK);
    assert_true(sn__msg_equal(&sn_timer_event_type, &event, &other));
    assert_int_equal(message.sequence, 7);
    assert_int_equal(message.publish_ns, 9);
    assert_int_equal(message.log_ns, INT64_MAX);
  }
  read_next(reader, &message);
  assert_null(message.channel->type);
  assert_string_equal(message.channel->schema, "");
  assert_int_equal(sn__mcap_decode(&message, room, &err), SN_EUNSUPPORTED);
  sn_assert_contains(err.message, "topic /other: messages of type '' in encoding 'protobuf'");
  expect_end(reader);
  assert_string_equal(sn__mcap_reader_info(reader).profile, "");
  assert_string_equal(sn__mcap_reader_info(reader).library, "another");
  assert_int_equal(sn__mcap_reader_channel_count(reader), 4);
  for (size_t i = 0; i < 4; i++) {
    static const uint16_t ids[] = {10, 20, 30, 500};
    assert_int_equal(sn__mcap_reader_channel_at(reader, i)->id, ids[i]);
  }
}

static void put_chunk(sn__mcap_out *out, const char *compression, const sn__mcap_out *records,
                      uint64_t size) {
  const size_t record = sn__mcap_begin(out, SN__MCAP_CHUNK);
  sn__mcap_put_number(out, 0, 8);
  sn__mcap_put_number(out, 0, 8);
  sn__mcap_put_number(out, size, 8);
  sn__mcap_put_number(out, 0, 4); /* no checksum */
  sn__mcap_put_text(out, compression);
  sn__mcap_put_number(out, records->used, 8);
  sn__mcap_put(out, records->bytes, records->used);
  sn__mcap_end(out, record);
}

/* Expects a refusal with this text, and a reader that goes on. */
static void expect_refusal(sn_mcap_reader *reader, sn_status status, const char *part) {
  sn_mcap_message message;
  assert_int_equal(sn__mcap_reader_next(reader, &message, &err), status);
  sn_assert_contains(err.message, part);
  err = (sn_error){SN_OK, ""};
}

SN_TEST(what_cannot_be_read_is_reported_and_passed_over) {
  uint8_t inner_room[512];
  sn__mcap_out good = {inner_room, sizeof inner_room, 0};
  put_message(&good, 1, "x", 1);
  uint8_t cut_room[512];
  sn__mcap_out cut = {cut_room, sizeof cut_room, 0};
  put_message(&cut, 1, "x", 1);
  put_message(&cut, 1, "y", 1);
  cut.used -= 1;
  sn__mcap_out out = {room, sizeof room, 0};
  put_start(&out);
  put_schema(&out, 1, "a", "b");
  put_schema(&out, 1, "a", "c");
  put_channel(&out, 1, 1, "/t", "e");
  put_channel(&out, 1, 1, "/u", "e");
  put_channel(&out, 2, 8, "/u", "e");
  put_chunk(&out, "lz4", &good, 1000);
  put_chunk(&out, "zstd\033[31m", &good, 1000);
  put_chunk(&out, "", &good, good.used + 1);
  put_chunk(&out, "", &cut, cut.used);
  put_message(&out, 4, "z", 1);
  put_record(&out, SN__MCAP_MESSAGE, 5);
  put_record(&out, SN__MCAP_CHUNK, 7);
  put_record(&out, SN__MCAP_SCHEMA, 7);
  put_record(&out, SN__MCAP_CHANNEL, 7);
  static const uint8_t large[5000];
  put_message(&out, 1, large, sizeof large);
  put_message(&out, 1, "w", 1);
  put_end(&out);
  take_file(&out);
  sn_mcap_reader *reader = create_reader(&(sn_mcap_reader_config){.record_size = 1 << 12});
  sn_mcap_message message;
  expect_refusal(reader, SN_ESYNTAX, "schema 1 was defined before, differently");
  expect_refusal(reader, SN_ESYNTAX, "channel 1 was defined before, differently");
  expect_refusal(reader, SN_ESYNTAX, "channel 2 has a schema without a definition");
  expect_refusal(reader, SN_EUNSUPPORTED, "a chunk is compressed by 'lz4'");
  expect_refusal(reader, SN_EUNSUPPORTED, "a chunk is compressed by 'zstd\\x1b[31m'");
  expect_refusal(reader, SN_ESYNTAX, "a chunk is damaged: 32 bytes, expected 33");
  read_next(reader, &message);
  assert_memory_equal(message.data, "x", 1);
  expect_refusal(reader, SN_ESYNTAX, "a record goes beyond the end of its chunk");
  expect_refusal(reader, SN_ESYNTAX, "a message of channel 4, which has no definition");
  expect_refusal(reader, SN_ESYNTAX, "a message is too short");
  expect_refusal(reader, SN_ESYNTAX, "a chunk is damaged: it is too short");
  expect_refusal(reader, SN_ESYNTAX, "schema 43947 is damaged");
  expect_refusal(reader, SN_ESYNTAX, "channel 43947 is damaged");
  expect_refusal(reader, SN_ELIMIT, "a message of 5000 bytes, expected 4096 at most");
  read_next(reader, &message);
  assert_memory_equal(message.data, "w", 1);
  assert_int_equal(sn__mcap_reader_next(reader, &message, &err), SN_ENOENT);
  assert_int_equal(sn__mcap_reader_info(reader).damaged, 13);
}

SN_TEST(tables_of_the_reader_have_limits) {
  sn__mcap_out out = {room, sizeof room, 0};
  put_start(&out);
  for (uint16_t i = 1; i < 5; i++) {
    put_channel(&out, i, 0, "/topic", "e");
  }
  put_schema(&out, 1, "a name that is too long", "");
  put_end(&out);
  take_file(&out);
  sn_mcap_reader *reader =
      create_reader(&(sn_mcap_reader_config){.channel_max = 3, .text_size = 20});
  expect_refusal(reader, SN_ELIMIT, "no room for channel 3");
  expect_refusal(reader, SN_ELIMIT, "no room for channel 4");
  expect_refusal(reader, SN_ELIMIT, "no room for schema 1");
  sn_mcap_message message;
  assert_int_equal(sn__mcap_reader_next(reader, &message, &err), SN_ENOENT);
}

SN_TEST(files_of_other_types_are_rejected) {
  static const char *const texts[] = {"",
                                      "\x89MCAP0\r",
                                      "\x89MCAP1\r\n",
                                      "time,joint\n0,1\n",
                                      "\x89MCAP0\r\n",
                                      "\x89MCAP0\r\n\x02"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    sn__mcap_out out = {room, sizeof room, 0};
    sn__mcap_put(&out, texts[i], strlen(texts[i]));
    file.size = 0;
    take_file(&out);
    sn_mcap_reader *reader = NULL;
    const sn_mcap_source source = mcap_bytes_source(&file, file.size);
    assert_int_equal(sn__mcap_reader_create(&arena, &source, NULL, &reader, &err), SN_ESYNTAX);
    sn_assert_contains(err.message, i < 4 ? "not an MCAP file" : "no complete header");
  }
}

/* ---- attachments and notes ---- */

SN_TEST(attachments_and_notes_are_read_back) {
  enum { SIZE = 100000 };
  sn_mcap_writer *writer = create_writer((sn_mcap_writer_config){.chunk_size = 1 << 14});
  const size_t channel = add_channel(writer, "/a", &sn_timer_event_type);
  char *bytes = sn_arena_alloc(&arena, SIZE, 1);
  sn_random random;
  sn_random_init(&random, 82);
  for (size_t i = 0; i < SIZE; i++) {
    bytes[i] = (char)sn_random_below(&random, 256);
  }
  const sn_timer_event event = {.stamp_ns = 1, .period_ns = 2, .cycle = 3};
  const char *const pairs[] = {"one", "1", "two", "zwei"};
  assert_int_equal(sn__mcap_writer_write(writer, channel, 5, 5, &event, &err), SN_OK);
  const size_t before = file.size;
  assert_int_equal(sn__mcap_writer_attach(writer, "big", "x/y", bytes, SIZE, &err), SN_OK);
  assert_int_equal(sn__mcap_writer_note(writer, "note", pairs, 2, &err), SN_OK);
  assert_int_equal(sn__mcap_writer_note(writer, "note", pairs + 2, 1, &err), SN_OK);
  assert_int_equal(sn__mcap_writer_write(writer, channel, 6, 6, &event, &err), SN_OK);
  assert_int_equal(sn__mcap_writer_attach(writer, "empty", "x/y", "", 0, &err), SN_OK);
  assert_int_equal(sn__mcap_writer_finish(writer, &err), SN_OK);

  sn_mcap_reader *reader = create_reader(&(sn_mcap_reader_config){.record_size = 1 << 12});
  sn_mcap_message message;
  const char *data = NULL;
  size_t size = 0;
  char text[16];
  read_next(reader, &message); /* messages go on where they were */
  assert_int_equal(sn__mcap_reader_attachment(reader, "big", &arena, &data, &size, &err), SN_OK);
  assert_int_equal(size, SIZE);
  assert_memory_equal(data, bytes, SIZE);
  assert_int_equal(data[SIZE], '\0');
  assert_int_equal(sn__mcap_reader_attachment(reader, "empty", &arena, &data, &size, &err), SN_OK);
  assert_int_equal(size, 0);
  assert_int_equal(sn__mcap_reader_attachment(reader, "none", &arena, &data, &size, &err),
                   SN_ENOENT);
  assert_int_equal(sn__mcap_reader_note(reader, "note", 0, "two", text, sizeof text, &err), SN_OK);
  assert_string_equal(text, "zwei");
  assert_int_equal(sn__mcap_reader_note(reader, "note", 0, "two", text, 3, &err), SN_OK);
  assert_string_equal(text, "zw");
  assert_int_equal(sn__mcap_reader_note(reader, "note", 1, "one", text, sizeof text, &err),
                   SN_ENOENT);
  assert_int_equal(sn__mcap_reader_note(reader, "note", 2, "two", text, sizeof text, &err),
                   SN_ENOENT);
  err = (sn_error){SN_OK, ""};
  read_next(reader, &message);
  assert_int_equal(message.log_ns, 6);
  expect_end(reader);

  /* One bit anywhere in an attachment is noticed. */
  for (size_t i = 0; i < 100; i++) {
    const size_t at = before + 20000 + sn_random_below(&random, SIZE - 20000);
    file.data[at] ^= 4;
    assert_int_equal(sn__mcap_reader_attachment(reader, "big", &arena, &data, &size, &err),
                     SN_ESYNTAX);
    sn_assert_contains(err.message, "checksum");
    file.data[at] ^= 4;
  }
}

SN_TEST(attachments_have_limits) {
  sn_mcap_writer *writer = create_writer((sn_mcap_writer_config){.chunk_size = 1 << 14});
  char name[65];
  memset(name, 'n', sizeof name);
  name[64] = '\0';
  assert_int_equal(sn__mcap_writer_attach(writer, name, "x/y", "", 0, &err), SN_ELIMIT);
  for (size_t i = 0; i < 16; i++) {
    assert_int_equal(sn__mcap_writer_attach(writer, "a", "x/y", "b", 1, &err), SN_OK);
  }
  assert_int_equal(sn__mcap_writer_attach(writer, "a", "x/y", "b", 1, &err), SN_ELIMIT);
  assert_int_equal(sn__mcap_writer_finish(writer, &err), SN_OK);
}

SN_TEST_EACH(set_up, tear_down)
