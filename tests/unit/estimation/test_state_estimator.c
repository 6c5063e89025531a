/* The components odometry and state_estimator, with the quadruped. */
#include <string.h>

#include "base_rig.h"
#include "sinew/msg_estimation.h"
#include "sn_test.h"

static base_rig f;

/* Height of a sole in the base at the present pose. */
static double sole_height(void) {
  sn_kin_update(f.kin, f.q);
  const int link = sn_model_link_index(f.m.model, "leg1_link5");
  return sn_kin_link_pose(f.kin, sn_model_link(f.m.model, (size_t)link)).pos.z - 0.025;
}

SN_TEST(standing_robot_is_as_high_as_its_legs) {
  base_rig_open_estimator(&f);
  base_rig_run(&f, 1000);
  const sn_pose base = base_rig_pose(&f);
  sn_assert_near(base.pos.z, -sole_height(), 2e-3);
  sn_assert_near(base.pos.x, 0.0, 1e-3);
  sn_assert_near(base.rot.z.z, 1.0, 1e-4);
  const sn_estimator_status *status = sn_tap_read(f.status, NULL);
  assert_string_equal(status->mode.data, "full");
  assert_string_equal(status->imu.data, "good");
  assert_true(status->at_rest);
  assert_int_equal(status->foot.count, 4);
  assert_int_equal(status->standing.count, 4);
  assert_string_equal(sn_msg_names_at(&status->state, 3), "good");
  base_rig_close(&f);
}

SN_TEST(silent_imu_and_contacts_are_reported_once) {
  base_rig_open_estimator(&f);
  base_rig_run(&f, 500);
  (void)rig_drain_log(&f.m.r, SN_LOG_WARNING, NULL, 0);
  for (int i = 0; i < 500; i++) {
    model_rig_write_pose(&f.m, f.joints, f.q, f.qd);
    model_rig_cycle(&f.m);
  }
  char last[256];
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, last, sizeof last), 2);
  const sn_estimator_status *status = sn_tap_read(f.status, NULL);
  assert_string_equal(status->imu.data, "silent");
  assert_string_equal(status->mode.data, "feet");
  base_rig_close(&f);
}

SN_TEST(silent_joints_take_the_feet_away) {
  base_rig_open_estimator(&f);
  base_rig_run(&f, 500);
  (void)rig_drain_log(&f.m.r, SN_LOG_WARNING, NULL, 0);
  for (int i = 0; i < 200; i++) {
    base_rig_write_imu(&f);
    base_rig_write_supports(f.contacts, "1111");
    model_rig_cycle(&f.m);
  }
  char last[256];
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, last, sizeof last), 1);
  sn_assert_contains(last, "joints_measured: silent");
  const sn_estimator_status *status = sn_tap_read(f.status, NULL);
  assert_string_equal(status->mode.data, "imu");
  base_rig_close(&f);
}

SN_TEST(start_in_the_air_is_reported) {
  base_rig_open_estimator(&f);
  for (int i = 0; i < 500; i++) {
    model_rig_write_pose(&f.m, f.joints, f.q, f.qd);
    base_rig_write_imu(&f);
    base_rig_write_supports(f.contacts, "0000");
    model_rig_cycle(&f.m);
  }
  char last[256];
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, last, sizeof last), 1);
  sn_assert_contains(last, "no foot touches the ground");
  base_rig_close(&f);
}

static void write_base(const char *name, double x, double norm) {
  sn_rigid_body_state *msg = sn_source_msg(f.in_base);
  sn_msg_names_clear(&msg->name);
  assert_int_equal(sn_msg_names_add(&msg->name, name, strlen(name)), SN_OK);
  msg->pose.count = 1;
  msg->twist.count = 0;
  msg->pose.data[0] = (sn_msg_pose){{x, 2, 0.5}, {0, 0, 0, norm}};
  assert_int_equal(sn_source_write(f.in_base), SN_OK);
}

SN_TEST(override_of_the_base_counts_if_it_is_valid) {
  base_rig_open_estimator(&f);
  base_rig_run(&f, 500);
  write_base("base_link", 1.0, 1.0);
  base_rig_run(&f, 100);
  sn_assert_near(base_rig_pose(&f).pos.x, 1.0, 1e-3);
  sn_assert_near(base_rig_pose(&f).pos.y, 2.0, 1e-3);
  (void)rig_drain_log(&f.m.r, SN_LOG_WARNING, NULL, 0);
  write_base("head", 5.0, 1.0);
  base_rig_run(&f, 1);
  write_base("base_link", 5.0, 0.0);
  base_rig_run(&f, 1);
  sn_assert_near(base_rig_pose(&f).pos.x, 1.0, 1e-3);
  char last[256];
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, last, sizeof last), 1);
  sn_assert_contains(last, "in_base: message ignored");
  base_rig_close(&f);
}

SN_TEST(fallen_robot_asks_for_an_emergency_stop) {
  base_rig_open_estimator(&f);
  base_rig_run(&f, 400);
  (void)rig_drain_log(&f.m.r, SN_LOG_WARNING, NULL, 0);
  f.gyro = sn_vec3_make(3.0, 0, 0);
  base_rig_run(&f, 400); /* more than a radian */
  char last[256];
  assert_true(rig_drain_log(&f.m.r, SN_LOG_ERROR, last, sizeof last) >= 1);
  sn_assert_contains(last, "the robot falls");
  base_rig_close(&f);
}

static void feed(void *context) {
  base_rig_feed(context);
}

SN_TEST(cycles_of_the_estimator_touch_no_heap) {
  base_rig_open_estimator(&f);
  base_rig_run(&f, 10);
  model_rig_cycle_without_heap(&f.m, 500, feed, &f);
  base_rig_close(&f);
}

/* ---- odometry ---- */

static void write_limbs(double x, const char *supports) {
  sn_limb_state *msg = sn_source_msg(f.limbs);
  const sn_names *chains = sn_model_chain_names(f.m.model);
  sn_kin_update(f.kin, f.q);
  sn_msg_names_share(&msg->name, chains);
  msg->pose.count = sn_names_count(chains);
  for (size_t i = 0; i < msg->pose.count; i++) {
    const sn_chain *chain = sn_model_chain(f.m.model, i, true);
    sn_pose tip = sn_kin_link_pose(f.kin, sn_model_link(f.m.model, (size_t)chain->last_link));
    tip.pos.x += x;
    msg->pose.data[i] = sn_msg_pose_from(tip);
  }
  base_rig_write_supports(f.supports, supports);
  assert_int_equal(sn_source_write(f.limbs), SN_OK);
  model_rig_cycle(&f.m);
  sn_msg_names_clear(&msg->name);
}

SN_TEST(odometry_moves_the_base_against_the_feet) {
  base_rig_open_odometry(&f);
  write_limbs(0.0, "1111");
  sn_assert_near(base_rig_pose(&f).pos.z, -sole_height(), 1e-9);
  for (int i = 1; i <= 20; i++) {
    write_limbs(-0.001 * i, i < 10 ? "1111" : "0110");
    sn_assert_near(base_rig_pose(&f).pos.x, 0.001 * i, 1e-9);
  }
  write_base("base_link", 7.0, 1.0);
  write_limbs(-0.020, "0110");
  sn_assert_near(base_rig_pose(&f).pos.x, 7.0, 1e-9);
  base_rig_close(&f);
}
