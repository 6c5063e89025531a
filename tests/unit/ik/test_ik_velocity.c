#include "ik/solvers.h"
#include "ik_rig.h"
#include "random_tree.h"
#include "sinew/dense.h"
#include "sinew/ik_velocity.h"
#include "sinew/kin.h"
#include "sn_test.h"

/* The rig gives the chain, its limits and joint positions; its solver is not used. */
static void open_chain(sn_rig *rig, size_t joint_count, double prismatic_share, double mimic_share,
                       uint64_t seed) {
  const sn_rig_config config = {.joint_count = joint_count,
                                .prismatic_share = prismatic_share,
                                .mimic_share = mimic_share,
                                .endless_share = 0.3};
  sn_rig_open(rig, &sn__ik_numeric, &config, seed);
}

static sn_ik_velocity *create(sn_rig *rig, const double *velocity_max) {
  sn_ik_velocity *velocity = NULL;
  const sn_ik_velocity_config config = {.chain = rig->chain, .velocity_max = velocity_max};
  assert_int_equal(sn_ik_velocity_create(&rig->arena, &config, &velocity, NULL), SN_OK);
  return velocity;
}

/* Oracle: the Jacobian of the chain as it came. */
static void true_twist(const sn_rig *rig, const double *q, const double *qd, double twist[6]) {
  double jac[6 * SN_RIG_JOINTS_MAX];
  sn_pose pose;
  const size_t n = rig->chain->joint_count;
  sn_chain_fk_jacobian(rig->chain, q, &pose, jac);
  for (size_t r = 0; r < 6; r++) {
    twist[r] = 0.0;
    for (size_t j = 0; j < n; j++) {
      twist[r] += jac[r * n + j] * qd[j];
    }
  }
}

static void assert_twist(const sn_rig *rig, const double *q, const double *qd, sn_spatial wanted,
                         double tol) {
  double twist[6];
  true_twist(rig, q, qd, twist);
  sn_assert_near(twist[0], wanted.ang.x, tol);
  sn_assert_near(twist[1], wanted.ang.y, tol);
  sn_assert_near(twist[2], wanted.ang.z, tol);
  sn_assert_near(twist[3], wanted.lin.x, tol);
  sn_assert_near(twist[4], wanted.lin.y, tol);
  sn_assert_near(twist[5], wanted.lin.z, tol);
}

SN_TEST(regular_poses_follow_the_twist) {
  size_t regular = 0;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    static sn_rig rig;
    open_chain(&rig, 7 + seed % 4, seed % 2 == 0 ? 0.2 : 0.0, seed % 3 == 0 ? 0.2 : 0.0, seed);
    sn_ik_velocity *velocity = create(&rig, NULL);
    for (size_t i = 0; i < sn_test_cases(30); i++) {
      double q[SN_RIG_JOINTS_MAX], qd[SN_RIG_JOINTS_MAX];
      sn_rig_draw(&rig, q);
      const sn_ik_velocity_query query = {.q = q, .twist = sn_test_random_spatial(&rig.random, 1)};
      sn_ik_velocity_result result;
      assert_int_equal(sn_ik_velocity_solve(velocity, &query, qd, &result), SN_OK);
      assert_true(result.scale == 1.0);
      if (result.singular_value > 0.05) {
        regular++;
        assert_twist(&rig, q, qd, query.twist, 1e-9);
        sn_assert_near(result.missing, 0.0, 1e-9);
      }
    }
    sn_rig_close(&rig);
  }
  assert_true(regular > 100);
}

SN_TEST(twist_of_the_tip_is_in_its_axes) {
  static sn_rig rig;
  open_chain(&rig, 7, 0.0, 0.0, 3);
  sn_ik_velocity *velocity = create(&rig, NULL);
  for (size_t i = 0; i < sn_test_cases(50); i++) {
    double q[SN_RIG_JOINTS_MAX], a[SN_RIG_JOINTS_MAX], b[SN_RIG_JOINTS_MAX];
    sn_rig_draw(&rig, q);
    const sn_mat3 rot = sn_chain_fk(rig.chain, q).rot;
    const sn_spatial twist = sn_test_random_spatial(&rig.random, 1.0);
    const sn_ik_velocity_query tip = {.q = q, .twist = twist, .frame = SN_IK_FRAME_TIP};
    const sn_ik_velocity_query base = {
        .q = q, .twist = {sn_mat3_apply(rot, twist.ang), sn_mat3_apply(rot, twist.lin)}};
    sn_ik_velocity_solve(velocity, &tip, a, NULL);
    sn_ik_velocity_solve(velocity, &base, b, NULL);
    for (size_t j = 0; j < 7; j++) {
      sn_assert_near(a[j], b[j], 1e-9);
    }
  }
  sn_rig_close(&rig);
}

