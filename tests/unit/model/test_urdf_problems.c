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

SN_TEST(names_and_types) {
  static const problem_case cases[] = {
      {"<link name=\"a\"/>", "<link/>",
       "2:3: error: <link> has no name\n"
       "10:5: error: joint 'j': unknown parent link 'a'\n"},
      {"<link name=\"a\"/>", "<link name=\" \"/>",
       "2:9: error: <link> has an empty name\n"
       "10:5: error: joint 'j': unknown parent link 'a'\n"},
      {"<link name=\"a\"/>", "<link name=\"b\"/>",
       "3:3: error: link 'b' is defined twice, first in line 2\n"
       "10:5: error: joint 'j': unknown parent link 'a'\n"},
      {"<link name=\"a\"/>", "<link name=\"${p}a\"/>",
       "2:9: error: link '${p}a': <link> name is '${p}a', an unexpanded xacro expression (run "
       "xacro first)\n"
       "10:5: error: joint 'j': unknown parent link 'a'\n"},
      {"<link name=\"a\"/>", "<link name=\"a\"/><link name=\"a&#x7f;\"/>",
       "2:25: error: link 'a\\x7f': a name must not hold a control character\n"
       "2:19: error: two roots: no joint leads to link '', nor to 'a' (join them by a joint)\n"},
      {"<joint name=\"j\" type=\"revolute\">", "<joint type=\"revolute\">",
       "9:3: error: <joint> has no name\n"},
      {"<joint name=\"j\" type=\"revolute\">", "<joint name=\"j\">",
       "9:3: error: joint 'j' has no type (one of fixed, revolute, continuous, prismatic, "
       "floating, planar)\n"},
      {"<joint name=\"j\" type=\"revolute\">", "<joint name=\"j\" type=\"hinge\">",
       "9:19: error: joint 'j': unknown type 'hinge' (one of fixed, revolute, continuous, "
       "prismatic, floating, planar)\n"},
      {"<joint name=\"j\" type=\"revolute\">", "<joint name=\"j\" type=\"${t}\">",
       "9:19: error: joint 'j': <joint> type is '${t}', an unexpanded xacro expression (run xacro "
       "first)\n"},
      {"</robot>",
       "<joint name=\"j\" type=\"fixed\"><parent link=\"b\"/><child link=\"c\"/></joint><link "
       "name=\"c\"/></robot>",
       "15:1: error: joint 'j' is defined twice, first in line 9\n"},
      {"<robot name=\"r\">", "<robot name=\"r&#x7f;\">",
       "1:8: error: robot 'r\\x7f': a name must not hold a control character\n"},
  };
  run_cases(cases, COUNT(cases), true);
}

SN_TEST(shape_of_the_tree) {
  static const problem_case cases[] = {
      {"    <parent link=\"a\"/>\n", "", "9:3: error: joint 'j' has no parent link\n"},
      {"<parent link=\"a\"/>", "<parent/>", "10:5: error: joint 'j' has no parent link\n"},
      {"<parent link=\"a\"/>", "<parent link=\"\"/>",
       "10:5: error: joint 'j' has no parent link\n"},
      {"<parent link=\"a\"/>", "<parent link=\"${p}\"/>",
       "10:13: error: joint 'j': <parent> link is '${p}', an unexpanded xacro expression (run "
       "xacro first)\n"},
      {"<parent link=\"a\"/>", "<parent link=\"z\"/>",
       "10:5: error: joint 'j': unknown parent link 'z'\n"},
      {"<child link=\"b\"/>", "<child link=\"z\"/>",
       "11:5: error: joint 'j': unknown child link 'z'\n"
       "3:3: error: two roots: no joint leads to link 'b', nor to 'a' (join them by a joint)\n"},
      {"<parent link=\"a\"/>", "<parent link=\"b\"/>",
       "9:3: error: joint 'j' forms a loop: link 'b' is its own parent\n"},
      {"</robot>",
       "<joint name=\"k\" type=\"fixed\"><parent link=\"b\"/><child link=\"a\"/></joint></robot>",
       "1:1: error: no root link: the joints form a loop\n"},
      {"</robot>",
       "<joint name=\"k\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint></robot>",
       "15:1: error: link 'b' has two parents: joints 'j' and 'k'\n"},
      {"</robot>", "<link name=\"c\"/></robot>",
       "15:1: error: two roots: no joint leads to link 'c', nor to 'a' (join them by a joint)\n"},
      {"</robot>", "<link/></robot>",
       "15:1: error: <link> has no name\n"
       "15:1: error: two roots: no joint leads to link '', nor to 'a' (join them by a joint)\n"},
      {"</robot>",
       "<link name=\"c\"/><link name=\"d\"/><joint name=\"k\" type=\"fixed\"><parent "
       "link=\"c\"/><child link=\"d\"/></joint><joint name=\"l\" type=\"fixed\"><parent "
       "link=\"d\"/><child link=\"c\"/></joint></robot>",
       "15:1: error: link 'c' is part of a loop\n"},
  };
  run_cases(cases, COUNT(cases), true);
}

