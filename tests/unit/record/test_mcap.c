/* What the writer writes, the reader reads; and the file is what the specification says, as far as
   that can be seen without another reader (tests/interop has one). */
#include "mcap_rig.h"
#include "msg/msg_text.h"
#include "random_msg.h"
#include "sn_test.h"

#define TYPES_MAX 64

/* Every type has a channel; messages of all of them come in random order. */
SN_TEST(every_type_survives_a_round_trip) {
  const sn_msg_capacity capacity = {.item_count = 6, .text_size = 10};
  const sn_random_msg_config config = {.is_valid_time = true};
  const size_t types = sn_msg_type_count();
  const size_t count = sn_test_cases(3000);
  sn_mcap_writer *writer = mcap_rig_create_writer((sn_mcap_writer_config){.chunk_size = 1 << 15});
  sn_random random;
  sn_random_init(&random, 81);
  void *msgs[TYPES_MAX];
  void *others[TYPES_MAX];
  assert_true(types <= TYPES_MAX);
  for (size_t t = 0; t < types; t++) {
    msgs[t] = sn_msg_create(&mcap_rig_arena, sn_msg_type_at(t), &capacity);
    others[t] = sn_msg_create(&mcap_rig_arena, sn_msg_type_at(t), &capacity);
    assert_int_equal(mcap_rig_add_channel(writer, sn_msg_type_at(t)->name, sn_msg_type_at(t)), t);
  }
  for (size_t i = 0; i < count; i++) {
    const size_t t = sn_random_below(&random, types);
    sn_random_msg_fill(sn_msg_type_at(t), msgs[t], &config, &random);
    assert_int_equal(
        sn__mcap_writer_write(writer, t, (int64_t)i * MS, (int64_t)i, msgs[t], &mcap_rig_err),
        SN_OK);
  }
  assert_int_equal(sn__mcap_writer_finish(writer, &mcap_rig_err), SN_OK);
  assert_true(sn__mcap_writer_counts(writer).chunks > 10);
  assert_int_equal(sn__mcap_writer_counts(writer).messages, count);
  assert_int_equal(sn__mcap_writer_counts(writer).bytes, mcap_rig_file.size);

  sn_mcap_reader *reader = mcap_rig_create_reader(NULL);
  sn_random_init(&random, 81); /* the same messages once more */
  uint32_t sequences[TYPES_MAX] = {0};
  for (size_t i = 0; i < count; i++) {
    const size_t t = sn_random_below(&random, types);
    sn_random_msg_fill(sn_msg_type_at(t), msgs[t], &config, &random);
    sn_mcap_message message;
    mcap_rig_read_next(reader, &message);
    assert_ptr_equal(message.channel->type, sn_msg_type_at(t));
    assert_string_equal(message.channel->topic, sn_msg_type_at(t)->name);
    assert_string_equal(message.channel->schema, sn_msg_type_at(t)->ros2_name);
    assert_string_equal(message.channel->schema_encoding, "ros2msg");
    assert_string_equal(message.channel->encoding, "cdr");
    assert_int_equal(message.log_ns, (int64_t)i * MS);
    assert_int_equal(message.publish_ns, i);
    assert_int_equal(message.sequence, sequences[t]++);
    assert_int_equal(sn__mcap_decode(&message, others[t], &mcap_rig_err), SN_OK);
    assert_true(sn__msg_equal(sn_msg_type_at(t), msgs[t], others[t]));
  }
  mcap_rig_expect_end(reader);
  assert_string_equal(sn__mcap_reader_info(reader).profile, "ros2");
  assert_string_equal(sn__mcap_reader_info(reader).library, "sinew");
  assert_int_equal(sn__mcap_reader_info(reader).chunks, sn__mcap_writer_counts(writer).chunks);
}

SN_TEST(messages_of_one_topic_are_chosen) {
  mcap_rig_write_two_topics(101, (sn_mcap_writer_config){0});
  sn_mcap_reader *reader = mcap_rig_create_reader(&(sn_mcap_reader_config){.topic = "/odd"});
  for (size_t round = 0; round < 2; round++) {
    for (size_t i = 1; i < 101; i += 2) {
      sn_mcap_message message;
      sn_timer_event event;
      mcap_rig_read_next(reader, &message);
      assert_string_equal(message.channel->topic, "/odd");
      assert_int_equal(sn__mcap_decode(&message, &event, &mcap_rig_err), SN_OK);
      assert_int_equal(event.cycle, i);
    }
    mcap_rig_expect_end(reader);
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
  sn_mcap_writer *writer = mcap_rig_create_writer((sn_mcap_writer_config){0});
  assert_int_equal(sn__mcap_writer_finish(writer, &mcap_rig_err), SN_OK);
  mcap_rig_expect_end(mcap_rig_create_reader(NULL));
  mcap_bytes_free(&mcap_rig_file);
  mcap_bytes_init(&mcap_rig_file);
  mcap_rig_write_two_topics(0, (sn_mcap_writer_config){0});
  sn_mcap_reader *reader = mcap_rig_create_reader(NULL);
  mcap_rig_expect_end(reader);
  assert_int_equal(sn__mcap_reader_channel_count(reader), 2);
}

SN_TEST(channels_may_come_later) {
  sn_mcap_writer *writer = mcap_rig_create_writer((sn_mcap_writer_config){0});
  mcap_rig_add_channel(writer, "/even", &sn_timer_event_type);
  mcap_rig_add_channel(writer, "/odd", &sn_timer_event_type);
  mcap_rig_write_ticks(writer, 0, 10);
  const size_t late = mcap_rig_add_channel(writer, "/late", &sn_header_type);
  sn_header *header = sn_msg_create(&mcap_rig_arena, &sn_header_type, NULL);
  assert_int_equal(sn__mcap_writer_write(writer, late, 10 * MS, 0, header, &mcap_rig_err), SN_OK);
  assert_int_equal(sn__mcap_writer_finish(writer, &mcap_rig_err), SN_OK);
  sn_mcap_reader *reader = mcap_rig_create_reader(&(sn_mcap_reader_config){.topic = "/late"});
  sn_mcap_message message;
  mcap_rig_read_next(reader, &message);
  assert_ptr_equal(message.channel->type, &sn_header_type);
  mcap_rig_expect_end(reader);
}

SN_TEST(same_messages_give_the_same_bytes) {
  mcap_rig_write_two_topics(5000, (sn_mcap_writer_config){.chunk_size = 1 << 14});
  mcap_bytes first = mcap_rig_file;
  mcap_bytes_init(&mcap_rig_file);
  mcap_rig_write_two_topics(5000, (sn_mcap_writer_config){.chunk_size = 1 << 14});
  assert_int_equal(first.size, mcap_rig_file.size);
  assert_memory_equal(first.data, mcap_rig_file.data, mcap_rig_file.size);
  mcap_bytes_free(&first);
}

/* The buffered messages span at most the duration of a chunk. */
SN_TEST(chunk_ends_with_its_time) {
  sn_mcap_writer *writer =
      mcap_rig_write_two_topics(1000, (sn_mcap_writer_config){.chunk_duration_ns = 100 * MS});
  assert_int_equal(sn__mcap_writer_counts(writer).chunks, 10);
}

SN_TEST_EACH(mcap_rig_set_up, mcap_rig_tear_down)
