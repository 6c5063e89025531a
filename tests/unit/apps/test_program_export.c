/* `sinew info` and `sinew export`, run as programs. */
#define _POSIX_C_SOURCE 200809L

#include <stdlib.h>
#include <unistd.h>

#include "mcap_bytes.h"
#include "program_rig.h"
#include "record/mcap_format.h"
#include "sinew/msg_types.h"
#include "sn_test.h"

#define MS INT64_C(1000000)

static void save(const char *name, const uint8_t *data, size_t size) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", program_folder, name);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

/* Three joint states of two joints, two ticks, and a topic without messages; also truncated, with a
 * flipped bit, and compressed as by another writer. */
static void write_files(void) {
  sn_arena arena;
  mcap_bytes file;
  sn_arena_init_growing(&arena, "test", 0);
  mcap_bytes_init(&file);
  const sn_mcap_writer_config config = {.sink = mcap_bytes_sink(&file)};
  sn_mcap_writer *writer = NULL;
  size_t joints = 0;
  size_t ticks = 0;
  size_t none = 0;
  assert_int_equal(sn__mcap_writer_create(&arena, &config, &writer, NULL), SN_OK);
  assert_int_equal(
      sn__mcap_writer_add(writer, "/plant/joints", &sn_joint_state_type, &joints, NULL), SN_OK);
  assert_int_equal(sn__mcap_writer_add(writer, "/timer/tick", &sn_timer_event_type, &ticks, NULL),
                   SN_OK);
  assert_int_equal(sn__mcap_writer_add(writer, "/none", &sn_header_type, &none, NULL), SN_OK);
  const sn_msg_capacity capacity = {.item_count = 500};
  sn_joint_state *msg = sn_msg_create(&arena, &sn_joint_state_type, &capacity);
  sn_msg_names_add(&msg->name, "hip", 3);
  sn_msg_names_add(&msg->name, "knee", 4);
  msg->position.count = 2;
  for (int i = 0; i < 3; i++) {
    msg->header.stamp_ns = 100 + i * 10 * MS;
    msg->position.data[0] = 0.1 * i;
    msg->position.data[1] = -i;
    assert_int_equal(sn__mcap_writer_write(writer, joints, i * 10 * MS, 0, msg, NULL), SN_OK);
  }
  const size_t first_chunk = file.size;
  assert_int_equal(sn__mcap_writer_flush(writer, NULL), SN_OK);
  const size_t cut = file.size;
  for (uint64_t i = 0; i < 2; i++) {
    const sn_timer_event event = {.period_ns = MS, .cycle = i}; /* no stamp: the log's time */
    assert_int_equal(sn__mcap_writer_write(writer, ticks, 25 * MS, 0, &event, NULL), SN_OK);
  }
  assert_int_equal(sn__mcap_writer_finish(writer, NULL), SN_OK);
  save("good.mcap", file.data, file.size);
  save("cut.mcap", file.data, cut + 30);
  file.data[first_chunk + 70] ^= 1;
  save("wrong.mcap", file.data, file.size);
  save("text.mcap", (const uint8_t *)"time,joint\n", 11);
  mcap_bytes_free(&file);
  sn_arena_release(&arena);
}

/* Channels of another writer: one with control characters in its name, one compressed. */
static void write_foreign(const char *name, const char *topic, const char *compression) {
  static uint8_t bytes[1 << 12];
  sn__mcap_out out = {bytes, sizeof bytes, 0};
  sn__mcap_put(&out, SN__MCAP_MAGIC, SN__MCAP_MAGIC_SIZE);
  size_t record = sn__mcap_begin(&out, SN__MCAP_HEADER);
  sn__mcap_put_text(&out, "");
  sn__mcap_put_text(&out, "other\n");
  sn__mcap_end(&out, record);
  record = sn__mcap_begin(&out, SN__MCAP_CHANNEL);
  sn__mcap_put_number(&out, 1, 2);
  sn__mcap_put_number(&out, 0, 2);
  sn__mcap_put_text(&out, topic);
  sn__mcap_put_text(&out, "protobuf");
  sn__mcap_put_number(&out, 0, 4);
  sn__mcap_end(&out, record);
  record = sn__mcap_begin(&out, SN__MCAP_MESSAGE);
  sn__mcap_put_number(&out, 1, 2);
  sn__mcap_put_number(&out, 0, 8);
  sn__mcap_put_number(&out, 0, 8);
  sn__mcap_put_number(&out, 0, 8);
  sn__mcap_end(&out, record);
  if (compression != NULL) {
    record = sn__mcap_begin(&out, SN__MCAP_CHUNK);
    sn__mcap_put_number(&out, 0, 8);
    sn__mcap_put_number(&out, 0, 8);
    sn__mcap_put_number(&out, 9, 8);
    sn__mcap_put_number(&out, 0, 4);
    sn__mcap_put_text(&out, compression);
    sn__mcap_put_number(&out, 0, 8);
    sn__mcap_end(&out, record);
  }
  save(name, out.bytes, out.used);
}

