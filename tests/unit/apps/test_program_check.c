#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "legs/legs.h"
#include "program_rig.h"
#include "robot.h"
#include "sn_test.h"

/* `sinew check`, run as a program. */

SN_TEST(good_robot_is_described) {
  program_expect_input("check good.urdf", NULL, 0);
  assert_string_equal(program_run.output,
                      "good.urdf: good\n"
                      "  robot   r: 2 links, 1 joints, 1 degrees of freedom, root a\n"
                      "  chain   b            a -> b: j\n"
                      "                       inverse kinematics: numeric\n"
                      "  shapes  none: collisions cannot be checked\n");
  assert_string_equal(program_run.errors, "");
}

/* Balls `a`, 0.3 m, and `d`, 0.1 m, whose centres are 0.1 m + z apart in the zero pose. */
static void write_balls(const char *z) {
  char urdf[2000];
  snprintf(
      urdf, sizeof urdf,
      "<robot name='r'><link name='a'><collision><geometry><sphere radius='0.3'/></geometry>"
      "</collision></link><link name='b'/><link name='c'><inertial><mass value='1'/><inertia "
      "ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial><collision><geometry><sphere "
      "radius='0.1'/></geometry></collision></link><link name='d'><inertial><mass value='1'/>"
      "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial><collision><origin "
      "xyz='0 0 %s'/><geometry><sphere radius='0.1'/></geometry></collision></link>"
      "<joint name='h' type='fixed'><parent link='a'/><child link='b'/></joint>"
      "<joint name='j' type='prismatic'><origin xyz='0 0 0.5'/><parent link='b'/><child "
      "link='c'/><axis xyz='0 0 1'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint>"
      "<joint name='k' type='prismatic'><origin xyz='0 0 -0.4'/><parent link='c'/><child "
      "link='d'/><axis xyz='0 0 1'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint>"
      "</robot>",
      z);
  sn_test_write(program_folder, "balls.urdf", urdf);
}

SN_TEST(links_that_overlap_or_touch_in_the_zero_pose_are_listed) {
  write_balls("0.25");
  program_expect_input("check balls.urdf", NULL, 0);
  sn_assert_contains(
      program_run.output,
      "  shapes  3, 1 pair of links checked for collisions\n"
      "  overlap a and d, by 50.0 mm in the zero pose\n"
      "          the gate does not guard links that overlap or touch in the zero pose\n");
  program_expect_input("check balls.urdf --json", NULL, 0);
  sn_assert_contains(program_run.output, "\"overlaps\":[{\"link_a\":\"a\",\"link_b\":\"d\"");
  write_balls("0.30005");
  program_expect_input("check balls.urdf", NULL, 0);
  sn_assert_contains(
      program_run.output,
      "  touch   a and d, 0.050 mm apart in the zero pose\n"
      "          the gate does not guard links that overlap or touch in the zero pose\n");
  write_balls("0.3002");
  program_expect_input("check balls.urdf", NULL, 0);
  assert_null(strstr(program_run.output, "zero pose"));
}

/* The quadruped with a ball on its body, where the foot of a leg is when it stands. */
static void write_hindered(sn_vec3 at) {
  static const char mark[] = "<link name=\"base_link\">";
  char *urdf = sn_test_read_file(SINEW_ROBOTS "/quadruped.urdf", NULL);
  char *yaml = sn_test_read_file(SINEW_ROBOTS "/quadruped.yaml", NULL);
  char *rest = strstr(urdf, mark);
  assert_non_null(rest);
  rest += strlen(mark);
  const size_t size = strlen(urdf) + 256;
  char *text = malloc(size);
  assert_non_null(text);
  snprintf(text, size,
           "%.*s<collision><origin xyz='%.9f %.9f %.9f'/><geometry><sphere radius='0.01'/>"
           "</geometry></collision>%s",
           (int)(rest - urdf), urdf, at.x, at.y, at.z, rest);
  sn_test_write(program_folder, "quadruped.urdf", text);
  sn_test_write(program_folder, "quadruped.yaml", yaml);
  free(text);
  free(yaml);
  free(urdf);
}

SN_TEST(links_that_overlap_in_the_stance_are_listed) {
  sn_test_robot robot;
  sn_test_robot_load(&robot, "quadruped");
  sn__legs legs;
  assert_int_equal(sn__legs_find(&robot.arena, robot.model, NULL, &legs, NULL), SN_OK);
  write_hindered(legs.leg[0].foot);
  sn_test_robot_free(&robot);
  program_expect_input("check quadruped.yaml", NULL, 0);
  sn_assert_contains(program_run.output, "  overlap base_link and leg1_link");
  sn_assert_contains(program_run.output, "mm in its stance\n");
  program_expect_input("check quadruped.yaml --json", NULL, 0);
  sn_assert_contains(program_run.output, "\"pose\":\"stance\"");
}

