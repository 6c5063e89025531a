#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "program.h"
#include "sn_test.h"

/* `sinew check` and `sinew fk` from outside. */

static char folder[64];
static sn_test_run run; /* large */

static const char good[] =
    "<robot name='r'>\n"
    "  <link name='a'/>\n"
    "  <link name='b'><inertial><mass value='1'/>\n"
    "    <inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>\n"
    "  <joint name='j' type='revolute'><parent link='a'/><child link='b'/>\n"
    "    <origin xyz='1 2 3'/><axis xyz='0 0 1'/>\n"
    "    <limit lower='-4' upper='4' effort='1' velocity='1'/></joint>\n"
    "</robot>\n";
static const char bad[] =
    "<robot name='r'>\n"
    "  <link name='a'/>\n"
    "\t<joint name='j' type='hinge'><parent link='a'/><child link='b'/></joint>\n"
    "</robot>\n";

static void check(const char *arguments, const char *input, int code) {
  sn_test_program(&run, folder, arguments, input);
  if (run.code != code) {
    fail_msg("sinew %s: exit code %d, expected %d\n%s%s", arguments, run.code, code, run.output,
             run.errors);
  }
}

static void good_robot_is_described(void **state) {
  (void)state;
  check("check good.urdf", NULL, 0);
  assert_string_equal(run.output,
                      "good.urdf: good\n"
                      "  robot   r: 2 links, 1 joints, 1 degrees of freedom, root a\n"
                      "  chain   b            a -> b: j\n"
                      "                       inverse kinematics: numeric\n");
  assert_string_equal(run.errors, "");
}

static void problems_go_to_standard_error_with_line_mark_and_hint(void **state) {
  (void)state;
  check("check bad.urdf", NULL, 1);
  assert_string_equal(run.output, "bad.urdf: not valid: 2 errors, 0 warnings\n");
  assert_string_equal(
      run.errors,
      "bad.urdf:3:18: error: joint 'j': unknown type 'hinge'\n"
      "    3 |  <joint name='j' type='hinge'><parent link='a'/><child link='b'/></joint>\n"
      "      |                  ^\n"
      "      = hint: one of fixed, revolute, continuous, prismatic, floating, planar\n"
      "bad.urdf:3:49: error: joint 'j': unknown child link 'b'\n"
      "    3 |  <joint name='j' type='hinge'><parent link='a'/><child link='b'/></joint>\n"
      "      |                                                 ^\n");
}

static void mark_stands_below_the_place_behind_other_letters(void **state) {
  (void)state;
  sn_test_write(folder, "utf8.urdf",
                "<robot name='r'><!-- \xC3\xA4\xE2\x82\xAC --><link name='a' /><link/></robot>");
  check("check utf8.urdf", NULL, 1);
  sn_assert_contains(run.errors,
                     "utf8.urdf:1:45: error: <link> has no name\n"
                     "    1 | <robot name='r'><!-- ?? --><link name='a' /><link/></robot>\n"
                     "      |                                             ^\n");
}

static void warnings_are_counted_and_do_not_refuse(void **state) {
  (void)state;
  sn_test_write(folder, "warn.urdf", "<robot version='9'><link name='a'/></robot>");
  check("check warn.urdf", NULL, 0);
  assert_string_equal(run.output,
                      "warn.urdf: good, with 2 warnings\n"
                      "  robot   (no name): 1 links, 0 joints, 0 degrees of freedom, root a\n");
  sn_assert_contains(run.errors, "warn.urdf:1:1: warning: the robot has no name\n");
  sn_test_write(folder, "warn.urdf", "<robot><link name='a'/></robot>");
  check("check warn.urdf", NULL, 0);
  sn_assert_contains(run.output, "warn.urdf: good, with 1 warning\n");
}

/* More problems than are kept, and told in another order than that of the lines. */
static void problems_beyond_the_most_are_counted(void **state) {
  (void)state;
  static char text[64 * 1024];
  size_t used = (size_t)snprintf(text, sizeof text, "<robot name='r'>\n");
  for (int i = 0; i < 600; i++) {
    used += (size_t)snprintf(text + used, sizeof text - used, "<link/><joint name='j%d'/>\n", i);
  }
  snprintf(text + used, sizeof text - used, "</robot>\n");
  sn_test_write(folder, "many.urdf", text);
  check("check many.urdf", NULL, 1);
  sn_assert_contains(run.errors, "many.urdf:251:8: error: joint 'j249' has no child link\n");
  /* Of each link no name and no joint to it, of each joint no type and no ends. */
  sn_assert_contains(run.errors, "\nand 1999 more\n");
  assert_string_equal(run.output, "many.urdf: not valid: 2999 errors, 0 warnings\n");
}

