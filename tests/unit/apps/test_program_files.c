/* A program without free file descriptors reports it, does not spin, and recovers. */
#include <stdlib.h>
#include <unistd.h>

#include "program_rig.h"
#include "sn_test.h"

SN_TEST(few_descriptors_are_refused_at_the_start) {
  program_expect_script(
      "code=0; (ulimit -n 40; exec $sinew run " SINEW_ROBOTS
      "/arm6.urdf --headless --duration 1 2>said) || code=$?\n"
      "test $code = 3\n"
      "said 'at most 40 files can be open, at least 256 are needed: raise the limit (ulimit -n'\n"
      "(ulimit -S -n 40; exec $sinew run " SINEW_ROBOTS /* the soft limit is raised */
      "/arm6.urdf --headless --duration 0.1)\n");
}

SN_TEST(servers_without_descriptors_pause_and_recover) {
  program_expect_script(
      "$sinew run " SINEW_ROBOTS
      "/arm6.urdf --port 0 >address 2>said & system=$!\n"
      "await $sinew ls\n"
      "prlimit --pid $system --nofile=4:\n" /* fewer than are open */
      "$sinew ls --timeout 0.2 && exit 1 || true\n"
      "await said 'control socket: no file descriptors left for a new connection'\n"
      "port=$(sed -n 's|.*127.0.0.1:\\([0-9]*\\)/.*|\\1|p' said | head -1)\n"
      "if [ -n \"$port\" ]; then\n" /* built with a cockpit */
      "  exec 5<>/dev/tcp/127.0.0.1/$port\n"
      "  await said 'cockpit: no file descriptors left for a new connection'\n"
      "fi\n"
      "prlimit --pid $system --nofile=256:\n"
      "await $sinew ls\n"
      "if [ -n \"$port\" ]; then\n"
      "  printf 'GET /health HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\n\\r\\n' >&5\n"
      "  IFS= read -r -t 60 line <&5; echo \"$line\" | grep -q '^HTTP/1.1 '\n"
      "fi\n"
      "kill $system; wait $system\n");
}

SN_TEST_EACH(program_set_up, program_tear_down)
