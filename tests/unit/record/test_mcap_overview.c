/* What is said about a file without reading it, and how little of it is read. */
#include "mcap_rig.h"

enum { TAIL = 37, COUNT = 5000 };

/* Counts what is read. */
typedef struct counted {
  sn_mcap_source source;
  uint64_t bytes;
} counted;

static sn_status read_counted(void *context, uint64_t offset, void *bytes, size_t size,
                              sn_error *err) {
  counted *c = context;
  c->bytes += size;
  return c->source.read(c->source.context, offset, bytes, size, err);
}

static counted reads;
static sn_mcap_overview overview;

/* Look at the first @p size bytes. @return the status; overview and mcap_rig_err have the rest */
static sn_status look(size_t size) {
  const sn_mcap_reader_config small = {.channel_max = 1, .text_size = 1, .record_size = 1 << 12};
  reads = (counted){mcap_bytes_source(&mcap_rig_file, size), 0};
  const sn_mcap_source source = {size, read_counted, &reads};
  sn_mcap_reader *reader = NULL;
  mcap_rig_err = (sn_error){SN_OK, ""};
  sn_status status =
      sn__mcap_reader_create(&mcap_rig_arena, &source, &small, &reader, &mcap_rig_err);
  if (status == SN_OK) {
    status = sn__mcap_reader_overview(reader, &overview, &mcap_rig_err);
  }
  sn__mcap_reader_close(reader);
  return status;
}

/* Of COUNT messages, one a millisecond, with a note about the system. */
static void write_file(const sn_mcap_writer_config *config, const char *robot) {
  sn_mcap_writer *writer = mcap_rig_create_writer(*config);
  const char *pairs[] = {"clock", "real", "robot", robot};
  assert_int_equal(sn__mcap_writer_attach(writer, "deployment.yaml", "application/yaml", pairs,
                                          sizeof pairs, &mcap_rig_err),
                   SN_OK);
  assert_int_equal(sn__mcap_writer_note(writer, "system", pairs, 2, &mcap_rig_err), SN_OK);
  mcap_rig_add_channel(writer, "/even", &sn_timer_event_type);
  mcap_rig_add_channel(writer, "/odd", &sn_timer_event_type);
  mcap_rig_write_ticks(writer, 0, COUNT);
  assert_int_equal(sn__mcap_writer_finish(writer, &mcap_rig_err), SN_OK);
  sn__mcap_writer_close(writer);
}

static const sn_mcap_writer_config plain = {.chunk_size = 1 << 14};

static void set_number(size_t at, uint64_t value, size_t size) {
  for (size_t i = 0; i < size; i++) {
    mcap_rig_file.data[at + i] = (uint8_t)(value >> (8 * i));
  }
}

static uint64_t number_at(size_t at) {
  uint64_t value = 0;
  for (size_t i = 0; i < 8; i++) {
    value |= (uint64_t)mcap_rig_file.data[at + i] << (8 * i);
  }
  return value;
}

/* Offsets of the fields of the footer. */
static size_t summary_field(void) {
  return mcap_rig_file.size - TAIL + 9;
}
static size_t table_field(void) {
  return summary_field() + 8;
}
static size_t crc_field(void) {
  return summary_field() + 16;
}

static void expect_facts(void) {
  assert_true(overview.is_closed);
  assert_true(overview.has_statistics);
  assert_int_equal(overview.messages, COUNT);
  assert_int_equal(overview.start_ns, 0);
  assert_int_equal(overview.end_ns, (COUNT - 1) * MS);
  assert_string_equal(overview.robot, "quadruped");
}

SN_TEST(a_file_tells_its_times_its_messages_and_its_robot) {
  write_file(&plain, "quadruped");
  assert_int_equal(look(mcap_rig_file.size), SN_OK);
  expect_facts();
}

SN_TEST(little_of_a_long_file_is_read) {
  write_file(&plain, "quadruped");
  const size_t size = mcap_rig_file.size;
  assert_int_equal(look(size), SN_OK);
  assert_true(size > 300000);
  assert_true(reads.bytes < 100000);
}

