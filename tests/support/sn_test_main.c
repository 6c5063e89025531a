/* The main function of tests that are written with SN_TEST(). */
#include "sinew/fault.h"
#include "sn_test.h"

enum { TESTS_MAX = 128 };

/* cmocka passes over entries without a function. */
static struct CMUnitTest tests[TESTS_MAX];
static size_t test_count;
static CMFixtureFunction each_set_up, each_tear_down, group_set_up, group_tear_down;

void sn_test_add(const char *name, CMUnitTestFunction function) {
  SN_ASSERT(test_count < TESTS_MAX);
  tests[test_count++] = (struct CMUnitTest){.name = name, .test_func = function};
}

void sn_test_each(CMFixtureFunction set_up, CMFixtureFunction tear_down) {
  each_set_up = set_up;
  each_tear_down = tear_down;
}

void sn_test_group(CMFixtureFunction set_up, CMFixtureFunction tear_down) {
  group_set_up = set_up;
  group_tear_down = tear_down;
}

int main(void) {
  for (size_t i = 0; i < test_count; i++) {
    tests[i].setup_func = each_set_up;
    tests[i].teardown_func = each_tear_down;
  }
  return cmocka_run_group_tests(tests, group_set_up, group_tear_down);
}
