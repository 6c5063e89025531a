/* The components odometry and state_estimator, with the quadruped. */
#include <string.h>

#include "model_rig.h"
#include "sinew/components.h"
#include "sinew/kin.h"
#include "sinew/msg_estimation.h"
#include "sn_test.h"

#define JOINTS_MAX 32

typedef struct fixture {
  model_rig m;
  sn_component *component;
  sn_source *joints, *imu, *contacts, *supports, *in_base, *limbs;
  sn_tap *base, *status;
  sn_kin_data *kin;
  size_t n;
  double q[JOINTS_MAX], qd[JOINTS_MAX];
  sn_vec3 gyro, accel;
  double noise; /* so that the IMU does not look frozen */
} fixture;

static fixture f;

static void open_robot(void) {
  memset(&f, 0, sizeof f);
  model_rig_open(&f.m, "quadruped");
  f.n = sn_model_pose_size(f.m.model);
  f.accel = sn_vec3_make(0, 0, 9.81);
  assert_int_equal(sn_kin_create(&f.m.arena, sn_model_tree(f.m.model), &f.kin, NULL), SN_OK);
}

static void open_estimator(void) {
  open_robot();
  f.component = model_rig_add(&f.m, &sn_state_estimator_component, "est");
  f.joints = model_rig_source(&f.m, "est.joints_measured");
  f.imu = model_rig_source(&f.m, "est.imu");
  f.contacts = model_rig_source(&f.m, "est.contacts");
  f.supports = model_rig_source(&f.m, "est.in_supports");
  f.in_base = model_rig_source(&f.m, "est.in_base");
  f.base = model_rig_tap(&f.m, "est.out_base");
  f.status = model_rig_tap(&f.m, "est.out_status");
  rig_begin(&f.m.r);
}

static void open_odometry(void) {
  open_robot();
  f.component = model_rig_add(&f.m, &sn_odometry_component, "odo");
  f.limbs = model_rig_source(&f.m, "odo.in_limbs");
  f.supports = model_rig_source(&f.m, "odo.in_supports");
  f.in_base = model_rig_source(&f.m, "odo.in_base");
  f.base = model_rig_tap(&f.m, "odo.out_base");
  rig_begin(&f.m.r);
}

static void close_all(void) {
  sn_source *const sources[] = {f.joints, f.imu, f.contacts, f.supports, f.in_base, f.limbs};
  for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
    if (sources[i] != NULL) {
      sn_source_close(sources[i]);
    }
  }
  sn_tap_close(f.base);
  if (f.status != NULL) {
    sn_tap_close(f.status);
  }
  model_rig_close(&f.m);
}

static void write_imu(void) {
  sn_imu *msg = sn_source_msg(f.imu);
  f.noise = f.noise == 1e-4 ? -1e-4 : 1e-4;
  msg->angular_velocity = sn_vec3_add(f.gyro, sn_vec3_make(f.noise, 0, 0));
  msg->linear_acceleration = f.accel;
  msg->orientation_covariance[0] = -1.0;
  assert_int_equal(sn_source_write(f.imu), SN_OK);
}

/* @param pattern  '1' or '0' for each leg */
static void write_supports(sn_source *source, const char *pattern) {
  static const char *const names[] = {"leg1", "leg2", "leg3", "leg4"};
  sn_support_state *msg = sn_source_msg(source);
  sn_msg_reset(&sn_support_state_type, msg);
  for (size_t i = 0; pattern[i] != '\0'; i++) {
    assert_int_equal(sn_msg_names_add(&msg->name, names[i], 4), SN_OK);
    assert_int_equal(sn_msg_names_add(&msg->contact, "", 0), SN_OK);
    msg->support.data[msg->support.count++] = pattern[i] == '1' ? 1.0 : 0.0;
  }
  assert_int_equal(sn_source_write(source), SN_OK);
}

static void cycle(void *context) {
  (void)context;
  model_rig_write_pose(&f.m, f.joints, f.q, f.qd);
  write_imu();
  write_supports(f.contacts, "1111");
}

static void run(int cycles) {
  for (int i = 0; i < cycles; i++) {
    cycle(NULL);
    model_rig_cycle(&f.m);
  }
}

