/* The way of a foot: derivatives against finite differences, ends, clearance. */
#include "gait/swing.h"
#include "sinew/random.h"
#include "sn_test.h"

static sn__swing make(sn_random *random) {
  return (sn__swing){
      .from = {sn_random_between(random, -1, 1), sn_random_between(random, -1, 1), 0.0},
      .to = {sn_random_between(random, -1, 1), sn_random_between(random, -1, 1), 0.01},
      .height_m = sn_random_between(random, 0.01, 0.1),
      .duration_s = sn_random_between(random, 0.1, 1.0)};
}

SN_TEST(velocity_and_acceleration_are_derivatives) {
  sn_random random;
  sn_random_init(&random, 1);
  for (int i = 0; i < 300; i++) {
    const sn__swing s = make(&random);
    const double h = 1e-6, t = sn_random_between(&random, 2 * h, s.duration_s - 2 * h);
    const sn__swing_point a = sn__swing_at(&s, t - h), p = sn__swing_at(&s, t);
    const sn__swing_point b = sn__swing_at(&s, t + h);
    const sn_vec3 vel = sn_vec3_scale(sn_vec3_sub(b.pos, a.pos), 0.5 / h);
    const sn_vec3 acc = sn_vec3_scale(sn_vec3_sub(b.vel, a.vel), 0.5 / h);
    sn_assert_vec3_near(p.vel, vel, 1e-5);
    sn_assert_vec3_near(p.acc, acc, 0.02);
    sn_assert_near(p.share_rate, (b.share - a.share) / (2 * h), 1e-5);
  }
}

SN_TEST(it_rests_at_both_ends) {
  sn_random random;
  sn_random_init(&random, 2);
  for (int i = 0; i < 100; i++) {
    const sn__swing s = make(&random);
    const sn__swing_point a = sn__swing_at(&s, 0.0), b = sn__swing_at(&s, s.duration_s);
    const sn_vec3 zero = {0, 0, 0};
    sn_assert_vec3_near(a.pos, s.from, 1e-12);
    sn_assert_vec3_near(b.pos, s.to, 1e-12);
    sn_assert_vec3_near(a.vel, zero, 1e-9);
    sn_assert_vec3_near(b.vel, zero, 1e-9);
    sn_assert_vec3_near(a.acc, zero, 1e-9);
    sn_assert_vec3_near(b.acc, zero, 1e-9);
    sn_assert_vec3_near(sn__swing_at(&s, s.duration_s + 1.0).pos, s.to, 1e-12);
  }
}

SN_TEST(it_moves_sideways_only_above_the_ground) {
  const sn__swing s = {{0, 0, 0}, {0.1, 0.02, 0}, 0.03, 0.3};
  double highest = 0.0;
  for (int k = 0; k <= 300; k++) {
    const sn__swing_point p = sn__swing_at(&s, 0.001 * k);
    highest = fmax(highest, p.pos.z);
    assert_true(p.pos.z >= 0.0);
    if (hypot(p.vel.x, p.vel.y) > 1e-9) {
      assert_true(p.pos.z > 0.04 * s.height_m);
    }
  }
  sn_assert_near(highest, 0.03, 1e-9);
}
