#define _POSIX_C_SOURCE 200809L

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"
#include "record/mcap.h"
#include "record/recorder.h"
#include "record/recording.h"
#include "rig.h"
#include "rt/system_internal.h"
#include "sinew/msg_types.h"
#include "sn_test.h"

#define MS INT64_C(1000000)

static char folder[64];
static char path[128];
static rig r;
static sn_recorder *recorder;

/* A source, an amplifier behind it, a sink, and a component without outputs. */
static int set_up(void **state) {
  (void)state;
  sn_test_folder_create(folder);
  snprintf(path, sizeof path, "%s/a.mcap", folder);
  recorder = NULL;
  rig_open(&r, MS);
  rig_add(&r, &part_source_type, "source");
  rig_add(&r, &part_gain_type, "gain");
  rig_add(&r, &part_sink_type, "sink");
  rig_connect(&r, "source.out", "gain.in");
  rig_connect(&r, "gain.out", "sink.in");
  rig_begin(&r);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  rig_close(&r);
  sn_test_folder_remove(folder);
  return 0;
}

static void start(sn_recorder_config config) {
  config.path = path;
  if (sn__recorder_start(r.system, &config, &recorder, &r.err) != SN_OK) {
    fail_msg("%s", r.err.message);
  }
}

static bool drain(void *context, int64_t now_ns) {
  (void)context;
  (void)now_ns;
  assert_int_equal(sn__recorder_drain(recorder, &r.err), SN_OK);
  return true;
}

static void run(int64_t duration_ns) {
  assert_int_equal(sn_system_run(r.system, duration_ns, drain, NULL, &r.err), SN_OK);
}

static sn_recorder_info stop(void) {
  sn_recorder_info info;
  if (sn__recorder_stop(recorder, &info, &r.err) != SN_OK) {
    fail_msg("%s", r.err.message);
  }
  return info;
}

/* Reads the file: `count` joint states of each of the topics, of which the n-th has
   (first + n) * scale at cycle first + n. */
static void expect_states(const char *topic, size_t first, size_t count, double scale) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "read", 0);
  sn_mcap_reader *reader = NULL;
  const sn_mcap_reader_config config = {.topic = topic};
  assert_int_equal(sn__mcap_reader_load(&arena, path, &config, &reader, &r.err), SN_OK);
  sn_joint_state *msg = sn_msg_create(&arena, &sn_joint_state_type, NULL);
  for (size_t i = first; i < first + count; i++) {
    sn_mcap_message message;
    assert_int_equal(sn__mcap_reader_next(reader, &message, &r.err), SN_OK);
    assert_int_equal(sn__mcap_decode(&message, msg, &r.err), SN_OK);
    assert_int_equal(message.log_ns, (int64_t)i * MS);
    assert_int_equal(message.publish_ns, (int64_t)i * MS);
    assert_int_equal(msg->header.stamp_ns, (int64_t)i * MS);
    assert_int_equal(msg->position.count, 3);
    assert_true(msg->position.data[2] == scale * (double)i);
  }
  sn_mcap_message message;
  assert_int_equal(sn__mcap_reader_next(reader, &message, &r.err), SN_ENOENT);
  assert_true(sn__mcap_reader_info(reader).is_complete);
  sn__mcap_reader_close(reader);
  sn_arena_release(&arena);
}

SN_TEST(every_message_of_every_output_is_in_the_file) {
  start((sn_recorder_config){0});
  run(2500 * MS);
  assert_int_equal(sn__recorder_topic_at(recorder, 0).recorded, 2500);
  assert_string_equal(sn__recorder_topic_at(recorder, 0).topic, "/source/out");
  assert_ptr_equal(sn__recorder_topic_at(recorder, 1).type, &sn_joint_state_type);
  const sn_recorder_info info = stop();
  assert_int_equal(info.topic_count, 2);
  assert_int_equal(info.recorded, 5000);
  assert_int_equal(info.lost, 0);
  assert_int_equal(info.status, SN_OK);
  size_t size = 0;
  free(sn_test_read_file(path, &size));
  assert_int_equal(info.bytes, size);
  expect_states("/source/out", 0, 2500, 1.0);
  expect_states("/gain/out", 0, 2500, 2.0);
}

