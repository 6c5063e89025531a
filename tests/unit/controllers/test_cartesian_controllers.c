/* FollowStance, FollowPose and LookAt in the standard deployment with the quadruped: what every
   controller promises, and bad input. */
#include <math.h>
#include <string.h>

#include "allocation.h"
#include "deployed.h"
#include "msg/msg_names_internal.h"
#include "program.h"
#include "robot.h"
#include "sinew/kin.h"
#include "sinew/msg_types.h"
#include "sinew/quat.h"
#include "sn_test.h"

enum { JOINTS_MAX = 40 };

typedef struct bench {
  sn_deployed d;
  sn_test_robot robot;
  char folder[64];
  sn_kin_data *kin;
  size_t n;
  sn_tap *pose, *joints, *supports, *base, *limbs;
  sn_source *base_ref, *in_base, *pose_ref, *point_ref;
  double q[JOINTS_MAX], last[JOINTS_MAX];
  bool has_pose;
} bench;

static sn_tap *tap(bench *b, const char *port) {
  sn_tap *out = NULL;
  if (sn_tap_open(b->d.system, port, NULL, &out, &b->d.err) != SN_OK) {
    fail_msg("%s", b->d.err.message);
  }
  return out;
}

static sn_source *source(bench *b, const char *port) {
  sn_source *out = NULL;
  if (sn_source_open(b->d.system, port, NULL, &out, &b->d.err) != SN_OK) {
    fail_msg("%s", b->d.err.message);
  }
  return out;
}

