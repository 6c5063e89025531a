/* `sinew bus simulate`: it keeps running when standard input is closed. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "program.h"
#include "sn_test.h"

static sn_test_run scan; /* large */

typedef struct search {
  const char *folder, *family;
} search;

/* Do other programs find the servos? Standard input is empty from the start. */
static bool finds_servos(void *context, const char *errors) {
  const search *s = context;
  (void)errors;
  char line[200];
  snprintf(line, sizeof line, "bus ping 3 7 --port %s/bus --family %s --timeout 2", s->folder,
           s->family);
  sn_test_program(&scan, s->folder, line, NULL);
  return scan.code == 0;
}

SN_TEST(servos_answer_after_input_has_ended) {
  static const char *const families[] = {"dynamixel", "feetech_sts", "feetech_scs", "herkulex"};
  char folder[64];
  sn_test_folder_create(folder);
  for (size_t i = 0; i < 4; i++) {
    static sn_test_run run;
    char line[200];
    snprintf(line, sizeof line, "bus simulate --family %s --ids 1-3,7 --port %s/bus", families[i],
             folder);
    search s = {.folder = folder, .family = families[i]};
    assert_true(sn_test_program_until(&run, folder, line, SIGTERM, finds_servos, &s));
    assert_int_equal(run.code, 0);
    sn_assert_contains(run.output, "4 servos at ");
  }
  sn_test_folder_remove(folder);
}

SN_TEST(invalid_arguments_are_explained) {
  static const struct {
    const char *line, *expected;
  } cases[] = {
      {"bus simulate", "which servos? --family"},
      {"bus simulate --family dynamixel --ids 1,1", "each id once"},
      {"bus simulate --family dynamixel --ids 1-40", "at most 32 servos"},
      {"bus simulate --family dynamixel --ids 5-3", "such as 1-6,9"},
      {"bus simulate --family dynamixel --ids 1-", "such as 1-6,9"},
      {"bus simulate --family dynamixel --ids 253", "ids 0 .. 252"},
      {"bus simulate --family dynamixel --lose 2", "--lose"},
      {"bus simulate --family dynamixel --port file", "is not a link"},
  };
  char folder[64];
  sn_test_folder_create(folder);
  sn_test_write(folder, "file", "mine");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    static sn_test_run run;
    sn_test_program(&run, folder, cases[i].line, NULL);
    assert_int_equal(run.code, 2);
    sn_assert_contains(run.errors, cases[i].expected);
  }
  sn_test_folder_remove(folder);
}
