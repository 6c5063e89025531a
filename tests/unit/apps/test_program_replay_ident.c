/* A run that identifies a servo and saves its model can be repeated: the models file is as it was
   at the beginning, and stays as it is now. */
#include <stdlib.h>
#include <unistd.h>

#include "program.h"
#include "sn_test.h"

static char folder[64];
static sn_test_run run; /* large */

static int set_up(void **state) {
  (void)state;
  sn_test_folder_create(folder);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  sn_test_folder_remove(folder);
  return 0;
}

static void expect_script(const char *script) {
  static char whole[4096];
  snprintf(whole, sizeof whole,
           "set -e; cd %s; export XDG_RUNTIME_DIR=%s sinew=%s\n"
           "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n"
           "await() { for i in {1..3000}; do \"$@\" >/dev/null 2>&1 && return; sleep 0.02; done; "
           "echo \"never: $*\"; false; }\n"
           "%s",
           folder, folder, SINEW_PROGRAM, script);
  sn_test_write(folder, "script", whole);
  char arguments[256]; /* the program itself only says its version, which goes nowhere */
  snprintf(arguments, sizeof arguments, ">/dev/null --version; bash %s/script >%s/out 2>&1", folder,
           folder);
  sn_test_program(&run, "/", arguments, NULL);
  if (run.code != 0) {
    char path[128];
    snprintf(path, sizeof path, "%s/out", folder);
    size_t size = 0;
    char *text = sn_test_read_file(path, &size);
    fail_msg("exit code %d: %s", run.code, text);
  }
}

static void recording_with_an_identification_replays(void **state) {
  (void)state;
  expect_script(
      "$sinew run " SINEW_ROBOTS
      "/arm6.urdf --headless --record a.mcap --set servo_ident.servo_models_file=$PWD/models.yaml "
      "--set servo_ident.threshold=1 2>said & system=$!\n"
      "await $sinew call execute.execute "
      "'{\"trajectory\":{\"joint_names\":[\"joint1\"],\"points\":["
      "{\"positions\":[0.4],\"time_from_start\":{\"sec\":1}},"
      "{\"positions\":[-0.4],\"time_from_start\":{\"sec\":2}}]}}'\n"
      "$sinew call servo_ident.startIdentification '{\"names\":[\"joint1\"]}' | grep -q true\n"
      "sleep 1.5\n"
      "await eval '$sinew call servo_ident.endIdentification | tee ended | grep \"saved: true\"'\n"
      "sleep 0.2\n"
      "kill -INT $system; wait $system\n"
      "cp models.yaml kept.yaml; touch -d 2001-01-01 models.yaml\n"
      "$sinew replay a.mcap | grep ': equal: '\n"
      "cmp models.yaml kept.yaml; test kept.yaml -nt models.yaml\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(recording_with_an_identification_replays, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
