#define _POSIX_C_SOURCE 200809L

#include <stdlib.h>
#include <unistd.h>

#include "pendulum_files.h"
#include "program_rig.h"
#include "sn_test.h"

/* `sinew ident` with logs of a servo that moves a pendulum. */

enum { LOGS = PENDULUM_FILES };

SN_TEST_EACH(pendulum_files_set_up, program_tear_down)

/* Each motion once, with one of two gains, and then with the other. */
#define LOGS4 "log0.json other1.json log2.json other3.json"
#define OTHERS "other0.json log1.json other2.json log3.json"

SN_TEST(model_is_identified_validated_and_saved) {
  program_expect("ident " LOGS4 " --models models.yaml --validate " OTHERS " --json --save", 0);
  assert_string_equal(program_run.errors, "");
  const char *at = strstr(program_run.output, "\"validation\":[{\"log\":\"other0.json\"");
  assert_non_null(at);
  for (int k = 0; k < LOGS; k++) {
    sn_assert_near(pendulum_number_behind(at, "\"mae_rad\":"), 0.0, 0.005);
    at = strstr(at, "\"mae_rad\":") + 1;
  }
  const pendulum_rig rig = pendulum_rig_make();
  const sn_servo_params *p = &rig.servo.params;
  sn_assert_near(pendulum_number_behind(program_run.output, "\"load_friction[1]\":"),
                 p->ext.load[1], 1.0);
  sn_assert_near(pendulum_number_behind(program_run.output, "\"delay_s\":"), p->ext.delay_s, 0.002);
  program_expect_script("grep -q 'load_friction: \\[' models.yaml");
  /* What was saved is used: the model simulates the logs without a fit of its own. */
  program_expect("ident log0.json --models models.yaml --model load --json", 0);
}

/* Per log: measured and simulated, residuals over speed and load; which extension pays. */
SN_TEST(report_shows_every_log_and_which_extension_pays) {
  program_expect("ident " LOGS4 " --models models.yaml --validate other0.json --report r.html", 0);
  program_expect_script("test $(grep -c '<h2>Fitted:' r.html) = 4");
  program_expect_script("test $(grep -c '<h2>Validated:' r.html) = 1");
  program_expect_script("test $(grep -o '>Residual over load<' r.html | wc -l) = 5");
  program_expect_script("test $(grep -o '>Residual over speed<' r.html | wc -l) = 5");
  program_expect_script("test $(grep -o '>Position: measured and simulated<' r.html | wc -l) = 5");
  char path[160];
  snprintf(path, sizeof path, "%s/r.html", program_folder);
  size_t size;
  char *page = sn_test_read_file(path, &size);
  const double basic = pendulum_number_behind(page, "<th>basic</th><td>");
  const double full = pendulum_number_behind(page, "<th>full</th><td>");
  assert_true(full < 0.5 * basic); /* the servo has load friction */
  free(page);
}

/* The file that is written is one that models can name: the same servo, with all of its gain. */
SN_TEST(servo_is_saved_for_the_library) {
  program_expect("ident " LOGS4 " --models models.yaml --save-servo mine", 0);
  program_expect_script("grep -q 'gain: 400' mine.yaml && grep -q 'validity: One servo' mine.yaml");
  char path[160];
  snprintf(path, sizeof path, "%s/mine.yaml", program_folder);
  size_t size;
  char *text = sn_test_read_file(path, &size);
  sn_assert_near(pendulum_number_behind(text, "kp: "), 0.003 * 400, 1e-9);
  free(text);
  program_expect("ident " LOGS4 " --models models.yaml --save-servo 'My Servo'", 2);
  sn_assert_contains(program_run.errors, "--save-servo");
  program_expect("ident " LOGS4 " --models models.yaml --save --save-servo nowhere/mine", 3);
  sn_assert_contains(program_run.errors, "cannot write the servo nowhere/mine.yaml");
  program_expect_script("! grep -q alpha models.yaml");
}

SN_TEST(basic_model_misses_what_load_friction_does) {
  program_expect("ident " LOGS4 " --models models.yaml --validate " OTHERS " --json", 0);
  const double full =
      pendulum_number_behind(strstr(program_run.output, "\"validation\""), "\"mae_rad\":");
  program_expect("ident " LOGS4
                 " --models models.yaml --model basic --threshold 1 --validate " OTHERS " --json",
                 0);
  const double basic =
      pendulum_number_behind(strstr(program_run.output, "\"validation\""), "\"mae_rad\":");
  assert_true(basic > 4.0 * full);
}

