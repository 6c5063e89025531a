#define _POSIX_C_SOURCE 200809L

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "program_rig.h"
#include "sn_test.h"

/* `sinew run` and `sinew check` of deployments with components of a plugin. */

#define PLUGIN "plugins: ['" SINEW_TEST_PLUGIN "']\n"

/* Deadlines that even a busy machine meets. */
static const char good[] = PLUGIN
    "activities: {control: {period: 0.001}}\n"
    "components:\n"
    "  source: {type: Source, deadline: 60}\n"
    "  gain: {type: Gain, deadline: 60}\n"
    "  sink: {type: Sink, properties: {label: end}, deadline: 60}\n"
    "connections:\n"
    "  - source.out -> gain.in\n"
    "  - gain.out -> sink.in\n";
static const char bad[] = PLUGIN
    "components:\n"
    "  source: {type: Source, properties: {amplitude: 11}}\n"
    "  gain: {type: Gian}\n"
    "connections: [source.out -> gain.in]\n";

static int set_up(void **state) {
  (void)program_set_up(state);
  sn_test_write(program_folder, "good.yaml", good);
  sn_test_write(program_folder, "bad.yaml", bad);
  sn_test_write(program_folder, "faulty.yaml",
                PLUGIN "components: {bad_one: {type: Faulty}, s: {type: Source}}\n");
  sn_test_write(program_folder, "with_robot.yaml",
                PLUGIN "robot: '" SINEW_ROBOTS
                       "/quadruped.yaml'\ncomponents: {s: {type: Source}}\n");
  return 0;
}

SN_TEST(good_deployment_is_described) {
  program_expect("check --plugins good.yaml", 0);
  assert_string_equal(program_run.output,
                      "good.yaml: good\n"
                      "  system  3 components, 2 connections, 1 activity\n");
  assert_string_equal(program_run.errors, "");
  program_expect("check --plugins good.yaml --json", 0);
  assert_string_equal(
      program_run.output,
      "{\"ok\":true,\"robot\":\"\",\"links\":0,\"joints\":0,\"dof\":0,\"root\":\"\","
      "\"pose\":[],\"chains\":[],\"contacts\":[],\"problems\":[],\"components\":3,"
      "\"connections\":2,\"activities\":1}\n");
}

SN_TEST(robot_of_a_deployment_is_described_too) {
  program_expect("check --plugins with_robot.yaml", 0);
  sn_assert_contains(program_run.output, "with_robot.yaml: good\n  robot   ");
  sn_assert_contains(program_run.output, "  chain   ");
  sn_assert_contains(program_run.output, " 1 activity\n");
  program_expect("check --plugins --json with_robot.yaml", 0);
  sn_assert_contains(program_run.output, "\"chains\":[{\"name\"");
  sn_assert_contains(program_run.output, "\"components\":2,\"connections\":0,\"activities\":1}");
  program_expect("run with_robot.yaml --headless --clock sim --duration 0.1",
                 0); /* robot_model too */
}

SN_TEST(problems_are_shown_with_their_lines) {
  program_expect("check --plugins bad.yaml", 1);
  assert_string_equal(program_run.output, "bad.yaml: not valid: 2 errors, 0 warnings\n");
  assert_string_equal(program_run.errors,
                      "bad.yaml:3:50: error: 'source.amplitude' is 11, expected 0 .. 10 m\n"
                      "    3 |   source: {type: Source, properties: {amplitude: 11}}\n"
                      "      |                                                  ^\n"
                      "bad.yaml:4:16: error: unknown component type 'Gian'\n"
                      "    4 |   gain: {type: Gian}\n"
                      "      |                ^\n"
                      "      = hint: did you mean 'Gain'?\n");
  program_expect("run bad.yaml --headless --clock sim --duration 1", 1);
  sn_assert_contains(program_run.errors, "bad.yaml:4:16: error: unknown component type 'Gian'\n");
  program_expect("check --plugins bad.yaml --json", 1);
  sn_assert_contains(program_run.output, "{\"ok\":false,");
  sn_assert_contains(program_run.output, "\"components\":0,\"connections\":0,\"activities\":0}");
  program_expect("check --plugins good.yaml --set source.amplitude=12", 1);
  sn_assert_contains(program_run.errors,
                     "--set:1:18: error: 'source.amplitude' is 12, expected 0 .. 10 m\n");
  program_expect("run good.yaml --headless --clock sim --duration 1 --set control.period=0", 0);
}