static sn_pose base_now(void) {
  const sn_rigid_body_state *msg = sn_tap_read(f.base, NULL);
  assert_non_null(msg);
  assert_string_equal(msg->header.frame_id.data, "odom");
  assert_int_equal(msg->name.count, 1);
  assert_string_equal(sn_msg_names_at(&msg->name, 0), "base_link");
  return sn_pose_from_msg(msg->pose.data[0]);
}

/* Height of a sole in the base at the present pose. */
static double sole_height(void) {
  sn_kin_update(f.kin, f.q);
  const int link = sn_model_link_index(f.m.model, "leg1_link5");
  return sn_kin_link_pose(f.kin, sn_model_link(f.m.model, (size_t)link)).pos.z - 0.025;
}

SN_TEST(standing_robot_is_as_high_as_its_legs) {
  open_estimator();
  run(1000);
  const sn_pose base = base_now();
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
  close_all();
}

SN_TEST(silent_imu_and_contacts_are_reported_once) {
  open_estimator();
  run(500);
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
  close_all();
}

SN_TEST(silent_joints_take_the_feet_away) {
  open_estimator();
  run(500);
  (void)rig_drain_log(&f.m.r, SN_LOG_WARNING, NULL, 0);
  for (int i = 0; i < 200; i++) {
    write_imu();
    write_supports(f.contacts, "1111");
    model_rig_cycle(&f.m);
  }
  char last[256];
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, last, sizeof last), 1);
  sn_assert_contains(last, "joints_measured: silent");
  const sn_estimator_status *status = sn_tap_read(f.status, NULL);
  assert_string_equal(status->mode.data, "imu");
  close_all();
}

SN_TEST(start_in_the_air_is_reported) {
  open_estimator();
  for (int i = 0; i < 500; i++) {
    model_rig_write_pose(&f.m, f.joints, f.q, f.qd);
    write_imu();
    write_supports(f.contacts, "0000");
    model_rig_cycle(&f.m);
  }
  char last[256];
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, last, sizeof last), 1);
  sn_assert_contains(last, "no foot touches the ground");
  close_all();
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
  open_estimator();
  run(500);
  write_base("base_link", 1.0, 1.0);
  run(100);
  sn_assert_near(base_now().pos.x, 1.0, 1e-3);
  sn_assert_near(base_now().pos.y, 2.0, 1e-3);
  (void)rig_drain_log(&f.m.r, SN_LOG_WARNING, NULL, 0);
  write_base("head", 5.0, 1.0);
  run(1);
  write_base("base_link", 5.0, 0.0);
  run(1);
  sn_assert_near(base_now().pos.x, 1.0, 1e-3);
  char last[256];
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, last, sizeof last), 1);
  sn_assert_contains(last, "in_base: message ignored");
  close_all();
}

SN_TEST(fallen_robot_asks_for_an_emergency_stop) {
  open_estimator();
  run(400);
  (void)rig_drain_log(&f.m.r, SN_LOG_WARNING, NULL, 0);
  f.gyro = sn_vec3_make(3.0, 0, 0);
  run(400); /* more than a radian */
  char last[256];
  assert_true(rig_drain_log(&f.m.r, SN_LOG_ERROR, last, sizeof last) >= 1);
  sn_assert_contains(last, "the robot falls");
  close_all();
}

SN_TEST(cycles_of_the_estimator_touch_no_heap) {
  open_estimator();
  run(10);
  model_rig_cycle_without_heap(&f.m, 500, cycle, NULL);
  close_all();
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
  write_supports(f.supports, supports);
  assert_int_equal(sn_source_write(f.limbs), SN_OK);
  model_rig_cycle(&f.m);
  sn_msg_names_clear(&msg->name);
}

SN_TEST(odometry_moves_the_base_against_the_feet) {
  open_odometry();
  write_limbs(0.0, "1111");
  sn_assert_near(base_now().pos.z, -sole_height(), 1e-9);
  for (int i = 1; i <= 20; i++) {
    write_limbs(-0.001 * i, i < 10 ? "1111" : "0110");
    sn_assert_near(base_now().pos.x, 0.001 * i, 1e-9);
  }
  write_base("base_link", 7.0, 1.0);
  write_limbs(-0.020, "0110");
  sn_assert_near(base_now().pos.x, 7.0, 1e-9);
  close_all();
}
