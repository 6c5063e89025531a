/* `sinew distance`, run as a program. */
#include <stdlib.h>

#include "program_rig.h"
#include "sn_test.h"

#define BALL(name)                                                                               \
  "<link name='" name                                                                            \
  "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' "                       \
  "ixz='0' iyz='0'/></inertial><collision><origin xyz='1 0 0'/><geometry><sphere radius='0.1'/>" \
  "</geometry></collision></link>"
#define TURNS(name, child)                                                          \
  "<joint name='" name "' type='revolute'><parent link='base'/><child link='" child \
  "'/><axis xyz='0 0 1'/><limit lower='-3' upper='3' effort='1' velocity='1'/></joint>"

static int set_up(void **state) {
  if (program_set_up(state) != 0) {
    return -1;
  }
  sn_test_write(program_folder, "balls.urdf",
                "<robot name='balls'><link name='base'/>" BALL("one") BALL("two") TURNS("a", "one")
                    TURNS("b", "two") "</robot>");
  sn_test_write(program_folder, "bare.urdf", "<robot name='bare'><link name='base'/></robot>");
  sn_test_write(program_folder, "quiet.srdf",
                "<robot name='balls'><disable_collisions link1='one' link2='two'/></robot>");
  sn_test_write(program_folder, "world.yaml",
                "world:\n- {name: wall, plane: [-1, 0, 0], position: [1.5, 0, 0]}\n");
  sn_test_write(program_folder, "bad.yaml", "world:\n- {name: wall, plane: [0, 0, 0]}\n");
  return 0;
}

SN_TEST_EACH(set_up, program_tear_down)

/* One line of the answer. */
static char *check_line(char *at, double distance, const char *names) {
  sn_assert_near(strtod(at, &at), distance, 1e-9);
  assert_int_equal(strncmp(at, names, strlen(names)), 0);
  return at + strlen(names);
}

SN_TEST(the_nearest_pair_of_each_pose_is_printed) {
  program_expect_input("distance balls.urdf", "0 0\n0 3.141592653589793\n0 1.0471975511965976\n",
                       0);
  char *at = check_line(program_run.output, -0.2, " one two\n");
  at = check_line(at, 1.8, " one two\n");
  at = check_line(at, 0.8, " one two\n");
  assert_int_equal(*at, '\0');
}

SN_TEST(the_world_and_disabled_pairs_are_read_from_files) {
  program_expect_input("distance balls.urdf --srdf quiet.srdf --world world.yaml", "0 1.5\n", 0);
  (void)check_line(program_run.output, 0.4, " one wall\n");
  program_expect_input("distance balls.urdf --srdf quiet.srdf", "0 0\n", 1);
  assert_string_equal(program_run.errors,
                      "sinew distance: the robot has no pair of links that could meet\n");
}

SN_TEST(the_srdf_beside_the_robot_is_read_unless_another_is_named) {
  sn_test_write(program_folder, "balls.srdf",
                "<robot name='balls'><disable_collisions link1='one' link2='two'/></robot>");
  program_expect_input("distance balls.urdf", "0 0\n", 1);
  sn_assert_contains(program_run.errors, "has no pair of links that could meet");
  program_expect_input("distance balls.urdf --srdf ''", "0 0\n", 0);
  (void)check_line(program_run.output, -0.2, " one two\n");
}

SN_TEST(what_cannot_be_measured_is_reported) {
  program_expect_input("distance bare.urdf", "\n", 1);
  sn_assert_contains(program_run.errors,
                     "sinew distance: collision: the robot 'bare' has no shapes\n");
  program_expect_input("distance balls.urdf --world bad.yaml", "0 0\n", 1);
  sn_assert_contains(program_run.errors,
                     "bad.yaml:2:16: plane must be a normal vector of three numbers\n");
  program_expect_input("distance balls.urdf --srdf missing.srdf", "0 0\n", 1);
  sn_assert_contains(program_run.errors,
                     "missing.srdf:0:0: error: cannot read the file: No such file or directory\n");
  program_expect_input("distance balls.urdf", "0 nan\n", 2);
}
