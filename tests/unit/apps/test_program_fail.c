/* `sinew fail` against the program, with a simulated robot and with one whose servos are real as
 * far as it knows. */
#include "program_rig.h"
#include "sn_test.h"

/* Run a script while the robot runs; `$sinew` is the program. */
static void expect_script(const char *deployment, const char *script) {
  static char whole[4096];
  sn_test_write(program_folder, "robot.yaml", deployment);
  snprintf(whole, sizeof whole,
           "set -e; cd %s; export XDG_RUNTIME_DIR=%s sinew=%s\n"
           "trap 'kill -9 $(jobs -p) 2>/dev/null || true' EXIT\n"
           "refused() { if \"$@\" 2>err; then false; else test $? = 1; fi; }\n"
           "$sinew run robot.yaml --headless >log 2>&1 &\n"
           "for i in {1..3000}; do $sinew ls >/dev/null 2>&1 && break; sleep 0.02; done\n"
           "%s",
           program_folder, program_folder, SINEW_PROGRAM, script);
  sn_test_write(program_folder, "script", whole);
  char arguments[256];
  snprintf(arguments, sizeof arguments, ">/dev/null --version; bash -x %s/script >%s/trace 2>&1",
           program_folder, program_folder);
  sn_test_program(&program_run, "/", arguments, NULL);
  if (program_run.code != 0) {
    char path[256];
    snprintf(path, sizeof path, "%s/trace", program_folder);
    fail_msg("%s", sn_test_read_file(path, NULL));
  }
}

static const char simulated[] =
    "include: [standard.yaml]\n"
    "robot: '" SINEW_ROBOTS "/arm6.urdf'\n";

SN_TEST(faults_are_set_listed_and_removed) {
  expect_script(simulated,
                "test \"$($sinew fail)\" = 'no faults'\n"
                "$sinew fail joint1 stuck; $sinew fail joint2 stuck\n"
                "$sinew fail joint2 noisy\n"
                "$sinew fail bus delayed\n"
                "$sinew fail --json >json\n"
                "grep -F '\"stuck\":[\"joint1\",\"joint2\"]' json\n"
                "grep -F '\"noisy\":[\"joint2\"]' json\n"
                "grep -F '\"bus_delay\":20' json\n"
                "$sinew fail joint2 none\n"
                "grep -F '[\"joint1\"]' <<<\"$($sinew get plant.stuck --json)\"\n"
                "$sinew fail joint1 none; $sinew fail bus none\n"
                "test \"$($sinew fail)\" = 'no faults'\n");
}

SN_TEST(nonsense_is_refused_with_what_is_possible) {
  expect_script(simulated,
                "refused $sinew fail nose hot; grep 'has joint1, joint2' err\n"
                "refused $sinew fail joint1 sad; grep 'frozen, silent' err\n"
                "refused $sinew fail joint1; grep 'needs a fault' err\n"
                "refused $sinew fail bus hot; grep 'silent, lossy' err\n"
                "test \"$($sinew fail)\" = 'no faults'\n");
}

SN_TEST(a_robot_that_is_not_simulated_is_left_alone) {
  expect_script("robot: '" SINEW_ROBOTS
                "/arm6.urdf'\n"
                "components: {log: {type: timer}}\n",
                "refused $sinew fail joint1 stuck; grep 'nothing is simulated' err\n");
}

SN_TEST_EACH(program_set_up, program_tear_down)
