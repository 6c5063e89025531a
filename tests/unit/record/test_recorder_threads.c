/* The recorder's own thread beside a system that runs in real time. */
#define _POSIX_C_SOURCE 200809L

#include <time.h>

#include "program.h"
#include "record/mcap.h"
#include "record/recorder.h"
#include "rig.h"
#include "sn_test.h"

#define MS INT64_C(1000000)

static char folder[64];
static char path[128];
static rig r;

static int set_up(void **state) {
  (void)state;
  sn_test_folder_create(folder);
  snprintf(path, sizeof path, "%s/a.mcap", folder);
  rig_open_real(&r, MS);
  rig_add(&r, &part_source_type, "source");
  rig_add(&r, &part_gain_type, "gain");
  rig_connect(&r, "source.out", "gain.in");
  rig_begin(&r);
  if (sn_system_launch(r.system, &r.err) != SN_OK) {
    fail_msg("%s", r.err.message);
  }
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  rig_close(&r);
  sn_test_folder_remove(folder);
  return 0;
}

static sn_recorder *start(size_t memory_max) {
  const sn_recorder_config config = {.path = path, .memory_max = memory_max};
  sn_recorder *recorder = NULL;
  if (sn__recorder_start(r.system, &config, &recorder, &r.err) != SN_OK) {
    fail_msg("%s", r.err.message);
  }
  return recorder;
}

static void pause_a_moment(void) {
  const struct timespec moment = {.tv_nsec = 1000000};
  nanosleep(&moment, NULL);
}

/* The positions of a topic go up; how many there are. */
static uint64_t count_rising(const char *topic) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "read", 0);
  sn_mcap_reader *reader = NULL;
  const sn_mcap_reader_config config = {.topic = topic};
  assert_int_equal(sn__mcap_reader_load(&arena, path, &config, &reader, &r.err), SN_OK);
  sn_joint_state *msg = sn_msg_create(&arena, &sn_joint_state_type, NULL);
  sn_mcap_message message;
  double last = -1.0;
  uint64_t count = 0;
  while (sn__mcap_reader_next(reader, &message, &r.err) == SN_OK) {
    assert_int_equal(sn__mcap_decode(&message, msg, &r.err), SN_OK);
    assert_int_equal(message.sequence, count++);
    assert_int_equal(message.publish_ns, msg->header.stamp_ns);
    assert_true(message.log_ns >= message.publish_ns);
    assert_true(msg->position.data[0] > last);
    last = msg->position.data[0];
  }
  assert_true(sn__mcap_reader_info(reader).is_complete);
  assert_int_equal(sn__mcap_reader_info(reader).damaged, 0);
  sn__mcap_reader_close(reader);
  sn_arena_release(&arena);
  return count;
}

SN_TEST(running_system_is_recorded) {
  sn_recorder *recorder = start(0);
  assert_int_equal(sn__recorder_drain(recorder, &r.err), SN_EINVAL);
  while (sn__recorder_info_of(recorder).recorded < 200) {
    assert_int_equal(sn__recorder_info_of(recorder).status, SN_OK);
    pause_a_moment();
  }
  sn_recorder_info info;
  assert_int_equal(sn__recorder_stop(recorder, &info, &r.err), SN_OK);
  assert_true(info.recorded >= 200);
  assert_int_equal(count_rising("/source/out") + count_rising("/gain/out"), info.recorded);
}

SN_TEST(recording_starts_and_stops_while_the_system_runs) {
  for (size_t i = 0; i < 20; i++) {
    sn_recorder *recorder = start((size_t)512 << i % 3); /* so small that it loses some */
    for (size_t k = 0; k < i; k++) {
      pause_a_moment();
    }
    sn_recorder_info info;
    assert_int_equal(sn__recorder_stop(recorder, &info, &r.err), SN_OK);
    assert_int_equal(count_rising("/source/out") + count_rising("/gain/out"), info.recorded);
  }
}

SN_TEST_EACH(set_up, tear_down)