/* Checking a file must not run code that it names; the rest is checked. */
SN_TEST(check_loads_plugins_only_when_asked) {
  program_expect("check good.yaml", 1);
  sn_assert_contains(program_run.errors, "was not loaded, since loading it runs its code");
  sn_assert_contains(program_run.errors, SINEW_TEST_PLUGIN);
  sn_assert_contains(program_run.errors, "= hint: the option --plugins loads it");
  assert_null(strstr(program_run.errors, "unknown component type"));
  assert_string_equal(program_run.output, "good.yaml: not valid: 1 error, 0 warnings\n");
  sn_test_write(program_folder, "both.yaml",
                "plugins: [rubbish.so]\n"
                "activities: {control: {period: 0.001}}\n"
                "components:\n"
                "  theirs: {type: Theirs, activity: nowhere}\n"
                "  timer: {type: timer, properties: {nonsense: 1}}\n"
                "connections: [theirs.out -> timer.nothing, theirs.out -> missing.in]\n");
  sn_test_write(program_folder, "rubbish.so", "no library");
  program_expect("check both.yaml", 1);
  sn_assert_contains(program_run.errors, "rubbish.so' was not loaded");
  sn_assert_contains(program_run.errors, "'nonsense'");
  sn_assert_contains(program_run.errors, "'nowhere'");
  sn_assert_contains(program_run.errors, "'missing'");
  assert_null(strstr(program_run.errors, "ELF"));
  program_expect("check --plugins both.yaml", 1);
  sn_assert_contains(program_run.errors, "rubbish.so");
  assert_null(strstr(program_run.errors, "was not loaded"));
}

/* The hash of a run: equal for equal runs, different otherwise. */
SN_TEST(simulated_runs_are_the_same_bit_by_bit) {
  char first[128];
  program_expect("run good.yaml --headless --clock sim --duration 2.5 --hash", 0);
  snprintf(first, sizeof first, "%.100s", program_run.output);
  sn_assert_contains(first, "hash ");
  sn_assert_contains(first, " messages 5000\n"); /* two outputs of 2500 cycles */
  sn_assert_contains(program_run.errors, "info: sink: end starts\n");
  program_expect("run good.yaml --headless --clock sim --duration 2.5 --hash", 0);
  assert_string_equal(program_run.output, first);
  static const char *const others[] = {"--set gain.gain=2.0000000000000004",
                                       "--set control.period=0.002",
                                       "--set source.amplitude=0.999"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    char arguments[160];
    snprintf(arguments, sizeof arguments,
             "run good.yaml --headless --clock sim --duration 2.5 --hash %s", others[i]);
    program_expect(arguments, 0);
    assert_string_not_equal(program_run.output, first);
  }
  program_expect("run good.yaml --headless --clock sim --duration 2.5 --hash --set gain.gain=2.0",
                 0);
  assert_string_equal(program_run.output, first);
}

SN_TEST(component_in_error_is_named_at_the_end) {
  program_expect("run faulty.yaml --headless --clock sim --duration 1", 1);
  sn_assert_contains(program_run.errors, "sinew run: component 'bad_one' is in error: ");
  sn_assert_contains(program_run.errors, "input or output failed, at 0.010000 s\n");
  program_expect("run faulty.yaml --headless --clock sim --duration 0.005", 0);
  program_expect("run faulty.yaml --headless --clock sim --duration 1 --set bad_one.after=0", 1);
  sn_assert_contains(program_run.errors, "it would not run at all"); /* refused by configure */
}

