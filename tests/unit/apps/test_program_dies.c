/* `sinew run` dies, hangs, is stopped: the servos must not go on. One simulated servo of each
   family, each behind a port of its own; torque and goal are measured at the servo. */
#define _GNU_SOURCE

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "program.h"
#include "sim_pty.h"
#include "sn_test.h"

enum { FAMILIES = 4, MS = 1000000 };
static const char *const families[FAMILIES] = {"dynamixel", "feetech_sts", "feetech_scs",
                                               "herkulex"};
static const char *const drivers[FAMILIES] = {"dynamixel", "feetech", "feetech", "herkulex"};

/* The guard acts within 20 ms after it has noticed. What the machine adds is not ours: this is a
   bound for a busy one, the figure is printed. */
static const int64_t DEATH_MAX_NS = INT64_C(400) * MS;

typedef struct rig {
  char folder[64];
  sim_pty *ptys[FAMILIES];
  bool limp;
  pid_t pid;
  char errors[1 << 16];
} rig;

static rig r; /* large */

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void pause_ms(long ms) {
  const struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * MS};
  nanosleep(&t, NULL);
}

static void write_deployment(bool limp) {
  char text[4096];
  int used =
      snprintf(text, sizeof text,
               "robot: %s/arm6.urdf\nplugins: [%s]\n"
               "activities: {control: {period: 0.004}}\ncomponents:\n"
               "  villain: {type: Villain, activity: control, properties: {order: %s/order}}\n",
               SINEW_ROBOTS, SINEW_VILLAIN, r.folder);
  for (int k = 0; k < FAMILIES; k++) {
    used += snprintf(text + used, sizeof text - (size_t)used,
                     "  %s:\n    type: driver_%s\n    activity: control\n    properties:\n"
                     "      ports: [%s]\n      baud: 1000000\n      period: 0.01\n"
                     "      answer_time: 0.004\n      stop: hold\n      safe_state: %s\n"
                     "      goal_timeout: 0.2\n      guard_timeout: 0.2\n%s"
                     "      servos: [{joint: joint%d, id: 1}]\n",
                     families[k], drivers[k], sim_pty_path(r.ptys[k]), limp ? "limp" : "hold",
                     k == SIM_FEETECH_SCS ? "      series: scs\n" : "", k + 1);
  }
  used += snprintf(text + used, sizeof text - (size_t)used, "connections:\n");
  for (int k = 0; k < FAMILIES; k++) {
    used += snprintf(text + used, sizeof text - (size_t)used, "  - villain.goals -> %s.goals\n",
                     families[k]);
  }
  sn_test_write(r.folder, "die.yaml", text);
}

static void launch(const char *more) {
  char command[512];
  snprintf(command, sizeof command,
           "cd '%s' && XDG_RUNTIME_DIR=. exec '%s' run die.yaml --headless --record r.mcap %s "
           "</dev/null >out 2>err",
           r.folder, SINEW_PROGRAM, more);
  r.pid = fork();
  assert_true(r.pid >= 0);
  if (r.pid == 0) {
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
  }
}

static const char *errors(void) {
  char path[128];
  snprintf(path, sizeof path, "%s/err", r.folder);
  FILE *file = fopen(path, "rb");
  r.errors[file == NULL ? 0 : fread(r.errors, 1, sizeof r.errors - 1, file)] = '\0';
  if (file != NULL) {
    fclose(file);
  }
  return r.errors;
}

/* Words that come a moment later. */
static void expect_soon(const char *words) {
  for (int n = 0; n < 1000 && strstr(errors(), words) == NULL; n++) {
    pause_ms(5);
  }
  sn_assert_contains(errors(), words);
}

static sim_servo servo_of(int k) {
  const servo_sim *sim = sim_pty_lock(r.ptys[k]);
  const sim_servo servo = sim->servos[0];
  sim_pty_unlock(r.ptys[k]);
  return servo;
}

/* Every servo has torque, and its goals go on and on. */
static void wait_until_all_move(void) {
  for (int n = 0; n < 6000; n++) {
    bool all = true;
    for (int k = 0; k < FAMILIES; k++) {
      const sim_servo s = servo_of(k);
      all = all && s.torque && s.goal_count > 30 && now_ns() - s.goal_changed_ns < 100 * MS &&
            fabs(s.qd) > 0.3;
    }
    if (all) {
      return;
    }
    int status = 0;
    if (waitpid(r.pid, &status, WNOHANG) != 0) {
      break;
    }
    pause_ms(5);
  }
  fail_msg("the servos do not move\n%s", errors());
}

