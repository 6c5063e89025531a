/* A program that has no file descriptors left says so, does not spin, and goes on when there are
   some again. */
#include <stdlib.h>
#include <unistd.h>

#include "program.h"
#include "sn_test.h"

static char folder[64];
static sn_test_run run; /* large */

static int set_up(void **state) {
  (void)state;
  sn_test_folder_create(folder);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  sn_test_folder_remove(folder);
  return 0;
}

/* Run a script in the folder, in which $sinew is the program; what its system says is in `said`. */
static void expect_script(const char *script) {
  static char whole[4096];
  snprintf(whole, sizeof whole,
           "set -e; cd %s; export XDG_RUNTIME_DIR=%s sinew=%s\n"
           "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n"
           "await() { for i in {1..3000}; do \"$@\" >/dev/null 2>&1 && return; sleep 0.02; done; "
           "echo \"never: $*\"; false; }\n"
           "said() { grep -q \"$1\" said; }\n"
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

static void few_descriptors_are_refused_at_the_start(void **state) {
  (void)state;
  expect_script(
      "code=0; (ulimit -n 40; exec $sinew run " SINEW_ROBOTS
      "/arm6.urdf --headless --duration 1 2>said) || code=$?\n"
      "test $code = 3\n"
      "said 'at most 40 files may be open, at least 256 are needed: raise the limit (ulimit -n'\n"
      "(ulimit -S -n 40; exec $sinew run " SINEW_ROBOTS /* the soft limit is raised */
      "/arm6.urdf --headless --duration 0.1)\n");
}

static void servers_without_descriptors_pause_say_so_and_go_on(void **state) {
  (void)state;
  expect_script("$sinew run " SINEW_ROBOTS
                "/arm6.urdf --port 0 >address 2>said & system=$!\n"
                "await $sinew ls\n"
                "prlimit --pid $system --nofile=4:\n" /* fewer than it has open */
                "$sinew ls --timeout 0.2 && exit 1 || true\n"
                "await said 'control socket: no file descriptor is free for a new connection'\n"
                "port=$(sed -n 's|.*127.0.0.1:\\([0-9]*\\)/.*|\\1|p' said | head -1)\n"
                "if [ -n \"$port\" ]; then\n" /* built with a cockpit */
                "  exec 5<>/dev/tcp/127.0.0.1/$port\n"
                "  await said 'cockpit: no file descriptor is free for a new connection'\n"
                "fi\n"
                "prlimit --pid $system --nofile=256:\n"
                "await $sinew ls\n"
                "if [ -n \"$port\" ]; then\n"
                "  printf 'GET /health HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\n\\r\\n' >&5\n"
                "  IFS= read -r -t 60 line <&5; echo \"$line\" | grep -q '^HTTP/1.1 '\n"
                "fi\n"
                "kill $system; wait $system\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(few_descriptors_are_refused_at_the_start, set_up, tear_down),
      cmocka_unit_test_setup_teardown(servers_without_descriptors_pause_say_so_and_go_on, set_up,
                                      tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