SN_TEST(numbers_and_limits) {
  static const problem_case cases[] = {
      {"<axis xyz=\"0 0 1\"/>", "<axis xyz=\"0 0 0\"/>",
       "12:11: error: joint 'j': the axis is zero\n"},
      {"<axis xyz=\"0 0 1\"/>", "<axis xyz=\"0 1\"/>",
       "12:11: error: joint 'j': <axis> xyz is '0 1': 2 numbers, expected 3\n"},
      {"<axis xyz=\"0 0 1\"/>", "<axis xyz=\"0,0,1\"/>",
       "12:11: error: joint 'j': <axis> xyz: '0,0,1' is not a finite decimal number (the decimal "
       "separator is a point, numbers are separated by blanks)\n"},
      {"<axis xyz=\"0 0 1\"/>", "<axis xyz=\"0 0 nan\"/>",
       "12:11: error: joint 'j': <axis> xyz: 'nan' is not a finite decimal number (a finite "
       "decimal number such as 1.57 or -2e-3, without a unit)\n"},
      {"<axis xyz=\"0 0 1\"/>", "<axis xyz=\"0 0 1e999\"/>",
       "12:11: error: joint 'j': <axis> xyz: '1e999' is out of range (a finite decimal number such "
       "as 1.57 or -2e-3, without a unit)\n"},
      {"<axis xyz=\"0 0 1\"/>", "<axis xyz=\"0 0 ${x}\"/>",
       "12:11: error: joint 'j': <axis> xyz is '0 0 ${x}', an unexpanded xacro expression (run "
       "xacro first)\n"},
      {"<axis xyz=\"0 0 1\"/>", "<origin quat_xyzw=\"0 0 0 0\"/>",
       "12:13: error: joint 'j': <origin> quat_xyzw has length 0, must be 1\n"},
      {"<axis xyz=\"0 0 1\"/>", "<origin rpy=\"0 0 0\" quat_xyzw=\"0 0 0 1\"/>",
       "12:25: error: joint 'j': <origin> has both rpy and quat_xyzw (keep one of them)\n"},
      {"<axis xyz=\"0 0 1\"/>", "<origin quat_xyzw=\"0 0 1\"/>",
       "12:13: error: joint 'j': <origin> quat_xyzw is '0 0 1': 3 numbers, expected 4\n"},
      {"    <limit lower=\"-1\" upper=\"1\" effort=\"2\" velocity=\"3\"/>\n", "",
       "9:3: error: joint 'j' has no limits (add <limit lower=... upper=... effort=... "
       "velocity=.../>)\n"},
      {" effort=\"2\" velocity=\"3\"", "",
       "13:5: error: joint 'j': <limit> has no effort\n"
       "13:5: error: joint 'j': <limit> has no velocity\n"},
      {"lower=\"-1\"", "lower=\"1.57\"",
       "13:12: error: joint 'j': lower 1.57 rad is above upper 1 rad\n"},
      {"effort=\"2\"", "effort=\"-2\"",
       "13:33: error: joint 'j': effort is -2, must not be negative\n"},
      {"velocity=\"3\"", "velocity=\"-3\" acceleration=\"-1\"",
       "13:44: error: joint 'j': velocity is -3, must not be negative\n"
       "13:58: error: joint 'j': acceleration is -1, must not be negative\n"},
      {"velocity=\"3\"/>", "velocity=\"3\"/><dynamics damping=\"-1\" friction=\"-2\"/>",
       "13:68: error: joint 'j': damping is -1, must not be negative\n"
       "13:81: error: joint 'j': friction is -2, must not be negative\n"},
      {"velocity=\"3\"/>", "velocity=\"3\"/><safety_controller soft_lower_limit=\"2\"/>",
       "13:58: error: joint 'j': hard and soft limits leave no range: lower 2 is above upper 1\n"},
      {"velocity=\"3\"/>", "velocity=\"3\"/><safety_controller k_velocity=\"x\"/>",
       "13:77: error: joint 'j': <safety_controller> k_velocity: 'x' is not a finite decimal "
       "number (a finite decimal number such as 1.57 or -2e-3, without a unit)\n"},
      {"velocity=\"3\"/>", "velocity=\"3\"/><mimic/>",
       "13:58: error: joint 'j': <mimic> names no joint\n"},
      {"velocity=\"3\"/>", "velocity=\"3\"/><mimic joint=\"j\"/>",
       "13:58: error: joint 'j' mimics 'j', which is itself\n"},
      {"velocity=\"3\"/>", "velocity=\"3\"/><mimic joint=\"k\"/>",
       "13:58: error: joint 'j' mimics 'k', which does not exist\n"},
      {"<axis xyz=\"0 0 1\"/>", "<axis xyz=\"1\"/>",
       "12:11: error: joint 'j': <axis> xyz is '1': 1 number, expected 3\n"},
      {"<axis xyz=\"0 0 1\"/>", "<axis xyz=\"0 0&#10;1 2\"/>",
       "12:11: error: joint 'j': <axis> xyz is '0 0\\x0a1 2': 4 numbers, expected 3\n"},
      {"<axis xyz=\"0 0 1\"/>", "<origin xyz=\"1 2 x\" rpy=\"1 2 y\"/>",
       "12:13: error: joint 'j': <origin> xyz: 'x' is not a finite decimal number (a finite "
       "decimal number such as 1.57 or -2e-3, without a unit)\n"
       "12:25: error: joint 'j': <origin> rpy: 'y' is not a finite decimal number (a finite "
       "decimal number such as 1.57 or -2e-3, without a unit)\n"},
      {"lower=\"-1\" upper=\"1\"", "lower=\"2\" upper=\"1\"",
       "13:12: error: joint 'j': lower 2 rad is above upper 1 rad\n"},
      {"velocity=\"3\"/>", "velocity=\"3\"/><mimic joint=\"j\" multiplier=\"x\" offset=\"1 2\"/>",
       "13:75: error: joint 'j': <mimic> multiplier: 'x' is not a finite decimal number (a finite "
       "decimal number such as 1.57 or -2e-3, without a unit)\n"
       "13:90: error: joint 'j': <mimic> offset is '1 2': 2 numbers, expected 1\n"
       "13:58: error: joint 'j' mimics 'j', which is itself\n"},
  };
  run_cases(cases, COUNT(cases), true);
}