SN_TEST(problems_go_to_standard_error_with_line_mark_and_hint) {
  program_expect_input("check bad.urdf", NULL, 1);
  assert_string_equal(program_run.output, "bad.urdf: not valid: 2 errors, 0 warnings\n");
  assert_string_equal(
      program_run.errors,
      "bad.urdf:3:18: error: joint 'j': unknown type 'hinge'\n"
      "    3 |  <joint name='j' type='hinge'><parent link='a'/><child link='b'/></joint>\n"
      "      |                  ^\n"
      "      = hint: one of fixed, revolute, continuous, prismatic, floating, planar\n"
      "bad.urdf:3:49: error: joint 'j': unknown child link 'b'\n"
      "    3 |  <joint name='j' type='hinge'><parent link='a'/><child link='b'/></joint>\n"
      "      |                                                 ^\n");
}

SN_TEST(the_caret_is_below_the_column_after_non_ascii_letters) {
  sn_test_write(program_folder, "utf8.urdf",
                "<robot name='r'><!-- \xC3\xA4\xE2\x82\xAC --><link name='a' /><link/></robot>");
  program_expect_input("check utf8.urdf", NULL, 1);
  sn_assert_contains(program_run.errors,
                     "utf8.urdf:1:45: error: <link> has no name\n"
                     "    1 | <robot name='r'><!-- ?? --><link name='a' /><link/></robot>\n"
                     "      |                                             ^\n");
}

SN_TEST(warnings_are_counted_and_do_not_fail) {
  sn_test_write(program_folder, "warn.urdf", "<robot version='9'><link name='a'/></robot>");
  program_expect_input("check warn.urdf", NULL, 0);
  assert_string_equal(program_run.output,
                      "warn.urdf: good, with 2 warnings\n"
                      "  robot   (no name): 1 links, 0 joints, 0 degrees of freedom, root a\n"
                      "  shapes  none: collisions cannot be checked\n");
  sn_assert_contains(program_run.errors, "warn.urdf:1:1: warning: the robot has no name\n");
  sn_test_write(program_folder, "warn.urdf", "<robot><link name='a'/></robot>");
  program_expect_input("check warn.urdf", NULL, 0);
  sn_assert_contains(program_run.output, "warn.urdf: good, with 1 warning\n");
}

/* More problems than are kept, reported in another order than that of the lines. */
SN_TEST(problems_beyond_the_limit_are_counted) {
  static char text[64 * 1024];
  size_t used = (size_t)snprintf(text, sizeof text, "<robot name='r'>\n");
  for (int i = 0; i < 600; i++) {
    used += (size_t)snprintf(text + used, sizeof text - used, "<link/><joint name='j%d'/>\n", i);
  }
  snprintf(text + used, sizeof text - used, "</robot>\n");
  sn_test_write(program_folder, "many.urdf", text);
  program_expect_input("check many.urdf", NULL, 1);
  sn_assert_contains(program_run.errors,
                     "many.urdf:251:8: error: joint 'j249' has no child link\n");
  /* Each link lacks a name and a joint, each joint a type and links. */
  sn_assert_contains(program_run.errors, "\nand 1999 more\n");
  assert_string_equal(program_run.output, "many.urdf: not valid: 2999 errors, 0 warnings\n");
}

/* Any file name gives valid JSON and no control characters on the terminal. */
SN_TEST(odd_file_names_do_no_harm) {
  program_expect_input("check 'b\xFF\033[31m.urdf' --json", NULL, 1);
  sn_assert_contains(program_run.output, "\"file\":\"b?");
  program_expect_input("check 'b\xFF\033[31m.urdf'", NULL, 1);
  assert_null(strchr(program_run.errors, '\033'));
}

