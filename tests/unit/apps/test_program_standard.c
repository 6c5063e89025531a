/* Any robot runs with the standard deployment; and the demo. */
#define _POSIX_C_SOURCE 200809L

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>

#include "legged.h"
#include "program_rig.h"
#include "sinew/api.h"
#include "sn_test.h"

/* It runs for a second without errors, the robot is held, and two runs are equal. */
static void expect_run(const char *robot) {
  char arguments[512];
  snprintf(arguments, sizeof arguments, "run %s --headless --clock sim --duration 1 --hash", robot);
  program_expect(arguments, 0);
  sn_assert_contains(program_run.errors, "free -> hold (request)");
  char first[128];
  snprintf(first, sizeof first, "%.100s", program_run.output);
  assert_memory_equal(first, "hash ", 5);
  program_expect(arguments, 0);
  assert_string_equal(program_run.output, first);
}

SN_TEST(the_robots_of_sinew_run) {
  expect_run(SINEW_ROBOTS "/quadruped.urdf");
  expect_run(SINEW_ROBOTS "/quadruped.yaml");
  expect_run(SINEW_ROBOTS "/arm7.urdf");
}

/* ---- odd robots ---- */

typedef struct text {
  char data[1 << 16];
  size_t used;
} text;

static void put(text *t, const char *format, ...) SN_PRINTF(2, 3);

static void put(text *t, const char *format, ...) {
  va_list args;
  va_start(args, format);
  t->used += (size_t)vsnprintf(t->data + t->used, sizeof t->data - t->used, format, args);
  va_end(args);
  assert_true(t->used < sizeof t->data);
}

static void put_link(text *t, int number, bool has_inertia) {
  put(t, "<link name='l%d'>", number);
  if (has_inertia) {
    put(t,
        "<inertial><origin xyz='0 0 0.1'/><mass value='0.3'/><inertia ixx='0.001' iyy='0.001' "
        "izz='0.001' ixy='0' ixz='0' iyz='0'/></inertial>");
  }
  put(t, "</link>");
}

static void put_joint(text *t, int number, int parent, const char *type, const char *rest) {
  put(t,
      "<joint name='j%d' type='%s'><parent link='l%d'/><child link='l%d'/><origin xyz='0 0 0.1'/>"
      "<axis xyz='%s'/>%s</joint>",
      number, type, parent, number, number % 2 == 0 ? "0 1 0" : "1 0 0", rest);
}

static const char limited[] = "<limit lower='-1' upper='1' velocity='2' effort='20'/>";

static void run_text(text *t, const char *name) {
  put(t, "</robot>\n");
  sn_test_write(program_folder, name, t->data);
  expect_run(name);
}

SN_TEST(one_joint_is_a_robot) {
  static text t;
  put(&t, "<robot name='one'>");
  put_link(&t, 0, false);
  put_link(&t, 1, true);
  put_joint(&t, 1, 0, "revolute", limited);
  run_text(&t, "one.urdf");
}

SN_TEST(joints_without_limits_and_links_without_inertia_run) {
  static text t;
  put(&t, "<robot name='bare'>");
  put_link(&t, 0, false);
  for (int i = 1; i <= 5; i++) {
    put_link(&t, i, false);
    put_joint(&t, i, i - 1, "continuous", "");
  }
  run_text(&t, "bare.urdf");
  sn_assert_contains(program_run.errors, "all links are without inertia");
}

SN_TEST(joints_that_slide_and_joints_that_mimic_run) {
  static text t;
  put(&t, "<robot name='gripper'>");
  for (int i = 0; i <= 4; i++) {
    put_link(&t, i, true);
  }
  put_joint(&t, 1, 0, "prismatic", "<limit lower='0' upper='0.5' velocity='1' effort='200'/>");
  put_joint(&t, 2, 1, "revolute", limited);
  put_joint(&t, 3, 2, "prismatic", "<limit lower='0.01' upper='0.04' velocity='0.1' effort='9'/>");
  put_joint(&t, 4, 2, "prismatic",
            "<limit lower='-0.04' upper='-0.01' velocity='0.1' effort='9'/>"
            "<mimic joint='j3' multiplier='-1'/>");
  run_text(&t, "gripper.urdf");
}

/* More joints than the default capacity of a message. */
SN_TEST(many_joints_run) {
  static text t;
  put(&t, "<robot name='many'>");
  put_link(&t, 0, true);
  for (int i = 1; i <= 72; i++) {
    put_link(&t, i, true);
    put_joint(&t, i, (i - 1) % 9 == 0 ? 0 : i - 1, "revolute", limited);
  }
  run_text(&t, "many.urdf");
  program_expect("run many.urdf --print-deployment", 0);
  sn_assert_contains(program_run.output, "capacity: {items: 72, text: 64}");
}

