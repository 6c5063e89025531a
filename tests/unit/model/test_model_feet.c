/* Feet of legs that are derived from the tree: which limbs get one, and where it touches. */
#include <string.h>

#include "legged.h"
#include "robot.h"
#include "sn_test.h"

static void load(sn_test_robot *robot, const legged_robot *legged) {
  static char text[LEGGED_TEXT_MAX];
  legged_write(legged, text);
  sn_test_robot_init_good(robot, text, NULL);
}

static const sn_contact *foot_of(const sn_model *model, size_t chain) {
  const int contact = sn_model_chain_default_contact(model, chain);
  assert_true(contact >= 0);
  return sn_model_contact(model, (size_t)contact);
}

SN_TEST(every_leg_gets_a_foot_with_its_name) {
  sn_test_robot robot;
  load(&robot, &legged_a1);
  const sn_names *chains = sn_model_chain_names(robot.model);
  assert_int_equal(sn_names_count(chains), 4);
  assert_int_equal(sn_names_count(sn_model_contact_names(robot.model)), 4);
  for (size_t i = 0; i < 4; i++) {
    char expected[128];
    snprintf(expected, sizeof expected, "%s_foot", sn_names_at(chains, i));
    assert_string_equal(foot_of(robot.model, i)->name, expected);
    assert_string_equal(sn_model_chain_property(robot.model, i, "default_contact"), expected);
  }
  sn_test_robot_free(&robot);
}

SN_TEST(a_sphere_touches_at_the_end_of_the_leg) {
  sn_test_robot robot;
  load(&robot, &legged_a1);
  const sn_contact *foot = foot_of(robot.model, 0);
  assert_int_equal(foot->kind, SN_CONTACT_POINT);
  sn_assert_vec3_near(foot->points[0], sn_vec3_make(0, 0, -legged_a1.size), 1e-9);
  sn_test_robot_free(&robot);
}

SN_TEST(a_rod_touches_with_the_middle_of_its_end) {
  sn_test_robot robot;
  legged_robot legged = legged_hexapod;
  legged.foot = LEGGED_CYLINDER;
  load(&robot, &legged);
  const sn_contact *foot = foot_of(robot.model, 0);
  assert_int_equal(foot->kind, SN_CONTACT_POINT);
  sn_assert_vec3_near(foot->points[0], sn_vec3_make(legged_hexapod.lower, 0, 0), 1e-9);
  sn_test_robot_free(&robot);
}

SN_TEST(a_foot_without_a_readable_shape_is_its_frame) {
  sn_test_robot robot;
  legged_robot legged = legged_a1;
  legged.foot = LEGGED_MESH;
  load(&robot, &legged);
  const sn_contact *foot = foot_of(robot.model, 0);
  assert_int_equal(foot->kind, SN_CONTACT_POINT);
  sn_assert_vec3_near(foot->points[0], sn_vec3_make(0, 0, 0), 1e-9);
  sn_test_robot_free(&robot);
}

/* The box is 0.2 m long, 0.1 m wide, and its lower face is 0.04 m below the frame. */
SN_TEST(a_box_touches_with_the_corners_of_its_sole) {
  sn_test_robot robot;
  load(&robot, &legged_biped);
  const sn_contact *foot = foot_of(robot.model, 1);
  assert_int_equal(foot->kind, SN_CONTACT_FULL);
  assert_int_equal(foot->point_count, 4);
  double x_min = 1, x_max = -1, y_min = 1, y_max = -1;
  for (size_t i = 0; i < 4; i++) {
    const sn_vec3 at = foot->points[i];
    sn_assert_near(at.z, -0.2 * legged_biped.size, 1e-9);
    x_min = at.x < x_min ? at.x : x_min;
    x_max = at.x > x_max ? at.x : x_max;
    y_min = at.y < y_min ? at.y : y_min;
    y_max = at.y > y_max ? at.y : y_max;
  }
  sn_assert_near(x_max - x_min, legged_biped.size, 1e-9);
  sn_assert_near(0.5 * (x_max + x_min), 0.2 * legged_biped.size, 1e-9);
  sn_assert_near(y_max - y_min, 0.5 * legged_biped.size, 1e-9);
  sn_test_robot_free(&robot);
}

/* Declared contacts win, also if there are none. */
SN_TEST(contacts_of_a_property_file_replace_feet) {
  static char text[LEGGED_TEXT_MAX];
  sn_test_robot robot;
  legged_write(&legged_a1, text);
  sn_test_robot_init_good(&robot, text, "contacts: {}\n");
  assert_int_equal(sn_names_count(sn_model_contact_names(robot.model)), 0);
  assert_int_equal(sn_model_chain_default_contact(robot.model, 0), -1);
  sn_test_robot_free(&robot);
}

#define JOINT(name, parent, child, xyz)                                                   \
  "<joint name='" name "' type='revolute'><parent link='" parent "'/><child link='" child \
  "'/><origin xyz='" xyz                                                                  \
  "'/><axis xyz='0 1 0'/><limit lower='-1' upper='1' effort='1' "                         \
  "velocity='1'/></joint>"
#define LEG(n, y, z)                                                                           \
  "<link name='a" n "'/><link name='b" n "'/><link name='c" n                                  \
  "'/>" JOINT("j" n "1", "trunk", "a" n, "0 " y " 0") JOINT("j" n "2", "a" n, "b" n, "0 0 " z) \
      JOINT("j" n "3", "b" n, "c" n, "0 0 " z)

/* Four equal limbs without words are legs only if they do not point up, as fingers may. */
SN_TEST(limbs_that_point_up_are_not_legs) {
  static const char down[] = "<robot name='r'><link name='trunk'/>" LEG("1", "0.1", "-0.1")
      LEG("2", "0.2", "-0.1") LEG("3", "0.3", "-0.1") LEG("4", "0.4", "-0.1") "</robot>";
  static const char up[] = "<robot name='r'><link name='trunk'/>" LEG("1", "0.1", "0.1")
      LEG("2", "0.2", "0.1") LEG("3", "0.3", "0.1") LEG("4", "0.4", "0.1") "</robot>";
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, down, NULL);
  assert_int_equal(sn_names_count(sn_model_contact_names(robot.model)), 4);
  sn_test_robot_free(&robot);
  sn_test_robot_init_good(&robot, up, NULL);
  assert_int_equal(sn_names_count(sn_model_contact_names(robot.model)), 0);
  sn_test_robot_free(&robot);
}

SN_TEST(one_leg_is_no_leg) {
  static const char one[] =
      "<robot name='r'><link name='trunk'/><link name='thigh'/><link name='shank'/>" JOINT(
          "hip", "trunk", "thigh", "0 0 0") JOINT("knee", "thigh", "shank", "0 0 -1") "</robot>";
  sn_test_robot robot;
  sn_test_robot_init_good(&robot, one, NULL);
  assert_int_equal(sn_names_count(sn_model_contact_names(robot.model)), 0);
  sn_test_robot_free(&robot);
}
