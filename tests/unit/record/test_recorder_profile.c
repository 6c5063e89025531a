/* Which outputs are recorded, how often, and in how much memory. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <unistd.h>

#include "program.h"
#include "record/mcap.h"
#include "record/recorder.h"
#include "rig.h"
#include "sinew/msg_types.h"
#include "sn_test.h"

#define MS INT64_C(1000000)

static char folder[64];
static char path[128];
static rig r;
static sn_recorder *recorder;

/* Two sources and an amplifier: source.out, spare.out, gain.out. */
static int set_up(void **state) {
  (void)state;
  sn_test_folder_create(folder);
  snprintf(path, sizeof path, "%s/a.mcap", folder);
  recorder = NULL;
  rig_open(&r, MS);
  rig_add(&r, &part_source_type, "source");
  rig_add(&r, &part_gain_type, "gain");
  rig_add(&r, &part_source_type, "spare");
  rig_connect(&r, "source.out", "gain.in");
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

/* ---- outputs ---- */

typedef struct selection {
  const char *wishes[3];
  size_t count;
  const char *topics; /* recorded, each with a space */
} selection;

SN_TEST(patterns_choose_outputs) {
  static const selection cases[] = {
      {{"*"}, 1, "/source/out /gain/out /spare/out "},
      {{"s*.out"}, 1, "/source/out /spare/out "},
      {{"gain.*", "spare.out"}, 2, "/gain/out /spare/out "},
      {{"!gain.out", "!plant.out"}, 2, "/source/out /spare/out "},
      {{"!s*", "source.out"}, 2, "/source/out /gain/out "},
      {{"s*", "!spare.*"}, 2, "/source/out "},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char topics[128] = "";
    start((sn_recorder_config){.outputs = cases[i].wishes, .output_count = cases[i].count});
    const size_t count = sn__recorder_info_of(recorder).topic_count;
    for (size_t k = 0; k < count; k++) {
      strcat(strcat(topics, sn__recorder_topic_at(recorder, k).topic), " ");
    }
    stop();
    assert_string_equal(topics, cases[i].topics);
  }
}

SN_TEST(pattern_that_fits_nothing_is_refused) {
  static const char *const wishes[] = {"plant.*", "source.out?"};
  for (size_t i = 0; i < 2; i++) {
    const char *outputs[] = {"source.out", wishes[i]};
    const sn_recorder_config config = {.path = path, .outputs = outputs, .output_count = 2};
    assert_int_equal(sn__recorder_start(r.system, &config, &recorder, &r.err), SN_ENOENT);
    sn_assert_contains(r.err.message, wishes[i]);
    assert_int_not_equal(access(path, F_OK), 0);
  }
  const char *none[] = {"!*"};
  const sn_recorder_config config = {.path = path, .outputs = none, .output_count = 1};
  assert_int_equal(sn__recorder_start(r.system, &config, &recorder, &r.err), SN_EINVAL);
}

/* ---- rate ---- */

/* The cycles whose messages of a topic are in the file; @return their number */
static size_t read_cycles(const char *topic, int64_t cycles[], size_t room) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "read", 0);
  sn_mcap_reader *reader = NULL;
  const sn_mcap_reader_config config = {.topic = topic};
  assert_int_equal(sn__mcap_reader_load(&arena, path, &config, &reader, &r.err), SN_OK);
  sn_mcap_message message;
  size_t count = 0;
  while (sn__mcap_reader_next(reader, &message, &r.err) == SN_OK) {
    assert_true(count < room);
    assert_int_equal(message.log_ns, message.publish_ns);
    cycles[count++] = message.log_ns / MS;
  }
  sn__mcap_reader_close(reader);
  sn_arena_release(&arena);
  return count;
}

SN_TEST(last_message_of_each_interval_is_recorded) {
  int64_t cycles[64];
  start((sn_recorder_config){.rate_Hz = 100.0});
  run(95 * MS); /* 0 .. 94 */
  const sn_recorder_info info = stop();
  const size_t count = read_cycles("/gain/out", cycles, 64);
  assert_int_equal(count, 10);
  for (size_t i = 0; i < 9; i++) {
    assert_int_equal(cycles[i], 10 * (int64_t)i + 9);
  }
  assert_int_equal(cycles[9], 94); /* the last of all */
  assert_int_equal(info.recorded, 3 * 10);
  assert_int_equal(info.thinned, 3 * 85);
  assert_int_equal(info.lost, 0);
}

