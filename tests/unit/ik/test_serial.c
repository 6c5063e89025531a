#include "ik/numeric/gram.h"
#include "ik/serial.h"
#include "ik/solvers.h"
#include "ik_rig.h"
#include "random_tree.h"
#include "sinew/dense.h"
#include "sinew/kin.h"
#include "sn_test.h"

enum { CHAINS = 40 };

static void open_rig(sn_rig *rig, uint64_t seed) {
  const sn_rig_config config = {.joint_count = 1 + seed % 11,
                                .prismatic_share = seed % 3 == 0 ? 0.4 : 0.0,
                                .mimic_share = seed % 2 == 0 ? 0.4 : 0.0,
                                .endless_share = 0.5};
  sn_rig_open(rig, &sn__ik_numeric, &config, seed);
}

static sn_pose unscaled(sn_pose pose, double length_m) {
  pose.pos = sn_vec3_scale(pose.pos, length_m);
  return pose;
}

/* Oracle: forward kinematics and Jacobian of the chain as it came, which know nothing of the other
   form of placements, of units or of coordinates. */
SN_TEST(compiled_chain_moves_as_the_chain_does) {
  for (uint64_t seed = 1; seed <= CHAINS; seed++) {
    static sn_rig rig;
    open_rig(&rig, seed);
    sn__serial serial;
    sn__serial_data data;
    assert_true(sn__serial_create(&rig.arena, rig.chain, sn__serial_length(rig.chain), &serial));
    assert_true(sn__serial_data_create(&rig.arena, &serial, &data));
    for (size_t c = 0; c < sn_test_cases(20); c++) {
      double q[SN_RIG_JOINTS_MAX], y[SN_RIG_JOINTS_MAX], jac[6 * SN_RIG_JOINTS_MAX];
      sn_rig_draw(&rig, q);
      for (size_t k = 0; k < serial.coord_count; k++) {
        y[k] = q[serial.entry[k]] / serial.unit[k];
      }
      sn__serial_forward(&serial, &serial.pose_base_first, y, &data);
      sn__serial_jacobian(&serial, &data);
      sn_pose pose;
      sn_chain_fk_jacobian(rig.chain, q, &pose, jac);
      sn_assert_pose_near(unscaled(data.tip, serial.length_m), pose, 1e-12);
      for (size_t k = 0; k < serial.coord_count; k++) {
        const sn_spatial got = sn__vec3_pair_spatial(data.column[k]);
        const double *column = jac + serial.entry[k];
        const size_t n = rig.chain->joint_count;
        const double per_unit = 1.0 / serial.unit[k], length_m = serial.length_m * per_unit;
        sn_assert_near(got.ang.x * per_unit, column[0 * n], 1e-12);
        sn_assert_near(got.ang.y * per_unit, column[1 * n], 1e-12);
        sn_assert_near(got.ang.z * per_unit, column[2 * n], 1e-12);
        sn_assert_near(got.lin.x * length_m, column[3 * n], 1e-12);
        sn_assert_near(got.lin.y * length_m, column[4 * n], 1e-12);
        sn_assert_near(got.lin.z * length_m, column[5 * n], 1e-12);
      }
    }
    sn_rig_close(&rig);
  }
}

/* Placements where Euler's angles are not unique: axes parallel and opposite. */
SN_TEST(parallel_and_opposite_axes_are_compiled) {
  static sn_rig rig;
  sn_rig_open(&rig, &sn__ik_numeric, &(sn_rig_config){.joint_count = 6}, 4);
  sn_pose placements[6];
  for (size_t i = 0; i < 6; i++) {
    placements[i] = sn_test_random_pose(&rig.random, 0.3);
    const double yaw = sn_random_between(&rig.random, -3.0, 3.0);
    placements[i].rot = sn_mat3_from_rpy(i % 2 == 0 ? 0.0 : 3.141592653589793, 0.0, yaw);
  }
  rig.chain->tree.pose_parent_joint = placements;
  sn__serial serial;
  sn__serial_data data;
  assert_true(sn__serial_create(&rig.arena, rig.chain, sn__serial_length(rig.chain), &serial));
  assert_true(sn__serial_data_create(&rig.arena, &serial, &data));
  double q[SN_RIG_JOINTS_MAX];
  sn_rig_draw(&rig, q);
  sn__serial_forward(&serial, &serial.pose_base_first, q, &data);
  sn_assert_pose_near(unscaled(data.tip, serial.length_m), sn_chain_fk(rig.chain, q), 1e-12);
  sn_rig_close(&rig);
}

/* Oracle: Cholesky on the same matrix written out. */
SN_TEST(gram_solve_agrees_with_cholesky) {
  sn_random random;
  sn_random_init(&random, 6);
  for (size_t c = 0; c < sn_test_cases(500); c++) {
    const double lambda = 1e-3;
    double a[36] = {0};
    sn__gram gram = sn__gram_damping(lambda);
    for (size_t k = 0; k < 7; k++) {
      const sn_spatial s = sn_test_random_spatial(&random, 1.0);
      const double v[] = {s.ang.x, s.ang.y, s.ang.z, s.lin.x, s.lin.y, s.lin.z};
      sn__gram_add(&gram, sn__vec3_pair_make(s.ang, s.lin));
      for (size_t i = 0; i < 36; i++) {
        a[i] += v[i / 6] * v[i % 6];
      }
    }
    for (size_t i = 0; i < 6; i++) {
      a[7 * i] += lambda;
    }
    const sn_spatial b = sn_test_random_spatial(&random, 1.0);
    double x[] = {b.ang.x, b.ang.y, b.ang.z, b.lin.x, b.lin.y, b.lin.z};
    assert_true(sn_cholesky_factor(6, a));
    sn_cholesky_solve(6, a, x);
    const sn_spatial got =
        sn__vec3_pair_spatial(sn__gram_solve(&gram, sn__vec3_pair_make(b.ang, b.lin)));
    const double y[] = {got.ang.x, got.ang.y, got.ang.z, got.lin.x, got.lin.y, got.lin.z};
    for (size_t i = 0; i < 6; i++) {
      sn_assert_near(y[i], x[i], 1e-9 * (1.0 + fabs(x[i])));
    }
  }
}
