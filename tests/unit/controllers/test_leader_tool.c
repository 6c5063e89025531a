/* The tool of an arm follows that of another one, of another geometry, in the standard deployment.
 */
#include <string.h>

#include "deployed.h"
#include "program.h"
#include "robot.h"
#include "sinew/ik.h"
#include "sinew/kin.h"
#include "sinew/quat.h"
#include "sn_test.h"

enum { JOINTS_MAX = 7, DELAY_MS = 10, BUS_MS = 10 };
static const double SCALE = 0.7; /* the leader has the longer arm */

/* Must not be moved. */
typedef struct pair_rig {
  sn_deployed d;
  sn_test_robot leader_robot, robot;
  const sn_chain *leader, *follower;
  char folder[64];
  sn_tap *pose;
  sn_source *source;
  double start[JOINTS_MAX];   /* of the leader */
  double q[JOINTS_MAX];       /* of the follower, commanded */
  double fastest;             /* joint of the follower in the last cycle, rad/s */
  sn_pose said[DELAY_MS + 1]; /* where the leader was, for the follower; the newest first */
} pair_rig;

/* ---- the leader ---- */

/* Two joints swing at up to 1 rad/s. */
static void leader_at(const pair_rig *b, double t_s, double *q, double *qd) {
  memcpy(q, b->start, sizeof b->start);
  memset(qd, 0, JOINTS_MAX * sizeof *qd);
  q[0] += 0.5 * sin(2.0 * t_s);
  qd[0] = cos(2.0 * t_s);
  q[5] += 0.25 * (1.0 - cos(4.0 * t_s));
  qd[5] = sin(4.0 * t_s);
}

static sn_pose leader_tool(const pair_rig *b, double t_s) {
  double q[JOINTS_MAX], qd[JOINTS_MAX];
  leader_at(b, t_s, q, qd);
  return sn_chain_fk(b->leader, q);
}

static sn_spatial leader_twist(const pair_rig *b, double t_s) {
  const double h_s = 1e-5; /* by differences: not as the library does it */
  const sn_pose before = leader_tool(b, t_s - h_s), after = leader_tool(b, t_s + h_s);
  const sn_vec3 turn = sn_mat3_log(sn_mat3_mul(after.rot, sn_mat3_transpose(before.rot)));
  return (sn_spatial){sn_vec3_scale(turn, 0.5 / h_s),
                      sn_vec3_scale(sn_vec3_sub(after.pos, before.pos), 0.5 / h_s)};
}

static void say(pair_rig *b, double t_s) {
  sn_limb_state *msg = sn_source_msg(b->source);
  sn_msg_reset(&sn_limb_state_type, msg);
  assert_int_equal(sn_msg_names_add(&msg->name, "arm", 3), SN_OK);
  msg->pose.count = msg->twist.count = 1;
  msg->pose.data[0] = sn_msg_pose_from(leader_tool(b, t_s));
  msg->twist.data[0] = leader_twist(b, t_s);
  assert_int_equal(sn_source_write(b->source), SN_OK);
}

/* ---- the follower ---- */

static const double READY[] = {0.2, 0.3, 0.4, 0.1, 0.9, 0.0};

/* A pose of the leader with the orientation of the follower's tool, in the middle of its reach. */
static void find_start(pair_rig *b, sn_pose tool) {
  const sn_model *model = b->leader_robot.model;
  const char *tip = sn_model_link(model, (size_t)b->leader->last_link)->name;
  const sn_ik_config config = {
      .base_frame = sn_model_link(model, (size_t)b->leader->first_link)->name,
      .tip_frames = &tip,
      .tip_count = 1};
  sn_ik *ik = NULL;
  assert_int_equal(sn_ik_create(&b->leader_robot.arena, model, &config, &ik, NULL), SN_OK);
  static const double seed[JOINTS_MAX] = {0.2, 0.5, 0.1, 1.2, 0.1, 0.9, 0.0};
  const sn_pose goal = {tool.rot, sn_chain_fk(b->leader, seed).pos};
  assert_int_equal(sn_ik_search(ik, &goal, 1, seed, JOINTS_MAX, 1.0, NULL, b->start, NULL),
                   SN_IK_OK);
}

