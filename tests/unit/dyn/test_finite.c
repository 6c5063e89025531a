/* A model that was accepted computes with finite numbers: every number of a file is replaced by
   extreme ones, one at a time, and what is not refused must give finite kinematics and dynamics. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "robot.h"
#include "sinew/dyn.h"
#include "sinew/kin.h"
#include "sinew/random.h"
#include "sn_test.h"

enum { COORDS_MAX = 64, POSES = 4 };

static const char *const extremes[] = {"1e308",  "-1e308", "1e300",  "1e200",  "-1e155", "1e155",
                                       "1e103",  "1e60",   "1e31",   "1e-31",  "1e-60",  "1e-103",
                                       "1e-155", "1e-200", "1e-300", "5e-324", "-1e-300"};

/* With a prismatic joint, mimic joints and a planar part, besides what the robots have. */
static const char press[] =
    "<robot name='press'>"
    "<link name='base'><inertial><origin xyz='0.1 0.2 0.3' rpy='0.1 0.2 0.3'/><mass value='2'/>"
    "<inertia ixx='0.5' iyy='0.6' izz='0.7' ixy='0.01' ixz='0.02' iyz='0.03'/></inertial></link>"
    "<link name='slide'><inertial><mass value='1.5'/>"
    "<inertia ixx='0.1' iyy='0.1' izz='0.1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<link name='jaw1'><inertial><mass value='0.2'/>"
    "<inertia ixx='0.01' iyy='0.01' izz='0.01' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<link name='jaw2'><inertial><mass value='0.2'/>"
    "<inertia ixx='0.01' iyy='0.01' izz='0.01' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<joint name='lift' type='prismatic'><parent link='base'/><child link='slide'/>"
    "<origin xyz='0 0 0.5' rpy='0 0.5 0'/><axis xyz='0.3 0.4 1'/>"
    "<limit lower='-0.5' upper='0.5' effort='100' velocity='1'/>"
    "<dynamics damping='0.1' friction='0.2'/></joint>"
    "<joint name='grip' type='revolute'><parent link='slide'/><child link='jaw1'/>"
    "<origin xyz='0.1 0 0'/><axis xyz='0 0 1'/>"
    "<limit lower='-1' upper='1' effort='10' velocity='2'/></joint>"
    "<joint name='grip2' type='revolute'><parent link='slide'/><child link='jaw2'/>"
    "<origin xyz='-0.1 0 0'/><axis xyz='0 0 1'/><mimic joint='grip' multiplier='-1.5' "
    "offset='0.1'/>"
    "<limit lower='-1' upper='1' effort='10' velocity='2'/></joint>"
    "</robot>";

static bool are_finite(const double *numbers, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(numbers[i])) {
      return false;
    }
  }
  return true;
}

