/* Warnings about a URDF that is accepted: the exact text and place. */
#include "sn_test.h"
#include "urdf_case.h"

SN_TEST(warnings) {
  static const urdf_case cases[] = {
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
      {"lower=\"-1\" upper=\"1\" effort=\"2\" velocity=\"3\"/>\n  </joint>\n",
       "lower=\"0\" upper=\"1\" effort=\"2\" velocity=\"3\"/></joint>\n"
       "<link name=\"c\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" "
       "iyy=\"1\" "
       "iyz=\"0\" izz=\"1\"/></inertial></link><joint name=\"k\" type=\"revolute\"><parent "
       "link=\"b\"/><child link=\"c\"/><limit lower=\"0\" upper=\"2\" effort=\"2\" "
       "velocity=\"3\"/>\n"
       "<mimic joint=\"j\" multiplier=\"-2\"/></joint>\n",
       "15:1: warning: joint 'k' mimics 'j' the other way: its limits 0 to 2 have the wrong sign, "
       "-2 "
       "to 0 are used\n"},
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
  URDF_CASES_RUN(cases, false);
}
