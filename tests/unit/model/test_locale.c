#include <locale.h>
#include <stdlib.h>

#include "robot.h"
#include "sinew/random.h"
#include "sn_test.h"

/* Numbers are read the same in every locale: a robot loaded where the decimal separator is a comma
 * has the same bits as one loaded in the C locale. */

static const char *const own_robots[] = {"arm6", "arm7", "arm_ur", "desk_arm", "quadruped"};

/* @return false if the machine has no such locale */
static bool enter_comma_locale(void) {
  static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (setlocale(LC_ALL, names[i]) != NULL) {
      assert_string_equal(localeconv()->decimal_point, ",");
      char text[8]; /* it is really set */
      snprintf(text, sizeof text, "%.1f", 1.5);
      assert_string_equal(text, "1,5");
      sn_assert_near(strtod("1.5", NULL), 1.0, 0.0);
      return true;
    }
  }
  return false;
}

static void leave_comma_locale(void) {
  setlocale(LC_ALL, "C");
}

#define assert_same_bits(a, b, count) assert_memory_equal((a), (b), (count) * sizeof *(a))

static void assert_same_tree(const sn_tree *a, const sn_tree *b) {
  assert_int_equal(a->body_count, b->body_count);
  assert_int_equal(a->coord_count, b->coord_count);
  assert_same_bits(a->parent, b->parent, a->body_count);
  assert_same_bits(a->coord, b->coord, a->body_count);
  assert_same_bits(a->pose_parent_joint, b->pose_parent_joint, a->body_count);
  assert_same_bits(a->inertia, b->inertia, a->body_count);
  assert_same_bits(a->q_scale, b->q_scale, a->body_count);
  assert_same_bits(a->q_offset, b->q_offset, a->body_count);
  assert_same_bits(&a->base_inertia, &b->base_inertia, 1);
}

static void assert_same_joint(const sn_joint *a, const sn_joint *b) {
  assert_string_equal(a->name, b->name);
  assert_same_bits(&a->pose_parent_joint, &b->pose_parent_joint, 1);
  assert_same_bits(&a->axis, &b->axis, 1);
  const double of_a[] = {a->lower,       a->upper,        a->lower_hard,       a->upper_hard,
                         a->effort_max,  a->velocity_max, a->acceleration_max, a->deceleration_max,
                         a->jerk_max,    a->damping,      a->friction,         a->mimic_multiplier,
                         a->mimic_offset};
  const double of_b[] = {b->lower,       b->upper,        b->lower_hard,       b->upper_hard,
                         b->effort_max,  b->velocity_max, b->acceleration_max, b->deceleration_max,
                         b->jerk_max,    b->damping,      b->friction,         b->mimic_multiplier,
                         b->mimic_offset};
  assert_memory_equal(of_a, of_b, sizeof of_a);
}

static void assert_same_model(const sn_model *a, const sn_model *b) {
  assert_same_tree(sn_model_tree(a), sn_model_tree(b));
  assert_int_equal(sn_model_joint_count(a), sn_model_joint_count(b));
  for (size_t i = 0; i < sn_model_joint_count(a); i++) {
    assert_same_joint(sn_model_joint(a, i), sn_model_joint(b, i));
  }
  assert_int_equal(sn_model_link_count(a), sn_model_link_count(b));
  for (size_t i = 0; i < sn_model_link_count(a); i++) {
    const sn_link *x = sn_model_link(a, i);
    const sn_link *y = sn_model_link(b, i);
    assert_same_bits(&x->mass_kg, &y->mass_kg, 1);
    assert_same_bits(&x->com, &y->com, 1);
    assert_same_bits(&x->inertia, &y->inertia, 1);
    assert_same_bits(&x->pose_body_link, &y->pose_body_link, 1);
  }
  for (size_t i = 0; i < sn_names_count(sn_model_chain_names(a)); i++) {
    const sn_chain *x = sn_model_chain(a, i, true);
    const sn_chain *y = sn_model_chain(b, i, true);
    assert_same_tree(&x->tree, &y->tree);
    assert_same_bits(x->lower, y->lower, x->joint_count);
    assert_same_bits(x->upper, y->upper, x->joint_count);
    assert_same_bits(&x->pose_body_tip, &y->pose_body_tip, 1);
  }
  for (size_t i = 0; i < sn_names_count(sn_model_contact_names(a)); i++) {
    const sn_contact *x = sn_model_contact(a, i);
    assert_same_bits(x->points, sn_model_contact(b, i)->points, x->point_count);
  }
}