/* Two more joints, to mimic each other or what cannot be mimicked. */
#define MORE(type, mimic_k, mimic_l)                                            \
  "<link name=\"c\"/><link name=\"d\"/>\n<joint name=\"k\" type=\"" type        \
  "\"><parent link=\"b\"/><child link=\"c\"/>" mimic_k                          \
  "</joint>\n<joint name=\"l\" type=\"continuous\"><parent link=\"c\"/><child " \
  "link=\"d\"/>" mimic_l "</joint></robot>"

SN_TEST(mimic) {
  static const problem_case cases[] = {
      {"</robot>", MORE("continuous", "<mimic joint=\"l\"/>", "<mimic joint=\"k\"/>"),
       "16:70: error: joint 'k' mimics 'l' in a cycle\n"
       "17:70: error: joint 'l' mimics 'k' in a cycle\n"},
      {"</robot>", MORE("fixed", "", "<mimic joint=\"k\"/>"),
       "17:70: error: joint 'l' mimics 'k', which is fixed\n"},
      {"</robot>", MORE("floating", "", "<mimic joint=\"k\"/>"),
       "17:70: error: joint 'l' mimics 'k', which has no single position\n"
       "16:1: warning: joint 'k': a floating joint outside the root is kept, but not driven\n"},
      {"</robot>", MORE("planar", "", "<mimic joint=\"k\"/>"),
       "17:70: error: joint 'l' mimics 'k', which has no single position\n"
       "16:1: warning: joint 'k': a planar joint outside the root is kept, but not driven\n"},
      {"</robot>", MORE("continuous", "<mimic joint=\"k\"/>", "<mimic joint=\"k\"/>"),
       "16:70: error: joint 'k' mimics 'k', which is itself\n"},
      {"velocity=\"3\"/>\n  </joint>\n</robot>",
       "velocity=\"3\"/><mimic joint=\"k\"/>\n  </joint>\n" MORE(
           "continuous", "<mimic joint=\"l\"/>", "<mimic joint=\"k\"/>"),
       "16:70: error: joint 'k' mimics 'l' in a cycle\n"
       "17:70: error: joint 'l' mimics 'k' in a cycle\n"},
  };
  run_cases(cases, COUNT(cases), true);
}

