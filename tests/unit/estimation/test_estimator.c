/* The estimator against a robot whose path is known. */
#include "estimation/estimator.h"
#include "sn_test.h"
#include "walker.h"

enum { MEMORY = 1 << 17 };
static const double DT_S = 0.0056;
static const double PER_DEGREE = 3.14159265358979323846 / 180.0;

/* A walk with an ordinary IMU. */
static const walker_config ordinary = {.rest_s = 2.0,
                                       .speed = 0.15,
                                       .wobble = 0.03,
                                       .gyro_bias = {0.01, -0.01, 0.01},
                                       .accel_bias = {0.03, -0.02, 0.04},
                                       .gyro_noise = 1.5e-4,
                                       .accel_noise = 3e-3,
                                       .foot_noise = 2e-4,
                                       .slip_foot = -1};

typedef struct fixture {
  char memory[MEMORY];
  sn_arena arena;
  sn__estimator *estimator;
  sn__estimator_settings settings;
  sn_random random;
  walker_config walk;
  double dt_s, t_s;
  walker_truth truth;
  const sn__estimator_state *state;
  double way_m; /* walked so far, on the ground */

  bool is_imu_silent, is_imu_frozen;
  sn__imu_sample sample;
  bool is_foot_forced[WALKER_FEET], forced[WALKER_FEET];
  const bool *commanded;
} fixture;

static fixture f;

static void open_walk(const walker_config *walk, double dt_s, uint64_t seed) {
  memset(&f, 0, sizeof f);
  sn_arena_init(&f.arena, "test", f.memory, sizeof f.memory);
  f.estimator = sn__estimator_create(&f.arena, WALKER_FEET, WALKER_POINTS);
  assert_non_null(f.estimator);
  f.settings = sn__estimator_defaults();
  f.walk = *walk;
  f.dt_s = dt_s;
  f.truth = walker_at(walk, 0.0);
  sn_random_init(&f.random, seed);
}

static void cycle(void) {
  const sn_vec3 before = f.truth.pose_world_base.pos;
  sn__foot feet[WALKER_FEET];
  f.t_s += f.dt_s;
  f.truth = walker_at(&f.walk, f.t_s);
  const sn_vec3 way = sn_vec3_sub(f.truth.pose_world_base.pos, before);
  f.way_m += hypot(way.x, way.y);
  walker_truth measured = f.truth;
  walker_add_noise(&f.walk, f.dt_s, &f.random, &measured);
  if (!f.is_imu_frozen) {
    walker_imu(&f.walk, f.t_s, f.dt_s, &f.random, &f.sample.gyro, &f.sample.accel);
  }
  for (size_t i = 0; i < WALKER_FEET; i++) {
    feet[i] = (sn__foot){.is_touching = f.is_foot_forced[i] ? f.forced[i] : measured.touches[i],
                         .point_count = WALKER_POINTS,
                         .points = measured.feet[i],
                         .velocities = measured.velocities[i]};
  }
  const sn__estimator_input input = {.feet = feet,
                                     .commanded = f.commanded,
                                     .imu = f.is_imu_silent ? NULL : &f.sample,
                                     .dt_s = f.dt_s};
  f.state = sn__estimator_step(f.estimator, &input, &f.settings);
}

static void run_until(double t_s) {
  while (f.t_s < t_s) {
    cycle();
  }
}

static sn_vec3 turn_error(void) {
  const sn_mat3 r = f.state->base.pose_world_base.rot;
  return sn_mat3_log(sn_mat3_mul(r, sn_mat3_transpose(f.truth.pose_world_base.rot)));
}

static double tilt_error(void) {
  const sn_vec3 e = turn_error();
  return hypot(e.x, e.y);
}

static sn_vec3 place_error(void) {
  return sn_vec3_sub(f.state->base.pose_world_base.pos, f.truth.pose_world_base.pos);
}

/* ---- accuracy ---- */

