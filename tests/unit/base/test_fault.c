#include "sinew/fault.h"
#include "sn_test.h"

static int calls_of(int *counter) {
  return ++*counter;
}

SN_TEST(true_condition_is_evaluated_once_and_does_nothing) {
  int counter = 0;
  SN_ASSERT(calls_of(&counter) == 1);
  assert_int_equal(counter, 1);
}

SN_TEST(default_hook_writes_place_and_condition) {
  const int zero = 0;
  char expected[400];
  snprintf(expected, sizeof expected, "%s:%d: fault: zero > 1 does not hold\n", __FILE__,
           __LINE__ + 1);
  sn_assert_fault(SN_ASSERT(zero > 1), expected);
}

static void write_context(const sn_fault *fault, void *context) {
  fprintf(stderr, "%s: %s", (const char *)context, fault->condition);
}

SN_TEST(installed_hook_gets_its_context_and_then_the_process_aborts) {
  static char context[] = "the stop sequence ran";
  sn_fault_set_hook(write_context, context);
  sn_assert_fault(SN_ASSERT(1 > 2), "the stop sequence ran: 1 > 2");
  sn_fault_set_hook(NULL, NULL);
  sn_assert_fault(SN_ASSERT(1 > 2), "fault: 1 > 2 does not hold");
}