/* Whatever a file is called, JSON stays JSON and the terminal is not told what to do. */
static void odd_file_names_do_no_harm(void **state) {
  (void)state;
  check("check 'b\xFF\033[31m.urdf' --json", NULL, 1);
  sn_assert_contains(run.output, "\"file\":\"b?");
  check("check 'b\xFF\033[31m.urdf'", NULL, 1);
  assert_null(strchr(run.errors, '\033'));
}

/* No excerpt of what is no plain text or has no such line. */
static void excerpt_is_left_out_where_there_is_none(void **state) {
  (void)state;
  check("check wide.urdf", NULL, 1); /* UTF-16 */
  sn_assert_contains(run.errors, ":3:2: error: joint 'j': unknown type 'hinge'\n");
  assert_null(strchr(run.errors, '^'));
  sn_test_write(folder, "cut.urdf", "<robot name='r'>\n");
  check("check cut.urdf", NULL, 1);
  sn_assert_contains(run.errors, "cut.urdf:2:1: error: the file ends before its end tag\n");
  assert_null(strchr(run.errors, '^'));
  char *text = malloc(301);
  memset(text, ' ', 300);
  memcpy(text, "<robot name='r'>", 16);
  strcpy(text + 280, "<link/></robot>");
  sn_test_write(folder, "wide.line.urdf", text);
  free(text);
  check("check wide.line.urdf", NULL, 1); /* the place is beyond what is shown of a line */
  sn_assert_contains(run.errors, "wide.line.urdf:1:281: error: <link> has no name\n");
  assert_null(strchr(run.errors, '^'));
}

static void json_has_its_fixed_form(void **state) {
  (void)state;
  check("check --json good.urdf", NULL, 0);
  assert_string_equal(run.output,
                      "{\"ok\":true,\"robot\":\"r\",\"links\":2,\"joints\":1,\"dof\":1,\"root\":"
                      "\"a\",\"pose\":[\"j\"],\"chains\":[{\"name\":\"b\",\"first_link\":\"a\","
                      "\"last_link\":\"b\",\"joints\":[\"j\"],\"ik\":\"numeric\"}],\"contacts\":[],"
                      "\"problems\":[]}\n");
  assert_string_equal(run.errors, "");
  check("check bad.urdf --json", NULL, 1);
  assert_string_equal(
      run.output,
      "{\"ok\":false,\"robot\":\"\",\"links\":0,\"joints\":0,\"dof\":0,\"root\":\"\",\"pose\":[],"
      "\"chains\":[],\"contacts\":[],\"problems\":[{\"severity\":\"error\",\"file\":\"bad.urdf\","
      "\"line\":3,\"column\":18,\"message\":\"joint 'j': unknown type 'hinge'\",\"hint\":\"one of "
      "fixed, revolute, continuous, prismatic, floating, planar\"},{\"severity\":\"error\","
      "\"file\":\"bad.urdf\",\"line\":3,\"column\":49,\"message\":\"joint 'j': unknown child link "
      "'b'\"}]}\n");
  assert_string_equal(run.errors, "");
}

static void properties_come_from_a_file_of_their_own_or_name_the_robot(void **state) {
  (void)state;
  sn_test_write(folder, "p.yaml",
                "robot: good.urdf\n"
                "chains: {arm: {first_link: a, last_link: b, default_contact: p}}\n"
                "contacts: {p: {points: [[0, 0.5, 0]]}}\n");
  check("check --properties p.yaml good.urdf --json", NULL, 0);
  sn_assert_contains(run.output, "\"name\":\"arm\"");
  sn_assert_contains(
      run.output, "\"contacts\":[{\"name\":\"p\",\"kind\":\"point\",\"points\":[[0.0,0.5,0.0]]}");
  check("check p.yaml", NULL, 0);
  sn_assert_contains(run.output, "  contact p            point, 1 point\n");
  /* The robot is looked for beside the file, wherever one stands. */
  char arguments[256];
  snprintf(arguments, sizeof arguments, "check %s/p.yaml", folder);
  sn_test_program(&run, "/", arguments, NULL);
  assert_int_equal(run.code, 0);
  sn_test_write(folder, "q.yaml", "chains: {}\n");
  check("check q.yaml", NULL, 1);
  sn_assert_contains(run.errors, "q.yaml:1:1: error: the file does not name a robot\n");
  sn_assert_contains(run.errors, "= hint: robot: my_robot.urdf\n");
  sn_test_write(folder, "q.yaml", "chains: [\n");
  check("check good.urdf --properties q.yaml", NULL, 1);
  sn_assert_contains(run.errors, "q.yaml:2:1: error: not well-formed YAML");
  sn_test_write(folder, "q.cpf", "<properties><struct name='x'/></properties>");
  check("check good.urdf --properties q.cpf", NULL, 1);
  sn_assert_contains(run.errors, "q.cpf:1:13: error: unknown property 'x'");
}

