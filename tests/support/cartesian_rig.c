#include "cartesian_rig.h"

#include <math.h>
#include <string.h>

#include "program.h"
#include "sinew/quat.h"
#include "sn_test.h"

static sn_tap *tap(cartesian_rig *b, const char *port) {
  sn_tap *out = NULL;
  if (sn_tap_open(b->d.system, port, NULL, &out, &b->d.err) != SN_OK) {
    fail_msg("%s", b->d.err.message);
  }
  return out;
}

static sn_source *source(cartesian_rig *b, const char *port) {
  sn_source *out = NULL;
  if (sn_source_open(b->d.system, port, NULL, &out, &b->d.err) != SN_OK) {
    fail_msg("%s", b->d.err.message);
  }
  return out;
}

void cartesian_open_at(cartesian_rig *b, const char *who, const char *settings, const char *start) {
  char text[1200], path[160], port[64];
  *b = (cartesian_rig){.n = 0};
  sn_test_robot_load(&b->robot, "quadruped");
  b->n = sn_model_pose_size(b->robot.model);
  assert_int_equal(sn_kin_create(&b->robot.arena, sn_model_tree(b->robot.model), &b->kin, NULL),
                   SN_OK);
  sn_test_folder_create(b->folder);
  snprintf(text, sizeof text,
           "include: [standard.yaml]\nrobot: %s/quadruped.yaml\ncomponents:\n"
           "  plant: {properties: {start_pose: %s}}\n"
           "  point: {type: FollowPose, properties: {controlled_chains: [leg1]}}\n%s"
           "connections:\n  - timer.sync -> point.sync\n"
           "  - aggregator.joints_sorted -> point.in_joints_sorted\n"
           "  - point.out_joints_ref -> aggregator.in_joints\n"
           "  - point.out_supports -> aggregator.in_supports\n",
           SINEW_ROBOTS, start, settings);
  sn_test_write(b->folder, "d.yaml", text);
  snprintf(path, sizeof path, "%s/d.yaml", b->folder);
  sn_deployed_open(&b->d, path);
  b->pose = tap(b, "aggregator.joints_sorted");
  snprintf(port, sizeof port, "%s.out_joints_ref", who);
  b->joints = tap(b, port);
  snprintf(port, sizeof port, "%s.out_supports", who);
  b->supports = tap(b, port);
  snprintf(port, sizeof port, "%s.out_limbs_ref", who);
  b->limbs = tap(b, port);
  b->base = tap(b, "stance.out_base_ref");
  b->base_ref = source(b, "stance.in_base_ref");
  b->pose_ref = source(b, "point.in_pose_ref");
  b->point_ref = source(b, "look.in_point_ref");
  snprintf(port, sizeof port, "%s.in_base", who);
  b->in_base = source(b, port);
  sn_deployed_run(&b->d, 0.05);
}

void cartesian_open(cartesian_rig *b, const char *who, const char *settings) {
  cartesian_open_at(b, who, settings, "movable");
}

void cartesian_close(cartesian_rig *b) {
  sn_tap *const taps[] = {b->pose, b->joints, b->supports, b->base, b->limbs};
  sn_source *const sources[] = {b->base_ref, b->in_base, b->pose_ref, b->point_ref};
  for (size_t i = 0; i < 5; i++) {
    sn_tap_close(taps[i]);
  }
  for (size_t i = 0; i < 4; i++) {
    sn_source_close(sources[i]);
  }
  sn_deployed_free(&b->d);
  sn_test_folder_remove(b->folder);
  sn_test_robot_free(&b->robot);
}

void cartesian_cycles(cartesian_rig *b, int count) {
  for (int k = 0; k < count; k++) {
    sn_deployed_run(&b->d, 0.001);
    const sn_joint_state *pose = sn_tap_read(b->pose, NULL);
    for (size_t j = 0; j < b->n; j++) {
      const double most = sn_model_joint(b->robot.model, j)->velocity_max * 1e-3;
      assert_true(!b->has_pose || fabs(pose->position.data[j] - b->q[j]) <= most + 1e-12);
      b->q[j] = pose->position.data[j];
    }
    b->has_pose = true;
  }
}

sn_pose cartesian_link(cartesian_rig *b, const char *name) {
  sn_kin_update(b->kin, b->q);
  return sn_kin_link_pose(
      b->kin, sn_model_link(b->robot.model, (size_t)sn_model_link_index(b->robot.model, name)));
}

void cartesian_write_body(sn_source *to, const char *frame, const char *name, sn_pose pose) {
  sn_rigid_body_state *msg = sn_source_msg(to);
  sn_msg_reset(&sn_rigid_body_state_type, msg);
  assert_int_equal(sn_msg_text_set(&msg->header.frame_id, frame), SN_OK);
  assert_int_equal(sn_msg_names_add(&msg->name, name, strlen(name)), SN_OK);
  msg->pose.count = 1;
  msg->pose.data[0] = sn_msg_pose_from(pose);
}

void cartesian_want_base(cartesian_rig *b, sn_pose pose) {
  cartesian_write_body(b->base_ref, "odom", "base_link", pose);
  assert_int_equal(sn_source_write(b->base_ref), SN_OK);
}

void cartesian_want_pose(cartesian_rig *b, const char *frame, sn_pose pose) {
  sn_pose_stamped *msg = sn_source_msg(b->pose_ref);
  assert_int_equal(sn_msg_text_set(&msg->header.frame_id, frame), SN_OK);
  msg->pose = sn_msg_pose_from(pose);
  assert_int_equal(sn_source_write(b->pose_ref), SN_OK);
}

void cartesian_want_point(cartesian_rig *b, const char *frame, sn_vec3 point) {
  sn_point_stamped *msg = sn_source_msg(b->point_ref);
  assert_int_equal(sn_msg_text_set(&msg->header.frame_id, frame), SN_OK);
  msg->point = point;
  assert_int_equal(sn_source_write(b->point_ref), SN_OK);
}

sn_pose cartesian_base(cartesian_rig *b) {
  const sn_rigid_body_state *msg = sn_tap_read(b->base, NULL);
  assert_non_null(msg);
  assert_string_equal(msg->header.frame_id.data, "odom");
  return sn_pose_from_msg(msg->pose.data[0]);
}
