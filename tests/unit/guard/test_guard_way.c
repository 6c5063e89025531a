/* Ways that have not been made yet, against distances at many poses along them. */
#include "collision/path.h"
#include "guard_rig.h"
#include "sn_test.h"

enum { WAYS = 40, SAMPLES = 100, CALLS_MAX = 100000 };

static void between(const guard_rig *rig, const double *from, const double *to, double share,
                    double *q) {
  for (size_t i = 0; i < rig->joint_count; i++) {
    q[i] = from[i] + share * (to[i] - from[i]);
  }
}

/* The whole way, call after call. @return how far it is free */
static double follow(guard_rig *rig, const double *from, const double *to, sn__guard_block *block,
                     bool *is_free) {
  double q[GUARD_JOINTS_MAX];
  double share = 0.0;
  *is_free = true;
  for (int i = 0; i < CALLS_MAX && *is_free && share < 1.0; i++) {
    between(rig, from, to, share, q);
    const double step = sn__gate_follow(rig->guarded, q, to, block, is_free);
    assert_true(step > 0.0 || !*is_free);
    share += (1.0 - share) * step;
  }
  return share;
}

/* Every pair keeps its margin up to a share of the way, by a checker that has not seen it. */
static void expect_margins(guard_rig *rig, const double *from, const double *to, double share) {
  double q[GUARD_JOINTS_MAX];
  for (int i = 0; i < SAMPLES; i++) {
    between(rig, from, to, share * (double)i / SAMPLES, q);
    for (size_t pair = 0; pair < sn__collision_pair_count(rig->exact); pair++) {
      sn__near near;
      assert_true(!sn__collision_of_pair(rig->exact, pair, q, &near) ||
                  near.distance >= 0.85 * rig->margins[pair]);
    }
  }
}

static bool check_way(guard_rig *rig, sn_random *random) {
  double from[GUARD_JOINTS_MAX], to[GUARD_JOINTS_MAX], q[GUARD_JOINTS_MAX];
  sn__guard_block block;
  sn__near near;
  bool is_free = true;
  assert_true(guard_rig_draw_free(rig, random, from));
  assert_true(guard_rig_place(rig, from));
  guard_rig_draw(rig, random, to);
  const double share = follow(rig, from, to, &block, &is_free);
  expect_margins(rig, from, to, is_free ? 1.0 : share);
  if (is_free) {
    sn_assert_near(share, 1.0, 1e-12);
    return true;
  }
  between(rig, from, to, share, q);
  assert_true(sn__collision_of_pair(rig->exact, block.pair, q, &near));
  assert_true(near.distance < 1.25 * rig->margins[block.pair]);
  return false;
}

SN_TEST(way_is_free_until_two_links_come_nearer_than_their_margin) {
  size_t free = 0, blocked = 0;
  for (size_t i = 0; i < guard_rig_robot_count(); i++) {
    guard_rig rig;
    if (!guard_rig_open(&rig, i)) {
      continue;
    }
    sn_random random;
    sn_random_init(&random, 300 + i);
    for (int k = 0; k < WAYS; k++) {
      const bool is_free = check_way(&rig, &random);
      free += is_free;
      blocked += !is_free;
    }
    guard_rig_close(&rig);
  }
  assert_true(free > 0 && blocked > 0);
}
