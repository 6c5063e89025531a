#include "program_rig.h"

#include "sn_test.h"

char program_folder[64];
sn_test_run program_run; /* large */

int program_set_up(void **state) {
  (void)state;
  sn_test_folder_create(program_folder);
  return 0;
}

int program_tear_down(void **state) {
  (void)state;
  sn_test_folder_remove(program_folder);
  return 0;
}

void program_expect(const char *arguments, int code) {
  program_expect_input(arguments, NULL, code);
}

void program_expect_input(const char *arguments, const char *input, int code) {
  sn_test_program(&program_run, program_folder, arguments, input);
  if (program_run.code != code) {
    fail_msg("sinew %s: exit code %d, expected %d\n%s%s", arguments, program_run.code, code,
             program_run.output, program_run.errors);
  }
}

const char program_robot[] =
    "<robot name='r'>\n"
    "  <link name='a'/>\n"
    "  <link name='b'><inertial><mass value='1'/>\n"
    "    <inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>\n"
    "  <joint name='j' type='revolute'><parent link='a'/><child link='b'/>\n"
    "    <origin xyz='1 2 3'/><axis xyz='0 0 1'/>\n"
    "    <limit lower='-4' upper='4' effort='1' velocity='1'/></joint>\n"
    "</robot>\n";

void program_write_robots(void) {
  sn_test_write(program_folder, "good.urdf", program_robot);
  sn_test_write(program_folder, "bad.urdf",
                "<robot name='r'>\n"
                "  <link name='a'/>\n"
                "\t<joint name='j' type='hinge'><parent link='a'/><child link='b'/></joint>\n"
                "</robot>\n");
}

void program_expect_script(const char *script) {
  static char whole[8192];
  const int length =
      snprintf(whole, sizeof whole,
               "set -e; cd %s; export XDG_RUNTIME_DIR=%s sinew=%s\n"
               "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n"
               "await() { for i in {1..3000}; do \"$@\" >/dev/null 2>&1 && return; sleep 0.02; "
               "done; echo \"never: $*\"; false; }\n"
               "said() { grep -q \"$1\" said; }\n"
               "%s",
               program_folder, program_folder, SINEW_PROGRAM, script);
  assert_true(length > 0 && (size_t)length < sizeof whole);
  sn_test_write(program_folder, "script", whole);
  char arguments[256]; /* the program itself only prints its version, which is discarded */
  snprintf(arguments, sizeof arguments, ">/dev/null --version; bash %s/script >%s/out 2>&1",
           program_folder, program_folder);
  sn_test_program(&program_run, "/", arguments, NULL);
  if (program_run.code != 0) {
    char path[128];
    size_t size = 0;
    snprintf(path, sizeof path, "%s/out", program_folder);
    fail_msg("exit code %d: %s", program_run.code, sn_test_read_file(path, &size));
  }
}