/* Oracle: J^T (J J^T)^-1 twist by Cholesky is the shortest of all velocities that do it. */
SN_TEST(redundant_joints_move_as_little_as_possible) {
  static sn_rig rig;
  open_chain(&rig, 9, 0.0, 0.0, 4);
  sn_ik_velocity *velocity = create(&rig, NULL);
  for (size_t i = 0; i < sn_test_cases(50); i++) {
    double q[SN_RIG_JOINTS_MAX], qd[SN_RIG_JOINTS_MAX], jac[6 * SN_RIG_JOINTS_MAX], gram[36];
    sn_rig_draw(&rig, q);
    const sn_ik_velocity_query query = {.q = q, .twist = sn_test_random_spatial(&rig.random, 1.0)};
    sn_ik_velocity_result result;
    sn_ik_velocity_solve(velocity, &query, qd, &result);
    if (result.singular_value < 0.05) {
      continue;
    }
    sn_pose pose;
    sn_chain_fk_jacobian(rig.chain, q, &pose, jac);
    for (size_t k = 0; k < 36; k++) {
      gram[k] = 0.0;
      for (size_t j = 0; j < 9; j++) {
        gram[k] += jac[k / 6 * 9 + j] * jac[k % 6 * 9 + j];
      }
    }
    const sn_spatial t = query.twist;
    double x[] = {t.ang.x, t.ang.y, t.ang.z, t.lin.x, t.lin.y, t.lin.z};
    assert_true(sn_cholesky_factor(6, gram));
    sn_cholesky_solve(6, gram, x);
    for (size_t j = 0; j < 9; j++) {
      double expected = 0.0;
      for (size_t r = 0; r < 6; r++) {
        expected += jac[r * 9 + j] * x[r];
      }
      sn_assert_near(qd[j], expected, 1e-8);
    }
  }
  sn_rig_close(&rig);
}

/* Two bars in a plane, stretched: nothing moves the tip along them. */
SN_TEST(singular_pose_stays_calm_and_follows_the_rest) {
  const sn_pose at[] = {{sn_mat3_identity(), {0, 0, 0}}, {sn_mat3_identity(), {0.5, 0, 0}}};
  const int parents[] = {-1, 0}, coords[] = {0, 1};
  const bool prismatic[] = {false, false};
  const double scales[] = {1, 1}, offsets[] = {0, 0}, lower[] = {-3, -3}, upper[] = {3, 3};
  const sn_chain chain = {.joint_count = 2,
                          .joints = coords,
                          .lower = lower,
                          .upper = upper,
                          .tree = {.body_count = 2,
                                   .coord_count = 2,
                                   .parent = parents,
                                   .prismatic = prismatic,
                                   .pose_parent_joint = at,
                                   .coord = coords,
                                   .q_scale = scales,
                                   .q_offset = offsets,
                                   .is_serial = true},
                          .pose_body_tip = {sn_mat3_identity(), {0.5, 0, 0}}};
  static sn_rig rig;
  memset(&rig, 0, sizeof rig);
  sn_arena_init_growing(&rig.arena, "rig", 4096);
  sn_ik_velocity *velocity = NULL;
  const sn_ik_velocity_config config = {.chain = &chain};
  assert_int_equal(sn_ik_velocity_create(&rig.arena, &config, &velocity, NULL), SN_OK);
  double before = INFINITY;
  for (double bend = 0.3; bend > -0.3; bend -= 0.001) {
    const double q[] = {0.0, bend};
    double qd[2];
    const sn_ik_velocity_query query = {
        .q = q, .twist = {{0, 0, 0}, {1, 0, 0}}, .free_axes = SN_IK_FREE_ROTATION | SN_IK_FREE_Z};
    sn_ik_velocity_result result;
    assert_int_equal(sn_ik_velocity_solve(velocity, &query, qd, &result), SN_OK);
    /* half the reach is 0.5 m; nothing is faster than where damping begins */
    assert_true(hypot(qd[0], qd[1]) <= 1.0 / 0.5 / 0.05 + 1e-9);
    assert_true(isinf(before) || fabs(qd[1] - before) < 2.0); /* no jump on the way through */
    before = qd[1];
  }
  const double q[] = {0.0, 0.0};
  double qd[2];
  const sn_ik_velocity_query across = {
      .q = q, .twist = {{0, 0, 0}, {1, 1, 0}}, .free_axes = SN_IK_FREE_ROTATION | SN_IK_FREE_Z};
  sn_ik_velocity_solve(velocity, &across, qd, NULL);
  sn_assert_near(1.0 * qd[0] + 0.5 * qd[1], 1.0, 1e-9); /* y is followed exactly */
  sn_arena_release(&rig.arena);
}

