/* Robots with virtual links: joints without mass behind them, for inverse kinematics only. */
#include "dyn/mass_factor.h"
#include "robot.h"
#include "sinew/dyn.h"
#include "sinew/random.h"
#include "sn_test.h"

enum { JOINTS = 28 };

typedef struct quadruped {
  sn_test_robot robot;
  sn_dyn_data *dyn;
  double q[JOINTS], qd[JOINTS], tau[JOINTS];
} quadruped;

static void start(quadruped *f, uint64_t seed) {
  sn_test_robot_load(&f->robot, "quadruped");
  const sn_model *model = f->robot.model;
  assert_int_equal(sn_model_pose_size(model), JOINTS);
  sn_error err;
  assert_int_equal(sn_dyn_create(&f->robot.arena, sn_model_tree(model), &f->dyn, &err), SN_OK);
  sn_random random;
  sn_random_init(&random, seed);
  for (size_t i = 0; i < JOINTS; i++) {
    const sn_joint *joint = sn_model_joint(model, i);
    f->q[i] = sn_random_between(&random, joint->lower, joint->upper);
    f->qd[i] = sn_random_between(&random, -2, 2);
    f->tau[i] = sn_random_between(&random, -1, 1);
  }
}

static bool is_virtual(size_t i) {
  return i < 24 && i % 6 == 5; /* the sixth of each leg */
}

SN_TEST(virtual_joints_stay_and_the_others_obey_inverse_dynamics) {
  for (uint64_t seed = 0; seed < 100; seed++) {
    quadruped f;
    start(&f, seed);
    double qdd[JOINTS];
    double tau[JOINTS];
    assert_int_equal(sn_dyn_forward(f.dyn, NULL, f.q, f.qd, f.tau, qdd), SN_OK);
    sn_dyn_inverse(f.dyn, NULL, f.q, f.qd, qdd, tau, NULL);
    for (size_t i = 0; i < JOINTS; i++) {
      sn_assert_near(tau[i], is_virtual(i) ? 0.0 : f.tau[i], 1e-9);
      if (is_virtual(i)) {
        sn_assert_near(qdd[i], 0.0, 0.0);
      }
    }
    sn_test_robot_free(&f.robot);
  }
}

SN_TEST(the_mass_matrix_stays_invertible) {
  quadruped f;
  start(&f, 1);
  static double mass[JOINTS * JOINTS];
  sn_dyn_mass_matrix(f.dyn, f.q, mass);
  for (size_t i = 0; i < JOINTS; i++) {
    for (size_t j = 0; j < JOINTS; j++) {
      if (is_virtual(i) || is_virtual(j)) {
        sn_assert_near(mass[i * JOINTS + j], i == j ? 1.0 : 0.0, 0.0);
      }
    }
  }
  assert_int_equal(sn__dyn_mass_factor(f.dyn, f.q), SN_OK);
  double x[JOINTS];
  memcpy(x, f.tau, sizeof x);
  sn__dyn_mass_solve(f.dyn, x);
  for (size_t i = 0; i < JOINTS; i++) {
    double product = 0.0;
    for (size_t j = 0; j < JOINTS; j++) {
      product += mass[i * JOINTS + j] * x[j];
    }
    sn_assert_near(product, f.tau[i], 1e-9);
  }
  sn_test_robot_free(&f.robot);
}

SN_TEST(virtual_joints_do_not_affect_a_floating_base) {
  quadruped f;
  start(&f, 2);
  const sn_base_state base = {.pose_world_base = sn_pose_identity()};
  const sn_dyn_world world = {.gravity = {0, 0, -9.81}, .base = &base};
  double qdd[JOINTS];
  sn_spatial acceleration;
  static const double still[JOINTS];
  assert_int_equal(sn_dyn_forward_floating(f.dyn, &world, f.q, still, still, qdd, &acceleration),
                   SN_OK);
  /* Let go, everything falls alike. */
  sn_assert_near(acceleration.lin.z, -9.81, 1e-9);
  for (size_t i = 0; i < JOINTS; i++) {
    sn_assert_near(qdd[i], 0.0, 1e-8);
  }
  sn_test_robot_free(&f.robot);
}
