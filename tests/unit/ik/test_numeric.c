#include "ik/solvers.h"
#include "ik_rig.h"
#include "sn_test.h"

/* Every pose comes from forward kinematics, so it is reachable and must be found. The clock is
 * frozen, so only the solver's bound on starts ends the search. */
static void find_all(const sn_rig_config *config, uint64_t seed, size_t cases) {
  static sn_rig rig;
  sn_rig_open(&rig, &sn__ik_numeric, config, seed);
  for (size_t i = 0; i < cases; i++) {
    double q[SN_RIG_JOINTS_MAX];
    sn_rig_draw(&rig, q);
    sn_rig_aim(&rig, q);
    if (sn_rig_solve(&rig) != SN_IK_OK || rig.offer_count != 1) {
      fail_msg("seed %llu, case %zu: not found", (unsigned long long)seed, i);
    }
    sn_rig_check_offers(&rig);
  }
  sn_rig_close(&rig);
}

SN_TEST(reachable_poses_of_arms_are_found) {
  for (uint64_t seed = 1; seed <= 12; seed++) {
    const sn_rig_config config = {.joint_count = 6 + seed % 3, .endless_share = 0.2};
    find_all(&config, seed, sn_test_cases(50));
  }
}

SN_TEST(reachable_poses_of_mixed_chains_are_found) {
  for (uint64_t seed = 1; seed <= 24; seed++) {
    const sn_rig_config config = {.joint_count = 1 + seed % 12,
                                  .prismatic_share = 0.3,
                                  .mimic_share = seed % 2 == 0 ? 0.3 : 0.0,
                                  .endless_share = 0.3};
    find_all(&config, seed, sn_test_cases(20));
  }
}

SN_TEST(long_chains_are_solved) {
  const sn_rig_config config = {.joint_count = SN_RIG_JOINTS_MAX, .prismatic_share = 0.1};
  find_all(&config, 5, sn_test_cases(20));
}

SN_TEST(equal_random_states_give_equal_bits) {
  static sn_rig a, b;
  const sn_rig_config config = {.joint_count = 7};
  sn_rig_open(&a, &sn__ik_numeric, &config, 3);
  sn_rig_open(&b, &sn__ik_numeric, &config, 3);
  for (size_t i = 0; i < sn_test_cases(50); i++) {
    double q[SN_RIG_JOINTS_MAX];
    sn_rig_draw(&a, q);
    sn_rig_draw(&b, q);
    sn_rig_aim(&a, q);
    sn_rig_aim(&b, q);
    a.offers_wanted = b.offers_wanted = 20; /* far enough to draw at random */
    assert_int_equal(sn_rig_solve(&a), sn_rig_solve(&b));
    assert_int_equal(a.offer_count, b.offer_count);
    assert_memory_equal(a.offers, b.offers, a.offer_count * sizeof *a.offers);
  }
  sn_rig_close(&a);
  sn_rig_close(&b);
}

SN_TEST(unreachable_pose_has_no_solution_and_no_offer) {
  static sn_rig rig;
  const sn_rig_config config = {.joint_count = 6};
  sn_rig_open(&rig, &sn__ik_numeric, &config, 7);
  double q[SN_RIG_JOINTS_MAX];
  sn_rig_draw(&rig, q);
  sn_rig_aim(&rig, q);
  rig.target.pos.x += 20.0;
  assert_int_equal(sn_rig_solve(&rig), SN_IK_NO_SOLUTION);
  assert_int_equal(rig.offer_count, 0);
  sn_rig_close(&rig);
}

SN_TEST(passed_deadline_returns_at_once) {
  static sn_rig rig;
  const sn_rig_config config = {.joint_count = 6};
  sn_rig_open(&rig, &sn__ik_numeric, &config, 8);
  sn_rig_aim(&rig, rig.seed);
  rig.query.deadline_ns = 0;
  assert_int_equal(sn_rig_solve(&rig), SN_IK_TIMED_OUT);
  assert_int_equal(rig.offer_count, 0);
  sn_rig_close(&rig);
}

SN_TEST(deadline_ends_a_search_for_all) {
  static sn_rig rig;
  const sn_rig_config config = {.joint_count = 8, .endless_share = 0.5};
  sn_rig_open(&rig, &sn__ik_numeric, &config, 9);
  double q[SN_RIG_JOINTS_MAX];
  sn_rig_draw(&rig, q);
  sn_rig_aim(&rig, q);
  rig.query.all = true;
  rig.offers_wanted = SN_RIG_OFFERS_MAX;
  rig.offer_ns = 1000;
  rig.query.deadline_ns = 5000;
  assert_int_equal(sn_rig_solve(&rig), SN_IK_OK);
  assert_int_equal(rig.offer_count, 5);
  sn_rig_check_offers(&rig);
  sn_rig_close(&rig);
}