SN_TEST(fast_joints_slow_the_whole_motion) {
  static sn_rig rig;
  open_chain(&rig, 8, 0.0, 0.2, 6);
  double velocity_max[8];
  for (size_t j = 0; j < 8; j++) {
    velocity_max[j] = sn_random_between(&rig.random, 0.2, 1.0);
  }
  sn_ik_velocity *velocity = create(&rig, velocity_max);
  for (size_t i = 0; i < sn_test_cases(100); i++) {
    double q[SN_RIG_JOINTS_MAX], qd[SN_RIG_JOINTS_MAX], nominal[SN_RIG_JOINTS_MAX];
    sn_rig_draw(&rig, q);
    sn_rig_draw(&rig, nominal);
    const sn_ik_velocity_query query = {.q = q,
                                        .twist = sn_test_random_spatial(&rig.random, 4.0),
                                        .nominal = i % 2 == 0 ? nominal : NULL};
    sn_ik_velocity_result result;
    sn_ik_velocity_solve(velocity, &query, qd, &result);
    assert_true(result.scale > 0.0 && result.scale <= 1.0);
    double fullest = 0.0;
    for (size_t j = 0; j < 8; j++) {
      assert_true(fabs(qd[j]) <= velocity_max[j] * (1.0 + 1e-12));
      fullest = fmax(fullest, fabs(qd[j]) / velocity_max[j]);
    }
    if (result.scale < 1.0 && query.nominal == NULL) {
      sn_assert_near(fullest, 1.0, 1e-9);
    }
    if (result.singular_value > 0.05) {
      assert_twist(&rig, q, qd, sn_spatial_scale(query.twist, result.scale), 1e-9);
    }
  }
  sn_rig_close(&rig);
}

SN_TEST(joints_on_a_limit_move_only_inwards) {
  static sn_rig rig;
  open_chain(&rig, 8, 0.0, 0.0, 7);
  sn_ik_velocity *velocity = create(&rig, NULL);
  size_t limited = 0;
  for (size_t i = 0; i < sn_test_cases(200); i++) {
    double q[SN_RIG_JOINTS_MAX], qd[SN_RIG_JOINTS_MAX];
    sn_rig_draw(&rig, q);
    for (size_t j = i % 3; j < 8; j += 3) {
      q[j] = isinf(rig.lower[j]) ? q[j] : j % 2 == 0 ? rig.lower[j] : rig.upper[j];
    }
    const sn_ik_velocity_query query = {.q = q, .twist = sn_test_random_spatial(&rig.random, 1.0)};
    sn_ik_velocity_result result;
    sn_ik_velocity_solve(velocity, &query, qd, &result);
    limited += result.limited_count;
    double twist[6], missing = 0.0;
    true_twist(&rig, q, qd, twist);
    const double wanted[] = {query.twist.ang.x, query.twist.ang.y, query.twist.ang.z,
                             query.twist.lin.x, query.twist.lin.y, query.twist.lin.z};
    for (size_t r = 0; r < 6; r++) {
      missing += (wanted[r] - twist[r]) * (wanted[r] - twist[r]);
    }
    sn_assert_near(result.missing, sqrt(missing), 1e-9);
    for (size_t j = 0; j < 8; j++) {
      assert_true(q[j] > rig.lower[j] || qd[j] >= 0.0);
      assert_true(q[j] < rig.upper[j] || qd[j] <= 0.0);
    }
  }
  assert_true(limited > 0);
  sn_rig_close(&rig);
}