/* The figures that walking needs: 1 % of the way, 1 degree a minute. */
static void assert_walk_is_tracked(const walker_config *walk, double dt_s, uint64_t seed,
                                   const char *name) {
  open_walk(walk, dt_s, seed);
  double tilt = 0.0, speed = 0.0;
  while (f.t_s < walk->rest_s + 60.0) {
    cycle();
    if (f.t_s > walk->rest_s) {
      tilt = fmax(tilt, tilt_error());
      speed = fmax(speed, sn_vec3_norm(sn_vec3_sub(f.state->base.twist.lin, f.truth.twist.lin)));
    }
  }
  const sn_vec3 place = place_error();
  const double drift = hypot(place.x, place.y), heading = fabs(turn_error().z);
  if (!(drift < 0.01 * f.way_m) || !(heading < PER_DEGREE) || !(fabs(place.z) < 0.01 * f.way_m) ||
      !(tilt < 0.015) || !(speed < 0.15)) {
    fail_msg(
        "%s, %g s, seed %d: drift %.4f and %.4f of %.2f m, heading %.3f deg, tilt %.4f rad, "
        "speed %.3f m/s",
        name, dt_s, (int)seed, drift, place.z, f.way_m, heading / PER_DEGREE, tilt, speed);
  }
}

SN_TEST(walks_are_tracked_within_one_percent_and_one_degree_a_minute) {
  static const double periods_s[] = {0.001, 0.0056, 0.02};
  for (size_t p = 0; p < 3; p++) {
    walker_config walk = ordinary;
    assert_walk_is_tracked(&walk, periods_s[p], 1 + p, "trot");
    walk.is_walk = true;
    assert_walk_is_tracked(&walk, periods_s[p], 10 + p, "walk");
    walk = ordinary;
    walk.turn_rate = 0.3;
    assert_walk_is_tracked(&walk, periods_s[p], 20 + p, "turn");
    walk = ordinary;
    walk.slope_rad = 10.0 * PER_DEGREE;
    assert_walk_is_tracked(&walk, periods_s[p], 30 + p, "slope");
  }
}

SN_TEST(bias_of_the_gyro_is_found_at_rest) {
  open_walk(&ordinary, DT_S, 3);
  run_until(ordinary.rest_s);
  sn_assert_vec3_near(f.state->gyro_bias, ordinary.gyro_bias, 5e-4);
  assert_true(f.state->is_at_rest);
}

/* Started in mid-walk, with a bias that is not known: the feet find it. */
SN_TEST(bias_of_the_gyro_is_found_while_walking) {
  walker_config walk = ordinary;
  walk.rest_s = 0.0;
  open_walk(&walk, DT_S, 4);
  run_until(60.0);
  sn_assert_near(f.state->gyro_bias.z, walk.gyro_bias.z, 1e-3);
  sn_assert_near(f.state->gyro_bias.x, walk.gyro_bias.x, 1e-3);
}

SN_TEST(robot_starts_above_the_origin_with_the_tilt_of_the_slope) {
  walker_config walk = ordinary;
  walk.rest_s = 10.0;
  walk.slope_rad = 10.0 * PER_DEGREE;
  walk.accel_bias = sn_vec3_make(0, 0, 0);
  open_walk(&walk, DT_S, 5);
  run_until(0.1);
  const sn_pose start = f.state->base.pose_world_base;
  sn_assert_near(start.pos.x, 0.0, 1e-12);
  sn_assert_near(start.pos.y, 0.0, 1e-12);
  run_until(1.0);
  assert_true(tilt_error() < 3e-3);
  sn_assert_near(turn_error().z, 0.0, 3e-3);
}

/* ---- slips ---- */