SN_TEST(result_is_refused_above_the_threshold_and_not_saved) {
  program_expect("ident " LOGS4 " --models models.yaml --model basic --threshold 0.001 --save", 1);
  sn_assert_contains(program_run.output, "further from the logs than the threshold");
  program_expect_script("! grep -q alpha models.yaml");
}

/* Oracle: the three errors that are printed are one error in three units. */
SN_TEST(threshold_is_in_rad_volts_or_noise) {
  program_expect("ident log0.json log3.json --models models.yaml --json", 0);
  const double rad = pendulum_number_behind(program_run.output, "\"error_rad\":");
  const double volts = pendulum_number_behind(program_run.output, "\"error_V\":");
  const double noise = pendulum_number_behind(program_run.output, "\"error_noise\":");
  const pendulum_rig rig = pendulum_rig_make();
  sn_assert_near(volts, rad * rig.servo.params.kp * rig.gain * rig.voltage, 1e-6 * volts);
  sn_assert_near(noise, 0.8, 0.2); /* the mean of normal noise is 0.8 of its deviation */
  const struct {
    const char *unit;
    double value;
  } units[] = {{"", rad}, {"rad", rad}, {"V", volts}, {"noise", noise}};
  for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
    for (int is_above = 0; is_above < 2; is_above++) {
      char line[200];
      snprintf(line, sizeof line,
               "ident log0.json log3.json --models models.yaml --threshold %.6g%s",
               (is_above ? 1.01 : 0.99) * units[k].value, units[k].unit);
      program_expect(line, is_above ? 0 : 1);
    }
  }
  program_expect("ident log0.json --models models.yaml --threshold 3apples", 2);
  sn_assert_contains(program_run.errors, "0.5V, 10noise");
  program_expect("ident log.csv --models models.yaml --threshold 3V", 2);
  sn_assert_contains(program_run.errors, "V and noise need");
}

SN_TEST(load_of_the_command_line_must_not_contradict_the_log) {
  program_expect("ident log0.json --models models.yaml --load pendulum:mass=5,length=0.1", 1);
  sn_assert_contains(program_run.errors,
                     "log0.json was recorded with 0.5 kg at 0.1 m, --load says");
  program_expect("ident log0.json --models models.yaml --load pendulum:mass=five,length=0.1", 2);
  sn_assert_contains(program_run.errors, "option '--load': 'pendulum:mass=five,length=0.1'");
  program_expect("ident log0.json --models models.yaml --load brick", 2);
  program_expect("ident log0.json --models models.yaml --model best", 2);
  sn_assert_contains(program_run.errors, "expected one of: basic, load, full");
}

/* A link whose centre of mass is beside its joint, and which has a moment of inertia of its own. */
static const char LINK[] =
    "<robot name='bench'><link name='base'/><link name='arm'><inertial><origin xyz='0.03 0 -0.1'/>"
    "<mass value='0.5'/><inertia ixx='0.001' ixy='0' ixz='0' iyy='0.001' iyz='0' izz='0.001'/>"
    "</inertial></link><joint name='elbow' type='revolute'><parent link='base'/>"
    "<child link='arm'/><axis xyz='0 1 0'/><limit lower='-3' upper='3' effort='9' velocity='9'/>"
    "</joint></robot>";

/* Oracle: the physical pendulum of textbooks, which swings like a point mass at the distance
   J / (m r), and hangs with its centre of mass below the joint. */
