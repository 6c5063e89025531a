/* `sinew bench`, run as a program. */
#include "program_rig.h"
#include "sn_test.h"

SN_TEST(bench_otg_prints_a_line_of_json_per_case) {
  sn_test_program(&program_run, "/", "bench otg --json", NULL);
  assert_int_equal(program_run.code, 0);
  static const char *const cases[] = {"plan_1", "plan_7", "plan_20", "alone_7", "step_7"};
  const char *line = program_run.output;
  for (size_t i = 0; i < 5; i++) {
    char start[80];
    snprintf(start, sizeof start, "{\"bench\": \"otg\", \"case\": \"%s\",", cases[i]);
    assert_int_equal(strncmp(line, start, strlen(start)), 0);
    sn_assert_contains(line, "\"good\": 1.0");
    sn_assert_contains(line, "\"median_ns\": ");
    line = strchr(line, '\n') + 1;
  }
  assert_string_equal(line, "");
}

SN_TEST(bench_plant_takes_any_robot) {
  sn_test_program(&program_run, "/", "bench plant --json --urdf " SINEW_ROBOTS "/quadruped.urdf",
                  NULL);
  assert_int_equal(program_run.code, 0);
  static const char *const cases[] = {"cycle", "cycle_one_step", "cycle_decoupled"};
  const char *line = program_run.output;
  for (size_t i = 0; i < 3; i++) {
    char start[80];
    snprintf(start, sizeof start, "{\"bench\": \"plant\", \"case\": \"%s\",", cases[i]);
    assert_int_equal(strncmp(line, start, strlen(start)), 0);
    line = strchr(line, '\n') + 1;
  }
  assert_string_equal(line, "");
}
