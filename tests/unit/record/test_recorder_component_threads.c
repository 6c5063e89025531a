/* The component `recorder`: recordings on request, in one folder, under names that stay inside it.
 */
#define _POSIX_C_SOURCE 200809L

#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "program.h"
#include "record/mcap.h"
#include "record/recorder.h"
#include "rig.h"
#include "sinew/components.h"
#include "sinew/msg_calls.h"
#include "sn_test.h"

#define MS INT64_C(1000000)

static char folder[64];
static char inside[128]; /* the recorder's folder */
static rig r;
static sn_component *recorder;
static sn_recording_state *answer;
static sn_call_name *request;

static void build(bool is_real) {
  if (is_real) {
    rig_open_real(&r, MS);
  } else {
    rig_open(&r, MS);
  }
  rig_add(&r, &part_source_type, "source");
  rig_add(&r, &part_gain_type, "gain");
  rig_connect(&r, "source.out", "gain.in");
  recorder = rig_add(&r, &sn_recorder_component, "recorder");
  const sn_msg_capacity capacity = {.item_count = 64, .text_size = 256};
  answer = sn_msg_create(&r.arena, &sn_recording_state_type, &capacity);
  request = sn_msg_create(&r.arena, &sn_call_name_type, &capacity);
  rig_set(&r, recorder, "folder", inside);
}

static int set_up(void **state) {
  (void)state;
  sn_test_folder_create(folder);
  snprintf(inside, sizeof inside, "%s/recordings", folder);
  build(false);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  rig_close(&r);
  sn_test_folder_remove(folder);
  return 0;
}

static sn_status call(const char *operation, const char *name) {
  char path[64];
  sn_caller caller = {0};
  snprintf(path, sizeof path, "recorder.%s", operation);
  assert_int_equal(sn_caller_open(r.system, path, &caller, &r.err), SN_OK);
  assert_int_equal(sn_msg_text_set(&request->name, name == NULL ? "" : name), SN_OK);
  r.err = (sn_error){SN_OK, ""};
  const sn_status status = sn_call(&caller, request, answer, &r.err);
  sn_caller_close(&caller);
  return status;
}

static void expect_good(sn_status status) {
  assert_string_equal(r.err.message, "");
  assert_int_equal(status, SN_OK);
}

static bool is_there(const char *name) {
  char path[256];
  struct stat facts;
  snprintf(path, sizeof path, "%s/%s", inside, name);
  return stat(path, &facts) == 0;
}

/* @return messages in a complete file */
static uint64_t count_messages(const char *name) {
  char path[256];
  sn_arena arena;
  sn_mcap_reader *reader = NULL;
  snprintf(path, sizeof path, "%s/%s", inside, name);
  sn_arena_init_growing(&arena, "file", 0);
  assert_int_equal(sn__mcap_reader_load(&arena, path, NULL, &reader, &r.err), SN_OK);
  sn_mcap_message message;
  uint64_t count = 0;
  while (sn__mcap_reader_next(reader, &message, &r.err) == SN_OK) {
    count += strcmp(message.channel->topic, SN_RECORDER_JOURNAL) != 0;
  }
  assert_true(sn__mcap_reader_info(reader).is_complete);
  sn__mcap_reader_close(reader);
  sn_arena_release(&arena);
  return count;
}

SN_TEST(a_file_has_its_name_when_it_is_complete) {
  rig_begin(&r);
  rig_run(&r, 5 * MS);
  assert_false(is_there(""));
  expect_good(call("startRecording", "walk"));
  assert_true(answer->recording);
  assert_string_equal(answer->name.data, "walk");
  assert_true(is_there("walk.mcap.part") && !is_there("walk.mcap"));
  rig_run(&r, 100 * MS);
  expect_good(call("getRecording", NULL));
  assert_true(answer->recording && answer->duration > 0.099 && answer->duration < 0.101);
  expect_good(call("stopRecording", NULL));
  assert_false(answer->recording);
  assert_int_equal(answer->messages, 200);
  assert_int_equal(answer->lost, 0);
  assert_true(is_there("walk.mcap") && !is_there("walk.mcap.part"));
  assert_int_equal(count_messages("walk.mcap"), 200);
  expect_good(call("getRecording", NULL)); /* of the last one */
  assert_int_equal(answer->messages, 200);
  assert_string_equal(answer->name.data, "walk");
}