SN_TEST(load_can_be_that_of_a_joint_of_a_robot) {
  const double r = hypot(0.03, 0.1), inertia = 0.001 + 0.5 * r * r;
  const double length = inertia / (0.5 * r);
  pendulum_write_text("bench.urdf", LINK);
  for (int k = 0; k < LOGS; k++) {
    pendulum_rig rig = pendulum_rig_make();
    rig.load = (sn__pendulum){
        .mass_kg = 0.5 * r / length, .length_m = length, .hangs_rad = atan2(0.03, 0.1)};
    rig.motion = k;
    rig.gain = k % 2 == 0 ? 400 : 200;
    char name[32];
    snprintf(name, sizeof name, "log%d.json", k);
    pendulum_write_log(&rig, "servo", name);
  }
  program_expect_script("sed -i 's/\"mass\": [^,]*, \"length\": [^,]*, //' log?.json");
  program_expect(
      "ident log0.json log1.json log2.json log3.json --models models.yaml --load "
      "urdf:bench.urdf:elbow --json",
      0);
  const pendulum_rig rig = pendulum_rig_make();
  const double alpha3 = pendulum_number_behind(program_run.output, "\"alpha[3]\":");
  sn_assert_near(alpha3, rig.servo.params.alpha[3], 0.05);
  sn_assert_near(pendulum_number_behind(program_run.output, "\"zero\":"), rig.servo.zero_rad,
                 0.002);
}

SN_TEST(load_of_a_robot_that_cannot_be_used_is_explained) {
  pendulum_write_text("bench.urdf", LINK);
  program_expect_script("sed \"s/0 1 0/0 0 1/\" bench.urdf > upright.urdf");
#define WITH "ident log0.json --models models.yaml --save --load urdf:"
  program_expect(WITH "bench.urdf:knee", 1);
  sn_assert_contains(program_run.errors, "joint 'knee': the robot has no such joint");
  program_expect_script("sed s/revolute/prismatic/ bench.urdf > slide.urdf");
  program_expect(WITH "slide.urdf:elbow", 1);
  sn_assert_contains(program_run.errors, "expected a joint that a servo turns");
  program_expect(WITH "upright.urdf:elbow", 1);
  sn_assert_contains(program_run.errors, "its axis is vertical");
  program_expect(WITH "bench.urdf", 2);
  sn_assert_contains(program_run.errors, "expected urdf:FILE:JOINT");
  program_expect(WITH "nothing.urdf:elbow", 1);
  program_expect_script("! grep -q alpha models.yaml");
}

SN_TEST(bad_logs_have_messages_and_save_nothing) {
  pendulum_rig rig = pendulum_rig_make();
  pendulum_write_log(&rig, "another", "another.json");
  program_expect("ident log0.json another.json --models models.yaml --save", 1);
  sn_assert_contains(program_run.errors, "identify one kind of servo at a time");
  pendulum_write_text("broken.json", "{\"mass\": 1, \"entries\": [");
  program_expect("ident broken.json --models models.yaml --save", 1);
  sn_assert_contains(program_run.errors, "broken.json:1:");
  pendulum_write_text("empty.json", "{}");
  program_expect("ident empty.json --models models.yaml --save", 1);
  sn_assert_contains(program_run.errors, "no list 'entries'");
  pendulum_write_text("short.json", "{\"entries\": []}");
  program_expect("ident short.json --models models.yaml --save", 1);
  sn_assert_contains(program_run.errors, "too short");
  program_expect("ident missing.json --models models.yaml --save", 1);
  sn_assert_contains(program_run.errors, "missing.json: cannot read the file");
  program_expect_script("sed 's/\"kp\": 400, //' log0.json > nogain.json");
  program_expect("ident nogain.json --models models.yaml --save", 1);
  sn_assert_contains(program_run.errors, "the gain of the servo is not stated");
  /* The log of a servo whose duty is the same all the time. */
  program_expect_script("sed 's/\"load\": 0/\"load\": 885/g' log0.json > full.json");
  program_expect("ident full.json --models models.yaml --save", 1);
  sn_assert_contains(program_run.errors, "saturated throughout");
  /* One of the logs was recorded with another weight. */
  rig.load.mass_kg = 0.25;
  pendulum_write_log(&rig, "servo", "lighter.json");
  program_expect_script("sed -i 's/\"mass\": 0.25/\"mass\": 0.5/' lighter.json");
  program_expect(
      "ident lighter.json log1.json log2.json log3.json " OTHERS " --models models.yaml --save", 1);
  sn_assert_contains(program_run.output, "lighter.json is ");
  sn_assert_contains(program_run.output, "is its mass, length, gain and supply right?");
  pendulum_write_text("limited.yaml",
                      "servo_models:\n  - {name: servo, kp: 0.003, drive_max: 0.0001}\n");
  program_expect("ident log0.json --models limited.yaml --save", 1);
  sn_assert_contains(program_run.errors, "saturated throughout");
  program_expect_script("! grep -q alpha models.yaml limited.yaml");
}
