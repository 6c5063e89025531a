/* The numeric solver: locked joints, limits, approximate and repeated solutions. */
#include "ik/solvers.h"
#include "ik_rig.h"
#include "sn_test.h"

SN_TEST(locked_joints_stay) {
  static sn_rig rig;
  const sn_rig_config config = {.joint_count = 8, .endless_share = 0.2};
  sn_rig_open(&rig, &sn__ik_numeric, &config, 10);
  for (size_t i = 0; i < sn_test_cases(30); i++) {
    double q[SN_RIG_JOINTS_MAX];
    bool locked[SN_RIG_JOINTS_MAX] = {false};
    locked[i % 8] = locked[(i + 3) % 8] = true;
    sn_rig_draw(&rig, q);
    sn_rig_aim(&rig, q);
    rig.seed[i % 8] = q[i % 8];
    rig.seed[(i + 3) % 8] = q[(i + 3) % 8];
    rig.query.locked = locked;
    assert_int_equal(sn_rig_solve(&rig), SN_IK_OK);
    assert_int_equal(rig.offer_count, 1);
    sn_rig_check_offers(&rig);
  }
  sn_rig_close(&rig);
}

static sn_vec3 axis_of(unsigned bit) {
  return sn_vec3_make(bit % 3 == 0 ? 1.0 : 0.0, bit % 3 == 1 ? 1.0 : 0.0, bit % 3 == 2 ? 1.0 : 0.0);
}

/* With axes free, chains of fewer joints reach poses that were moved along one of those axes. */
SN_TEST(free_axes_may_be_anywhere) {
  static const struct {
    unsigned axes;
    size_t joint_count;
    unsigned moved; /* bit along which the target is moved */
  } cases[] = {{SN_IK_FREE_X, 5, 0},
               {SN_IK_FREE_Y, 5, 1},
               {SN_IK_FREE_Z, 5, 2},
               {SN_IK_FREE_RX, 5, 3},
               {SN_IK_FREE_RY, 5, 4},
               {SN_IK_FREE_RZ, 5, 5},
               {SN_IK_FREE_ROTATION, 3, 4},
               {SN_IK_FREE_X | SN_IK_FREE_RZ, 4, 5},
               {7, 3, 1}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    static sn_rig rig;
    const sn_rig_config config = {.joint_count = cases[c].joint_count, .endless_share = 0.3};
    sn_rig_open(&rig, &sn__ik_numeric, &config, 20 + c);
    for (size_t i = 0; i < sn_test_cases(30); i++) {
      double q[SN_RIG_JOINTS_MAX];
      sn_rig_draw(&rig, q);
      sn_rig_aim(&rig, q);
      const double way = sn_random_between(&rig.random, -3.1, 3.1);
      sn_pose away = sn_pose_identity();
      if (cases[c].moved >= 3) {
        away.rot = sn_mat3_from_axis_angle(axis_of(cases[c].moved), way);
      } else {
        away.pos = sn_vec3_scale(axis_of(cases[c].moved), way);
      }
      rig.target = sn_pose_mul(rig.target, away);
      rig.query.free_axes = cases[c].axes;
      if (sn_rig_solve(&rig) != SN_IK_OK) {
        fail_msg("axes %u, case %zu: not found", cases[c].axes, i);
      }
      assert_int_equal(rig.offer_count, 1);
      sn_rig_check_offers(&rig);
    }
    sn_rig_close(&rig);
  }
}

SN_TEST(empty_limits_have_no_solution) {
  static sn_rig rig;
  const sn_rig_config config = {.joint_count = 6};
  sn_rig_open(&rig, &sn__ik_numeric, &config, 6);
  double q[SN_RIG_JOINTS_MAX], upper[SN_RIG_JOINTS_MAX];
  sn_rig_draw(&rig, q);
  sn_rig_aim(&rig, q);
  memcpy(upper, rig.upper, sizeof upper);
  upper[2] = rig.lower[2] - 1e-3;
  rig.query.upper = upper;
  assert_int_equal(sn_rig_solve(&rig), SN_IK_NO_SOLUTION);
  assert_int_equal(rig.offer_count, 0);
  sn_rig_close(&rig);
}

/* There is only one start, but it is followed for long: most targets are reached even from far
 * away. */
SN_TEST(without_restarts_far_targets_are_mostly_reached) {
  static sn_rig rig;
  const sn_rig_config config = {.joint_count = 8, .endless_share = 1.0};
  sn_rig_open(&rig, &sn__ik_numeric, &config, 19);
  const size_t cases = sn_test_cases(100);
  size_t found = 0;
  for (size_t i = 0; i < cases; i++) {
    double q[SN_RIG_JOINTS_MAX];
    sn_rig_draw(&rig, q);
    sn_rig_aim(&rig, q);
    rig.query.restarts = false;
    const sn_ik_code code = sn_rig_solve(&rig);
    assert_true(code == SN_IK_OK ? rig.offer_count == 1 : rig.offer_count == 0);
    sn_rig_check_offers(&rig);
    found += code == SN_IK_OK ? 1 : 0;
  }
  assert_true(found > cases / 2);
  sn_rig_close(&rig);
}

