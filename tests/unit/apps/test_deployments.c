/* The deployments of Sinew are valid and run reproducibly. */
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "sn_test.h"

static sn_test_run *run(const char *arguments) {
  sn_test_run *r = malloc(sizeof *r);
  assert_non_null(r);
  sn_test_program(r, SINEW_ROBOTS "/../deployments", arguments, NULL);
  return r;
}

SN_TEST(the_quadruped_is_valid) {
  sn_test_run *r = run("check quadruped.yaml");
  assert_int_equal(r->code, 0);
  assert_non_null(strstr(r->output, "system  "));
  free(r);
}

SN_TEST(quadruped_holds_its_limbs_the_same_way_each_time) {
  sn_test_run *first = run("run quadruped.yaml --headless --clock sim --duration 2 --hash");
  sn_test_run *second = run("run quadruped.yaml --headless --clock sim --duration 2 --hash");
  assert_int_equal(first->code, 0);
  assert_non_null(strstr(first->errors, "leg1: free -> hold (request)"));
  assert_null(strstr(first->errors, "warning"));
  assert_memory_equal(first->output, "hash ", 5);
  assert_string_equal(first->output, second->output);
  free(first);
  free(second);
}
