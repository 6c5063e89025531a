/* Robots in xacro, run as a program: the command, and the commands that take a URDF. */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program_rig.h"
#include "sn_test.h"

static const char part[] =
    "<robot xmlns:xacro='x'>\n"
    "<xacro:macro name='bar' params='name mass:=1'>\n"
    "  <link name='${name}'>\n"
    "    <inertial><mass value='${mass}'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
    "iyz='0'/></inertial>\n"
    "  </link>\n"
    "</xacro:macro>\n"
    "</robot>\n";

static const char robot[] =
    "<robot name='r' xmlns:xacro='x'>\n"
    "<xacro:arg name='tip' default='b'/>\n"
    "<xacro:include filename='$(find parts)/bar.xacro'/>\n"
    "<link name='a'/>\n"
    "<xacro:bar name='$(arg tip)' mass='${2 * 3}'/>\n"
    "<joint name='j' type='revolute'><parent link='a'/><child link='$(arg tip)'/><axis xyz='0 0 "
    "1'/>"
    "<limit lower='${-pi/2}' upper='${pi/2}' effort='1' velocity='1'/></joint>\n"
    "</robot>\n";

static void write_in(const char *folder, const char *name, const char *text) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", program_folder, folder);
  (void)mkdir(path, 0755);
  sn_test_write(path, name, text);
}

static int create_files(void **state) {
  (void)state;
  sn_test_folder_create(program_folder);
  write_in("parts", "package.xml", "<package><name>parts</name></package>");
  write_in("parts", "bar.xacro", part);
  write_in("mine", "r.urdf.xacro", robot);
  write_in("mine", "r.yaml", "chains: {claw: {first_link: a, last_link: b}}\n");
  return 0;
}

static int remove_files(void **state) {
  (void)state;
  sn_test_folder_remove(program_folder);
  return 0;
}

SN_TEST_GROUP(create_files, remove_files)

SN_TEST(the_urdf_is_printed) {
  program_expect_input("xacro mine/r.urdf.xacro tip:=c", NULL, 0);
  sn_assert_contains(program_run.output, "<?xml version=\"1.0\" ?>\n<robot name=\"r\">\n");
  sn_assert_contains(program_run.output, "<mass value=\"6\"/>");
  sn_assert_contains(program_run.output, "<child link=\"c\"/>");
  assert_null(strstr(program_run.output, "xacro"));
  program_expect_input("xacro mine/r.urdf.xacro tip", NULL, 2);
  sn_assert_contains(program_run.errors, "'tip' is not an argument, expected NAME:=VALUE");
}

SN_TEST(commands_take_it_as_a_robot_with_its_properties_and_arguments) {
  program_expect_input("check mine/r.urdf.xacro", NULL, 0);
  sn_assert_contains(program_run.output, "chain   claw         a -> b: j");
  program_expect_input("check mine/r.urdf.xacro --no-properties --arg tip:=c", NULL, 0);
  sn_assert_contains(program_run.output, "a -> c: j");
  program_expect_input("fk mine/r.urdf.xacro a b", "0\n", 0);
  assert_string_equal(program_run.output, "0 0 0 0 0 0 1\n");
  program_expect_input("run mine/r.urdf.xacro --headless --clock sim --duration 0.1", NULL, 0);
}

/* The URDF that is printed is the robot that is loaded. */
SN_TEST(the_printed_urdf_gives_the_same_robot) {
  program_expect_input("xacro mine/r.urdf.xacro", NULL, 0);
  write_in("mine", "plain.urdf", program_run.output);
  program_expect_input("check mine/plain.urdf --no-properties --json", NULL, 0);
  char *expected = strdup(program_run.output);
  program_expect_input("check mine/r.urdf.xacro --no-properties --json", NULL, 0);
  assert_string_equal(program_run.output, expected);
  free(expected);
}

SN_TEST(problems_have_places_in_the_source) {
  write_in("mine", "bad.urdf.xacro",
           "<robot name='r' xmlns:xacro='x'>\n<xacro:include filename='$(find parts)/bar.xacro'/>\n"
           "<xacro:bar name='a' mass='-1'/>\n</robot>\n");
  program_expect_input("check mine/bad.urdf.xacro", NULL, 1);
  sn_assert_contains(program_run.errors,
                     "/parts/bar.xacro:4:15: error: link 'a': the mass is -1 kg");
  sn_assert_contains(program_run.errors, "in macro 'bar' called at mine/bad.urdf.xacro:3");
}

/* Two calls of one macro share their lines: only the chain says which one is wrong. */
SN_TEST(problems_of_the_robot_name_the_chain_of_macros) {
  write_in(
      "mine", "pair.urdf.xacro",
      "<robot name='r' xmlns:xacro='x'>\n<xacro:include filename='$(find parts)/bar.xacro'/>\n"
      "<xacro:macro name='side' params='s m'>\n<xacro:bar name='${s}bar' mass='${m}'/>\n"
      "<joint name='${s}joint' type='fixed'><parent link='base'/><child link='${s}bar'/></joint>"
      "\n</xacro:macro>\n<link name='base'/>\n"
      "<xacro:side s='l' m='1'/>\n<xacro:side s='r' m='-2'/>\n"
      "<xacro:side s='l' m='1'/>\n</robot>\n");
  program_expect_input("check mine/pair.urdf.xacro", NULL, 1);
  sn_assert_contains(program_run.errors, "link 'rbar': the mass is -2 kg");
  sn_assert_contains(program_run.errors,
                     "in macro 'bar' called at mine/pair.urdf.xacro:4, in macro 'side' called at "
                     "mine/pair.urdf.xacro:9");
  /* Found when the tree is built, long after the elements are read. */
  sn_assert_contains(program_run.errors, "'lbar'");
  sn_assert_contains(program_run.errors, "in macro 'side' called at mine/pair.urdf.xacro:10");
}

