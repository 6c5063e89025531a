/* `sinew fk`, run as a program. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdlib.h>

#include "program_rig.h"
#include "sn_test.h"

SN_TEST(forward_kinematics_is_printed_to_the_last_digit) {
  program_expect_input("fk good.urdf a b", "0\n\n  1.5707963267948966\t\n-3e0", 0);
  assert_string_equal(program_run.errors, "");
  char *at = program_run.output;
  static const double angles[] = {0, 1.5707963267948966, -3};
  for (size_t i = 0; i < 3; i++) {
    double v[7];
    for (size_t k = 0; k < 7; k++) {
      v[k] = strtod(at, &at);
    }
    assert_int_equal(*at++, '\n');
    sn_assert_near(v[0], 1.0, 0.0);
    sn_assert_near(v[1], 2.0, 0.0);
    sn_assert_near(v[2], 3.0, 0.0);
    sn_assert_near(v[5] * v[6], sin(angles[i] / 2) * cos(angles[i] / 2), 1e-15);
    sn_assert_near(v[6], fabs(cos(angles[i] / 2)), 1e-15); /* w is not negative */
  }
  assert_int_equal(*at, '\0');
  program_expect_input("fk good.urdf a a", "\n\n", 0); /* no joints: a line each */
  assert_string_equal(program_run.output, "0 0 0 0 0 0 1\n0 0 0 0 0 0 1\n");
  program_expect_input("fk good.urdf a b", "", 0);
  assert_string_equal(program_run.output, "");
}

SN_TEST(invalid_joint_vectors_are_reported_with_their_line) {
  static const char *const cases[][2] = {
      {"0\n1 2\n", "<stdin>:2: error: joint positions: 2 numbers, expected 1\n"},
      {"0\n\n1 2 3", "<stdin>:3: error: joint positions: 3 numbers, expected 1\n"},
      {"nan\n", "<stdin>:1: error: joint positions: not a finite number: 'nan'\n"},
      {"inf\n", "<stdin>:1: error: joint positions: not a finite number: 'inf'\n"},
      {"1e999\n", "<stdin>:1: error: joint positions: not a finite number: '1e999'\n"},
      {"0,5\n", "<stdin>:1: error: joint positions: not a finite number: '0,5'\n"},
      {"0x10\n", "<stdin>:1: error: joint positions: not a finite number: '0x10'\n"},
      {"one\n", "<stdin>:1: error: joint positions: not a finite number: 'one'\n"},
      {"1m\n", "<stdin>:1: error: joint positions: not a finite number: '1m'\n"},
      {"\033[31m\n", "<stdin>:1: error: joint positions: not a finite number:"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    program_expect_input("fk good.urdf a b", cases[i][0], 2);
    sn_assert_contains(program_run.errors, cases[i][1]);
    assert_null(strchr(program_run.errors, '\033'));
  }
  program_expect_input("fk good.urdf a b < nul", NULL, 2);
  assert_string_equal(program_run.errors,
                      "<stdin>:1: error: joint positions: the line contains a NUL byte\n");
  /* Lines before it have been answered. */
  program_expect_input("fk good.urdf a b", "0\nx\n", 2);
  assert_string_equal(program_run.output, "1 2 3 0 0 0 1\n");
}

SN_TEST(lines_of_any_length_are_read) {
  const size_t size = 1 << 20;
  char *text = malloc(size + 1);
  memset(text, ' ', size);
  text[size - 1] = '0';
  text[size] = '\0';
  program_expect_input("fk good.urdf a b", text, 0);
  assert_string_equal(program_run.output, "1 2 3 0 0 0 1\n");
  memset(text, '1', size);
  program_expect_input("fk good.urdf a b", text, 2);
  assert_true(strlen(program_run.errors) < 300);
  const size_t shorter = 1 << 14; /* sanitizers scan the rest of the text for every number */
  for (size_t i = 0; i < shorter; i += 2) {
    text[i] = ' ';
  }
  text[shorter] = '\0';
  program_expect_input("fk good.urdf a b", text, 2);
  sn_assert_contains(program_run.errors, "8192 numbers, expected 1");
  free(text);
}

SN_TEST(unknown_links_are_reported) {
  program_expect_input("fk good.urdf a moon", "0\n", 1);
  assert_string_equal(program_run.errors, "sinew fk: good.urdf: link 'moon' does not exist\n");
  program_expect_input("fk good.urdf b a", "0\n", 1);
  assert_string_equal(
      program_run.errors,
      "sinew fk: good.urdf: link 'a' is not below link 'b': base and tip are swapped\n");
  program_expect_input("fk bad.urdf a b", "0\n", 1);
  sn_assert_contains(program_run.errors, "bad.urdf:3:18: error: ");
  assert_string_equal(program_run.output, "");
}

/* The end of the input is not an error; input that cannot be read is one. */
SN_TEST(input_that_cannot_be_read_is_a_fault) {
  program_expect_input("fk good.urdf a b <.", NULL, 3);
  sn_assert_contains(program_run.errors, "sinew: cannot read the input");
  program_expect_input("fk good.urdf a b <&-", NULL, 3);
}

static int create_files(void **state) {
  (void)state;
  sn_test_folder_create(program_folder);
  program_write_robots();
  char command[128];
  snprintf(command, sizeof command, "printf '0\\0000\\n' > %s/nul", program_folder);
  assert_int_equal(system(command), 0);
  return 0;
}

SN_TEST_GROUP(create_files, program_tear_down)