static void open_rig(bool limp, const char *more) {
  sn_test_folder_create(r.folder);
  r.limp = limp;
  for (int k = 0; k < FAMILIES; k++) {
    servo_sim sim;
    servo_sim_init(&sim, (sim_kind)k, 1000000, 7);
    servo_sim_add(&sim, 1, 1030);
    r.ptys[k] = sim_pty_start(&sim, NULL);
  }
  write_deployment(limp);
  launch(more);
}

static void close_rig(void) {
  for (int k = 0; k < FAMILIES; k++) {
    sim_pty_stop(r.ptys[k]);
  }
  sn_test_folder_remove(r.folder);
}

/* ---- what must be true afterwards ---- */

typedef struct figures {
  double worst_ms[FAMILIES];
} figures;

/* Waits until the goals are at rest, or torque is gone. */
static void wait_until_safe(void) {
  for (int n = 0; n < 2000; n++) {
    bool all = true;
    for (int k = 0; k < FAMILIES; k++) {
      const sim_servo s = servo_of(k);
      all = all && (r.limp ? !s.torque : now_ns() - s.goal_changed_ns > 500 * MS);
    }
    if (all) {
      return;
    }
    pause_ms(5);
  }
}

/* @param tolerance  of the goal that holds, from the position that was measured, in counts */
static void check_safe(const char *event, int64_t event_ns, int64_t max_ns, double tolerance,
                       figures *out) {
  wait_until_safe();
  for (int k = 0; k < FAMILIES; k++) {
    const sim_servo s = servo_of(k);
    const int64_t safe_ns = (r.limp ? s.torque_off_ns : s.goal_changed_ns) - event_ns;
    const double count = 1.0 / sim_counts_per_rad((sim_kind)k);
    print_message("%-8s %-12s %s after %6.1f ms\n", event, families[k], r.limp ? "limp" : "holds",
                  1e-6 * (double)safe_ns);
    if (s.torque == r.limp || safe_ns > max_ns || (!r.limp && s.goal_off > tolerance * count)) {
      fail_msg("%s: torque %d, goal %.4f rad off the position measured, after %.1f ms\n%s",
               families[k], s.torque, s.goal_off, 1e-6 * (double)safe_ns, errors());
    }
    out->worst_ms[k] = fmax(out->worst_ms[k], 1e-6 * (double)safe_ns);
  }
}

static int wait_for_end(void) {
  int status = 0;
  assert_int_equal(waitpid(r.pid, &status, 0), r.pid);
  return status;
}

/* The recording holds what was sent until shortly before the event. */
static void check_recording(int64_t event_ns) {
  static sn_test_run result;
  sn_test_program_expect(&result, r.folder, "info r.mcap", 0);
  sn_test_program_expect(&result, r.folder, "export r.mcap --csv --topic /villain/goals", 0);
  long long last_ns = 0;
  for (const char *row = result.output; row != NULL && *row != '\0'; row = strchr(row, '\n')) {
    row += *row == '\n';
    const double time = strtod(row, NULL);
    last_ns = time > 0.0 ? (long long)(1e9 * time) : last_ns;
  }
  if (last_ns < event_ns - 300 * (long long)MS) {
    fail_msg("the recording ends %.1f ms before the event", 1e-6 * (double)(event_ns - last_ns));
  }
}

static int64_t give_order(const char *order) {
  sn_test_write(r.folder, "order", order);
  char path[128];
  snprintf(path, sizeof path, "%s/order", r.folder);
  for (int n = 0; n < 4000; n++) {
    char text[64] = "";
    FILE *file = fopen(path, "rb");
    text[file == NULL ? 0 : fread(text, 1, sizeof text - 1, file)] = '\0';
    if (file != NULL) {
      fclose(file);
    }
    const char *time = strchr(text, ' ');
    if (time != NULL) {
      return strtoll(time, NULL, 10);
    }
    pause_ms(2);
  }
  fail_msg("the order '%s' was not taken\n%s", order, errors());
  return 0;
}

/* ---- the ways to die ---- */

static figures death;

