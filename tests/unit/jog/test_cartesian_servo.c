/* CartesianServo in the standard deployment with an arm, in simulated time: who owns the limb, what
   its messages mean, and how it passes obstacles. */
#include <math.h>
#include <string.h>

#include "jog_bench.h"
#include "msg/types/msg_collision.h"
#include "program.h"
#include "sinew/quat.h"
#include "sn_test.h"

enum { N = 6 };

static const sn_spatial LEFT = {{0.0, 0.0, 0.0}, {0.0, 0.05, 0.0}};

/* ---- whose limb it is ---- */

SN_TEST(a_command_takes_the_limb_and_silence_gives_it_back) {
  jog_bench b;
  jog_bench_open_arm6(&b);
  assert_string_equal(sn_deployed_owner(&b.d, "arm"), "hold");
  jog_want(&b, "", (sn_spatial){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}});
  jog_cycles(&b, 20);
  assert_string_equal(sn_deployed_owner(&b.d, "arm"), "hold"); /* rest needs no limb */
  const sn_vec3 start = jog_tool(&b).pos;
  jog_hold(&b, "", LEFT, 1000);
  assert_string_equal(sn_deployed_owner(&b.d, "arm"), "jog");
  assert_string_equal(jog_state(&b)->status.data, "moving");
  assert_string_equal(jog_state(&b)->chain.data, "arm");
  assert_true(jog_tool(&b).pos.y - start.y > 0.03);
  jog_cycles(&b, 199 + 400); /* the source is silent: it stops */
  assert_string_equal(jog_state(&b)->status.data, "holding");
  double q[N];
  memcpy(q, b.q, sizeof q);
  jog_cycles(&b, 1500);
  assert_string_equal(sn_deployed_owner(&b.d, "arm"), "hold");
  assert_memory_equal(q, b.q, sizeof q); /* and nothing jumps */
  assert_string_equal(jog_state(&b)->status.data, "idle");
  jog_bench_close(&b);
}

SN_TEST(a_limb_that_another_takes_is_lost_and_comes_back_with_the_next_command) {
  jog_bench b;
  jog_bench_open_arm6(&b);
  jog_hold(&b, "", LEFT, 300);
  assert_true(sn_deployed_switch(&b.d, "follow", true, "arm"));
  jog_cycles(&b, 2);
  assert_string_equal(sn_deployed_owner(&b.d, "arm"), "follow");
  assert_string_equal(jog_state(&b)->reason.data, "lost");
  jog_hold(&b, "", LEFT, 40);
  assert_string_equal(sn_deployed_owner(&b.d, "arm"), "jog");
  jog_bench_close(&b);
}

/* ---- what messages mean ---- */

/* The tool moves along the axis of the frame that was named. */
static void check_frame(const char *frame, sn_mat3 (*axes)(const jog_bench *b)) {
  jog_bench b;
  jog_bench_open_arm6(&b);
  const sn_mat3 rot = axes(&b);
  const sn_vec3 start = jog_tool(&b).pos;
  jog_hold(&b, frame, (sn_spatial){{0.0, 0.0, 0.0}, {0.0, 0.03, -0.04}}, 1000);
  const sn_vec3 way = sn_vec3_sub(jog_tool(&b).pos, start);
  const sn_vec3 in = sn_mat3_apply_transposed(rot, way);
  const double length = sn_vec3_norm(way);
  assert_true(length > 0.02);
  sn_assert_near(in.x, 0.0, 1e-4 * length);
  sn_assert_near(in.y, 0.6 * length, 1e-4 * length);
  sn_assert_near(in.z, -0.8 * length, 1e-4 * length);
  jog_bench_close(&b);
}

static sn_mat3 axes_of_first_link(const jog_bench *b) {
  (void)b;
  return sn_mat3_identity();
}

static sn_mat3 axes_of_tool(const jog_bench *b) {
  return jog_tool(b).rot;
}

SN_TEST(a_twist_is_in_the_axes_of_its_frame) {
  check_frame("", axes_of_first_link);
  check_frame("base_link", axes_of_first_link);
  check_frame("tool", axes_of_tool);
  check_frame("tool0", axes_of_tool);
}