SN_TEST(inertia_and_geometry) {
  static const problem_case cases[] = {
      {"<mass value=\"1\"/>", "", "4:5: error: link 'b': <inertial> has no mass\n"},
      {"<mass value=\"1\"/>", "<mass/>", "5:7: error: link 'b': <inertial> has no mass\n"},
      {"<mass value=\"1\"/>", "<mass value=\"-1\"/>",
       "5:13: error: link 'b': the mass is -1 kg, must not be negative\n"},
      {"<mass value=\"1\"/>", "<mass value=\"1 kg\"/>",
       "5:13: error: link 'b': <mass> value: 'kg' is not a finite decimal number (a finite decimal "
       "number such as 1.57 or -2e-3, without a unit)\n"},
      {"ixx=\"1\" ", "", "6:7: error: link 'b': <inertia> has no ixx\n"},
      {"ixx=\"1\" ", "ixx=\"-1\" ",
       "6:7: error: link 'b': the inertia is not positive semi-definite: a principal moment is -1 "
       "kg m^2 (check the signs and the units (kg m^2))\n"},
      {"<inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/>", "",
       "4:5: error: link 'b': <inertial> has no <inertia>\n"},
      {"</inertial>", "</inertial><visual><geometry><box size=\"1 -1 1\"/></geometry></visual>",
       "7:39: error: link 'b': <box> size is '1 -1 1', must not be negative\n"},
      {"</inertial>", "</inertial><visual><geometry><sphere radius=\"-1\"/></geometry></visual>",
       "7:42: error: link 'b': <sphere> radius is '-1', must not be negative\n"},
      {"</inertial>",
       "</inertial><visual><geometry><cylinder radius=\"1\" length=\"1 1\"/></geometry></visual>",
       "7:55: error: link 'b': <cylinder> length is '1 1': 2 numbers, expected 1\n"},
      {"ixx=\"1\" ixy=\"0\"", "ixx=\"one\" ixy=\"none\"",
       "6:16: error: link 'b': <inertia> ixx: 'one' is not a finite decimal number (a finite "
       "decimal number such as 1.57 or -2e-3, without a unit)\n"
       "6:26: error: link 'b': <inertia> ixy: 'none' is not a finite decimal number (a finite "
       "decimal number such as 1.57 or -2e-3, without a unit)\n"},
      {"</inertial>",
       "</inertial><visual><origin xyz=\"1\"/><geometry><mesh filename=\"m\" "
       "scale=\"1\"/></geometry></visual>",
       "7:32: error: link 'b': <origin> xyz is '1': 1 number, expected 3\n"
       "7:70: error: link 'b': <mesh> scale is '1': 1 number, expected 3\n"},
  };
  run_cases(cases, COUNT(cases), true);
}