/* One message on its own is an event, which must not wait for the next one. */
SN_TEST(message_of_a_silent_output_is_recorded_when_its_interval_ends) {
  start((sn_recorder_config){.rate_Hz = 100.0});
  run(5 * MS);
  assert_int_equal(sn__recorder_info_of(recorder).recorded, 0);
  assert_int_equal(sn_system_stop(r.system, sn_system_find(r.system, "spare"), &r.err), SN_OK);
  run(10 * MS);
  assert_int_equal(sn__recorder_topic_at(recorder, 2).recorded, 1);
  stop();
  int64_t cycles[4];
  assert_int_equal(read_cycles("/spare/out", cycles, 4), 1);
  assert_int_equal(cycles[0], 4);
}

/* ---- derived outputs ---- */

static sn_port derived_ports[8];
static sn_component_type derived_type;

/* One more amplifier, whose output is derived: echo.out. */
static void add_derived(void) {
  size_t count = 0;
  for (const sn_port *p = part_gain_type.ports; p->name != NULL; p++) {
    derived_ports[count] = *p;
    derived_ports[count++].flags |= p->kind == SN_PORT_OUT ? SN_PORT_DERIVED : 0u;
  }
  derived_type = part_gain_type;
  derived_type.ports = derived_ports;
  rig_close(&r);
  rig_open(&r, MS);
  rig_add(&r, &part_source_type, "source");
  rig_add(&r, &derived_type, "echo");
  rig_connect(&r, "source.out", "echo.in");
  rig_begin(&r);
}

SN_TEST(derived_outputs_are_recorded_less_often_unless_asked_for) {
  static const struct {
    const char *wish; /* NULL: none */
    double rate_Hz;
    size_t source, echo; /* messages in 95 ms */
  } cases[] = {
      {NULL, 0.0, 95, 10},      {"!nothing.*", 0.0, 95, 10}, {"*", 0.0, 95, 95},
      {"echo.out", 0.0, 0, 95}, {NULL, 20.0, 2, 2},          {NULL, 500.0, 48, 10},
      {"*", 500.0, 48, 48},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int64_t cycles[128];
    add_derived();
    start((sn_recorder_config){.rate_Hz = cases[i].rate_Hz,
                               .outputs = &cases[i].wish,
                               .output_count = cases[i].wish == NULL ? 0 : 1});
    run(95 * MS);
    const sn_recorder_info info = stop();
    assert_int_equal(info.lost, 0);
    assert_int_equal(read_cycles("/source/out", cycles, 128), cases[i].source);
    assert_int_equal(read_cycles("/echo/out", cycles, 128), cases[i].echo);
    if (cases[i].echo == 10) {
      assert_int_equal(cycles[0], 9); /* the last of its interval, as with a rate */
      assert_int_equal(cycles[9], 94);
    }
  }
}

SN_TEST(rate_above_that_of_the_outputs_changes_nothing) {
  start((sn_recorder_config){.rate_Hz = 5000.0});
  run(20 * MS);
  const sn_recorder_info info = stop();
  assert_int_equal(info.recorded, 3 * 20);
  assert_int_equal(info.thinned, 0);
}

SN_TEST(rates_out_of_range_are_refused) {
  static const double rates[] = {-1.0, 1e-4, 1e7, (double)NAN, (double)INFINITY};
  for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
    const sn_recorder_config config = {.path = path, .rate_Hz = rates[i]};
    assert_int_equal(sn__recorder_start(r.system, &config, &recorder, &r.err), SN_EINVAL);
    sn_assert_contains(r.err.message, "expected 0 or 0.001 to 1e+06");
  }
}

/* ---- memory ---- */

static sn_recorder_info record_without_reading(size_t memory_max) {
  start((sn_recorder_config){.memory_max = memory_max});
  rig_run(&r, 50 * MS);
  return stop();
}

/* What the messages use counts, which is much less than they have room for. */
SN_TEST(messages_share_the_memory) {
  const size_t room = sn_msg_size(&sn_joint_state_type, NULL);
  const sn_recorder_info all = record_without_reading(3 * 50 * room / 4);
  assert_int_equal(all.recorded, 3 * 50);
  assert_int_equal(all.lost, 0);
  const sn_recorder_info some = record_without_reading(4096);
  assert_true(some.recorded >= 3 && some.lost > 0);
  assert_int_equal(some.recorded + some.lost, 3 * 50);
  int64_t cycles[50];
  const size_t kept = read_cycles("/source/out", cycles, 50);
  assert_true(kept > 1);
  for (size_t i = 0; i < kept; i++) {
    assert_int_equal(cycles[i], 50 + i); /* the first ones are in the file */
  }
}

SN_TEST_EACH(set_up, tear_down)
