/* `sinew run` is stopped by a signal, hangs, loses its guard, or ends as it should. */
#define _GNU_SOURCE

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "death_rig.h"
#include "find_guard.h"
#include "sn_test.h"
#include "thread_waits.h"

/* Until the servo has got so many goals more. */
static void wait_for_more(int family, uint64_t goals) {
  const uint64_t wanted = death_servo(family).goal_count + goals;
  for (int n = 0; n < 4000 && death_servo(family).goal_count < wanted && !death_is_lost(family);
       n++) {
    death_pause_ms(5);
  }
  assert_true(death_servo(family).goal_count >= wanted || death_is_lost(family));
}

/* Until every bus has logged these words, and sent so many goals since. */
static void wait_for_goals(const char *words, uint64_t goals) {
  for (int k = 0; k < DEATH_FAMILIES; k++) {
    char line[200];
    snprintf(line, sizeof line, "%s ('%s')", words, sim_pty_path(death.ptys[k]));
    death_expect_soon(line);
    wait_for_more(k, goals);
  }
}

SN_TEST(stopped_by_a_signal_and_continued) {
  death_figures figures = {.count = 0};
  for (size_t n = 0; n < 2 * sn_test_cases(1); n++) {
    const bool limp = n % 2 != 0;
    death_open(limp, "");
    death_wait_moving();
    const int64_t event_ns = death_stop();
    death_check_guard("STOP", event_ns, &figures);
    sn_assert_contains(death_errors(), "is stopped by a signal");
    double held[DEATH_FAMILIES];
    for (int k = 0; k < DEATH_FAMILIES; k++) {
      held[k] = death_servo(k).goal;
    }
    kill(death.pid, SIGCONT);
    wait_for_goals("the process was stopped by a signal or a debugger", limp ? 0 : 3);
    double goals[DEATH_FAMILIES];
    for (int k = 0; k < DEATH_FAMILIES; k++) {
      goals[k] = death_servo(k).goal;
      /* it came to rest a little further on than where it was measured */
      assert_true(limp || fabs(goals[k] - held[k]) < 0.15);
    }
    wait_for_goals("the process was stopped by a signal or a debugger", limp ? 0 : 20);
    for (int k = 0; k < DEATH_FAMILIES; k++) { /* goals are sent again, but only those that hold */
      const sim_servo s = death_servo(k);
      assert_int_equal(s.torque, !limp);
      assert_true(limp || s.goal == goals[k]);
    }
    kill(death.pid, SIGTERM);
    (void)death_wait_end();
    death_close();
  }
  death_print("STOP", &figures);
}

/* The bus stops in its first cycle after `goal_timeout`; that, and the one before, take a period.
 */
static void check_stale(double waited_ms) {
  static const double TIMEOUT_MS = 2000.0, PERIOD_MS = 20.0;
  double stale_ms = 0.0;
  death_expect_soon("no goals for ");
  assert_int_equal(
      sscanf(strstr(death_errors(), "no goals for "), "no goals for %lf ms", &stale_ms), 1);
  print_message("stopped after %.0f ms without goals; %.1f ms without a processor\n", stale_ms,
                waited_ms);
  assert_true(stale_ms >= TIMEOUT_MS);
  assert_true(stale_ms <= TIMEOUT_MS + 2.0 * PERIOD_MS + waited_ms);
}

SN_TEST(an_endless_loop_and_sigterm) {
  for (int limp = 0; limp < 2; limp++) {
    death_open(limp,
               "--set dynamixel.goal_timeout=2 --set feetech_sts.goal_timeout=2 "
               "--set feetech_scs.goal_timeout=2 --set herkulex.goal_timeout=2");
    death_wait_moving();
    const thread_waits before = thread_waits_read(death.pid, "bus");
    assert_int_equal(before.count, DEATH_FAMILIES);
    const int64_t event_ns = death_order("loop");
    death_expect_soon("no goals for ");
    const thread_waits after = thread_waits_read(death.pid, "bus");
    check_stale(thread_waits_between(&before, &after, 1));
    for (int k = 0; k < DEATH_FAMILIES; k++) { /* the first has latched the stop for all */
      wait_for_more(k, limp ? 0 : 5);
    }
    (void)death_check_servos("loop", event_ns);
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

SN_TEST(a_configure_that_never_returns_and_sigterm) {
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

SN_TEST(a_guard_that_is_killed_is_replaced) {
  death_open(true, "");
  death_wait_moving();
  const char *port = sim_pty_path(death.ptys[0]);
  const pid_t first = find_guard(port, 0);
  kill(first, SIGKILL);
  (void)find_guard(port, first);
  death_expect_soon("the guard process had ended; another one has been started");
  death_wait_moving();
  death_figures figures = {.count = 0};
  const int64_t event_ns = death_now_ns();
  kill(death.pid, SIGKILL);
  (void)death_wait_end();
  death_check_guard("guard 2", event_ns, &figures);
  death_close();
}

/* A clean end logs no fault and leaves no process behind. */
SN_TEST(a_clean_end_is_none_of_its_business) {
  death_open(false, "");
  death_wait_moving();
  const char *port = sim_pty_path(death.ptys[0]);
  (void)find_guard(port, 0);
  kill(death.pid, SIGTERM);
  const int status = death_wait_end();
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
  assert_null(strstr(death_errors(), "sinew-guard"));
  assert_null(strstr(death_errors(), "emergency stop"));
  for (int n = 0; n < 1000 && guard_of(port) != 0; n++) {
    death_pause_ms(5);
  }
  assert_int_equal(guard_of(port), 0);
  for (int k = 0; k < DEATH_FAMILIES; k++) {
    assert_true(death_servo(k).torque); /* stop: hold */
  }
  death_close();
}