SN_TEST(files_without_a_name_are_numbered) {
  rig_begin(&r);
  for (int i = 1; i <= 3; i++) {
    expect_good(call("startRecording", NULL));
    rig_run(&r, 3 * MS);
    expect_good(call("stopRecording", NULL));
  }
  assert_string_equal(answer->name.data, "rec0003");
  expect_good(call("startRecording", "rec0041.mcap")); /* the ending may be said */
  expect_good(call("stopRecording", NULL));
  expect_good(call("startRecording", NULL));
  assert_string_equal(answer->name.data, "rec0042");
}

SN_TEST(names_stay_in_the_folder) {
  static const char *const bad[] = {"../walk",  "/tmp/walk", "a/b", ".hidden", "-rf", "a b",
                                    "walk\nrm", "w\xc3\xa4", "..",  ".mcap",   "a;b", "$HOME"};
  rig_begin(&r);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_int_equal(call("startRecording", bad[i]), SN_EINVAL);
    sn_assert_contains(r.err.message, "is not a valid name of a recording");
  }
  char longest[102];
  memset(longest, 'a', sizeof longest);
  longest[101] = '\0';
  assert_int_equal(call("startRecording", longest), SN_EINVAL);
  longest[100] = '\0';
  expect_good(call("startRecording", longest));
  assert_int_equal(call("startRecording", "other"), SN_EBUSY);
  sn_assert_contains(r.err.message, "stop that first");
  expect_good(call("stopRecording", NULL));
  assert_int_equal(call("startRecording", longest), SN_EINVAL);
  sn_assert_contains(r.err.message, "already");
  assert_int_equal(call("stopRecording", NULL), SN_EINVAL);
  sn_assert_contains(r.err.message, "nothing is being recorded");
}

SN_TEST(what_was_begun_is_ended_with_the_system) {
  rig_begin(&r);
  expect_good(call("startRecording", "last"));
  rig_run(&r, 10 * MS);
  sn_system_end(r.system);
  assert_true(is_there("last.mcap"));
  assert_int_equal(count_messages("last.mcap"), 20);
}

SN_TEST(some_outputs_can_be_chosen) {
  rig_set(&r, recorder, "outputs", "[gain.out]");
  rig_begin(&r);
  expect_good(call("startRecording", "one"));
  rig_run(&r, 10 * MS);
  expect_good(call("stopRecording", NULL));
  assert_int_equal(count_messages("one.mcap"), 10);
  assert_int_equal(sn_system_stop(r.system, recorder, &r.err), SN_OK);
  rig_set(&r, recorder, "outputs", "[gain.none]");
  assert_int_equal(sn_system_start(r.system, recorder, &r.err), SN_OK);
  assert_int_equal(call("startRecording", "two"), SN_ENOENT);
  assert_false(is_there("two.mcap.part")); /* nothing is left behind */
}

SN_TEST(a_folder_that_cannot_be_is_reported) {
  sn_test_write(folder, "file", "");
  char path[128];
  snprintf(path, sizeof path, "%s/file", folder);
  rig_set(&r, recorder, "folder", path);
  rig_begin(&r);
  assert_int_equal(call("startRecording", "walk"), SN_EIO);
  sn_assert_contains(r.err.message, "cannot make the folder");
}

SN_TEST(it_can_record_from_the_start) {
  rig_set(&r, recorder, "start_at_once", "true");
  rig_begin(&r);
  rig_run(&r, 10 * MS);
  expect_good(call("stopRecording", NULL));
  assert_int_equal(count_messages("rec0001.mcap"), 20);
}

static void nap(int64_t time_ms) {
  const struct timespec time = {.tv_nsec = (long)(time_ms * MS)};
  nanosleep(&time, NULL);
}

/* Until something is recorded: a busy machine may take its time. */
static void wait_for_messages(void) {
  for (int i = 0; i < 1000; i++) {
    nap(10);
    expect_good(call("getRecording", NULL));
    if (answer->messages > 0) {
      return;
    }
  }
  fail_msg("nothing was recorded in ten seconds");
}

SN_TEST(real_time_is_recorded_by_a_thread) {
  rig_close(&r);
  build(true);
  rig_begin(&r);
  assert_int_equal(sn_system_launch(r.system, &r.err), SN_OK);
  for (int i = 0; i < 3; i++) {
    expect_good(call("startRecording", NULL));
    wait_for_messages();
    expect_good(call("stopRecording", NULL));
    assert_true(answer->messages > 0);
  }
  expect_good(call("startRecording", "last"));
  wait_for_messages();
  sn_system_end(r.system);
  assert_true(count_messages("last.mcap") > 0);
}

SN_TEST_EACH(set_up, tear_down)