SN_TEST(topics_are_listed) {
  program_expect("info good.mcap", 0);
  assert_string_equal(program_run.errors, "");
  sn_assert_contains(program_run.output,
                     "good.mcap: 5 messages in 0.025 s, 2 chunks, by 'sinew'\n");
  sn_assert_contains(program_run.output,
                     "  /plant/joints                    sensor_msgs/msg/JointState ");
  sn_assert_contains(program_run.output, "         3     100.0 Hz\n");
  program_expect("info good.mcap --json", 0);
  sn_assert_contains(program_run.output,
                     "{\"ok\":true,\"complete\":true,\"profile\":\"ros2\",\"library\":\"sinew\","
                     "\"chunks\":2,\"damaged\":0,\"messages\":5,\"start_ns\":0,"
                     "\"end_ns\":25000000,\"topics\":[{\"topic\":\"/plant/joints\",");
  sn_assert_contains(program_run.output,
                     "{\"topic\":\"/timer/tick\",\"type\":\"sinew_msgs/msg/TimerEvent\","
                     "\"encoding\":\"cdr\",\"known\":true,\"messages\":2,"
                     "\"first_ns\":25000000,\"last_ns\":25000000}");
}

SN_TEST(joint_states_are_exported_in_long_form) {
  static const char expected[] =
      "time,joint,position,velocity,effort\n"
      "0.000000100,hip,0,,\n"
      "0.000000100,knee,0,,\n"
      "0.010000100,hip,0.1,,\n"
      "0.010000100,knee,-1,,\n"
      "0.020000100,hip,0.2,,\n"
      "0.020000100,knee,-2,,\n";
  program_expect("export good.mcap --csv --topic /plant/joints", 0);
  assert_string_equal(program_run.errors, "");
  assert_string_equal(program_run.output, expected);
  program_expect("export --csv good.mcap --topic /plant/joints -o out.csv", 0);
  assert_string_equal(program_run.output, "");
  char path[128];
  size_t size = 0;
  snprintf(path, sizeof path, "%s/out.csv", program_folder);
  char *text = sn_test_read_file(path, &size);
  assert_string_equal(text, expected);
  free(text);
}

SN_TEST(each_topic_has_a_section) {
  program_expect("export good.mcap --csv", 0);
  sn_assert_contains(program_run.output,
                     "time,topic,joint,position,velocity,effort\n"
                     "0.000000100,/plant/joints,hip,0,,\n");
  sn_assert_contains(program_run.output,
                     "\n\ntime,topic,period,cycle\n"
                     "0.025000000,/timer/tick,0.001000000,0\n"
                     "0.025000000,/timer/tick,0.001000000,1\n");
  assert_null(strstr(program_run.output, "/none"));
}

SN_TEST(the_readable_rest_of_a_file_is_exported) {
  program_expect("export cut.mcap --csv", 0);
  assert_string_equal(program_run.errors,
                      "cut.mcap: warning: the file was not closed: what follows its "
                      "last chunk is missing\n");
  sn_assert_contains(program_run.output, "0.020000100,/plant/joints,knee,-2,,\n");
  program_expect("info cut.mcap", 0);
  sn_assert_contains(program_run.output,
                     "3 messages in 0.020 s, 1 chunk, by 'sinew', not closed\n");
  program_expect("export wrong.mcap --csv", 1);
  sn_assert_contains(program_run.errors, "a chunk is damaged: checksum ");
  sn_assert_contains(program_run.output, "time,topic,period,cycle\n");
  assert_null(strstr(program_run.output, "joints"));
  program_expect("info wrong.mcap --json", 1);
  sn_assert_contains(program_run.output, "{\"ok\":false,\"complete\":true,");
  sn_assert_contains(program_run.output, "\"damaged\":1,\"messages\":2,");
}

