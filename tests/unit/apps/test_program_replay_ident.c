/* A run that identifies a servo and saves its model can be repeated: replay reads the models as
 * they were, and does not change the file. */
#include <stdlib.h>
#include <unistd.h>

#include "program_rig.h"
#include "sn_test.h"

SN_TEST(recording_with_an_identification_replays) {
  program_expect_script(
      "$sinew run " SINEW_ROBOTS
      "/arm6.urdf --headless --record a.mcap --set servo_ident.servo_models_file=$PWD/models.yaml "
      "--set servo_ident.threshold=1 2>said & system=$!\n"
      "await $sinew ls\n"
      "identify() {\n"
      "  $sinew call servo_ident.startIdentification '{\"names\":[\"joint1\"]}' | grep -q true\n"
      "  $sinew call execute.execute "
      "'{\"trajectory\":{\"joint_names\":[\"joint1\"],\"points\":["
      "{\"positions\":[0.4],\"time_from_start\":{\"sec\":1}},"
      "{\"positions\":[-0.4],\"time_from_start\":{\"sec\":2}}]}}'\n"
      "  sleep 2\n"
      "  $sinew call servo_ident.endIdentification | tee ended | grep \"saved: true\"\n"
      "}\n"
      "for i in {1..10}; do identify && break; cat ended said; done\n" /* starved: move again */
      "grep -q 'saved: true' ended\n"
      "sleep 0.2\n"
      "kill -INT $system; wait $system\n"
      "cp models.yaml kept.yaml; touch -d 2001-01-01 models.yaml\n"
      "$sinew replay a.mcap | grep ': equal: '\n"
      "cmp models.yaml kept.yaml; test kept.yaml -nt models.yaml\n");
}

SN_TEST_EACH(program_set_up, program_tear_down)
