/* `sinew move`, run as a program. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdlib.h>

#include "program_rig.h"
#include "sinew/sinew.h"
#include "sn_test.h"

#define ARM SINEW_ROBOTS "/arm_ur.urdf base_link tool0"
#define START "--start '0.3 -1.2 1.4 -0.5 0.8 0.1'"

enum { N = 6 };

typedef struct line {
  double t, q[N], qd[N], qdd[N];
} line;

/* @return where the next line begins */
static char *read_line(char *at, line *out) {
  double *numbers = &out->t;
  for (size_t k = 0; k < 1 + 3 * N; k++) {
    numbers[k] = strtod(at, &at);
  }
  assert_int_equal(*at, '\n');
  return at + 1;
}

SN_TEST(motions_are_printed_once_a_period_from_rest_to_rest) {
  program_expect_input("move " ARM " " START " --period 0.004",
                       "ptp 0.4 -1.2 1.4 -0.5 0.8 0.1\n\n  ptp 0.3 -1.2, 1.4 -0.5 0.8 0.2", 0);
  assert_string_equal(program_run.errors, "");
  char *at = program_run.output;
  line first;
  line last = {0};
  at = read_line(at, &first);
  sn_assert_near(first.t, 0.0, 0.0);
  sn_assert_near(first.q[0], 0.3, 0.0);
  size_t count = 1;
  double farthest = 0.0;
  while (*at != '\0') {
    line next;
    at = read_line(at, &next);
    assert_true(next.t > last.t && next.t <= 0.004 * (double)count + 1e-12);
    farthest = fmax(farthest, next.q[0]);
    last = next;
    count++;
  }
  sn_assert_near(farthest, 0.4, 1e-4);
  sn_assert_near(last.q[0], 0.3, 0.0);
  sn_assert_near(last.q[5], 0.2, 0.0);
  for (size_t j = 0; j < N; j++) {
    sn_assert_near(first.qd[j], 0.0, 0.0);
    sn_assert_near(last.qd[j], 0.0, 0.0);
    sn_assert_near(last.qdd[j], 0.0, 0.0);
  }
}

SN_TEST(invalid_targets_are_reported_with_their_line) {
  static const char *const cases[][2] = {
      {"\nfly 1 2 3\n", "<stdin>:2: error: a target begins with ptp, lin, circ or spline"},
      {"ptp 1 2 3\n", "<stdin>:1: error: ptp: 3 joint positions, expected 6\n"},
      {"lin 1 2 3\n", "<stdin>:1: error: expected x y z qx qy qz qw\n"},
      {"lin 1 2 3 0 0 0 2\n", "<stdin>:1: error: the quaternion qx qy qz qw must have length 1\n"},
      {"lin 1 2 nan 0 0 0 1\n", "<stdin>:1: error: expected finite numbers"},
      {"lin 1 2 3 0 0 0 1 blend x\n", "<stdin>:1: error: blend: expected one radius in m\n"},
      {"circ 1 2 3 0 0 0 1\n", "<stdin>:1: error: circ: expected x y z of a point on the arc"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    program_expect_input("move " ARM " " START, cases[i][0], 2);
    sn_assert_contains(program_run.errors, cases[i][1]);
    assert_string_equal(program_run.output, "");
  }
  program_expect_input("move " ARM " --start '1 2'", "", 2);
  sn_assert_contains(program_run.errors, "option '--start': 2 joint positions, expected 6");
}

SN_TEST(motions_that_cannot_be_are_refused_before_anything_is_printed) {
  program_expect_input("move " ARM " " START, "ptp 0 -1 1 0 1 0\nlin 5 0 0 0 0 0 1\n", 1);
  sn_assert_contains(program_run.errors, "target 1: after ");
  assert_string_equal(program_run.output, "");
  program_expect_input("move " ARM " " START, "", 1);
  sn_assert_contains(program_run.errors, "no targets");
}

SN_TEST_EACH(program_set_up, program_tear_down)
