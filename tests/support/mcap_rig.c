#include "mcap_rig.h"

sn_arena mcap_rig_arena;
mcap_bytes mcap_rig_file;
sn_error mcap_rig_err;

int mcap_rig_set_up(void **state) {
  (void)state;
  sn_arena_init_growing(&mcap_rig_arena, "mcap", 0);
  mcap_bytes_init(&mcap_rig_file);
  mcap_rig_err = (sn_error){SN_OK, ""};
  return 0;
}

int mcap_rig_tear_down(void **state) {
  (void)state;
  mcap_bytes_free(&mcap_rig_file);
  sn_arena_release(&mcap_rig_arena);
  return 0;
}

sn_mcap_writer *mcap_rig_create_writer(sn_mcap_writer_config config) {
  sn_mcap_writer *writer = NULL;
  config.sink = mcap_bytes_sink(&mcap_rig_file);
  assert_int_equal(sn__mcap_writer_create(&mcap_rig_arena, &config, &writer, &mcap_rig_err), SN_OK);
  return writer;
}

size_t mcap_rig_add_channel(sn_mcap_writer *writer, const char *topic, const sn_msg_type *type) {
  size_t channel = SIZE_MAX;
  assert_int_equal(sn__mcap_writer_add(writer, topic, type, &channel, &mcap_rig_err), SN_OK);
  return channel;
}

sn_mcap_reader *mcap_rig_create_reader(const sn_mcap_reader_config *config) {
  sn_mcap_reader *reader = NULL;
  const sn_mcap_source source = mcap_bytes_source(&mcap_rig_file, mcap_rig_file.size);
  const sn_status status =
      sn__mcap_reader_create(&mcap_rig_arena, &source, config, &reader, &mcap_rig_err);
  assert_string_equal(mcap_rig_err.message, "");
  assert_int_equal(status, SN_OK);
  return reader;
}

void mcap_rig_read_next(sn_mcap_reader *reader, sn_mcap_message *message) {
  const sn_status status = sn__mcap_reader_next(reader, message, &mcap_rig_err);
  assert_string_equal(mcap_rig_err.message, "");
  assert_int_equal(status, SN_OK);
}

void mcap_rig_expect_end(sn_mcap_reader *reader) {
  sn_mcap_message message;
  assert_int_equal(sn__mcap_reader_next(reader, &message, &mcap_rig_err), SN_ENOENT);
  assert_int_equal(sn__mcap_reader_next(reader, &message, &mcap_rig_err), SN_ENOENT);
  assert_true(sn__mcap_reader_info(reader).is_complete);
  assert_int_equal(sn__mcap_reader_info(reader).damaged, 0);
}

sn_timer_event mcap_rig_tick(uint64_t cycle) {
  return (sn_timer_event){.stamp_ns = (int64_t)cycle * MS, .period_ns = MS, .cycle = cycle};
}

void mcap_rig_write_ticks(sn_mcap_writer *writer, size_t from, size_t to) {
  for (size_t i = from; i < to; i++) {
    const sn_timer_event event = mcap_rig_tick(i);
    assert_int_equal(sn__mcap_writer_write(writer, i % 2, (int64_t)i * MS, (int64_t)i * MS, &event,
                                           &mcap_rig_err),
                     SN_OK);
  }
}

sn_mcap_writer *mcap_rig_write_two_topics(size_t count, sn_mcap_writer_config config) {
  sn_mcap_writer *writer = mcap_rig_create_writer(config);
  mcap_rig_add_channel(writer, "/even", &sn_timer_event_type);
  mcap_rig_add_channel(writer, "/odd", &sn_timer_event_type);
  mcap_rig_write_ticks(writer, 0, count);
  assert_int_equal(sn__mcap_writer_finish(writer, &mcap_rig_err), SN_OK);
  return writer;
}