SN_TEST(equal_runs_give_equal_files) {
  size_t sizes[2];
  char *files[2];
  for (size_t i = 0; i < 2; i++) {
    start((sn_recorder_config){0});
    run(1234 * MS);
    stop();
    files[i] = sn_test_read_file(path, &sizes[i]);
    tear_down(state);
    set_up(state);
  }
  assert_int_equal(sizes[0], sizes[1]);
  assert_memory_equal(files[0], files[1], sizes[0]);
  free(files[0]);
  free(files[1]);
}

SN_TEST(chosen_outputs_are_recorded_from_start_to_stop) {
  const char *const outputs[] = {"gain.out"};
  rig_run(&r, 10 * MS);
  start((sn_recorder_config){.outputs = outputs, .output_count = 1});
  run(10 * MS);
  const sn_recorder_info info = stop();
  rig_run(&r, 10 * MS);
  assert_int_equal(info.recorded, 10);
  expect_states("/gain/out", 10, 10, 2.0);
  expect_states("/source/out", 0, 0, 1.0);
  start((sn_recorder_config){.outputs = outputs, .output_count = 1}); /* and once more */
  run(5 * MS);
  assert_int_equal(stop().recorded, 5);
  expect_states("/gain/out", 30, 5, 2.0);
}

/* Few fit; those are kept, and the file says that some are missing. */
SN_TEST(what_is_not_drained_is_counted) {
  const char *const outputs[] = {"source.out"};
  start((sn_recorder_config){.outputs = outputs, .output_count = 1, .memory_max = 1024});
  rig_run(&r, 20 * MS);
  const sn_recorder_info info = stop();
  assert_int_equal(info.recorded + info.lost, 20);
  assert_true(info.recorded >= 5 && info.recorded < 20);
  size_t size = 0;
  char *text = sn_test_read_file(path, &size);
  bool is_noted = false;
  for (size_t i = 0; i + 13 < size; i++) {
    is_noted = is_noted || memcmp(text + i, "lost messages", 13) == 0;
  }
  assert_true(is_noted);
  free(text);
}

static unsigned long lost_of(sn_mcap_reader *reader, const char *topic) {
  char text[32] = "0";
  assert_int_equal(
      sn__mcap_reader_note(reader, "lost messages", 0, topic, text, sizeof text, &r.err), SN_OK);
  return strtoul(text, NULL, 10);
}

/* However many there are: a replay has to know which of them are not whole. */
SN_TEST(every_topic_that_lost_messages_is_named) {
  enum { SOURCES = 20 };
  rig_close(&r);
  rig_open(&r, MS);
  for (int i = 0; i < SOURCES; i++) {
    char name[16];
    snprintf(name, sizeof name, "source%d", i);
    rig_add(&r, &part_source_type, name);
  }
  rig_begin(&r);
  start((sn_recorder_config){.memory_max = 4096});
  rig_run(&r, 20 * MS);
  const sn_recorder_info info = stop();
  sn_arena arena;
  sn_arena_init_growing(&arena, "read", 0);
  sn_mcap_reader *reader = NULL;
  assert_int_equal(sn__mcap_reader_load(&arena, path, NULL, &reader, &r.err), SN_OK);
  unsigned long sum = 0;
  for (int i = 0; i < SOURCES; i++) {
    char topic[32];
    snprintf(topic, sizeof topic, "/source%d/out", i);
    const unsigned long lost = lost_of(reader, topic);
    assert_true(lost > 0);
    sum += lost;
  }
  assert_int_equal(lost_of(reader, "all"), info.lost);
  assert_true(sum <= info.lost); /* sources may have other outputs, too */
  sn__mcap_reader_close(reader);
  sn_arena_release(&arena);
}