static void dies(const char *order, int signal_number, const char *last_words) {
  for (int limp = 0; limp < 2; limp++) {
    open_rig(limp, "");
    wait_until_all_move();
    const int64_t event_ns = give_order(order);
    const int status = wait_for_end();
    check_safe(order, event_ns, DEATH_MAX_NS, 1.01, &death);
    if (signal_number == 0) {
      assert_true(WIFEXITED(status));
      assert_int_equal(WEXITSTATUS(status), 3);
    } else {
      assert_true(WIFSIGNALED(status));
      assert_int_equal(WTERMSIG(status), signal_number);
    }
    expect_soon(last_words);
    sn_assert_contains(errors(), "'step' of component 'villain', cycle ");
    sn_assert_contains(errors(), "of activity 'control'");
    expect_soon("sinew-guard: process ");
    check_recording(event_ns);
    close_rig();
  }
}

static void a_failed_assertion(void **state) {
  (void)state;
  dies("assert", SIGABRT, "fatal: villain.c:");
}

static void a_segmentation_fault(void **state) {
  (void)state;
  dies("segv", SIGSEGV, "fatal: SIGSEGV at address 0x0 in ");
}

static void a_stack_that_overflows(void **state) {
  (void)state;
  dies("stack", SIGSEGV, "fatal: SIGSEGV at address 0x");
}

static void a_component_that_calls_exit(void **state) {
  (void)state;
  dies("exit", 0, "fatal: exit() was called in ");
}

/* Whatever it hits, and wherever it ends: the component's name may be gone. */
static void a_component_that_writes_wildly(void **state) {
  (void)state;
  for (int limp = 0; limp < 2; limp++) {
    open_rig(limp, "");
    wait_until_all_move();
    const int64_t event_ns = give_order("wild");
    const int status = wait_for_end();
    check_safe("wild", event_ns, DEATH_MAX_NS, 1.01, &death);
    assert_true(WIFSIGNALED(status));
    expect_soon("sinew-guard: process ");
    close_rig();
  }
}

static void kill_9(void **state) {
  (void)state;
  for (int limp = 0; limp < 2; limp++) {
    open_rig(limp, "");
    wait_until_all_move();
    const int64_t event_ns = now_ns();
    kill(r.pid, SIGKILL);
    (void)wait_for_end();
    check_safe("kill -9", event_ns, DEATH_MAX_NS, 1.01, &death);
    expect_soon(" has died, at ");
    check_recording(event_ns);
    close_rig();
  }
}

/* ---- not dead ---- */

static void stopped_by_a_signal_and_continued(void **state) {
  (void)state;
  for (int limp = 0; limp < 2; limp++) {
    open_rig(limp, "");
    wait_until_all_move();
    const int64_t event_ns = now_ns();
    kill(r.pid, SIGSTOP);
    check_safe("STOP", event_ns, DEATH_MAX_NS, 1.01, &death);
    expect_soon("is stopped by a signal");
    double goals[FAMILIES];
    for (int k = 0; k < FAMILIES; k++) {
      goals[k] = servo_of(k).goal;
    }
    kill(r.pid, SIGCONT);
    expect_soon("emergency stop, servos");
    pause_ms(300);
    for (int k = 0; k < FAMILIES; k++) { /* goals are sent again, but only those that hold */
      const sim_servo s = servo_of(k);
      assert_int_equal(s.torque, !limp);
      /* it came to rest a little further on than where it was measured */
      assert_true(limp || fabs(s.goal - goals[k]) < 0.15);
      assert_true(limp || now_ns() - s.goal_changed_ns > 200 * MS);
    }
    expect_soon("stopped by a signal or a debugger ('/dev");
    kill(r.pid, SIGTERM);
    (void)wait_for_end();
    close_rig();
  }
}

static void an_endless_loop_and_sigterm(void **state) {
  (void)state;
  figures loop = {{0}};
  for (int limp = 0; limp < 2; limp++) {
    open_rig(limp, "");
    wait_until_all_move();
    const int64_t event_ns = give_order("loop");
    /* the servo goes on reading: it comes to rest beside its goal, where friction holds it */
    check_safe("loop", event_ns, 1000 * (int64_t)MS, 60.0, &loop);
    expect_soon("no goals for 2");
    kill(r.pid, SIGTERM);
    if (limp != 0) {
      pause_ms(200);
      kill(r.pid, SIGINT);
    }
    const int status = wait_for_end();
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 3);
    sn_assert_contains(errors(), limp != 0
                                     ? "a second signal: ended at once; still busy: "
                                     : "the end takes too long: ended by force; still busy: ");
    sn_assert_contains(errors(), "'step' of component 'villain'");
    close_rig();
  }
}

