#include "pendulum_files.h"
#include "program_rig.h"
#include "sn_test.h"

/* `sinew ident` with logs of a servo that moves a pendulum: what it says about logs that are odd,
   or wrong in what they state. */

SN_TEST_EACH(pendulum_files_set_up, program_tear_down)

#define TURN 6.283185307179586
/* Each motion once, with one of two gains. */
#define LOGS4 "log0.json other1.json log2.json other3.json"
#define WITH " --models models.yaml --save"

static void expect_unsaved(void) {
  program_expect_script("! grep -q alpha models.yaml");
}

SN_TEST(a_turn_between_goals_and_positions_is_refused) {
  const pendulum_rig rig = pendulum_rig_make();
  pendulum_write_moved_log(&rig, TURN, 0.0, "position.json");
  pendulum_write_moved_log(&rig, 0.0, -TURN, "goal.json");
  pendulum_write_csv(&rig, "servo", -TURN, "position.csv");
  program_expect("ident position.json" WITH, 1);
  sn_assert_contains(program_run.errors, "position.json: goals and positions are -6.");
  program_expect("ident goal.json" WITH, 1);
  sn_assert_contains(program_run.errors, "goal.json: goals and positions are -6.");
  program_expect("ident log0.json --validate position.json" WITH, 1);
  sn_assert_contains(program_run.errors, "position.json: goals and positions are -6.");
  program_expect("ident position.csv --load pendulum:mass=0.5,length=0.1" WITH, 1);
  sn_assert_contains(program_run.errors, "position.csv: goals and positions are 6.");
  expect_unsaved();
}

/* Gravity and regulator are the same a turn away: so is the model. */
SN_TEST(a_turn_of_goals_and_positions_is_said_and_harmless) {
  program_expect("ident log0.json log3.json --models models.yaml --json", 0);
  const double here = pendulum_number_behind(program_run.output, "\"alpha[3]\":");
  pendulum_rig rig = pendulum_rig_make();
  pendulum_write_moved_log(&rig, TURN, TURN, "moved.json");
  program_expect("ident moved.json log3.json --models models.yaml --json", 0);
  sn_assert_near(pendulum_number_behind(program_run.output, "\"alpha[3]\":"), here, 1e-3 * here);
  program_expect("ident moved.json log3.json --models models.yaml", 0);
  sn_assert_contains(
      program_run.output,
      "positions of 1 logs are whole turns from where the weight hangs (moved.json: +1)");
}

/* A joint of a robot has limits, which tell. */
SN_TEST(a_joint_beyond_its_limits_is_refused) {
  pendulum_write_text(
      "bench.urdf",
      "<robot name='bench'><link name='base'/><link name='arm'><inertial><origin xyz='0 0 -0.1'/>"
      "<mass value='0.5'/><inertia ixx='1e-5' ixy='0' ixz='0' iyy='1e-5' iyz='0' izz='1e-5'/>"
      "</inertial></link><joint name='elbow' type='revolute'><parent link='base'/>"
      "<child link='arm'/><axis xyz='0 1 0'/><limit lower='-3' upper='3' effort='9' "
      "velocity='9'/></joint></robot>");
  const pendulum_rig rig = pendulum_rig_make();
  pendulum_write_moved_log(&rig, -TURN, -TURN, "moved.json");
  program_expect_script("sed -i 's/\"mass\": [^,]*, \"length\": [^,]*, //' moved.json log0.json");
  program_expect("ident moved.json --load urdf:bench.urdf:elbow" WITH, 1);
  sn_assert_contains(program_run.errors, "moved.json: positions reach from -7.");
  sn_assert_contains(program_run.errors, "the limits of the joint are -3 and 3");
  expect_unsaved();
  program_expect("ident log0.json --load urdf:bench.urdf:elbow --models models.yaml", 0);
  program_expect_script("sed -i s/revolute/continuous/ bench.urdf");
  program_expect("ident moved.json --load urdf:bench.urdf:elbow --models models.yaml", 0);
}

