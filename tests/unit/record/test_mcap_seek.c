/* Parts of a file, and reading on from one of them. */
#include <stdlib.h>

#include "mcap_rig.h"

enum { COUNT = 20000 };

static sn_mcap_parts parts;
static uint64_t damaged;

static sn_mcap_reader *survey(void) {
  sn_mcap_reader *reader = mcap_rig_create_reader(NULL);
  parts = (sn_mcap_parts){0};
  assert_int_equal(sn__mcap_reader_survey(reader, &parts, &damaged, &mcap_rig_err), SN_OK);
  return reader;
}

static void forget(sn_mcap_reader *reader) {
  free(parts.items);
  sn__mcap_reader_close(reader);
}

/* The oracle is a plain reading of the file: each message belongs to the part that it is in. */
static void expect_all_messages_in_parts(sn_mcap_reader *reader) {
  sn_mcap_message message;
  size_t count = 0;
  for (size_t i = 0; i < parts.count; i++) {
    int64_t earliest_ns = INT64_MAX;
    int64_t latest_ns = 0;
    sn__mcap_reader_seek(reader, &parts.items[i]);
    for (mcap_rig_read_next(reader, &message);;) {
      earliest_ns = message.log_ns < earliest_ns ? message.log_ns : earliest_ns;
      latest_ns = message.log_ns > latest_ns ? message.log_ns : latest_ns;
      count++;
      const bool is_last = message.log_ns == parts.items[i].end_ns;
      if (is_last && message.channel->id == 1) {
        break; /* both channels have a message of that time */
      }
      if (sn__mcap_reader_next(reader, &message, &mcap_rig_err) != SN_OK) {
        break;
      }
    }
    assert_int_equal(earliest_ns, parts.items[i].start_ns);
    assert_int_equal(latest_ns, parts.items[i].end_ns);
    assert_true(i == 0 || parts.items[i].start_ns >= parts.items[i - 1].end_ns);
  }
  assert_true(count >= COUNT);
}

static void write_file(size_t count, sn_mcap_writer_config config) {
  sn__mcap_writer_close(mcap_rig_write_two_topics(count, config));
}

SN_TEST(parts_have_the_times_of_their_messages) {
  const sn_mcap_compression compressions[] = {SN_MCAP_PLAIN, SN_MCAP_ZSTD};
  for (size_t i = 0; i < 2; i++) {
    write_file(COUNT,
               (sn_mcap_writer_config){.chunk_size = 1 << 18, .compression = compressions[i]});
    sn_mcap_reader *reader = survey();
    assert_true(parts.count > 1 || compressions[i] != SN_MCAP_PLAIN);
    assert_int_equal(damaged, 0);
    expect_all_messages_in_parts(reader);
    forget(reader);
    mcap_rig_tear_down(state);
    mcap_rig_set_up(state);
  }
}

SN_TEST(survey_ends_at_the_first_message) {
  write_file(100, (sn_mcap_writer_config){.chunk_size = 1 << 14});
  sn_mcap_reader *reader = survey();
  sn_mcap_message message;
  assert_int_equal(sn__mcap_reader_channel_count(reader), 2);
  mcap_rig_read_next(reader, &message);
  assert_int_equal(message.log_ns, parts.items[0].start_ns);
  forget(reader);
}

SN_TEST(damaged_chunk_is_left_out) {
  write_file(COUNT, (sn_mcap_writer_config){.chunk_size = 1 << 18});
  mcap_rig_file.data[mcap_rig_file.size / 2] ^= 1;
  sn_mcap_reader *reader = survey();
  assert_true(damaged > 0);
  assert_true(parts.count > 0);
  mcap_rig_err = (sn_error){SN_OK, ""}; /* of the first damage */
  sn_mcap_message message;
  sn__mcap_reader_seek(reader, &parts.items[parts.count - 1]);
  mcap_rig_read_next(reader, &message);
  assert_int_equal(message.log_ns, parts.items[parts.count - 1].start_ns);
  forget(reader);
}

SN_TEST_EACH(mcap_rig_set_up, mcap_rig_tear_down)