static void wrong_usage_is_told(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"", "usage: sinew COMMAND"},
      {"chekc", "sinew: there is no command 'chekc'; 'sinew --help' lists them"},
      {"check", "sinew check: an argument is missing\nusage: sinew check FILE"},
      {"check --json", "an argument is missing"},
      {"check a b", "sinew check: 'b' is not understood"},
      {"check --jsno good.urdf", "sinew check: '--jsno' is not understood"},
      {"check good.urdf --properties", "sinew check: "},
      {"fk", "sinew fk: an argument is missing\nusage: sinew fk URDF BASE TIP"},
      {"fk good.urdf a", "an argument is missing"},
      {"fk good.urdf a b c", "sinew fk: 'c' is not understood"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    check(cases[i][0], NULL, 2);
    sn_assert_contains(run.errors, cases[i][1]);
    assert_string_equal(run.output, "");
  }
}

static void help_and_version_are_no_errors(void **state) {
  (void)state;
  check("--help", NULL, 0);
  sn_assert_contains(run.output, "  sinew check FILE");
  check("help", NULL, 0);
  check("check --help", NULL, 0);
  sn_assert_contains(run.output, "  sinew check FILE");
  check("--version", NULL, 0);
  assert_memory_equal(run.output, "sinew ", 6);
}

static void files_that_cannot_be_read_are_told(void **state) {
  (void)state;
  check("check nowhere.urdf", NULL, 1);
  sn_assert_contains(run.errors, "error: cannot read the file: No such file or directory\n");
  check("check .", NULL, 1);
  sn_assert_contains(run.errors, "error: cannot read the file: Is a directory\n");
  check("check nowhere.yaml --json", NULL, 1);
  sn_assert_contains(run.output, "\"ok\":false");
  sn_assert_contains(run.output, "No such file or directory");
  check("check /dev/zero", NULL, 1);
  sn_assert_contains(run.errors, "it is a device or a socket, expected a regular file");
  check("fk nowhere.urdf a b", NULL, 1);
  sn_assert_contains(run.errors, "No such file or directory");
  assert_string_equal(run.output, "");
}

static void output_that_cannot_be_written_is_a_fault(void **state) {
  (void)state;
  static const char *const arguments[] = {
      "check good.urdf >/dev/full", "check good.urdf --json >/dev/full",
      "check bad.urdf >/dev/full",  "check good.urdf >&-",
      "--help >/dev/full",          "--version >/dev/full",
      "fk good.urdf a b >/dev/full"};
  for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++) {
    check(arguments[i], "0\n", 3);
    sn_assert_contains(run.errors, "sinew: cannot write the output\n");
  }
}

static void forward_kinematics_is_printed_to_the_last_digit(void **state) {
  (void)state;
  check("fk good.urdf a b", "0\n\n  1.5707963267948966\t\n-3e0", 0);
  assert_string_equal(run.errors, "");
  char *at = run.output;
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
  check("fk good.urdf a a", "\n\n", 0); /* no joints: a line each */
  assert_string_equal(run.output, "0 0 0 0 0 0 1\n0 0 0 0 0 0 1\n");
  check("fk good.urdf a b", "", 0);
  assert_string_equal(run.output, "");
}

static void wrong_joint_vectors_are_told_with_their_line(void **state) {
  (void)state;
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
    check("fk good.urdf a b", cases[i][0], 2);
    sn_assert_contains(run.errors, cases[i][1]);
    assert_null(strchr(run.errors, '\033'));
  }
  check("fk good.urdf a b < nul", NULL, 2);
  assert_string_equal(run.errors, "<stdin>:1: error: joint positions: the line holds a NUL byte\n");
  /* What was good before it has been answered. */
  check("fk good.urdf a b", "0\nx\n", 2);
  assert_string_equal(run.output, "1 2 3 0 0 0 1\n");
}

