#include "urdf_case.h"

#include <string.h>

#include "robot.h"
#include "sn_test.h"

/* The valid robot of all cases. */
static const char good[] =
    "<robot name=\"r\">\n"
    "  <link name=\"a\"/>\n"
    "  <link name=\"b\">\n"
    "    <inertial>\n"
    "      <mass value=\"1\"/>\n"
    "      <inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/>\n"
    "    </inertial>\n"
    "  </link>\n"
    "  <joint name=\"j\" type=\"revolute\">\n"
    "    <parent link=\"a\"/>\n"
    "    <child link=\"b\"/>\n"
    "    <axis xyz=\"0 0 1\"/>\n"
    "    <limit lower=\"-1\" upper=\"1\" effort=\"2\" velocity=\"3\"/>\n"
    "  </joint>\n"
    "</robot>\n";

static void replace(char *out, size_t size, const char *old_part, const char *new_part) {
  const char *at = strstr(good, old_part);
  assert_non_null(at);
  assert_null(strstr(at + 1, old_part));
  snprintf(out, size, "%.*s%s%s", (int)(at - good), good, new_part, at + strlen(old_part));
}

static void assert_first_error_in_one_line(const sn_test_robot *robot) {
  size_t i = 0;
  while (sn_report_at(robot->report, i)->severity != SN_SEVERITY_ERROR) {
    i++;
  }
  const sn_problem *first = sn_report_at(robot->report, i);
  char line[600];
  snprintf(line, sizeof line, "robot.urdf:%u:%u: %s", first->place.line, first->place.column,
           first->message);
  assert_string_equal(robot->err.message, line);
  assert_int_equal(robot->err.code, robot->status);
}

void urdf_cases_run(const urdf_case *cases, size_t count, bool is_refused) {
  size_t failed = 0;
  for (size_t i = 0; i < count; i++) {
    char text[2048];
    replace(text, sizeof text, cases[i].old_part, cases[i].new_part);
    sn_test_robot robot;
    sn_test_robot_init(&robot, text, NULL);
    const char *actual = sn_test_problems(robot.report);
    if ((robot.model == NULL) != is_refused || strcmp(actual, cases[i].problems) != 0) {
      print_error("%s\n-> %s\nis %s:\n%sexpected\n%s\n", cases[i].old_part, cases[i].new_part,
                  robot.model == NULL ? "refused" : "accepted", actual, cases[i].problems);
      failed++;
    }
    if (robot.model == NULL) {
      assert_first_error_in_one_line(&robot);
    }
    sn_test_robot_free(&robot);
  }
  assert_int_equal(failed, 0);
}
