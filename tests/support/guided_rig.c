#include "guided_rig.h"

#include <string.h>

#include "program.h"
#include "sn_test.h"

/* The STS3250 of the library (servos/sts3250.yaml). */
#define SERVO                                                                         \
  "{kp: 32, alpha: [8.903, 0, 1.265, 6.776], qs: 0.2063, delta: 1, inertia: 0.0576, " \
  "load_friction: [1.567, 0]}"

static const char DEPLOYMENT[] =
    "include: [standard.yaml]\n"
    "robot: %s/desk_arm.yaml\n"
    "components:\n"
    "  plant:\n"
    "    properties:\n"
    "      default_servo_model: " SERVO
    "\n"
    "      encoder_step: %.17g\n"
    "      position_noise: 0.0003\n"
    "      initial_pose: %s\n"
    "  leader:\n"
    "    type: plant\n"
    "    properties: {default_servo_model: " SERVO
    ", encoder_step: %.17g, position_noise: 0.0003, seed: 2, gravity: [0, 0, 0]}\n"
    "  servo_inv_7param: {properties: {default_servo_model: " SERVO
    "}}\n"
    "  guide: {type: HandGuiding, properties: {default_servo_model: " SERVO
    "}}\n"
    "  lead: {type: LeaderFollower}\n"
    "connections:\n"
    "  - timer.sync -> guide.sync\n"
    "  - aggregator.joints_sorted -> guide.in_joints_sorted\n"
    "  - plant.joints_measured -> guide.in_joints_measured\n"
    "  - dynamics_inv.joints_effort -> guide.in_joints_effort\n"
    "  - servo_inv_7param.out_goals -> guide.in_goals\n"
    "  - guide.out_joints_ref -> aggregator.in_joints\n"
    "  - guide.ref_support -> aggregator.in_supports\n"
    "  - timer.sync -> lead.sync\n"
    "  - aggregator.joints_sorted -> lead.in_joints_sorted\n"
    "  - plant.joints_measured -> lead.in_joints_measured\n"
    "  - dynamics_inv.joints_effort -> lead.in_joints_effort\n"
    "  - lead.out_joints_ref -> aggregator.in_joints\n"
    "  - lead.ref_support -> aggregator.in_supports\n"
    "  - lead.out_leader_goals -> leader.goals\n"
    "%s";

static sn_tap *tap(guided_rig *b, const char *port) {
  sn_tap *out = NULL;
  if (sn_tap_open(b->d.system, port, NULL, &out, &b->d.err) != SN_OK) {
    fail_msg("%s", b->d.err.message);
  }
  return out;
}

static sn_source *source(guided_rig *b, const char *port) {
  sn_source *out = NULL;
  if (sn_source_open(b->d.system, port, NULL, &out, &b->d.err) != SN_OK) {
    fail_msg("%s", b->d.err.message);
  }
  return out;
}

static void write_deployment(guided_rig *b, const char *pose, const char *settings, bool has_arm,
                             char path[160]) {
  char text[6000];
  sn_test_folder_create(b->folder);
  snprintf(text, sizeof text, DEPLOYMENT, SINEW_ROBOTS, GUIDED_STEP, pose, GUIDED_STEP,
           has_arm ? "  - leader.joints_measured -> lead.in_leader\n" : "");
  sn_test_write(b->folder, "arm.yaml", text);
  snprintf(text, sizeof text, "include: [arm.yaml]\n%s%s", *settings == '\0' ? "" : "components:\n",
           settings);
  sn_test_write(b->folder, "d.yaml", text);
  snprintf(path, 160, "%s/d.yaml", b->folder);
}

void guided_open(guided_rig *b, const char *pose, const char *settings, bool has_arm) {
  char path[160];
  memset(b, 0, sizeof *b);
  sn_test_robot_load(&b->robot, "desk_arm");
  assert_int_equal(sn_model_pose_size(b->robot.model), GUIDED_JOINTS);
  assert_int_equal(sn_kin_create(&b->robot.arena, sn_model_tree(b->robot.model), &b->kin, NULL),
                   SN_OK);
  write_deployment(b, pose, settings, has_arm, path);
  sn_deployed_open(&b->d, path);
  b->commanded = tap(b, "aggregator.joints_sorted");
  b->measured = tap(b, "plant.joints_measured");
  b->efforts = tap(b, "dynamics_inv.joints_effort");
  b->leader_measured = tap(b, "leader.joints_measured");
  b->leader_goals = tap(b, "lead.out_leader_goals");
  b->push = source(b, "plant.push_links");
  b->push_leader = source(b, "leader.push");
  b->leader = has_arm ? NULL : source(b, "lead.in_leader");
  for (int k = 0; k < 20; k++) {
    guided_cycle(b);
  }
}

