/* Compressed chunks: what is written is read back, and a chunk that lies about its size costs
   nothing but itself. */
#include <inttypes.h>

#include "mcap_rig.h"
#include "record/mcap_writer.h"
#include "sinew/random.h"

static const sn_mcap_compression compressions[] = {SN_MCAP_ZSTD, SN_MCAP_LZ4};
enum { COMPRESSION_COUNT = 2, MESSAGES = 2000 };

static sn_mcap_writer_config small_chunks(sn_mcap_compression compression) {
  return (sn_mcap_writer_config){.chunk_size = 1 << 14, .compression = compression};
}

static size_t write_file(sn_mcap_compression compression) {
  sn_mcap_writer *writer = mcap_rig_write_two_topics(MESSAGES, small_chunks(compression));
  sn__mcap_writer_close(writer);
  return mcap_rig_file.size;
}

static void expect_tick(sn_mcap_reader *reader, size_t i) {
  sn_mcap_message message;
  mcap_rig_read_next(reader, &message);
  sn_timer_event event = {0};
  assert_int_equal(message.log_ns, (int64_t)i * MS);
  assert_int_equal(sn__mcap_decode(&message, &event, &mcap_rig_err), SN_OK);
  assert_int_equal(event.cycle, i);
}

SN_TEST(compressed_messages_are_read_back) {
  const size_t plain = write_file(SN_MCAP_PLAIN);
  for (size_t c = 0; c < COMPRESSION_COUNT; c++) {
    mcap_rig_file.size = 0;
    assert_true(write_file(compressions[c]) < plain);
    sn_mcap_reader *reader = mcap_rig_create_reader(NULL);
    for (int pass = 0; pass < 2; pass++) {
      for (size_t i = 0; i < MESSAGES; i++) {
        expect_tick(reader, i);
      }
      mcap_rig_expect_end(reader);
      assert_true(sn__mcap_reader_info(reader).chunks > 5);
      sn__mcap_reader_rewind(reader);
    }
    sn__mcap_reader_close(reader);
  }
}

SN_TEST(a_pass_that_ends_in_a_chunk_can_be_repeated) {
  write_file(SN_MCAP_ZSTD);
  sn_mcap_reader *reader = mcap_rig_create_reader(NULL);
  expect_tick(reader, 0);
  expect_tick(reader, 1);
  sn__mcap_reader_rewind(reader);
  expect_tick(reader, 0);
  sn__mcap_reader_close(reader);
}

/* A frame of lz4 costs more than the few zeros of one message save. */
SN_TEST(noise_stays_plain) {
  sn_mcap_writer *writer = mcap_rig_create_writer(small_chunks(SN_MCAP_LZ4));
  mcap_rig_add_channel(writer, "/noise", &sn_timer_event_type);
  sn_random random;
  sn_random_init(&random, 7);
  const sn_timer_event event = {.stamp_ns = (int64_t)(sn_random_bits(&random) >> 3),
                                .period_ns = (int64_t)(sn_random_bits(&random) >> 3),
                                .cycle = sn_random_bits(&random)};
  const int64_t log_ns = (int64_t)(sn_random_bits(&random) >> 3);
  const int64_t sent_ns = (int64_t)(sn_random_bits(&random) >> 3);
  assert_int_equal(sn__mcap_writer_write(writer, 0, log_ns, sent_ns, &event, NULL), SN_OK);
  assert_int_equal(sn__mcap_writer_finish(writer, NULL), SN_OK);
  sn__mcap_writer_close(writer);
  for (size_t i = 0; i + 3 <= mcap_rig_file.size; i++) {
    assert_memory_not_equal(mcap_rig_file.data + i, "lz4", 3);
  }
  sn_mcap_reader *reader = mcap_rig_create_reader(NULL);
  sn_mcap_message message;
  mcap_rig_read_next(reader, &message);
  mcap_rig_expect_end(reader);
}

/* ---- chunks that lie ---- */

typedef struct place {
  size_t at; /* of the record of the first chunk */
  size_t uncompressed_size, size;
} place;

static uint64_t number_at(size_t at) {
  sn__mcap_in in = {mcap_rig_file.data + at, 8, 0, false};
  return sn__mcap_take_number(&in, 8);
}

static void set_number(size_t at, uint64_t value) {
  sn__mcap_out out = {mcap_rig_file.data + at, 8, 0};
  sn__mcap_put_number(&out, value, 8);
}