SN_TEST(approximate_pose_reports_its_true_error) {
  static sn_rig rig;
  const sn_rig_config config = {.joint_count = 6};
  sn_rig_open(&rig, &sn__ik_numeric, &config, 11);
  for (size_t i = 0; i < sn_test_cases(10); i++) {
    double q[SN_RIG_JOINTS_MAX], best[SN_RIG_JOINTS_MAX], error = NAN;
    sn_rig_draw(&rig, q);
    sn_rig_aim(&rig, q);
    rig.target.pos.z += 3.0;
    rig.query.approximate = best;
    rig.query.approximate_error = &error;
    assert_int_equal(sn_rig_solve(&rig), SN_IK_NO_SOLUTION);
    double position_m = 0.0, rotation_rad = 0.0;
    sn_rig_error(&rig, best, &position_m, &rotation_rad);
    sn_assert_near(error, hypot(position_m, rotation_rad), 1e-9);
    sn_rig_error(&rig, rig.seed, &position_m, &rotation_rad);
    assert_true(error <= hypot(position_m, rotation_rad));
    for (size_t j = 0; j < 6; j++) {
      assert_true(best[j] >= rig.lower[j] && best[j] <= rig.upper[j]);
    }
  }
  sn_rig_close(&rig);
}

SN_TEST(without_restarts_the_solution_is_near_the_seed) {
  static sn_rig rig;
  const sn_rig_config config = {.joint_count = 7, .endless_share = 0.3};
  sn_rig_open(&rig, &sn__ik_numeric, &config, 12);
  for (size_t i = 0; i < sn_test_cases(100); i++) {
    double q[SN_RIG_JOINTS_MAX];
    sn_rig_draw(&rig, q);
    sn_rig_aim(&rig, q);
    for (size_t j = 0; j < 7; j++) {
      const double moved = q[j] + sn_random_between(&rig.random, -0.02, 0.02);
      rig.seed[j] = fmin(fmax(moved, rig.lower[j]), rig.upper[j]);
    }
    rig.query.restarts = false;
    const sn_random before = rig.random;
    const sn_ik_code code = sn_rig_solve(&rig);
    assert_memory_equal(&before, &rig.random, sizeof before);
    assert_int_equal(code, SN_IK_OK);
    sn_rig_check_offers(&rig);
    for (size_t j = 0; j < 7; j++) {
      sn_assert_near(rig.offers[0][j], rig.seed[j], 0.5);
    }
  }
  sn_rig_close(&rig);
}

/* A refused offer is not offered again. */
SN_TEST(rejected_solutions_are_followed_by_others) {
  static sn_rig rig;
  const sn_rig_config config = {.joint_count = 7, .endless_share = 1.0};
  sn_rig_open(&rig, &sn__ik_numeric, &config, 13);
  double q[SN_RIG_JOINTS_MAX];
  sn_rig_draw(&rig, q);
  sn_rig_aim(&rig, q);
  rig.offers_wanted = 30;
  assert_int_equal(sn_rig_solve(&rig), SN_IK_OK);
  assert_int_equal(rig.offer_count, 30);
  sn_rig_check_offers(&rig);
  for (size_t a = 0; a < rig.offer_count; a++) {
    for (size_t b = 0; b < a; b++) {
      double apart = 0.0;
      for (size_t j = 0; j < 7; j++) {
        apart =
            fmax(apart, fabs(remainder(rig.offers[a][j] - rig.offers[b][j], 6.283185307179586)));
      }
      assert_true(apart > 0.1);
    }
  }
  sn_rig_close(&rig);
}

/* Oracle: a planar arm of two bars has its elbow on one side or the other, in closed form. */
SN_TEST(all_solutions_of_two_bars_are_the_two_elbows) {
  static sn_rig rig;
  memset(&rig, 0, sizeof rig);
  const double a = 0.5, b = 0.4;
  sn_pose placements[2] = {sn_pose_identity(), sn_pose_identity()};
  placements[1].pos.x = a;
  const int parents[] = {-1, 0}, coords[] = {0, 1};
  const bool prismatic[] = {false, false};
  const double scales[] = {1.0, 1.0}, offsets[] = {0.0, 0.0};
  sn_chain chain = {.joint_count = 2, .pose_body_tip = sn_pose_identity()};
  chain.tree = (sn_tree){.body_count = 2,
                         .coord_count = 2,
                         .parent = parents,
                         .prismatic = prismatic,
                         .pose_parent_joint = placements,
                         .coord = coords,
                         .q_scale = scales,
                         .q_offset = offsets,
                         .is_serial = true};
  chain.pose_body_tip.pos.x = b;
  for (size_t j = 0; j < 2; j++) {
    rig.lower[j] = -3.14;
    rig.upper[j] = 3.14;
  }
  sn_random_init(&rig.random, 14);
  sn_rig_open_chain(&rig, &sn__ik_numeric, &chain);
  for (size_t i = 0; i < sn_test_cases(50); i++) {
    const double q[] = {sn_random_between(&rig.random, -1.5, 1.5),
                        sn_random_between(&rig.random, 0.1, 1.5)};
    const double other[] = {q[0] + 2.0 * atan2(b * sin(q[1]), a + b * cos(q[1])), -q[1]};
    sn_rig_aim(&rig, q);
    rig.query.free_axes = SN_IK_FREE_ROTATION;
    rig.query.all = true;
    rig.offers_wanted = SN_RIG_OFFERS_MAX;
    assert_int_equal(sn_rig_solve(&rig), SN_IK_OK);
    assert_int_equal(rig.offer_count, 2);
    const double *elbow = rig.offers[rig.offers[0][1] > 0.0 ? 0 : 1];
    const double *opposite = rig.offers[rig.offers[0][1] > 0.0 ? 1 : 0];
    for (size_t j = 0; j < 2; j++) {
      sn_assert_near(elbow[j], q[j], 1e-4);
      sn_assert_near(opposite[j], other[j], 1e-4);
    }
  }
  sn_rig_close(&rig);
}