SN_TEST(foot_that_slips_does_not_take_the_base_along) {
  walker_config walk = ordinary;
  walk.is_walk = true;
  for (int foot = 0; foot < WALKER_FEET; foot++) {
    walk.slip_foot = foot;
    walk.slip_s = 10.0 + 0.15 * foot;
    walk.slip = sn_vec3_make(0.03, 0.02, 0.0);
    open_walk(&walk, DT_S, 40 + (uint64_t)foot);
    run_until(walk.slip_s);
    const sn_vec3 before = place_error();
    run_until(walk.slip_s + 1.0);
    const double moved = sn_vec3_norm(sn_vec3_sub(place_error(), before));
    if (!(moved < 0.15 * sn_vec3_norm(walk.slip))) {
      fail_msg("foot %d: a slip of 36 mm moves the base by %.1f mm", foot, 1e3 * moved);
    }
  }
}

/* ---- faults ---- */

SN_TEST(silent_imu_leaves_the_feet_in_charge) {
  open_walk(&ordinary, DT_S, 6);
  run_until(5.0);
  const sn_vec3 before = place_error();
  f.is_imu_silent = true;
  run_until(5.1);
  assert_int_equal(f.state->imu, SN__IMU_SILENT);
  assert_int_equal(f.state->mode, SN__ESTIMATOR_FEET);
  run_until(10.0);
  assert_true(sn_vec3_norm(sn_vec3_sub(place_error(), before)) < 0.05);
  f.is_imu_silent = false;
  run_until(10.2);
  assert_int_equal(f.state->imu, SN__IMU_GOOD);
  assert_int_equal(f.state->mode, SN__ESTIMATOR_FULL);
  run_until(20.0);
  assert_true(sn_vec3_norm(sn_vec3_sub(place_error(), before)) < 0.1);
  assert_true(tilt_error() < 0.02);
}

SN_TEST(robot_without_an_imu_is_tracked_by_its_feet) {
  open_walk(&ordinary, DT_S, 7);
  f.is_imu_silent = true;
  run_until(12.0);
  assert_int_equal(f.state->mode, SN__ESTIMATOR_FEET);
  assert_true(sn_vec3_norm(place_error()) < 0.05 * f.way_m);
}

SN_TEST(frozen_imu_is_noticed_when_the_robot_moves) {
  open_walk(&ordinary, DT_S, 8);
  run_until(1.0);
  f.is_imu_frozen = true;
  run_until(ordinary.rest_s);
  assert_int_equal(f.state->imu, SN__IMU_GOOD); /* at rest an IMU may well report the same */
  run_until(ordinary.rest_s + 1.0);
  assert_int_equal(f.state->imu, SN__IMU_FROZEN);
  assert_true(tilt_error() < 0.05);
  f.is_imu_frozen = false;
  run_until(ordinary.rest_s + 2.0);
  assert_int_equal(f.state->imu, SN__IMU_GOOD);
  assert_true(sn_vec3_norm(place_error()) < 0.05);
}

static void feed_bad_samples(sn_vec3 gyro, sn_vec3 accel, sn__imu_fault expected) {
  open_walk(&ordinary, DT_S, 9);
  run_until(5.0);
  const sn_vec3 before = place_error();
  f.is_imu_frozen = true;
  for (int i = 0; i < 20; i++) {
    f.sample.gyro = gyro;
    f.sample.accel = accel;
    cycle();
    assert_int_equal(f.state->imu, expected);
  }
  f.is_imu_frozen = false;
  run_until(6.0);
  assert_int_equal(f.state->imu, SN__IMU_GOOD);
  assert_true(sn_vec3_norm(sn_vec3_sub(place_error(), before)) < 0.02);
}

SN_TEST(samples_out_of_range_or_not_finite_are_not_used) {
  const sn_vec3 still = {0, 0, 0}, up = {0, 0, 9.81};
  feed_bad_samples(sn_vec3_make(0, 35.0, 0), up, SN__IMU_SATURATED);
  feed_bad_samples(still, sn_vec3_make(-157, 0, 0), SN__IMU_SATURATED);
  feed_bad_samples(sn_vec3_make(NAN, 0, 0), up, SN__IMU_NOT_FINITE);
  feed_bad_samples(still, sn_vec3_make(0, 0, INFINITY), SN__IMU_NOT_FINITE);
}