static place first_chunk(sn_mcap_compression compression) {
  size_t at = SN__MCAP_MAGIC_SIZE;
  while (mcap_rig_file.data[at] != SN__MCAP_CHUNK) {
    at += SN__MCAP_PREFIX + (size_t)number_at(at + 1);
  }
  const size_t name = strlen(sn__mcap_compression_name(compression));
  const size_t sizes = at + SN__MCAP_PREFIX + 16;
  return (place){at, sizes, sizes + 8 + 4 + 4 + name};
}

/* The first chunk is refused with this reason, the rest of the file is read. */
static void expect_first_refused(const sn_mcap_reader_config *config, sn_status status,
                                 const char *reason) {
  sn_mcap_reader *reader = mcap_rig_create_reader(config);
  sn_mcap_message message;
  assert_int_equal(sn__mcap_reader_next(reader, &message, &mcap_rig_err), status);
  sn_assert_contains(mcap_rig_err.message, reason);
  mcap_rig_err = (sn_error){SN_OK, ""};
  size_t count = 0;
  while (sn__mcap_reader_next(reader, &message, &mcap_rig_err) == SN_OK) {
    count++;
  }
  assert_true(count > 0 && count < MESSAGES);
  assert_int_equal(sn__mcap_reader_info(reader).damaged, 1);
  assert_true(sn__mcap_reader_info(reader).is_complete);
  sn__mcap_reader_close(reader);
}

SN_TEST(sizes_that_are_not_true_are_refused) {
  static const int64_t lies[] = {-1, 1, -16000, 1000000};
  for (size_t c = 0; c < COMPRESSION_COUNT; c++) {
    mcap_rig_file.size = 0;
    write_file(compressions[c]);
    const place chunk = first_chunk(compressions[c]);
    const uint64_t truth = number_at(chunk.uncompressed_size);
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
      set_number(chunk.uncompressed_size, (uint64_t)((int64_t)truth + lies[i]));
      expect_first_refused(NULL, SN_ESYNTAX, "does not decompress to");
    }
    set_number(chunk.uncompressed_size, UINT64_MAX);
    expect_first_refused(NULL, SN_ELIMIT, "a chunk of 18446744073709551615 bytes");
    set_number(chunk.uncompressed_size, truth);
    const uint64_t size = number_at(chunk.size);
    set_number(chunk.size, size - 1);
    expect_first_refused(NULL, SN_ESYNTAX, "does not decompress to");
    set_number(chunk.size, size + 1);
    expect_first_refused(NULL, SN_ESYNTAX, "it is too short");
  }
}

SN_TEST(a_chunk_above_the_limit_is_refused_before_memory_is_taken) {
  write_file(SN_MCAP_ZSTD);
  const place chunk = first_chunk(SN_MCAP_ZSTD);
  set_number(chunk.uncompressed_size, (1 << 14) + 1);
  expect_first_refused(&(sn_mcap_reader_config){.chunk_size = 1 << 14}, SN_ELIMIT,
                       "a chunk of 16385 bytes");
}

/* @return whether the first chunk was refused; if not, every message is as it was written */
static bool is_refused_or_right(void) {
  sn_mcap_reader *reader = mcap_rig_create_reader(NULL);
  sn_mcap_message message;
  const bool is_refused = sn__mcap_reader_next(reader, &message, &mcap_rig_err) == SN_ESYNTAX;
  mcap_rig_err = (sn_error){SN_OK, ""};
  sn__mcap_reader_rewind(reader);
  for (size_t i = 0; !is_refused && i < MESSAGES; i++) {
    expect_tick(reader, i);
  }
  sn__mcap_reader_close(reader);
  return is_refused;
}

/* Some bits of a frame are padding; the checksum covers what is decompressed. */
SN_TEST(a_wrong_bit_never_becomes_a_message) {
  sn_random random;
  sn_random_init(&random, 11);
  for (size_t c = 0; c < COMPRESSION_COUNT; c++) {
    mcap_rig_file.size = 0;
    write_file(compressions[c]);
    const place chunk = first_chunk(compressions[c]);
    const size_t size = (size_t)number_at(chunk.size);
    size_t refused = 0;
    for (int i = 0; i < 100; i++) {
      const size_t at = chunk.size + 8 + (size_t)sn_random_below(&random, size);
      const uint8_t bit = (uint8_t)(1u << sn_random_below(&random, 8));
      mcap_rig_file.data[at] ^= bit;
      refused += is_refused_or_right();
      mcap_rig_file.data[at] ^= bit;
    }
    assert_true(refused > 80);
  }
}

SN_TEST_EACH(mcap_rig_set_up, mcap_rig_tear_down)