SN_TEST(component_cannot_go_while_it_is_recorded) {
  sn_component *sink = sn_system_find(r.system, "sink");
  sn_component *gain = sn_system_find(r.system, "gain");
  start((sn_recorder_config){0});
  assert_int_equal(sn__system_remove(r.system, gain, &r.err), SN_EBUSY);
  assert_int_equal(sn__system_remove(r.system, sink, &r.err), SN_OK);
  run(3 * MS);
  stop();
  assert_int_equal(sn__system_remove(r.system, gain, &r.err), SN_OK);
}

SN_TEST(pipe_is_not_waited_for) {
  assert_int_equal(mkfifo(path, 0600), 0);
  const sn_recorder_config config = {.path = path};
  assert_int_equal(sn__recorder_start(r.system, &config, &recorder, &r.err), SN_EIO);
  const int reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* one that could be slow */
  assert_true(reader >= 0);
  assert_int_equal(sn__recorder_start(r.system, &config, &recorder, &r.err), SN_EIO);
  sn_assert_contains(r.err.message, "it is a pipe, expected a file");
  close(reader);
  assert_int_equal(unlink(path), 0);
}

SN_TEST(full_disk_is_reported_once_and_the_system_goes_on) {
  /* The beginning of the file is written at once: that it does not fit is known at the start. */
  sn_recorder_config config = {.path = "/dev/full"};
  assert_int_equal(sn__recorder_start(r.system, &config, &recorder, &r.err), SN_EIO);
  assert_string_equal(r.err.message, "cannot write /dev/full: No space left on device");
  assert_null(recorder);
  rig_run(&r, 10 * MS);
}

/* In a recording that was not finished. */
static size_t count_messages(void) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "read", 0);
  sn_mcap_reader *reader = NULL;
  assert_int_equal(sn__mcap_reader_load(&arena, path, NULL, &reader, &r.err), SN_OK);
  sn_mcap_message message;
  size_t count = 0;
  while (sn__mcap_reader_next(reader, &message, &r.err) == SN_OK) {
    count++;
  }
  assert_int_equal(sn__mcap_reader_info(reader).damaged, 0);
  assert_false(sn__mcap_reader_info(reader).is_complete);
  sn__mcap_reader_close(reader);
  sn_arena_release(&arena);
  return count;
}

/* In a child process, whose files may grow to some size only. @return whether all went well */
static bool fill_disk(void) {
  const struct rlimit limit = {100000, 100000};
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &limit);
  start((sn_recorder_config){.chunk_size = 1 << 14});
  size_t failures = 0;
  for (size_t i = 0; i < 1000; i++) {
    rig_run(&r, MS);
    failures += sn__recorder_drain(recorder, &r.err) != SN_OK;
  }
  sn_recorder_info info = sn__recorder_info_of(recorder);
  const bool is_reported = failures == 1 && info.status == SN_EIO && info.lost > 0 &&
                           strstr(info.reason, "File too large") != NULL;
  char line[200] = "";
  const bool is_logged = rig_drain_log(&r, SN_LOG_ERROR, line, sizeof line) == 1 &&
                         strstr(line, "everything from now on is lost: cannot write") != NULL;
  const sn_status status = sn__recorder_stop(recorder, &info, &r.err);
  return is_reported && is_logged && status == SN_EIO && info.recorded + info.lost == 2000 &&
         strstr(r.err.message, "File too large") != NULL;
}

SN_TEST(disk_that_fills_up_is_reported_once) {
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    _exit(fill_disk() ? 0 : 1);
  }
  int code = 0;
  assert_int_equal(waitpid(child, &code, 0), child);
  assert_int_equal(code, 0);
  assert_true(count_messages() > 50);
}