SN_TEST(contact_sensor_that_is_stuck_on_is_found) {
  open_walk(&ordinary, DT_S, 10);
  f.is_foot_forced[1] = f.forced[1] = true;
  bool is_found = false;
  while (f.t_s < 20.0) {
    cycle();
    is_found = is_found || f.state->feet[1] == SN__FOOT_STUCK_ON;
    for (size_t i = 0; i < WALKER_FEET; i++) {
      assert_true(i == 1 || f.state->feet[i] != SN__FOOT_STUCK_ON);
    }
  }
  assert_true(is_found);
  assert_true(sn_vec3_norm(place_error()) < 0.05 * f.way_m);
}

SN_TEST(contact_sensor_that_is_stuck_off_yields_to_the_command) {
  static const bool all[WALKER_FEET] = {true, true, true, true};
  walker_config walk = ordinary;
  walk.rest_s = 100.0;
  open_walk(&walk, DT_S, 11);
  f.is_foot_forced[2] = true;
  f.commanded = all;
  run_until(0.4);
  assert_false(f.state->in_stance[2]);
  run_until(2.0);
  assert_int_equal(f.state->feet[2], SN__FOOT_STUCK_OFF);
  assert_true(f.state->in_stance[2]);
}

/* Held in the air it does not fly away. */
SN_TEST(robot_without_contacts_stays_about_where_it_is) {
  walker_config walk = ordinary;
  walk.rest_s = 100.0;
  open_walk(&walk, DT_S, 12);
  run_until(1.0);
  memset(f.is_foot_forced, true, sizeof f.is_foot_forced);
  run_until(31.0);
  assert_int_equal(f.state->mode, SN__ESTIMATOR_IMU);
  assert_true(sn_vec3_norm(place_error()) < 0.2);
  assert_true(tilt_error() < 0.02);
}

/* ---- properties of any input ---- */

SN_TEST(change_of_contacts_never_makes_the_base_jump) {
  for (uint64_t seed = 0; seed < sn_test_cases(20); seed++) {
    walker_config walk = ordinary;
    walk.rest_s = 1000.0;
    walk.foot_noise = 0.0;
    open_walk(&walk, DT_S, 100 + seed);
    run_until(1.0);
    for (int i = 0; i < 200; i++) {
      const sn_vec3 before = f.state->base.pose_world_base.pos;
      for (size_t k = 0; k < WALKER_FEET; k++) {
        f.is_foot_forced[k] = true;
        f.forced[k] = sn_random_below(&f.random, 2) == 0;
      }
      cycle();
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
    open_walk(&ordinary, DT_S, seed);
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

SN_TEST(orientation_of_the_imu_helps_with_the_tilt) {
  walker_config walk = ordinary;
  walk.rest_s = 100.0;
  walk.accel_bias = sn_vec3_make(0.5, 0, 0); /* alone, 0.05 rad of tilt */
  double error[2];
  for (int has = 0; has < 2; has++) {
    open_walk(&walk, DT_S, 13);
    f.sample.has_orientation = has == 1;
    f.sample.orientation = sn_quat_from_mat3(f.truth.pose_world_base.rot);
    f.sample.orientation_std_rad = 0.005;
    run_until(20.0);
    error[has] = tilt_error();
  }
  assert_true(error[0] > 0.03);
  assert_true(error[1] < 0.5 * error[0]);
}

SN_TEST(override_moves_the_base_with_its_footholds) {
  open_walk(&ordinary, DT_S, 14);
  run_until(5.0);
  const sn_pose change = {sn_mat3_from_rpy(0, 0, 0.7), {2, -1, 0}};
  sn__estimator_move(f.estimator, sn_pose_mul(change, f.state->base.pose_world_base), NULL);
  run_until(10.0);
  const sn_pose expected = sn_pose_mul(change, f.truth.pose_world_base);
  sn_assert_vec3_near(f.state->base.pose_world_base.pos, expected.pos, 0.02);
}
