#include <string.h>

#include "estimation/limb_wrench.h"
#include "model_rig.h"
#include "sinew/components.h"
#include "sinew/dyn.h"
#include "sinew/kin.h"
#include "sinew/random.h"
#include "sn_test.h"

#define JOINTS_MAX 32

/* Oracle: efforts of inverse dynamics with that force on the bodies. */
static void push_limbs(const char *robot, bool has_torque) {
  static model_rig m;
  model_rig_open(&m, robot);
  sn_component *component = model_rig_add(&m, &sn_limb_wrenches_component, "wrenches");
  rig_set(&m.r, component, "torque_arm", has_torque ? "1" : "1e-4");
  sn_source *joints = model_rig_source(&m, "wrenches.joints_measured");
  sn_tap *limbs = model_rig_tap(&m, "wrenches.limbs");
  const sn_tree *tree = sn_model_tree(m.model);
  sn_dyn_data *dyn = NULL;
  sn_kin_data *kin = NULL;
  sn_random random;
  sn_random_init(&random, 71);
  assert_int_equal(sn_dyn_create(&m.arena, tree, &dyn, NULL), SN_OK);
  assert_int_equal(sn_kin_create(&m.arena, tree, &kin, NULL), SN_OK);
  rig_begin(&m.r);
  const size_t n = sn_model_pose_size(m.model);
  for (size_t round = 0; round < sn_test_cases(20); round++) {
    double q[JOINTS_MAX], tau[JOINTS_MAX];
    sn_spatial forces[64] = {{{0, 0, 0}, {0, 0, 0}}}, expected[8];
    for (size_t j = 0; j < n; j++) {
      q[j] = sn_random_between(&random, 0.2, 0.6);
    }
    sn_kin_update(kin, q);
    const size_t chains = has_torque ? 1 : 4;
    for (size_t c = 0; c < chains; c++) {
      const sn_link *link =
          sn_model_link(m.model, (size_t)sn_model_chain(m.model, c, false)->last_link);
      const sn_pose body = sn_kin_body_pose(kin, link->body), tip = sn_kin_link_pose(kin, link);
      double v[6];
      for (size_t k = 0; k < 6; k++) {
        v[k] = sn_random_between(&random, -5.0, 5.0);
      }
      expected[c] =
          (sn_spatial){{has_torque ? v[0] : 0, has_torque ? v[1] : 0, has_torque ? v[2] : 0},
                       {v[3], v[4], v[5]}};
      /* the same wrench about the body's origin, in the body's axes */
      const sn_vec3 arm = sn_vec3_sub(tip.pos, body.pos);
      const sn_vec3 torque = sn_vec3_add(expected[c].ang, sn_vec3_cross(arm, expected[c].lin));
      forces[link->body] = (sn_spatial){sn_mat3_apply_transposed(body.rot, torque),
                                        sn_mat3_apply_transposed(body.rot, expected[c].lin)};
    }
    const sn_dyn_world world = {.gravity = {0, 0, -9.81}, .forces = forces};
    sn_dyn_inverse(dyn, &world, q, NULL, NULL, tau, NULL);
    sn_joint_state *msg = sn_source_msg(joints);
    sn_msg_names_share(&msg->name, sn_model_joint_names(m.model));
    msg->position.count = msg->effort.count = n;
    memcpy(msg->position.data, q, n * sizeof *q);
    memcpy(msg->effort.data, tau, n * sizeof *tau);
    assert_int_equal(sn_source_write(joints), SN_OK);
    model_rig_cycle(&m);
    const sn_rigid_body_state *got = sn_tap_read(limbs, NULL);
    assert_non_null(got);
    for (size_t c = 0; c < chains; c++) {
      sn_assert_vec3_near(got->wrench.data[c].lin, expected[c].lin, 1e-2);
      sn_assert_vec3_near(got->wrench.data[c].ang, expected[c].ang, has_torque ? 1e-2 : 1e-3);
    }
  }
  sn_msg_names_clear(&((sn_joint_state *)sn_source_msg(joints))->name);
  sn_tap_close(limbs);
  sn_source_close(joints);
  model_rig_close(&m);
}

SN_TEST(wrench_on_an_arm_of_six_joints_is_found) {
  push_limbs("arm6", true);
}

SN_TEST(forces_on_four_feet_are_found) {
  push_limbs("quadruped", false);
}

SN_TEST(no_motion_of_the_joints_means_no_wrench) {
  const double jac[6] = {0}, residual[1] = {3.0};
  const sn_spatial w = sn__limb_wrench(jac, residual, 1, 0.1);
  sn_assert_near(sn_vec3_norm(w.lin), 0.0, 1e-6);
}