static void lines_of_any_length_are_read(void **state) {
  (void)state;
  const size_t size = 1 << 20;
  char *text = malloc(size + 1);
  memset(text, ' ', size);
  text[size - 1] = '0';
  text[size] = '\0';
  check("fk good.urdf a b", text, 0);
  assert_string_equal(run.output, "1 2 3 0 0 0 1\n");
  memset(text, '1', size);
  check("fk good.urdf a b", text, 2);
  assert_true(strlen(run.errors) < 300);
  const size_t shorter = 1 << 14; /* sanitizers look at the whole rest for every number */
  for (size_t i = 0; i < shorter; i += 2) {
    text[i] = ' ';
  }
  text[shorter] = '\0';
  check("fk good.urdf a b", text, 2);
  sn_assert_contains(run.errors, "8192 numbers, expected 1");
  free(text);
}

static void wrong_links_are_told(void **state) {
  (void)state;
  check("fk good.urdf a moon", "0\n", 1);
  assert_string_equal(run.errors, "sinew fk: good.urdf: link 'moon' does not exist\n");
  check("fk good.urdf b a", "0\n", 1);
  assert_string_equal(
      run.errors,
      "sinew fk: good.urdf: link 'a' is not below link 'b': base and tip are swapped\n");
  check("fk bad.urdf a b", "0\n", 1);
  sn_assert_contains(run.errors, "bad.urdf:3:18: error: ");
  assert_string_equal(run.output, "");
}

/* The end of the input is one thing, input that cannot be read another. */
static void input_that_cannot_be_read_is_a_fault(void **state) {
  (void)state;
  check("fk good.urdf a b <.", NULL, 3);
  sn_assert_contains(run.errors, "sinew: cannot read the input");
  check("fk good.urdf a b <&-", NULL, 3);
}

static int create_files(void **state) {
  (void)state;
  sn_test_folder_create(folder);
  sn_test_write(folder, "good.urdf", good);
  sn_test_write(folder, "bad.urdf", bad);
  char command[128];
  snprintf(command, sizeof command, "printf '0\\0000\\n' > %s/nul", folder);
  assert_int_equal(system(command), 0);
  snprintf(command, sizeof command, "cd %s && iconv -f UTF-8 -t UTF-16 bad.urdf >wide.urdf",
           folder);
  assert_int_equal(system(command), 0);
  return 0;
}

static int remove_files(void **state) {
  (void)state;
  sn_test_folder_remove(folder);
  return 0;
}

/* What it is, and what to do; run says the same as check. */
static void other_formats_are_named(void **state) {
  (void)state;
  sn_test_write(folder, "r.urdf.xacro",
                "<robot xmlns:xacro='x' name='r'><xacro:include filename='a'/>"
                "<link name='${p}a'/><link name='${p}b'/></robot>");
  sn_test_write(folder, "plain.xacro", "<robot name='r'><link name='a'/></robot>");
  sn_test_write(folder, "r.sdf", "<sdf version='1.6'><model name='m'/></sdf>");
  sn_test_write(folder, "r.xml", "<?xml version='1.0'?>\n<mujoco model='m'><worldbody/></mujoco>");
  static const struct {
    const char *file, *what, *advice;
  } cases[] = {{"r.urdf.xacro", "this is a xacro template", "xacro robot.urdf.xacro > robot.urdf"},
               {"r.sdf", "the root element is <sdf>", "use the URDF that it was made from"},
               {"r.xml", "the root element is <mujoco>", "MJCF, the format of MuJoCo"}};
  static const char *const commands[] = {"check", "run --headless --clock sim --duration 0"};
  for (size_t i = 0; i < 3; i++) {
    for (size_t k = 0; k < 2; k++) {
      char arguments[200];
      snprintf(arguments, sizeof arguments, "%s %s", commands[k], cases[i].file);
      check(arguments, NULL, 1);
      sn_assert_contains(run.errors, cases[i].what);
      sn_assert_contains(run.errors, cases[i].advice);
      assert_null(strstr(run.errors, "property file"));
      const char *error = strstr(run.errors, "error:");
      assert_non_null(error);
      assert_null(strstr(error + 1, "error:")); /* one, not one for each expression */
    }
  }
  check("check plain.xacro", NULL, 0);
}