static void limit_files(rlim_t size) {
  struct rlimit limit;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
  limit.rlim_cur = size;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* @return how many messages are in the file */
static size_t record_and_save(sn__recording *recording, const sn_recorder_config *config) {
  assert_int_equal(sn__recording_open(recording, r.system, config, &r.err), SN_OK);
  rig_run(&r, 20 * MS);
  assert_int_equal(sn__recording_drain(recording, &r.err), SN_OK);
  assert_int_equal(sn__recording_save(recording, &r.err), SN_OK);
  return count_messages();
}

/* Save, then go on until the disk is full `room` bytes later. */
static void save_and_fill(rlim_t room) {
  const sn_recorder_config config = {.path = path, .chunk_size = 1 << 14};
  sn__recording recording;
  const size_t saved = record_and_save(&recording, &config);
  assert_true(saved >= 40); /* of two outputs, and the journal */
  struct stat facts;
  assert_int_equal(stat(path, &facts), 0);
  limit_files((rlim_t)facts.st_size + room);
  sn_status status = SN_OK;
  for (size_t i = 0; i < 1000 && status == SN_OK; i++) {
    rig_run(&r, MS);
    status = sn__recording_drain(&recording, &r.err);
  }
  limit_files(RLIM_INFINITY);
  assert_int_equal(status, SN_EIO);
  assert_true(count_messages() >= saved);
  (void)sn__recording_close(&recording, NULL);
}

/* A process that is killed while it writes leaves the same file as a disk that is full there. */
SN_TEST(what_is_saved_stays_wherever_the_next_write_ends) {
  signal(SIGXFSZ, SIG_IGN);
  for (rlim_t room = 0; room < 1 << 14; room += 997) {
    save_and_fill(room);
    tear_down(state);
    set_up(state);
  }
  signal(SIGXFSZ, SIG_DFL);
}

/* A process that is killed while it completes a chunk: bytes of the file after the first `size` of
   the chunk are left as they were. */
static size_t complete_chunk_until(rlim_t size, const char *compression, bool *is_complete) {
  const sn_recorder_config config = {
      .path = path, .chunk_size = 1 << 14, .compression = compression};
  sn__recording recording;
  const size_t saved = record_and_save(&recording, &config);
  limit_files((rlim_t)recording.file.end + size);
  *is_complete = sn__mcap_writer_flush(recording.writer, &r.err) == SN_OK;
  limit_files(RLIM_INFINITY);
  assert_int_equal(count_messages(), saved); /* once each, in the copy or in the chunk */
  (void)sn__recording_close(&recording, NULL);
  return saved;
}

SN_TEST(a_chunk_that_is_not_complete_leaves_its_copy) {
  signal(SIGXFSZ, SIG_IGN);
  static const char *const compressions[] = {"zstd", "lz4", "none"};
  for (size_t i = 0; i < 3; i++) {
    bool is_complete = false;
    size_t tries = 0;
    for (rlim_t size = 0; !is_complete; size += 61, tries++) {
      assert_true(complete_chunk_until(size, compressions[i], &is_complete) >= 40);
      tear_down(state);
      set_up(state);
    }
    assert_true(tries > 10);
  }
  signal(SIGXFSZ, SIG_DFL);
}

SN_TEST(wrong_configurations_are_told) {
  const char *const none[] = {"source.nothing"};
  const char *const input[] = {"sink.in"};
  const char *const nothing[] = {"!*"};
  const struct {
    sn_recorder_config config;
    sn_status status;
    const char *part;
  } cases[] = {
      {{.outputs = none, .output_count = 1}, SN_ENOENT, "has no port 'nothing'"},
      {{.outputs = input, .output_count = 1}, SN_EINVAL, "sink.in is an input"},
      {{.outputs = nothing, .output_count = 1}, SN_EINVAL, "no outputs to record"},
      {{.chunk_size = 3}, SN_EINVAL, "a size is out of range"},
      {{.compression = "gzip"}, SN_EINVAL, "compression 'gzip', expected zstd, lz4 or none"},
      {{.path = "/nowhere/x.mcap"}, SN_EIO, "cannot write /nowhere/x.mcap: No such file"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sn_recorder_config config = cases[i].config;
    config.path = config.path == NULL ? path : config.path;
    assert_int_equal(sn__recorder_start(r.system, &config, &recorder, &r.err), cases[i].status);
    sn_assert_contains(r.err.message, cases[i].part);
    assert_null(recorder);
  }
  assert_int_equal(sn__recorder_stop(NULL, NULL, NULL), SN_OK);
}

SN_TEST_EACH(set_up, tear_down)