static void pair_open(pair_rig *b) {
  char text[1600], path[160];
  *b = (pair_rig){.fastest = 0.0};
  sn_test_robot_load(&b->leader_robot, "arm7");
  sn_test_robot_load(&b->robot, "arm6");
  b->leader = sn_model_chain(b->leader_robot.model, 0, false);
  b->follower = sn_model_chain(b->robot.model, 0, false);
  const sn_pose tool = sn_chain_fk(b->follower, READY);
  find_start(b, tool);
  const sn_vec3 at =
      sn_vec3_sub(tool.pos, sn_vec3_scale(sn_chain_fk(b->leader, b->start).pos, SCALE));
  sn_test_folder_create(b->folder);
  snprintf(text, sizeof text,
           "include: [standard.yaml]\nrobot: %s/arm6.yaml\ncomponents:\n"
           "  aggregator: {properties: {initial_pose: {joint1: 0.2, joint2: 0.3, joint3: 0.4, "
           "joint4: 0.1, joint5: 0.9, joint6: 0}}}\n"
           "  point: {type: FollowPose, services: {smoothing: {type: jerk_limited_rigid_body, "
           "properties: {velocity: 1, angular_velocity: 2.5, acceleration_time: 0.1, jerk_time: "
           "0.02}}}, properties: {leader_scale: %.17g, "
           "leader_offset: [%.17g, %.17g, %.17g]}}\n"
           "connections:\n  - timer.sync -> point.sync\n"
           "  - aggregator.joints_sorted -> point.in_joints_sorted\n"
           "  - point.out_joints_ref -> aggregator.in_joints\n"
           "  - point.out_supports -> aggregator.in_supports\n",
           SINEW_ROBOTS, SCALE, at.x, at.y, at.z);
  sn_test_write(b->folder, "d.yaml", text);
  snprintf(path, sizeof path, "%s/d.yaml", b->folder);
  sn_deployed_open(&b->d, path);
  assert_int_equal(sn_tap_open(b->d.system, "aggregator.joints_sorted", NULL, &b->pose, &b->d.err),
                   SN_OK);
  assert_int_equal(sn_source_open(b->d.system, "point.in_leader", NULL, &b->source, &b->d.err),
                   SN_OK);
  sn_deployed_run(&b->d, 0.05);
  assert_true(sn_deployed_switch(&b->d, "point", true, NULL));
}

static void pair_close(pair_rig *b) {
  sn_tap_close(b->pose);
  sn_source_close(b->source);
  sn_deployed_free(&b->d);
  sn_test_folder_remove(b->folder);
  sn_test_robot_free(&b->robot);
  sn_test_robot_free(&b->leader_robot);
}

static void cycle(pair_rig *b) {
  sn_deployed_run(&b->d, 0.001);
  const sn_joint_state *pose = sn_tap_read(b->pose, NULL);
  b->fastest = 0.0;
  for (size_t j = 0; j < b->follower->joint_count; j++) {
    const double q = pose->position.data[b->follower->joints[j]];
    b->fastest = fmax(b->fastest, fabs(q - b->q[j]) / 1e-3);
    b->q[j] = q;
  }
}

/* The least distance from where the leader was within the delay: m of the leader's, and rad. */
static void find_error(const pair_rig *b, sn_vec3 offset, double *m, double *rad) {
  const sn_pose tool = sn_chain_fk(b->follower, b->q);
  *m = *rad = INFINITY;
  for (size_t i = 0; i <= DELAY_MS; i++) {
    const sn_vec3 goal = sn_vec3_add(sn_vec3_scale(b->said[i].pos, SCALE), offset);
    *m = fmin(*m, sn_vec3_norm(sn_vec3_sub(tool.pos, goal)) / SCALE);
    *rad = fmin(
        *rad, sn_vec3_norm(sn_mat3_log(sn_mat3_mul(tool.rot, sn_mat3_transpose(b->said[i].rot)))));
  }
}