void guided_refused(const char *settings, char *problem, size_t size) {
  guided_rig b = {.push = NULL};
  char path[160];
  write_deployment(&b, "{}", settings, false, path);
  sn_deployed_init(&b.d);
  sn_status status = sn_deployed_load(&b.d, path);
  status = status == SN_OK ? sn_system_begin(b.d.system, &b.d.err) : status;
  assert_int_not_equal(status, SN_OK);
  snprintf(problem, size, "%s\n", b.d.err.message);
  for (size_t i = 0; i < sn_report_count(b.d.report); i++) {
    const size_t used = strlen(problem);
    snprintf(problem + used, size - used, "%s\n", sn_report_at(b.d.report, i)->message);
  }
  sn_deployed_free(&b.d);
  sn_test_folder_remove(b.folder);
}

void guided_close(guided_rig *b) {
  sn_tap_close(b->commanded);
  sn_tap_close(b->measured);
  sn_tap_close(b->efforts);
  sn_tap_close(b->leader_measured);
  sn_tap_close(b->leader_goals);
  sn_source_close(b->push);
  sn_source_close(b->push_leader);
  if (b->leader != NULL) {
    sn_source_close(b->leader);
  }
  sn_deployed_free(&b->d);
  sn_test_folder_remove(b->folder);
  sn_test_robot_free(&b->robot);
}

void guided_cycle(guided_rig *b) {
  sn_deployed_run(&b->d, 0.001);
  const sn_joint_state *commanded = sn_tap_read(b->commanded, NULL);
  if (commanded != NULL) {
    memcpy(b->q, commanded->position.data, sizeof b->q);
    memcpy(b->qd, commanded->velocity.data, sizeof b->qd);
  }
  const sn_joint_state *efforts = sn_tap_read(b->efforts, NULL);
  if (efforts != NULL) {
    memcpy(b->effort, efforts->effort.data, sizeof b->effort);
  }
  const sn_joint_state *measured = sn_tap_read(b->measured, NULL);
  if (measured != NULL) {
    memcpy(b->at, measured->position.data, sizeof b->at);
    memcpy(b->at_speed, measured->velocity.data, sizeof b->at_speed);
  }
}

/* The wrench acts at the centre of mass of the gripper. */
void guided_push(guided_rig *b, sn_vec3 force) {
  const sn_link *link =
      sn_model_link(b->robot.model, (size_t)sn_model_link_index(b->robot.model, "gripper_link"));
  (void)guided_tool(b, b->at);
  const sn_pose pose = sn_kin_link_pose(b->kin, link);
  const sn_vec3 arm = sn_mat3_apply(pose.rot, sn_vec3_make(0.0981 - 0.026, 0.003, -0.001));
  sn_rigid_body_state *msg = sn_source_msg(b->push);
  sn_msg_reset(&sn_rigid_body_state_type, msg);
  assert_int_equal(sn_msg_names_add(&msg->name, "gripper_link", strlen("gripper_link")), SN_OK);
  msg->wrench.count = 1;
  msg->wrench.data[0] = (sn_spatial){sn_vec3_cross(arm, force), force};
  assert_int_equal(sn_source_write(b->push), SN_OK);
}

sn_vec3 guided_tool(guided_rig *b, const double *q) {
  sn_kin_update(b->kin, q);
  return sn_kin_link_pose(b->kin, sn_model_link(b->robot.model, (size_t)sn_model_link_index(
                                                                    b->robot.model, "tool0")))
      .pos;
}

void guided_lead(guided_rig *b, const double *q, size_t count, int64_t stamp_ns) {
  sn_joint_state *msg = sn_source_msg(b->leader);
  sn_msg_reset(&sn_joint_state_type, msg);
  msg->header.stamp_ns = stamp_ns;
  for (size_t j = 0; j < count; j++) {
    const char *name = sn_model_joint(b->robot.model, j)->name;
    assert_int_equal(sn_msg_names_add(&msg->name, name, strlen(name)), SN_OK);
    msg->position.data[j] = q[j];
  }
  msg->position.count = count;
  assert_int_equal(sn_source_write(b->leader), SN_OK);
}