SN_TEST(unreadable_parts_are_reported) {
  write_foreign("foreign.mcap", "/a\033[31m", NULL);
  write_foreign("small.mcap", "/a", "gzip");
  static const char *const cases[][2] = {
      {"export nowhere.mcap --csv", "nowhere.mcap: error: cannot read the file: No such file"},
      {"info .", ".: error: cannot read the file: Is a directory\n"},
      {"info text.mcap", "text.mcap: error: not an MCAP file: wrong first bytes\n"},
      {"export good.mcap --csv --topic /no",
       "good.mcap: error: no messages of topic '/no', expected one of: /plant/joints "
       "/timer/tick\n"},
      {"info small.mcap", "a chunk is compressed by 'gzip', expected zstd or lz4"},
      {"export foreign.mcap --csv",
       "topic /a\\x1b[31m: messages of type '' in encoding 'protobuf' cannot be exported\n"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    program_expect(cases[i][0], 1);
    sn_assert_contains(program_run.errors, cases[i][1]);
    assert_null(strchr(program_run.errors, '\033'));
  }
  program_expect("info foreign.mcap", 0);
  sn_assert_contains(program_run.output, "\"/a\\x1b[31m\"");
  sn_assert_contains(program_run.output, "(unknown type)");
  assert_null(strchr(program_run.output, '\033'));
  program_expect("info foreign.mcap --json", 0);
  assert_null(strchr(program_run.output, '\033'));
}

SN_TEST(wrong_usage_is_refused) {
  static const char *const cases[][2] = {
      {"info", "sinew info: argument FILE.mcap is missing\nusage: sinew info FILE.mcap [--json]"},
      {"info a b", "sinew info: unexpected argument 'b'"},
      {"export good.mcap", "sinew export: option '--csv' is missing"},
      {"export --csv", "sinew export: argument FILE.mcap is missing"},
      {"export good.mcap --csv --topic", "sinew export: option '--topic' needs a value: TOPIC"},
      {"export good.mcap --xml", "sinew export: unknown option '--xml'"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    program_expect(cases[i][0], 2);
    sn_assert_contains(program_run.errors, cases[i][1]);
  }
}

SN_TEST(output_that_cannot_be_written_is_a_fault) {
  program_expect("export good.mcap --csv >/dev/full", 3);
  program_expect("export good.mcap --csv -o /dev/full", 3);
  sn_assert_contains(program_run.errors, "sinew export: cannot write /dev/full: No space left");
  program_expect("export good.mcap --csv -o /nowhere/x", 3);
  sn_assert_contains(program_run.errors, "sinew export: cannot write /nowhere/x: No such file");
  program_expect("info good.mcap >/dev/full", 3);
}

static bool is_there(const char *name) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", program_folder, name);
  return access(path, F_OK) == 0;
}

SN_TEST(failed_export_leaves_no_file) {
  static const char *const cases[] = {
      "export nowhere.mcap --csv -o none.csv",
      "export good.mcap --csv --topic /wrong -o none.csv",
      "export good.mcap --csv --topic /none -o none.csv",
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    program_expect(cases[i], 1);
    assert_false(is_there("none.csv"));
    assert_false(is_there("none.csv.new"));
  }
}

SN_TEST(failed_export_keeps_the_old_file) {
  program_expect("export good.mcap --csv --topic /timer/tick -o kept.csv", 0);
  program_expect("export good.mcap --csv --topic /wrong -o kept.csv", 1);
  assert_true(is_there("kept.csv"));
  assert_false(is_there("kept.csv.new"));
}

SN_TEST(readable_part_of_a_recording_is_kept) {
  program_expect("export wrong.mcap --csv -o part.csv", 1);
  assert_true(is_there("part.csv"));
}

static int create_files(void **state) {
  (void)state;
  sn_test_folder_create(program_folder);
  write_files();
  return 0;
}

SN_TEST_GROUP(create_files, program_tear_down)