SN_TEST(deployments_and_property_files_have_arguments) {
  write_in("mine", "bare.urdf.xacro", robot); /* without a property file beside it */
  write_in("mine", "cell.yaml",
           "include: [standard.yaml]\nrobot: bare.urdf.xacro\nrobot_arguments: {tip: c}\n");
  program_expect_input("check mine/cell.yaml", NULL, 0);
  sn_assert_contains(program_run.output, "a -> c: j");
  program_expect_input("check mine/cell.yaml --arg tip:=d", NULL, 0); /* the command line wins */
  sn_assert_contains(program_run.output, "a -> d: j");
  write_in("mine", "named.yaml",
           "robot: bare.urdf.xacro\nrobot_arguments: {tip: e}\n"
           "chains: {claw: {first_link: a, last_link: e}}\n");
  program_expect_input("check mine/named.yaml", NULL, 0);
  sn_assert_contains(program_run.output, "chain   claw         a -> e: j");
  program_expect_input("run mine/cell.yaml --headless --clock sim --duration 0.1", NULL, 0);
}

SN_TEST(wrong_arguments_of_a_robot_are_reported_at_their_place) {
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"robot: bare.urdf.xacro\nrobot_arguments: {tip: [c]}\n",
       "mine/bad.yaml:2:19: error: argument 'tip' of the robot is not a text or a number"},
      {"robot: bare.urdf.xacro\nrobot_arguments: c\n", "not a bag of names and values"},
      {"robot: plain.urdf\nrobot_arguments: {tip: c}\n", "is not a robot in xacro"},
  };
  write_in("mine", "bare.urdf.xacro", robot);
  write_in("mine", "plain.urdf", "<robot name='r'><link name='a'/></robot>");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    write_in("mine", "bad.yaml", cases[i].text);
    program_expect_input("check mine/bad.yaml", NULL, 1);
    sn_assert_contains(program_run.errors, cases[i].message);
  }
}

SN_TEST(files_outside_are_not_opened) {
  static const char *const names[] = {"/etc/passwd", "../secret.xacro", "link.xacro"};
  sn_test_write(program_folder, "secret.xacro", "<robot xmlns:xacro='x'/>");
  char path[256], target[256], text[300];
  snprintf(path, sizeof path, "%s/mine/link.xacro", program_folder);
  snprintf(target, sizeof target, "%s/secret.xacro", program_folder);
  assert_int_equal(symlink(target, path), 0);
  for (size_t i = 0; i < 3; i++) {
    snprintf(text, sizeof text, "<robot xmlns:xacro='x'><xacro:include filename='%s'/></robot>",
             names[i]);
    write_in("mine", "spy.xacro", text);
    program_expect_input("xacro mine/spy.xacro", NULL, 1);
    sn_assert_contains(program_run.errors, "in a known package");
    snprintf(text, sizeof text, "<robot name=\"${xacro.load_yaml('%s')}\"/>", names[i]);
    write_in("mine", "spy.xacro", text);
    program_expect_input("xacro mine/spy.xacro", NULL, 1);
    sn_assert_contains(program_run.errors, "in a known package");
  }
}

/* The order of a folder is that of its making, on many file systems. */
SN_TEST(files_of_a_pattern_are_included_by_name) {
  static const char *const names[] = {"m2.xacro", "m.xacro", "m10.xacro", "m1.xacro", "M3.xacro"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char text[120];
    snprintf(text, sizeof text, "<robot><link name='%s'/></robot>", names[i]);
    write_in("sorted", names[i], text);
  }
  write_in("sorted", "all.urdf.xacro",
           "<robot name='r' xmlns:xacro='x'><xacro:include filename='[mM]*.xacro'/></robot>");
  program_expect_input("xacro sorted/all.urdf.xacro", NULL, 0);
  sn_assert_contains(program_run.output,
                     "  <link name=\"M3.xacro\"/>\n  <link name=\"m.xacro\"/>\n"
                     "  <link name=\"m1.xacro\"/>\n  <link name=\"m10.xacro\"/>\n"
                     "  <link name=\"m2.xacro\"/>\n");
}

SN_TEST(a_package_is_found_by_its_path) {
  char arguments[400];
  write_in("far", "x", "");
  write_in("far/away", "package.xml", "<package><name>moved</name></package>");
  write_in("far/away", "bar.xacro", part);
  write_in("mine", "far.xacro",
           "<robot name='r' xmlns:xacro='x'><xacro:include filename='$(find moved)/bar.xacro'/>"
           "<xacro:bar name='a'/></robot>");
  snprintf(arguments, sizeof arguments, "xacro mine/far.xacro --package-path far");
  program_expect_input(arguments, NULL, 0);
  sn_assert_contains(program_run.output, "<link name=\"a\">");
  write_in("mine", "none.xacro", "<robot name='$(find nowhere)'/>");
  program_expect_input("xacro mine/none.xacro", NULL, 1);
  sn_assert_contains(program_run.errors, "unknown package 'nowhere'");
}
