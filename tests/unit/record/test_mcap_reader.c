/* What the MCAP reader accepts: files of others, attachments, damage it reports. */
#include "mcap_rig.h"
#include "msg/msg_text.h"
#include "msg/wire/msg_ros1.h"
#include "random_msg.h"
#include "record/mcap_format.h"
#include "sinew/msg_wire.h"
#include "sn_test.h"

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
  const sn_mcap_sink sink = mcap_bytes_sink(&mcap_rig_file);
  assert_int_equal(sink.write(sink.context, out->bytes, out->used, &mcap_rig_err), SN_OK);
}

static uint8_t room[1 << 14];

/* Without chunks, with unknown records, in three known encodings and an unknown one. */
SN_TEST(plain_files_of_others_are_read) {
  uint8_t cdr[64];
  uint8_t ros1[64];
  size_t cdr_size = 0;
  size_t ros1_size = 0;
  const sn_timer_event event = mcap_rig_tick(5);
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
  sn_mcap_reader *reader = mcap_rig_create_reader(NULL);
  sn_mcap_message message;
  for (size_t i = 0; i < 3; i++) {
    sn_timer_event other = {0};
    mcap_rig_read_next(reader, &message);
    assert_int_equal(sn__mcap_decode(&message, &other, &mcap_rig_err), SN_OK);
    assert_true(sn__msg_equal(&sn_timer_event_type, &event, &other));
    assert_int_equal(message.sequence, 7);
    assert_int_equal(message.publish_ns, 9);
    assert_int_equal(message.log_ns, INT64_MAX);
  }
  mcap_rig_read_next(reader, &message);
  assert_null(message.channel->type);
  assert_string_equal(message.channel->schema, "");
  assert_int_equal(sn__mcap_decode(&message, room, &mcap_rig_err), SN_EUNSUPPORTED);
  sn_assert_contains(mcap_rig_err.message,
                     "topic /other: messages of type '' in encoding 'protobuf'");
  mcap_rig_expect_end(reader);
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
  assert_int_equal(sn__mcap_reader_next(reader, &message, &mcap_rig_err), status);
  sn_assert_contains(mcap_rig_err.message, part);
  mcap_rig_err = (sn_error){SN_OK, ""};
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
  put_chunk(&out, "zstd", &good, (uint64_t)1 << 40);
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
  sn_mcap_reader *reader = mcap_rig_create_reader(&(sn_mcap_reader_config){.record_size = 1 << 12});
  sn_mcap_message message;
  expect_refusal(reader, SN_ESYNTAX, "schema 1 was defined before, differently");
  expect_refusal(reader, SN_ESYNTAX, "channel 1 was defined before, differently");
  expect_refusal(reader, SN_ESYNTAX, "channel 2 has a schema without a definition");
  expect_refusal(reader, SN_ESYNTAX, "its lz4 does not decompress to 1000 bytes");
  expect_refusal(reader, SN_ELIMIT, "a chunk of 1099511627776 bytes, compressed 32, expected");
  expect_refusal(reader, SN_EUNSUPPORTED, "a chunk is compressed by 'zstd\\x1b[31m'");
  expect_refusal(reader, SN_ESYNTAX, "a chunk is damaged: 32 bytes, expected 33");
  mcap_rig_read_next(reader, &message);
  assert_memory_equal(message.data, "x", 1);
  expect_refusal(reader, SN_ESYNTAX, "a record goes beyond the end of its chunk");
  expect_refusal(reader, SN_ESYNTAX, "a message of channel 4, which has no definition");
  expect_refusal(reader, SN_ESYNTAX, "a message is too short");
  expect_refusal(reader, SN_ESYNTAX, "a chunk is damaged: it is too short");
  expect_refusal(reader, SN_ESYNTAX, "schema 43947 is damaged");
  expect_refusal(reader, SN_ESYNTAX, "channel 43947 is damaged");
  expect_refusal(reader, SN_ELIMIT, "a message of 5000 bytes, expected 4096 at most");
  mcap_rig_read_next(reader, &message);
  assert_memory_equal(message.data, "w", 1);
  assert_int_equal(sn__mcap_reader_next(reader, &message, &mcap_rig_err), SN_ENOENT);
  assert_int_equal(sn__mcap_reader_info(reader).damaged, 14);
  sn__mcap_reader_close(reader);
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
      mcap_rig_create_reader(&(sn_mcap_reader_config){.channel_max = 3, .text_size = 20});
  expect_refusal(reader, SN_ELIMIT, "no room for channel 3");
  expect_refusal(reader, SN_ELIMIT, "no room for channel 4");
  expect_refusal(reader, SN_ELIMIT, "no room for schema 1");
  sn_mcap_message message;
  assert_int_equal(sn__mcap_reader_next(reader, &message, &mcap_rig_err), SN_ENOENT);
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
    mcap_rig_file.size = 0;
    take_file(&out);
    sn_mcap_reader *reader = NULL;
    const sn_mcap_source source = mcap_bytes_source(&mcap_rig_file, mcap_rig_file.size);
    assert_int_equal(sn__mcap_reader_create(&mcap_rig_arena, &source, NULL, &reader, &mcap_rig_err),
                     SN_ESYNTAX);
    sn_assert_contains(mcap_rig_err.message, i < 4 ? "not an MCAP file" : "no complete header");
  }
}

