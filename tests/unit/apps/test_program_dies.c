/* `sinew run` dies: the servos must not go on. One simulated servo of each family, each behind a
   port of its own. */
#define _GNU_SOURCE

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "death_rig.h"
#include "sn_test.h"

/* The guard acts within 20 ms after it has noticed. What a busy machine adds is not ours: each has
   so long, and the middle of all much less; figures are printed. */
static const int64_t DEATH_MAX_NS = INT64_C(1000000000);
static const double DEATH_MEDIAN_MS = 100.0;

static death_figures figures;

static void dies(const char *order, int signal_number, const char *last_words) {
  for (int limp = 0; limp < 2; limp++) {
    death_open(limp, "");
    death_wait_moving();
    const int64_t event_ns = death_order(order);
    const int status = death_wait_end();
    death_check_safe(order, event_ns, DEATH_MAX_NS, 1.01, &figures);
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
    death_expect_soon("sinew-guard: process ");
    death_check_recording(event_ns);
    death_close();
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
    death_open(limp, "");
    death_wait_moving();
    const int64_t event_ns = death_order("wild");
    const int status = death_wait_end();
    death_check_safe("wild", event_ns, DEATH_MAX_NS, 1.01, &figures);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) != 0); /* a sanitizer exits */
    death_expect_soon("sinew-guard: process ");
    death_close();
  }
}

static void kill_9(void **state) {
  (void)state;
  for (int limp = 0; limp < 2; limp++) {
    death_open(limp, "");
    death_wait_moving();
    death_wait_saved();
    const int64_t event_ns = death_now_ns();
    kill(death.pid, SIGKILL);
    (void)death_wait_end();
    death_check_safe("kill -9", event_ns, DEATH_MAX_NS, 1.01, &figures);
    death_expect_soon(" has died, at ");
    death_check_recording(event_ns);
    death_close();
  }
}

static void the_middle_of_all_is_quick(void **state) {
  (void)state;
  assert_true(death_print(&figures) <= DEATH_MEDIAN_MS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_failed_assertion),
      cmocka_unit_test(a_segmentation_fault),
      cmocka_unit_test(a_stack_that_overflows),
      cmocka_unit_test(a_component_that_calls_exit),
      cmocka_unit_test(a_component_that_writes_wildly),
      cmocka_unit_test(kill_9),
      cmocka_unit_test(the_middle_of_all_is_quick),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
