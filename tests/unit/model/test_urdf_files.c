/* Problems of whole files: the exact text and place. */
#include "robot.h"
#include "sn_test.h"

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
       "1:1: error: the model has no bodies in its <worldbody>\n"},
      {"<mujocoinclude/>", SN_EMODEL,
       "1:1: error: the root element is <mujocoinclude>, expected <robot> (this is a part of an "
       "MJCF file; use the file that includes it)\n"},
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
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
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