static sn_vec3 offset_of(const pair_rig *b) {
  return sn_vec3_sub(sn_chain_fk(b->follower, READY).pos,
                     sn_vec3_scale(sn_chain_fk(b->leader, b->start).pos, SCALE));
}

/* From one time to another; the leader speaks once in @p every ms. The errors are the largest. */
static void follow(pair_rig *b, int from_ms, int to_ms, int every, double *m, double *rad) {
  const sn_vec3 offset = offset_of(b);
  for (int k = from_ms; k < to_ms; k++) {
    double now_m = 0.0, now_rad = 0.0;
    if (k % every == 0) {
      say(b, 1e-3 * k);
    }
    memmove(&b->said[1], &b->said[0], DELAY_MS * sizeof *b->said);
    b->said[0] = leader_tool(b, 1e-3 * k);
    cycle(b);
    find_error(b, offset, &now_m, &now_rad);
    *m = fmax(*m, now_m);
    *rad = fmax(*rad, now_rad);
  }
}

/* 5 mrad of the leader's joints, at the distance of its tool from its base. */
static double allowed_m(const pair_rig *b) {
  return 5e-3 * sn_vec3_norm(sn_chain_fk(b->leader, b->start).pos);
}

SN_TEST(tool_is_within_ten_milliseconds_and_five_milliradians_of_the_leaders) {
  static const int every[] = {1, BUS_MS};
  for (size_t i = 0; i < sizeof every / sizeof *every; i++) {
    pair_rig b;
    double ignored = 0.0, m = 0.0, rad = 0.0;
    pair_open(&b);
    follow(&b, 0, 2000, every[i], &ignored, &ignored);
    follow(&b, 2000, 8000, every[i], &m, &rad);
    print_message("a message in %d ms: %.2f mm of %.2f mm, %.2f mrad\n", every[i], 1e3 * m,
                  1e3 * allowed_m(&b), 1e3 * rad);
    assert_true(m <= allowed_m(&b));
    assert_true(rad <= 5e-3);
    assert_int_equal(sn_deployed_count_log(&b.d, "cannot get there"), 0);
    pair_close(&b);
  }
}

SN_TEST(tool_holds_when_the_leader_is_unplugged_in_motion) {
  pair_rig b;
  double ignored = 0.0, before[JOINTS_MAX];
  pair_open(&b);
  follow(&b, 0, 3140, BUS_MS, &ignored, &ignored);
  assert_true(b.fastest > 0.5);
  const sn_vec3 at = sn_chain_fk(b.follower, b.q).pos;
  double fastest = 0.0;
  for (int k = 0; k < 500; k++) {
    cycle(&b);
    fastest = fmax(fastest, b.fastest);
  }
  assert_int_equal(sn_deployed_count_log(&b.d, "the leader is silent for more than 0.1 s"), 1);
  assert_true(b.fastest < 1e-3);
  const double way = sn_vec3_norm(sn_vec3_sub(sn_chain_fk(b.follower, b.q).pos, at));
  print_message("unplugged: %.1f mm to rest, at most %.2f rad/s\n", 1e3 * way, fastest);
  assert_true(way < 0.1 * SCALE); /* the speed of the tool for the time-out */
  memcpy(before, b.q, sizeof before);
  for (int k = 0; k < 1000; k++) {
    cycle(&b);
  }
  for (size_t j = 0; j < b.follower->joint_count; j++) {
    sn_assert_near(b.q[j], before[j], 1e-6);
  }
  /* It is back, elsewhere: nothing jumps. */
  fastest = 0.0;
  for (int k = 4000; k < 6000; k++) {
    follow(&b, k, k + 1, BUS_MS, &ignored, &ignored);
    fastest = fmax(fastest, b.fastest);
  }
  assert_true(fastest < 4.0);
  pair_close(&b);
}