static double distance(size_t n, const double *a, const double *b) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) {
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  }
  return sqrt(sum);
}

SN_TEST(nominal_pose_draws_redundant_joints) {
  static sn_rig rig;
  const sn_rig_config config = {.joint_count = 12};
  sn_rig_open(&rig, &sn__ik_numeric, &config, 15);
  double without = 0.0, with = 0.0;
  for (size_t i = 0; i < sn_test_cases(30); i++) {
    double q[SN_RIG_JOINTS_MAX], nominal[SN_RIG_JOINTS_MAX];
    sn_rig_draw(&rig, q);
    sn_rig_draw(&rig, nominal);
    sn_rig_aim(&rig, q);
    const sn_random before = rig.random;
    assert_int_equal(sn_rig_solve(&rig), SN_IK_OK);
    const double apart = distance(12, rig.offers[0], nominal);
    rig.random = before;
    rig.query.nominal = nominal;
    assert_int_equal(sn_rig_solve(&rig), SN_IK_OK);
    sn_rig_check_offers(&rig);
    assert_true(distance(12, rig.offers[0], nominal) <= apart + 1e-9);
    without += apart;
    with += distance(12, rig.offers[0], nominal);
  }
  assert_true(with < 0.85 * without);
  sn_rig_close(&rig);
}

/* Limits of one query, tighter than those of the chain. */
SN_TEST(limits_of_the_query_are_respected) {
  static sn_rig rig;
  const sn_rig_config config = {.joint_count = 7, .endless_share = 0.3};
  sn_rig_open(&rig, &sn__ik_numeric, &config, 16);
  for (size_t i = 0; i < sn_test_cases(50); i++) {
    double q[SN_RIG_JOINTS_MAX], lower[SN_RIG_JOINTS_MAX], upper[SN_RIG_JOINTS_MAX];
    sn_rig_draw(&rig, q);
    sn_rig_aim(&rig, q);
    for (size_t j = 0; j < 7; j++) {
      lower[j] = fmax(rig.lower[j], q[j] - 0.3);
      upper[j] = fmin(rig.upper[j], q[j] + 0.2);
      rig.seed[j] = 0.5 * (lower[j] + upper[j]);
    }
    rig.query.lower = lower;
    rig.query.upper = upper;
    assert_int_equal(sn_rig_solve(&rig), SN_IK_OK);
    sn_rig_check_offers(&rig);
  }
  sn_rig_close(&rig);
}

SN_TEST(several_tips_are_rejected_with_a_reason) {
  static sn_rig rig;
  const sn_rig_config config = {.joint_count = 6};
  sn_rig_open(&rig, &sn__ik_numeric, &config, 17);
  const sn_ik_tip tips[] = {rig.tip, rig.tip};
  sn_ik_setup setup = rig.setup;
  setup.tips = tips;
  setup.tip_count = 2;
  char reason[120] = "";
  assert_false(sn__ik_numeric.supports(&setup, reason, sizeof reason));
  sn_assert_contains(reason, "one tip, not 2");
  void *solver = NULL;
  assert_int_equal(sn__ik_numeric.create(&rig.arena, &setup, &solver, NULL), SN_EUNSUPPORTED);
  assert_null(solver);
  sn_rig_close(&rig);
}

SN_TEST(full_arena_is_left_as_it_was) {
  static sn_rig rig;
  const sn_rig_config config = {.joint_count = 6};
  sn_rig_open(&rig, &sn__ik_numeric, &config, 18);
  static _Alignas(64) unsigned char bytes[4096];
  sn_arena arena;
  for (size_t size = 0; size <= sizeof bytes; size += 64) {
    sn_arena_init(&arena, "small", bytes, size);
    void *solver = NULL;
    sn_error err = {0};
    assert_int_equal(sn__ik_numeric.create(&arena, &rig.setup, &solver, &err), SN_ENOMEM);
    sn_assert_contains(err.message, "'small'");
    assert_int_equal(sn_arena_used(&arena), 0);
  }
  sn_rig_close(&rig);
}
