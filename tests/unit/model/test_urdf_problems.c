/* Errors in a URDF: the exact text and place. */
#include "sn_test.h"
#include "urdf_case.h"

SN_TEST(names_and_types) {
  static const urdf_case cases[] = {
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
  URDF_CASES_RUN(cases, true);
}

SN_TEST(shape_of_the_tree) {
  static const urdf_case cases[] = {
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
  URDF_CASES_RUN(cases, true);
}

SN_TEST(numbers_and_limits) {
  static const urdf_case cases[] = {
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
  URDF_CASES_RUN(cases, true);
}

/* Two more joints, to mimic each other or what cannot be mimicked. */
#define MORE(type, mimic_k, mimic_l)                                            \
  "<link name=\"c\"/><link name=\"d\"/>\n<joint name=\"k\" type=\"" type        \
  "\"><parent link=\"b\"/><child link=\"c\"/>" mimic_k                          \
  "</joint>\n<joint name=\"l\" type=\"continuous\"><parent link=\"c\"/><child " \
  "link=\"d\"/>" mimic_l "</joint></robot>"

SN_TEST(mimic) {
  static const urdf_case cases[] = {
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
  URDF_CASES_RUN(cases, true);
}

SN_TEST(inertia_and_geometry) {
  static const urdf_case cases[] = {
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
  URDF_CASES_RUN(cases, true);
}