SN_TEST(a_summary_without_its_table_is_walked) {
  write_file(&plain, "quadruped");
  set_number(table_field(), 0, 8);
  set_number(crc_field(), 0, 4);
  assert_int_equal(look(mcap_rig_file.size), SN_OK);
  expect_facts();
}

SN_TEST(a_file_without_a_summary_is_not_damaged) {
  write_file(&plain, "quadruped");
  set_number(summary_field(), 0, 8);
  set_number(table_field(), 0, 8);
  set_number(crc_field(), 0, 4);
  assert_int_equal(look(mcap_rig_file.size), SN_OK);
  assert_true(overview.is_closed);
  assert_false(overview.has_statistics);
  assert_string_equal(overview.robot, "quadruped");
}

SN_TEST(a_file_that_was_cut_off_is_not_closed_but_has_its_robot) {
  write_file(&plain, "quadruped");
  const size_t sizes[] = {mcap_rig_file.size - 1, mcap_rig_file.size / 2, 2000};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    assert_int_equal(look(sizes[i]), SN_OK);
    assert_false(overview.is_closed);
    assert_false(overview.has_statistics);
    assert_string_equal(overview.robot, "quadruped");
  }
}

SN_TEST(every_changed_bit_of_the_end_is_noticed) {
  write_file(&plain, "quadruped");
  const size_t first = (size_t)number_at(summary_field());
  assert_true(mcap_rig_file.size - first < 20000);
  for (size_t at = first; at < mcap_rig_file.size - 12; at++) {
    mcap_rig_file.data[at] ^= (uint8_t)(1u << (at % 8));
    assert_int_equal(look(mcap_rig_file.size), SN_ESYNTAX);
    assert_non_null(strstr(mcap_rig_err.message, "byte "));
    mcap_rig_file.data[at] ^= (uint8_t)(1u << (at % 8));
  }
}

SN_TEST(statistics_that_contradict_themselves_are_damaged) {
  write_file(&plain, "quadruped");
  set_number(crc_field(), 0, 4); /* the checksum would notice */
  const size_t first = (size_t)number_at(summary_field());
  size_t at = first;
  while (mcap_rig_file.data[at] != 0x0b) {
    at += 9 + (size_t)number_at(at + 1);
  }
  set_number(at + 9 + 26 + 8, 0, 8);                 /* the latest time */
  assert_int_equal(look(mcap_rig_file.size), SN_OK); /* the earliest is 0, too */
  assert_int_equal(overview.end_ns, 0);
  set_number(at + 9 + 26, 5, 8);
  assert_int_equal(look(mcap_rig_file.size), SN_ESYNTAX);
  set_number(at + 9 + 26 + 8, UINT64_MAX, 8);
  assert_int_equal(look(mcap_rig_file.size), SN_ESYNTAX);
}

SN_TEST(a_long_name_is_cut_and_other_files_have_none) {
  char name[200];
  memset(name, 'n', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  write_file(&plain, name);
  assert_int_equal(look(mcap_rig_file.size), SN_OK);
  assert_int_equal(strlen(overview.robot), sizeof overview.robot - 1);
  mcap_bytes_free(&mcap_rig_file);
  mcap_bytes_init(&mcap_rig_file);
  sn__mcap_writer_close(mcap_rig_write_two_topics(COUNT, plain));
  assert_int_equal(look(mcap_rig_file.size), SN_OK);
  assert_string_equal(overview.robot, "");
  assert_int_equal(overview.messages, COUNT);
}

SN_TEST(other_files_are_not_mcap) {
  write_file(&plain, "quadruped");
  assert_int_equal(look(7), SN_ESYNTAX);
  mcap_rig_file.data[0] ^= 1;
  assert_int_equal(look(mcap_rig_file.size), SN_ESYNTAX);
}

SN_TEST_EACH(mcap_rig_set_up, mcap_rig_tear_down)