/* The upper arm turns with joint 1: while the tool moves in its axes, so do those. */
SN_TEST(a_twist_in_the_axes_of_a_link_that_moves_turns_with_it) {
  jog_bench b;
  jog_bench_open_arm6(&b);
  const double before = b.q[0];
  const sn_vec3 start = jog_tool(&b).pos;
  jog_hold(&b, "link1", (sn_spatial){{0.0, 0.0, 0.0}, {0.0, 0.1, 0.0}}, 3000);
  assert_true(b.q[0] - before > 0.3);
  /* Sideways of the first link, the distance from its axis does not change. */
  sn_assert_near(hypot(jog_tool(&b).pos.x, jog_tool(&b).pos.y), hypot(start.x, start.y), 0.02);
  jog_bench_close(&b);
}

SN_TEST(joints_are_jogged_by_name) {
  jog_bench b;
  jog_bench_open_arm6(&b);
  double q[N];
  memcpy(q, b.q, sizeof q);
  for (int k = 0; k < 1000; k++) {
    if (k % 20 == 0) {
      sn_joint_jog *msg = sn_source_msg(b.jog);
      sn_msg_reset(&sn_joint_jog_type, msg);
      assert_int_equal(sn_msg_names_add(&msg->joint_names, "joint3", 6), SN_OK);
      msg->velocities.count = 1;
      msg->velocities.data[0] = -0.2;
      assert_int_equal(sn_source_write(b.jog), SN_OK);
    }
    jog_cycles(&b, 1);
  }
  sn_assert_near(b.q[2] - q[2], -0.2, 0.03);
  for (size_t j = 0; j < N; j++) {
    if (j != 2) {
      sn_assert_near(b.q[j], q[j], 0.0);
    }
  }
  jog_bench_close(&b);
}

SN_TEST(a_pose_in_the_frame_of_the_tool_is_relative_to_it) {
  jog_bench b;
  jog_bench_open_arm6(&b);
  const sn_pose start = jog_tool(&b);
  for (int k = 0; k < 3000; k++) {
    if (k % 20 == 0) {
      sn_pose_stamped *msg = sn_source_msg(b.goal);
      sn_msg_reset(&sn_pose_stamped_type, msg);
      /* Relative to where the tool is now, so only the first message uses that frame. */
      const sn_pose goal = sn_pose_mul(start, (sn_pose){sn_mat3_identity(), {0.02, 0.0, -0.03}});
      msg->pose = k == 0 ? sn_msg_pose_from((sn_pose){sn_mat3_identity(), {0.02, 0.0, -0.03}})
                         : sn_msg_pose_from(goal);
      assert_int_equal(sn_msg_text_set(&msg->header.frame_id, k == 0 ? "tool" : ""), SN_OK);
      assert_int_equal(sn_source_write(b.goal), SN_OK);
    }
    jog_cycles(&b, 1);
  }
  const sn_vec3 way = sn_mat3_apply_transposed(start.rot, sn_vec3_sub(jog_tool(&b).pos, start.pos));
  sn_assert_near(way.x, 0.02, 1e-6);
  sn_assert_near(way.y, 0.0, 1e-6);
  sn_assert_near(way.z, -0.03, 1e-6);
  jog_bench_close(&b);
}

SN_TEST(what_cannot_be_understood_is_refused_with_the_reason) {
  jog_bench b;
  jog_bench_open_arm6(&b);
  (void)sn_deployed_count_log(&b.d, "");
  jog_want(&b, "nowhere", LEFT);
  jog_cycles(&b, 3);
  assert_int_equal(sn_deployed_count_log(&b.d, "its frame is unknown"), 1);
  sn_twist_stamped *msg = sn_source_msg(b.twist);
  sn_msg_reset(&sn_twist_stamped_type, msg);
  msg->twist.lin.x = (double)NAN;
  assert_int_not_equal(sn_source_write(b.twist), SN_OK); /* not even delivered */
  jog_cycles(&b, 1100);
  msg = sn_source_msg(b.twist);
  sn_msg_reset(&sn_twist_stamped_type, msg);
  msg->twist = LEFT;
  msg->header.stamp_ns = 1;
  assert_int_equal(sn_source_write(b.twist), SN_OK);
  jog_cycles(&b, 3);
  assert_int_equal(sn_deployed_count_log(&b.d, "its stamp is older than the time-out"), 1);
  jog_cycles(&b, 1100);
  sn_joint_jog *jog = sn_source_msg(b.jog);
  sn_msg_reset(&sn_joint_jog_type, jog);
  assert_int_equal(sn_msg_names_add(&jog->joint_names, "knee", 4), SN_OK);
  jog->velocities.count = 1;
  jog->velocities.data[0] = 0.1;
  assert_int_equal(sn_source_write(b.jog), SN_OK);
  jog_cycles(&b, 3);
  assert_int_equal(sn_deployed_count_log(&b.d, "does not belong to the chain"), 1);
  assert_string_equal(sn_deployed_owner(&b.d, "arm"), "hold");
  jog_bench_close(&b);
}