/* No excerpt of files that are not plain text, or of lines that do not exist. */
SN_TEST(the_excerpt_is_omitted_if_there_is_none) {
  program_expect_input("check wide.urdf", NULL, 1); /* UTF-16 */
  sn_assert_contains(program_run.errors, ":3:2: error: joint 'j': unknown type 'hinge'\n");
  assert_null(strchr(program_run.errors, '^'));
  sn_test_write(program_folder, "cut.urdf", "<robot name='r'>\n");
  program_expect_input("check cut.urdf", NULL, 1);
  sn_assert_contains(program_run.errors, "cut.urdf:2:1: error: the file ends before its end tag\n");
  assert_null(strchr(program_run.errors, '^'));
  char *text = malloc(301);
  memset(text, ' ', 300);
  memcpy(text, "<robot name='r'>", 16);
  strcpy(text + 280, "<link/></robot>");
  sn_test_write(program_folder, "wide.line.urdf", text);
  free(text);
  program_expect_input("check wide.line.urdf", NULL,
                       1); /* the place is beyond what is shown of a line */
  sn_assert_contains(program_run.errors, "wide.line.urdf:1:281: error: <link> has no name\n");
  assert_null(strchr(program_run.errors, '^'));
}

SN_TEST(json_has_its_fixed_form) {
  program_expect_input("check --json good.urdf", NULL, 0);
  assert_string_equal(program_run.output,
                      "{\"ok\":true,\"robot\":\"r\",\"links\":2,\"joints\":1,\"dof\":1,\"root\":"
                      "\"a\",\"pose\":[\"j\"],\"chains\":[{\"name\":\"b\",\"first_link\":\"a\","
                      "\"last_link\":\"b\",\"joints\":[\"j\"],\"ik\":\"numeric\"}],\"contacts\":[],"
                      "\"problems\":[]}\n");
  assert_string_equal(program_run.errors, "");
  program_expect_input("check bad.urdf --json", NULL, 1);
  assert_string_equal(
      program_run.output,
      "{\"ok\":false,\"robot\":\"\",\"links\":0,\"joints\":0,\"dof\":0,\"root\":\"\",\"pose\":[],"
      "\"chains\":[],\"contacts\":[],\"problems\":[{\"severity\":\"error\",\"file\":\"bad.urdf\","
      "\"line\":3,\"column\":18,\"message\":\"joint 'j': unknown type 'hinge'\",\"hint\":\"one of "
      "fixed, revolute, continuous, prismatic, floating, planar\"},{\"severity\":\"error\","
      "\"file\":\"bad.urdf\",\"line\":3,\"column\":49,\"message\":\"joint 'j': unknown child link "
      "'b'\"}]}\n");
  assert_string_equal(program_run.errors, "");
}

SN_TEST(properties_come_from_a_file_of_their_own_or_name_the_robot) {
  sn_test_write(program_folder, "p.yaml",
                "robot: good.urdf\n"
                "chains: {arm: {first_link: a, last_link: b, default_contact: p}}\n"
                "contacts: {p: {points: [[0, 0.5, 0]]}}\n");
  program_expect_input("check --properties p.yaml good.urdf --json", NULL, 0);
  sn_assert_contains(program_run.output, "\"name\":\"arm\"");
  sn_assert_contains(
      program_run.output,
      "\"contacts\":[{\"name\":\"p\",\"kind\":\"point\",\"points\":[[0.0,0.5,0.0]]}");
  program_expect_input("check p.yaml", NULL, 0);
  sn_assert_contains(program_run.output, "  contact p            point, 1 point\n");
  /* The robot's path is relative to the file, not to the working folder. */
  char arguments[256];
  snprintf(arguments, sizeof arguments, "check %s/p.yaml", program_folder);
  sn_test_program(&program_run, "/", arguments, NULL);
  assert_int_equal(program_run.code, 0);
  sn_test_write(program_folder, "q.yaml", "chains: {}\n");
  program_expect_input("check q.yaml", NULL, 1);
  sn_assert_contains(program_run.errors, "q.yaml:1:1: error: the file does not name a robot\n");
  sn_assert_contains(program_run.errors, "= hint: robot: my_robot.urdf\n");
  sn_test_write(program_folder, "q.yaml", "chains: [\n");
  program_expect_input("check good.urdf --properties q.yaml", NULL, 1);
  sn_assert_contains(program_run.errors, "q.yaml:2:1: error: not well-formed YAML");
  sn_test_write(program_folder, "q.cpf", "<properties><struct name='x'/></properties>");
  program_expect_input("check good.urdf --properties q.cpf", NULL, 1);
  sn_assert_contains(program_run.errors, "q.cpf:1:13: error: unknown property 'x'");
}