static bool is_finite(sn_vec3 v) {
  return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static bool is_pose_finite(sn_pose pose) {
  return is_finite(pose.pos) && is_finite(pose.rot.x) && is_finite(pose.rot.y) &&
         is_finite(pose.rot.z);
}

/* @return what is not finite, or NULL */
static const char *check_pose(const sn_model *model, sn_kin_data *kin, sn_dyn_data *dyn,
                              sn_random *random) {
  const size_t n = sn_model_tree(model)->coord_count;
  double q[COORDS_MAX], qd[COORDS_MAX], qdd[COORDS_MAX], tau[COORDS_MAX];
  static double mass[COORDS_MAX * COORDS_MAX];
  for (size_t i = 0; i < n; i++) {
    q[i] = sn_random_between(random, -3.0, 3.0);
    qd[i] = sn_random_between(random, -5.0, 5.0);
    qdd[i] = sn_random_between(random, -50.0, 50.0);
  }
  sn_kin_update_velocity(kin, q, qd);
  for (size_t i = 0; i < sn_model_link_count(model); i++) {
    if (!is_pose_finite(sn_kin_link_pose(kin, sn_model_link(model, i)))) {
      return "pose of a link";
    }
  }
  sn_dyn_inverse(dyn, NULL, q, qd, qdd, tau, NULL);
  if (!are_finite(tau, n)) {
    return "inverse dynamics";
  }
  sn_dyn_mass_matrix(dyn, q, mass);
  if (!are_finite(mass, n * n)) {
    return "mass matrix";
  }
  return is_finite(sn_dyn_com(dyn, q)) && isfinite(sn_dyn_total_mass(dyn)) ? NULL
                                                                           : "centre of mass";
}

/* @return NULL if it was refused, or all is finite; else what is not */
static const char *check(const char *urdf, sn_random *random, size_t *accepted) {
  sn_test_robot robot;
  sn_test_robot_init(&robot, urdf, NULL);
  const char *flaw = NULL;
  if (robot.model != NULL) {
    sn_kin_data *kin = NULL;
    sn_dyn_data *dyn = NULL;
    const sn_tree *tree = sn_model_tree(robot.model);
    assert_true(tree->coord_count <= COORDS_MAX);
    assert_int_equal(sn_kin_create(&robot.arena, tree, &kin, NULL), SN_OK);
    assert_int_equal(sn_dyn_create(&robot.arena, tree, &dyn, NULL), SN_OK);
    for (int i = 0; i < POSES && flaw == NULL; i++) {
      flaw = check_pose(robot.model, kin, dyn, random);
    }
    ++*accepted;
  } else {
    assert_true(sn_report_error_count(robot.report) > 0);
    assert_true(sn_report_at(robot.report, 0)->place.line > 0);
  }
  sn_test_robot_free(&robot);
  return flaw;
}

/* The next number in the values of attributes. @return its length, 0 at the end */
static size_t find_number(const char *text, size_t *at) {
  for (; text[*at] != '\0'; ++*at) {
    const char before = *at == 0 ? ' ' : text[*at - 1];
    const char c = text[*at];
    const bool begins = isdigit((unsigned char)c) ||
                        ((c == '-' || c == '.') && isdigit((unsigned char)text[*at + 1]));
    if (begins && (before == ' ' || before == '"' || before == '\'')) {
      const size_t length = strspn(text + *at, "0123456789+-.eE");
      const char end = text[*at + length];
      if (end == ' ' || end == '"' || end == '\'') {
        return length;
      }
    }
  }
  return 0;
}

static void try_all(const char *urdf, const char *name) {
  const size_t size = strlen(urdf);
  char *mutant = malloc(size + 32);
  assert_non_null(mutant);
  sn_random random;
  sn_random_init(&random, 7);
  size_t mutants = 0, accepted = 0, flaws = 0;
  size_t length = 0;
  for (size_t at = 0; (length = find_number(urdf, &at)) > 0; at += length) {
    for (size_t i = 0; i < sizeof extremes / sizeof *extremes; i++) {
      snprintf(mutant, size + 32, "%.*s%s%s", (int)at, urdf, extremes[i], urdf + at + length);
      const char *flaw = check(mutant, &random, &accepted);
      mutants++;
      if (flaw != NULL) {
        const size_t from = at < 60 ? 0 : at - 60;
        print_error("%s: %s is not finite with ...%.90s\n", name, flaw, mutant + from);
        flaws++;
      }
    }
  }
  free(mutant);
  print_message("%s: %zu mutants, %zu accepted\n", name, mutants, accepted);
  assert_true(accepted > mutants / 10); /* else nothing is shown */
  assert_true(accepted < mutants);
  assert_int_equal(flaws, 0);
}

SN_TEST(accepted_press_computes_with_finite_numbers) {
  try_all(press, "press");
}

SN_TEST(accepted_arm_computes_with_finite_numbers) {
  size_t size = 0;
  char *urdf = sn_test_read_file(SINEW_ROBOTS "/arm6.urdf", &size);
  try_all(urdf, "arm6");
  free(urdf);
}

/* Each multiplier is in range, and their product is not. */
SN_TEST(multipliers_of_a_chain_of_mimics_count_together) {
  static char urdf[8000];
  size_t used = (size_t)snprintf(urdf, sizeof urdf, "<robot name='r'><link name='l0'/>");
  for (int i = 1; i <= 12; i++) {
    char mimic[80] = "";
    if (i > 1) {
      snprintf(mimic, sizeof mimic, "<mimic joint='j%d' multiplier='%s'/>", i - 1,
               i % 4 == 0 ? "1e5" : "1");
    }
    used += (size_t)snprintf(
        urdf + used, sizeof urdf - used,
        "\n<link name='l%d'/><joint name='j%d' type='continuous'><parent link='l%d'/>"
        "<child link='l%d'/>%s</joint>",
        i, i, i - 1, i, mimic);
  }
  snprintf(urdf + used, sizeof urdf - used, "</robot>");
  sn_test_robot robot;
  sn_test_robot_init(&robot, urdf, NULL);
  assert_null(robot.model);
  sn_assert_contains(sn_test_problems(robot.report),
                     "joint 'j8': the multipliers of the joints that it mimics are 1e+10 together");
  sn_test_robot_free(&robot);
}
