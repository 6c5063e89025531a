/* The program on a machine: doctor, manual page, service manager. */
#define _POSIX_C_SOURCE 200809L

#include <arpa/inet.h>
#include <jansson.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "program_rig.h"
#include "sn_test.h"

/* ---- doctor ---- */

/* Findings that are not good have a fix; good ones have none. */
SN_TEST(every_finding_has_a_verdict_and_a_fix) {
  static const char *const names[] = {"program", "files",  "kernel",   "priority",
                                      "memory",  "cores",  "governor", "sleep",
                                      "latency", "serial", "port",     "socket"};
  program_expect("doctor --json", 0);
  json_t *result = json_loads(program_run.output, 0, NULL);
  assert_non_null(result);
  const json_t *checks = json_object_get(result, "checks");
  assert_int_equal(json_array_size(checks), sizeof names / sizeof *names);
  for (size_t i = 0; i < json_array_size(checks); i++) {
    const json_t *check = json_array_get(checks, i);
    const char *verdict = json_string_value(json_object_get(check, "verdict"));
    const char *fix = json_string_value(json_object_get(check, "fix"));
    assert_string_equal(json_string_value(json_object_get(check, "check")), names[i]);
    assert_true(*json_string_value(json_object_get(check, "text")) != '\0');
    assert_int_equal(strcmp(verdict, "good") == 0, *fix == '\0');
  }
  json_decref(result);
  program_expect("doctor", 0);
  sn_assert_contains(program_run.output, "\ngood  socket       control socket: ");
}

SN_TEST(a_port_in_use_is_reported) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  assert_int_equal(bind(fd, (struct sockaddr *)&address, size), 0);
  assert_int_equal(listen(fd, 1), 0);
  assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
  char arguments[64];
  char text[64];
  const int port = ntohs(address.sin_port);
  snprintf(arguments, sizeof arguments, "doctor --port %d", port);
  snprintf(text, sizeof text, "fair  port         port %d is taken", port);
  program_expect(arguments, 0);
  sn_assert_contains(program_run.output, text);
  sn_assert_contains(program_run.output, "fix: sinew run FILE --port N");
  close(fd);
  program_expect("doctor --port 0", 2);
  program_expect("doctor now", 2);
}

SN_TEST(bad_findings_exit_1) {
  char command[512];
  /* No robots, and no folder for a socket. */
  snprintf(command, sizeof command,
           "cp %s %s/s; cd %s; XDG_RUNTIME_DIR=/proc SINEW_SHARE=/nowhere ./s doctor >out; "
           "echo $? >>out; grep -q '^bad' out && grep -q '^1$' out",
           SINEW_PROGRAM, program_folder, program_folder);
  assert_int_equal(system(command), 0);
}

/* ---- help ---- */

/* Commands are in the help, in the manual and in the completion. */
SN_TEST(every_command_is_documented) {
  static const char *const names[] = {"types",  "schema", "check", "run",   "demo",  "doctor",
                                      "fk",     "ik",     "id",    "ident", "bench", "info",
                                      "export", "ls",     "get",   "set",   "call",  "stop",
                                      "replay", "echo",   "top",   "log"};
  static sn_test_run help;
  static sn_test_run manual;
  sn_test_program(&help, program_folder, "--help", NULL);
  sn_test_program(&manual, program_folder, "man", NULL);
  program_expect("complete ''", 0);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char line[64];
    snprintf(line, sizeof line, "\n  %s ", names[i]);
    sn_assert_contains(help.output, line);
    snprintf(line, sizeof line, "\n.TP\n.B %s\n", names[i]);
    sn_assert_contains(manual.output, line);
    snprintf(line, sizeof line, "%s\n", names[i]);
    sn_assert_contains(program_run.output, line);
  }
  program_expect("complete demo --h", 0);
  sn_assert_contains(program_run.output, "--headless");
  program_expect("complete replay --d", 0);
  sn_assert_contains(program_run.output, "--deployment");
  program_expect("man x", 2);
}

/* Every line that begins with a point is a known request. */
SN_TEST(the_manual_page_is_valid_roff) {
  program_expect("man", 0);
  for (const char *at = strstr(program_run.output, "\n."); at != NULL; at = strstr(at + 1, "\n.")) {
    static const char *const requests[] = {"TH",  "SH", "TP", "B ", "B\n", "BI", "BR", "RI", "I ",
                                           "I\n", "IR", "RS", "RE", "PP",  "nh", "hy", "ad", "br"};
    bool is_known = false;
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
      is_known = is_known || strncmp(at + 2, requests[i], strlen(requests[i])) == 0;
    }
    if (!is_known) {
      fail_msg("in the manual: %.20s", at + 1);
    }
  }
}