SN_TEST(wrong_usage_is_refused) {
  static const char *const cases[][2] = {
      {"", "usage: sinew COMMAND"},
      {"chekc", "sinew: unknown command 'chekc'; did you mean 'check'?"},
      {"dance", "sinew: unknown command 'dance'; 'sinew help' lists the commands"},
      {"check", "sinew check: argument FILE is missing\nusage: sinew check FILE"},
      {"check --json", "argument FILE is missing"},
      {"check a b", "sinew check: unexpected argument 'b'"},
      {"check --jsno good.urdf", "sinew check: unknown option '--jsno'; did you mean '--json'?"},
      {"check good.urdf --properties", "sinew check: option '--properties' needs a value: FILE"},
      {"fk", "sinew fk: argument URDF is missing\nusage: sinew fk URDF BASE TIP"},
      {"fk good.urdf a", "argument TIP is missing"},
      {"fk good.urdf a b c", "sinew fk: unexpected argument 'c'"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    program_expect_input(cases[i][0], NULL, 2);
    sn_assert_contains(program_run.errors, cases[i][1]);
    assert_string_equal(program_run.output, "");
  }
}

SN_TEST(help_and_version_exit_0) {
  program_expect_input("--help", NULL, 0);
  sn_assert_contains(program_run.output, "\n  check ");
  program_expect_input("help", NULL, 0);
  program_expect_input("check --help", NULL, 0);
  sn_assert_contains(program_run.output, "usage: sinew check FILE");
  program_expect_input("bus --help", NULL, 0);
  sn_assert_contains(program_run.output, "usage: sinew bus scan");
  program_expect_input("help bus ping", NULL, 0);
  sn_assert_contains(program_run.output, "usage: sinew bus ping ID...");
  program_expect_input("--version", NULL, 0);
  assert_memory_equal(program_run.output, "sinew ", 6);
}

SN_TEST(unreadable_files_are_reported) {
  program_expect_input("check nowhere.urdf", NULL, 1);
  sn_assert_contains(program_run.errors,
                     "error: cannot read the file: No such file or directory\n");
  program_expect_input("check .", NULL, 1);
  sn_assert_contains(program_run.errors, "error: cannot read the file: Is a directory\n");
  program_expect_input("check nowhere.yaml --json", NULL, 1);
  sn_assert_contains(program_run.output, "\"ok\":false");
  sn_assert_contains(program_run.output, "No such file or directory");
  program_expect_input("check /dev/zero", NULL, 1);
  sn_assert_contains(program_run.errors, "it is a device or a socket, expected a regular file");
  program_expect_input("fk nowhere.urdf a b", NULL, 1);
  sn_assert_contains(program_run.errors, "No such file or directory");
  assert_string_equal(program_run.output, "");
}

SN_TEST(output_that_cannot_be_written_is_a_fault) {
  static const char *const arguments[] = {
      "check good.urdf >/dev/full", "check good.urdf --json >/dev/full",
      "check bad.urdf >/dev/full",  "check good.urdf >&-",
      "--help >/dev/full",          "--version >/dev/full",
      "fk good.urdf a b >/dev/full"};
  for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++) {
    program_expect_input(arguments[i], "0\n", 3);
    sn_assert_contains(program_run.errors, "sinew: cannot write the output\n");
  }
}

static int create_files(void **state) {
  (void)state;
  sn_test_folder_create(program_folder);
  program_write_robots();
  char command[128];
  snprintf(command, sizeof command, "cd %s && iconv -f UTF-8 -t UTF-16 bad.urdf >wide.urdf",
           program_folder);
  assert_int_equal(system(command), 0);
  return 0;
}

/* The message names the format and the remedy; run prints the same as check. */
SN_TEST(other_formats_are_named) {
  sn_test_write(program_folder, "plain.xacro", "<robot name='r'><link name='a'/></robot>");
  sn_test_write(program_folder, "r.sdf", "<sdf version='1.6'><model name='m'/></sdf>");
  sn_test_write(program_folder, "r.xml",
                "<?xml version='1.0'?>\n<mujocoinclude><worldbody/></mujocoinclude>");
  static const struct {
    const char *file, *what, *advice;
  } cases[] = {{"r.sdf", "the root element is <sdf>", "use the URDF that it was made from"},
               {"r.xml", "the root element is <mujocoinclude>", "this is a part of an MJCF file"}};
  static const char *const commands[] = {"check", "run --headless --clock sim --duration 0"};
  for (size_t i = 0; i < 2; i++) {
    for (size_t k = 0; k < 2; k++) {
      char arguments[200];
      snprintf(arguments, sizeof arguments, "%s %s", commands[k], cases[i].file);
      program_expect_input(arguments, NULL, 1);
      sn_assert_contains(program_run.errors, cases[i].what);
      sn_assert_contains(program_run.errors, cases[i].advice);
      assert_null(strstr(program_run.errors, "property file"));
      const char *error = strstr(program_run.errors, "error:");
      assert_non_null(error);
      assert_null(strstr(error + 1, "error:")); /* one, not one per expression */
    }
  }
  program_expect_input("check plain.xacro", NULL, 0);
}