SN_TEST(own_robots_have_the_same_bits_in_every_locale) {
  for (size_t i = 0; i < sizeof own_robots / sizeof *own_robots; i++) {
    sn_test_robot here;
    sn_test_robot there;
    sn_test_robot_load(&here, own_robots[i]);
    if (!enter_comma_locale()) {
      sn_test_robot_free(&here);
      skip();
    }
    sn_test_robot_load(&there, own_robots[i]);
    leave_comma_locale();
    assert_same_model(here.model, there.model);
    sn_test_robot_free(&here);
    sn_test_robot_free(&there);
  }
}

/* Numbers of all sizes and forms, at every place that takes one. */
SN_TEST(random_numbers_have_the_same_bits_in_every_locale) {
  sn_random random;
  sn_random_init(&random, 11);
  const size_t cases = sn_test_cases(50);
  for (size_t n = 0; n < cases; n++) {
    double x[16];
    for (size_t i = 0; i < 16; i++) {
      const double scale = pow(10.0, floor(sn_random_between(&random, -9.0, 5.0)));
      x[i] = sn_random_between(&random, 0.1, 1.0) * scale;
    }
    char urdf[2048];
    char yaml[256];
    snprintf(urdf, sizeof urdf,
             "<robot name='r'><link name='a'/><link name='b'><inertial><origin xyz='%.17g %.17g "
             "-%g' rpy='%g %e %f'/><mass value='%.17g'/><inertia ixx='%.9g' ixy='0.0' ixz='0.' "
             "iyy='%.9g' iyz='.0' izz='%.9g'/></inertial></link><joint name='j' type='prismatic'>"
             "<parent link='a'/><child link='b'/><axis xyz='%.3f %.17g 1.5'/>"
             "<limit lower='-%.17g' upper='%.17g' effort='%.17g' velocity='%e'/></joint></robot>",
             x[0], x[1], x[2], x[3], x[4], x[5], x[6], 1 + x[7], 1 + x[7], 1 + x[7], x[8], x[9],
             x[10], x[11], x[12], x[13]);
    snprintf(yaml, sizeof yaml, "contacts: {c: {points: [[%.17g, -%g, %e]]}}", x[13], x[14], x[15]);
    sn_test_robot here;
    sn_test_robot there;
    sn_test_robot_init_good(&here, urdf, yaml);
    if (!enter_comma_locale()) {
      sn_test_robot_free(&here);
      skip();
    }
    sn_test_robot_init_good(&there, urdf, yaml);
    leave_comma_locale();
    assert_same_model(here.model, there.model);
    sn_assert_near(sn_model_joint(there.model, 0)->upper, x[11], 0.0);
    sn_test_robot_free(&here);
    sn_test_robot_free(&there);
  }
}

/* And a comma is rejected in every locale. */
SN_TEST(decimal_comma_is_rejected_in_every_locale) {
  static const char urdf[] =
      "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='fixed'>"
      "<origin xyz='0,5 0 0'/><parent link='a'/><child link='b'/></joint></robot>";
  if (!enter_comma_locale()) {
    skip();
  }
  sn_test_robot robot;
  sn_test_robot_init(&robot, urdf, NULL);
  leave_comma_locale();
  assert_int_equal(robot.status, SN_EMODEL);
  sn_assert_contains(robot.err.message, "'0,5' is not a finite decimal number");
  sn_test_robot_free(&robot);
}