/* ---- the service manager ---- */

static int listen_at(const char *name) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
  snprintf(address.sun_path, sizeof address.sun_path, "%s/%s", program_folder, name);
  assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
  return fd;
}

/* All datagrams received, each followed by a bar. */
static void receive(int fd, char *out, size_t size) {
  struct pollfd wait = {.fd = fd, .events = POLLIN};
  size_t used = 0;
  while (poll(&wait, 1, 0) == 1) {
    const ssize_t got = recv(fd, out + used, size - used - 2, 0);
    assert_true(got >= 0);
    used += (size_t)got;
    out[used++] = '|';
  }
  out[used] = '\0';
}

SN_TEST(the_manager_receives_ready_watchdog_and_stopping) {
  char text[4096];
  char command[1024];
  const int fd = listen_at("notify");
  snprintf(
      command, sizeof command,
      "cd %s; NOTIFY_SOCKET=%s/notify WATCHDOG_USEC=600000 XDG_RUNTIME_DIR=%s %s run %s/arm6.urdf "
      "--headless --duration 1 2>log",
      program_folder, program_folder, program_folder, SINEW_PROGRAM, SINEW_ROBOTS);
  assert_int_equal(system(command), 0);
  receive(fd, text, sizeof text);
  assert_memory_equal(text, "READY=1\nSTATUS=running|WATCHDOG=1|", 34);
  sn_assert_contains(text, "|STOPPING=1\nSTATUS=ending|");
  size_t count = 0;
  for (const char *at = strstr(text, "WATCHDOG=1"); at != NULL; at = strstr(at + 1, "WATCHDOG=1")) {
    count++;
  }
  assert_true(count >= 2); /* of about four, on a busy machine */
  close(fd);
}

/* A watchdog of another process is not fed, and an invalid socket does no harm. */
SN_TEST(invalid_manager_settings_do_no_harm) {
  char text[4096];
  char command[1024];
  const int fd = listen_at("notify");
  snprintf(command, sizeof command,
           "cd %s; export XDG_RUNTIME_DIR=%s; R='%s run %s/arm6.urdf --headless --duration 0.3'; "
           "NOTIFY_SOCKET=%s/notify WATCHDOG_USEC=20000 WATCHDOG_PID=1 $R 2>log && "
           "NOTIFY_SOCKET=relative $R 2>log && NOTIFY_SOCKET=/nowhere WATCHDOG_USEC=x $R 2>log",
           program_folder, program_folder, SINEW_PROGRAM, SINEW_ROBOTS, program_folder);
  assert_int_equal(system(command), 0);
  receive(fd, text, sizeof text);
  assert_string_equal(text, "READY=1\nSTATUS=running|STOPPING=1\nSTATUS=ending|");
  close(fd);
}

/* ---- the emergency stop ---- */

SN_TEST(the_stop_needs_one_word) {
  char command[1024];
  snprintf(command, sizeof command,
           "cd %s; export XDG_RUNTIME_DIR=%s USER=me; S=%s\n"
           "$S run %s/arm6.urdf --headless 2>log &\n"
           "for i in $(seq 100); do $S ls >>log 2>&1 && break; sleep 0.1; done\n"
           "for i in $(seq 200); do $S stop 'too fast' --timeout 20 >out; R=$?; test $R = 0 && "
           "break; done\n"
           "$S call aggregator.getStop --timeout 20 >state\n"
           "kill $!; wait; exit $R\n",
           program_folder, program_folder, SINEW_PROGRAM, SINEW_ROBOTS);
  sn_test_write(program_folder, "stop.sh", command);
  snprintf(command, sizeof command, "bash %s/stop.sh", program_folder);
  assert_int_equal(system(command), 0);
  snprintf(
      command, sizeof command,
      "grep -q 'aggregator: stopped; to go on: sinew call aggregator.resume name=me' %s/out && "
      "grep -q 'why: \"too fast\"' %s/state && grep -q 'stopped: true' %s/state",
      program_folder, program_folder, program_folder);
  assert_int_equal(system(command), 0);
  program_expect("stop", 3);
  program_expect("stop a b", 2);
}

SN_TEST_EACH(program_set_up, program_tear_down)
