/* Sizes of recordings, and what is in them. Simulated runs: the same bytes every time. */
#define _POSIX_C_SOURCE 200809L

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program_rig.h"
#include "sn_test.h"

/* Long enough that what a file has once hardly counts. */
enum { SECONDS = 5 };

static long size_of(const char *name) {
  char path[256];
  struct stat facts;
  snprintf(path, sizeof path, "%s/%s", program_folder, name);
  assert_int_equal(stat(path, &facts), 0);
  return (long)facts.st_size;
}

static void run(const char *robot, const char *options) {
  char arguments[512];
  snprintf(arguments, sizeof arguments, "%s --headless --quiet --clock sim --duration %d %s", robot,
           SECONDS, options);
  program_expect(arguments, 0);
}

/* At most a fifth of all messages uncompressed, and 2 MB/s for a quadruped at 1 kHz. */
SN_TEST(recordings_are_small) {
  static const char *const robots[] = {
      "demo",                                               /* stands and breathes */
      "run " SINEW_ROBOTS "/../deployments/demo_sway.yaml", /* sways in the air */
      "run " SINEW_ROBOTS "/quadruped.yaml",
      "demo " SINEW_ROBOTS "/arm6.yaml",
      "demo " SINEW_ROBOTS "/arm7.yaml",
  };
  for (size_t i = 0; i < sizeof robots / sizeof *robots; i++) {
    char name[32];
    run(robots[i], "--record a.mcap");
    run(robots[i],
        "--set recorder.start_at_once=true --set recorder.folder=. --set recorder.compression=none "
        "--set 'recorder.outputs=[\"*\"]'");
    snprintf(name, sizeof name, "rec%04zu.mcap", i + 1);
    const long packed = size_of("a.mcap");
    const long plain = size_of(name);
    print_message("%s: %.2f MB/s, 1/%.2f\n", robots[i], 1e-6 * (double)packed / SECONDS,
                  (double)plain / (double)packed);
    assert_true(5 * packed <= plain);
    assert_true(packed <= 2000000L * SECONDS);
  }
}

/* How many messages of a topic are in the file. */
static int count_of(const char *file, const char *topic) {
  char arguments[128], line[128];
  snprintf(arguments, sizeof arguments, "export %s --csv --topic %s -o out.csv", file, topic);
  program_expect(arguments, 0);
  snprintf(line, sizeof line, "%s/out.csv", program_folder);
  FILE *csv = fopen(line, "r");
  assert_non_null(csv);
  int count = -1; /* the header */
  while (fgets(line, sizeof line, csv) != NULL) {
    count += strchr(line, '\n') != NULL;
  }
  fclose(csv);
  return count;
}

static void expect_none(const char *file, const char *topic) {
  char arguments[128];
  snprintf(arguments, sizeof arguments, "export %s --csv --topic %s", file, topic);
  program_expect(arguments, 1);
  sn_assert_contains(program_run.errors, "no messages of topic");
}

SN_TEST(all_of_it_is_recorded_on_request) {
  const char *arm = "run " SINEW_ROBOTS "/arm6.yaml";
  run(arm, "--record a.mcap");
  run(arm, "--record all.mcap --record-outputs '*'");
  run(arm, "--record ticks.mcap --record-outputs timer.sync");
  assert_int_equal(count_of("a.mcap", "/timer/sync"), 100 * SECONDS);
  assert_int_equal(count_of("all.mcap", "/timer/sync"), 1000 * SECONDS);
  assert_int_equal(count_of("ticks.mcap", "/timer/sync"), 1000 * SECONDS);
  assert_int_equal(count_of("a.mcap", "/plant/joints_measured"), 6 * 1000 * SECONDS);
}

SN_TEST(record_option_uses_the_settings_of_the_recorder) {
  const char *arm = "demo " SINEW_ROBOTS "/arm6.yaml";
  run(arm, "--record a.mcap");
  run(arm, "--record plain.mcap --set recorder.compression=none");
  run(arm, "--record few.mcap --set 'recorder.outputs=[plant.*]'");
  run(arm, "--record tick.mcap --set 'recorder.outputs=[plant.*]' --record-outputs timer.sync");
  run(arm, "--record slow.mcap --set recorder.rate=10");
  assert_true(size_of("plain.mcap") > 3 * size_of("a.mcap"));
  assert_int_equal(count_of("few.mcap", "/plant/battery_state"), 1000 * SECONDS);
  expect_none("few.mcap", "/timer/sync");
  assert_int_equal(count_of("tick.mcap", "/timer/sync"), 1000 * SECONDS);
  expect_none("tick.mcap", "/plant/battery_state");
  assert_int_equal(count_of("slow.mcap", "/plant/battery_state"), 10 * SECONDS);
}

/* What is recorded less often is compared, too. */
SN_TEST(replay_compares_the_messages_that_there_are) {
  run("demo " SINEW_ROBOTS "/arm6.yaml", "--record a.mcap");
  program_expect("replay a.mcap", 0);
  sn_assert_contains(program_run.output, "a.mcap: equal: ");
  program_expect("replay a.mcap --set kinematics_fwd.frame=tool0", 1);
  sn_assert_contains(program_run.output, "  first   /kinematics_fwd/limbs, message 1, ");
  run("demo " SINEW_ROBOTS "/arm6.yaml", "--record rate.mcap --record-rate 30");
  program_expect("replay rate.mcap", 0);
  program_expect("replay rate.mcap --set plant.bus_delay=2", 1);
  sn_assert_contains(program_run.output, "/plant/joints_measured");
}

static bool has_warned(void *context, const char *errors) {
  (void)context;
  return strchr(errors, '\n') != NULL;
}

/* The readable part is played. */
SN_TEST(player_says_that_the_end_of_a_file_is_missing) {
  char path[256];
  run("run " SINEW_ROBOTS "/arm6.yaml", "--record cut.mcap");
  snprintf(path, sizeof path, "%s/cut.mcap", program_folder);
  assert_int_equal(truncate(path, size_of("cut.mcap") / 2), 0);
  assert_true(sn_test_program_until(&program_run, program_folder, "view cut.mcap --port 0", SIGTERM,
                                    has_warned, NULL));
  sn_assert_contains(program_run.errors, "cut.mcap: warning: the file was not closed");
}

SN_TEST_EACH(program_set_up, program_tear_down)