/* @param who  the controller under test; `point` is a FollowPose */
static void bench_open_at(bench *b, const char *who, const char *settings, const char *start) {
  char text[1200], path[160], port[64];
  *b = (bench){.n = 0};
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

static void bench_open(bench *b, const char *who, const char *settings) {
  bench_open_at(b, who, settings, "movable");
}

static void bench_close(bench *b) {
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

/* So many cycles; no joint is faster than it may be. */
static void cycles(bench *b, int count) {
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

static sn_pose link_of(bench *b, const char *name) {
  sn_kin_update(b->kin, b->q);
  return sn_kin_link_pose(
      b->kin, sn_model_link(b->robot.model, (size_t)sn_model_link_index(b->robot.model, name)));
}

static void write_body(sn_source *to, const char *frame, const char *name, sn_pose pose) {
  sn_rigid_body_state *msg = sn_source_msg(to);
  sn_msg_reset(&sn_rigid_body_state_type, msg);
  assert_int_equal(sn_msg_text_set(&msg->header.frame_id, frame), SN_OK);
  assert_int_equal(sn_msg_names_add(&msg->name, name, strlen(name)), SN_OK);
  msg->pose.count = 1;
  msg->pose.data[0] = sn_msg_pose_from(pose);
}

static void want_base(bench *b, sn_pose pose) {
  write_body(b->base_ref, "odom", "base_link", pose);
  assert_int_equal(sn_source_write(b->base_ref), SN_OK);
}

static void want_pose(bench *b, const char *frame, sn_pose pose) {
  sn_pose_stamped *msg = sn_source_msg(b->pose_ref);
  assert_int_equal(sn_msg_text_set(&msg->header.frame_id, frame), SN_OK);
  msg->pose = sn_msg_pose_from(pose);
  assert_int_equal(sn_source_write(b->pose_ref), SN_OK);
}

static void want_point(bench *b, const char *frame, sn_vec3 point) {
  sn_point_stamped *msg = sn_source_msg(b->point_ref);
  assert_int_equal(sn_msg_text_set(&msg->header.frame_id, frame), SN_OK);
  msg->point = point;
  assert_int_equal(sn_source_write(b->point_ref), SN_OK);
}

static sn_pose base_now(bench *b) {
  const sn_rigid_body_state *msg = sn_tap_read(b->base, NULL);
  assert_non_null(msg);
  assert_string_equal(msg->header.frame_id.data, "odom");
  return sn_pose_from_msg(msg->pose.data[0]);
}

/* ---- what every controller promises ---- */

/* It commands every joint it owns, begins at the pose, and is silent in the cycle in which it loses
   its limb. */
static void keeps_the_contract(const char *who, const char *limb, size_t joint_count) {
  bench b;
  bench_open(&b, who, "");
  cycles(&b, 5);
  sn_flow flow = SN_NO_DATA;
  (void)sn_tap_read(b.joints, &flow);
  assert_int_equal(flow, SN_NO_DATA); /* nothing is published before */
  memcpy(b.last, b.q, sizeof b.last);
  if (!sn_deployed_switch(&b.d, who, true, NULL)) {
    fail_msg("%s", b.d.err.message);
  }
  cycles(&b, 200);
  const sn_joint_state *ref = sn_tap_read(b.joints, &flow);
  assert_int_equal(flow, SN_NEW_DATA);
  assert_int_equal(ref->name.count, joint_count);
  assert_int_equal(ref->velocity.count, joint_count);
  for (size_t j = 0; j < b.n; j++) { /* without a reference nothing moves */
    sn_assert_near(b.q[j], b.last[j], 1e-6);
  }
  assert_string_equal(sn_deployed_owner(&b.d, limb), who);
  assert_true(sn_deployed_switch(&b.d, "follow", true, limb));
  cycles(&b, 1);
  (void)sn_tap_read(b.joints, &flow);
  cycles(&b, 1);
  (void)sn_tap_read(b.joints, &flow);
  assert_int_equal(flow, SN_OLD_DATA);
  assert_string_equal(sn_deployed_owner(&b.d, limb), "follow");
  assert_true(sn_deployed_switch(&b.d, who, true, NULL)); /* and back */
  cycles(&b, 2);
  assert_string_equal(sn_deployed_owner(&b.d, limb), who);
  assert_true(sn_deployed_switch(&b.d, who, false, NULL));
  cycles(&b, 2);
  assert_string_equal(sn_deployed_owner(&b.d, limb), "hold");
  bench_close(&b);
}

SN_TEST(stance_commands_what_it_owns_from_where_it_is) {
  keeps_the_contract("stance", "leg3", 24);
}

SN_TEST(look_commands_what_it_owns_from_where_it_is) {
  keeps_the_contract("look", "head", 4);
}

SN_TEST(follow_pose_commands_what_it_owns_from_where_it_is) {
  keeps_the_contract("point", "leg1", 6);
}

SN_TEST(robots_without_legs_or_head_run_and_refuse_the_activation) {
  sn_deployed d;
  char folder[64], path[128], text[256];
  sn_test_folder_create(folder);
  snprintf(text, sizeof text, "include: [standard.yaml]\nrobot: small.urdf\n");
  sn_test_write(folder, "small.urdf", sn_deployed_robot);
  sn_test_write(folder, "d.yaml", text);
  snprintf(path, sizeof path, "%s/d.yaml", folder);
  sn_deployed_open(&d, path);
  sn_deployed_run(&d, 0.05);
  assert_false(sn_deployed_switch(&d, "stance", true, NULL));
  sn_assert_contains(d.err.message, "no limb of the robot can stand");
  sn_deployed_free(&d);
  sn_test_folder_remove(folder);
}

SN_TEST(cycles_touch_no_heap) {
  static const char *const who[] = {"stance", "look", "point"};
  for (size_t i = 0; i < 3; i++) {
    bench b;
    bench_open(&b, who[i], "");
    assert_true(sn_deployed_switch(&b.d, who[i], true, NULL));
    cycles(&b, 10);
    want_base(&b, (sn_pose){sn_mat3_from_rpy(0.05, 0.02, 0.03), {0.01, 0.5, -0.02}});
    want_point(&b, "", (sn_vec3){1, 1, 1});
    want_pose(&b, "", (sn_pose){sn_mat3_identity(), {0.1, -0.1, -3}});
    cycles(&b, 1);
    const size_t before = sn_test_heap_calls();
    sn_deployed_run(&b.d, 0.001); /* what the run itself takes */
    const size_t run_calls = sn_test_heap_calls() - before;
    const size_t middle = sn_test_heap_calls();
    sn_deployed_run(&b.d, 0.3);
    assert_int_equal(sn_test_heap_calls() - middle, run_calls);
    bench_close(&b);
  }
}

/* ---- FollowStance ---- */

/* By the poses that the gate commands, half a second after the filter has settled. */
SN_TEST(base_goes_where_it_is_wanted_and_hooves_stay) {
  static const char *const hooves[] = {"leg1_link6", "leg2_link6", "leg3_link6", "leg4_link6"};
  bench b;
  bench_open(&b, "stance", "");
  const sn_pose start = {sn_mat3_from_rpy(0, 0, 1.0), {3.0, 2.0, 0.2}};
  write_body(b.in_base, "odom", "base_link", start);
  assert_int_equal(sn_source_write(b.in_base), SN_OK);
  cycles(&b, 2);
  assert_true(sn_deployed_switch(&b.d, "stance", true, NULL));
  cycles(&b, 2);
  sn_pose feet[4];
  for (size_t i = 0; i < 4; i++) {
    feet[i] = sn_pose_mul(start, link_of(&b, hooves[i]));
  }
  const sn_pose wanted =
      sn_pose_mul(start, (sn_pose){sn_mat3_from_rpy(0.05, -0.04, 0.06), {0.01, 0.008, -0.01}});
  want_base(&b, wanted);
  for (int k = 0; k < 1500; k++) {
    cycles(&b, 1);
    if (k % 50 == 49) { /* the gate may lag by its limits of acceleration, by little */
      const sn_pose base = base_now(&b);
      for (size_t i = 0; i < 4; i++) {
        const sn_pose foot = sn_pose_mul(base, link_of(&b, hooves[i]));
        sn_assert_near(sn_vec3_norm(sn_vec3_sub(foot.pos, feet[i].pos)), 0.0, 1e-3);
      }
    }
  }
  sn_assert_pose_near(base_now(&b), wanted, 1e-4);
  const sn_support_state *supports = sn_tap_read(b.supports, NULL);
  assert_int_equal(supports->name.count, 4);
  for (size_t i = 0; i < 4; i++) {
    assert_true(supports->support.data[i] == 1.0);
    const sn_pose foot = sn_pose_mul(wanted, link_of(&b, hooves[i]));
    sn_assert_pose_near(foot, feet[i], 1e-4);
  }
  const sn_limb_state *limbs = sn_tap_read(b.limbs, NULL);
  assert_int_equal(limbs->name.count, 4);
  assert_string_equal(limbs->header.frame_id.data, "base_link");
  assert_string_equal(sn_deployed_owner(&b.d, "head"), "hold"); /* not needed, not taken */
  bench_close(&b);
}

SN_TEST(stance_stands_on_the_limbs_it_is_activated_with) {
  bench b;
  bench_open(&b, "stance", "");
  assert_true(sn_deployed_switch(&b.d, "stance", true, "leg2"));
  cycles(&b, 5);
  const sn_support_state *supports = sn_tap_read(b.supports, NULL);
  assert_int_equal(supports->name.count, 1);
  assert_string_equal(sn_msg_names_at(&supports->name, 0), "leg2");
  assert_string_equal(sn_deployed_owner(&b.d, "leg1"), "hold");
  bench_close(&b);
}

SN_TEST(base_out_of_reach_is_approached_and_reported) {
  bench b;
  bench_open(&b, "stance", "");
  assert_true(sn_deployed_switch(&b.d, "stance", true, NULL));
  cycles(&b, 2);
  want_base(&b, (sn_pose){sn_mat3_identity(), {0, 0, -1.0}});
  cycles(&b, 3000);
  const sn_pose down = base_now(&b);
  assert_true(down.pos.z < -0.02 && down.pos.z > -0.3);
  assert_int_equal(sn_deployed_count_log(&b.d, "the base cannot get there"), 1);
  want_base(&b, sn_pose_identity());
  cycles(&b, 3000);
  sn_assert_pose_near(base_now(&b), sn_pose_identity(), 1e-4);
  bench_close(&b);
}

SN_TEST(invalid_references_of_the_base_are_refused_and_named) {
  bench b;
  bench_open(&b, "stance", "");
  assert_true(sn_deployed_switch(&b.d, "stance", true, NULL));
  cycles(&b, 20);
  memcpy(b.last, b.q, sizeof b.last);
  const sn_pose pose = {sn_mat3_identity(), {0.01, 0, 0}};
  sn_rigid_body_state *msg = sn_source_msg(b.base_ref);
  write_body(b.base_ref, "odom", "base_link", pose);
  msg->pose.data[0].orientation.w = 1.5;
  assert_int_equal(sn_source_write(b.base_ref), SN_OK);
  cycles(&b, 1);
  assert_int_equal(sn_deployed_count_log(&b.d, "quaternion is not of unit length"), 1);
  write_body(b.base_ref, "moon", "base_link", pose);
  assert_int_equal(sn_source_write(b.base_ref), SN_OK);
  cycles(&b, 1);
  assert_int_equal(sn_deployed_count_log(&b.d, "its frame is not the world"), 1);
  write_body(b.base_ref, "odom", "leg1_link1", pose);
  assert_int_equal(sn_source_write(b.base_ref), SN_OK);
  cycles(&b, 1);
  assert_int_equal(sn_deployed_count_log(&b.d, "no body with the name of the root link"), 1);
  cycles(&b, 300);
  for (size_t j = 0; j < b.n; j++) {
    sn_assert_near(b.q[j], b.last[j], 1e-9);
  }
  bench_close(&b);
}

/* A reference that moves, and then nothing more: the base stops near where it was. */
SN_TEST(silent_source_holds_the_base) {
  bench b;
  bench_open(&b, "stance", "");
  assert_true(sn_deployed_switch(&b.d, "stance", true, NULL));
  cycles(&b, 2);
  sn_rigid_body_state *msg = sn_source_msg(b.base_ref);
  for (int k = 0; k < 200; k++) {
    write_body(b.base_ref, "odom", "base_link",
               (sn_pose){sn_mat3_identity(), {5e-5 * k, 0, -1e-4 * k}});
    msg->twist.count = 1;
    msg->twist.data[0] = (sn_spatial){{0, 0, 0}, {0.05, 0, -0.1}};
    assert_int_equal(sn_source_write(b.base_ref), SN_OK);
    cycles(&b, 1);
  }
  cycles(&b, 1500);
  assert_int_equal(sn_deployed_count_log(&b.d, "fell silent while the base moved"), 1);
  const sn_pose held = base_now(&b);
  sn_assert_near(held.pos.z, -0.02, 0.01);
  cycles(&b, 500);
  sn_assert_pose_near(base_now(&b), held, 1e-6);
  bench_close(&b);
}

SN_TEST(pose_feedback_needs_a_base) {
  bench b;
  bench_open(&b, "stance", "  stance: {properties: {pose_feedback: true}}\n");
  assert_false(sn_deployed_switch(&b.d, "stance", true, NULL));
  sn_assert_contains(b.d.err.message, "no base has arrived on in_base");
  write_body(b.in_base, "odom", "base_link", sn_pose_identity());
  assert_int_equal(sn_source_write(b.in_base), SN_OK);
  cycles(&b, 2);
  assert_true(sn_deployed_switch(&b.d, "stance", true, NULL));
  bench_close(&b);
}

SN_TEST(unstable_reference_is_ignored_and_said) {
  bench b;
  bench_open(&b, "stance",
             "  stance: {properties: {check_balance: true, balance_margin: 0.02,\n"
             "                        support_legs: [leg1, leg2, leg3]}}\n");
  assert_true(sn_deployed_switch(&b.d, "stance", true, NULL));
  cycles(&b, 2);
  want_base(&b, (sn_pose){sn_mat3_identity(), {-0.008, 0.008, -0.005}});
  cycles(&b, 100);
  assert_int_equal(sn_deployed_count_log(&b.d, "the robot would not be balanced there"), 1);
  sn_assert_pose_near(base_now(&b), sn_pose_identity(), 1e-9);
  bench_close(&b);
}

SN_TEST(centre_of_mass_outside_moves_the_base_back) {
  bench b;
  bench_open(&b, "stance",
             "  stance: {properties: {keep_balance: true, balance_margin: 0.03,\n"
             "                        support_legs: [leg1, leg2, leg3]}}\n");
  assert_true(sn_deployed_switch(&b.d, "stance", true, NULL));
  cycles(&b, 2);
  assert_int_equal(sn_deployed_count_log(&b.d, "the base moves back over the middle"), 1);
  want_base(&b, (sn_pose){sn_mat3_identity(), {0, 0, 0.01}});
  cycles(&b, 2);
  assert_int_equal(sn_deployed_count_log(&b.d, "the controller moves the centre of mass back"), 1);
  cycles(&b, 1500);
  const sn_pose back = base_now(&b);
  assert_true(back.pos.y < -0.003); /* away from leg 4, which does not stand */
  bench_close(&b);
}

/* All joints at zero: the knees are straight and have more room on one side. */
SN_TEST(straight_legs_bend_the_way_in_which_knees_have_room) {
  bench b;
  bench_open_at(&b, "stance", "", "zero");
  assert_true(sn_deployed_switch(&b.d, "stance", true, NULL));
  cycles(&b, 2);
  for (size_t j = 0; j < b.n; j++) {
    sn_assert_near(b.q[j], 0.0, 1e-9);
  }
  want_base(&b, (sn_pose){sn_mat3_identity(), {0, 0, -0.03}});
  cycles(&b, 3000);
  sn_assert_near(base_now(&b).pos.z, -0.03, 1e-4);
  assert_true(b.q[sn_model_joint_index(b.robot.model, "leg1_joint4")] > 0.4);
  assert_true(b.q[sn_model_joint_index(b.robot.model, "leg3_joint4")] < -0.4);
  bench_close(&b);
}

/* ---- FollowPose ---- */

SN_TEST(limb_follows_a_pose_in_every_frame) {
  bench b;
  bench_open(&b, "point", "");
  const sn_pose base = {sn_mat3_from_rpy(0.1, 0.2, 0.5), {1, 2, 0.3}};
  write_body(b.in_base, "odom", "base_link", base);
  assert_int_equal(sn_source_write(b.in_base), SN_OK);
  assert_true(sn_deployed_switch(&b.d, "point", true, NULL));
  cycles(&b, 5);
  const sn_pose end = link_of(&b, "leg1_link6"), head = link_of(&b, "head_link2");
  const sn_pose goal = sn_pose_mul(end, (sn_pose){sn_mat3_identity(), {0.01, 0.0, 0.015}});
  static const char *const frames[] = {"", "base_link", "odom", "head_link2"};
  for (size_t i = 0; i < 4; i++) {
    const sn_pose frame = i == 2 ? sn_pose_inverse(base) : i == 3 ? head : sn_pose_identity();
    want_pose(&b, frames[i], sn_pose_between(frame, goal));
    cycles(&b, 1500);
    sn_assert_pose_near(link_of(&b, "leg1_link6"), goal, 1e-4);
    want_pose(&b, "", end);
    cycles(&b, 1500);
    sn_assert_pose_near(link_of(&b, "leg1_link6"), end, 1e-4);
  }
  want_pose(&b, "moon", goal);
  cycles(&b, 1);
  assert_int_equal(sn_deployed_count_log(&b.d, "its frame is unknown"), 1);
  sn_pose_stamped *msg = sn_source_msg(b.pose_ref);
  want_pose(&b, "", goal);
  msg->pose.orientation.z = 2.0;
  assert_int_equal(sn_source_write(b.pose_ref), SN_OK);
  cycles(&b, 1000);
  assert_int_equal(sn_deployed_count_log(&b.d, "quaternion is not of unit length"), 1);
  sn_assert_pose_near(link_of(&b, "leg1_link6"), end, 1e-4);
  want_pose(&b, "", (sn_pose){end.rot, {0.1, -0.1, -3.0}});
  cycles(&b, 1000);
  assert_int_equal(sn_deployed_count_log(&b.d, "leg1 cannot get there"), 1);
  bench_close(&b);
}

/* The base moves and the goal is fixed in the world: the limb moves back. */
SN_TEST(limb_stays_in_the_world_when_the_base_moves) {
  bench b;
  bench_open(&b, "point", "");
  write_body(b.in_base, "odom", "base_link", sn_pose_identity());
  assert_int_equal(sn_source_write(b.in_base), SN_OK);
  assert_true(sn_deployed_switch(&b.d, "point", true, NULL));
  cycles(&b, 5);
  const sn_pose goal = link_of(&b, "leg1_link6");
  want_pose(&b, "odom", goal);
  sn_pose base = sn_pose_identity();
  for (int k = 0; k < 1000; k++) {
    base.pos.z = -2e-5 * k;
    write_body(b.in_base, "odom", "base_link", base);
    sn_rigid_body_state *msg = sn_source_msg(b.in_base);
    msg->twist.count = 1;
    msg->twist.data[0] = (sn_spatial){{0, 0, 0}, {0, 0, -0.02}};
    assert_int_equal(sn_source_write(b.in_base), SN_OK);
    cycles(&b, 1);
  }
  const sn_pose end = sn_pose_mul(base, link_of(&b, "leg1_link6"));
  sn_assert_near(sn_vec3_norm(sn_vec3_sub(end.pos, goal.pos)), 0.0, 5e-4);
  bench_close(&b);
}

/* ---- LookAt ---- */

static double angle_to(bench *b, sn_vec3 point) {
  const sn_pose head = link_of(b, "head_link4");
  const sn_vec3 way = sn_vec3_sub(point, head.pos);
  return acos(fmin(1.0, sn_vec3_dot(head.rot.x, way) / sn_vec3_norm(way)));
}

SN_TEST(head_looks_at_a_point_in_every_frame) {
  bench b;
  bench_open(&b, "look", "");
  const sn_pose base = {sn_mat3_from_rpy(0, 0, 2.0), {1, 2, 0.3}};
  write_body(b.in_base, "odom", "base_link", base);
  assert_int_equal(sn_source_write(b.in_base), SN_OK);
  assert_true(sn_deployed_switch(&b.d, "look", true, NULL));
  cycles(&b, 5);
  static const sn_vec3 points[] = {{2, 0.8, 0.5}, {1, -0.6, 0.0}, {3, 0, 1.0}};
  for (size_t i = 0; i < 3; i++) {
    const char *frame = i == 0 ? "odom" : i == 1 ? "" : "base_link";
    want_point(&b, frame, i == 0 ? sn_pose_apply(base, points[i]) : points[i]);
    cycles(&b, 2000);
    sn_assert_near(angle_to(&b, points[i]), 0.0, 2e-3);
    sn_assert_near(link_of(&b, "head_link4").rot.y.z, 0.0, 2e-3); /* upright */
  }
  memcpy(b.last, b.q, sizeof b.last);
  want_point(&b, "moon", points[0]);
  cycles(&b, 1);
  assert_int_equal(sn_deployed_count_log(&b.d, "its frame is unknown"), 1);
  cycles(&b, 500);
  for (size_t j = 0; j < b.n; j++) {
    sn_assert_near(b.q[j], b.last[j], 1e-4);
  }
  want_point(&b, "", (sn_vec3){-5, 1, 0});
  cycles(&b, 2000);
  assert_int_equal(sn_deployed_count_log(&b.d, "the limb cannot turn that far"), 1);
  bench_close(&b);
}

/* The neck may turn little: the eyes get the rest. */
SN_TEST(eyes_get_what_is_left_of_the_angle) {
  sn_deployed d;
  char folder[64], path[128];
  sn_test_folder_create(folder);
  sn_test_write(
      folder, "bust.urdf",
      "<robot name='bust'><link name='base'/><link name='neck'/><link name='head'/>"
      "<link name='eyes1'/><link name='eyes2'/>"
      "<joint name='turn' type='revolute'><parent link='base'/><child link='neck'/>"
      "<origin xyz='0 0 0.3'/><axis xyz='0 0 1'/>"
      "<limit lower='-0.3' upper='0.3' effort='1' velocity='5'/></joint>"
      "<joint name='nod' type='revolute'><parent link='neck'/><child link='head'/>"
      "<axis xyz='0 1 0'/><limit lower='-0.2' upper='0.2' effort='1' velocity='5'/></joint>"
      "<joint name='eye_y' type='revolute'><parent link='head'/><child link='eyes1'/>"
      "<axis xyz='0 0 -1'/><limit lower='-0.5' upper='0.5' effort='1' velocity='5'/></joint>"
      "<joint name='eye_p' type='revolute'><parent link='eyes1'/><child link='eyes2'/>"
      "<axis xyz='0 1 0'/><limit lower='-0.5' upper='0.5' effort='1' velocity='5'/></joint>"
      "</robot>");
  sn_test_write(folder, "d.yaml",
                "include: [standard.yaml]\nrobot: bust.yaml\ncomponents:\n"
                "  look: {properties: {controlled_chains: [head, eyes], eye_pitch: eye_p, "
                "eye_yaw: eye_y}}\n");
  sn_test_write(folder, "bust.yaml",
                "robot: bust.urdf\nkinematics_chains:\n"
                "  head: {first_link: base, last_link: head}\n"
                "  eyes: {first_link: head, last_link: eyes2}\n");
  snprintf(path, sizeof path, "%s/d.yaml", folder);
  sn_deployed_open(&d, path);
  sn_deployed_run(&d, 0.05);
  if (!sn_deployed_switch(&d, "look", true, NULL)) {
    fail_msg("%s", d.err.message);
  }
  sn_source *point = NULL;
  sn_tap *pose = NULL;
  assert_int_equal(sn_source_open(d.system, "look.in_point_ref", NULL, &point, &d.err), SN_OK);
  assert_int_equal(sn_tap_open(d.system, "aggregator.joints_sorted", NULL, &pose, &d.err), SN_OK);
  sn_deployed_run(&d, 0.01);
  sn_point_stamped *msg = sn_source_msg(point);
  msg->point =
      (sn_vec3){cos(0.6), sin(0.6), 0.3}; /* 0.6 rad to the left, at the height of the eyes */
  assert_int_equal(sn_source_write(point), SN_OK);
  sn_deployed_run(&d, 2.0);
  const sn_joint_state *now = sn_tap_read(pose, NULL);
  const double turn = now->position.data[sn__msg_names_index(&now->name, "turn")];
  const double eye = now->position.data[sn__msg_names_index(&now->name, "eye_y")];
  const double pitch = now->position.data[sn__msg_names_index(&now->name, "eye_p")];
  sn_assert_near(turn, 0.3, 1e-3);
  sn_assert_near(eye, -0.3, 1e-2); /* its axis points down */
  sn_assert_near(pitch, 0.0, 1e-2);
  sn_source_close(point);
  sn_tap_close(pose);
  sn_deployed_free(&d);
  sn_test_folder_remove(folder);
}
