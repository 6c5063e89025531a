/* `sinew new controller`: what it writes builds against the package of this build tree, and moves a
   joint of the simulated robot. */
#include <math.h>
#include <stdlib.h>

#include "program_rig.h"
#include "sn_test.h"

static void shell(const char *line) {
  char command[512];
  snprintf(command, sizeof command, "cd %s && { %s; } >log 2>&1 || { cat log; false; }",
           program_folder, line);
  if (system(command) != 0) {
    fail_msg("%s", line);
  }
}

static void expect_refusal(const char *arguments, int code, const char *message) {
  program_expect(arguments, code);
  sn_assert_contains(program_run.errors, message);
  assert_string_equal(program_run.output, "");
}

SN_TEST(names_that_cannot_be_used_are_refused) {
  static const char *const bad[] = {"Wave", "1wave", "wa-ve", "wave.c", "../wave", "''"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char arguments[64];
    snprintf(arguments, sizeof arguments, "new controller %s", bad[i]);
    expect_refusal(arguments, 2, "is not valid, expected at most 40 lower-case letters");
  }
  expect_refusal("new controller hold", 2, "the standard deployment uses 'hold'");
  expect_refusal("new", 2, "expected one of: controller");
}

SN_TEST(a_folder_that_is_not_empty_is_refused) {
  shell("mkdir full && touch full/.hidden && touch file");
  expect_refusal("new controller wave full", 1, "folder full is not empty");
  expect_refusal("new controller wave file", 1, "cannot create folder file");
  expect_refusal("new controller wave no/such", 1, "cannot create folder no/such");
  shell("test $(ls -A full) = .hidden && mkdir empty");
  program_expect("new controller wave empty", 0);
  assert_string_equal(program_run.output,
                      "empty/wave.c\nempty/wave.yaml\nempty/CMakeLists.txt\nempty/README.md\n");
}

/* Smallest and largest position of a joint in a table of joint states. */
static double range_of(const char *table, const char *joint) {
  double low = INFINITY;
  double high = -INFINITY;
  char mark[64];
  snprintf(mark, sizeof mark, ",%s,", joint);
  for (const char *at = strstr(table, mark); at != NULL; at = strstr(at + 1, mark)) {
    const double position = strtod(at + strlen(mark), NULL);
    low = fmin(low, position);
    high = fmax(high, position);
  }
  return high - low;
}

SN_TEST(it_builds_and_moves_its_joint) {
  program_expect("new controller while", 0); /* not an identifier of C */
  shell("cmake -S while -B while/build -DCMAKE_C_FLAGS='-Wall -Wextra -Werror'");
  shell("cmake --build while/build");
  program_expect("check while/while.yaml --plugins", 0);
  program_expect(
      "run while/while.yaml --headless --clock sim --duration 4 --record run.mcap --quiet", 0);
  program_expect("export run.mcap --csv --topic /plant/joints_measured -o all.csv", 0);
  char path[128];
  snprintf(path, sizeof path, "%s/all.csv", program_folder);
  size_t size = 0;
  char *table = sn_test_read_file(path, &size);
  assert_true(range_of(table, "head_joint2") > 0.2);
  const double other = range_of(table, "head_joint1");
  assert_true(other >= 0.0 && other < 0.02);
  free(table);
}

SN_TEST_GROUP(program_set_up, program_tear_down)