SN_TEST(a_log_that_does_not_fit_is_explained) {
  program_expect_script(
      "sed 's/\"goal_position\": [^,]*/\"goal_position\": 0/g' log0.json > a.json");
  program_expect("ident a.json" WITH, 1);
  sn_assert_contains(program_run.output, "further from the logs than the threshold; a.json is ");
  sn_assert_contains(program_run.output, "its goals never change while it moves to and fro");
  program_expect("ident log2.json --model basic --threshold 0.01" WITH, 1); /* that lifts once */
  assert_null(strstr(program_run.output, "never change"));
  program_expect_script(
      "sed 's/\"torque_enable\": true/\"torque_enable\": false/g' log0.json > b.json");
  program_expect("ident b.json" WITH, 1);
  sn_assert_contains(program_run.errors, "(700 rows are limp): move it more with its torque on");
  program_expect("ident b.json log1.json log2.json log3.json" WITH, 1);
  sn_assert_contains(program_run.output, "b.json is ");
  sn_assert_contains(program_run.output, "all its rows are limp");
  pendulum_write_text("models.yaml", "servo_models:\n  - {name: servo, kp: 0.003, kgear: -1}\n");
  program_expect("ident log0.json" WITH, 1);
  sn_assert_contains(program_run.output, "its positions go against its goals");
  expect_unsaved();
}

SN_TEST(a_mechanical_stop_is_recognised) {
  pendulum_rig rig = pendulum_rig_make();
  rig.motion = 3;
  pendulum_write_stopped_log(&rig, 0.25, "stopped.json");
  program_expect(
      "ident stopped.json log0.json log1.json log2.json other0.json other1.json "
      "--threshold 0.01" WITH,
      1);
  sn_assert_contains(program_run.output, "stopped.json is ");
  sn_assert_contains(program_run.output, "it rests at 0.25 rad where its simulation goes on");
  expect_unsaved();
}

/* The log with the wrong facts is furthest away, others may be far, too. */
SN_TEST(the_log_that_is_furthest_away_is_blamed) {
  program_expect_script(
      "sed 's/\"vin\": 7.4/\"vin\": 37/; s/\"input_volts\": 7.4/\"input_volts\": 37/g' "
      "log0.json > fivefold.json");
  program_expect(
      "ident fivefold.json log1.json log2.json log3.json other0.json other1.json "
      "other2.json other3.json" WITH,
      1);
  sn_assert_contains(program_run.output, "fivefold.json is ");
  sn_assert_contains(program_run.output, "is its mass, length, gain and supply right?");
  expect_unsaved();
}

/* Half of the logs state twice the mass: the model is between, so no log is far from it alone. */
SN_TEST(masses_that_contradict_each_other_are_said) {
  program_expect_script(
      "for k in 0 1 2 3; do sed 's/\"mass\": 0.5/\"mass\": 1/' other$k.json > wrong$k.json; done");
  program_expect("ident log?.json wrong?.json --models models.yaml", 0);
  sn_assert_contains(program_run.output, "with a mass of 1 kg, not 0.5: are all masses right?");
  program_expect("ident log?.json other?.json --models models.yaml", 0);
  assert_null(strstr(program_run.output, "are all masses right?"));
}

/* The same log in other forms gives the same result. */
SN_TEST(optional_fields_of_logs_may_be_missing_or_numbers) {
  program_expect("ident log0.json log2.json --models models.yaml --json", 0);
  const double here = pendulum_number_behind(program_run.output, "\"alpha[3]\":");
  program_expect_script(
      "sed -i 's/\"torque_enable\": true/\"torque_enable\": 1/g; "
      "s/\"torque_enable\": false/\"torque_enable\": 0/g' log0.json log2.json");
  program_expect("ident log0.json log2.json --models models.yaml --json", 0);
  assert_true(pendulum_number_behind(program_run.output, "\"alpha[3]\":") == here);
  program_expect_script(
      "sed -i 's/\"speed\": [^,]*, \"load\": [^,]*, \"input_volts\": [^,]*, "
      "\"temp\": [^,]*, //g; s/\"motor\": [^,]*, \"trajectory\": [^,]*, //' "
      "log0.json log2.json");
  program_expect("ident log0.json log2.json --models models.yaml --json", 0);
  sn_assert_near(pendulum_number_behind(program_run.output, "\"alpha[3]\":"), here, 1e-6 * here);
  program_expect_script("sed -i 's/\"timestamp\": [^,]*, //g' log0.json log2.json");
  program_expect("ident log0.json" WITH, 1);
  sn_assert_contains(program_run.errors, "no number 'timestamp', nor the log a period 'dt'");
  program_expect_script("sed -i 's/{\"mass\"/{\"dt\": 0.005, \"mass\"/' log0.json log2.json");
  program_expect("ident log0.json log2.json --models models.yaml --json", 0);
  sn_assert_near(pendulum_number_behind(program_run.output, "\"alpha[3]\":"), here, 1e-4 * here);
}

