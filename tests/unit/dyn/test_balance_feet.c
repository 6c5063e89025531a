/* Balance: zero-moment point, supports, friction. */
#include "allocation.h"
#include "balance_rig.h"
#include "random_tree.h"
#include "sn_test.h"

SN_TEST(at_rest_the_zmp_is_below_the_centre_of_mass) {
  fixture f;
  balance_open_robot(&f, "quadruped", 33);
  size_t inside = 0;
  for (size_t round = 0; round < sn_test_cases(500); round++) {
    balance_draw_pose(&f, 0.0, 0.0);
    balance_stand_on(&f, balance_LEGS, 4, "hoof_flat");
    f.input.qd = f.input.qdd = NULL;
    f.input.friction = 1.0;
    f.input.gravity = sn_vec3_add(balance_DOWN, sn_test_random_vec3(&f.random, 1.5)); /* leaning */
    balance_step(&f);
    balance_assert_moves_as_told(&f);
    const sn_balance_result *r = &f.result;
    const sn_vec3 com = sn_dyn_com(f.dyn, f.q);
    sn_assert_vec3_near(r->com, com, 1e-12);
    sn_assert_vec3_near(r->needed.lin, sn_vec3_scale(f.input.gravity, -r->mass_kg), 1e-10);
    assert_true(r->has_zmp);
    /* On the line through the centre of mass along gravity, at the height of the feet. */
    const sn_vec3 line = sn_vec3_cross(sn_vec3_sub(r->zmp, com), f.input.gravity);
    sn_assert_vec3_near(line, sn_vec3_make(0, 0, 0), 1e-11);
    inside += r->margin_m > 0.0;
  }
  assert_true(inside > 20);
  balance_close_robot(&f);
}

/* The base pose of the file: feet level and mirrored, so left and right share alike. */
SN_TEST(feet_support_a_standing_robot) {
  fixture f;
  balance_open_robot(&f, "quadruped", 34);
  memset(f.q, 0, sizeof f.q);
  f.input.qd = f.input.qdd = NULL;
  static const char *const contacts[] = {"hoof_flat", "hoof_center", "hoof_fixed"};
  for (size_t c = 0; c < 3; c++) {
    balance_stand_on(&f, balance_LEGS, 4, contacts[c]);
    balance_step(&f);
    const sn_balance_result *r = &f.result;
    assert_true(r->balanced);
    assert_int_equal(r->carrying_count, 4);
    /* The front of a rear hoof lies inside, its rear points on one line with the other's. */
    assert_int_equal(r->corner_count, c == 2 ? 6 : 4);
    assert_true(r->margin_m > 0.02);
    double sum = 0.0;
    for (size_t s = 0; s < 4; s++) {
      sum += r->wrenches[s].lin.z;
      assert_true(r->wrenches[s].lin.z > 0.1 * r->mass_kg * 9.81);
      if (c == 1) {
        sn_assert_vec3_near(r->wrenches[s].ang, sn_vec3_make(0, 0, 0), 1e-12); /* a point */
      }
    }
    sn_assert_near(sum, r->mass_kg * 9.81, 1e-8);
    sn_assert_near(r->wrenches[0].lin.z, r->wrenches[1].lin.z, 1e-6);
    sn_assert_near(r->wrenches[2].lin.z, r->wrenches[3].lin.z, 1e-6);
  }
  balance_close_robot(&f);
}

SN_TEST(without_support_the_base_is_held_externally) {
  static const char *const robots[] = {"quadruped", "arm6", "arm7"};
  for (size_t k = 0; k < 3; k++) {
    fixture f;
    balance_open_robot(&f, robots[k], 35);
    balance_draw_pose(&f, 1.0, 3.0);
    if (k == 0) {
      balance_stand_on(&f, balance_LEGS, 4, "hoof_flat");
      f.supports[0].support = -1.0;
      f.supports[1].support = NAN;
      f.supports[2].support = f.supports[3].support = 0.0;
    }
    balance_step(&f);
    double tau[JOINTS_MAX];
    sn_spatial wrench;
    sn_dyn_inverse(f.dyn, NULL, f.q, f.qd, f.qdd, tau, &wrench);
    for (size_t j = 0; j < sn_model_pose_size(f.model); j++) {
      sn_assert_near(f.tau[j], tau[j], 1e-12);
    }
    const sn_balance_result *r = &f.result;
    sn_assert_vec3_near(r->missing.lin, wrench.lin, 1e-10);
    sn_assert_vec3_near(r->missing.ang, wrench.ang, 1e-10);
    assert_false(r->balanced);
    assert_false(r->has_zmp);
    assert_int_equal(r->carrying_count, 0);
    assert_int_equal(r->corner_count, 0);
    assert_true(r->margin_m == 0.0 && r->zmp.x == 0.0 && r->zmp.y == 0.0 && r->zmp.z == 0.0);
    const sn_spatial momentum = sn_dyn_momentum(f.dyn, NULL, f.q, f.qd);
    sn_assert_vec3_near(r->com_velocity, sn_vec3_scale(momentum.lin, 1.0 / r->mass_kg), 1e-12);
    balance_close_robot(&f);
  }
}