SN_TEST(attachments_and_notes_are_read_back) {
  enum { SIZE = 100000 };
  sn_mcap_writer *writer = mcap_rig_create_writer((sn_mcap_writer_config){.chunk_size = 1 << 14});
  const size_t channel = mcap_rig_add_channel(writer, "/a", &sn_timer_event_type);
  char *bytes = sn_arena_alloc(&mcap_rig_arena, SIZE, 1);
  sn_random random;
  sn_random_init(&random, 82);
  for (size_t i = 0; i < SIZE; i++) {
    bytes[i] = (char)sn_random_below(&random, 256);
  }
  const sn_timer_event event = {.stamp_ns = 1, .period_ns = 2, .cycle = 3};
  const char *const pairs[] = {"one", "1", "two", "zwei"};
  assert_int_equal(sn__mcap_writer_write(writer, channel, 5, 5, &event, &mcap_rig_err), SN_OK);
  const size_t before = mcap_rig_file.size;
  assert_int_equal(sn__mcap_writer_attach(writer, "big", "x/y", bytes, SIZE, &mcap_rig_err), SN_OK);
  assert_int_equal(sn__mcap_writer_note(writer, "note", pairs, 2, &mcap_rig_err), SN_OK);
  assert_int_equal(sn__mcap_writer_note(writer, "note", pairs + 2, 1, &mcap_rig_err), SN_OK);
  assert_int_equal(sn__mcap_writer_write(writer, channel, 6, 6, &event, &mcap_rig_err), SN_OK);
  assert_int_equal(sn__mcap_writer_attach(writer, "empty", "x/y", "", 0, &mcap_rig_err), SN_OK);
  assert_int_equal(sn__mcap_writer_finish(writer, &mcap_rig_err), SN_OK);

  sn_mcap_reader *reader = mcap_rig_create_reader(&(sn_mcap_reader_config){.record_size = 1 << 12});
  sn_mcap_message message;
  const char *data = NULL;
  size_t size = 0;
  char text[16];
  mcap_rig_read_next(reader, &message); /* messages go on where they were */
  assert_int_equal(
      sn__mcap_reader_attachment(reader, "big", &mcap_rig_arena, &data, &size, &mcap_rig_err),
      SN_OK);
  assert_int_equal(size, SIZE);
  assert_memory_equal(data, bytes, SIZE);
  assert_int_equal(data[SIZE], '\0');
  assert_int_equal(
      sn__mcap_reader_attachment(reader, "empty", &mcap_rig_arena, &data, &size, &mcap_rig_err),
      SN_OK);
  assert_int_equal(size, 0);
  assert_int_equal(
      sn__mcap_reader_attachment(reader, "none", &mcap_rig_arena, &data, &size, &mcap_rig_err),
      SN_ENOENT);
  assert_int_equal(sn__mcap_reader_note(reader, "note", 0, "two", text, sizeof text, &mcap_rig_err),
                   SN_OK);
  assert_string_equal(text, "zwei");
  assert_int_equal(sn__mcap_reader_note(reader, "note", 0, "two", text, 3, &mcap_rig_err), SN_OK);
  assert_string_equal(text, "zw");
  assert_int_equal(sn__mcap_reader_note(reader, "note", 1, "one", text, sizeof text, &mcap_rig_err),
                   SN_ENOENT);
  assert_int_equal(sn__mcap_reader_note(reader, "note", 2, "two", text, sizeof text, &mcap_rig_err),
                   SN_ENOENT);
  mcap_rig_err = (sn_error){SN_OK, ""};
  mcap_rig_read_next(reader, &message);
  assert_int_equal(message.log_ns, 6);
  mcap_rig_expect_end(reader);

  /* One bit anywhere in an attachment is noticed. */
  for (size_t i = 0; i < 100; i++) {
    const size_t at = before + 20000 + sn_random_below(&random, SIZE - 20000);
    mcap_rig_file.data[at] ^= 4;
    assert_int_equal(
        sn__mcap_reader_attachment(reader, "big", &mcap_rig_arena, &data, &size, &mcap_rig_err),
        SN_ESYNTAX);
    sn_assert_contains(mcap_rig_err.message, "checksum");
    mcap_rig_file.data[at] ^= 4;
  }
}

SN_TEST(attachments_have_limits) {
  sn_mcap_writer *writer = mcap_rig_create_writer((sn_mcap_writer_config){.chunk_size = 1 << 14});
  char name[65];
  memset(name, 'n', sizeof name);
  name[64] = '\0';
  assert_int_equal(sn__mcap_writer_attach(writer, name, "x/y", "", 0, &mcap_rig_err), SN_ELIMIT);
  for (size_t i = 0; i < 16; i++) {
    assert_int_equal(sn__mcap_writer_attach(writer, "a", "x/y", "b", 1, &mcap_rig_err), SN_OK);
  }
  assert_int_equal(sn__mcap_writer_attach(writer, "a", "x/y", "b", 1, &mcap_rig_err), SN_ELIMIT);
  assert_int_equal(sn__mcap_writer_finish(writer, &mcap_rig_err), SN_OK);
}

SN_TEST_EACH(mcap_rig_set_up, mcap_rig_tear_down)
