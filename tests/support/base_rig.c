#include "base_rig.h"

#include <string.h>

#include "sinew/components.h"
#include "sinew/msg_estimation.h"
#include "sn_test.h"

static void open_robot(base_rig *b) {
  memset(b, 0, sizeof *b);
  model_rig_open(&b->m, "quadruped");
  b->noise = 1e-4;
  b->contacted = "1111";
  b->accel = sn_vec3_make(0, 0, 9.81);
  assert_int_equal(sn_kin_create(&b->m.arena, sn_model_tree(b->m.model), &b->kin, NULL), SN_OK);
}

void base_rig_open_estimator(base_rig *b) {
  open_robot(b);
  b->component = model_rig_add(&b->m, &sn_state_estimator_component, "est");
  b->joints = model_rig_source(&b->m, "est.joints_measured");
  b->imu = model_rig_source(&b->m, "est.imu");
  b->contacts = model_rig_source(&b->m, "est.contacts");
  b->supports = model_rig_source(&b->m, "est.in_supports");
  b->in_base = model_rig_source(&b->m, "est.in_base");
  b->base = model_rig_tap(&b->m, "est.out_base");
  b->status = model_rig_tap(&b->m, "est.out_status");
  b->fall = model_rig_tap(&b->m, "est.fall");
  rig_begin(&b->m.r);
}

void base_rig_open_odometry(base_rig *b) {
  open_robot(b);
  b->component = model_rig_add(&b->m, &sn_odometry_component, "odo");
  b->limbs = model_rig_source(&b->m, "odo.in_limbs");
  b->supports = model_rig_source(&b->m, "odo.in_supports");
  b->in_base = model_rig_source(&b->m, "odo.in_base");
  b->base = model_rig_tap(&b->m, "odo.out_base");
  rig_begin(&b->m.r);
}

void base_rig_close(base_rig *b) {
  sn_source *const sources[] = {b->joints, b->imu, b->contacts, b->supports, b->in_base, b->limbs};
  for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
    if (sources[i] != NULL) {
      sn_source_close(sources[i]);
    }
  }
  sn_tap_close(b->base);
  if (b->status != NULL) {
    sn_tap_close(b->status);
    sn_tap_close(b->fall);
  }
  model_rig_close(&b->m);
}

void base_rig_write_imu(base_rig *b) {
  sn_imu *msg = sn_source_msg(b->imu);
  b->noise = -b->noise;
  msg->angular_velocity = sn_vec3_add(b->gyro, sn_vec3_make(b->noise, 0, 0));
  msg->linear_acceleration = b->accel;
  msg->orientation_covariance[0] = -1.0;
  assert_int_equal(sn_source_write(b->imu), SN_OK);
}

/* @param pattern  '1' or '0' for each leg */
void base_rig_write_supports(sn_source *source, const char *pattern) {
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

void base_rig_feed(base_rig *b) {
  model_rig_write_pose(&b->m, b->joints, b->q, b->qd);
  base_rig_write_imu(b);
  base_rig_write_supports(b->contacts, b->contacted);
}

void base_rig_run(base_rig *b, int cycles) {
  for (int i = 0; i < cycles; i++) {
    base_rig_feed(b);
    model_rig_cycle(&b->m);
  }
}

sn_pose base_rig_pose(base_rig *b) {
  const sn_rigid_body_state *msg = sn_tap_read(b->base, NULL);
  assert_non_null(msg);
  assert_string_equal(msg->header.frame_id.data, "odom");
  assert_int_equal(msg->name.count, 1);
  assert_string_equal(sn_msg_names_at(&msg->name, 0), "base_link");
  return sn_pose_from_msg(msg->pose.data[0]);
}
