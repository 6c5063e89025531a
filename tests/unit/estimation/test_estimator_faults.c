/* Sensors of the estimator that fail. */
#include "estimator_rig.h"
#include "sn_test.h"

static const double DT_S = 0.0056;

static estimator_rig f;

SN_TEST(silent_imu_leaves_the_feet_in_charge) {
  estimator_rig_open(&f, &ordinary_walk, DT_S, 6);
  estimator_rig_run_until(&f, 5.0);
  const sn_vec3 before = estimator_rig_place_error(&f);
  f.is_imu_silent = true;
  estimator_rig_run_until(&f, 5.1);
  assert_int_equal(f.state->imu, SN__IMU_SILENT);
  assert_int_equal(f.state->mode, SN__ESTIMATOR_FEET);
  estimator_rig_run_until(&f, 10.0);
  assert_true(sn_vec3_norm(sn_vec3_sub(estimator_rig_place_error(&f), before)) < 0.05);
  f.is_imu_silent = false;
  estimator_rig_run_until(&f, 10.2);
  assert_int_equal(f.state->imu, SN__IMU_GOOD);
  assert_int_equal(f.state->mode, SN__ESTIMATOR_FULL);
  estimator_rig_run_until(&f, 20.0);
  assert_true(sn_vec3_norm(sn_vec3_sub(estimator_rig_place_error(&f), before)) < 0.1);
  assert_true(estimator_rig_tilt_error(&f) < 0.02);
}

SN_TEST(robot_without_an_imu_is_tracked_by_its_feet) {
  estimator_rig_open(&f, &ordinary_walk, DT_S, 7);
  f.is_imu_silent = true;
  estimator_rig_run_until(&f, 12.0);
  assert_int_equal(f.state->mode, SN__ESTIMATOR_FEET);
  assert_true(sn_vec3_norm(estimator_rig_place_error(&f)) < 0.05 * f.way_m);
}

SN_TEST(frozen_imu_is_noticed_when_the_robot_moves) {
  estimator_rig_open(&f, &ordinary_walk, DT_S, 8);
  estimator_rig_run_until(&f, 1.0);
  f.is_imu_frozen = true;
  estimator_rig_run_until(&f, ordinary_walk.rest_s);
  assert_int_equal(f.state->imu, SN__IMU_GOOD); /* at rest an IMU may well report the same */
  estimator_rig_run_until(&f, ordinary_walk.rest_s + 1.0);
  assert_int_equal(f.state->imu, SN__IMU_FROZEN);
  assert_true(estimator_rig_tilt_error(&f) < 0.05);
  f.is_imu_frozen = false;
  estimator_rig_run_until(&f, ordinary_walk.rest_s + 2.0);
  assert_int_equal(f.state->imu, SN__IMU_GOOD);
  assert_true(sn_vec3_norm(estimator_rig_place_error(&f)) < 0.05);
}

static void feed_bad_samples(sn_vec3 gyro, sn_vec3 accel, sn__imu_fault expected) {
  estimator_rig_open(&f, &ordinary_walk, DT_S, 9);
  estimator_rig_run_until(&f, 5.0);
  const sn_vec3 before = estimator_rig_place_error(&f);
  f.is_imu_frozen = true;
  for (int i = 0; i < 20; i++) {
    f.sample.gyro = gyro;
    f.sample.accel = accel;
    estimator_rig_cycle(&f);
    assert_int_equal(f.state->imu, expected);
  }
  f.is_imu_frozen = false;
  estimator_rig_run_until(&f, 6.0);
  assert_int_equal(f.state->imu, SN__IMU_GOOD);
  assert_true(sn_vec3_norm(sn_vec3_sub(estimator_rig_place_error(&f), before)) < 0.02);
}

SN_TEST(samples_out_of_range_or_not_finite_are_not_used) {
  const sn_vec3 still = {0, 0, 0}, up = {0, 0, 9.81};
  feed_bad_samples(sn_vec3_make(0, 35.0, 0), up, SN__IMU_SATURATED);
  feed_bad_samples(still, sn_vec3_make(-157, 0, 0), SN__IMU_SATURATED);
  feed_bad_samples(sn_vec3_make(NAN, 0, 0), up, SN__IMU_NOT_FINITE);
  feed_bad_samples(still, sn_vec3_make(0, 0, INFINITY), SN__IMU_NOT_FINITE);
}

SN_TEST(contact_sensor_that_is_stuck_on_is_found) {
  estimator_rig_open(&f, &ordinary_walk, DT_S, 10);
  f.is_foot_forced[1] = f.forced[1] = true;
  bool is_found = false;
  while (f.t_s < 20.0) {
    estimator_rig_cycle(&f);
    is_found = is_found || f.state->feet[1] == SN__FOOT_STUCK_ON;
    for (size_t i = 0; i < WALKER_FEET; i++) {
      assert_true(i == 1 || f.state->feet[i] != SN__FOOT_STUCK_ON);
    }
  }
  assert_true(is_found);
  assert_true(sn_vec3_norm(estimator_rig_place_error(&f)) < 0.05 * f.way_m);
}

SN_TEST(contact_sensor_that_is_stuck_off_yields_to_the_command) {
  static const bool all[WALKER_FEET] = {true, true, true, true};
  walker_config walk = ordinary_walk;
  walk.rest_s = 100.0;
  estimator_rig_open(&f, &walk, DT_S, 11);
  f.is_foot_forced[2] = true;
  f.commanded = all;
  estimator_rig_run_until(&f, 0.4);
  assert_false(f.state->in_stance[2]);
  estimator_rig_run_until(&f, 2.0);
  assert_int_equal(f.state->feet[2], SN__FOOT_STUCK_OFF);
  assert_true(f.state->in_stance[2]);
}

/* Held in the air it does not fly away. */
SN_TEST(robot_without_contacts_stays_about_where_it_is) {
  walker_config walk = ordinary_walk;
  walk.rest_s = 100.0;
  estimator_rig_open(&f, &walk, DT_S, 12);
  estimator_rig_run_until(&f, 1.0);
  memset(f.is_foot_forced, true, sizeof f.is_foot_forced);
  estimator_rig_run_until(&f, 31.0);
  assert_int_equal(f.state->mode, SN__ESTIMATOR_IMU);
  assert_true(sn_vec3_norm(estimator_rig_place_error(&f)) < 0.2);
  assert_true(estimator_rig_tilt_error(&f) < 0.02);
}