SN_TEST(real_and_fast_clocks_run_too) {
  program_expect("run good.yaml --headless --duration 0.05", 0);
  sn_assert_contains(program_run.errors, "info: sink: end starts\n");
  program_expect("run good.yaml --headless --clock x20 --duration 0.5 --hash", 0);
  sn_assert_contains(program_run.output, "hash ");
  program_expect("run good.yaml --headless --clock 20 --duration 0.2", 0);
}

static bool has_started(void *context, const char *errors) {
  (void)context;
  return strstr(errors, "starts") != NULL;
}

SN_TEST(signals_end_it_cleanly) {
  static const int numbers[] = {SIGINT, SIGTERM};
  for (size_t i = 0; i < 2; i++) {
    assert_true(sn_test_program_until(&program_run, program_folder, "run good.yaml --headless",
                                      numbers[i], has_started, NULL));
    assert_int_equal(program_run.code, 0);
  }
}

SN_TEST(wrong_usage_is_refused) {
  program_expect("run good.yaml --headless --port 8123 --duration 1", 2);
  sn_assert_contains(program_run.errors, "options '--port' and '--headless' exclude each other");
  program_expect("run", 2);
  program_expect("run good.yaml --headless --clock sim", 2);
  sn_assert_contains(program_run.errors, "needs '--duration'");
  program_expect("run robot.urdf --headless", 1);
  assert_string_equal(program_run.errors,
                      "robot.urdf:0:0: error: robot.urdf: cannot read the file: No such file or "
                      "directory\n");
  sn_test_write(program_folder, "empty.yaml", "components: {}\n");
  program_expect("run empty.yaml --headless", 1);
  assert_string_equal(program_run.errors, "empty.yaml: error: the deployment has no components\n");
  static const char *const wrong[] = {"--clock 0",     "--clock slow",   "--clock", "--duration x",
                                      "--duration -1", "--duration nan", "--set",   "--port 1.5",
                                      "--port 70000",  "--clock xx2",    "--what",  "--clock 0x10",
                                      "--clock x1e9"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char arguments[128];
    snprintf(arguments, sizeof arguments, "run good.yaml --headless %s", wrong[i]);
    program_expect(arguments, 2);
    sn_assert_contains(program_run.errors, "\nusage: sinew run ");
  }
  program_expect("run none.yaml --headless", 1);
  sn_assert_contains(program_run.errors, "none.yaml:0:0: error: cannot read the file");
  program_expect("check " SINEW_ROBOTS "/arm6.yaml --set a.b=1", 2);
}

/* With a simulated clock every message is recorded, and equal runs give equal files. */
SN_TEST(runs_are_recorded) {
  program_expect("run good.yaml --headless --clock sim --duration 2.5 --record a.mcap", 0);
  program_expect("run good.yaml --headless --clock sim --duration 2.5 --record b.mcap --hash", 0);
  char command[256];
  snprintf(command, sizeof command, "cmp %s/a.mcap %s/b.mcap", program_folder, program_folder);
  assert_int_equal(system(command), 0);
  program_expect("info a.mcap --json", 0);
  sn_assert_contains(program_run.output, "\"complete\":true,");
  sn_assert_contains(program_run.output, "\"messages\":7501,\"start_ns\":0,\"end_ns\":2499000000,");
  sn_assert_contains(program_run.output, "{\"topic\":\"/gain/out\",");
  program_expect("run good.yaml --headless --clock real --duration 0.05 --record a.mcap", 0);
  program_expect("info a.mcap", 0);
  program_expect("run good.yaml --headless --clock sim --duration 1 --record /dev/full", 1);
  sn_assert_contains(program_run.errors,
                     "sinew run: cannot write /dev/full: No space left on device\n");
  program_expect("run good.yaml --headless --clock sim --duration 1 --record /nowhere/a.mcap", 1);
  sn_assert_contains(program_run.errors, "sinew run: cannot write /nowhere/a.mcap: No such file");
}

SN_TEST_GROUP(set_up, program_tear_down)