SN_TEST(forms_that_are_not_those_of_logs_are_explained) {
  program_expect_script(
      "sed 's/\"torque_enable\": true/\"torque_enable\": \"true\"/g' log0.json > text.json\n"
      "sed 's/\"vin\": 7.4/\"vin\": 0.74/' log0.json > supply.json\n"
      ": > empty.json\nprintf '\\357\\273\\277' | cat - log0.json > marked.json");
  program_expect("ident text.json" WITH, 1);
  sn_assert_contains(program_run.errors, "'torque_enable' of entry 0 is not true, false, 1 or 0");
  program_expect("ident supply.json" WITH, 1);
  sn_assert_contains(program_run.errors, "'vin' is 0.74 V, 'input_volts' 7.4 on average");
  program_expect("ident empty.json" WITH, 1);
  sn_assert_contains(program_run.errors, "empty.json:1:0: '[' or '{' expected");
  expect_unsaved();
  program_expect("ident marked.json log2.json --models models.yaml", 0);
}

SN_TEST(joints_without_a_model_are_said) {
  const pendulum_rig rig = pendulum_rig_make();
  pendulum_write_csv(&rig, "servo", 0.0, "one.csv");
  program_expect_script(
      "sed 's/,servo,/,other,/; 1d' one.csv | cat one.csv - > two.csv\n"
      "sed -i 's/kp: 0.003/kp: 1.2/' models.yaml");
  program_expect("ident two.csv --load pendulum:mass=0.5,length=0.1 --models models.yaml", 0);
  sn_assert_contains(program_run.errors,
                     "two.csv: warning: 700 lines are about joints without a model, the first is "
                     "'other'");
}

/* One slow motion says nothing about fast ones. */
SN_TEST(logs_that_validate_judge_too) {
  program_expect("ident log0.json --models models.yaml --model basic", 0);
  program_expect(
      "ident log0.json --model basic --validate other0.json other1.json other2.json "
      "other3.json --threshold 0.03" WITH,
      1);
  sn_assert_contains(program_run.output,
                     "the logs that validate is further away than the threshold");
  expect_unsaved();
}

SN_TEST(another_name_of_the_servo_is_said) {
  pendulum_write_text("models.yaml", "servo_models:\n  - {name: knee, kp: 0.003}\n");
  program_expect("ident log0.json log3.json --models models.yaml", 0);
  sn_assert_contains(program_run.output, "knee (full): good");
  sn_assert_contains(program_run.output, "the logs call this servo 'servo'");
}

/* The simulated servo has neither play nor direction dependence. The logs of one gain have no limp
   rows, so a model of them is not judged by the log that has. */
SN_TEST(options_say_whether_they_pay) {
  program_expect("ident " LOGS4 " --models models.yaml --backlash --directional --json", 0);
  const char *at = strstr(program_run.output, "\"cross_rad\"");
  const double full = pendulum_number_behind(at, "\"full\":");
  sn_assert_near(full, 0.0016, 0.0003); /* the noise */
  sn_assert_near(pendulum_number_behind(at, "\"full --backlash\":"), full, 0.1 * full);
  sn_assert_near(pendulum_number_behind(at, "\"full --directional\":"), full, 0.1 * full);
  assert_null(strstr(at, "basic"));
  program_expect("ident log?.json other?.json --models models.yaml --backlash", 0);
  sn_assert_contains(program_run.output, "simulated by models of the others: full ");
  sn_assert_contains(program_run.output, " mrad: full is enough");
  program_expect("ident log0.json --models models.yaml --backlash", 0);
  assert_null(strstr(program_run.output, "is enough"));
  sn_assert_contains(program_run.output, "whether the options pay is not known");
}

SN_TEST(options_need_their_model) {
  program_expect("ident log0.json --models models.yaml --model load --backlash", 2);
  sn_assert_contains(program_run.errors, "'--backlash': only with --model full");
  program_expect("ident log0.json --models models.yaml --model basic --directional", 2);
  sn_assert_contains(program_run.errors, "'--directional': only with --model load or full");
  program_expect("ident log.csv --models models.yaml --backlash", 2);
  sn_assert_contains(program_run.errors, "only with --load or logs of Rhoban/bam");
}