SN_TEST(warnings) {
  static const problem_case cases[] = {
      {"<robot name=\"r\">", "<robot>", "1:1: warning: the robot has no name\n"},
      {"<robot name=\"r\">", "<robot name=\"r\" version=\"7\">",
       "1:17: warning: unknown URDF version '7' (known are 1.0, 1.1 and 1.2)\n"},
      {"<link name=\"a\"/>",
       "<link name=\"a\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" "
       "iyy=\"1\" iyz=\"0\" izz=\"3\"/></inertial></link>",
       "2:45: warning: link 'a': the inertia breaks the triangle inequality: principal moments 1, "
       "1, 3 kg m^2 (no real body is like that; check the entries)\n"},
      {"<link name=\"a\"/>", "<link name=\"a\"><xacro:box/></link>",
       "2:18: warning: <xacro:box> inside <link> is left over from xacro, it is skipped (run xacro "
       "first)\n"},
      {"<axis xyz=\"0 0 1\"/>", "<axis xyz=\"0 0 2\"/>",
       "12:11: warning: joint 'j': the axis has length 2; it is normalised\n"},
      {"effort=\"2\" velocity=\"3\"", "effort=\"0\" velocity=\"0\"",
       "13:33: warning: joint 'j': effort is 0, so it cannot move\n"
       "13:44: warning: joint 'j': velocity is 0, so it cannot move\n"},
      {"velocity=\"3\"/>",
       "velocity=\"3\"/><safety_controller soft_lower_limit=\"-2\" soft_upper_limit=\"3\"/>",
       "13:77: warning: joint 'j': soft lower limit -2 is outside the hard limit -1\n"
       "13:99: warning: joint 'j': soft upper limit 3 is outside the hard limit 1\n"},
      {"<axis xyz=\"0 0 1\"/>", "<origin quat_xyzw=\"0 0 0 1\"/>",
       "12:13: warning: joint 'j': quat_xyzw is of URDF 1.1, other tools will ignore it here (say "
       "<robot version=\"1.1\">)\n"},
      {"</robot>",
       "<link name=\"c d\"/>\n<joint name=\"k/l\" type=\"fixed\"><parent link=\"b\"/><child "
       "link=\"c d\"/></joint></robot>",
       "15:7: warning: link 'c d': blanks and slashes in names break other tools (use letters, "
       "digits and '_')\n"
       "16:8: warning: joint 'k/l': blanks and slashes in names break other tools (use letters, "
       "digits and '_')\n"},
      {"</robot>",
       "<link name=\"c\"/>\n<joint name=\"k\" type=\"fixed\"><parent link=\"b\"/><child "
       "link=\"c\"/><limit/></joint></robot>",
       "16:65: warning: joint 'k' is fixed, its limits are ignored\n"},
      {"</robot>",
       "<link name=\"c\"/>\n<joint name=\"k\" type=\"floating\"><parent link=\"b\"/><child "
       "link=\"c\"/></joint></robot>",
       "16:1: warning: joint 'k': a floating joint outside the root is kept, but not driven\n"},
      {"</robot>",
       "<link name=\"c\"/>\n<joint name=\"k\" type=\"planar\"><parent link=\"b\"/><child "
       "link=\"c\"/></joint></robot>",
       "16:1: warning: joint 'k': a planar joint outside the root is kept, but not driven\n"},
      {"</inertial>", "</inertial><inertial/>",
       "7:16: warning: link 'b': a second <inertial> is ignored\n"},
      {"</inertial>", "</inertial><visual/>",
       "7:16: warning: link 'b': the geometry of <visual> is incomplete: no known shape (expected "
       "box, cylinder, sphere, capsule or mesh)\n"},
      {"</inertial>", "</inertial><collision><geometry><cone/></geometry></collision>",
       "7:27: warning: link 'b': the geometry of <collision> is incomplete: no known shape "
       "(expected box, cylinder, sphere, capsule or mesh)\n"},
      {"</inertial>", "</inertial><visual><geometry><cylinder radius=\"1\"/></geometry></visual>",
       "7:34: warning: link 'b': the geometry is incomplete: <cylinder> has no length\n"},
      {"</inertial>", "</inertial><visual><geometry><mesh/></geometry></visual>",
       "7:34: warning: link 'b': the geometry is incomplete: <mesh> has no filename\n"},
      {"</robot>", "<material/></robot>", "15:1: warning: a material is incomplete: no name\n"},
      {"</robot>", "<material name=\"m\"/></robot>",
       "15:1: warning: material 'm' is incomplete: no color or texture anywhere\n"},
      {"<robot name=\"r\">", "<robot name=\"\">", "1:1: warning: the robot has no name\n"},
      {"<axis xyz=\"0 0 1\"/>", "<axis/>", ""},
      {"<axis xyz=\"0 0 1\"/>", "<axis xyz=\"0&#9;0&#13;&#10;1\"><x/></axis>", ""},
      {"</robot>",
       "<link name=\"c\"/>\n<joint name=\"k\" type=\"fixed\"><parent link=\"b\"/><child "
       "link=\"c\"/><mimic joint=\"missing\"/><dynamics damping=\"-1\"/><safety_controller "
       "soft_lower_limit=\"x\"/></joint></robot>",
       ""},
      {"</inertial>", "</inertial><visual><geometry><mesh filename=\"\"/></geometry></visual>",
       "7:34: warning: link 'b': the geometry is incomplete: <mesh> has no filename\n"},
      {"</inertial>",
       "</inertial><visual><geometry><sphere radius=\"1\"/></geometry><material "
       "name=\"\"/></visual>",
       "7:65: warning: a material is incomplete: no name\n"},
      {"</robot>", "<material name=\"m\"><color/></material></robot>",
       "15:20: warning: material 'm' is incomplete: <color> has no rgba\n"},
      {"</robot>", "<material name=\"m\"><texture/></material></robot>",
       "15:20: warning: material 'm' is incomplete: <texture> has no filename\n"},
      {"</robot>", "<material name=\"m\"><texture filename=\"t\"/></material></robot>", ""},
      {"</robot>", "<material name=\"m\"><color rgba=\"1 0 x 1\"/></material></robot>",
       "15:27: warning: material 'm': <color> rgba: 'x' is not a finite decimal number (a finite "
       "decimal number such as 1.57 or -2e-3, without a unit)\n"},
      {"</robot>", "<material name=\"m\"><color rgba=\"1 0 0\"/></material></robot>",
       "15:27: warning: material 'm': <color> rgba is '1 0 0': 3 numbers, expected 4\n"},
  };
  run_cases(cases, COUNT(cases), false);
}

