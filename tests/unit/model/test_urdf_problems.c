#include "robot.h"
#include "sn_test.h"

/* The exact text and place of problems. Each case is the good robot with one part replaced. */
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

typedef struct problem_case {
  const char *old_part;
  const char *new_part;
  const char *problems;
} problem_case;

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

static void run_cases(const problem_case *cases, size_t count, bool is_refused) {
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

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void names_and_types(void **state) {
  (void)state;
  static const problem_case cases[] = {
      {"<link name=\"a\"/>", "<link/>", "?"},
      {"<link name=\"a\"/>", "<link name=\" \"/>", "?"},
      {"<link name=\"a\"/>", "<link name=\"b\"/>", "?"},
      {"<link name=\"a\"/>", "<link name=\"${p}a\"/>", "?"},
      {"<link name=\"a\"/>", "<link name=\"a\"/><link name=\"a&#x7f;\"/>", "?"},
      {"<joint name=\"j\" type=\"revolute\">", "<joint type=\"revolute\">", "?"},
      {"<joint name=\"j\" type=\"revolute\">", "<joint name=\"j\">", "?"},
      {"<joint name=\"j\" type=\"revolute\">", "<joint name=\"j\" type=\"hinge\">", "?"},
      {"<joint name=\"j\" type=\"revolute\">", "<joint name=\"j\" type=\"${t}\">", "?"},
      {"</robot>", "<joint name=\"j\" type=\"fixed\"><parent link=\"b\"/><child link=\"c\"/></joint><link name=\"c\"/></robot>", "?"},
      {"<robot name=\"r\">", "<robot name=\"r&#x7f;\">", "?"},
  };
  run_cases(cases, COUNT(cases), true);
}

static void shape_of_the_tree(void **state) {
  (void)state;
  static const problem_case cases[] = {
      {"    <parent link=\"a\"/>\n", "", "?"},
      {"<parent link=\"a\"/>", "<parent/>", "?"},
      {"<parent link=\"a\"/>", "<parent link=\"\"/>", "?"},
      {"<parent link=\"a\"/>", "<parent link=\"${p}\"/>", "?"},
      {"<parent link=\"a\"/>", "<parent link=\"z\"/>", "?"},
      {"<child link=\"b\"/>", "<child link=\"z\"/>", "?"},
      {"<parent link=\"a\"/>", "<parent link=\"b\"/>", "?"},
      {"</robot>", "<joint name=\"k\" type=\"fixed\"><parent link=\"b\"/><child link=\"a\"/></joint></robot>", "?"},
      {"</robot>", "<joint name=\"k\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint></robot>", "?"},
      {"</robot>", "<link name=\"c\"/></robot>", "?"},
      {"</robot>", "<link/></robot>", "?"},
      {"</robot>", "<link name=\"c\"/><link name=\"d\"/><joint name=\"k\" type=\"fixed\"><parent link=\"c\"/><child link=\"d\"/></joint><joint name=\"l\" type=\"fixed\"><parent link=\"d\"/><child link=\"c\"/></joint></robot>", "?"},
  };
  run_cases(cases, COUNT(cases), true);
}

static void numbers_and_limits(void **state) {
  (void)state;
  static const problem_case cases[] = {
      {"<axis xyz=\"0 0 1\"/>", "<axis xyz=\"0 0 0\"/>", "?"},
      {"<axis xyz=\"0 0 1\"/>", "<axis xyz=\"0 1\"/>", "?"},
      {"<axis xyz=\"0 0 1\"/>", "<axis xyz=\"0,0,1\"/>", "?"},
      {"<axis xyz=\"0 0 1\"/>", "<axis xyz=\"0 0 nan\"/>", "?"},
      {"<axis xyz=\"0 0 1\"/>", "<axis xyz=\"0 0 1e999\"/>", "?"},
      {"<axis xyz=\"0 0 1\"/>", "<axis xyz=\"0 0 ${x}\"/>", "?"},
      {"<axis xyz=\"0 0 1\"/>", "<origin quat_xyzw=\"0 0 0 0\"/>", "?"},
      {"<axis xyz=\"0 0 1\"/>", "<origin rpy=\"0 0 0\" quat_xyzw=\"0 0 0 1\"/>", "?"},
      {"<axis xyz=\"0 0 1\"/>", "<origin quat_xyzw=\"0 0 1\"/>", "?"},
      {"    <limit lower=\"-1\" upper=\"1\" effort=\"2\" velocity=\"3\"/>\n", "", "?"},
      {" effort=\"2\" velocity=\"3\"", "", "?"},
      {"lower=\"-1\"", "lower=\"1.57\"", "?"},
      {"effort=\"2\"", "effort=\"-2\"", "?"},
      {"velocity=\"3\"", "velocity=\"-3\" acceleration=\"-1\"", "?"},
      {"velocity=\"3\"/>", "velocity=\"3\"/><dynamics damping=\"-1\" friction=\"-2\"/>", "?"},
      {"velocity=\"3\"/>", "velocity=\"3\"/><safety_controller soft_lower_limit=\"2\"/>", "?"},
      {"velocity=\"3\"/>", "velocity=\"3\"/><safety_controller k_velocity=\"x\"/>", "?"},
      {"velocity=\"3\"/>", "velocity=\"3\"/><mimic/>", "?"},
      {"velocity=\"3\"/>", "velocity=\"3\"/><mimic joint=\"j\"/>", "?"},
      {"velocity=\"3\"/>", "velocity=\"3\"/><mimic joint=\"k\"/>", "?"},
  };
  run_cases(cases, COUNT(cases), true);
}

/* Two more joints, to mimic each other or what cannot be mimicked. */
#define MORE(type, mimic_k, mimic_l)                                                     \
  "<link name=\"c\"/><link name=\"d\"/>\n<joint name=\"k\" type=\"" type                  \
  "\"><parent link=\"b\"/><child link=\"c\"/>" mimic_k                                   \
  "</joint>\n<joint name=\"l\" type=\"continuous\"><parent link=\"c\"/><child link=\"d\"/>" \
  mimic_l "</joint></robot>"

static void mimic(void **state) {
  (void)state;
  static const problem_case cases[] = {
      {"</robot>", MORE("continuous", "<mimic joint=\"l\"/>", "<mimic joint=\"k\"/>"), "?"},
      {"</robot>", MORE("fixed", "", "<mimic joint=\"k\"/>"), "?"},
      {"</robot>", MORE("floating", "", "<mimic joint=\"k\"/>"), "?"},
      {"</robot>", MORE("planar", "", "<mimic joint=\"k\"/>"), "?"},
  };
  run_cases(cases, COUNT(cases), true);
}

static void inertia_and_geometry(void **state) {
  (void)state;
  static const problem_case cases[] = {
      {"<mass value=\"1\"/>", "", "?"},
      {"<mass value=\"1\"/>", "<mass/>", "?"},
      {"<mass value=\"1\"/>", "<mass value=\"-1\"/>", "?"},
      {"<mass value=\"1\"/>", "<mass value=\"1 kg\"/>", "?"},
      {"ixx=\"1\" ", "", "?"},
      {"ixx=\"1\" ", "ixx=\"-1\" ", "?"},
      {"<inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/>", "", "?"},
      {"</inertial>", "</inertial><visual><geometry><box size=\"1 -1 1\"/></geometry></visual>", "?"},
      {"</inertial>", "</inertial><visual><geometry><sphere radius=\"-1\"/></geometry></visual>", "?"},
      {"</inertial>", "</inertial><visual><geometry><cylinder radius=\"1\" length=\"1 1\"/></geometry></visual>", "?"},
  };
  run_cases(cases, COUNT(cases), true);
}

static void warnings(void **state) {
  (void)state;
  static const problem_case cases[] = {
      {"<robot name=\"r\">", "<robot>", "?"},
      {"<robot name=\"r\">", "<robot name=\"r\" version=\"7\">", "?"},
      {"<link name=\"a\"/>", "<link name=\"a\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"3\"/></inertial></link>", "?"},
      {"<link name=\"a\"/>", "<link name=\"a\"><xacro:box/></link>", "?"},
      {"<axis xyz=\"0 0 1\"/>", "<axis xyz=\"0 0 2\"/>", "?"},
      {"effort=\"2\" velocity=\"3\"", "effort=\"0\" velocity=\"0\"", "?"},
      {"velocity=\"3\"/>", "velocity=\"3\"/><safety_controller soft_lower_limit=\"-2\" soft_upper_limit=\"3\"/>", "?"},
      {"<axis xyz=\"0 0 1\"/>", "<origin quat_xyzw=\"0 0 0 1\"/>", "?"},
      {"</robot>", "<link name=\"c d\"/>\n<joint name=\"k/l\" type=\"fixed\"><parent link=\"b\"/><child link=\"c d\"/></joint></robot>", "?"},
      {"</robot>", "<link name=\"c\"/>\n<joint name=\"k\" type=\"fixed\"><parent link=\"b\"/><child link=\"c\"/><limit/></joint></robot>", "?"},
      {"</robot>", "<link name=\"c\"/>\n<joint name=\"k\" type=\"floating\"><parent link=\"b\"/><child link=\"c\"/></joint></robot>", "?"},
      {"</robot>", "<link name=\"c\"/>\n<joint name=\"k\" type=\"planar\"><parent link=\"b\"/><child link=\"c\"/></joint></robot>", "?"},
      {"</inertial>", "</inertial><inertial/>", "?"},
      {"</inertial>", "</inertial><visual/>", "?"},
      {"</inertial>", "</inertial><collision><geometry><cone/></geometry></collision>", "?"},
      {"</inertial>", "</inertial><visual><geometry><cylinder radius=\"1\"/></geometry></visual>", "?"},
      {"</inertial>", "</inertial><visual><geometry><mesh/></geometry></visual>", "?"},
      {"</robot>", "<material/></robot>", "?"},
      {"</robot>", "<material name=\"m\"/></robot>", "?"},
  };
  run_cases(cases, COUNT(cases), false);
}

static void whole_file(void **state) {
  (void)state;
  static const struct {
    const char *text;
    sn_status status;
    const char *problems;
  } cases[] = {
      {"", SN_ESYNTAX, "?"},
      {"  \n ", SN_ESYNTAX, "?"},
      {"{}", SN_ESYNTAX, "?"},
      {"<robot name=\"r\">", SN_ESYNTAX, "?"},
      {"<robot name=\"r", SN_ESYNTAX, "?"},
      {"<robot name='r'/>", SN_EMODEL, "?"},
      {"<sdf/>", SN_EMODEL, "?"},
      {"<robot name='r'/><robot/>", SN_ESYNTAX, "?"},
      {"<!DOCTYPE robot>\n<robot name='r'/>", SN_ESYNTAX, "?"},
      {"<robot name='&x;'/>", SN_ESYNTAX, "?"},
      {"<robot name='&#0;'/>", SN_ESYNTAX, "?"},
      {"<robot name='\001'/>", SN_ESYNTAX, "?"},
      {"<?xml version='1.0' encoding='EBCDIC'?><robot name='r'/>", SN_ESYNTAX, "?"},
  };
  size_t failed = 0;
  for (size_t i = 0; i < COUNT(cases); i++) {
    sn_test_robot robot;
    sn_test_robot_init(&robot, cases[i].text, NULL);
    const char *actual = sn_test_problems(robot.report);
    if (robot.status != cases[i].status || strcmp(actual, cases[i].problems) != 0) {
      print_error("%s\nis %s:\n%sexpected\n%s\n", cases[i].text, sn_status_text(robot.status),
                  actual, cases[i].problems);
      failed++;
    }
    sn_test_robot_free(&robot);
  }
  assert_int_equal(failed, 0);
}

/* One run tells everything that is wrong, in the order of the file within each step. */
static void all_problems_are_reported_in_one_run(void **state) {
  (void)state;
  sn_test_robot robot;
  sn_test_robot_init(&robot,
                     "<robot name='r'>\n"
                     "<link name='a'><inertial><mass value='x'/></inertial></link>\n"
                     "<link name='a'/>\n"
                     "<joint name='j' type='hinge'>\n"
                     "<parent link='q'/><child link='a'/>\n"
                     "<limit lower='2' upper='1' effort='-1'/></joint>\n"
                     "</robot>",
                     NULL);
  assert_int_equal(robot.status, SN_EMODEL);
  sn_assert_problems(robot.report, "?");
  sn_test_robot_free(&robot);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_and_types),
      cmocka_unit_test(shape_of_the_tree),
      cmocka_unit_test(numbers_and_limits),
      cmocka_unit_test(mimic),
      cmocka_unit_test(inertia_and_geometry),
      cmocka_unit_test(warnings),
      cmocka_unit_test(whole_file),
      cmocka_unit_test(all_problems_are_reported_in_one_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
