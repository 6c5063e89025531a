/* The estimator against a robot whose path is known. */
#include "estimator_rig.h"
#include "sn_test.h"

static const double DT_S = 0.0056;
static const double PER_DEGREE = 3.14159265358979323846 / 180.0;

static estimator_rig f;

/* ---- accuracy ---- */

/* The figures that walking needs: 1 % of the way, 1 degree a minute. */
static void assert_walk_is_tracked(const walker_config *walk, double dt_s, uint64_t seed,
                                   const char *name) {
  estimator_rig_open(&f, walk, dt_s, seed);
  double tilt = 0.0, speed = 0.0;
  while (f.t_s < walk->rest_s + 60.0) {
    estimator_rig_cycle(&f);
    if (f.t_s > walk->rest_s) {
      tilt = fmax(tilt, estimator_rig_tilt_error(&f));
      speed = fmax(speed, sn_vec3_norm(sn_vec3_sub(f.state->base.twist.lin, f.truth.twist.lin)));
    }
  }
  const sn_vec3 place = estimator_rig_place_error(&f);
  const double drift = hypot(place.x, place.y), heading = fabs(estimator_rig_turn_error(&f).z);
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
    walker_config walk = ordinary_walk;
    assert_walk_is_tracked(&walk, periods_s[p], 1 + p, "trot");
    walk.is_walk = true;
    assert_walk_is_tracked(&walk, periods_s[p], 10 + p, "walk");
    walk = ordinary_walk;
    walk.turn_rate = 0.3;
    assert_walk_is_tracked(&walk, periods_s[p], 20 + p, "turn");
    walk = ordinary_walk;
    walk.slope_rad = 10.0 * PER_DEGREE;
    assert_walk_is_tracked(&walk, periods_s[p], 30 + p, "slope");
  }
}

SN_TEST(bias_of_the_gyro_is_found_at_rest) {
  estimator_rig_open(&f, &ordinary_walk, DT_S, 3);
  estimator_rig_run_until(&f, ordinary_walk.rest_s);
  sn_assert_vec3_near(f.state->gyro_bias, ordinary_walk.gyro_bias, 5e-4);
  assert_true(f.state->is_at_rest);
}

/* Started in mid-walk, with a bias that is not known: the feet find it. */
SN_TEST(bias_of_the_gyro_is_found_while_walking) {
  walker_config walk = ordinary_walk;
  walk.rest_s = 0.0;
  estimator_rig_open(&f, &walk, DT_S, 4);
  estimator_rig_run_until(&f, 60.0);
  sn_assert_near(f.state->gyro_bias.z, walk.gyro_bias.z, 1e-3);
  sn_assert_near(f.state->gyro_bias.x, walk.gyro_bias.x, 1e-3);
}

SN_TEST(robot_starts_above_the_origin_with_the_tilt_of_the_slope) {
  walker_config walk = ordinary_walk;
  walk.rest_s = 10.0;
  walk.slope_rad = 10.0 * PER_DEGREE;
  walk.accel_bias = sn_vec3_make(0, 0, 0);
  estimator_rig_open(&f, &walk, DT_S, 5);
  estimator_rig_run_until(&f, 0.1);
  const sn_pose start = f.state->base.pose_world_base;
  sn_assert_near(start.pos.x, 0.0, 1e-12);
  sn_assert_near(start.pos.y, 0.0, 1e-12);
  estimator_rig_run_until(&f, 1.0);
  assert_true(estimator_rig_tilt_error(&f) < 3e-3);
  sn_assert_near(estimator_rig_turn_error(&f).z, 0.0, 3e-3);
}

/* Hooves turn on the ground under load, in turns all of them in the same direction. */
SN_TEST(feet_that_turn_do_not_take_the_heading_along) {
  for (int side = -1; side <= 1; side += 2) {
    walker_config walk = ordinary_walk;
    walk.feet_turn = 0.01 * side;
    estimator_rig_open(&f, &walk, DT_S, 50);
    estimator_rig_run_until(&f, walk.rest_s + 60.0);
    sn_assert_near(estimator_rig_turn_error(&f).z, 0.0, PER_DEGREE);
    sn_assert_near(f.state->gyro_bias.z, walk.gyro_bias.z, 5e-4);
  }
}

