/* `sinew run` is stopped by a signal, hangs, loses its guard, or ends as it should. */
#define _GNU_SOURCE

#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "death_rig.h"
#include "sn_test.h"

enum { MS = 1000000 };

static const int64_t DEATH_MAX_NS = INT64_C(1000) * MS; /* as in test_program_dies.c */

static death_figures figures;

static void stopped_by_a_signal_and_continued(void **state) {
  (void)state;
  for (int limp = 0; limp < 2; limp++) {
    death_open(limp, "");
    death_wait_moving();
    const int64_t event_ns = death_now_ns();
    kill(death.pid, SIGSTOP);
    death_check_safe("STOP", event_ns, DEATH_MAX_NS, 1.01, &figures);
    death_expect_soon("is stopped by a signal");
    double goals[DEATH_FAMILIES];
    for (int k = 0; k < DEATH_FAMILIES; k++) {
      goals[k] = death_servo(k).goal;
    }
    kill(death.pid, SIGCONT);
    death_expect_soon("emergency stop, servos");
    death_pause_ms(300);
    for (int k = 0; k < DEATH_FAMILIES; k++) { /* goals are sent again, but only those that hold */
      const sim_servo s = death_servo(k);
      assert_int_equal(s.torque, !limp);
      /* it came to rest a little further on than where it was measured */
      assert_true(limp || fabs(s.goal - goals[k]) < 0.15);
      assert_true(limp || death_now_ns() - s.goal_changed_ns > 200 * MS);
    }
    death_expect_soon("stopped by a signal or a debugger ('/dev");
    kill(death.pid, SIGTERM);
    (void)death_wait_end();
    death_close();
  }
}

static void an_endless_loop_and_sigterm(void **state) {
  (void)state;
  death_figures loop = {.count = 0};
  for (int limp = 0; limp < 2; limp++) {
    death_open(limp, "");
    death_wait_moving();
    const int64_t event_ns = death_order("loop");
    death_expect_soon("no goals for ");
    /* the servo goes on reading: it comes to rest beside its goal, where friction holds it */
    death_check_safe("loop", event_ns, 6000 * (int64_t)MS, 60.0, &loop);
    kill(death.pid, SIGTERM);
    if (limp != 0) {
      death_pause_ms(200);
      kill(death.pid, SIGINT);
    }
    const int status = death_wait_end();
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 3);
    sn_assert_contains(death_errors(),
                       limp != 0 ? "a second signal: ended at once; still busy: "
                                 : "the end takes too long: ended by force; still busy: ");
    sn_assert_contains(death_errors(), "'step' of component 'villain'");
    death_close();
  }
}

static void a_configure_that_never_returns_and_sigterm(void **state) {
  (void)state;
  death_open(false, "--set villain.hangs_in_configure=true");
  death_pause_ms(300);
  const char *runs = "";
  for (int n = 0; n < 2000; n++) { /* it is there when its recording is */
    char path[128];
    struct stat facts;
    snprintf(path, sizeof path, "%s/death.mcap", death.folder);
    runs = stat(path, &facts) == 0 ? "yes" : "";
    if (*runs != '\0') {
      break;
    }
    death_pause_ms(5);
  }
  assert_string_equal(runs, "yes");
  death_pause_ms(200);
  kill(death.pid, SIGTERM);
  const int status = death_wait_end();
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 3);
  sn_assert_contains(death_errors(), "'configure' of component 'villain'");
  death_close();
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
    if (strcmp(name, "sinew-guard\n") == 0 &&
        holds_port(entry->d_name, sim_pty_path(death.ptys[0]))) {
      found = (pid_t)atoi(entry->d_name);
    }
  }
  closedir(list);
  return found;
}

static void a_guard_that_is_killed_is_replaced(void **state) {
  (void)state;
  death_open(true, "");
  death_wait_moving();
  const pid_t first = find_guard();
  assert_true(first > 0);
  kill(first, SIGKILL);
  pid_t second = first;
  for (int n = 0; n < 1000 && (second == first || second == 0); n++) {
    death_pause_ms(5);
    second = find_guard();
  }
  assert_true(second > 0 && second != first);
  death_expect_soon("the guard process had ended; another one has been started");
  death_wait_moving();
  const int64_t event_ns = death_now_ns();
  kill(death.pid, SIGKILL);
  (void)death_wait_end();
  death_check_safe("guard 2", event_ns, DEATH_MAX_NS, 1.01, &figures);
  death_close();
}

/* A clean end is no trouble, and leaves no process behind. */
static void a_clean_end_is_none_of_its_business(void **state) {
  (void)state;
  death_open(false, "");
  death_wait_moving();
  assert_true(find_guard() > 0);
  kill(death.pid, SIGTERM);
  const int status = death_wait_end();
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
  assert_null(strstr(death_errors(), "sinew-guard"));
  assert_null(strstr(death_errors(), "emergency stop"));
  for (int n = 0; n < 1000 && find_guard() != 0; n++) {
    death_pause_ms(5);
  }
  assert_int_equal(find_guard(), 0);
  for (int k = 0; k < DEATH_FAMILIES; k++) {
    assert_true(death_servo(k).torque); /* stop: hold */
  }
  death_close();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stopped_by_a_signal_and_continued),
      cmocka_unit_test(an_endless_loop_and_sigterm),
      cmocka_unit_test(a_configure_that_never_returns_and_sigterm),
      cmocka_unit_test(a_guard_that_is_killed_is_replaced),
      cmocka_unit_test(a_clean_end_is_none_of_its_business),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