SN_TEST(whole_file) {
  static const struct {
    const char *text;
    sn_status status;
    const char *problems;
  } cases[] = {
      {"", SN_ESYNTAX, "1:1: error: the file ends before any element\n"},
      {"  \n ", SN_ESYNTAX,
       "2:2: error: the file ends before any element (is the file truncated, or not XML?)\n"},
      {"{}", SN_ESYNTAX, "1:1: error: not well-formed XML: not well-formed (invalid token)\n"},
      {"<robot name=\"r\">", SN_ESYNTAX,
       "1:17: error: the file ends before its end tag (is the file truncated, or not XML?)\n"},
      {"<robot name=\"r", SN_ESYNTAX,
       "1:1: error: not well-formed XML: unclosed token (is the file truncated?)\n"},
      {"<robot name='r'/>", SN_EMODEL, "1:1: error: the robot has no links\n"},
      {"<sdf/>", SN_EMODEL,
       "1:1: error: the root element is <sdf>, expected <robot> (this is SDF, the format of "
       "Gazebo; "
       "use the URDF that it was made from)\n"},
      {"<mujoco model='m'/>", SN_EMODEL,
       "1:1: error: the root element is <mujoco>, expected <robot> (this is MJCF, the format of "
       "MuJoCo; use the robot's URDF)\n"},
      {"<html/>", SN_EMODEL, "1:1: error: the root element is <html>, expected <robot>\n"},
      {"<robot name='r'/><robot/>", SN_ESYNTAX,
       "1:18: error: there is more after the root element <robot> (a file has one root "
       "element)\n"},
      {"<!DOCTYPE robot>\n<robot name='r'/>", SN_ESYNTAX,
       "1:16: error: DOCTYPE 'robot' is rejected: entities and external files are not read (remove "
       "the <!DOCTYPE ...> declaration)\n"},
      {"<robot name='&x;'/>", SN_ESYNTAX, "1:1: error: not well-formed XML: undefined entity\n"},
      {"<robot name='&#0;'/>", SN_ESYNTAX,
       "1:14: error: a character reference denotes NUL or another control character\n"},
      {"<robot name='\001'/>", SN_ESYNTAX,
       "1:14: error: a control character (byte 0x01) is not allowed\n"},
      {"<?xml version='1.0' encoding='EBCDIC'?><robot name='r'/>", SN_ESYNTAX,
       "1:31: error: not well-formed XML: unknown encoding (save it as UTF-8, UTF-16 or ISO-8859-1 "
       "and declare that)\n"},
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

/* One run reports all problems, in the order of the file within each step. */
SN_TEST(all_problems_are_reported_in_one_run) {
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
  sn_assert_problems(robot.report,
                     "2:32: error: link 'a': <mass> value: 'x' is not a finite decimal number (a "
                     "finite decimal number such as 1.57 or -2e-3, without a unit)\n"
                     "2:16: error: link 'a': <inertial> has no <inertia>\n"
                     "4:17: error: joint 'j': unknown type 'hinge' (one of fixed, revolute, "
                     "continuous, prismatic, floating, planar)\n"
                     "6:28: error: joint 'j': effort is -1, must not be negative\n"
                     "3:1: error: link 'a' is defined twice, first in line 2\n"
                     "5:1: error: joint 'j': unknown parent link 'q'\n");
  sn_test_robot_free(&robot);
}