SN_TEST(nominal_pose_is_approached_without_moving_the_tip) {
  static sn_rig rig;
  open_chain(&rig, 9, 0.0, 0.0, 8);
  sn_ik_velocity *velocity = create(&rig, NULL);
  for (size_t i = 0; i < sn_test_cases(50); i++) {
    double q[SN_RIG_JOINTS_MAX], qd[SN_RIG_JOINTS_MAX], nominal[SN_RIG_JOINTS_MAX];
    sn_rig_draw(&rig, q);
    sn_rig_draw(&rig, nominal);
    const sn_ik_velocity_query query = {.q = q, .nominal = nominal};
    assert_int_equal(sn_ik_velocity_solve(velocity, &query, qd, NULL), SN_OK);
    assert_twist(&rig, q, qd, sn_spatial_zero(), 1e-6);
    double towards = 0.0, speed = 0.0;
    for (size_t j = 0; j < 9; j++) {
      const double way = nominal[j] - q[j];
      towards += qd[j] * (isinf(rig.lower[j]) ? remainder(way, 6.283185307179586) : way);
      speed += qd[j] * qd[j];
    }
    sn_assert_near(towards, speed, 1e-9); /* a projection: v . Pv = |Pv|^2 */
    assert_true(speed > 0.0);
  }
  sn_rig_close(&rig);
}

SN_TEST(free_axes_let_fewer_joints_do) {
  static sn_rig rig;
  open_chain(&rig, 3, 0.0, 0.0, 9);
  sn_ik_velocity *velocity = create(&rig, NULL);
  for (size_t i = 0; i < sn_test_cases(50); i++) {
    double q[SN_RIG_JOINTS_MAX], qd[SN_RIG_JOINTS_MAX], twist[6];
    sn_rig_draw(&rig, q);
    const sn_ik_velocity_query query = {.q = q,
                                        .twist = sn_test_random_spatial(&rig.random, 1.0),
                                        .free_axes = SN_IK_FREE_ROTATION};
    sn_ik_velocity_result result;
    sn_ik_velocity_solve(velocity, &query, qd, &result);
    if (result.singular_value > 0.05) {
      true_twist(&rig, q, qd, twist);
      sn_assert_near(twist[3], query.twist.lin.x, 1e-9);
      sn_assert_near(twist[4], query.twist.lin.y, 1e-9);
      sn_assert_near(twist[5], query.twist.lin.z, 1e-9);
      sn_assert_near(result.missing, 0.0, 1e-9);
    }
  }
  sn_rig_close(&rig);
}

SN_TEST(numbers_that_are_not_finite_stop_the_joints) {
  static sn_rig rig;
  open_chain(&rig, 6, 0.0, 0.0, 10);
  sn_ik_velocity *velocity = create(&rig, NULL);
  double q[SN_RIG_JOINTS_MAX] = {0}, qd[SN_RIG_JOINTS_MAX];
  sn_ik_velocity_query query = {.q = q, .twist = {{0, INFINITY, 0}, {0, 0, 0}}};
  for (int i = 0; i < 2; i++) {
    for (size_t j = 0; j < 6; j++) {
      qd[j] = 1.0;
    }
    assert_int_equal(sn_ik_velocity_solve(velocity, &query, qd, NULL), SN_EINVAL);
    for (size_t j = 0; j < 6; j++) {
      sn_assert_near(qd[j], 0.0, 0.0);
    }
    query.twist.ang.y = 0.0;
    q[3] = NAN;
  }
  sn_rig_close(&rig);
}

SN_TEST(bad_configurations_are_rejected_with_a_reason) {
  static sn_rig rig;
  open_chain(&rig, 6, 0.0, 0.0, 11);
  const double velocity_max[] = {1, 1, 0, 1, 1, 1};
  const struct {
    sn_ik_velocity_config config;
    const char *reason;
  } cases[] = {
      {{.chain = NULL}, "no movable joint"},
      {{.chain = rig.chain, .singular_min = -1.0}, "singular_min is -1"},
      {{.chain = rig.chain, .damping_max = NAN}, "damping_max is nan"},
      {{.chain = rig.chain, .velocity_max = velocity_max}, "velocity_max of joint 2 is 0"},
      {{.chain = rig.chain, .lower = rig.upper, .upper = rig.lower}, "is empty"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sn_ik_velocity *velocity = NULL;
    sn_error err = {0};
    const size_t used = sn_arena_used(&rig.arena);
    assert_int_equal(sn_ik_velocity_create(&rig.arena, &cases[i].config, &velocity, &err),
                     SN_EINVAL);
    sn_assert_contains(err.message, cases[i].reason);
    assert_null(velocity);
    assert_int_equal(sn_arena_used(&rig.arena), used);
  }
  sn_rig_close(&rig);
}
