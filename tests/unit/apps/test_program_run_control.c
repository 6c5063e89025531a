/* A deployment that runs in one process, asked and told from others. */
#include <stdlib.h>

#include "program.h"
#include "sn_test.h"

static char folder[64];
static sn_test_run run; /* large */

/* Deadlines that no machine misses, however busy it is. */
static const char deployment[] = "plugins: ['" SINEW_TEST_PLUGIN
                                 "']\n"
                                 "activities: {control: {period: 0.001}}\n"
                                 "components:\n"
                                 "  source: {type: Source, deadline: 60}\n"
                                 "  gain: {type: Gain, deadline: 60}\n"
                                 "  sink: {type: Sink, properties: {label: end}, deadline: 60}\n"
                                 "connections: [source.out -> gain.in, gain.out -> sink.in]\n";

static int set_up(void **state) {
  (void)state;
  sn_test_folder_create(folder);
  sn_test_write(folder, "good.yaml", deployment);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  sn_test_folder_remove(folder);
  return 0;
}

/* Run a script in the folder, in which $sinew is the program and its systems are named there, too.
 */
static void expect_script(const char *script) {
  static char whole[4096];
  snprintf(whole, sizeof whole,
           "set -e; cd %s; export XDG_RUNTIME_DIR=%s sinew=%s\n"
           "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n"
           "await() { for i in {1..3000}; do $sinew ls \"$@\" >/dev/null 2>&1 && return; "
           "sleep 0.02; done; false; }\n"
           "%s",
           folder, folder, SINEW_PROGRAM, script);
  sn_test_write(folder, "script", whole);
  char arguments[256]; /* the program itself only says its version, which goes nowhere */
  snprintf(arguments, sizeof arguments, ">/dev/null --version; bash %s/script >%s/out 2>&1", folder,
           folder);
  sn_test_program(&run, "/", arguments, NULL);
  if (run.code != 0) {
    char path[128];
    snprintf(path, sizeof path, "%s/out", folder);
    size_t size = 0;
    char *text = sn_test_read_file(path, &size);
    fail_msg("exit code %d: %s", run.code, text);
  }
}

static void a_deployment_is_asked_and_told_while_it_runs(void **state) {
  (void)state;
  expect_script(
      "$sinew run good.yaml --headless & system=$!\n"
      "await\n"
      "test -S sinew/default.sock\n"
      "$sinew ls | grep -q '^gain .*running'\n"
      "$sinew ls gain | grep -q -- '-> sink.in'\n"
      "$sinew get sink.label | grep -qx '\"end\"'\n"
      "$sinew echo gain.out --count 2 --json | wc -l | grep -qx 2\n"
      "$sinew log | grep -q 'sink: end starts'\n"
      "$sinew call sink.stop | grep -q stopped\n"
      "$sinew set sink.label fine\n"
      "$sinew call sink.start\n"
      "$sinew log | grep -q 'sink: fine starts' || { sleep 0.3; $sinew log | grep -q fine; }\n"
      "$sinew top --once --json | grep -q '\"name\":\"control\"'\n"
      "kill $system; wait $system\n"
      "test ! -e sinew/default.sock\n");
}

static void names_keep_systems_apart(void **state) {
  (void)state;
  expect_script(
      "$sinew run good.yaml --headless --name one & one=$!\n"
      "await --name one\n"
      "$sinew run good.yaml --headless --socket $PWD/two.sock --set sink.label=second & two=$!\n"
      "await --socket $PWD/two.sock\n"
      "$sinew get sink.label --name one | grep -q end\n"
      "$sinew get sink.label --socket $PWD/two.sock | grep -q second\n"
      "$sinew complete ls --name '' | grep -qx one\n"
      "if $sinew run good.yaml --headless --name one --duration 5 2>third; then false; fi\n"
      "grep -q 'another system answers' third\n"
      "kill $one $two; wait $one $two\n");
}

/* Without being asked for, a socket that is taken is no reason not to run. */
static void a_second_system_runs_without_the_default_socket(void **state) {
  (void)state;
  expect_script(
      "$sinew run good.yaml --headless & system=$!\n"
      "await\n"
      "$sinew run good.yaml --headless --duration 0.05 2>second\n"
      "grep -q 'warning: without a control socket: .*another system' second\n"
      "$sinew ls >/dev/null\n"
      "kill -9 $system; wait $system || true\n"
      "test -S sinew/default.sock\n" /* left behind, and no obstacle */
      "$sinew run good.yaml --headless --duration 0.05 2>third\n"
      "if grep -q warning third; then false; fi\n"
      "$sinew run good.yaml --headless --clock sim --duration 0.05\n"
      "test ! -e sinew/default.sock\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_deployment_is_asked_and_told_while_it_runs, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(names_keep_systems_apart, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_second_system_runs_without_the_default_socket, set_up,
                                      tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
