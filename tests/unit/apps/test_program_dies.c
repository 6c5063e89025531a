/* `sinew run` dies: the servos must not go on. One simulated servo of each family, each behind a
   port of its own. */
#define _GNU_SOURCE

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "death_rig.h"
#include "sn_test.h"

/* Recordings of processes that saw their end coming: those that held all, and the rest. */
static size_t saved, reported;

/* Nothing is lost, or the program said so: a disk that is busy may take longer than it waits. */
static void check_saved(void) {
  const bool is_whole = death_recorded_ns() >= death.sent_ns;
  saved += is_whole;
  reported += !is_whole;
  if (!is_whole) {
    sn_assert_contains(death_errors(), "the recording may lack the last messages");
  }
}

static void die_once(const char *order, int signal_number, const char *last_words,
                     death_figures *figures) {
  death_wait_moving();
  const int64_t event_ns = death_order(order);
  const int status = death_wait_end();
  death_check_guard(order, event_ns, figures);
  if (signal_number == 0) {
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 3);
  } else {
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), signal_number);
  }
  death_expect_soon(last_words);
  sn_assert_contains(death_errors(), "'step' of component 'villain', cycle ");
  sn_assert_contains(death_errors(), "of activity 'control'");
  check_saved();
}

static void dies(const char *order, int signal_number, const char *last_words) {
  death_figures figures = {.count = 0};
  for (size_t n = 0; n < 2 * sn_test_cases(1); n++) {
    death_open(n % 2 != 0, "");
    die_once(order, signal_number, last_words, &figures);
    death_close();
  }
  death_print(order, &figures);
}

SN_TEST(a_failed_assertion) {
  dies("assert", SIGABRT, "fatal: villain.c:");
}

SN_TEST(a_segmentation_fault) {
  dies("segv", SIGSEGV, "fatal: SIGSEGV at address 0x0 in ");
}

SN_TEST(a_stack_that_overflows) {
  dies("stack", SIGSEGV, "fatal: SIGSEGV at address 0x");
}

SN_TEST(a_component_that_calls_exit) {
  dies("exit", 0, "fatal: exit() was called in ");
}

/* Whatever it hits, and wherever it ends: the component's name may be gone. */
SN_TEST(a_component_that_writes_wildly) {
  death_figures figures = {.count = 0};
  for (size_t n = 0; n < 2 * sn_test_cases(1); n++) {
    death_open(n % 2 != 0, "");
    death_wait_moving();
    const int64_t event_ns = death_order("wild");
    const int status = death_wait_end();
    death_check_guard("wild", event_ns, &figures);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) != 0); /* a sanitizer exits */
    death_close();
  }
  death_print("wild", &figures);
}

SN_TEST(kill_9) {
  death_figures figures = {.count = 0};
  for (size_t n = 0; n < 2 * sn_test_cases(1); n++) {
    death_open(n % 2 != 0, "");
    death_wait_moving();
    const int64_t saved_ns = death_wait_saved();
    const int64_t event_ns = death_now_ns();
    kill(death.pid, SIGKILL);
    (void)death_wait_end();
    death_check_guard("kill -9", event_ns, &figures);
    sn_assert_contains(death_errors(), " has died: stopped at ");
    assert_true(death_recorded_ns() >= saved_ns);
    death_close();
  }
  death_print("kill -9", &figures);
}

SN_TEST(most_recordings_are_whole) {
  print_message("%zu recordings are whole, %zu were not saved in time\n", saved, reported);
  assert_true(saved > reported);
}