/* The property file of the same name beside a robot belongs to it. */
SN_TEST(properties_beside_a_robot_are_used) {
  sn_test_write(program_folder, "mine.urdf", program_robot);
  sn_test_write(program_folder, "mine.yaml", "chains: {claw: {first_link: a, last_link: b}}\n");
  program_expect_input("check mine.urdf", NULL, 0);
  sn_assert_contains(program_run.output, "chain   claw");
  sn_assert_contains(program_run.errors, "with the robot's properties in mine.yaml");
  program_expect_input("check mine.urdf --no-properties", NULL, 0);
  sn_assert_contains(program_run.output, "chain   b");
  assert_string_equal(program_run.errors, "");
  static const char named[] =
      "run --headless --clock sim --duration 0.01 --set follow.controlled_chains=[claw] mine.urdf";
  program_expect_input(named, NULL, 0);
  sn_assert_contains(program_run.errors, "sinew run: with the robot's properties in mine.yaml");
  char without[256];
  snprintf(without, sizeof without, "%s --no-properties", named);
  program_expect_input(without, NULL, 1);
  sn_assert_contains(program_run.errors, "claw");
  /* It may name this robot, but not another one; a deployment is not used. */
  sn_test_write(program_folder, "mine.yaml",
                "robot: mine.urdf\nchains: {claw: {first_link: a, last_link: b}}\n");
  program_expect_input("check mine.urdf", NULL, 0);
  sn_assert_contains(program_run.output, "chain   claw");
  program_expect_input(named, NULL, 0);
  sn_test_write(program_folder, "mine.yaml",
                "robot: other.urdf\nchains: {claw: {first_link: a, last_link: b}}\n");
  program_expect_input("check mine.urdf", NULL, 0);
  sn_assert_contains(program_run.output, "chain   b");
  sn_test_write(program_folder, "mine.yaml", "include: [standard.yaml]\nrobot: mine.urdf\n");
  program_expect_input("check mine.urdf", NULL, 0);
  assert_string_equal(program_run.errors, "");
  /* Problems in it are reported. */
  sn_test_write(program_folder, "mine.yaml", "chains: {claw: {first_link: a, last_link: moon}}\n");
  program_expect_input("check mine.urdf", NULL, 1);
  sn_assert_contains(program_run.errors, "mine.yaml:1:");
  program_expect_input("run --headless --clock sim --duration 0 mine.urdf", NULL, 1);
  sn_assert_contains(program_run.errors, "mine.yaml:1:");
}

/* run reports missing meshes and the folders it searched; --package-path helps. */
SN_TEST(missing_meshes_are_named) {
  sn_test_write(
      program_folder, "shape.urdf",
      "<robot name='r'><link name='a'><visual><geometry><mesh "
      "filename='package://far_away/m.stl'/></geometry></visual></link>"
      "<link name='b'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' "
      "iyz='0' izz='1'/></inertial></link><joint name='j' type='continuous'>"
      "<parent link='a'/><child link='b'/></joint></robot>");
  static const char *const commands[] = {"check shape.urdf",
                                         "run --headless --clock sim --duration 0 shape.urdf"};
  for (size_t k = 0; k < 2; k++) {
    program_expect_input(commands[k], NULL, 0);
    sn_assert_contains(program_run.errors, "mesh not found: 'package://far_away/m.stl'");
    sn_assert_contains(program_run.errors, "no package 'far_away' above ");
    sn_assert_contains(program_run.errors, "--package-path DIR");
  }
  char path[128];
  snprintf(path, sizeof path, "%s/stock", program_folder);
  assert_int_equal(mkdir(path, 0700), 0);
  sn_test_write(program_folder, "stock/package.xml", "<package><name>far_away</name></package>");
  sn_test_write(program_folder, "stock/m.stl", "x");
  program_expect_input("check shape.urdf --package-path stock", NULL, 0);
  assert_null(strstr(program_run.errors, "not found"));
  program_expect_input(
      "run --headless --clock sim --duration 0 --package-path . --package-path stock shape.urdf",
      NULL, 0);
  assert_null(strstr(program_run.errors, "not found"));
}

SN_TEST_GROUP(create_files, program_tear_down)