/* Root mean square of the errors of velocity and tilt while it trots. */
static void measure_trot(const walker_config *walk, double imu_delay_s, double *speed,
                         double *tilt) {
  double count = 0.0;
  *speed = *tilt = 0.0;
  estimator_rig_open(&f, walk, 0.001, 51);
  f.settings.imu_delay_s = imu_delay_s;
  estimator_rig_run_until(&f, walk->rest_s + 1.0);
  for (; f.t_s < walk->rest_s + 10.0; count += 1.0) {
    estimator_rig_cycle(&f);
    const sn_vec3 off = sn_vec3_sub(f.state->base.twist.lin, f.truth.twist.lin);
    *speed += sn_vec3_dot(off, off);
    *tilt += estimator_rig_tilt_error(&f) * estimator_rig_tilt_error(&f);
  }
  *speed = sqrt(*speed / count);
  *tilt = sqrt(*tilt / count);
}

SN_TEST(late_imu_is_joined_with_the_feet_of_its_time) {
  walker_config walk = ordinary_walk;
  walk.wobble = 0.1;
  walk.accel_bias = sn_vec3_make(0, 0, 0); /* it would tilt the base */
  walk.imu_delay_s = 0.02;
  double speed[2], tilt[2];
  measure_trot(&walk, 0.0, &speed[0], &tilt[0]);
  measure_trot(&walk, walk.imu_delay_s, &speed[1], &tilt[1]);
  if (!(speed[1] < 0.7 * speed[0]) || !(tilt[1] < 0.5 * tilt[0])) {
    fail_msg("speed %.4f instead of %.4f m/s, tilt %.4f instead of %.4f rad", speed[1], speed[0],
             tilt[1], tilt[0]);
  }
  assert_true(sn_vec3_norm(estimator_rig_place_error(&f)) < 0.01 * f.way_m);
}

/* ---- slips ---- */

SN_TEST(foot_that_slips_does_not_take_the_base_along) {
  walker_config walk = ordinary_walk;
  walk.is_walk = true;
  for (int foot = 0; foot < WALKER_FEET; foot++) {
    walk.slip_foot = foot;
    walk.slip_s = 10.0 + 0.15 * foot;
    walk.slip = sn_vec3_make(0.03, 0.02, 0.0);
    estimator_rig_open(&f, &walk, DT_S, 40 + (uint64_t)foot);
    estimator_rig_run_until(&f, walk.slip_s);
    const sn_vec3 before = estimator_rig_place_error(&f);
    estimator_rig_run_until(&f, walk.slip_s + 1.0);
    const double moved = sn_vec3_norm(sn_vec3_sub(estimator_rig_place_error(&f), before));
    if (!(moved < 0.15 * sn_vec3_norm(walk.slip))) {
      fail_msg("foot %d: a slip of 36 mm moves the base by %.1f mm", foot, 1e3 * moved);
    }
  }
}

SN_TEST(orientation_of_the_imu_helps_with_the_tilt) {
  walker_config walk = ordinary_walk;
  walk.rest_s = 100.0;
  walk.accel_bias = sn_vec3_make(0.5, 0, 0); /* alone, 0.05 rad of tilt */
  double error[2];
  for (int has = 0; has < 2; has++) {
    estimator_rig_open(&f, &walk, DT_S, 13);
    f.sample.has_orientation = has == 1;
    f.sample.orientation = sn_quat_from_mat3(f.truth.pose_world_base.rot);
    f.sample.orientation_std_rad = 0.005;
    estimator_rig_run_until(&f, 20.0);
    error[has] = estimator_rig_tilt_error(&f);
  }
  assert_true(error[0] > 0.03);
  assert_true(error[1] < 0.5 * error[0]);
}

SN_TEST(override_moves_the_base_with_its_footholds) {
  estimator_rig_open(&f, &ordinary_walk, DT_S, 14);
  estimator_rig_run_until(&f, 5.0);
  const sn_pose change = {sn_mat3_from_rpy(0, 0, 0.7), {2, -1, 0}};
  sn__estimator_move(f.estimator, sn_pose_mul(change, f.state->base.pose_world_base), NULL);
  estimator_rig_run_until(&f, 10.0);
  const sn_pose expected = sn_pose_mul(change, f.truth.pose_world_base);
  sn_assert_vec3_near(f.state->base.pose_world_base.pos, expected.pos, 0.02);
}
