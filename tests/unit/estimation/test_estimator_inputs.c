/* The estimator with any input: no jump, nothing that is not finite. */
#include "estimator_rig.h"
#include "sn_test.h"

static const double DT_S = 0.0056;

static estimator_rig f;

SN_TEST(change_of_contacts_never_makes_the_base_jump) {
  for (uint64_t seed = 0; seed < sn_test_cases(20); seed++) {
    walker_config walk = ordinary_walk;
    walk.rest_s = 1000.0;
    walk.foot_noise = 0.0;
    estimator_rig_open(&f, &walk, DT_S, 100 + seed);
    estimator_rig_run_until(&f, 1.0);
    for (int i = 0; i < 200; i++) {
      const sn_vec3 before = f.state->base.pose_world_base.pos;
      for (size_t k = 0; k < WALKER_FEET; k++) {
        f.is_foot_forced[k] = true;
        f.forced[k] = sn_random_below(&f.random, 2) == 0;
      }
      estimator_rig_cycle(&f);
      const double jump = sn_vec3_norm(sn_vec3_sub(f.state->base.pose_world_base.pos, before));
      if (!(jump < 1e-3)) {
        fail_msg("seed %d, cycle %d: jump of %g m", (int)seed, i, jump);
      }
    }
  }
}

static double any_number(void) {
  static const double odd[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 1e300, -1e300, 1e-300};
  const uint64_t kind = sn_random_below(&f.random, 4);
  if (kind == 0) {
    return odd[sn_random_below(&f.random, sizeof odd / sizeof *odd)];
  }
  return sn_random_between(&f.random, -1.0, 1.0) * (kind == 1 ? 100.0 : 1.0);
}

static sn_vec3 any_vector(void) {
  const double x = any_number(), y = any_number();
  return sn_vec3_make(x, y, any_number());
}

static void assert_state_is_finite(uint64_t seed, int i) {
  const sn__base_state *b = &f.state->base;
  const sn_mat3 r = b->pose_world_base.rot;
  const sn_vec3 all[] = {r.x,
                         r.y,
                         r.z,
                         b->pose_world_base.pos,
                         b->twist.ang,
                         b->twist.lin,
                         f.state->gyro_bias,
                         f.state->accel_bias};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    if (!isfinite(all[k].x) || !isfinite(all[k].y) || !isfinite(all[k].z)) {
      fail_msg("seed %d, cycle %d: vector %zu is not finite", (int)seed, i, k);
    }
  }
  sn_assert_near(sn_vec3_norm(r.x), 1.0, 1e-6);
  sn_assert_near(sn_vec3_dot(r.x, r.y), 0.0, 1e-6);
}

SN_TEST(state_is_finite_whatever_comes_in) {
  for (uint64_t seed = 0; seed < sn_test_cases(300); seed++) {
    estimator_rig_open(&f, &ordinary_walk, DT_S, seed);
    for (int i = 0; i < 100; i++) {
      sn_vec3 points[WALKER_FEET][WALKER_POINTS], velocities[WALKER_FEET][WALKER_POINTS];
      sn__foot feet[WALKER_FEET];
      for (size_t k = 0; k < WALKER_FEET; k++) {
        for (size_t p = 0; p < WALKER_POINTS; p++) {
          points[k][p] = any_vector();
          velocities[k][p] = any_vector();
        }
        feet[k] = (sn__foot){sn_random_below(&f.random, 2) == 0,
                             1 + sn_random_below(&f.random, WALKER_POINTS), points[k],
                             sn_random_below(&f.random, 2) == 0 ? velocities[k] : NULL};
      }
      const sn__imu_sample sample = {
          .gyro = any_vector(),
          .accel = any_vector(),
          .has_orientation = sn_random_below(&f.random, 2) == 0,
          .orientation = {any_number(), any_number(), any_number(), any_number()},
          .orientation_std_rad = 0.02};
      const sn__estimator_input input = {.feet = feet,
                                         .imu = sn_random_below(&f.random, 3) == 0 ? NULL : &sample,
                                         .dt_s = sn_random_between(&f.random, 1e-4, 0.2)};
      f.state = sn__estimator_step(f.estimator, &input, &f.settings);
      assert_state_is_finite(seed, i);
    }
  }
}