SN_TEST(an_unknown_chain_is_an_error_of_the_deployment) {
  sn_deployed d;
  char folder[64];
  char text[400];
  char path[160];
  sn_test_folder_create(folder);
  snprintf(text, sizeof text,
           "include: [standard.yaml]\nrobot: %s/arm6.yaml\ncomponents:\n"
           "  jog: {properties: {chain: nose}}\n",
           SINEW_ROBOTS);
  sn_test_write(folder, "d.yaml", text);
  snprintf(path, sizeof path, "%s/d.yaml", folder);
  sn_deployed_init(&d);
  sn_status status = sn_deployed_load(&d, path);
  status = status == SN_OK ? sn_system_begin(d.system, &d.err) : status;
  assert_int_not_equal(status, SN_OK);
  assert_non_null(strstr(d.err.message, "the robot has no chain 'nose'"));
  sn_deployed_free(&d);
  sn_test_folder_remove(folder);
}

/* A wall beside the tool, which goes on along it with its orientation. */
SN_TEST(the_tool_slides_along_an_obstacle) {
  jog_bench b;
  jog_bench_open_arm6(&b);
  sn_caller caller = {0};
  sn_world_object *wall = sn_msg_create(&b.d.arena, &sn_world_object_type, NULL);
  sn_call_outcome *outcome = sn_msg_create(&b.d.arena, &sn_call_outcome_type, NULL);
  const sn_vec3 start = jog_tool(&b).pos;
  assert_int_equal(sn_msg_text_set(&wall->name, "wall"), SN_OK);
  assert_int_equal(sn_msg_text_set(&wall->shape, "box"), SN_OK);
  wall->size.count = 3;
  wall->size.data[0] = wall->size.data[2] = 2.0;
  wall->size.data[1] = 0.1;
  wall->pose = sn_msg_pose_from((sn_pose){sn_mat3_identity(), {start.x, start.y + 0.25, start.z}});
  assert_int_equal(sn_caller_open(b.d.system, "aggregator.addObject", &caller, &b.d.err), SN_OK);
  assert_int_equal(sn_call(&caller, wall, outcome, &b.d.err), SN_OK);
  sn_caller_close(&caller);
  const sn_spatial oblique = {{0.0, 0.0, 0.0}, {-0.02, 0.05, 0.0}};
  jog_hold(&b, "", oblique, 5000);
  assert_true(jog_tool(&b).pos.y < start.y + 0.2); /* the wall begins there */
  assert_true(jog_tool(&b).pos.y > start.y + 0.02);
  assert_string_equal(jog_state(&b)->reason.data, "obstacle");
  const sn_pose before = jog_tool(&b);
  jog_hold(&b, "", oblique, 1000);
  assert_true(jog_tool(&b).pos.x < before.pos.x - 0.015); /* of 0.02 */
  sn_assert_near(jog_tool(&b).pos.y, before.pos.y, 2e-3);
  sn_assert_near(
      sn_vec3_norm(sn_mat3_log(sn_mat3_mul(jog_tool(&b).rot, sn_mat3_transpose(before.rot)))), 0.0,
      1e-3);
  jog_hold(&b, "", (sn_spatial){{0.0, 0.0, 0.0}, {0.0, -0.05, 0.0}}, 1000); /* away from it */
  assert_true(jog_tool(&b).pos.y < start.y + 0.15);
  jog_bench_close(&b);
}