SN_TEST(few_feet_give_a_line_or_a_point) {
  fixture f;
  balance_open_robot(&f, "quadruped", 36);
  for (size_t round = 0; round < sn_test_cases(200); round++) {
    balance_draw_pose(&f, 1.0, 3.0);
    for (size_t count = 1; count <= 2; count++) {
      balance_stand_on(&f, &balance_LEGS[round % 3], count, "hoof_center");
      balance_step(&f);
      balance_assert_all_finite(&f);
      balance_assert_moves_as_told(&f);
      assert_int_equal(f.result.corner_count, count);
      assert_true(f.result.margin_m <= 0.0);
    }
    balance_stand_on(&f, &balance_LEGS[round % 3], 2, "none"); /* origins of the last links */
    assert_int_equal(f.supports[0].contact, -1);
    balance_step(&f);
    assert_int_equal(f.result.corner_count, 2);
    balance_assert_moves_as_told(&f);
  }
  balance_close_robot(&f);
}

SN_TEST(ground_without_friction_does_not_hold_a_leaning_robot) {
  fixture f;
  balance_open_robot(&f, "quadruped", 37);
  memset(f.q, 0, sizeof f.q);
  f.input.qd = f.input.qdd = NULL;
  balance_stand_on(&f, balance_LEGS, 4, "hoof_flat");
  memset(f.qdd, 0, sizeof f.qdd);
  const size_t joint = (size_t)sn_model_joint_index(f.model, "head_joint1");
  f.qdd[joint] = 30.0; /* the head is thrown about, the body wants to turn away */
  f.input.qdd = f.qdd;
  f.input.friction = 1.0;
  balance_step(&f);
  assert_true(f.result.balanced);
  f.input.friction = 0.0;
  balance_step(&f);
  assert_false(f.result.balanced);
  for (size_t s = 0; s < 4; s++) {
    sn_assert_near(hypot(f.result.wrenches[s].lin.x, f.result.wrenches[s].lin.y), 0.0, 1e-9);
  }
  assert_true(fabs(f.result.missing.ang.z) > 0.01);
  balance_close_robot(&f);
}

/* A pendulum with a massless pointer: its torque is m g l, that of the pointer 0. */
SN_TEST(links_without_inertia_are_massless) {
  static const char urdf[] =
      "<robot name='r'><link name='base'/><link name='arm'><inertial><origin xyz='0.2 0 0'/>"
      "<mass value='3'/><inertia ixx='1e-3' iyy='1e-3' izz='1e-3' ixy='0' ixz='0' iyz='0'/>"
      "</inertial></link><link name='pointer'/>"
      "<joint name='a' type='continuous'><parent link='base'/><child link='arm'/>"
      "<axis xyz='0 1 0'/></joint><joint name='b' type='continuous'><parent link='arm'/>"
      "<child link='pointer'/><axis xyz='0 1 0'/></joint></robot>";
  sn_test_robot robot;
  sn_arena arena;
  sn_arena_init_growing(&arena, "balance", 0);
  sn_test_robot_init_good(&robot, urdf, NULL);
  sn_balance *balance = NULL;
  assert_int_equal(sn__balance_create(&arena, robot.model, &balance, NULL), SN_OK);
  const double q[2] = {0};
  double tau[2] = {0};
  sn_balance_result result;
  const sn_balance_input input = {.q = q, .gravity = balance_DOWN};
  sn__balance_step(balance, &input, tau, &result);
  const int arm = sn_model_joint_index(robot.model, "a");
  sn_assert_near(fabs(tau[arm]), 3.0 * 9.81 * 0.2, 1e-9);
  assert_true(tau[1 - arm] == 0.0);
  sn_test_robot_free(&robot);
  sn_test_robot_init_good(&robot,
                          "<robot name='r'>" SN_TEST_LINK("base") SN_TEST_LINK("arm")
                              SN_TEST_MOVES("a", "base", "arm") "</robot>",
                          NULL);
  sn_error err;
  assert_int_equal(sn__balance_create(&arena, robot.model, &balance, &err), SN_EMODEL);
  sn_assert_contains(err.message, "no mass");
  sn_test_robot_free(&robot);
  sn_arena_release(&arena);
}

SN_TEST(step_touches_no_heap) {
  fixture f;
  balance_open_robot(&f, "quadruped", 38);
  for (int round = 0; round < 50; round++) {
    balance_draw_pose(&f, 1.0, 3.0);
    balance_stand_on(&f, balance_LEGS, 4, "hoof_fixed");
    sn_assert_no_heap(balance_step(&f));
  }
  balance_close_robot(&f);
}
