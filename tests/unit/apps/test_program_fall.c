/* A robot that falls in 'sinew run' and in 'sinew play': the estimator reports it within 50 ms of
   the time at which the base is tilted by 0.7 rad, and the servos do what the deployment asks for.
 */
#include "program_rig.h"
#include "sn_test.h"

/* `reaction WORD` writes the deployment. `detected FILE` compares the recording of the fall with
   the truth: the tilt is beyond 0.7 rad where 1 - 2 (x^2 + y^2) of the orientation is below its
   cosine. */
static const char functions[] =
    "reaction() {\n"
    "  printf 'include: [walking.yaml]\\nrobot: " SINEW_ROBOTS
    "/quadruped.yaml\\ncomponents:\\n"
    "  state_estimator: {properties: {reaction: %s}}\\n' $1 > fall.yaml\n"
    "}\n"
    "detected() {\n"
    "  $sinew export $1 --csv --topic /state_estimator/fall -o fall.csv\n"
    "  $sinew export $1 --csv --topic /plant/base_truth -o truth.csv\n"
    "  awk -F, 'FNR == 1 { for (i = 1; i <= NF; i++) { column[$i] = i } next }\n"
    "    FILENAME == \"fall.csv\" && report == \"\" { report = $column[\"time\"] }\n"
    "    FILENAME == \"truth.csv\" && fall == \"\" {\n"
    "      x = $column[\"pose.orientation.x\"]; y = $column[\"pose.orientation.y\"]\n"
    "      if (1 - 2 * (x * x + y * y) < 0.7648) { fall = $column[\"time\"] } }\n"
    "    END { print \"reported\", report, \"fallen\", fall\n"
    "      exit !(report != \"\" && (fall == \"\" || report <= fall + 0.05)) }' fall.csv "
    "truth.csv\n"
    "}\n"
    "limp() { $sinew echo servo_inv_7param.out_goals --count 1 --json | grep -o '\"limp\".*'; }\n";

static void expect_script(const char *script) {
  static char all[8192];
  snprintf(all, sizeof all, "%s%s", functions, script);
  program_expect_script(all);
}

/* Slow, so that a busy machine loses few cycles. */
#define RUN                                                                                 \
  "$sinew run fall.yaml --headless --clock x0.2 --record fall.mcap 2>said & system=$!\n"    \
  "await $sinew ls\n"                                                                       \
  "$sinew pub plant.push_links '{\"name\":[\"base_link\"],\"wrench\":[{\"force\":{\"x\":0," \
  "\"y\":40,\"z\":0},\"torque\":{\"x\":0,\"y\":0,\"z\":0}}]}'\n"                            \
  "await grep -q 'emergency stop by state_estimator' said\n"

SN_TEST(fall_in_a_running_system_makes_it_limp) {
  expect_script("reaction limp\n" RUN
                "said 'the robot falls: it .* reaction: limp'\n"
                "await eval 'limp | grep -v false | grep -q true'\n"
                "kill $system; wait $system\n"
                "detected fall.mcap\n");
}

SN_TEST(fall_in_a_running_system_makes_it_hold) {
  expect_script("reaction hold\n" RUN
                "said 'the robot falls: it .* reaction: hold'\n"
                "if limp | grep -q true; then false; fi\n"
                "kill $system; wait $system\n"
                "detected fall.mcap\n");
}

SN_TEST(fall_in_a_movement_is_detected) {
  sn_test_write(program_folder, "tip.json",
                "{\"trajectory\":{\"joint_names\":[\"leg1_joint3\",\"leg2_joint3\",\"leg3_joint3\","
                "\"leg4_joint3\"],\"points\":[{\"positions\":[1.1,1.1,1.1,1.1],"
                "\"time_from_start\":{\"secs\":1}}]}}");
  expect_script(
      "play() {\n"
      "  reaction $1\n"
      "  if $sinew play fall.yaml tip.json --record fall.mcap --json >played; then false; fi\n"
      "  cat played\n"
      "}\n"
      "play none\n"
      "grep -q '\"fell\":true' played\n"
      "detected fall.mcap\n"
      "play limp\n"
      "$sinew export fall.mcap --csv --topic /state_estimator/fall | grep -q ',1$'\n"
      "$sinew export fall.mcap --csv --topic /servo_inv_7param/out_goals | tail -1 | grep -q "
      "',1$'\n");
}

SN_TEST_EACH(program_set_up, program_tear_down)