/* ---- the deployment itself ---- */

SN_TEST(the_deployment_can_be_printed_and_run) {
  program_expect(
      "run " SINEW_ROBOTS "/arm6.yaml --print-deployment --headless --set follow.priority=3", 0);
  sn_assert_contains(program_run.output, "robot: " SINEW_ROBOTS "/arm6.yaml\n");
  sn_assert_contains(program_run.output, "      priority: 3\n");
  sn_assert_contains(program_run.output, "  - servo_inv_7param.out_goals -> plant.goals\n");
  assert_null(strstr(program_run.output, "<robot"));
  assert_null(strstr(program_run.output, "cockpit"));
  sn_test_write(program_folder, "printed.yaml", program_run.output);
  expect_run("printed.yaml");
  char hash[64];
  snprintf(hash, sizeof hash, "%.60s", program_run.output);
  program_expect("run " SINEW_ROBOTS
                 "/arm6.yaml --headless --set follow.priority=3 --clock sim --duration "
                 "1 --hash",
                 0);
  assert_string_equal(program_run.output, hash);
}

/* The included file is in the program, so the location of this one does not matter. */
SN_TEST(deployments_can_extend_the_standard) {
  sn_test_write(program_folder, "mine.yaml",
                "include: [standard.yaml]\nrobot: '" SINEW_ROBOTS
                "/arm6.yaml'\ncomponents: {follow: {properties: {activation_delay: 0.25}}}\n");
  program_expect("check mine.yaml", 0);
  program_expect("run mine.yaml --print-deployment", 0);
  sn_assert_contains(program_run.output, "activation_delay: 0.25");
  sn_assert_contains(program_run.output, "type: cockpit");
  expect_run("mine.yaml");
  sn_test_write(program_folder, "standard.yaml",
                "components: {timer: {type: timer}}\n"); /* the user's own */
  program_expect("run mine.yaml --print-deployment", 1);
  sn_assert_contains(program_run.errors, "'components.follow.type' is not set");
}

SN_TEST(a_robot_that_cannot_stand_hangs_and_says_why) {
  static char urdf[LEGGED_TEXT_MAX];
  legged_robot robot = legged_a1;
  robot.rows = 1;
  legged_write(&robot, urdf);
  sn_test_write(program_folder, "two.urdf", urdf);
  program_expect("run two.urdf --headless --clock sim --duration 0.1", 0);
  sn_assert_contains(program_run.errors, "its feet touch in points on one line; its base is fixed");
  legged_write(&legged_a1, urdf);
  sn_test_write(program_folder, "four.urdf", urdf);
  program_expect("run four.urdf --print-deployment", 0);
  sn_assert_contains(program_run.output, "base: floating");
  program_expect("run four.urdf --fixed-base --print-deployment", 0);
  assert_null(strstr(program_run.output, "base: floating"));
}

/* The base of the demo breathes by millimetres, and stays upright. */
SN_TEST(the_demo_stands_and_breathes) {
  program_expect("demo --headless --clock sim --duration 6 --record a.mcap", 0);
  assert_string_equal(program_run.errors, "");
  program_expect("export a.mcap --csv --topic /plant/base_truth -o m.csv", 0);
  char command[512];
  snprintf(command, sizeof command,
           "awk -F, '$3 == \"base_link\" { if (!n++) lo = hi = $6; if ($6 > hi) hi = $6; if ($6 < "
           "lo) lo = $6 } END { exit !(lo > 0.155 && hi < 0.17 && hi - lo > 0.002) }' %s/m.csv",
           program_folder);
  assert_int_equal(system(command), 0);
}

SN_TEST(the_demo_of_an_arm_sways) {
  program_expect("demo --fixed-base --headless --clock sim --duration 1 --verbose", 0);
  sn_assert_contains(program_run.errors, "-> sway (request)");
  program_expect("demo " SINEW_ROBOTS "/arm6.urdf --headless --clock sim --duration 1 --verbose",
                 0);
  sn_assert_contains(program_run.errors, "-> sway (request)");
  sn_test_write(program_folder, "m.csv", "1,2\n");
  program_expect("demo m.csv --headless", 2);
  sn_assert_contains(program_run.errors, "is not a robot");
}

SN_TEST_EACH(program_set_up, program_tear_down)
