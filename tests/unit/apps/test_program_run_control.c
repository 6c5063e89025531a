/* A deployment runs in one process and is controlled from others. */
#include <stdlib.h>
#include <unistd.h>

#include "program_rig.h"
#include "sn_test.h"

/* Deadlines that even a busy machine meets. */
static const char deployment[] = "plugins: ['" SINEW_TEST_PLUGIN
                                 "']\n"
                                 "activities: {control: {period: 0.001}}\n"
                                 "components:\n"
                                 "  source: {type: Source, deadline: 60}\n"
                                 "  gain: {type: Gain, deadline: 60}\n"
                                 "  sink: {type: Sink, properties: {label: end}, deadline: 60}\n"
                                 "connections: [source.out -> gain.in, gain.out -> sink.in]\n";

static int set_up(void **state) {
  (void)program_set_up(state);
  sn_test_write(program_folder, "good.yaml", deployment);
  return 0;
}

SN_TEST(a_running_deployment_is_inspected_and_changed) {
  program_expect_script(
      "$sinew run good.yaml --headless & system=$!\n"
      "await $sinew ls\n"
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

SN_TEST(names_keep_systems_apart) {
  program_expect_script(
      "$sinew run good.yaml --headless --name one & one=$!\n"
      "await $sinew ls --name one\n"
      "$sinew run good.yaml --headless --socket $PWD/two.sock --set sink.label=second & two=$!\n"
      "await $sinew ls --socket $PWD/two.sock\n"
      "$sinew get sink.label --name one | grep -q end\n"
      "$sinew get sink.label --socket $PWD/two.sock | grep -q second\n"
      "$sinew complete ls --name '' | grep -qx one\n"
      "if $sinew run good.yaml --headless --name one --duration 5 2>third; then false; fi\n"
      "grep -q 'another system answers' third\n"
      "kill $one $two; wait $one $two\n");
}

/* A system that cannot be stopped must not run. */
SN_TEST(a_second_system_needs_another_name) {
  program_expect_script(
      "$sinew run good.yaml --headless & system=$!\n"
      "await $sinew ls\n"
      "if $sinew run good.yaml --headless --duration 0.05 2>second; then false; fi\n"
      "grep -q 'no control socket.*another system.*--name' second\n"
      "$sinew run good.yaml --headless --duration 0.05 --name second\n"
      "$sinew ls >/dev/null\n"
      "kill -9 $system; wait $system || true\n"
      "test -S sinew/default.sock\n" /* a stale socket is replaced */
      "$sinew run good.yaml --headless --duration 0.05 2>third\n"
      "if grep -q warning third; then false; fi\n"
      "$sinew run good.yaml --headless --clock sim --duration 0.05\n"
      "test ! -e sinew/default.sock\n");
}

/* Another user created the folder or the socket. */
SN_TEST(sockets_of_other_users_are_rejected) {
  if (geteuid() != 0) {
    skip(); /* needs two users */
  }
  program_expect_script(
      "chmod 711 .\n"
      "mkdir theirs; chmod 700 theirs; chown 65534 theirs\n"
      "cat > impostor.py <<'END'\n"
      "import os, socket\n"
      "os.setuid(65534)\n"
      "s = socket.socket(socket.AF_UNIX)\n"
      "s.bind('theirs/default.sock')\n"
      "s.listen()\n"
      "while True:\n"
      "  c, _ = s.accept()\n"
      "  got = c.recv(1000)\n"
      "  if got: open('theirs/heard', 'ab').write(got)\n"
      "  if got: c.sendall(b'{\"id\":1,\"ok\":true,\"result\":[]}\\n')\n"
      "END\n"
      "python3 -B impostor.py & impostor=$!\n"
      "for i in {1..500}; do test -S theirs/default.sock && break; sleep 0.02; done\n"
      /* the folder is theirs */
      "mv theirs sinew\n"
      "if $sinew stop 2>said; then false; fi\n"
      "grep -q 'sinew: belongs to user 65534' said\n"
      "if $sinew run good.yaml --headless --duration 0.05 2>said; then false; fi\n"
      "grep -q 'must belong to this user' said\n"
      /* the folder is ours, the socket is theirs */
      "chown 0 sinew\n"
      "if $sinew stop 2>said; then false; fi\n"
      "grep -q 'user 65534 answers there' said\n"
      "if $sinew ls --socket sinew/default.sock 2>said; then false; fi\n"
      "grep -q 'user 65534 answers there' said\n"
      "test ! -e sinew/heard\n"
      /* a folder in which every user can replace the socket */
      "mkdir open; chmod 777 open\n"
      "if $sinew run good.yaml --headless --duration 0.05 --socket open/s 2>said; then false; fi\n"
      "grep -q 'everyone can replace files' said\n"
      "kill $impostor; wait $impostor || true\n");
}

/* A service has its own user and folder. */
SN_TEST(root_reaches_the_system_of_a_service) {
  if (geteuid() != 0) {
    skip();
  }
  program_expect_script(
      "chmod 755 .\n"
      "cp $(sed -n \"s/^plugins: ..\\(.*\\)..$/\\1/p\" good.yaml) plugin.so\n"
      "sed -i 's/^plugins: .*/plugins: [plugin.so]/' good.yaml; chmod 644 good.yaml plugin.so\n"
      "mkdir service; chmod 700 service; chown 65534 service\n"
      "cp $sinew program; chmod 755 program\n"
      "python3 -c 'import os; os.setgroups([]); os.setgid(65534); os.setuid(65534); "
      "os.execl(\"./program\", \"sinew\", \"run\", \"good.yaml\", \"--headless\", \"--socket\", "
      "\"service/s\")' & system=$!\n"
      "await $sinew ls --socket service/s\n"
      "$sinew get sink.label --socket service/s | grep -q end\n"
      "kill $system; wait $system\n");
}

SN_TEST_EACH(set_up, program_tear_down)