static void a_configure_that_never_returns_and_sigterm(void **state) {
  (void)state;
  open_rig(false, "--set villain.hangs_in_configure=true");
  pause_ms(300);
  const char *runs = "";
  for (int n = 0; n < 2000; n++) { /* it is there when its recording is */
    char path[128];
    struct stat facts;
    snprintf(path, sizeof path, "%s/r.mcap", r.folder);
    runs = stat(path, &facts) == 0 ? "yes" : "";
    if (*runs != '\0') {
      break;
    }
    pause_ms(5);
  }
  assert_string_equal(runs, "yes");
  pause_ms(200);
  kill(r.pid, SIGTERM);
  const int status = wait_for_end();
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 3);
  sn_assert_contains(errors(), "'configure' of component 'villain'");
  close_rig();
}

/* ---- the guard itself ---- */

static bool holds_port(const char *pid, const char *port) {
  char folder[300];
  snprintf(folder, sizeof folder, "/proc/%s/fd", pid);
  DIR *list = opendir(folder);
  bool holds = false;
  const struct dirent *entry = NULL;
  while (list != NULL && (entry = readdir(list)) != NULL) {
    char link[600], to[128] = "";
    snprintf(link, sizeof link, "%s/%s", folder, entry->d_name);
    const ssize_t got = readlink(link, to, sizeof to - 1);
    holds = holds || (got > 0 && strcmp(to, port) == 0);
  }
  if (list != NULL) {
    closedir(list);
  }
  return holds;
}

/* The process of that name which holds our first port. @return 0: none */
static pid_t find_guard(void) {
  DIR *list = opendir("/proc");
  assert_non_null(list);
  pid_t found = 0;
  const struct dirent *entry = NULL;
  while (found == 0 && (entry = readdir(list)) != NULL) {
    char path[300], name[32] = "";
    snprintf(path, sizeof path, "/proc/%s/comm", entry->d_name);
    FILE *file = fopen(path, "rb");
    if (file != NULL) {
      (void)!fgets(name, sizeof name, file);
      fclose(file);
    }
    if (strcmp(name, "sinew-guard\n") == 0 && holds_port(entry->d_name, sim_pty_path(r.ptys[0]))) {
      found = (pid_t)atoi(entry->d_name);
    }
  }
  closedir(list);
  return found;
}

static void a_guard_that_is_killed_is_replaced(void **state) {
  (void)state;
  open_rig(true, "");
  wait_until_all_move();
  const pid_t first = find_guard();
  assert_true(first > 0);
  kill(first, SIGKILL);
  pid_t second = first;
  for (int n = 0; n < 1000 && (second == first || second == 0); n++) {
    pause_ms(5);
    second = find_guard();
  }
  assert_true(second > 0 && second != first);
  expect_soon("the guard process had ended; another one has been started");
  wait_until_all_move();
  const int64_t event_ns = now_ns();
  kill(r.pid, SIGKILL);
  (void)wait_for_end();
  check_safe("guard 2", event_ns, DEATH_MAX_NS, 1.01, &death);
  close_rig();
}

/* A clean end is no trouble, and leaves no process behind. */
static void a_clean_end_is_none_of_its_business(void **state) {
  (void)state;
  open_rig(false, "");
  wait_until_all_move();
  assert_true(find_guard() > 0);
  kill(r.pid, SIGTERM);
  const int status = wait_for_end();
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
  assert_null(strstr(errors(), "sinew-guard"));
  for (int n = 0; n < 1000 && find_guard() != 0; n++) {
    pause_ms(5);
  }
  assert_int_equal(find_guard(), 0);
  for (int k = 0; k < FAMILIES; k++) {
    assert_true(servo_of(k).torque); /* stop: hold */
  }
  close_rig();
}

static int print_figures(void **state) {
  (void)state;
  for (int k = 0; k < FAMILIES; k++) {
    print_message("%s: safe %.1f ms after the event at most\n", families[k], death.worst_ms[k]);
  }
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_failed_assertion),
      cmocka_unit_test(a_segmentation_fault),
      cmocka_unit_test(a_stack_that_overflows),
      cmocka_unit_test(a_component_that_calls_exit),
      cmocka_unit_test(a_component_that_writes_wildly),
      cmocka_unit_test(kill_9),
      cmocka_unit_test(stopped_by_a_signal_and_continued),
      cmocka_unit_test(an_endless_loop_and_sigterm),
      cmocka_unit_test(a_configure_that_never_returns_and_sigterm),
      cmocka_unit_test(a_guard_that_is_killed_is_replaced),
      cmocka_unit_test(a_clean_end_is_none_of_its_business),
  };
  return cmocka_run_group_tests(tests, NULL, print_figures);
}