/* The property file of the same name beside a robot belongs to it. */
static void properties_beside_a_robot_are_used(void **state) {
  (void)state;
  sn_test_write(folder, "mine.urdf", good);
  sn_test_write(folder, "mine.yaml", "chains: {claw: {first_link: a, last_link: b}}\n");
  check("check mine.urdf", NULL, 0);
  sn_assert_contains(run.output, "chain   claw");
  sn_assert_contains(run.errors, "with the robot's properties in mine.yaml");
  check("check mine.urdf --no-properties", NULL, 0);
  sn_assert_contains(run.output, "chain   b");
  assert_string_equal(run.errors, "");
  static const char named[] =
      "run --headless --clock sim --duration 0.01 --set follow.controlled_chains=[claw] mine.urdf";
  check(named, NULL, 0);
  sn_assert_contains(run.errors, "sinew run: with the robot's properties in mine.yaml");
  char without[256];
  snprintf(without, sizeof without, "%s --no-properties", named);
  check(without, NULL, 1);
  sn_assert_contains(run.errors, "claw");
  /* Its own name in it is fine, another's is not; nor is a deployment. */
  sn_test_write(folder, "mine.yaml",
                "robot: mine.urdf\nchains: {claw: {first_link: a, last_link: b}}\n");
  check("check mine.urdf", NULL, 0);
  sn_assert_contains(run.output, "chain   claw");
  check(named, NULL, 0);
  sn_test_write(folder, "mine.yaml",
                "robot: other.urdf\nchains: {claw: {first_link: a, last_link: b}}\n");
  check("check mine.urdf", NULL, 0);
  sn_assert_contains(run.output, "chain   b");
  sn_test_write(folder, "mine.yaml", "include: [standard.yaml]\nrobot: mine.urdf\n");
  check("check mine.urdf", NULL, 0);
  assert_string_equal(run.errors, "");
  /* What is wrong in it is said. */
  sn_test_write(folder, "mine.yaml", "chains: {claw: {first_link: a, last_link: moon}}\n");
  check("check mine.urdf", NULL, 1);
  sn_assert_contains(run.errors, "mine.yaml:1:");
  check("run --headless --clock sim --duration 0 mine.urdf", NULL, 1);
  sn_assert_contains(run.errors, "mine.yaml:1:");
}

/* run names missing meshes and where they were looked for; --package-path helps. */
static void missing_meshes_are_named(void **state) {
  (void)state;
  sn_test_write(
      folder, "shape.urdf",
      "<robot name='r'><link name='a'><visual><geometry><mesh "
      "filename='package://far_away/m.stl'/></geometry></visual></link>"
      "<link name='b'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' "
      "iyz='0' izz='1'/></inertial></link><joint name='j' type='continuous'>"
      "<parent link='a'/><child link='b'/></joint></robot>");
  static const char *const commands[] = {"check shape.urdf",
                                         "run --headless --clock sim --duration 0 shape.urdf"};
  for (size_t k = 0; k < 2; k++) {
    check(commands[k], NULL, 0);
    sn_assert_contains(run.errors, "mesh not found: 'package://far_away/m.stl'");
    sn_assert_contains(run.errors, "no package 'far_away' above ");
    sn_assert_contains(run.errors, "--package-path DIR");
  }
  char path[128];
  snprintf(path, sizeof path, "%s/stock", folder);
  assert_int_equal(mkdir(path, 0700), 0);
  sn_test_write(folder, "stock/package.xml", "<package><name>far_away</name></package>");
  sn_test_write(folder, "stock/m.stl", "x");
  check("check shape.urdf --package-path stock", NULL, 0);
  assert_null(strstr(run.errors, "not found"));
  check("run --headless --clock sim --duration 0 --package-path . --package-path stock shape.urdf",
        NULL, 0);
  assert_null(strstr(run.errors, "not found"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(other_formats_are_named),
      cmocka_unit_test(properties_beside_a_robot_are_used),
      cmocka_unit_test(missing_meshes_are_named),
      cmocka_unit_test(good_robot_is_described),
      cmocka_unit_test(problems_go_to_standard_error_with_line_mark_and_hint),
      cmocka_unit_test(mark_stands_below_the_place_behind_other_letters),
      cmocka_unit_test(warnings_are_counted_and_do_not_refuse),
      cmocka_unit_test(problems_beyond_the_most_are_counted),
      cmocka_unit_test(odd_file_names_do_no_harm),
      cmocka_unit_test(excerpt_is_left_out_where_there_is_none),
      cmocka_unit_test(json_has_its_fixed_form),
      cmocka_unit_test(properties_come_from_a_file_of_their_own_or_name_the_robot),
      cmocka_unit_test(wrong_usage_is_told),
      cmocka_unit_test(help_and_version_are_no_errors),
      cmocka_unit_test(files_that_cannot_be_read_are_told),
      cmocka_unit_test(output_that_cannot_be_written_is_a_fault),
      cmocka_unit_test(forward_kinematics_is_printed_to_the_last_digit),
      cmocka_unit_test(wrong_joint_vectors_are_told_with_their_line),
      cmocka_unit_test(lines_of_any_length_are_read),
      cmocka_unit_test(wrong_links_are_told),
      cmocka_unit_test(input_that_cannot_be_read_is_a_fault),
  };
  return cmocka_run_group_tests(tests, create_files, remove_files);
}
