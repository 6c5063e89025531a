#include "sinew/fault.h"
#include "sn_test.h"

static int calls_of(int *counter) {
  return ++*counter;
}

static void true_condition_is_evaluated_once_and_does_nothing(void **state) {
  (void)state;
  int counter = 0;
  SN_ASSERT(calls_of(&counter) == 1);
  assert_int_equal(counter, 1);
}

static void default_hook_writes_place_and_condition(void **state) {
  (void)state;
  const int zero = 0;
  char expected[400];
  snprintf(expected, sizeof expected, "%s:%d: fault: zero > 1 does not hold\n", __FILE__,
           __LINE__ + 1);
  sn_assert_fault(SN_ASSERT(zero > 1), expected);
}

static void write_context(const sn_fault *fault, void *context) {
  fprintf(stderr, "%s: %s", (const char *)context, fault->condition);
}

static void installed_hook_gets_its_context_and_then_the_process_aborts(void **state) {
  (void)state;
  static char context[] = "the stop sequence ran";
  sn_fault_set_hook(write_context, context);
  sn_assert_fault(SN_ASSERT(1 > 2), "the stop sequence ran: 1 > 2");
  sn_fault_set_hook(NULL, NULL);
  sn_assert_fault(SN_ASSERT(1 > 2), "fault: 1 > 2 does not hold");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(true_condition_is_evaluated_once_and_does_nothing),
      cmocka_unit_test(default_hook_writes_place_and_condition),
      cmocka_unit_test(installed_hook_gets_its_context_and_then_the_process_aborts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
